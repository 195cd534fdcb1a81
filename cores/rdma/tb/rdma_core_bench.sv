// SPDX-License-Identifier: Apache-2.0
//
// rdma_core_bench: the engine with pins instead of structs, for the test bench.

module rdma_core_bench
  import rdma_pkg::*;
  import rdma_bus_pkg::*;
#(
  parameter  int unsigned DataWidth   = 128,
  parameter  int unsigned IdWidth     = 4,
  parameter  int unsigned Pages       = 16,
  parameter  int unsigned Priorities  = 16,
  parameter  int unsigned Outstanding = 2,
  parameter  int unsigned Reserve     = 32,
  localparam int unsigned AddrWidth   = $clog2(Pages) + 13
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  input  logic      [           15:0] node_i,
  input  logic      [            3:0] epoch_i,
  input  logic      [           31:0] timeout_i,
  input  logic      [ TriesWidth-1:0] retries_i,
  input  logic      [           17:0] read_timeout_i,
  input  logic                        weighted_i,
  input  logic      [           11:0] weights_i,
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
  output logic                        block_valid_o,
  input  logic                        block_ready_i,
  output use_t                        block_use_o,
  output block_t                      block_o,
  output logic                        packet_valid_o,
  input  logic                        packet_ready_i,
  output use_t                        packet_use_o,
  output packet_t                     packet_o,
  input  logic                        sent_valid_i,
  input  logic      [   TidWidth-1:0] sent_tid_i,
  input  logic                        sent_failed_i,
  input  logic                        answer_valid_i,
  output logic                        answer_ready_o,
  input  answer_t                     answer_i,
  output logic                        answer_refused_o,
  output answered_t                   answered_o,
  output logic                        ready_o,
  output logic                        refused_o,
  output page_t                       refused_page_o,
  output logic                        dropped_o,
  output logic                        repeated_o,
  output logic                        gave_up_o,
  output logic                        finish_o,
  output logic                        finish_error_o,
  output logic                        finish_read_o,
  output logic                        fault_o
);

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

  engine_events_t events;
  assign {refused_o, refused_page_o, finish_o, finish_error_o, finish_read_o, dropped_o, repeated_o,
          gave_up_o, fault_o} = events;

  rdma_core #(
    .DataWidth  (DataWidth),
    .IdWidth    (IdWidth),
    .Pages      (Pages),
    .Priorities (Priorities),
    .Outstanding(Outstanding),
    .Reserve    (Reserve)
  ) u_core (
    .identity_i({node_i, epoch_i}),
    .limits_i  ({timeout_i, retries_i, read_timeout_i}),
    .service_i ({weighted_i, weights_i}),
    .events_o  (events),
    .user_i    (user_req),
    .user_o    (user_rsp),
    .block_o   ({block_use_o, block_o}),
    .packet_o  ({packet_use_o, packet_o}),
    .sent_i    ({sent_failed_i, sent_tid_i}),
    .*
  );

  // What a test looks at inside: numbers that are free, queues with entries.
  logic [9:0] tid_free;
  logic [6:0] single_free;
  logic [4:0] group_free;
  logic [2+4*Priorities-1:0] nonempty;
  assign tid_free = u_core.numbers.tids;
  assign single_free = u_core.numbers.singles;
  assign group_free = u_core.numbers.groups;
  assign nonempty = u_core.nonempty;

endmodule
