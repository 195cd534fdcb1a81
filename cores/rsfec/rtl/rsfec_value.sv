// SPDX-License-Identifier: Apache-2.0
//
// rsfec_value: the error of one symbol, from locator and evaluator at its place.
//
// What      With even_i and odd_i the two halves of the locator's value: if they add up to zero,
//           the symbol is in error, and error_o is evaluator_i / odd_i; otherwise zero.
// Why       A division is a product with the conjugate, one over an element of the subfield, and a
//           product: no table of the whole field.
// Contract  A symbol of each word; all moves with en_i.
// Parameters
//   Width, Poly   the field, as in rsfec_invert
// Latency   3 cycles, of which one before any logic
// Source    G. D. Forney, "On decoding BCH codes", IEEE Trans. Information Theory 11(4), 1965

module rsfec_value #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9)
) (
  input logic clk_i,
  input logic en_i,
  input logic [Width-1:0] even_i,
  input logic [Width-1:0] odd_i,
  input logic [Width-1:0] evaluator_i,
  output logic [Width-1:0] error_o
);

  // a -> a^(2^(Width/2)) is linear: what each bit of a leaves.
  typedef logic [Width-1:0][Width-1:0] masks_t;
  function automatic masks_t conjugate_masks();
    rsfec_pkg::element_t image;
    for (int unsigned b = 0; b < Width; b++) begin
      image = rsfec_pkg::power(b << (Width / 2), Width, rsfec_pkg::element_t'(Poly));
      for (int unsigned k = 0; k < Width; k++) conjugate_masks[k][b] = image[k];
    end
  endfunction
  localparam masks_t ConjugateMasks = conjugate_masks();

  logic [Width-1:0] odd_q, evaluator_q, conjugate, norm, norm_q, scaled, scaled_q, inverse, error;
  logic root_q, root_qq;

  for (genvar k = 0; k < Width; k++) begin : gen_bit
    assign conjugate[k] = ^(odd_q & ConjugateMasks[k]);
  end

  rsfec_mul #(
    .Width(Width),
    .Poly (Poly)
  ) u_norm (
    .a_i      (odd_q),
    .b_i      (conjugate),
    .product_o(norm)
  );

  rsfec_mul #(
    .Width(Width),
    .Poly (Poly)
  ) u_scaled (
    .a_i      (evaluator_q),
    .b_i      (conjugate),
    .product_o(scaled)
  );

  rsfec_invert #(
    .Width(Width),
    .Poly (Poly)
  ) u_invert (
    .element_i(norm_q),
    .inverse_o(inverse)
  );

  rsfec_mul #(
    .Width(Width),
    .Poly (Poly)
  ) u_error (
    .a_i      (scaled_q),
    .b_i      (inverse),
    .product_o(error)
  );

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      odd_q       <= odd_i;
      evaluator_q <= evaluator_i;
      root_q      <= even_i == odd_i;
      norm_q      <= norm;
      scaled_q    <= scaled;
      root_qq     <= root_q;
      error_o     <= root_qq ? error : '0;
    end
  end

endmodule
