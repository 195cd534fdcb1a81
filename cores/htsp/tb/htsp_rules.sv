// SPDX-License-Identifier: Apache-2.0
//
// htsp_rules: the rules of cores/axis/rules at the ports of htsp, in every simulation of it.
//
// The streams to the users and to the MAC, and the registers. A user that breaks the rules of its
// stream is something that the core reports, and its tests do.

bind htsp_core htsp_channel_rules #(
  .Channels (Channels),
  .Bytes    (Bytes),
  .UserWidth(UserWidth)
) u_channel_rules (
  .clk_i(clk_i),
  .rst_i(rst_i),
  .m_axis_tdata(m_axis_tdata),
  .m_axis_tkeep(m_axis_tkeep),
  .m_axis_tlast(m_axis_tlast),
  .m_axis_tuser(m_axis_tuser),
  .m_axis_tvalid(m_axis_tvalid),
  .m_axis_tready(m_axis_tready)
);

bind htsp_core axis_rules #(
  .Bytes (Bytes),
  .Stream("htsp_core m_phy_axis")
) u_m_phy_axis_rules (
  .clk_i   (clk_i),
  .rst_i   (rst_i),
  .tdata_i (m_phy_axis_tdata),
  .tkeep_i (m_phy_axis_tkeep),
  .tlast_i (m_phy_axis_tlast),
  .tuser_i (1'b0),
  .tvalid_i(m_phy_axis_tvalid),
  .tready_i(m_phy_axis_tready)
);

// The manager of the bus is reset by the pin, the registers somewhat later.
bind htsp axil_rules #(
  .AddrWidth($bits(s_axil_awaddr)),
  .Port     ("htsp s_axil")
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
