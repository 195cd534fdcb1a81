// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_widen: words of 64 bits become words of 80.
//
// What      Five words in, four out, bit 0 first in either.
// Contract  A word in every cycle. first_i: it begins a group of five and a codeword; in between
//           every fifth word begins a group by itself. valid_o is low in one cycle of five, first_o
//           comes with the word that begins with the first one.
// Resets    none: the first first_i settles everything
// Latency   2 cycles to the first word of a group, 1 to the last

module rifl_fec_widen
  import rifl_fec_pkg::*;
(
  input  logic  clk_i,
  input  logic  first_i,
  input  word_t data_i,
  output logic  valid_o,
  output logic  first_o,
  output wide_t data_o
);

  localparam int unsigned Step = WideWidth - WordWidth;

  logic [2:0] step, step_q;
  logic  first_q;
  word_t rest_q;
  assign step = first_i ? '0 : step_q;

  always_ff @(posedge clk_i) begin
    step_q  <= (step == 3'd4) ? '0 : step + 1'b1;
    first_q <= (step == '0) ? first_i : first_q;
    valid_o <= step != '0;
    first_o <= step == 3'd1 && first_q;
    unique case (step)
      3'd1: {rest_q, data_o} <= {word_t'(data_i[63:1*Step]), data_i[1*Step-1:0], rest_q[63:0]};
      3'd2: {rest_q, data_o} <= {word_t'(data_i[63:2*Step]), data_i[2*Step-1:0], rest_q[47:0]};
      3'd3: {rest_q, data_o} <= {word_t'(data_i[63:3*Step]), data_i[3*Step-1:0], rest_q[31:0]};
      3'd4: {rest_q, data_o} <= {rest_q, data_i, rest_q[15:0]};
      default: rest_q <= data_i;
    endcase
  end

endmodule
