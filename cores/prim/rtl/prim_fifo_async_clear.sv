// SPDX-License-Identifier: Apache-2.0
//
// prim_fifo_async_clear: dual-clock FIFO whose sides may be reset each on its own.
//
// What      prim_fifo_async and prim_clear in one.
// Why       A crossing that stands alone. Where several join the same two clocks, one prim_clear
//           and several prim_fifo_async are smaller.
// Contract  Words move as in prim_fifo_async. After s_rst_i or m_rst_i of one cycle or more the
//           FIFO is empty on both sides: no word accepted before is offered after. Words that the s
//           side still accepts until it learns of a reset of the m side are lost with the others.
//           s_rst_o = 1: nothing is accepted; s_rst_o rises one s_clk_i edge after s_rst_i or when
//           the m side was reset, and every word accepted before may be lost.
//           m_rst_o = 1: nothing is offered; an offer is withdrawn when it rises.
// Clocks and resets
//           Each reset is synchronous to its clock. A clock that stands still keeps the other side
//           in reset if one was given, and does no other harm. m_sync_clk_i: see prim_fifo_async.
// Latency   prim_fifo_async; a reset takes as long as in prim_clear.
//
// Parameters
//   Width   bits of a word, >= 1
//   Depth   capacity in words, a power of two, >= 4

module prim_fifo_async_clear #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16
) (
  input  logic             s_clk_i,
  input  logic             s_rst_i,
  output logic             s_rst_o,
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  input  logic             m_clk_i,
  input  logic             m_sync_clk_i,
  input  logic             m_rst_i,
  output logic             m_rst_o,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o
);

  logic s_clear, m_clear, s_ready, s_open, m_valid, unused;
  assign unused = m_clear;  // what m sends back, its read pointer, may jump at any time

  prim_clear u_clear (
    .a_clk_i  (s_clk_i),
    .a_rst_i  (s_rst_i),
    .a_rst_o  (s_rst_o),
    .a_clear_o(s_clear),
    .b_clk_i  (m_clk_i),
    .b_rst_i  (m_rst_i),
    .b_rst_o  (m_rst_o),
    .b_clear_o(m_clear)
  );

  assign s_open = !s_rst_i && !s_rst_o;
  assign s_ready_o = s_ready && s_open;
  assign m_valid_o = m_valid && !m_rst_i;

  prim_fifo_async #(
    .Width(Width),
    .Depth(Depth)
  ) u_fifo (
    .s_clk_i     (s_clk_i),
    .s_rst_i     (s_clear),
    .s_valid_i   (s_valid_i && s_open),
    .s_ready_o   (s_ready),
    .s_data_i    (s_data_i),
    .m_clk_i     (m_clk_i),
    .m_sync_clk_i(m_sync_clk_i),
    .m_rst_i     (m_rst_o),
    .m_valid_o   (m_valid),
    .m_ready_i   (m_ready_i),
    .m_data_o    (m_data_o)
  );

endmodule
