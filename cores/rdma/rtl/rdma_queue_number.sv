// SPDX-License-Identifier: Apache-2.0
//
// rdma_queue_number: the scheduling queue that a transfer waits in.
//
// What      By kind, priority and whether it has its flow: see rdma_pick.
// Contract  Combinational. packet_i: for a packet; else class_i is 0 to 2, priority_i below
//           Priorities.
// Latency   0
//
// Parameters
//   Priorities   intra-priorities, 1 to 16

module rdma_queue_number
  import rdma_pkg::*;
#(
  parameter int unsigned Priorities = 16
) (
  input  logic         packet_i,
  input  logic   [1:0] class_i,
  input  logic         has_flow_i,
  input  logic   [3:0] priority_i,
  output queue_t       queue_o
);

  if (Priorities < 1 || Priorities > 16) begin : gen_bad_priorities
    $error("rdma_queue_number %m: rule 1 <= Priorities <= 16, got %0d", Priorities);
  end

  logic [1:0] kind;
  assign kind = {class_i[1], !has_flow_i};

  always_comb begin
    queue_o = queue_t'(32'(kind) * Priorities) + queue_t'(priority_i);
    if (class_i == '0) queue_o = queue_t'(4 * Priorities + 1);
    if (packet_i) queue_o = queue_t'(4 * Priorities);
  end

endmodule
