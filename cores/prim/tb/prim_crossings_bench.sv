// SPDX-License-Identifier: Apache-2.0
//
// prim_crossings_bench: the crossings that one prim_clear serves, from side a to side b, with a
// reset for each side that belongs to no clock.

module prim_crossings_bench #(
  parameter int unsigned Width = 8
) (
  input  logic             a_clk_i,
  input  logic             a_arst_i,
  output logic             a_rst_o,
  input  logic             pulse_i,
  output logic             busy_o,
  input  logic             event_i,
  input  logic             inc_i,
  input  logic             b_clk_i,
  input  logic             b_arst_i,
  output logic             b_rst_o,
  output logic             pulse_o,
  output logic             notice_o,
  output logic [Width-1:0] inc_o
);

  logic a_rst, a_clear, b_rst, b_clear, unused;
  assign unused = b_clear;

  prim_sync_reset u_a_rst (
    .clk_i (a_clk_i),
    .arst_i(a_arst_i),
    .rst_o (a_rst)
  );
  prim_sync_reset u_b_rst (
    .clk_i (b_clk_i),
    .arst_i(b_arst_i),
    .rst_o (b_rst)
  );

  prim_clear u_clear (
    .a_clk_i  (a_clk_i),
    .a_rst_i  (a_rst),
    .a_rst_o  (a_rst_o),
    .a_clear_o(a_clear),
    .b_clk_i  (b_clk_i),
    .b_rst_i  (b_rst),
    .b_rst_o  (b_rst_o),
    .b_clear_o(b_clear)
  );

  prim_sync_pulse u_pulse (
    .src_clk_i  (a_clk_i),
    .src_rst_i  (a_clear),
    .src_pulse_i(pulse_i),
    .src_busy_o (busy_o),
    .dst_clk_i  (b_clk_i),
    .dst_rst_i  (b_rst_o),
    .dst_pulse_o(pulse_o)
  );

  prim_sync_notice u_notice (
    .src_clk_i  (a_clk_i),
    .src_rst_i  (a_clear),
    .src_event_i(event_i),
    .dst_clk_i  (b_clk_i),
    .dst_rst_i  (b_rst_o),
    .dst_pulse_o(notice_o)
  );

  prim_sync_count #(
    .Width(Width)
  ) u_count (
    .src_clk_i(a_clk_i),
    .src_rst_i(a_clear),
    .src_inc_i(inc_i),
    .dst_clk_i(b_clk_i),
    .dst_rst_i(b_rst_o),
    .dst_inc_o(inc_o)
  );

endmodule
