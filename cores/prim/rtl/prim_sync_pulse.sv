// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_pulse: carries single-cycle pulses between unrelated clocks by a toggle handshake.
//
// What      Each accepted src_pulse_i (one src_clk_i cycle) gives exactly one dst_pulse_o (one
//           dst_clk_i cycle), at any ratio of the clocks.
// Why       Events such as "clear the counters" must be neither lost nor doubled in a crossing.
// Contract  A pulse is accepted on a src_clk_i edge with src_pulse_i = 1 and src_busy_o = 0. A
//           pulse while src_busy_o = 1 is REFUSED: it has no effect, now or later.
// Resets    One prim_clear resets both sides, a being the src side: src_rst_i is its a_clear_o,
//           dst_rst_i its b_rst_o. No pulse accepted before a reset of either side comes out after
//           it. If the src side alone is reset, a pulse may come out that was never given; if the
//           dst side alone, one may come again.
// Latency   dst_pulse_o stands in the cycle after the 2nd (3rd) dst_clk_i edge that follows the
//           accepting edge. Busy lasts from the accepting edge until 2 (3) dst_clk_i plus 2 (3)
//           src_clk_i edges later.

module prim_sync_pulse (
  input  logic src_clk_i,
  input  logic src_rst_i,
  input  logic src_pulse_i,
  output logic src_busy_o,
  input  logic dst_clk_i,
  input  logic dst_rst_i,
  output logic dst_pulse_o
);

  logic src_toggle_q;
  logic src_ack;
  logic dst_toggle;
  logic dst_toggle_q;

  // Busy until the toggle has come back.
  assign src_busy_o = src_toggle_q != src_ack;

  always_ff @(posedge src_clk_i) begin
    if (src_rst_i) src_toggle_q <= 1'b0;
    else if (src_pulse_i && !src_busy_o) src_toggle_q <= !src_toggle_q;
  end

  prim_sync_bit u_sync_dst (
    .clk_i(dst_clk_i),
    .rst_i(dst_rst_i),
    .d_i  (src_toggle_q),
    .q_o  (dst_toggle)
  );

  always_ff @(posedge dst_clk_i) begin
    if (dst_rst_i) dst_toggle_q <= 1'b0;
    else dst_toggle_q <= dst_toggle;
  end

  assign dst_pulse_o = dst_toggle != dst_toggle_q;

  // The acknowledge is the registered toggle: it travels back only after the pulse was shown.
  prim_sync_bit u_sync_src (
    .clk_i(src_clk_i),
    .rst_i(src_rst_i),
    .d_i  (dst_toggle_q),
    .q_o  (src_ack)
  );

endmodule
