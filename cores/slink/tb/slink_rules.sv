// SPDX-License-Identifier: Apache-2.0
//
// slink_rules: the rules of cores/axis/rules at the ports of slink, in every simulation of it.
//
// The memory port of both directions, and the registers.
bind slink_dma_read axi_read_rules #(
  .AddrWidth($bits(m_axi_araddr)),
  .DataWidth(DataWidth),
  .Port     ("slink_dma_read")
) u_read_rules (
  .clk_i    (clk_i),
  .rst_i    (rst_i),
  .araddr_i (m_axi_araddr),
  .arlen_i  (m_axi_arlen),
  .arsize_i (m_axi_arsize),
  .arburst_i(m_axi_arburst),
  .arvalid_i(m_axi_arvalid),
  .arready_i(m_axi_arready),
  .rdata_i  (m_axi_rdata),
  .rresp_i  (m_axi_rresp),
  .rlast_i  (m_axi_rlast),
  .rvalid_i (m_axi_rvalid),
  .rready_i (m_axi_rready)
);

bind slink_dma_write axi_write_rules #(
  .AddrWidth($bits(m_axi_awaddr)),
  .DataWidth(DataWidth),
  .Port     ("slink_dma_write")
) u_write_rules (
  .clk_i    (clk_i),
  .rst_i    (rst_i),
  .awaddr_i (m_axi_awaddr),
  .awlen_i  (m_axi_awlen),
  .awsize_i (m_axi_awsize),
  .awburst_i(m_axi_awburst),
  .awvalid_i(m_axi_awvalid),
  .awready_i(m_axi_awready),
  .wdata_i  (m_axi_wdata),
  .wstrb_i  (m_axi_wstrb),
  .wlast_i  (m_axi_wlast),
  .wvalid_i (m_axi_wvalid),
  .wready_i (m_axi_wready),
  .bresp_i  (m_axi_bresp),
  .bvalid_i (m_axi_bvalid),
  .bready_i (m_axi_bready)
);

bind slink_regs axil_rules #(
  .AddrWidth($bits(s_axil_awaddr)),
  .Port     ("slink_regs")
) u_axil_rules (
  .clk_i    (clk_i),
  .rst_i    (rst_i),
  .awaddr_i (s_axil_awaddr),
  .awvalid_i(s_axil_awvalid),
  .awready_i(s_axil_awready),
  .wdata_i  (s_axil_wdata),
  .wstrb_i  (s_axil_wstrb),
  .wvalid_i (s_axil_wvalid),
  .wready_i (s_axil_wready),
  .bresp_i  (s_axil_bresp),
  .bvalid_i (s_axil_bvalid),
  .bready_i (s_axil_bready),
  .araddr_i (s_axil_araddr),
  .arvalid_i(s_axil_arvalid),
  .arready_i(s_axil_arready),
  .rdata_i  (s_axil_rdata),
  .rresp_i  (s_axil_rresp),
  .rvalid_i (s_axil_rvalid),
  .rready_i (s_axil_rready)
);
