// SPDX-License-Identifier: Apache-2.0
//
// rdma_pick: which scheduling queue is served.
//
// What      The first queue, in the order of this list, that may be served, has an entry and can
//           get what its transfers need. n = Priorities:
//             4n          control packets, messages, read requests  room for a packet, a TID
//             4n+1        small transfers                           room for a block, a spare TID
//             0 .. n-1    one path, has its flow                    room for a block
//             n .. 2n-1   one path, no flow yet                     and a single flow
//             2n .. 3n-1  four paths, has its flows                 room for a block
//             3n .. 4n-1  four paths, no flow yet                   and a group of flows
// Why       Nothing is taken out of a queue that could not be issued, so no transfer waits behind
//           one that lacks something.
// Contract  Combinational. may_i: the classes small, one path and four paths may be served; packets
//           may in any case. can_o: they could be, but for that. Without found_o = 1 queue_o,
//           packet_o and takes_o mean nothing. takes_o: the transfer takes a flow, a group, or a
//           TID of those without flow.
// Latency   0
//
// Parameters
//   Priorities   intra-priorities, 1 to 16

module rdma_pick
  import rdma_pkg::*;
#(
  parameter  int unsigned Priorities = 16,
  localparam int unsigned Queues     = 2 + 4 * Priorities
) (
  input  logic   [Queues-1:0] nonempty_i,
  input  logic                packet_room_i,
  input  logic                block_room_i,
  input  logic                tid_i,
  input  logic                spare_tid_i,
  input  logic                single_i,
  input  logic                group_i,
  input  logic   [       2:0] may_i,
  output logic   [       2:0] can_o,
  output logic                found_o,
  output queue_t              queue_o,
  output logic                packet_o,
  output taken_t              takes_o
);

  if (Priorities < 1 || Priorities > 16) begin : gen_bad_priorities
    $error("rdma_pick %m: rule 1 <= Priorities <= 16, got %0d", Priorities);
  end

  // Of the four kinds of queues with priorities the first that has an entry, found while it is
  // decided which kind is served.
  localparam int unsigned Kinds = 4;
  localparam int unsigned Packets = Kinds * Priorities;
  localparam int unsigned Small = Packets + 1;

  logic   [Kinds-1:0] kind_nonempty;
  logic   [Kinds-1:0] kind_can;
  logic   [Kinds-1:0] kind_may;
  queue_t [Kinds-1:0] kind_queue;

  for (genvar k = 0; k < int'(Kinds); k++) begin : gen_kind
    localparam int unsigned First = k * Priorities;
    assign kind_nonempty[k] = nonempty_i[First+:Priorities] != '0;
    assign kind_queue[k] = queue_t'(First) + queue_t'(first_of(64'(nonempty_i[First+:Priorities])));
  end

  assign kind_can = kind_nonempty & {4{block_room_i}} & {group_i, 1'b1, single_i, 1'b1};
  assign kind_may = kind_can & {{2{may_i[2]}}, {2{may_i[1]}}};
  assign can_o = {|kind_can[3:2], |kind_can[1:0], nonempty_i[Small] && block_room_i && spare_tid_i};
  assign packet_o = nonempty_i[Packets] && packet_room_i && tid_i;

  always_comb begin
    found_o = 1'b1;
    takes_o = '0;
    queue_o = queue_t'(Packets);
    if (packet_o) begin
      takes_o.tid = 1'b1;
    end else if (nonempty_i[Small] && block_room_i && spare_tid_i && may_i[0]) begin
      takes_o.tid = 1'b1;
      queue_o = queue_t'(Small);
    end else if (kind_may[0]) begin
      queue_o = kind_queue[0];
    end else if (kind_may[1]) begin
      takes_o.single = 1'b1;
      queue_o = kind_queue[1];
    end else if (kind_may[2]) begin
      queue_o = kind_queue[2];
    end else begin
      found_o = kind_may[3];
      takes_o.group = 1'b1;
      queue_o = kind_queue[3];
    end
  end

endmodule
