// SPDX-License-Identifier: Apache-2.0
//
// rsfec_key: from the syndromes of a codeword to its error locator and error evaluator.
//
// What      locator_o is a polynomial with a root x^-p for each symbol p in error (p the power of x
//           that the symbol stands at), evaluator_o one whose values there lead to the errors. Both
//           are scaled for their first use: coefficient i is already multiplied by z^i and
//           z^(Parity + i), with z = x^-(N-1), the place of the first symbol on the line.
// Contract  start_i with syndromes_i, at the earliest when done_o is there. Everything moves with
//           en_i. The word for "done" comes twice: done_o with *_d_o one cycle before the registers
//           have it, for who stores it himself. *_o stay until the next one is done.
//           errors: symbols in error, if any codeword is near enough; beyond: none is. dirty_o: a
//           syndrome was not zero; 2 cycles after start_i.
// Parameters
//   Width, Poly   the field, as in rsfec_mul
//   N             symbols of a codeword
//   Parity        syndromes, even
//   Steps         iterations of a cycle, a divisor of Parity
// Latency   1 + Parity / Steps cycles
// Source    as rsfec_key_step. With errors at z = x^-p the locator is zero; from locator *
//           syndromes = low + z^Parity * high, the error is z^Parity * high / odd part of locator:
//           the algorithm leaves high, and a common factor does not count.

module rsfec_key #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned N = 528,
  parameter int unsigned Parity = 14,
  parameter int unsigned Steps = 2,
  localparam int unsigned T = Parity / 2,
  localparam int unsigned ErrorWidth = $clog2(T + 1)
) (
  input logic clk_i,
  input logic rst_i,
  input logic en_i,
  input logic start_i,
  input logic [Parity-1:0][Width-1:0] syndromes_i,
  output logic dirty_o,
  output logic done_o,
  output logic [T:0][Width-1:0] locator_d_o,
  output logic beyond_d_o,
  output logic [ErrorWidth-1:0] errors_d_o,
  output logic [T:0][Width-1:0] locator_o,
  output logic [T-1:0][Width-1:0] evaluator_o,
  output logic beyond_o,
  output logic [ErrorWidth-1:0] errors_o
);

  localparam int unsigned Cells = 3 * T + 1;
  localparam int unsigned Cycles = Parity / Steps;
  localparam int unsigned Range = $clog2(Parity + 1) + 1;

  if (Parity % 2 != 0 || Parity % Steps != 0) begin : gen_bad
    $error(
        "rsfec_key %m: rule Parity is even and a multiple of Steps, got %0d and %0d", Parity, Steps
    );
  end

  typedef rsfec_pkg::element_t element_t;
  typedef logic [Width-1:0] symbol_t;
  typedef logic [Cells-1:0][Width-1:0] row_t;

  // ---- Iterations ----
  row_t delta_q, theta_q;
  row_t [Steps:0] delta, theta;
  symbol_t gamma_q;
  symbol_t [Steps:0] gamma;
  logic signed [Range-1:0] balance_q;
  logic signed [Steps:0][Range-1:0] balance;
  logic [Cycles-1:0] turn_q;  // one-hot: which cycle of a codeword
  row_t begins;

  assign delta[0]   = delta_q;
  assign theta[0]   = theta_q;
  assign gamma[0]   = gamma_q;
  assign balance[0] = balance_q;

  for (genvar s = 0; s < Steps; s++) begin : gen_step
    rsfec_key_step #(
      .Width(Width),
      .Poly (Poly),
      .Cells(Cells),
      .Range(Range)
    ) u_step (
      .delta_i  (delta[s]),
      .theta_i  (theta[s]),
      .gamma_i  (gamma[s]),
      .balance_i(balance[s]),
      .delta_o  (delta[s+1]),
      .theta_o  (theta[s+1]),
      .gamma_o  (gamma[s+1]),
      .balance_o(balance[s+1])
    );
  end

  always_comb begin
    begins = '0;
    begins[Parity-1:0] = syndromes_i;
    begins[Cells-1] = symbol_t'(1);
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      delta_q   <= start_i ? begins : delta[Steps];
      theta_q   <= start_i ? begins : theta[Steps];
      gamma_q   <= start_i ? symbol_t'(1) : gamma[Steps];
      balance_q <= start_i ? '0 : balance[Steps];
      turn_q    <= (turn_q << 1) | Cycles'(start_i);
      dirty_o   <= (turn_q[0]) ? delta_q[Parity-1:0] != '0 : dirty_o;
    end
    if (rst_i) turn_q <= '0;
  end

  // ---- Result ----
  logic [T-1:0][Width-1:0] evaluator_d;
  for (genvar i = 0; i <= T; i++) begin : gen_scale
    rsfec_dot #(
      .Width  (Width),
      .Poly   (Poly),
      .Count  (1),
      .Factors(symbol_t'(rsfec_pkg::inverse_power(i * (N - 1), Width, element_t'(Poly))))
    ) u_locator (
      .data_i(delta[Steps][T+i]),
      .sum_o (locator_d_o[i])
    );
    if (i < T) begin : gen_evaluator
      rsfec_dot #(
        .Width(Width),
        .Poly(Poly),
        .Count(1),
        .Factors(symbol_t'(rsfec_pkg::inverse_power(
            (Parity + i) * (N - 1), Width, element_t'(Poly)
        )))
      ) u_evaluator (
        .data_i(delta[Steps][i]),
        .sum_o (evaluator_d[i])
      );
    end
  end

  // All Parity iterations done, the length of the locator is (Parity - balance) / 2.
  assign done_o = turn_q[Cycles-1];
  assign beyond_d_o = balance[Steps][Range-1];
  assign errors_d_o = ErrorWidth'(T) - balance[Steps][1+:ErrorWidth];

  always_ff @(posedge clk_i) begin
    if (en_i && done_o) begin
      locator_o   <= locator_d_o;
      evaluator_o <= evaluator_d;
      beyond_o    <= beyond_d_o;
      errors_o    <= errors_d_o;
    end
  end

endmodule
