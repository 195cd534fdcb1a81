// SPDX-License-Identifier: Apache-2.0
//
// rdma_memory_pins: pins of the memory's AXI4 port, from the structs of rdma_bus_pkg.
//
// What      Adds what is the same in every burst: one identifier, words of 64 bytes, INCR,
//           attributes.
// Contract  Wires.
// Latency   0
//
// Parameters
//   AddrWidth         bits of an address, up to 64
//   MemoryCache       AxCACHE; 0011: bufferable, not allocated; 1111 for a coherent port
//   MemoryProt        AxPROT; 010: data, not secure, not privileged
//   MemoryUserWidth   bits of AxUSER, >= 1
//   MemoryUser        AxUSER, as a stream identifier for an SMMU

module rdma_memory_pins
  import rdma_bus_pkg::*;
#(
  parameter int unsigned AddrWidth = 48,
  parameter bit [3:0] MemoryCache = 4'b0011,
  parameter bit [2:0] MemoryProt = 3'b010,
  parameter int unsigned MemoryUserWidth = 1,
  parameter bit [MemoryUserWidth-1:0] MemoryUser = '0
) (
  output logic                              m_axi_arid,
  output logic        [      AddrWidth-1:0] m_axi_araddr,
  output logic        [                7:0] m_axi_arlen,
  output logic        [                2:0] m_axi_arsize,
  output logic        [                1:0] m_axi_arburst,
  output logic        [                3:0] m_axi_arcache,
  output logic        [                2:0] m_axi_arprot,
  output logic        [MemoryUserWidth-1:0] m_axi_aruser,
  output logic                              m_axi_arvalid,
  input  logic                              m_axi_arready,
  input  logic                              m_axi_rid,
  input  logic        [              511:0] m_axi_rdata,
  input  logic        [                1:0] m_axi_rresp,
  input  logic                              m_axi_rlast,
  input  logic                              m_axi_rvalid,
  output logic                              m_axi_rready,
  output logic                              m_axi_awid,
  output logic        [      AddrWidth-1:0] m_axi_awaddr,
  output logic        [                7:0] m_axi_awlen,
  output logic        [                2:0] m_axi_awsize,
  output logic        [                1:0] m_axi_awburst,
  output logic        [                3:0] m_axi_awcache,
  output logic        [                2:0] m_axi_awprot,
  output logic        [MemoryUserWidth-1:0] m_axi_awuser,
  output logic                              m_axi_awvalid,
  input  logic                              m_axi_awready,
  output logic        [              511:0] m_axi_wdata,
  output logic        [               63:0] m_axi_wstrb,
  output logic                              m_axi_wlast,
  output logic                              m_axi_wvalid,
  input  logic                              m_axi_wready,
  input  logic                              m_axi_bid,
  input  logic        [                1:0] m_axi_bresp,
  input  logic                              m_axi_bvalid,
  output logic                              m_axi_bready,
  input  memory_req_t                       memory_i,
  output memory_rsp_t                       memory_o
);

  if (MemoryUserWidth < 1) begin : gen_bad_user
    $error("rdma_memory_pins %m: rule MemoryUserWidth >= 1, got %0d", MemoryUserWidth);
  end

  assign m_axi_arid = 1'b0;
  assign m_axi_araddr = memory_i.read.araddr[AddrWidth-1:0];
  assign m_axi_arlen = memory_i.read.arlen;
  assign m_axi_arsize = 3'd6;
  assign m_axi_arburst = 2'b01;
  assign m_axi_arcache = MemoryCache;
  assign m_axi_arprot = MemoryProt;
  assign m_axi_aruser = MemoryUser;
  assign m_axi_arvalid = memory_i.read.arvalid;
  assign m_axi_rready = memory_i.read.rready;

  assign m_axi_awid = 1'b0;
  assign m_axi_awaddr = memory_i.write.awaddr[AddrWidth-1:0];
  assign m_axi_awlen = memory_i.write.awlen;
  assign m_axi_awsize = 3'd6;
  assign m_axi_awburst = 2'b01;
  assign m_axi_awcache = MemoryCache;
  assign m_axi_awprot = MemoryProt;
  assign m_axi_awuser = MemoryUser;
  assign m_axi_awvalid = memory_i.write.awvalid;
  assign m_axi_wdata = memory_i.write.wdata;
  assign m_axi_wstrb = memory_i.write.wstrb;
  assign m_axi_wlast = memory_i.write.wlast;
  assign m_axi_wvalid = memory_i.write.wvalid;
  assign m_axi_bready = memory_i.write.bready;

  assign memory_o = '{
          read: '{
              arready: m_axi_arready,
              rdata: m_axi_rdata,
              rresp: m_axi_rresp,
              rlast: m_axi_rlast,
              rvalid: m_axi_rvalid
          },
          write: '{
              awready: m_axi_awready,
              wready: m_axi_wready,
              bresp: m_axi_bresp,
              bvalid: m_axi_bvalid
          }
      };

  logic unused_pins;
  assign unused_pins = ^{m_axi_rid, m_axi_bid, memory_i.read.araddr, memory_i.write.awaddr};

endmodule
