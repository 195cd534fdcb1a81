// SPDX-License-Identifier: Apache-2.0
//
// htsp_100g_smoke: the target sim of this core. Frames of any length through the FIFO between the
// clocks, from the faster one to the slower one and back: whole, in order, without a gap.
//
// The modules have their default parameters; with those, markers of the PCS are too far apart for
// a bring-up here. Written so that Icarus Verilog reads it, too.

module htsp_100g_smoke #(
  parameter integer Frames = 40
);

  localparam integer Bytes = 64;

  logic user_clk, line_clk, rst;
  initial begin
    user_clk = 1'b0;
    line_clk = 1'b0;
    rst = 1'b1;
    #3000 rst = 1'b0;
  end
  always #31 user_clk = !user_clk;
  always #50 line_clk = !line_clk;

  logic held_s, clear_s, held_m, clear_m;
  prim_clear u_clear (
    .a_clk_i  (user_clk),
    .a_rst_i  (rst),
    .a_rst_o  (held_s),
    .a_clear_o(clear_s),
    .b_clk_i  (line_clk),
    .b_rst_i  (rst),
    .b_rst_o  (held_m),
    .b_clear_o(clear_m)
  );

  // ---- Frame n has 1 + n % 7 words, which say frame and place ----
  integer frame, place;
  logic [8*Bytes-1:0] s_data, m_data;
  logic [Bytes-1:0] m_keep;
  logic s_valid, s_last, s_ready, s_lost, m_valid, m_last, m_user;
  assign s_data  = {16{16'(frame), 16'(place)}};
  assign s_last  = place == frame % 7;
  assign s_valid = !rst && frame < Frames;
  always @(posedge user_clk) begin
    if (rst) begin
      frame <= 0;
      place <= 0;
    end else if (s_valid && s_ready) begin
      frame <= s_last ? frame + 1 : frame;
      place <= s_last ? 0 : place + 1;
    end
  end

  htsp_100g_fifo u_fifo (
    .s_clk_i      (user_clk),
    .s_rst_i      (rst),
    .s_held_i     (held_s),
    .s_clear_i    (clear_s),
    .s_axis_tdata (s_data),
    .s_axis_tkeep ({Bytes{1'b1}}),
    .s_axis_tlast (s_last),
    .s_axis_tuser (1'b0),
    .s_axis_tvalid(s_valid),
    .s_axis_tready(s_ready),
    .s_lost_o     (s_lost),
    .m_clk_i      (line_clk),
    .m_rst_i      (rst),
    .m_held_i     (held_m),
    .m_axis_tdata (m_data),
    .m_axis_tkeep (m_keep),
    .m_axis_tlast (m_last),
    .m_axis_tuser (m_user),
    .m_axis_tvalid(m_valid),
    .m_axis_tready(1'b1)
  );

  integer got, at;
  logic as_sent;
  assign as_sent = m_data === {16{16'(got), 16'(at)}} && m_last === (at == got % 7);
  always @(posedge line_clk) begin
    if (rst) begin
      got <= 0;
      at  <= 0;
    end else if (m_valid) begin
      if (!as_sent || m_keep !== {Bytes{1'b1}} || m_user !== 1'b0) begin
        $display("FAIL: frame %0d, word %0d", got, at);
        $fatal;
      end
      got <= m_last ? got + 1 : got;
      at  <= m_last ? 0 : at + 1;
      if (m_last && got == Frames - 1) begin
        $display("PASS: %0d frames", Frames);
        $finish;
      end
    end else if (at != 0) begin
      $display("FAIL: gap in frame %0d", got);
      $fatal;
    end
  end

  initial begin
    #2000000 $display("FAIL: no end");
    $fatal;
  end

endmodule
