// SPDX-License-Identifier: Apache-2.0
//
// traffic_rules: the rules of cores/axis/rules at the ports of traffic, in every simulation of it.

bind traffic axis_rules #(
  .Bytes (Bytes),
  .Stream("traffic m_axis")
) u_m_axis_rules (
  .clk_i   (clk_i),
  .rst_i   (rst_o),
  .tdata_i (m_axis_tdata),
  .tkeep_i (m_axis_tkeep),
  .tlast_i (m_axis_tlast),
  .tuser_i (1'b0),
  .tvalid_i(m_axis_tvalid),
  .tready_i(m_axis_tready)
);

bind traffic axis_rules #(
  .Bytes (Bytes),
  .Stream("traffic s_axis")
) u_s_axis_rules (
  .clk_i   (clk_i),
  .rst_i   (rst_o),
  .tdata_i (s_axis_tdata),
  .tkeep_i (s_axis_tkeep),
  .tlast_i (s_axis_tlast),
  .tuser_i (s_axis_tuser && s_axis_tlast),
  .tvalid_i(s_axis_tvalid),
  .tready_i(s_axis_tready)
);

bind traffic_regs axil_rules #(
  .AddrWidth($bits(s_axil_awaddr)),
  .Port     ("traffic_regs")
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
