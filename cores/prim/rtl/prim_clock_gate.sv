// SPDX-License-Identifier: Apache-2.0
//
// prim_clock_gate: passes chosen edges of a clock.
//
// What      clk_o has the pulse of clk_i that begins with an edge at which en_i is 1, and no other.
// Why       Logic that has to stand still in some cycles, and has no enable, gets a clock without
//           those edges: one clock tree, one frequency to be met, no crossing.
// Contract  en_i is a register of clk_i, or logic behind such. A latch that is open while clk_i is
//           0 holds it while clk_i is 1: pulses of clk_o are whole pulses of clk_i. Registers of
//           the two clocks read each other as those of one: they share their edges.
// Vendor    The one place to put a vendor's cell: on Xilinx devices BUFGCE (I clk_i, CE en_i, O
//           clk_o), on Intel devices the clock control block with its enable, in an ASIC the clock
//           gate of the library. Clocks of one group come from gates side by side on one clk_i,
//           so that their delays are the same.
// Timing    en_i has half a period of clk_i, or what the vendor's cell asks for. Tools derive clk_o
//           from clk_i by themselves: no constraint.
// Latency   none. In simulation clk_o follows clk_i before registers take new values.

module prim_clock_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o
);

  logic en_q;
  always_latch if (!clk_i) en_q = en_i;
  assign clk_o = clk_i && en_q;

endmodule
