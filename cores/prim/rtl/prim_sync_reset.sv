// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_reset: reset synchroniser, asynchronous assertion, synchronous release.
//
// What      rst_o rises with rst_async_i, even without a running clock, and falls on the Stages-th
//           clk_i edge after rst_async_i has fallen.
// Why       A reset that ends at a different moment for different flip-flops leaves a state machine
//           in a state nobody designed.
// Contract  rst_async_i is free of glitches and active high. rst_o then serves as the synchronous
//           reset of the clk_i domain; hold rst_async_i for at least two clk_i cycles so that a
//           flip-flop disturbed by the asynchronous edge is reset by the next one.
// Latency   Assertion 0, release Stages clk_i edges (one more when the first just misses it).
//
// Parameters
//   Stages   flip-flops in the chain, >= 2

module prim_sync_reset #(
  parameter int unsigned Stages = 3
) (
  input  logic clk_i,
  input  logic rst_async_i,
  output logic rst_o
);

  if (Stages < 2) begin : gen_bad_stages
    $error("prim_sync_reset %m: Stages must be >= 2, got %0d", Stages);
  end

  (* ASYNC_REG = "TRUE" *) logic [Stages-1:0] chain_q;

  // The one asynchronous reset of the library: that is its purpose.
  always_ff @(posedge clk_i or posedge rst_async_i) begin
    if (rst_async_i) chain_q <= '1;
    else chain_q <= {chain_q[Stages-2:0], 1'b0};
  end

  assign rst_o = chain_q[Stages-1];

endmodule
