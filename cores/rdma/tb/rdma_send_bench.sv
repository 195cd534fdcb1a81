// SPDX-License-Identifier: Apache-2.0
//
// rdma_send_bench: the send unit with the AXI signals that do not change, for the test bench.

module rdma_send_bench
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter int unsigned AddrWidth   = 48,
  parameter int unsigned BufferWords = 512,
  parameter int unsigned BurstWords  = 64
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic   [         15:0] node_i,
  input  logic   [          3:0] epoch_i,
  output logic                   ready_o,
  input  logic                   rate_valid_i,
  input  logic   [          6:0] rate_flow_i,
  input  logic   [         15:0] rate_interval_i,
  input  logic                   block_valid_i,
  output logic                   block_ready_o,
  input  logic   [        283:0] block_i,
  input  logic                   packet_valid_i,
  output logic                   packet_ready_o,
  input  logic   [        408:0] packet_i,
  input  logic                   reply_valid_i,
  output logic                   reply_ready_o,
  input  reply_t                 reply_i,
  output logic                   sent_valid_o,
  output sent_t                  sent_o,
  output logic                   m_axi_arid,
  output logic   [AddrWidth-1:0] m_axi_araddr,
  output logic   [          7:0] m_axi_arlen,
  output logic   [          2:0] m_axi_arsize,
  output logic   [          1:0] m_axi_arburst,
  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  input  logic                   m_axi_rid,
  input  logic   [        511:0] m_axi_rdata,
  input  logic   [          1:0] m_axi_rresp,
  input  logic                   m_axi_rlast,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready,
  output logic   [        511:0] m_axis_tdata,
  output logic                   m_axis_tlast,
  output logic                   m_axis_tvalid,
  input  logic                   m_axis_tready
);

  assign m_axi_arid = 1'b0;
  assign m_axi_arsize = 3'd6;
  assign m_axi_arburst = 2'b01;

  rdma_send #(
    .AddrWidth  (AddrWidth),
    .BufferWords(BufferWords),
    .BurstWords (BurstWords)
  ) u_send (
    .block_use_i (block_i[283:256]),
    .block_i     (block_i[255:0]),
    .packet_use_i(packet_i[408:381]),
    .packet_i    (packet_i[380:0]),
    .*
  );

endmodule
