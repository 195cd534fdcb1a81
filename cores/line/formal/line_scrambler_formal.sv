// SPDX-License-Identifier: Apache-2.0
//
// Proof of line_scrambler and line_descrambler for one width and polynomial.
//
// 1. The scrambler's shift-and-XOR form equals the definition, one bit after the other, from every
//    state and for all data (a_definition).
// 2. Descrambling undoes scrambling in every step while the two states are equal, and equal states
//    stay equal (a_round_trip): by induction, for ever.
// 3. From ANY pair of states the states are equal after ceil(Order / Width) steps (a_synchronised).
//
// The start values of the state registers are free (no reset, no initial value).

module line_scrambler_formal #(
  parameter int unsigned Width = 64,
  parameter int unsigned Order = 33,
  parameter int unsigned Tap   = 13
) (
  input logic             clk_i,
  input logic [Width-1:0] data_i
);

  localparam int unsigned Steps = (Order + Width - 1) / Width;

  logic [Order-1:0] scr_state_q, scr_state, des_state_q, des_state;
  logic [Width-1:0] line, plain;

  line_scrambler #(
    .Width(Width),
    .Order(Order),
    .Tap  (Tap)
  ) u_scrambler (
    .state_i(scr_state_q),
    .data_i (data_i),
    .data_o (line),
    .state_o(scr_state)
  );

  line_descrambler #(
    .Width(Width),
    .Order(Order),
    .Tap  (Tap)
  ) u_descrambler (
    .state_i(des_state_q),
    .data_i (line),
    .data_o (plain),
    .state_o(des_state)
  );

  // The definition.
  logic [Order+Width-1:0] serial;

  always_comb begin
    serial = {scr_state_q, {Width{1'b0}}};
    for (int i = int'(Width) - 1; i >= 0; i--) begin
      serial[i] = data_i[i] ^ serial[i+int'(Tap)] ^ serial[i+int'(Order)];
    end
  end

  logic [31:0] steps_q = '0;

  always_ff @(posedge clk_i) begin
    scr_state_q <= scr_state;
    des_state_q <= des_state;
    if (steps_q < Steps) steps_q <= steps_q + 1;
  end

  always_comb begin
    a_definition : assert ({scr_state, line} == {serial[Order-1:0], serial[Width-1:0]});

    a_round_trip :
    assert (scr_state_q != des_state_q || (plain == data_i && scr_state == des_state));

    a_synchronised : assert (steps_q < Steps || scr_state_q == des_state_q);
  end

endmodule
