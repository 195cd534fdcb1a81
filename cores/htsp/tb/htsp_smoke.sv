// SPDX-License-Identifier: Apache-2.0
//
// htsp_smoke: the target sim of this core. Two ends of a link back to back, and a third one whose
// transmitter feeds its own receiver: packets of all channels of all ends, with pauses of the line
// and of the receivers, arrive whole, once and in the order of their channel.
//
// The modules have their default parameters: four channels, words of 64 bytes. Written so that
// Icarus Verilog reads it, too.

module htsp_smoke;

  localparam integer Ends = 3;
  localparam integer Packets = 8;
  localparam integer Channels = 4;
  localparam integer Bytes = 64;

  logic clk, rst;
  initial begin
    clk = 1'b0;
    rst = 1'b1;
    #3000 rst = 1'b0;
  end
  always #50 clk = !clk;

  // Users are in reset before there was a clock.
  logic [Ends-1:0] user_rst;
  initial #1 if (user_rst !== {Ends{1'b1}}) $fatal(1, "FAIL: users start with reset %b", user_rst);

  logic [Ends-1:0] link_up, remote_ready;
  logic [8*Bytes-1:0] line_tdata[Ends];
  logic [  Bytes-1:0] line_tkeep[Ends];
  logic [Ends-1:0] line_tlast, line_tvalid;
  logic [Ends*Channels-1:0] done;

  for (genvar e = 0; e < Ends; e++) begin : gen_end
    localparam integer Peer = e == 2 ? 2 : 1 - e;
    logic [8*Bytes-1:0] phy_tdata;
    logic [  Bytes-1:0] phy_tkeep;
    logic phy_tlast, phy_tvalid, phy_tready;
    logic [Channels*8*Bytes-1:0] s_tdata, m_tdata;
    logic [Channels*Bytes-1:0] s_tkeep, m_tkeep;
    logic [Channels-1:0] s_tlast, s_tvalid, s_tready, m_tlast, m_tuser, m_tvalid, m_tready;

    htsp u_htsp (
      .clk_i            (clk),
      .arst_i           (rst),
      .rst_o            (user_rst[e]),
      .s_axis_tdata     (s_tdata),
      .s_axis_tkeep     (s_tkeep),
      .s_axis_tlast     (s_tlast),
      .s_axis_tuser     ({Channels{1'b0}}),
      .s_axis_tvalid    (s_tvalid),
      .s_axis_tready    (s_tready),
      .m_axis_tdata     (m_tdata),
      .m_axis_tkeep     (m_tkeep),
      .m_axis_tlast     (m_tlast),
      .m_axis_tuser     (m_tuser),
      .m_axis_tvalid    (m_tvalid),
      .m_axis_tready    (m_tready),
      .s_opcode_tdata   (128'd0),
      .s_opcode_tvalid  (1'b0),
      .s_opcode_tready  (),
      .m_opcode_tdata   (),
      .m_opcode_tvalid  (),
      .link_up_o        (link_up[e]),
      .remote_ready_o   (remote_ready[e]),
      .remote_data_o    (),
      .remote_pause_o   (),
      .local_pause_o    (),
      .phy_tx_ready_i   (1'b1),
      .m_phy_axis_tdata (phy_tdata),
      .m_phy_axis_tkeep (phy_tkeep),
      .m_phy_axis_tlast (phy_tlast),
      .m_phy_axis_tvalid(phy_tvalid),
      .m_phy_axis_tready(phy_tready),
      .phy_rx_ready_i   (1'b1),
      .s_phy_axis_tdata (line_tdata[Peer]),
      .s_phy_axis_tkeep (line_tkeep[Peer]),
      .s_phy_axis_tlast (line_tlast[Peer]),
      .s_phy_axis_tuser (1'b0),
      .s_phy_axis_tvalid(line_tvalid[Peer]),
      .fec_corrected_i  (1'b0),
      .fec_uncorrected_i(1'b0),
      .phy_loopback_o   (),
      .phy_reset_rx_o   (),
      .phy_rx_polarity_o(),
      .phy_tx_polarity_o(),
      .phy_lane_diff_o  (),
      .phy_lane_pre_o   (),
      .phy_lane_post_o  (),
      .axil_clk_i       (clk),
      .axil_arst_i      (rst),
      .s_axil_awaddr    (13'd0),
      .s_axil_awprot    (3'd0),
      .s_axil_awvalid   (1'b0),
      .s_axil_awready   (),
      .s_axil_wdata     (32'd0),
      .s_axil_wstrb     (4'd0),
      .s_axil_wvalid    (1'b0),
      .s_axil_wready    (),
      .s_axil_bresp     (),
      .s_axil_bvalid    (),
      .s_axil_bready    (1'b1),
      .s_axil_araddr    (13'd0),
      .s_axil_arprot    (3'd0),
      .s_axil_arvalid   (1'b0),
      .s_axil_arready   (),
      .s_axil_rdata     (),
      .s_axil_rresp     (),
      .s_axil_rvalid    (),
      .s_axil_rready    (1'b1),
      .irq_o            ()
    );

    // ---- The line: one register ----
    always @(posedge clk) begin
      phy_tready     <= $urandom % 8 != 0;
      line_tdata[e]  <= phy_tdata;
      line_tkeep[e]  <= phy_tkeep;
      line_tlast[e]  <= phy_tlast;
      line_tvalid[e] <= !rst && phy_tvalid && phy_tready;
    end

    for (genvar v = 0; v < Channels; v++) begin : gen_channel
      // ---- Packets: number n has 1 + v + 37 n modulo 800 bytes, byte k of it is n + 7 k + v ----
      integer tx_number, tx_at, tx_length, b;
      always_comb begin
        tx_length  = 1 + v + tx_number * 37 % 800;
        s_tlast[v] = tx_length - tx_at <= Bytes;
        for (b = 0; b < Bytes; b = b + 1) begin
          s_tkeep[Bytes*v+b] = tx_at + b < tx_length;
          s_tdata[8*(Bytes*v+b)+:8] = 8'(tx_number + v + 7 * (tx_at + b));
        end
      end

      always @(posedge clk) begin
        if (rst) begin
          tx_number   <= 0;
          tx_at       <= 0;
          s_tvalid[v] <= 1'b0;
        end else if (!s_tvalid[v]) s_tvalid[v] <= tx_number < Packets && $urandom % 4 != 0;
        else if (s_tready[v]) begin
          tx_at       <= s_tlast[v] ? 0 : tx_at + Bytes;
          s_tvalid[v] <= !s_tlast[v] && $urandom % 4 != 0;
          if (s_tlast[v]) tx_number <= tx_number + 1;
        end
      end

      // ---- What arrives ----
      integer number, at, c;
      logic wrong;
      always @(posedge clk) begin
        if (rst) begin
          number = 0;
          at     = 0;
          wrong  = 1'b0;
          m_tready[v] <= 1'b0;
          done[Channels*e+v] = 1'b0;
        end else begin
          m_tready[v] <= $urandom % 4 != 0;
          if (m_tvalid[v] !== 1'b0 && m_tready[v]) begin
            for (c = 0; c < Bytes; c = c + 1)
            if (m_tkeep[Bytes*v+c] !== 1'b0) begin
              wrong = wrong || m_tdata[8*(Bytes*v+c)+:8] !== 8'(number + v + 7 * at);
              at    = at + 1;
            end
            if (m_tlast[v] !== 1'b0) begin
              if (wrong || m_tuser[v] !== 1'b0 || at != 1 + v + number * 37 % 800)
                $fatal(1, "FAIL: end %0d, channel %0d, packet %0d of %0d bytes", e, v, number, at);
              number = number + 1;
              at     = 0;
              if (number == Packets) done[Channels*e+v] = 1'b1;
            end
          end
        end
      end
    end
  end

  always @(posedge clk)
    if (!rst && done == {Ends * Channels{1'b1}}) begin
      if (link_up !== {Ends{1'b1}} || remote_ready !== {Ends{1'b1}})
        $fatal(1, "FAIL: the link is not up");
      $display("PASS: %0d packets of each channel each way", Packets);
      $finish;
    end

  initial #2_000_000 $fatal(1, "FAIL: done %b, link %b", done, link_up);

endmodule
