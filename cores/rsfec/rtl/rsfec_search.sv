// SPDX-License-Identifier: Apache-2.0
//
// rsfec_search: the errors of a stream of codewords, word by word.
//
// What      Evaluates locator and evaluator at the places of the symbols of a word, and gives the
//           error of each symbol: zero where there is none.
// Contract  part_i says where the parts of a word stand (rsfec_place); the polynomials of rsfec_key
//           are taken with part 0. All moves with en_i.
// Parameters
//   Width, Poly   the field, as in rsfec_invert
//   T             largest number of errors
//   Part, Parts   symbols of a part, parts of a word
//   Count         parts of a codeword
// Latency   4 cycles
// Source    R. T. Chien, "Cyclic decoding procedures for BCH codes", IEEE Trans. Information
//           Theory 10(4), 1964: from one place to the next, coefficient i is multiplied by x^i

module rsfec_search #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned T = 7,
  parameter int unsigned Part = 16,
  parameter int unsigned Parts = 2,
  parameter int unsigned Count = 33,
  localparam int unsigned PartWidth = $clog2(Count)
) (
  input logic clk_i,
  input logic en_i,
  input logic [Parts-1:0][PartWidth-1:0] part_i,
  input logic [T:0][Width-1:0] locator_i,
  input logic [T-1:0][Width-1:0] evaluator_i,
  output logic [Parts*Part-1:0][Width-1:0] errors_o
);

  typedef rsfec_pkg::element_t element_t;
  typedef logic [Width-1:0] symbol_t;

  // Both polynomials in one row, and the powers of x that they stand at, to one place more.
  localparam int unsigned Terms = 2 * T + 1;
  typedef logic [Terms-1:0][Width-1:0] row_t;

  function automatic int unsigned exponent(input int unsigned term);
    exponent = (term <= T) ? term : T + term - 1;  // evaluator: 2T + (term - T - 1)
  endfunction

  // What a place needs of the row.
  typedef enum {
    Even,
    Odd,
    Evaluator
  } kind_e;
  function automatic row_t factors(input kind_e kind, input int unsigned place);
    for (int unsigned i = 0; i < Terms; i++) begin
      factors[i] = '0;
      if (kind == ((i > T) ? Evaluator : (i % 2 == 0) ? Even : Odd)) begin
        factors[i] = symbol_t'(rsfec_pkg::power(exponent(i) * place, Width, element_t'(Poly)));
      end
    end
  endfunction

  row_t [Parts-1:0] row_d, row_q;

  for (genvar h = 0; h < Parts; h++) begin : gen_part
    row_t previous, moved;
    assign previous = (h == 0) ? row_q[Parts-1] : row_d[(h+Parts-1)%Parts];
    for (genvar i = 0; i < Terms; i++) begin : gen_move
      rsfec_dot #(
        .Width(Width),
        .Poly(Poly),
        .Count(1),
        .Factors(symbol_t'(rsfec_pkg::power(exponent(i) * Part, Width, element_t'(Poly))))
      ) u_move (
        .data_i(previous[i]),
        .sum_o (moved[i])
      );
    end
    assign row_d[h] = (part_i[h] == '0) ? {evaluator_i, locator_i} : moved;

    for (genvar i = 0; i < Part; i++) begin : gen_place
      symbol_t even, odd, evaluator;
      rsfec_dot #(
        .Width  (Width),
        .Poly   (Poly),
        .Count  (Terms),
        .Factors(factors(Even, i))
      ) u_even (
        .data_i(row_q[h]),
        .sum_o (even)
      );
      rsfec_dot #(
        .Width  (Width),
        .Poly   (Poly),
        .Count  (Terms),
        .Factors(factors(Odd, i))
      ) u_odd (
        .data_i(row_q[h]),
        .sum_o (odd)
      );
      rsfec_dot #(
        .Width  (Width),
        .Poly   (Poly),
        .Count  (Terms),
        .Factors(factors(Evaluator, i))
      ) u_evaluator (
        .data_i(row_q[h]),
        .sum_o (evaluator)
      );
      rsfec_value #(
        .Width(Width),
        .Poly (Poly)
      ) u_value (
        .clk_i      (clk_i),
        .en_i       (en_i),
        .even_i     (even),
        .odd_i      (odd),
        .evaluator_i(evaluator),
        .error_o    (errors_o[Part*h+i])
      );
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) row_q <= row_d;
  end

endmodule
