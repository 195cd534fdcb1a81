// SPDX-License-Identifier: Apache-2.0
//
// rdma_memory_pins: pins of the memory's AXI4 port, from the structs of rdma_bus_pkg.
//
// What      Adds what is the same in every burst: one identifier, full words, INCR, attributes;
//           cuts words into halves (rdma_halves) where the memory is that narrow.
// Contract  Wires, with 512 bits; as rdma_halves, with 256.
// Latency   0
//
// Parameters
//   MemoryWidth       bits of the data bus, 512 or 256
//   AddrWidth         bits of an address, up to 64
//   MemoryCache       AxCACHE; 0011: bufferable, not allocated; 1111 for a coherent port
//   MemoryProt        AxPROT; 010: data, not secure, not privileged
//   MemoryUserWidth   bits of AxUSER, >= 1
//   MemoryUser        AxUSER, as a stream identifier for an SMMU

module rdma_memory_pins
  import rdma_bus_pkg::*;
#(
  parameter int unsigned MemoryWidth = 512,
  parameter int unsigned AddrWidth = 48,
  parameter bit [3:0] MemoryCache = 4'b0011,
  parameter bit [2:0] MemoryProt = 3'b010,
  parameter int unsigned MemoryUserWidth = 1,
  parameter bit [MemoryUserWidth-1:0] MemoryUser = '0
) (
  input  logic                              clk_i,
  input  logic                              rst_i,
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
  input  logic        [    MemoryWidth-1:0] m_axi_rdata,
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
  output logic        [    MemoryWidth-1:0] m_axi_wdata,
  output logic        [  MemoryWidth/8-1:0] m_axi_wstrb,
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

  if (MemoryWidth != 256 && MemoryWidth != 512) begin : gen_bad_width
    $error("rdma_memory_pins %m: rule MemoryWidth is 256 or 512, got %0d", MemoryWidth);
  end

  memory_req_t req;
  memory_rsp_t rsp;
  if (MemoryWidth == 256) begin : gen_halves
    rdma_halves u_halves (
      .half_o(req),
      .half_i(rsp),
      .*
    );
  end else begin : gen_words
    assign req = memory_i;
    assign memory_o = rsp;
  end

  assign m_axi_arid = 1'b0;
  assign m_axi_araddr = req.read.araddr[AddrWidth-1:0];
  assign m_axi_arlen = req.read.arlen;
  assign m_axi_arsize = 3'($clog2(MemoryWidth / 8));
  assign m_axi_arburst = 2'b01;
  assign m_axi_arcache = MemoryCache;
  assign m_axi_arprot = MemoryProt;
  assign m_axi_aruser = MemoryUser;
  assign m_axi_arvalid = req.read.arvalid;
  assign m_axi_rready = req.read.rready;

  assign m_axi_awid = 1'b0;
  assign m_axi_awaddr = req.write.awaddr[AddrWidth-1:0];
  assign m_axi_awlen = req.write.awlen;
  assign m_axi_awsize = 3'($clog2(MemoryWidth / 8));
  assign m_axi_awburst = 2'b01;
  assign m_axi_awcache = MemoryCache;
  assign m_axi_awprot = MemoryProt;
  assign m_axi_awuser = MemoryUser;
  assign m_axi_awvalid = req.write.awvalid;
  assign m_axi_wdata = req.write.wdata[MemoryWidth-1:0];
  assign m_axi_wstrb = req.write.wstrb[MemoryWidth/8-1:0];
  assign m_axi_wlast = req.write.wlast;
  assign m_axi_wvalid = req.write.wvalid;
  assign m_axi_bready = req.write.bready;

  assign rsp = '{
          read: '{
              arready: m_axi_arready,
              rdata: 512'(m_axi_rdata),
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
  assign unused_pins = ^{m_axi_rid, m_axi_bid, clk_i, rst_i, req};

endmodule
