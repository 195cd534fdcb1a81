// SPDX-License-Identifier: Apache-2.0
//
// rifl_rules: the rules of cores/axis/rules at the ports of rifl, and one inside, in every
// simulation of it.
//
// The user's streams, which live through a reset of the link, and the registers.
bind rifl_core axis_rules #(
  .Bytes (UserWidth / 8),
  .Stream("rifl_core s_axis")
) u_s_axis_rules (
  .clk_i   (user_clk_i),
  .rst_i   (user_rst_i),
  .tdata_i (s_axis_tdata),
  .tkeep_i (s_axis_tkeep),
  .tlast_i (s_axis_tlast),
  .tuser_i (1'b0),
  .tvalid_i(s_axis_tvalid),
  .tready_i(s_axis_tready)
);

bind rifl_core axis_rules #(
  .Bytes (UserWidth / 8),
  .Stream("rifl_core m_axis")
) u_m_axis_rules (
  .clk_i   (user_clk_i),
  .rst_i   (user_rst_i),
  .tdata_i (m_axis_tdata),
  .tkeep_i (m_axis_tkeep),
  .tlast_i (m_axis_tlast),
  .tuser_i (m_axis_tuser),
  .tvalid_i(m_axis_tvalid),
  .tready_i(m_axis_tready)
);

bind rifl_ext_lane rifl_silent_rules u_silent_rules (
  .clk_i    (frame_clk_i),
  .rst_i    (frame_rst_i || !open),
  .alive_i  (alive_i),
  .control_i(frame_o.slack)
);

// The manager of the bus is reset by the pin, the registers somewhat later.
bind rifl axil_rules #(
  .AddrWidth($bits(s_axil_awaddr)),
  .Port     ("rifl s_axil")
) u_axil_rules (
  .clk_i    (axil_clk_i),
  .rst_i    (axil_arst_i || axil_rst),
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
