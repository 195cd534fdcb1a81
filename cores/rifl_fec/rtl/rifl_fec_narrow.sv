// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_narrow: words of 80 bits become words of 64.
//
// What      The inverse of rifl_fec_widen: four words in, five out.
// Why       Coders delay words by words, not by cycles: the cycle without a word, which was behind
//           the last of a group, is behind word Gap when they come here. Those before it wait for a
//           cycle, so that it is behind the last again.
// Contract  valid_i in four cycles of five, low behind word Gap of a group; first_i, with valid_i:
//           the word begins a group and a codeword. A word comes out for every cycle; first_o with
//           the one that begins a codeword.
// Resets    none: the first first_i settles everything
// Latency   1 cycle, with Gap < 3 2 cycles
// Parameters
//   Gap   0 .. 3; 3 minus the delay in words, modulo 4

module rifl_fec_narrow
  import rifl_fec_pkg::*;
#(
  parameter int unsigned Gap = 3
) (
  input  logic  clk_i,
  input  logic  valid_i,
  input  logic  first_i,
  input  wide_t data_i,
  output logic  first_o,
  output word_t data_o
);

  logic valid, first;
  wide_t data;

  if (Gap < 3) begin : gen_wait
    logic [1:0] place, place_q;
    logic wait_q, first_q;
    wide_t data_q;
    assign place = first_i ? '0 : place_q;
    always_ff @(posedge clk_i) begin
      if (valid_i) place_q <= place + 1'b1;
      wait_q  <= valid_i && place <= 2'(Gap);
      first_q <= valid_i && first_i;
      data_q  <= data_i;
    end
    assign valid = wait_q || (valid_i && place > 2'(Gap));
    assign first = first_q;
    assign data  = wait_q ? data_q : data_i;
  end else begin : gen_pass
    assign valid = valid_i;
    assign first = valid_i && first_i;
    assign data  = data_i;
  end

  logic [1:0] step, step_q;
  word_t rest_q;
  assign step = first ? '0 : step_q;

  always_ff @(posedge clk_i) begin
    first_o <= first;
    if (valid) begin
      step_q <= step + 1'b1;
      unique case (step)
        2'd0: {rest_q, data_o} <= {word_t'(data[79:64]), data[63:0]};
        2'd1: {rest_q, data_o} <= {word_t'(data[79:48]), data[47:0], rest_q[15:0]};
        2'd2: {rest_q, data_o} <= {word_t'(data[79:32]), data[31:0], rest_q[31:0]};
        default: {rest_q, data_o} <= {data[79:16], data[15:0], rest_q[47:0]};
      endcase
    end else begin
      step_q <= '0;
      data_o <= rest_q;
    end
  end

endmodule
