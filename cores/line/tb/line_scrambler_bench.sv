// SPDX-License-Identifier: Apache-2.0
//
// line_scrambler_bench: many line_scrambler and line_descrambler instances side by side, so that
// one simulation build covers every width and polynomial of the test.
//
// Instance n has width Widths[n], order Orders[n] and tap Taps[n]; each has its own lane of the
// buses and uses the low bits of it. Unused output bits are zero.

module line_scrambler_bench #(
  parameter int unsigned                   Count    = 1,
  parameter int unsigned                   MaxWidth = 64,
  parameter int unsigned                   MaxOrder = 33,
  parameter logic        [Count-1:0][15:0] Widths   = 16'd64,
  parameter logic        [Count-1:0][15:0] Orders   = 16'd33,
  parameter logic        [Count-1:0][15:0] Taps     = 16'd13
) (
  input  logic [Count-1:0][MaxOrder-1:0] scr_state_i,
  input  logic [Count-1:0][MaxWidth-1:0] scr_data_i,
  output logic [Count-1:0][MaxWidth-1:0] scr_data_o,
  output logic [Count-1:0][MaxOrder-1:0] scr_state_o,

  input  logic [Count-1:0][MaxOrder-1:0] des_state_i,
  input  logic [Count-1:0][MaxWidth-1:0] des_data_i,
  output logic [Count-1:0][MaxWidth-1:0] des_data_o,
  output logic [Count-1:0][MaxOrder-1:0] des_state_o
);

  for (genvar n = 0; n < Count; n++) begin : gen_instance
    localparam int unsigned Width = 32'(Widths[n]);
    localparam int unsigned Order = 32'(Orders[n]);
    localparam int unsigned Tap = 32'(Taps[n]);

    logic [Width-1:0] scr_data, des_data;
    logic [Order-1:0] scr_state, des_state;

    line_scrambler #(
      .Width(Width),
      .Order(Order),
      .Tap  (Tap)
    ) u_scrambler (
      .state_i(scr_state_i[n][Order-1:0]),
      .data_i (scr_data_i[n][Width-1:0]),
      .data_o (scr_data),
      .state_o(scr_state)
    );

    line_descrambler #(
      .Width(Width),
      .Order(Order),
      .Tap  (Tap)
    ) u_descrambler (
      .state_i(des_state_i[n][Order-1:0]),
      .data_i (des_data_i[n][Width-1:0]),
      .data_o (des_data),
      .state_o(des_state)
    );

    assign scr_data_o[n]  = MaxWidth'(scr_data);
    assign scr_state_o[n] = MaxOrder'(scr_state);
    assign des_data_o[n]  = MaxWidth'(des_data);
    assign des_state_o[n] = MaxOrder'(des_state);
  end

endmodule
