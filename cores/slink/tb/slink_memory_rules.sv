// SPDX-License-Identifier: Apache-2.0
//
// slink_memory_rules: axi_read_rules and axi_write_rules at a memory port of slink.
//
// What      Bound to slink by slink_rules.sv; instantiated in slink_dma_bench.
// Clock     clk_i; rst_i synchronous to it, the reset of the bus, that both sides of it share.
//
// Parameters
//   DataWidth   bits of a word, 64 or 128

module slink_memory_rules #(
  parameter int unsigned DataWidth = 64
) (
  input logic clk_i,
  input logic rst_i,
  input logic [31:0] m_axi_araddr,
  input logic [7:0] m_axi_arlen,
  input logic [2:0] m_axi_arsize,
  input logic [1:0] m_axi_arburst,
  input logic m_axi_arvalid,
  input logic m_axi_arready,
  input logic [DataWidth-1:0] m_axi_rdata,
  input logic [1:0] m_axi_rresp,
  input logic m_axi_rlast,
  input logic m_axi_rvalid,
  input logic m_axi_rready,
  input logic [31:0] m_axi_awaddr,
  input logic [7:0] m_axi_awlen,
  input logic [2:0] m_axi_awsize,
  input logic [1:0] m_axi_awburst,
  input logic m_axi_awvalid,
  input logic m_axi_awready,
  input logic [DataWidth-1:0] m_axi_wdata,
  input logic [DataWidth/8-1:0] m_axi_wstrb,
  input logic m_axi_wlast,
  input logic m_axi_wvalid,
  input logic m_axi_wready,
  input logic [1:0] m_axi_bresp,
  input logic m_axi_bvalid,
  input logic m_axi_bready
);

  axi_read_rules #(
    .AddrWidth(32),
    .DataWidth(DataWidth),
    .Port("slink m_axi")
  ) u_read (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .araddr_i(m_axi_araddr),
    .arlen_i(m_axi_arlen),
    .arsize_i(m_axi_arsize),
    .arburst_i(m_axi_arburst),
    .arvalid_i(m_axi_arvalid),
    .arready_i(m_axi_arready),
    .rdata_i(m_axi_rdata),
    .rresp_i(m_axi_rresp),
    .rlast_i(m_axi_rlast),
    .rvalid_i(m_axi_rvalid),
    .rready_i(m_axi_rready)
  );
  axi_write_rules #(
    .AddrWidth(32),
    .DataWidth(DataWidth),
    .Port("slink m_axi")
  ) u_write (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .awaddr_i(m_axi_awaddr),
    .awlen_i(m_axi_awlen),
    .awsize_i(m_axi_awsize),
    .awburst_i(m_axi_awburst),
    .awvalid_i(m_axi_awvalid),
    .awready_i(m_axi_awready),
    .wdata_i(m_axi_wdata),
    .wstrb_i(m_axi_wstrb),
    .wlast_i(m_axi_wlast),
    .wvalid_i(m_axi_wvalid),
    .wready_i(m_axi_wready),
    .bresp_i(m_axi_bresp),
    .bvalid_i(m_axi_bvalid),
    .bready_i(m_axi_bready)
  );

endmodule
