// SPDX-License-Identifier: Apache-2.0
//
// Proof of rsfec_key: for every pattern of up to T errors the locator has a root at each symbol
// that is wrong and at no other, as many as it says, and locator and evaluator give the error
// there.

module rsfec_key_proof #(
  parameter int unsigned N = 15,
  parameter int unsigned T = 1,
  parameter int unsigned Steps = 1
) (
  input logic clk_i
);

  localparam int unsigned Width = 4;
  localparam logic [Width-1:0] Poly = 4'b0011;
  localparam int unsigned Parity = 2 * T;
  localparam int unsigned Cycles = Parity / Steps;
  localparam int unsigned ErrorWidth = $clog2(T + 1);

  typedef logic [Width-1:0] symbol_t;

  function automatic symbol_t times(input symbol_t a, input symbol_t b);
    times = '0;
    for (int unsigned i = Width; i > 0; i--) begin
      times = {times[Width-2:0], 1'b0} ^ (times[Width-1] ? Poly : '0) ^ (b[i-1] ? a : '0);
    end
  endfunction

  // Powers of x, of any exponent.
  function automatic symbol_t power(input int unsigned exponent);
    power = symbol_t'(1);
    for (int unsigned i = 0; i < exponent % 15; i++) power = times(power, symbol_t'(2));
  endfunction

  // ---- Any errors, the first symbol on the line first, and their syndromes ----
  logic [N-1:0][Width-1:0] errors_q;
  always_ff @(posedge clk_i) errors_q <= errors_q;

  logic [Parity-1:0][Width-1:0] syndromes;
  logic [$clog2(N+1)-1:0] wrong;
  always_comb begin
    wrong = '0;
    for (int unsigned i = 0; i < N; i++) if (errors_q[i] != '0) wrong = wrong + 1'b1;
    assume (wrong <= $bits(wrong)'(T));
  end
  for (genvar j = 0; j < Parity; j++) begin : gen_syndrome
    logic [N:0][Width-1:0] sum;
    assign sum[0] = '0;
    for (genvar i = 0; i < N; i++) begin : gen_symbol
      localparam symbol_t Factor = power(j * (N - 1 - i));
      assign sum[i+1] = sum[i] ^ times(errors_q[i], Factor);
    end
    assign syndromes[j] = sum[N];
  end

  // ---- The solver ----
  logic [4:0] cycle_q = '0;
  always_ff @(posedge clk_i) if (cycle_q != '1) cycle_q <= cycle_q + 1'b1;

  logic dirty, done, beyond_d, beyond;
  logic [T:0][Width-1:0] locator_d, locator;
  logic [T-1:0][Width-1:0] evaluator;
  logic [ErrorWidth-1:0] errors_d, errors;
  rsfec_key #(
    .Width (Width),
    .Poly  (Poly),
    .N     (N),
    .Parity(Parity),
    .Steps (Steps)
  ) u_dut (
    .clk_i      (clk_i),
    .rst_i      (cycle_q == '0),
    .en_i       (1'b1),
    .start_i    (cycle_q == 5'd1),
    .syndromes_i(syndromes),
    .dirty_o    (dirty),
    .done_o     (done),
    .locator_d_o(locator_d),
    .beyond_d_o (beyond_d),
    .errors_d_o (errors_d),
    .locator_o  (locator),
    .evaluator_o(evaluator),
    .beyond_o   (beyond),
    .errors_o   (errors)
  );

  // ---- Values at each symbol ----
  logic [N-1:0] right;
  for (genvar i = 0; i < N; i++) begin : gen_place
    symbol_t [T+1:0] even, odd, high;
    assign {even[0], odd[0], high[0]} = '0;
    for (genvar l = 0; l <= T; l++) begin : gen_term
      localparam symbol_t Factor = power(l * i);
      localparam symbol_t High = power((Parity + l) * i);
      assign even[l+1] = even[l] ^ ((l % 2 == 0) ? times(locator[l], Factor) : '0);
      assign odd[l+1]  = odd[l] ^ ((l % 2 == 1) ? times(locator[l], Factor) : '0);
      if (l < T) assign high[l+1] = high[l] ^ times(evaluator[l], High);
      else assign high[l+1] = high[l];
    end
    assign right[i] = (errors_q[i] == '0) ? even[T+1] != odd[T+1] :
                      even[T+1] == odd[T+1] && odd[T+1] != '0 &&
                      times(
        errors_q[i], odd[T+1]
    ) == high[T+1];
  end

  always_comb begin
    if (cycle_q == 5'(Cycles + 2)) begin
      a_number : assert (!beyond && errors == ErrorWidth'(wrong));
      a_values : assert (right == '1);
    end
    if (cycle_q == 5'd3) a_dirty : assert (dirty == (wrong != '0));
    a_done : assert (cycle_q == '0 || done == (cycle_q == 5'(Cycles + 1)));
  end

endmodule
