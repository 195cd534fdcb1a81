// SPDX-License-Identifier: Apache-2.0
//
// rifl_smoke: the target sim of this core. Two ends of a link back to back, whose clocks differ by
// 200 ppm and whose lane has wrong bits: packets of both directions, with pauses of the receivers,
// arrive whole, once and in order.
//
// The modules have their default parameters: one lane, frames and users of 256 bits, extended mode.
// Written so that Icarus Verilog reads it, too.

module rifl_smoke;

  localparam integer Packets = 40;
  localparam integer Bytes = 32;

  logic rst;
  initial begin
    rst = 1'b1;
    #400_000 rst = 1'b0;
  end

  logic [1:0] word_clk, link_up;
  integer done[2];

  logic [127:0] line;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    // The user's clock is the frame clock, a quarter of the word clock, with edges at the same
    // time.
    logic   user_clk;
    integer phase;
    initial begin
      word_clk[e] = 1'b0;
      user_clk    = 1'b0;
      phase       = 0;
    end
    always begin
      #(5000 + e) word_clk[e] = !word_clk[e];
      phase = (phase + 1) % 8;
      if (phase % 4 == 1) user_clk = !user_clk;
    end

    logic [63:0] tx_data, sent;
    integer flipped;
    logic [8*Bytes-1:0] s_tdata, m_tdata;
    logic [Bytes-1:0] s_tkeep, m_tkeep;
    logic s_tlast, s_tvalid, s_tready, m_tlast, m_tuser, m_tvalid, m_tready;

    rifl u_rifl (
      .phy_tx_clk_i  (word_clk[e]),
      .frame_clk_i   (user_clk),
      .user_clk_i    (user_clk),
      .phy_rx_clk_i  (word_clk[1-e]),
      .arst_i        (rst),
      .user_arst_i   (rst),
      .user_rst_o    (),
      .session_seed_i(16'd1),
      .phy_tx_data_o (tx_data),
      .phy_rx_data_i (line[64*(1-e)+:64]),
      .phy_rx_bad_i  (1'b0),
      .phy_loopback_o(),
      .s_axis_tdata  (s_tdata),
      .s_axis_tkeep  (s_tkeep),
      .s_axis_tlast  (s_tlast),
      .s_axis_tvalid (s_tvalid),
      .s_axis_tready (s_tready),
      .m_axis_tdata  (m_tdata),
      .m_axis_tkeep  (m_tkeep),
      .m_axis_tlast  (m_tlast),
      .m_axis_tuser  (m_tuser),
      .m_axis_tvalid (m_tvalid),
      .m_axis_tready (m_tready),
      .link_up_o     (link_up[e]),
      .axil_clk_i    (user_clk),
      .axil_arst_i   (rst),
      .s_axil_awaddr (12'd0),
      .s_axil_awprot (3'd0),
      .s_axil_awvalid(1'b0),
      .s_axil_awready(),
      .s_axil_wdata  (32'd0),
      .s_axil_wstrb  (4'd0),
      .s_axil_wvalid (1'b0),
      .s_axil_wready (),
      .s_axil_bresp  (),
      .s_axil_bvalid (),
      .s_axil_bready (1'b1),
      .s_axil_araddr (12'd0),
      .s_axil_arprot (3'd0),
      .s_axil_arvalid(1'b0),
      .s_axil_arready(),
      .s_axil_rdata  (),
      .s_axil_rresp  (),
      .s_axil_rvalid (),
      .s_axil_rready (1'b1),
      .irq_o         ()
    );

    // ---- The lane to the other end: two words long, and about one word in 100 has a wrong bit
    // ----
    assign line[64*e+:64] = sent;
    always @(posedge word_clk[e]) begin
      sent <= tx_data;
      if (rst) flipped <= 0;
      else if (link_up == 2'b11 && $urandom % 100 == 0) begin
        sent <= tx_data ^ (64'd1 << $urandom % 64);
        flipped <= flipped + 1;
      end
    end

    // ---- Packets: number n has 1 + 37 n modulo 400 bytes, byte k of it is n + 7 k ----
    integer tx_number, tx_at, tx_length, b;
    always_comb begin
      tx_length = 1 + tx_number * 37 % 400;
      s_tlast   = tx_length - tx_at <= Bytes;
      for (b = 0; b < Bytes; b = b + 1) begin
        s_tkeep[b]      = tx_at + b < tx_length;
        s_tdata[8*b+:8] = 8'(tx_number + 7 * (tx_at + b));
      end
    end

    always @(posedge user_clk) begin
      if (rst) begin
        tx_number <= 0;
        tx_at     <= 0;
        s_tvalid  <= 1'b0;
      end else if (!s_tvalid) s_tvalid <= tx_number < Packets && $urandom % 4 != 0;
      else if (s_tready) begin
        tx_at    <= s_tlast ? 0 : tx_at + Bytes;
        s_tvalid <= !s_tlast && $urandom % 4 != 0;
        if (s_tlast) tx_number <= tx_number + 1;
      end
    end

    // ---- What arrives ----
    integer number, at, c;
    logic wrong;
    always @(posedge user_clk) begin
      if (rst) begin
        number = 0;
        at     = 0;
        wrong  = 1'b0;
        m_tready <= 1'b0;
        done[e] = 0;
      end else begin
        m_tready <= $urandom % 4 != 0;
        if (m_tvalid !== 1'b0 && m_tready) begin
          for (c = 0; c < Bytes; c = c + 1)
          if (m_tkeep[c] !== 1'b0) begin
            wrong = wrong || m_tdata[8*c+:8] !== 8'(number + 7 * at);
            at    = at + 1;
          end
          if (m_tlast !== 1'b0) begin
            if (wrong || m_tuser !== 1'b0 || m_tlast !== 1'b1 || at != 1 + number * 37 % 400)
              $fatal(1, "FAIL: end %0d, packet %0d of %0d bytes", e, number, at);
            number  = number + 1;
            at      = 0;
            done[e] = number;
          end
        end
      end
    end
  end

  always @(posedge word_clk[0])
    if (!rst && done[0] == Packets && done[1] == Packets) begin
      if (gen_end[0].flipped + gen_end[1].flipped == 0 || link_up !== 2'b11)
        $fatal(1, "FAIL: there was no wrong bit, or the link is %b", link_up);
      $display("PASS: %0d packets each way", Packets);
      $finish;
    end

  initial #400_000_000 $fatal(1, "FAIL: %0d and %0d packets, link %b", done[0], done[1], link_up);

endmodule
