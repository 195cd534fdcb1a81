// SPDX-License-Identifier: Apache-2.0
//
// rsfec_dot: elements of GF(2^Width), each times a constant, added up.
//
// What      sum_o = data_i[0] * Factors[0] + data_i[1] * Factors[1] + ...
// Why       Division, syndromes and roots are sums of this kind: one text for them all. Each bit of
//           the sum is one XOR under a constant mask.
// Contract  Elements as in rsfec_pkg.
// Parameters
//   Width     bits of an element, 2 to 16
//   Poly      the field polynomial below x^Width
//   Count     elements, >= 1
//   Factors   the constants
// Latency   combinational

module rsfec_dot #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned Count = 1,
  parameter logic [Count-1:0][Width-1:0] Factors = '0
) (
  input logic [Count-1:0][Width-1:0] data_i,
  output logic [Width-1:0] sum_o
);

  if (Width < 2 || Width > 16 || Count < 1) begin : gen_bad
    $error("rsfec_dot %m: rule Width is 2 to 16 and Count >= 1, got %0d and %0d", Width, Count);
  end

  typedef logic [Width-1:0][Count-1:0][Width-1:0] masks_t;
  function automatic masks_t masks();
    rsfec_pkg::element_t term;
    for (int unsigned i = 0; i < Count; i++) begin
      term = rsfec_pkg::element_t'(Factors[i]);
      for (int unsigned b = 0; b < Width; b++) begin
        for (int unsigned k = 0; k < Width; k++) masks[k][i][b] = term[k];
        term = rsfec_pkg::times_x(term, Width, rsfec_pkg::element_t'(Poly));
      end
    end
  endfunction
  localparam masks_t Masks = masks();

  for (genvar k = 0; k < Width; k++) begin : gen_bit
    assign sum_o[k] = ^(data_i & Masks[k]);
  end

endmodule
