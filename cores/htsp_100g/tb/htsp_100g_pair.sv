// SPDX-License-Identifier: Apache-2.0
//
// htsp_100g_pair: two ends of htsp_100g, A and B, whose lanes go to each other through a channel.
//
// Index 0 of the vectors is A and the line from A to B, index 1 is B and the line from B to A.
// Physical lane p of a line has what lane from_i[p] sends, delay_words_i and delay_bits_i later,
// turned over with invert_i[p], with noise_i added; without signal_i[p] it has zeros. a_phy_clk_i,
// b_phy_clk_i: of the transmitter of an end, and so of the other end's receiver.
// Since the beginning: late_o, frames of an end's MAC with a gap; no_room_o, words that its
// receiver lost; frames_lost_o, frames that it has missed.
// s_axil_*: the registers of A, and from 0x4000 on those of B.
// tap_o: the first word of a frame leaves htsp (0), enters the MAC (1), leaves it (2), enters that
// of the other end (3), leaves it (4), enters htsp (5). They belong to the clock of their place.

module htsp_100g_pair
  import htsp_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter int unsigned Channels = 1,
  parameter int unsigned Fec = 1,
  parameter int unsigned StartWords = 8,
  parameter int unsigned Period = 64,
  localparam int unsigned N = Channels,
  localparam int unsigned Bytes = WordBytes,
  localparam int unsigned Width = $bits(fec_word_t)
) (
  input logic       clk_i,
  input logic       axil_clk_i,
  input logic       a_phy_clk_i,
  input logic       b_phy_clk_i,
  input logic       axil_arst_i,
  input logic [1:0] arst_i,
  input logic [1:0] phy_arst_i,

  input logic [1:0][FecLanes-1:0][      1:0] from_i,
  input logic [1:0][FecLanes-1:0][      5:0] delay_words_i,
  input logic [1:0][FecLanes-1:0][      6:0] delay_bits_i,
  input logic [1:0][FecLanes-1:0]            invert_i,
  input logic [1:0][FecLanes-1:0]            signal_i,
  input logic [1:0][FecLanes-1:0][Width-1:0] noise_i,

  input  logic [2*N-1:0][8*Bytes-1:0] s_axis_tdata,
  input  logic [2*N-1:0][  Bytes-1:0] s_axis_tkeep,
  input  logic [2*N-1:0]              s_axis_tlast,
  input  logic [2*N-1:0]              s_axis_tuser,
  input  logic [2*N-1:0]              s_axis_tvalid,
  output logic [2*N-1:0]              s_axis_tready,
  output logic [2*N-1:0][8*Bytes-1:0] m_axis_tdata,
  output logic [2*N-1:0][  Bytes-1:0] m_axis_tkeep,
  output logic [2*N-1:0]              m_axis_tlast,
  output logic [2*N-1:0]              m_axis_tuser,
  output logic [2*N-1:0]              m_axis_tvalid,
  input  logic [2*N-1:0]              m_axis_tready,

  output logic [1:0]       rst_o,
  output logic [1:0]       link_up_o,
  output logic [1:0]       remote_ready_o,
  output logic [1:0][15:0] late_o,
  output logic [1:0][15:0] no_room_o,
  output logic [1:0][15:0] frames_lost_o,
  output logic [1:0][ 3:0] pcs_state_o,
  output logic [1:0][ 4:0] pcs_lane_o,
  output logic [1:0][ 5:0] tap_o,

  input  logic [14:0] s_axil_awaddr,
  input  logic [ 2:0] s_axil_awprot,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [ 3:0] s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [ 1:0] s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [14:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready
);

  localparam int unsigned Keeps = 64;  // words of a channel
  localparam logic [7:0] Start = 8'hfb;

  logic [1:0][FecLanes-1:0][Width-1:0] sent, heard;

  function automatic logic starts(input logic [511:0] data, input logic [63:0] ctrl);
    starts = 1'b0;
    for (int s = 0; s < 8; s++) starts |= ctrl[8*s] && data[64*s+:8] == Start;
  endfunction

  // ---- Registers of both ends ----
  logic [13:0] m_axil_awaddr, m_axil_araddr;
  logic [2:0] m_axil_awprot, m_axil_arprot;
  logic [31:0] m_axil_wdata;
  logic [ 3:0] m_axil_wstrb;
  logic [1:0] m_axil_awvalid, m_axil_awready, m_axil_wvalid, m_axil_wready, m_axil_bvalid;
  logic [1:0] m_axil_bready, m_axil_arvalid, m_axil_arready, m_axil_rvalid, m_axil_rready;
  logic [1:0][1:0] m_axil_bresp, m_axil_rresp;
  logic [1:0][31:0] m_axil_rdata;

  prim_axil_split #(
    .AddrWidth(14)
  ) u_split (
    .clk_i(axil_clk_i),
    .rst_i(axil_arst_i),
    .*
  );

  for (genvar e = 0; e < 2; e++) begin : gen_end
    logic tx_clk, rx_clk;
    assign {tx_clk, rx_clk} = (e == 0) ? {a_phy_clk_i, b_phy_clk_i} : {b_phy_clk_i, a_phy_clk_i};

    // ---- The line from this end ----
    logic [FecLanes-1:0][Width-1:0] past[Keeps];
    logic [5:0] now_q = '0;
    always_ff @(posedge tx_clk) begin
      past[now_q] <= sent[e];
      now_q <= now_q + 1'b1;
    end
    for (genvar p = 0; p < FecLanes; p++) begin : gen_lane
      logic [5:0] at;
      logic [2*Width-1:0] two;
      assign at  = now_q - 6'd1 - delay_words_i[e][p];
      assign two = {past[at][from_i[e][p]], past[at-6'd1][from_i[e][p]]};
      logic [Width-1:0] out_q;
      assign heard[e][p] = out_q;
      always_ff @(posedge tx_clk) begin
        out_q <= signal_i[e][p] ? Width'(two >> (7'(Width) - delay_bits_i[e][p])) ^
            {Width{invert_i[e][p]}} ^ noise_i[e][p] : '0;
      end
    end

    logic [127:0] unused_opcode, unused_remote;
    logic [ 15:0] unused_pause;
    logic [N-1:0] unused_local;
    logic tx_late, rx_lost;
    logic unused_opcode_valid, unused_opcode_ready, unused_reset_rx, unused_irq;
    logic [2:0] unused_loopback;
    logic [3:0] unused_rx_polarity, unused_tx_polarity;
    logic [3:0][4:0] unused_diff, unused_pre, unused_post;

    htsp_100g #(
      .Channels   (N),
      .TxDepth    (8),
      .RxDepth    (1024),
      .LocalMac   (48'h0102_0356_4400 + 48'(e)),
      .TestTraffic(1'b0),
      .Fec        (Fec),
      .StartWords (StartWords),
      .Period     (Period),
      .BerWindow  (2000),
      .SerWindow  (40),
      .SerLimit   (60),
      .SerHold    (500)
    ) u_end (
      .clk_i,
      .arst_i           (arst_i[e]),
      .rst_o            (rst_o[e]),
      .s_axis_tdata     (s_axis_tdata[N*e+:N]),
      .s_axis_tkeep     (s_axis_tkeep[N*e+:N]),
      .s_axis_tlast     (s_axis_tlast[N*e+:N]),
      .s_axis_tuser     (s_axis_tuser[N*e+:N]),
      .s_axis_tvalid    (s_axis_tvalid[N*e+:N]),
      .s_axis_tready    (s_axis_tready[N*e+:N]),
      .m_axis_tdata     (m_axis_tdata[N*e+:N]),
      .m_axis_tkeep     (m_axis_tkeep[N*e+:N]),
      .m_axis_tlast     (m_axis_tlast[N*e+:N]),
      .m_axis_tuser     (m_axis_tuser[N*e+:N]),
      .m_axis_tvalid    (m_axis_tvalid[N*e+:N]),
      .m_axis_tready    (m_axis_tready[N*e+:N]),
      .s_opcode_tdata   ('0),
      .s_opcode_tvalid  (1'b0),
      .s_opcode_tready  (unused_opcode_ready),
      .m_opcode_tdata   (unused_opcode),
      .m_opcode_tvalid  (unused_opcode_valid),
      .link_up_o        (link_up_o[e]),
      .remote_ready_o   (remote_ready_o[e]),
      .remote_data_o    (unused_remote),
      .remote_pause_o   (unused_pause),
      .local_pause_o    (unused_local),
      .phy_arst_i       (phy_arst_i[e]),
      .phy_tx_clk_i     (tx_clk),
      .phy_tx_data_o    (sent[e]),
      .tx_late_o        (tx_late),
      .phy_rx_clk_i     (rx_clk),
      .phy_rx_signal_i  (signal_i[1-e]),
      .phy_rx_data_i    (heard[1-e]),
      .pcs_state_o      (pcs_state_o[e]),
      .pcs_lane_o       (pcs_lane_o[e]),
      .rx_lost_o        (rx_lost),
      .phy_loopback_o   (unused_loopback),
      .phy_reset_rx_o   (unused_reset_rx),
      .phy_rx_polarity_o(unused_rx_polarity),
      .phy_tx_polarity_o(unused_tx_polarity),
      .phy_lane_diff_o  (unused_diff),
      .phy_lane_pre_o   (unused_pre),
      .phy_lane_post_o  (unused_post),
      .axil_clk_i,
      .axil_arst_i,
      .s_axil_awaddr    (m_axil_awaddr),
      .s_axil_awprot    (m_axil_awprot),
      .s_axil_awvalid   (m_axil_awvalid[e]),
      .s_axil_awready   (m_axil_awready[e]),
      .s_axil_wdata     (m_axil_wdata),
      .s_axil_wstrb     (m_axil_wstrb),
      .s_axil_wvalid    (m_axil_wvalid[e]),
      .s_axil_wready    (m_axil_wready[e]),
      .s_axil_bresp     (m_axil_bresp[e]),
      .s_axil_bvalid    (m_axil_bvalid[e]),
      .s_axil_bready    (m_axil_bready[e]),
      .s_axil_araddr    (m_axil_araddr),
      .s_axil_arprot    (m_axil_arprot),
      .s_axil_arvalid   (m_axil_arvalid[e]),
      .s_axil_arready   (m_axil_arready[e]),
      .s_axil_rdata     (m_axil_rdata[e]),
      .s_axil_rresp     (m_axil_rresp[e]),
      .s_axil_rvalid    (m_axil_rvalid[e]),
      .s_axil_rready    (m_axil_rready[e]),
      .irq_o            (unused_irq)
    );

    logic [15:0] late_q, no_room_q, lost_q;
    initial {late_q, no_room_q, lost_q} = '0;
    always_ff @(posedge tx_clk) if (!phy_arst_i[e]) late_q <= late_q + 16'(tx_late);
    always_ff @(posedge rx_clk) if (!phy_arst_i[e]) no_room_q <= no_room_q + 16'(rx_lost);
    always_ff @(posedge clk_i) if (!rst_o[e]) lost_q <= lost_q + 16'(u_end.u_htsp.faults.lost);
    assign late_o[e] = late_q;
    assign no_room_o[e] = no_room_q;
    assign frames_lost_o[e] = lost_q;

    // ---- Where a frame is ----
    assign tap_o[e][0] = u_end.user_tx_tvalid && u_end.user_tx_tready;
    assign tap_o[e][1] = u_end.tx_tvalid && u_end.tx_tready;
    assign tap_o[e][2] = u_end.u_line.cgmii_tx_ready && starts(
        u_end.u_line.cgmii_tx_data, u_end.u_line.cgmii_tx_ctrl
    );
    assign tap_o[e][3] = u_end.u_line.cgmii_rx_valid && starts(
        u_end.u_line.cgmii_rx_data, u_end.u_line.cgmii_rx_ctrl
    );
    assign tap_o[e][4] = u_end.rx_tvalid;
    assign tap_o[e][5] = u_end.user_rx_tvalid;
  end

endmodule
