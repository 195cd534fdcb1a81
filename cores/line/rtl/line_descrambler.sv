// SPDX-License-Identifier: Apache-2.0
//
// line_descrambler: one step of a multiplicative (self-synchronising) descrambler, Width bits at
// once; the inverse of line_scrambler.
//
// What      Multiplies the line bit stream by 1 + x^Tap + x^Order over GF(2):
//             out(t) = line(t) ^ line(t - Tap) ^ line(t - Order)
//           Purely combinational; the caller owns the state register.
// Why       No seed and no start-up exchange: whatever the state was, the output is right from
//           the (Order + 1)-th received bit on.
//
// Contract  Time runs from data bit Width-1 (first) to bit 0 (last). State bit k is the LINE bit
//           received k + 1 bit times before data bit Width-1. Feed state_o back as state_i of the
//           next step; skip the same bits as the scrambler does.
// Must match the peer
//           Order and Tap (line_scrambler). Width may differ.
//
// Parameters  Width  bits in a step, >= 1; smaller or larger than Tap and Order
//             Order  degree of the polynomial, >= 2
//             Tap    exponent of its middle term, 1 .. Order-1
// Latency   none (combinational), one 3-input XOR.
// Limits    One wrong line bit damages exactly three output bits: itself and the ones Tap and Order
//           bit times later. Check codes should therefore be verified BEFORE descrambling, as
//           RIFL does, or be able to detect that pattern.
// Source    RIFL paper, section on the frame format (x^33, x^13).

module line_descrambler #(
  parameter int unsigned Width = 64,
  parameter int unsigned Order = 33,
  parameter int unsigned Tap   = 13
) (
  input  logic [Order-1:0] state_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o,
  output logic [Order-1:0] state_o
);

  if (Width < 1) begin : gen_bad_width
    $error("line_descrambler %m: Width must be at least 1, got %0d", Width);
  end
  if (Order < 2 || Tap < 1 || Tap >= Order) begin : gen_bad_polynomial
    $error("line_descrambler %m: needs 1 <= Tap < Order, got Tap %0d, Order %0d", Tap, Order);
  end

  // Line bits in time order, the newest at bit 0: the state stands before (above) the data.
  localparam int unsigned LineWidth = Order + Width;

  logic [LineWidth-1:0] line;

  assign line    = {state_i, data_i};
  assign data_o  = data_i ^ line[Tap+:Width] ^ line[Order+:Width];
  assign state_o = line[Order-1:0];

endmodule
