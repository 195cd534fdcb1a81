// SPDX-License-Identifier: Apache-2.0
//
// rdma_queue_number: the scheduling queue that a transfer waits in for its next block.
//
// What      Queue 1 without flow (class 0); else by class, by whether it has its flow, and by
//           priority: see rdma_pick. Queue 0 is for packets and has no need of this.
// Contract  Combinational. class_i is 0 to 2, priority_i below Priorities.
// Latency   0
//
// Parameters
//   Priorities   intra-priorities, 1 to 16

module rdma_queue_number
  import rdma_pkg::*;
#(
  parameter int unsigned Priorities = 16
) (
  input  logic   [1:0] class_i,
  input  logic         has_flow_i,
  input  logic   [3:0] priority_i,
  output queue_t       queue_o
);

  if (Priorities < 1 || Priorities > 16) begin : gen_bad_priorities
    $error("rdma_queue_number %m: rule 1 <= Priorities <= 16, got %0d", Priorities);
  end

  queue_t base;

  always_comb begin
    unique case ({
      class_i[1], has_flow_i
    })
      2'b01:   base = queue_t'(2);
      2'b00:   base = queue_t'(2 + Priorities);
      2'b11:   base = queue_t'(2 + 2 * Priorities);
      default: base = queue_t'(2 + 3 * Priorities);
    endcase
    queue_o = (class_i == '0) ? queue_t'(1) : base + queue_t'(priority_i);
  end

endmodule
