// SPDX-License-Identifier: Apache-2.0
//
// rsfec_divide: the parity of a message after Count symbols more.
//
// What      rem_o is the remainder of (message * x^Parity) divided by the generator polynomial,
//           where rem_i is that of the message without the symbols of data_i.
// Contract  Elements as in rsfec_pkg. data_i[0] is first in time: the highest power of x. rem_i[r]
//           is the coefficient of x^r. Begin with rem_i = 0.
// Parameters
//   Width, Poly   the field, as in rsfec_mul
//   Parity        degree of the generator polynomial, whose roots are x^0 to x^(Parity-1)
//   Count         symbols, >= 1
// Latency   combinational
// Source    long division, Count steps at once. What leaves the register at its top is added to the
//           symbols of the message (feed); a symbol of feed that stands at x^(Parity + e) leaves
//           its multiple of (x^(Parity + e) mod generator).

module rsfec_divide #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned Parity = 14,
  parameter int unsigned Count = 16
) (
  input  logic [Parity-1:0][Width-1:0] rem_i,
  input  logic [ Count-1:0][Width-1:0] data_i,
  output logic [Parity-1:0][Width-1:0] rem_o
);

  if (Parity < 2 || Count < 1) begin : gen_bad
    $error("rsfec_divide %m: rule Parity >= 2 and Count >= 1, got %0d and %0d", Parity, Count);
  end

  typedef rsfec_pkg::element_t element_t;
  typedef logic [Parity-1:0][Width-1:0] remainder_t;

  function automatic element_t times(input logic [Width-1:0] a, input logic [Width-1:0] b);
    times = rsfec_pkg::mul(element_t'(a), element_t'(b), Width, element_t'(Poly));
  endfunction

  // The generator polynomial below x^Parity, multiplied up root by root.
  function automatic remainder_t generator_polynomial();
    logic [Parity:0][Width-1:0] product;
    logic [Width-1:0] root;
    product = '0;
    product[0] = Width'(1);
    for (int unsigned j = 0; j < Parity; j++) begin
      root = Width'(rsfec_pkg::power(j, Width, element_t'(Poly)));
      for (int unsigned r = Parity; r > 0; r--) begin
        product[r] = product[r-1] ^ Width'(times(product[r], root));
      end
      product[0] = Width'(times(product[0], root));
    end
    generator_polynomial = product[Parity-1:0];
  endfunction
  localparam remainder_t Generator = generator_polynomial();

  // By remainder symbol, what each symbol of feed leaves there.
  typedef logic [Parity-1:0][Count-1:0][Width-1:0] factors_t;
  function automatic factors_t factors();
    remainder_t power;
    logic [Width-1:0] top;
    power = Generator;
    for (int unsigned i = Count; i > 0; i--) begin
      for (int unsigned r = 0; r < Parity; r++) factors[r][i-1] = power[r];
      top   = power[Parity-1];
      power = power << Width;
      for (int unsigned r = 0; r < Parity; r++) power[r] ^= Width'(times(Generator[r], top));
    end
  endfunction
  localparam factors_t Factors = factors();

  logic [Count-1:0][Width-1:0] feed;
  for (genvar i = 0; i < Count; i++) begin : gen_feed
    if (i < Parity) begin : gen_top
      assign feed[i] = data_i[i] ^ rem_i[Parity-1-i];
    end else begin : gen_rest
      assign feed[i] = data_i[i];
    end
  end

  for (genvar r = 0; r < Parity; r++) begin : gen_symbol
    logic [Width-1:0] sum;
    rsfec_dot #(
      .Width  (Width),
      .Poly   (Poly),
      .Count  (Count),
      .Factors(Factors[r])
    ) u_dot (
      .data_i(feed),
      .sum_o (sum)
    );
    if (r >= Count) begin : gen_moved
      assign rem_o[r] = rem_i[r-Count] ^ sum;
    end else begin : gen_gone
      assign rem_o[r] = sum;
    end
  end

endmodule
