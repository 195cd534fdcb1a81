// SPDX-License-Identifier: Apache-2.0
//
// line_gearbox_tx: blocks of 66 bits become raw words of 16.
//
// What      Eight blocks are 33 words. A block of each cycle in which one is due waits, with the
//           rest of the one before, in 80 bits.
// Contract  s_valid_i: a block, 0, 4, 8, .. 28 cycles after the first one of eight, and so on every
//           33 cycles. place_i: which of the eight it is; what is left of the one before is two
//           bits for each of them. data_o: a raw word in every cycle, bit 0 first on the line.
// Latency   1 cycle to the word with the block's first bit (of block 7 its first two bits; the word
//           is full of the block before).
// Source    IEEE Std 802.3, 49.2.5 (gearbox).

module line_gearbox_tx
  import line_64b66b_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_i,
  input  logic          s_valid_i,
  input  logic   [ 2:0] place_i,
  input  block_t        s_data_i,
  output logic   [15:0] data_o
);

  // A block, and up to 14 bits of the one before.
  logic [79:0] buffer_q, rest;

  assign rest = buffer_q >> 16;

  always_ff @(posedge clk_i) begin
    if (rst_i) buffer_q <= '0;
    else if (s_valid_i) buffer_q <= rest | 80'(s_data_i) << {place_i, 1'b0};
    else buffer_q <= rest;
  end

  assign data_o = buffer_q[15:0];

endmodule
