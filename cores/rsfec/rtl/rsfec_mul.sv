// SPDX-License-Identifier: Apache-2.0
//
// rsfec_mul: the product of two elements of GF(2^Width).
//
// What      product_o = a_i * b_i.
// Why       Each bit of the product is one XOR over the products of bits: flat, not Width deep.
// Contract  Elements as in rsfec_pkg.
// Parameters
//   Width   bits of an element, 2 to 16
//   Poly    the field polynomial below x^Width
// Latency   combinational

module rsfec_mul #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9)
) (
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  output logic [Width-1:0] product_o
);

  if (Width < 2 || Width > 16) begin : gen_bad
    $error("rsfec_mul %m: rule Width is 2 to 16, got %0d", Width);
  end

  // Which products of bits count for a bit of the result.
  typedef logic [Width-1:0][Width-1:0][Width-1:0] masks_t;
  function automatic masks_t masks();
    rsfec_pkg::element_t term;
    term = rsfec_pkg::element_t'(1);
    for (int unsigned sum = 0; sum < 2 * Width - 1; sum++) begin
      for (int unsigned i = 0; i < Width; i++) begin
        if (sum >= i && sum - i < Width) begin
          for (int unsigned k = 0; k < Width; k++) masks[k][i][sum-i] = term[k];
        end
      end
      term = rsfec_pkg::times_x(term, Width, rsfec_pkg::element_t'(Poly));
    end
  endfunction
  localparam masks_t Masks = masks();

  logic [Width-1:0][Width-1:0] pairs;
  for (genvar i = 0; i < Width; i++) begin : gen_bit
    assign pairs[i] = b_i & {Width{a_i[i]}};
    assign product_o[i] = ^(pairs & Masks[i]);
  end

endmodule
