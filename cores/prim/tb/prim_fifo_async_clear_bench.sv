// SPDX-License-Identifier: Apache-2.0
//
// prim_fifo_async_clear_bench: the FIFO with a reset for each side that belongs to no clock.

module prim_fifo_async_clear_bench #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 8
) (
  input  logic             s_clk_i,
  input  logic             s_arst_i,
  output logic             s_rst_o,
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  input  logic             m_clk_i,
  input  logic             m_sync_clk_i,
  input  logic             m_arst_i,
  output logic             m_rst_o,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o
);

  logic s_rst, m_rst;

  prim_sync_reset u_s_rst (
    .clk_i (s_clk_i),
    .arst_i(s_arst_i),
    .rst_o (s_rst)
  );
  prim_sync_reset u_m_rst (
    .clk_i (m_clk_i),
    .arst_i(m_arst_i),
    .rst_o (m_rst)
  );

  prim_fifo_async_clear #(
    .Width(Width),
    .Depth(Depth)
  ) u_dut (
    .s_clk_i     (s_clk_i),
    .s_rst_i     (s_rst),
    .s_rst_o     (s_rst_o),
    .s_valid_i   (s_valid_i),
    .s_ready_o   (s_ready_o),
    .s_data_i    (s_data_i),
    .m_clk_i     (m_clk_i),
    .m_sync_clk_i(m_sync_clk_i),
    .m_rst_i     (m_rst),
    .m_rst_o     (m_rst_o),
    .m_valid_o   (m_valid_o),
    .m_ready_i   (m_ready_i),
    .m_data_o    (m_data_o)
  );

endmodule
