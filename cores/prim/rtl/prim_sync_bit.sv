// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_bit: synchroniser of one level into the clk_i domain.
//
// What      A chain of flip-flops that lets a metastable first one settle.
// Why       The only legal way for a single asynchronous bit to enter a clock domain.
// Contract  d_i comes from a flip-flop (no glitches) and keeps each value for more than one clk_i
//           period, else a change can be missed. Several related bits must not cross through
//           several instances: use prim_sync_gray or a handshake.
//           rst_i, synchronous to clk_i, sets all stages to ResetValue.
// Latency   Stages clk_i edges (one more when the first edge just misses the change).
//
// Parameters
//   Stages      flip-flops in the chain, >= 2
//   ResetValue  value of q_o in reset

module prim_sync_bit #(
  parameter int unsigned Stages = 2,
  parameter bit ResetValue = 1'b0
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic d_i,
  output logic q_o
);

  if (Stages < 2) begin : gen_bad_stages
    $error("prim_sync_bit %m: Stages must be >= 2, got %0d", Stages);
  end

  (* ASYNC_REG = "TRUE" *) logic [Stages-1:0] chain_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) chain_q <= {Stages{ResetValue}};
    else chain_q <= {chain_q[Stages-2:0], d_i};
  end

  assign q_o = chain_q[Stages-1];

endmodule
