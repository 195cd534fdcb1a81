// SPDX-License-Identifier: Apache-2.0
//
// line_scrambler: one step of a multiplicative (self-synchronising) scrambler, Width bits at once.
//
// What      Divides the bit stream by 1 + x^Tap + x^Order over GF(2):
//             out(t) = in(t) ^ out(t - Tap) ^ out(t - Order)
//           Purely combinational; the caller owns the state register and decides when a step
//           counts (a frame format may skip bits: RIFL skips the sync bits and the check code).
// Why       Gives the line enough transitions for clock recovery and random-like data for the
//           alignment search, without a seed that both ends would have to agree on.
//
// Contract  Time runs from data bit Width-1 (first) to bit 0 (last).
//           State bit k is the line bit that was sent k + 1 bit times before data bit Width-1, so
//           bit 0 is the most recent one. Feed state_o back as state_i of the next step. One step
//           of A + B bits equals a step of A bits and then a step of B bits.
//           The all-zero state with all-zero data stays all zero (true for every scrambler of
//           this kind): start from another state, or send data that is not constant.
// Must match the peer
//           Order and Tap (line_descrambler). Width may differ.
//
// Parameters  Width  bits in a step, >= 1; smaller or larger than Tap and Order
//             Order  degree of the polynomial, >= 2
//             Tap    exponent of its middle term, 1 .. Order-1
// Latency   none (combinational), about log2(Width / Tap) + 1 XOR levels.
//
// How       The state enters as an addend of the data (v), which leaves v / (1 + p) with
//           p = x^Tap + x^Order and no history. Over GF(2) (1 + p)^(2^k) = 1 + p^(2^k), hence
//             1 / (1 + p) = (1 + p) (1 + p^2) (1 + p^4) ... / (1 + p^(2^m)),
//           and the last divisor has no effect on a block of Width <= Tap * 2^m bits. So a few
//           shifts and XORs of the whole word replace a chain of Width / Tap dependent steps.
// Source    RIFL paper, section on the frame format (x^33, x^13); the construction is IEEE Std
//           802.3 clause 49's (x^58, x^39) with other taps.

module line_scrambler #(
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
    $error("line_scrambler %m: Width must be at least 1, got %0d", Width);
  end
  if (Order < 2 || Tap < 1 || Tap >= Order) begin : gen_bad_polynomial
    $error("line_scrambler %m: needs 1 <= Tap < Order, got Tap %0d, Order %0d", Tap, Order);
  end

  // The state with the data bits still unknown, in time order: the newest bit at bit 0.
  logic [Order+Width-1:0] history;
  logic [      Width-1:0] quotient;

  assign history = {state_i, {Width{1'b0}}};

  always_comb begin
    quotient = data_i ^ Width'(history >> Tap) ^ Width'(history >> Order);
    for (int unsigned scale = 1; scale * Tap < Width; scale = scale * 2) begin
      quotient = quotient ^ (quotient >> (scale * Tap)) ^ (quotient >> (scale * Order));
    end
  end

  assign data_o  = quotient;
  assign state_o = Order'({state_i, quotient});

endmodule
