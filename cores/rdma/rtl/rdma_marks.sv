// SPDX-License-Identifier: Apache-2.0
//
// rdma_marks: a flag in each word, which two parties set and clear.
//
// What      Words flags in look-up-table RAM. Each of the parties a and b gives one flag a value in
//           each cycle; a third one reads a flag of its own choice.
// Why       Registers would take a decoder for each party and a wide multiplexer for the reader.
// Contract  a_set_i = 1 gives on this edge flag a_word_i the value a_value_i, b likewise; of the
//           same flag a decides. rd_flag_o is flag rd_word_i as it is: what is given now is seen in
//           the next cycle. clear_i = 1 clears flag clear_word_i instead, and nothing is set; there
//           is no other reset. Word numbers are below Words.
// Latency   Write 1 cycle, read 0.
//
// Parameters
//   Words   flags, >= 2

module rdma_marks #(
  parameter int unsigned Words = 66,
  localparam int unsigned WordWidth = (Words > 2) ? $clog2(Words) : 1
) (
  input  logic                 clk_i,
  input  logic                 clear_i,
  input  logic [WordWidth-1:0] clear_word_i,
  input  logic                 a_set_i,
  input  logic [WordWidth-1:0] a_word_i,
  input  logic                 a_value_i,
  input  logic                 b_set_i,
  input  logic [WordWidth-1:0] b_word_i,
  input  logic                 b_value_i,
  input  logic [WordWidth-1:0] rd_word_i,
  output logic                 rd_flag_o
);

  if (Words < 2) begin : gen_bad_words
    $error("rdma_marks %m: rule Words >= 2, got %0d", Words);
  end

  // A flag is the exclusive OR of one of each party.
  logic a_at_a, a_at_b, a_at_rd, b_at_a, b_at_b, b_at_rd;
  assign rd_flag_o = a_at_rd ^ b_at_rd;

  rdma_flags #(
    .Words  (Words),
    .Bits   (1),
    .Readers(2)
  ) u_a (
    .flip_i     (a_set_i && (a_at_a ^ b_at_a) != a_value_i),
    .flip_word_i(clear_i ? clear_word_i : a_word_i),
    .flip_mask_i(1'b1),
    .flip_now_o (a_at_a),
    .rd_word_i  ({b_word_i, rd_word_i}),
    .rd_flags_o ({a_at_b, a_at_rd}),
    .*
  );

  rdma_flags #(
    .Words  (Words),
    .Bits   (1),
    .Readers(2)
  ) u_b (
    .flip_i     (b_set_i && (a_at_b ^ b_at_b) != b_value_i && !(a_set_i && a_word_i == b_word_i)),
    .flip_word_i(clear_i ? clear_word_i : b_word_i),
    .flip_mask_i(1'b1),
    .flip_now_o (b_at_b),
    .rd_word_i  ({a_word_i, rd_word_i}),
    .rd_flags_o ({b_at_a, b_at_rd}),
    .*
  );

endmodule
