// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_notice: reports that something has happened in another clock domain.
//
// What      prim_sync_pulse behind a flip-flop that remembers. Events closer together than a
//           crossing takes are reported as one.
// Why       What sets a sticky bit must not be missed, however short or frequent it is.
// Contract  After every src_clk_i edge with src_event_i = 1 a dst_pulse_o of one dst_clk_i cycle
//           follows; one pulse may stand for several events. Without an event there is none.
// Resets    As prim_sync_pulse: src_rst_i is a_clear_o of a prim_clear, dst_rst_i its b_rst_o.
//           Events not reported before a reset of either side are never reported.
// Latency   The pulse comes at most 6 dst_clk_i and 5 src_clk_i edges after the event.

module prim_sync_notice (
  input  logic src_clk_i,
  input  logic src_rst_i,
  input  logic src_event_i,
  input  logic dst_clk_i,
  input  logic dst_rst_i,
  output logic dst_pulse_o
);

  logic waiting_q, busy;

  always_ff @(posedge src_clk_i) begin
    if (src_rst_i) waiting_q <= 1'b0;
    else if (src_event_i) waiting_q <= 1'b1;
    else if (!busy) waiting_q <= 1'b0;
  end

  prim_sync_pulse u_pulse (
    .src_clk_i  (src_clk_i),
    .src_rst_i  (src_rst_i),
    .src_pulse_i(waiting_q),
    .src_busy_o (busy),
    .dst_clk_i  (dst_clk_i),
    .dst_rst_i  (dst_rst_i),
    .dst_pulse_o(dst_pulse_o)
  );

endmodule
