// SPDX-License-Identifier: Apache-2.0
//
// rdma_flags: many flags in look-up-table RAM, with one writer and several readers.
//
// What      Words x Bits flags. In each cycle the writer flips any of the flags of one word; each
//           reader sees one word, of its own choice.
// Why       State that two parties change is kept as the exclusive OR of two such memories, one for
//           each party: both write in the same cycle, none waits and none overwrites the other. A
//           register for each flag would take twice the flip-flops and a decoder for each party.
// Contract  flip_i = 1 flips on this edge the flags of word flip_word_i that are set in
//           flip_mask_i; flip_now_o shows that word as it is. rd_flags_o[r] is word rd_word_i[r] as
//           it is: what is flipped now is seen in the next cycle. clear_i = 1 clears word
//           flip_word_i instead. There is no other reset: after power-up and to start anew every
//           word is cleared, one a cycle. Word numbers are below Words.
// Latency   Write 1 cycle, read 0.
//
// Parameters
//   Words     words, >= 2
//   Bits      flags of a word, >= 1
//   Readers   readers, >= 1

module rdma_flags #(
  parameter int unsigned Words = 32,
  parameter int unsigned Bits = 64,
  parameter int unsigned Readers = 1,
  localparam int unsigned WordWidth = (Words > 2) ? $clog2(Words) : 1
) (
  input  logic                                clk_i,
  input  logic                                clear_i,
  input  logic                                flip_i,
  input  logic [WordWidth-1:0]                flip_word_i,
  input  logic [     Bits-1:0]                flip_mask_i,
  output logic [     Bits-1:0]                flip_now_o,
  input  logic [  Readers-1:0][WordWidth-1:0] rd_word_i,
  output logic [  Readers-1:0][     Bits-1:0] rd_flags_o
);

  if (Words < 2) begin : gen_bad_words
    $error("rdma_flags %m: rule Words >= 2, got %0d", Words);
  end
  if (Bits < 1) begin : gen_bad_bits
    $error("rdma_flags %m: rule Bits >= 1, got %0d", Bits);
  end
  if (Readers < 1) begin : gen_bad_readers
    $error("rdma_flags %m: rule Readers >= 1, got %0d", Readers);
  end

  logic wr_en;
  logic [Bits-1:0] wr_data;

  assign wr_en   = clear_i || flip_i;
  assign wr_data = clear_i ? '0 : flip_now_o ^ flip_mask_i;

  // A copy for each place that reads.
  prim_ram_lut #(
    .Width(Bits),
    .Depth(Words)
  ) u_own (
    .clk_i    (clk_i),
    .wr_en_i  (wr_en),
    .wr_addr_i(flip_word_i),
    .wr_data_i(wr_data),
    .rd_addr_i(flip_word_i),
    .rd_data_o(flip_now_o)
  );

  for (genvar r = 0; r < int'(Readers); r++) begin : gen_reader
    prim_ram_lut #(
      .Width(Bits),
      .Depth(Words)
    ) u_copy (
      .clk_i    (clk_i),
      .wr_en_i  (wr_en),
      .wr_addr_i(flip_word_i),
      .wr_data_i(wr_data),
      .rd_addr_i(rd_word_i[r]),
      .rd_data_o(rd_flags_o[r])
    );
  end

endmodule
