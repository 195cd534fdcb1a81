// SPDX-License-Identifier: Apache-2.0
//
// rsfec_scan: whether an error locator is one, before its codeword leaves.
//
// What      Counts the places of the codeword that are roots of the locator, N / Cycles of them in
//           a cycle. The codeword can be corrected if they are as many as the locator is long:
//           then, and only then, the errors explain all syndromes.
// Why       Corrections are found word by word, while the codeword leaves. This look ahead makes it
//           possible to leave a codeword as it came, and marked from its first word on.
// Contract  start_i with the locator of rsfec_key and what it says beside it, not more often than
//           every Cycles cycles. Everything moves with en_i. good_o stays until the next verdict,
//           and corrected_o beside it: good, and there are errors.
// Parameters
//   Width, Poly   the field, as in rsfec_mul
//   N             symbols of a codeword
//   T             largest number of errors
//   Cycles        a divisor of N
// Latency   Cycles + 3 cycles

module rsfec_scan #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned N = 528,
  parameter int unsigned T = 7,
  parameter int unsigned Cycles = 8,
  localparam int unsigned ErrorWidth = $clog2(T + 1)
) (
  input logic clk_i,
  input logic rst_i,
  input logic en_i,
  input logic start_i,
  input logic [T:0][Width-1:0] locator_i,
  input logic beyond_i,
  input logic [ErrorWidth-1:0] errors_i,
  output logic good_o,
  output logic corrected_o
);

  localparam int unsigned Places = N / Cycles;

  if (N % Cycles != 0 || Cycles < 2) begin : gen_bad
    $error("rsfec_scan %m: rule Cycles >= 2 and a divisor of N, got %0d and %0d", Cycles, N);
  end

  typedef rsfec_pkg::element_t element_t;
  typedef logic [Width-1:0] symbol_t;
  typedef logic [T:0][Width-1:0] locator_t;

  // Powers 0 to T of x^place.
  function automatic locator_t factors(input int unsigned place);
    for (int unsigned i = 0; i <= T; i++) begin
      factors[i] = symbol_t'(rsfec_pkg::power(i * place, Width, element_t'(Poly)));
    end
  endfunction

  // ---- Values ----
  locator_t locator_q, moved;
  logic [Cycles-1:0] turn_q;  // one-hot: which cycle of a codeword
  logic [Places-1:0] root, root_q;

  for (genvar i = 0; i < Places; i++) begin : gen_place
    symbol_t value;
    rsfec_dot #(
      .Width  (Width),
      .Poly   (Poly),
      .Count  (T + 1),
      .Factors(factors(i))
    ) u_value (
      .data_i(locator_q),
      .sum_o (value)
    );
    assign root[i] = value == '0;
  end

  for (genvar i = 0; i <= T; i++) begin : gen_move
    rsfec_dot #(
      .Width  (Width),
      .Poly   (Poly),
      .Count  (1),
      .Factors(symbol_t'(rsfec_pkg::power(i * Places, Width, element_t'(Poly))))
    ) u_move (
      .data_i(locator_q[i]),
      .sum_o (moved[i])
    );
  end

  // What belongs to the codeword, beside root_q, and beside count_q.
  typedef struct packed {
    logic                  first;
    logic                  last;
    logic                  beyond;
    logic [ErrorWidth-1:0] errors;
  } side_t;
  side_t side, root_side_q;
  logic beyond_q;
  logic [ErrorWidth-1:0] errors_q;
  logic counted_q, counted_beyond_q;
  logic [ErrorWidth-1:0] counted_errors_q;
  assign side = '{first: turn_q[0], last: turn_q[Cycles-1], beyond: beyond_q, errors: errors_q};

  // ---- Their number: never more than T, the degree of the locator ----
  logic [ErrorWidth-1:0] count_q, count_d;
  always_comb begin
    count_d = root_side_q.first ? '0 : count_q;
    for (int unsigned i = 0; i < Places; i++) count_d = count_d + ErrorWidth'(root_q[i]);
  end

  logic good;
  assign good = !counted_beyond_q && count_q == counted_errors_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      locator_q        <= start_i ? locator_i : moved;
      turn_q           <= (turn_q << 1) | Cycles'(start_i);
      root_q           <= root;
      root_side_q      <= side;
      count_q          <= count_d;
      counted_q        <= root_side_q.last;
      counted_beyond_q <= root_side_q.beyond;
      counted_errors_q <= root_side_q.errors;
      if (start_i) begin
        beyond_q <= beyond_i;
        errors_q <= errors_i;
      end
      if (counted_q) begin
        good_o      <= good;
        corrected_o <= good && count_q != '0;
      end
    end
    if (rst_i) turn_q <= '0;
  end

endmodule
