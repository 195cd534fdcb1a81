// SPDX-License-Identifier: Apache-2.0
//
// rsfec_place: where in their codewords the parts of a word stand.
//
// What      A word has Parts parts, a codeword has Count of them. part_o[h] is the index in its
//           codeword of part h of the word at hand.
// Contract  A word is at hand in every cycle with en_i. first_i with it: it begins with a codeword.
// Parameters
//   Parts   parts of a word, 1 or 2
//   Count   parts of a codeword, > Parts
// Latency   combinational from first_i

module rsfec_place #(
  parameter int unsigned Parts = 2,
  parameter int unsigned Count = 33,
  localparam int unsigned PartWidth = $clog2(Count)
) (
  input logic clk_i,
  input logic en_i,
  input logic first_i,
  output logic [Parts-1:0][PartWidth-1:0] part_o
);

  if (Parts < 1 || Parts > 2 || Count <= Parts) begin : gen_bad
    $error("rsfec_place %m: rule Parts is 1 or 2 and Count > Parts, got %0d and %0d", Parts, Count);
  end

  typedef logic [PartWidth-1:0] part_t;
  function automatic part_t next(input part_t part);
    next = (part == part_t'(Count - 1)) ? '0 : part + 1'b1;
  endfunction

  part_t from_q;
  assign part_o[0] = first_i ? '0 : from_q;
  if (Parts == 2) begin : gen_second
    assign part_o[1] = next(part_o[0]);
  end

  always_ff @(posedge clk_i) begin
    if (en_i) from_q <= next(part_o[Parts-1]);
  end

endmodule
