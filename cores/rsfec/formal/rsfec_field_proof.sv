// SPDX-License-Identifier: Apache-2.0
//
// Proof of rsfec_mul, rsfec_dot and rsfec_invert: a product is that of the polynomials, reduced
// from the top; a sum of products with constants is the sum of products; one over the product of an
// element and its conjugate is just that. A product is linear in each of its factors, so the single
// bits of the second one stand for all of its values.

module rsfec_field_proof #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9)
) (
  input logic clk_i,
  input logic [Width-1:0] a_i,
  input logic [$clog2(Width)-1:0] bit_i
);

  localparam int unsigned Half = Width / 2;
  localparam logic [1:0][Width-1:0] Factors = {Width'(741), Width'(38)};

  // Multiplied out, then the field polynomial taken off from the highest power on.
  function automatic logic [Width-1:0] product(input logic [Width-1:0] a,
                                               input logic [Width-1:0] b);
    logic [2*Width-1:0] sum;
    sum = '0;
    for (int unsigned i = 0; i < Width; i++) if (b[i]) sum ^= (2 * Width)'(a) << i;
    for (int unsigned i = 2 * Width - 1; i >= Width; i--) begin
      if (sum[i]) sum ^= (2 * Width)'({1'b1, Poly}) << (i - Width);
    end
    product = Width'(sum);
  endfunction

  logic [Width-1:0] b, ab, dot, norm, inverse, one;
  logic [Half:0][Width-1:0] squares;

  assign b = Width'(1) << bit_i;

  rsfec_mul #(
    .Width(Width),
    .Poly (Poly)
  ) u_mul (
    .a_i      (a_i),
    .b_i      (b),
    .product_o(ab)
  );

  rsfec_dot #(
    .Width  (Width),
    .Poly   (Poly),
    .Count  (2),
    .Factors(Factors)
  ) u_dot (
    .data_i({b, a_i}),
    .sum_o (dot)
  );

  // The conjugate by squaring.
  assign squares[0] = a_i;
  for (genvar i = 0; i < Half; i++) begin : gen_square
    assign squares[i+1] = product(squares[i], squares[i]);
  end
  assign norm = product(a_i, squares[Half]);
  assign one  = product(norm, inverse);

  rsfec_invert #(
    .Width(Width),
    .Poly (Poly)
  ) u_invert (
    .element_i(norm),
    .inverse_o(inverse)
  );

  always_comb begin
    a_mul : assert (ab == product(a_i, b));
    a_dot : assert (dot == (product(a_i, Factors[0]) ^ product(b, Factors[1])));
    a_invert : assert (one == ((a_i == '0) ? '0 : Width'(1)));
  end

endmodule
