// SPDX-License-Identifier: Apache-2.0
//
// prim_assert: a rule that holds in every cycle, checked in simulation and in proofs.
//
// What      In simulation a cycle in which holds_i is 0 ends the run with the text of the rule. In
//           a proof (FORMAL) the rule is an assertion, or with Assume an assumption. In synthesis
//           nothing.
// Why       One way to state a rule: every tool that reads the tree reads this, without macros.
// Contract  Checked at clk_i edges with rst_i = 0, in simulation from the first reset on: before it
//           a design may show anything.
// Clock     clk_i; rst_i synchronous to it.
//
// Parameters
//   Rule     the rule in words, for the message
//   Assume   in a proof: the environment keeps the rule

module prim_assert #(
  parameter string Rule   = "unnamed",
  parameter bit    Assume = 1'b0
) (
  input logic clk_i,
  input logic rst_i,
  input logic holds_i
);

`ifdef FORMAL
  if (Assume) begin : gen_assume
    always_comb assume (rst_i || holds_i);
  end else begin : gen_assert
    always_comb assert (rst_i || holds_i);
  end
  logic unused;
  assign unused = clk_i;
`elsif SYNTHESIS
  logic unused;
  assign unused = ^{clk_i, rst_i, holds_i};
`else
  logic was_reset_q;
  initial was_reset_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (rst_i) was_reset_q <= 1'b1;
    else if (was_reset_q) begin
      assert (holds_i)
      else $error("%m: rule broken: %s%s", Rule, Assume ? " (by the environment)" : "");
    end
  end
`endif

endmodule
