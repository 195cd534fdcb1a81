// SPDX-License-Identifier: Apache-2.0
//
// htsp_rules: the rules of cores/axis/rules at the ports of htsp, in every simulation of it.
//
// The streams to the users and to the MAC, and the registers. A user that breaks the rules of its stream is
// something that the core reports, and its tests do.
module htsp_channel_rules #(
  parameter int unsigned Channels = 1,
  parameter int unsigned Bytes = 64
) (
  input logic                             clk_i,
  input logic                             rst_i,
  input logic [Channels-1:0][8*Bytes-1:0] m_axis_tdata,
  input logic [Channels-1:0][  Bytes-1:0] m_axis_tkeep,
  input logic [Channels-1:0]              m_axis_tlast,
  input logic [Channels-1:0]              m_axis_tuser,
  input logic [Channels-1:0]              m_axis_tvalid,
  input logic [Channels-1:0]              m_axis_tready
);

  for (genvar c = 0; c < Channels; c++) begin : gen_m_axis
    axis_rules #(
      .Bytes (Bytes),
      .Stream("htsp m_axis")
    ) u_rules (
      .clk_i   (clk_i),
      .rst_i   (rst_i),
      .tdata_i (m_axis_tdata[c]),
      .tkeep_i (m_axis_tkeep[c]),
      .tlast_i (m_axis_tlast[c]),
      .tuser_i (m_axis_tuser[c]),
      .tvalid_i(m_axis_tvalid[c]),
      .tready_i(m_axis_tready[c])
    );
  end

endmodule

bind htsp_core htsp_channel_rules #(
  .Channels(Channels),
  .Bytes   (Bytes)
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

bind htsp_regs axil_rules #(
  .AddrWidth($bits(s_axil_awaddr)),
  .Port     ("htsp_regs")
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
