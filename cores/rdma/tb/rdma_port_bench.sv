// SPDX-License-Identifier: Apache-2.0
//
// rdma_port_bench: the port with the channel states and a Transfer Table behind it, for the test
// bench.
//
// start_o is a pulse with the page and channel of a transfer that starts.

module rdma_port_bench
  import rdma_pkg::*;
  import rdma_bus_pkg::*;
#(
  parameter int unsigned DataWidth = 128,
  parameter int unsigned IdWidth = 4,
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  localparam int unsigned PageWidth = $clog2(Pages),
  localparam int unsigned AddrWidth = PageWidth + 13
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic [    IdWidth-1:0] s_axi_awid,
  input  logic [  AddrWidth-1:0] s_axi_awaddr,
  input  logic [            7:0] s_axi_awlen,
  input  logic [            2:0] s_axi_awsize,
  input  logic [            1:0] s_axi_awburst,
  input  logic                   s_axi_awvalid,
  output logic                   s_axi_awready,
  input  logic [  DataWidth-1:0] s_axi_wdata,
  input  logic [DataWidth/8-1:0] s_axi_wstrb,
  input  logic                   s_axi_wlast,
  input  logic                   s_axi_wvalid,
  output logic                   s_axi_wready,
  output logic [    IdWidth-1:0] s_axi_bid,
  output logic [            1:0] s_axi_bresp,
  output logic                   s_axi_bvalid,
  input  logic                   s_axi_bready,
  input  logic [    IdWidth-1:0] s_axi_arid,
  input  logic [  AddrWidth-1:0] s_axi_araddr,
  input  logic [            7:0] s_axi_arlen,
  input  logic [            2:0] s_axi_arsize,
  input  logic [            1:0] s_axi_arburst,
  input  logic                   s_axi_arvalid,
  output logic                   s_axi_arready,
  output logic [    IdWidth-1:0] s_axi_rid,
  output logic [  DataWidth-1:0] s_axi_rdata,
  output logic [            1:0] s_axi_rresp,
  output logic                   s_axi_rlast,
  output logic                   s_axi_rvalid,
  input  logic                   s_axi_rready,
  input  logic                   line_ready_i,
  output logic                   line_valid_o,
  output logic [  PageWidth+6:0] line_index_o,
  output logic [          255:0] line_data_o,
  output logic                   start_o,
  output logic [  PageWidth-1:0] start_page_o,
  output logic [            5:0] start_channel_o,
  output logic                   start_packet_o,
  output logic [            1:0] start_class_o,
  output logic [            3:0] start_priority_o,
  output logic                   refused_o,
  output logic [  PageWidth-1:0] refused_page_o,
  input  logic                   finish_i,
  input  logic [  PageWidth-1:0] finish_page_i,
  input  logic [            5:0] finish_channel_i,
  input  logic                   finish_error_i
);

  logic ready;
  logic [63:0] idle;
  logic read;
  logic [PageWidth-1:0] read_page;
  logic [63:0] read_mask;
  logic [127:0] read_status;
  logic unused_finish_refused;

  user_req_t user_req;
  user_rsp_t user_rsp;
  rdma_user_pins #(
    .DataWidth(DataWidth),
    .IdWidth  (IdWidth),
    .AddrWidth(AddrWidth)
  ) u_pins (
    .user_o(user_req),
    .user_i(user_rsp),
    .*
  );

  transfer_t start_transfer;
  transfer_t line_transfer;
  schedule_t schedule;
  assign start_page_o = start_transfer[7+:PageWidth];
  assign start_channel_o = start_transfer[5:0];
  assign line_index_o = line_transfer[PageWidth+6:0];
  assign {start_packet_o, start_class_o, start_priority_o} = schedule;

  rdma_port #(
    .DataWidth (DataWidth),
    .IdWidth   (IdWidth),
    .Pages     (Pages),
    .Priorities(Priorities)
  ) u_port (
    .ready_i         (ready),
    .idle_i          (idle),
    .read_o          (read),
    .read_page_o     (read_page),
    .read_mask_o     (read_mask),
    .read_status_i   (read_status),
    .user_i          (user_req),
    .user_o          (user_rsp),
    .start_transfer_o(start_transfer),
    .start_schedule_o(schedule),
    .line_transfer_o (line_transfer),
    .*
  );

  rdma_status #(
    .Pages   (Pages),
    .Channels(64)
  ) u_status (
    .clk_i           (clk_i),
    .rst_i           (rst_i),
    .ready_o         (ready),
    .start_i         (start_o),
    .start_page_i    (start_page_o),
    .start_channel_i (start_channel_o),
    .start_idle_o    (idle),
    .finish_i        (finish_i),
    .finish_page_i   (finish_page_i),
    .finish_channel_i(finish_channel_i),
    .finish_error_i  (finish_error_i),
    .finish_refused_o(unused_finish_refused),
    .read_i          (read),
    .read_page_i     (read_page),
    .read_mask_i     (read_mask),
    .read_status_o   (read_status)
  );

endmodule
