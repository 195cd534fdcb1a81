// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_count: events of one clock domain as increments in another; none lost, none doubled.
//
// What      prim_sync_gray, and the difference from one dst_clk_i cycle to the next.
// Why       Counters live in one domain; what they count happens in several.
// Contract  src_inc_i = 1 on a src_clk_i edge is one event. The sum of dst_inc_o over all dst_clk_i
//           cycles is the number of events, as long as fewer than 2^Width happen in a dst_clk_i
//           period (while dst_clk_i stands still they are counted modulo 2^Width).
// Resets    One prim_clear resets both sides, a being the src side: src_rst_i is its a_clear_o,
//           dst_rst_i its b_rst_o. Events that did not arrive before a reset of either side are
//           lost. If one side alone is reset, dst_inc_o shows events that never were.
// Latency   2 (3) dst_clk_i edges.
//
// Parameters
//   Width   bits of the increment, >= 2

module prim_sync_count #(
  parameter int unsigned Width = 2
) (
  input  logic             src_clk_i,
  input  logic             src_rst_i,
  input  logic             src_inc_i,
  input  logic             dst_clk_i,
  input  logic             dst_rst_i,
  output logic [Width-1:0] dst_inc_o
);

  logic [Width-1:0] count, count_q;

  prim_sync_gray #(
    .Width(Width)
  ) u_count (
    .src_clk_i  (src_clk_i),
    .src_rst_i  (src_rst_i),
    .src_inc_i  (src_inc_i),
    .dst_clk_i  (dst_clk_i),
    .dst_rst_i  (dst_rst_i),
    .dst_count_o(count)
  );

  always_ff @(posedge dst_clk_i) begin
    if (dst_rst_i) count_q <= '0;
    else count_q <= count;
  end

  assign dst_inc_o = count - count_q;

endmodule
