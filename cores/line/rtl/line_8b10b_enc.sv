// SPDX-License-Identifier: Apache-2.0
//
// line_8b10b_enc: one step of an 8b/10b encoder, Symbols characters at once.
//
// What      Turns data bytes and control characters into symbols of ten bits. Purely combinational;
//           the caller owns the register of the running disparity.
// Why       A line code with bounded disparity and runs of at most five equal bits, for
//           transceivers that are coupled by capacitors and recover their clock from the data.
//
// Contract  Character 0 (bits 7:0) is sent first; of a symbol, bit 0 (`a`) first and bit 9 (`j`)
//           last. k_i of a character: it is a control character, one of the twelve: 8'h1c, 3c, 5c,
//           7c, 9c, bc, dc, fc (K28.0 to K28.7), f7, fb, fd, fe (K23.7, K27.7, K29.7, K30.7). Any
//           other value with k_i gives a symbol that reads as something else: never offer one.
//           rd_i is the running disparity before the first symbol (0 negative, 1 positive), rd_o
//           behind the last; either may be the start, because a receiver finds it by itself.
//
// Parameters  Symbols  characters in a step, >= 1
// Latency   none (combinational): two tables, one XOR for each further symbol.
// Source    line_8b10b_pkg. Which blocks change the disparity depends on the characters alone, so
//           the disparity in front of each of them is a parity and no chain of encoders.

module line_8b10b_enc #(
  parameter int unsigned Symbols = 2
) (
  input  logic                  rd_i,
  input  logic [ 8*Symbols-1:0] data_i,
  input  logic [   Symbols-1:0] k_i,
  output logic [10*Symbols-1:0] data_o,
  output logic                  rd_o
);

  import line_8b10b_pkg::*;

  if (Symbols < 1) begin : gen_bad_symbols
    $error("line_8b10b_enc %m: Symbols must be at least 1, got %0d", Symbols);
  end

  logic [Symbols-1:0] rd;  // in front of each symbol

  logic [Symbols-1:0] flips;  // symbols that change it

  always_comb begin
    logic running;
    running = rd_i;
    for (int s = 0; s < int'(Symbols); s++) begin
      rd[s]   = running;
      running = running ^ flips[s];
    end
    rd_o = running;
  end

  for (genvar s = 0; s < Symbols; s++) begin : gen_symbol
    logic [4:0] x;
    logic [2:0] y;
    logic [5:0] block6;
    logic [3:0] block4;
    logic k, rd_mid, alternate, invert6, invert4;

    assign {y, x} = data_i[8*s+:8];
    assign k = k_i[s];

    assign block6 = six(x, k);
    assign invert6 = rd[s] && positive6(block6);
    assign rd_mid = rd[s] ^ heavy6(block6);

    // D.x.7 in its other form where the usual one would make six equal bits in a row.
    assign alternate = rd_mid ? (x == 5'd11 || x == 5'd13 || x == 5'd14)
                              : (x == 5'd17 || x == 5'd18 || x == 5'd20);
    assign block4 = four(y, k || (y == 3'd7 && alternate));
    assign invert4 = rd_mid && (k || positive4(block4));
    assign flips[s] = heavy6(block6) ^ heavy4(four(y, k));  // both forms of x.7 do

    assign data_o[10*s+:10] = {block4 ^ {4{invert4}}, block6 ^ {6{invert6}}};
  end

endmodule
