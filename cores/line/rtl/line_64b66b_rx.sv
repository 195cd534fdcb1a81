// SPDX-License-Identifier: Apache-2.0
//
// line_64b66b_rx: the receiver of a 64b/66b lane, from raw words to words.
//
// What      line_gearbox_rx, line_block_lock, the descrambler and line_64b66b_dec with their
//           registers.
// Contract  data_i: a raw word in every cycle, bit 0 first on the line.
//           valid_o: a word, k_o and data_o as in line_64b66b_dec; error_o: it means nothing. 32
//           words in 33 cycles. aligned_o = 0: the words mean nothing.
// Latency   4 cycles from the raw word with a block's last bit to its first word.
//
// Parameters  LockBlocks, BadLimit  those of line_block_lock
// Limits    One wrong bit of the payload shows three times: there, 39 and 58 bits later, which may
//           be in the next block.

module line_64b66b_rx
  import line_64b66b_pkg::*;
#(
  parameter int unsigned LockBlocks = 64,
  parameter int unsigned BadLimit   = 16
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [15:0] data_i,
  output logic        valid_o,
  output logic        k_o,
  output logic [15:0] data_o,
  output logic        error_o,
  output logic        aligned_o
);

  logic valid, slip, locked;
  block_t   block;
  payload_t plain;
  logic [57:0] state_q, state;

  line_gearbox_rx u_gearbox (
    .clk_i,
    .rst_i,
    .data_i,
    .slip_i   (slip),
    .m_valid_o(valid),
    .m_data_o (block)
  );

  line_block_lock #(
    .LockBlocks(LockBlocks),
    .BadLimit  (BadLimit)
  ) u_lock (
    .clk_i,
    .rst_i,
    .valid_i (valid),
    .header_i(block[1:0]),
    .slip_o  (slip),
    .locked_o(locked)
  );

  line_descrambler #(
    .Width(64),
    .Order(58),
    .Tap  (39)
  ) u_descrambler (
    .state_i(state_q),
    .data_i (reversed(block[65:2])),
    .data_o (plain),
    .state_o(state)
  );

  logic [1:0] header_q, word_q;
  payload_t payload_q;
  logic busy_q;
  logic [3:0] k, error;
  words_t data;

  line_64b66b_dec u_dec (
    .header_i (header_q),
    .payload_i(payload_q),
    .k_o      (k),
    .data_o   (data),
    .error_o  (error)
  );

  always_ff @(posedge clk_i) begin
    if (valid) begin
      state_q   <= state;
      header_q  <= block[1:0];
      payload_q <= reversed(plain);
    end
    word_q    <= valid ? '0 : word_q + 1'b1;
    busy_q    <= !rst_i && (valid || (busy_q && word_q != '1));
    valid_o   <= busy_q && !rst_i;
    k_o       <= k[word_q];
    data_o    <= data[word_q];
    error_o   <= error[word_q];
    aligned_o <= locked && !rst_i;
  end

endmodule
