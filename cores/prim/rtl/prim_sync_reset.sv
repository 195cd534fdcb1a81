// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_reset: makes a synchronous reset of an asynchronous one.
//
// What      A flip-flop that arst_i sets without a clock remembers the reset until rst_o has shown
//           it; a synchroniser makes rst_o of it.
// Why       Both edges of rst_o are synchronous: it resets by the clock, and logic that outlives
//           the reset may read it as data. A reset while clk_i stands still is not lost.
// Contract  arst_i is active high and free of glitches: every pulse that a flip-flop understands is
//           a reset. rst_o is high for at least Stages + 1 cycles after it, the first time even if
//           arst_i falls before a clk_i edge; a pulse while rst_o is high may be one with it.
// Clocks and resets
//           After configuration rst_o is high, without arst_i, until Stages + 1 clk_i edges have
//           been. arst_i belongs to no clock; rst_o is a register of clk_i. caught_q is the only
//           flip-flop of the tree with an asynchronous set or reset.
// Latency   rst_o rises Stages clk_i edges after arst_i (one more when the first just misses it),
//           NOT at once, and falls Stages + 1 (+ 1) edges after arst_i. While clk_i stands still it
//           does neither: two clocks take the same reset at different times (see prim_clear).
//
// Parameters
//   Stages   flip-flops of the synchroniser, >= 2

module prim_sync_reset #(
  parameter int unsigned Stages = 2
) (
  input  logic clk_i,
  input  logic arst_i,
  output logic rst_o
);

  if (Stages < 2) begin : gen_bad_stages
    $error("prim_sync_reset %m: Stages must be >= 2, got %0d", Stages);
  end

  logic caught_q;

  initial caught_q = 1'b1;

  always_ff @(posedge clk_i or posedge arst_i) begin
    if (arst_i) caught_q <= 1'b1;
    else if (rst_o) caught_q <= 1'b0;
  end

  prim_sync_flop #(
    .Stages    (Stages),
    .ResetValue(1'b1)
  ) u_sync (
    .clk_i(clk_i),
    .rst_i(1'b0),
    .d_i  (caught_q),
    .q_o  (rst_o)
  );

endmodule
