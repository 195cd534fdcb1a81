// SPDX-License-Identifier: Apache-2.0
//
// htsp_test: test traffic in one channel, between the users and the core.
//
// What      What is sent in a channel comes from the source of axis_prbs_port in place of its user,
//           and what arrives goes to its checker.
// Contract  s_axis, m_axis: the users' streams, without tdata to tuser of m_axis, which come from
//           the core directly and are only read here. tx, rx: those at the core.
//           Source and checker begin where a packet of their channel ends, and the channel changes
//           while both are off: only then does the port know where the packets of its channel
//           begin.
//           taps_o: the streams at the core, index 0 the transmitters', 1 the receivers'.
// Clocks and resets  clk_i. rst_i resets the counters, link_rst_i the rest; both synchronous.
// Latency   0
//
// Parameters
//   Channels, Bytes, TestTraffic, Tuser   as in htsp

module htsp_test
  import htsp_pkg::*;
#(
  parameter  int unsigned Channels    = 4,
  parameter  int unsigned Bytes       = WordBytes,
  parameter  bit          TestTraffic = 1'b1,
  parameter  bit          Tuser       = 1'b0,
  localparam int unsigned UserWidth   = Tuser ? TuserWidth : 1,
  localparam int unsigned IdxWidth    = (Channels > 1) ? $clog2(Channels) : 1
) (
  input  logic                                       clk_i,
  input  logic                                       rst_i,
  input  logic                                       link_rst_i,
  input  logic                                       clear_i,
  input  test_cfg_t                                  cfg_i,
  output logic         [IdxWidth-1:0]                channel_o,
  output test_status_t                               status_o,
  output tap_t         [         1:0][ Channels-1:0] taps_o,
  input  logic         [Channels-1:0][  8*Bytes-1:0] s_axis_tdata,
  input  logic         [Channels-1:0][    Bytes-1:0] s_axis_tkeep,
  input  logic         [Channels-1:0]                s_axis_tlast,
  input  logic         [Channels-1:0][UserWidth-1:0] s_axis_tuser,
  input  logic         [Channels-1:0]                s_axis_tvalid,
  output logic         [Channels-1:0]                s_axis_tready,
  output logic         [Channels-1:0][  8*Bytes-1:0] tx_tdata,
  output logic         [Channels-1:0][    Bytes-1:0] tx_tkeep,
  output logic         [Channels-1:0]                tx_tlast,
  output logic         [Channels-1:0][UserWidth-1:0] tx_tuser,
  output logic         [Channels-1:0]                tx_tvalid,
  input  logic         [Channels-1:0]                tx_tready,
  input  logic         [Channels-1:0]                rx_tvalid,
  output logic         [Channels-1:0]                rx_tready,
  input  logic         [Channels-1:0][  8*Bytes-1:0] m_axis_tdata,
  input  logic         [Channels-1:0][    Bytes-1:0] m_axis_tkeep,
  input  logic         [Channels-1:0]                m_axis_tlast,
  input  logic         [Channels-1:0][UserWidth-1:0] m_axis_tuser,
  output logic         [Channels-1:0]                m_axis_tvalid,
  input  logic         [Channels-1:0]                m_axis_tready
);

  // Of the source and the checker: the channel that each one has now.
  logic [Channels-1:0] sourced, checked;
  logic [8*Bytes-1:0] source_tdata;
  logic [  Bytes-1:0] source_tkeep;
  logic source_tlast, source_tvalid;

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    assign tx_tdata[c] = sourced[c] ? source_tdata : s_axis_tdata[c];
    assign tx_tkeep[c] = sourced[c] ? source_tkeep : s_axis_tkeep[c];
    assign tx_tlast[c] = sourced[c] ? source_tlast : s_axis_tlast[c];
    assign tx_tuser[c] = sourced[c] ? '0 : s_axis_tuser[c];
    assign tx_tvalid[c] = sourced[c] ? source_tvalid : s_axis_tvalid[c];
    assign s_axis_tready[c] = tx_tready[c] && !sourced[c];
    assign m_axis_tvalid[c] = rx_tvalid[c] && !checked[c];
    assign rx_tready[c] = m_axis_tready[c] || checked[c];
    assign taps_o[0][c] = '{
            WordBytes'(tx_tkeep[c]),
            tx_tlast[c],
            tx_tuser[c][0],
            tx_tvalid[c],
            tx_tready[c]
        };
    assign taps_o[1][c] = '{
            WordBytes'(m_axis_tkeep[c]),
            m_axis_tlast[c],
            m_axis_tuser[c][0],
            rx_tvalid[c],
            rx_tready[c]
        };
  end

  if (TestTraffic) begin : gen_prbs
    logic [IdxWidth-1:0] channel_q, channel_before_q;
    logic [1:0][Channels-1:0] open_q, open;
    logic source_q, check_q, sourcing, checking;
    tap_t tx, rx;
    assign tx = taps_o[0][channel_q];
    assign rx = taps_o[1][channel_q];

    always_comb begin
      for (int d = 0; d < 2; d++) begin
        for (int unsigned c = 0; c < Channels; c++) begin
          open[d][c] = open_q[d][c];
          if (taps_o[d][c].valid) open[d][c] = !(taps_o[d][c].ready && taps_o[d][c].last);
        end
      end
    end

    always_ff @(posedge clk_i) begin
      channel_before_q <= channel_q;
      if (link_rst_i) begin
        open_q    <= '0;
        source_q  <= 1'b0;
        check_q   <= 1'b0;
        channel_q <= '0;
      end else begin
        open_q   <= open;
        source_q <= cfg_i.source && (source_q || !open[0][channel_q]);
        check_q  <= cfg_i.check && (check_q || !open[1][channel_q]);
        if (!(cfg_i.source || cfg_i.check || source_q || check_q || sourcing || checking)) begin
          channel_q <= IdxWidth'(cfg_i.channel);
        end
      end
    end

    logic [8*Bytes-1:0] user_tdata;
    logic [  Bytes-1:0] user_tkeep;
    logic user_tlast, user_tuser, user_tvalid, user_tready, checker_tready, unused;
    assign unused = ^{user_tdata, user_tkeep, user_tlast, user_tuser, user_tvalid, user_tready,
                      checker_tready, cfg_i, taps_o, tx, rx};

    axis_prbs_port #(
      .Bytes       (Bytes),
      .CounterWidth(PrbsWidth)
    ) u_prbs (
      .clk_i,
      .rst_i             (link_rst_i || channel_q != channel_before_q),
      .count_rst_i       (rst_i),
      .source_i          (source_q),
      .check_i           (check_q),
      .clear_i,
      .min_bytes_i       (cfg_i.shortest),
      .max_bytes_i       (cfg_i.longest),
      .gap_i             (cfg_i.gap),
      .seed_i            (cfg_i.seed),
      .s_axis_tdata      ('0),
      .s_axis_tkeep      ('0),
      .s_axis_tlast      (s_axis_tlast[channel_q]),
      .s_axis_tvalid     (s_axis_tvalid[channel_q]),
      .s_axis_tready     (user_tready),
      .m_link_axis_tdata (source_tdata),
      .m_link_axis_tkeep (source_tkeep),
      .m_link_axis_tlast (source_tlast),
      .m_link_axis_tvalid(source_tvalid),
      .m_link_axis_tready(tx.ready),
      .s_link_axis_tdata (m_axis_tdata[channel_q]),
      .s_link_axis_tkeep (rx.keep[Bytes-1:0]),
      .s_link_axis_tlast (rx.last),
      .s_link_axis_tuser (rx.user),
      .s_link_axis_tvalid(rx.valid),
      .s_link_axis_tready(checker_tready),
      .m_axis_tdata      (user_tdata),
      .m_axis_tkeep      (user_tkeep),
      .m_axis_tlast      (user_tlast),
      .m_axis_tuser      (user_tuser),
      .m_axis_tvalid     (user_tvalid),
      .m_axis_tready     (m_axis_tready[channel_q]),
      .sourcing_o        (sourcing),
      .checking_o        (checking),
      .in_sync_o         (status_o.sync),
      .bytes_o           (status_o.bytes),
      .skipped_o         (status_o.skipped),
      .bit_errors_o      (status_o.bit_errors),
      .losses_o          (status_o.losses)
    );

    assign channel_o = channel_q;
    assign sourced   = Channels'(sourcing) << channel_q;
    assign checked   = Channels'(checking) << channel_q;
  end else begin : gen_no_prbs
    logic unused;
    assign unused = ^{clk_i, rst_i, link_rst_i, clear_i, cfg_i, m_axis_tdata};
    assign channel_o = IdxWidth'(cfg_i.channel);
    assign {sourced, checked, status_o} = '0;
    assign {source_tdata, source_tkeep, source_tlast, source_tvalid} = '0;
  end

endmodule
