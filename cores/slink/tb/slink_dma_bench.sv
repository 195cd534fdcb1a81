// SPDX-License-Identifier: Apache-2.0
//
// slink_dma_bench: what the DMA is made of, at one memory: slink_store in front of slink_dma_write,
// and slink_dma_read.
//
// fail_i makes errors of the memory's answers.

module slink_dma_bench
  import slink_pkg::*;
#(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Depth = 64
) (
  input logic clk_i,
  input logic rst_i,
  input logic fail_i,

  input  logic                set_i,
  input  logic [        28:0] address_i,
  input  logic                s_valid_i,
  input  logic [BeatBits-1:0] s_data_i,
  input  logic                good_i,
  input  logic                drop_i,
  output logic                overflow_o,
  output logic                free_o,
  output logic                empty_o,
  output logic                write_error_o,

  input  logic                  job_valid_i,
  output logic                  job_ready_o,
  input  logic [          28:0] job_address_i,
  input  logic [CountWidth-1:0] job_beats_i,
  output logic                  m_valid_o,
  input  logic                  m_ready_i,
  output logic [  BeatBits-1:0] m_data_o,
  output logic                  read_error_o,

  output logic                   m_axi_awid,
  output logic [           31:0] m_axi_awaddr,
  output logic [            7:0] m_axi_awlen,
  output logic [            2:0] m_axi_awsize,
  output logic [            1:0] m_axi_awburst,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [  DataWidth-1:0] m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic                   m_axi_wlast,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  input  logic                   m_axi_bid,
  input  logic [            1:0] m_axi_bresp,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready,
  output logic                   m_axi_arid,
  output logic [           31:0] m_axi_araddr,
  output logic [            7:0] m_axi_arlen,
  output logic [            2:0] m_axi_arsize,
  output logic [            1:0] m_axi_arburst,
  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  input  logic                   m_axi_rid,
  input  logic [  DataWidth-1:0] m_axi_rdata,
  input  logic [            1:0] m_axi_rresp,
  input  logic                   m_axi_rlast,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready
);

  localparam int unsigned CountBits = $clog2(Depth) + 1;

  logic valid, ready;
  logic [BeatBits-1:0] data;
  logic [CountBits-1:0] good, level;
  axi_write_req_t write_req;
  axi_read_req_t  read_req;

  assign m_axi_awid = 1'b0;
  assign m_axi_arid = 1'b0;
  assign {m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awvalid} = {
    write_req.aw, write_req.awvalid
  };
  assign m_axi_wdata = DataWidth'(write_req.wdata);
  assign m_axi_wstrb = (DataWidth / 8)'(write_req.wstrb);
  assign {m_axi_wlast, m_axi_wvalid, m_axi_bready} = {
    write_req.wlast, write_req.wvalid, write_req.bready
  };
  assign {m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_arvalid, m_axi_rready} =
      read_req;

  slink_store #(
    .Depth(Depth)
  ) u_store (
    .clk_i,
    .rst_i,
    .s_valid_i,
    .s_data_i,
    .good_i,
    .drop_i,
    .overflow_o,
    .m_valid_o(valid),
    .m_ready_i(ready),
    .m_data_o (data),
    .good_o   (good),
    .level_o  (level)
  );

  slink_dma_write #(
    .DataWidth(DataWidth),
    .CountBits(CountBits)
  ) u_write (
    .clk_i,
    .rst_i,
    .set_i,
    .address_i,
    .good_i (good),
    .valid_i(valid),
    .ready_o(ready),
    .data_i (data),
    .free_o,
    .idle_o (empty_o),
    .error_o(write_error_o),
    .axi_o  (write_req),
    .axi_i  ('{m_axi_awready, m_axi_wready, m_axi_bresp | {fail_i, 1'b0}, m_axi_bvalid})
  );

  slink_dma_read #(
    .DataWidth(DataWidth)
  ) u_read (
    .clk_i,
    .rst_i,
    .s_valid_i(job_valid_i),
    .s_ready_o(job_ready_o),
    .s_address_i(job_address_i),
    .s_beats_i(job_beats_i),
    .m_valid_o,
    .m_ready_i,
    .m_data_o,
    .error_o(read_error_o),
    .axi_o(read_req),
    .axi_i(
    '{
        m_axi_arready,
        MaxDataWidth'(m_axi_rdata),
        m_axi_rresp | {fail_i, 1'b0},
        m_axi_rlast,
        m_axi_rvalid
    }
    )
  );

  logic unused;
  assign unused = &{level, write_req};

`ifndef SYNTHESIS  // A netlist of random mutants (tools/mutate.py) has no assertions.
  slink_memory_rules #(.DataWidth(DataWidth)) u_memory_rules (.*);
`endif

endmodule
