// SPDX-License-Identifier: Apache-2.0
//
// eth_buffer: a register with a small FIFO behind it.
//
// What      Words come out of a register. While it is free, or read in the same cycle, a new word
//           goes right into it; the others wait in look-up-table RAM.
// Why       The line takes and gives words at its own pace, and only a register drives it.
// Contract  A word is accepted when push_i and !full_o; m side: valid_o and pop_i. Before the first
//           word, and until another one comes, word_o shows ResetWord or the last word.
// Parameters
//   Width       bits of a word, >= 1
//   Depth       words behind the register, >= 2
//   ResetWord   what the register shows after a reset
// Latency   1 cycle
// Limits    holds Depth + 1 words

module eth_buffer #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 2,
  parameter logic [Width-1:0] ResetWord = '0
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             push_i,
  input  logic [Width-1:0] word_i,
  output logic             full_o,
  input  logic             pop_i,
  output logic             valid_o,
  output logic [Width-1:0] word_o
);

  if (Width < 1 || Depth < 2) begin : gen_bad
    $error("eth_buffer %m: rule Width >= 1 and Depth >= 2, got %0d and %0d", Width, Depth);
  end

  localparam int unsigned LevelWidth = $clog2(Depth + 1);

  logic ready, next_valid, load, unused;
  logic [LevelWidth-1:0] level;
  logic [Width-1:0] next_word;

  assign load   = pop_i || !valid_o;
  assign full_o = !ready;
  assign unused = ^level;

  prim_fifo_sync #(
    .Width(Width),
    .Depth(Depth)
  ) u_fifo (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(push_i),
    .s_ready_o(ready),
    .s_data_i (word_i),
    .m_valid_o(next_valid),
    .m_ready_i(load),
    .m_data_o (next_word),
    .level_o  (level)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_o <= 1'b0;
      word_o  <= ResetWord;
    end else if (load) begin
      valid_o <= next_valid;
      if (next_valid) word_o <= next_word;
    end
  end

endmodule
