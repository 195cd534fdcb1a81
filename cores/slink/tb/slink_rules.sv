// SPDX-License-Identifier: Apache-2.0
//
// slink_rules: the rules of cores/axis/rules at the ports of slink, in every simulation of it.
//
// The memory port of both directions, and the registers.
bind slink slink_memory_rules #(
  .DataWidth(DataWidth)
) u_memory_rules (
  // Of both sides: the core itself follows one cycle later. A reset by software is none of the bus.
  .rst_i(rst_o),
  .*
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
