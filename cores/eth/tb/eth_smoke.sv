// SPDX-License-Identifier: Apache-2.0
//
// eth_smoke: the target sim of this core. Two MACs back to back, with unrelated clocks at either
// end. Packets of 60 bytes and more go both ways and arrive whole and in order; those in which a
// bit of the line is flipped arrive marked, or not.
//
// The modules have their default parameters. Written so that Icarus Verilog reads it, too.

module eth_smoke #(
  parameter integer Packets = 100
);

  localparam integer Bytes = 64;

  logic [1:0] clk, rst;
  initial begin
    clk = 2'b00;
    rst = 2'b11;
    #3000 rst = 2'b00;
  end
  always #50 clk[0] = !clk[0];
  always #51 clk[1] = !clk[1];

  logic [1:0] done;
  logic [2*8*Bytes-1:0] line_data;
  logic [2*Bytes-1:0] line_ctrl;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    logic [8*Bytes-1:0] s_tdata, m_tdata, tx_data, flip;
    logic [Bytes-1:0] s_tkeep, m_tkeep, tx_ctrl;
    logic s_tlast, s_tvalid, s_tready, m_tlast, m_tuser, m_tvalid;
    logic [3:0] damage;

    eth_mac u_mac (
      .tx_clk_i         (clk[e]),
      .tx_rst_i         (rst[e]),
      .rx_clk_i         (clk[1-e]),
      .rx_rst_i         (rst[1-e]),
      .tx_max_bytes_i   (16'd1518),
      .rx_max_bytes_i   (16'd1518),
      .s_axis_tdata     (s_tdata),
      .s_axis_tkeep     (s_tkeep),
      .s_axis_tlast     (s_tlast),
      .s_axis_tuser     (1'b0),
      .s_axis_tvalid    (s_tvalid),
      .s_axis_tready    (s_tready),
      .phy_tx_ready_i   (1'b1),
      .phy_tx_data_o    (tx_data),
      .phy_tx_ctrl_o    (tx_ctrl),
      .phy_rx_valid_i   (1'b1),
      .phy_rx_data_i    (line_data[8*Bytes*(1-e)+:8*Bytes]),
      .phy_rx_ctrl_i    (line_ctrl[Bytes*(1-e)+:Bytes]),
      .m_axis_tdata     (m_tdata),
      .m_axis_tkeep     (m_tkeep),
      .m_axis_tlast     (m_tlast),
      .m_axis_tuser     (m_tuser),
      .m_axis_tvalid    (m_tvalid),
      .tx_frame_o       (),
      .tx_frame_bytes_o (),
      .tx_abort_o       (),
      .tx_late_o        (),
      .tx_too_long_o    (),
      .tx_fault_o       (),
      .rx_local_fault_o (),
      .rx_remote_fault_o(),
      .rx_frame_o       (),
      .rx_frame_bytes_o (),
      .rx_cut_o         (),
      .rx_too_long_o    (),
      .rx_too_short_o   (),
      .rx_bad_fcs_o     (),
      .rx_fragment_o    (),
      .rx_lost_o        ()
    );

    // ---- Packets: number n has 60 + 37 n modulo 1000 bytes, byte k of it is n + 7 k ----
    // Of every eighth, from this end's number on, a bit in the second word is flipped on its way.
    integer tx_number, tx_at, tx_length, b;
    assign line_data[8*Bytes*e+:8*Bytes] = tx_data ^ flip;
    assign line_ctrl[Bytes*e+:Bytes]     = tx_ctrl;
    always_comb begin
      tx_length = 60 + tx_number * 37 % 1000;
      s_tlast   = tx_length - tx_at <= Bytes;
      for (b = 0; b < Bytes; b = b + 1) begin
        s_tkeep[b]      = tx_at + b < tx_length;
        s_tdata[8*b+:8] = 8'(tx_number + 7 * (tx_at + b));
      end
    end

    always @(posedge clk[e]) begin
      if (rst[e]) begin
        tx_number <= 0;
        tx_at     <= 0;
        s_tvalid  <= 1'b0;
      end else begin
        if (!s_tvalid) s_tvalid <= tx_number < Packets && $urandom % 4 != 0;
        else if (s_tready) begin
          tx_at <= s_tlast ? 0 : tx_at + Bytes;
          if (s_tlast) begin
            tx_number <= tx_number + 1;
            s_tvalid  <= 1'b0;
          end
        end
      end
      flip <= {8 * Bytes{1'b0}};
      // The first beat is on the line three cycles after it was taken, the second one cycle later.
      damage <= {
        damage[2:0], s_tvalid && s_tready && tx_at == 0 && tx_number % 8 == 3 && tx_length > 200
      };
      if (rst[e]) damage <= 4'd0;
      else if (damage[3]) flip[Bytes*4] <= 1'b1;
    end

    // ---- What arrives in the clock of the other end ----
    integer number, at, marked, c;
    logic wrong;
    initial done[e] = 1'b0;
    always @(posedge clk[1-e]) begin
      if (rst[1-e]) begin
        number = 0;
        at     = 0;
        marked = 0;
        wrong  = 1'b0;
      end else if (m_tvalid !== 1'b0) begin
        for (c = 0; c < Bytes; c = c + 1)
        if (m_tkeep[c] !== 1'b0) begin
          wrong = wrong || m_tdata[8*c+:8] !== 8'(number + 7 * at);
          at    = at + 1;
        end
        if (m_tlast) begin
          if (m_tuser === 1'b1) marked = marked + 1;
          if (m_tuser !== (number % 8 == 3 && 60 + number * 37 % 1000 > 200))
            $fatal(1, "FAIL: end %0d, packet %0d is marked %b", e, number, m_tuser);
          if (m_tuser === 1'b0 && (wrong || at != 60 + number * 37 % 1000))
            $fatal(1, "FAIL: end %0d, packet %0d of %0d bytes is damaged", e, number, at);
          number = number + 1;
          at     = 0;
          wrong  = 1'b0;
        end
        if (number == Packets) done[e] = 1'b1;
      end
    end
  end

  always @(posedge clk[0])
    if (done == 2'b11) begin
      if (gen_end[0].marked == 0 || gen_end[1].marked == 0) $fatal(1, "FAIL: none was damaged");
      $display("PASS: %0d packets each way, %0d marked", Packets, gen_end[0].marked);
      $finish;
    end

  initial #2_000_000 $fatal(1, "FAIL: %b are done", done);

endmodule
