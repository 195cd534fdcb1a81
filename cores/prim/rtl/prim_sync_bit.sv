// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_bit: synchroniser of one level into the clk_i domain.
//
// What      prim_sync_flop of one bit.
// Why       The only legal way for a single asynchronous bit to enter a clock domain.
// Contract  d_i comes from a flip-flop (no glitches) and keeps each value for more than one clk_i
//           period, else a change can be missed. Several related bits must not cross through
//           several instances: use prim_sync_gray, prim_sync_setting or a handshake.
// Resets    rst_i, synchronous to clk_i, sets all stages to ResetValue; they also start with it.
//           It needs no counterpart at the source: afterwards q_o follows d_i again.
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

  prim_sync_flop #(
    .Stages    (Stages),
    .ResetValue(ResetValue)
  ) u_sync (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .d_i  (d_i),
    .q_o  (q_o)
  );

endmodule
