// SPDX-License-Identifier: Apache-2.0
//
// rdma_ring: transaction numbers (TIDs) of a transfer with flows, and which of them are under way.
//
// What      A flow has FlowBlocks TIDs: flow * FlowBlocks and up. A transfer goes through those of
//           its flow, or of its four flows, in a ring, block n of it at place n mod ring. With four
//           flows the blocks go from flow to flow:
//             place 0, 1, 2, 3, 4, .. : 4 flow, 4 flow + 4, + 8, + 12, + 1, ..   (FlowBlocks = 4)
//           A map has a bit for each place: its block is issued and not answered.
// Why       The ring comes round while an early block may still wait for its answer: its TID must
//           not be used for another one.
// Contract  Combinational. Issue: issue_tid_o for place issue_place_i of the transfer whose first
//           flow is issue_flow_i, a multiple of four with four paths; issue_free_o says that the
//           place is not under way in issue_map_i; issue_map_o is the map with it, issue_next_o the
//           place behind it. Answer: answer_map_o is answer_map_i without the place of the TID
//           whose low bits are answer_step_i. Of a single flow only places below FlowBlocks are
//           used.
// Latency   0
//
// Parameters
//   FlowBlocks   TIDs of a flow, a power of two >= 2
//   FlowWidth    bits of a flow's number, >= 2

module rdma_ring #(
  parameter int unsigned FlowBlocks = 4,
  parameter int unsigned FlowWidth = 8,
  localparam int unsigned Places = 4 * FlowBlocks,
  localparam int unsigned PlaceWidth = $clog2(Places),
  localparam int unsigned TidWidth = FlowWidth + $clog2(FlowBlocks)
) (
  input  logic                  issue_four_i,
  input  logic [ FlowWidth-1:0] issue_flow_i,
  input  logic [PlaceWidth-1:0] issue_place_i,
  input  logic [    Places-1:0] issue_map_i,
  output logic [  TidWidth-1:0] issue_tid_o,
  output logic                  issue_free_o,
  output logic [    Places-1:0] issue_map_o,
  output logic [PlaceWidth-1:0] issue_next_o,
  input  logic                  answer_four_i,
  input  logic [PlaceWidth-1:0] answer_step_i,
  input  logic [    Places-1:0] answer_map_i,
  output logic [    Places-1:0] answer_map_o
);

  localparam int unsigned StepWidth = $clog2(FlowBlocks);

  if (FlowBlocks < 2 || (FlowBlocks & (FlowBlocks - 1)) != 0) begin : gen_bad_blocks
    $error("rdma_ring %m: rule FlowBlocks is a power of two >= 2, got %0d", FlowBlocks);
  end
  if (FlowWidth < 2) begin : gen_bad_flow
    $error("rdma_ring %m: rule FlowWidth >= 2, got %0d", FlowWidth);
  end

  // Within the ring: the TID's low bits. With four paths the low bits of the place choose the flow.
  logic [PlaceWidth-1:0] step, answer_place, place_behind;
  logic [Places-1:0] mask;

  assign step = {issue_place_i[1:0], issue_place_i[PlaceWidth-1:2]};
  assign issue_tid_o = issue_four_i ? {issue_flow_i[FlowWidth-1:2], step}
      : {issue_flow_i, issue_place_i[StepWidth-1:0]};
  assign mask = Places'(1) << issue_place_i;
  assign issue_free_o = (issue_map_i & mask) == '0;
  assign issue_map_o = issue_map_i | mask;
  assign place_behind = issue_place_i + 1'b1;
  assign issue_next_o = issue_four_i ? place_behind : PlaceWidth'(place_behind[StepWidth-1:0]);

  assign answer_place = answer_four_i
      ? {answer_step_i[StepWidth-1:0], answer_step_i[PlaceWidth-1:StepWidth]}
      : PlaceWidth'(answer_step_i[StepWidth-1:0]);
  assign answer_map_o = answer_map_i & ~(Places'(1) << answer_place);

endmodule
