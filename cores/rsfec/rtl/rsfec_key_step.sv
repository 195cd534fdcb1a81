// SPDX-License-Identifier: Apache-2.0
//
// rsfec_key_step: one iteration of the key equation.
//
// What      delta is the row of discrepancies, with the error locator growing behind it; theta is
//           the row before the last change of length; gamma is its discrepancy. balance counts
//           iterations less twice the length of the locator.
// Contract  Elements as in rsfec_pkg. No inversion: rows are right but for a common factor, which
//           is never zero.
// Parameters
//   Width, Poly   the field, as in rsfec_mul
//   Cells         of a row
//   Range         bits of balance
// Latency   combinational: two products, a sum and a multiplexer
// Source    D. V. Sarwate, N. R. Shanbhag, "High-speed architectures for Reed-Solomon decoders",
//           IEEE Trans. VLSI Systems 9(5), 2001: the reformulated algorithm

module rsfec_key_step #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned Cells = 22,
  parameter int unsigned Range = 5
) (
  input logic [Cells-1:0][Width-1:0] delta_i,
  input logic [Cells-1:0][Width-1:0] theta_i,
  input logic [Width-1:0] gamma_i,
  input logic signed [Range-1:0] balance_i,
  output logic [Cells-1:0][Width-1:0] delta_o,
  output logic [Cells-1:0][Width-1:0] theta_o,
  output logic [Width-1:0] gamma_o,
  output logic signed [Range-1:0] balance_o
);

  logic [Cells-1:0][Width-1:0] shifted;
  assign shifted = delta_i >> Width;

  for (genvar i = 0; i < Cells; i++) begin : gen_cell
    logic [Width-1:0] grown, old;
    rsfec_mul #(
      .Width(Width),
      .Poly (Poly)
    ) u_grown (
      .a_i      (gamma_i),
      .b_i      (shifted[i]),
      .product_o(grown)
    );
    rsfec_mul #(
      .Width(Width),
      .Poly (Poly)
    ) u_old (
      .a_i      (delta_i[0]),
      .b_i      (theta_i[i]),
      .product_o(old)
    );
    assign delta_o[i] = grown ^ old;
  end

  logic longer;  // the locator is
  assign longer = delta_i[0] != '0 && !balance_i[Range-1];
  assign theta_o = longer ? shifted : theta_i;
  assign gamma_o = longer ? delta_i[0] : gamma_i;
  assign balance_o = longer ? ~balance_i : balance_i + Range'(1);

endmodule
