// SPDX-License-Identifier: Apache-2.0
//
// prim_clock_gate_bench: a gate, and registers of both clocks that read each other.

module prim_clock_gate_bench (
  input  logic       clk_i,
  input  logic       en_i,
  output logic       clk_o,
  output logic [7:0] count_o,  // edges of clk_i
  output logic [7:0] seen_o,   // the count before the last edge of clk_o
  output logic [7:0] back_o    // what seen_o was before the last edge of clk_i
);

  prim_clock_gate u_gate (
    .clk_i(clk_i),
    .en_i (en_i),
    .clk_o(clk_o)
  );

  initial {count_o, seen_o, back_o} = '0;
  always_ff @(posedge clk_i) begin
    count_o <= count_o + 1'b1;
    back_o  <= seen_o;
  end
  always_ff @(posedge clk_o) seen_o <= count_o;

endmodule
