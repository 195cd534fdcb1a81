// SPDX-License-Identifier: Apache-2.0
//
// rdma_user_pins: pins of the users' AXI4 port, as the structs of rdma_bus_pkg.
//
// Contract  Wires; what is narrower than the structs uses their low bits.
// Latency   0
//
// Parameters
//   DataWidth   bits of the data bus, up to 256
//   IdWidth     bits of an identifier, 1 to 32
//   AddrWidth   bits of an address, up to 17

module rdma_user_pins
  import rdma_bus_pkg::*;
#(
  parameter int unsigned DataWidth = 128,
  parameter int unsigned IdWidth   = 4,
  parameter int unsigned AddrWidth = 17
) (
  input  logic      [    IdWidth-1:0] s_axi_awid,
  input  logic      [  AddrWidth-1:0] s_axi_awaddr,
  input  logic      [            7:0] s_axi_awlen,
  input  logic      [            2:0] s_axi_awsize,
  input  logic      [            1:0] s_axi_awburst,
  input  logic                        s_axi_awvalid,
  output logic                        s_axi_awready,
  input  logic      [  DataWidth-1:0] s_axi_wdata,
  input  logic      [DataWidth/8-1:0] s_axi_wstrb,
  input  logic                        s_axi_wlast,
  input  logic                        s_axi_wvalid,
  output logic                        s_axi_wready,
  output logic      [    IdWidth-1:0] s_axi_bid,
  output logic      [            1:0] s_axi_bresp,
  output logic                        s_axi_bvalid,
  input  logic                        s_axi_bready,
  input  logic      [    IdWidth-1:0] s_axi_arid,
  input  logic      [  AddrWidth-1:0] s_axi_araddr,
  input  logic      [            7:0] s_axi_arlen,
  input  logic      [            2:0] s_axi_arsize,
  input  logic      [            1:0] s_axi_arburst,
  input  logic                        s_axi_arvalid,
  output logic                        s_axi_arready,
  output logic      [    IdWidth-1:0] s_axi_rid,
  output logic      [  DataWidth-1:0] s_axi_rdata,
  output logic      [            1:0] s_axi_rresp,
  output logic                        s_axi_rlast,
  output logic                        s_axi_rvalid,
  input  logic                        s_axi_rready,
  output user_req_t                   user_o,
  input  user_rsp_t                   user_i
);

  assign user_o = '{
          aw: '{
              id: MaxIdWidth'(s_axi_awid),
              addr: 17'(s_axi_awaddr),
              len: s_axi_awlen,
              size: s_axi_awsize,
              burst: s_axi_awburst
          },
          awvalid: s_axi_awvalid,
          wdata: 256'(s_axi_wdata),
          wstrb: 32'(s_axi_wstrb),
          wlast: s_axi_wlast,
          wvalid: s_axi_wvalid,
          bready: s_axi_bready,
          ar: '{
              id: MaxIdWidth'(s_axi_arid),
              addr: 17'(s_axi_araddr),
              len: s_axi_arlen,
              size: s_axi_arsize,
              burst: s_axi_arburst
          },
          arvalid: s_axi_arvalid,
          rready: s_axi_rready
      };

  assign s_axi_awready = user_i.awready;
  assign s_axi_wready = user_i.wready;
  assign s_axi_bid = user_i.bid[IdWidth-1:0];
  assign s_axi_bresp = user_i.bresp;
  assign s_axi_bvalid = user_i.bvalid;
  assign s_axi_arready = user_i.arready;
  assign s_axi_rid = user_i.rid[IdWidth-1:0];
  assign s_axi_rdata = user_i.rdata[DataWidth-1:0];
  assign s_axi_rresp = user_i.rresp;
  assign s_axi_rlast = user_i.rlast;
  assign s_axi_rvalid = user_i.rvalid;

  logic unused_user;
  assign unused_user = ^user_i;

endmodule
