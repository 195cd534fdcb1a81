// SPDX-License-Identifier: Apache-2.0
//
// htsp_100g_fifo_bench: htsp_100g_fifo with the prim_clear that it needs.

module htsp_100g_fifo_bench #(
  parameter int unsigned Bytes = 4,
  parameter int unsigned Depth = 16,
  parameter int unsigned StartWords = 4,
  parameter bit Held = 1'b1
) (
  input  logic               s_clk_i,
  input  logic               s_rst_i,
  input  logic [8*Bytes-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tuser,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,
  output logic               s_lost_o,
  input  logic               m_clk_i,
  input  logic               m_rst_i,
  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tuser,
  output logic               m_axis_tvalid,
  input  logic               m_axis_tready
);

  logic s_held, s_clear, m_held, m_clear, unused;
  assign unused = m_clear;

  prim_clear u_clear (
    .a_clk_i  (s_clk_i),
    .a_rst_i  (s_rst_i),
    .a_rst_o  (s_held),
    .a_clear_o(s_clear),
    .b_clk_i  (m_clk_i),
    .b_rst_i  (m_rst_i),
    .b_rst_o  (m_held),
    .b_clear_o(m_clear)
  );

  htsp_100g_fifo #(
    .Bytes     (Bytes),
    .Depth     (Depth),
    .StartWords(StartWords),
    .Held      (Held)
  ) u_fifo (
    .s_held_i (s_held),
    .s_clear_i(s_clear),
    .m_held_i (m_held),
    .*
  );

endmodule
