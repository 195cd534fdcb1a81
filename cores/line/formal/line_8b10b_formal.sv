// SPDX-License-Identifier: Apache-2.0
//
// Proof of line_8b10b_enc and line_8b10b_dec against each other, for every character, word and
// disparity.
//
// 1. What is encoded is decoded, without error, and the disparities go along (a_round_trip).
// 2. The decoder's verdict is exact: a word without error is the one that the encoder sends for
//    this character at this disparity (a_no_error); with a disparity error, at the other one
//    (a_disparity_error); with a code error, no character's at any disparity (a_code_error: the
//    candidate is free, so it is every one).
// 3. A flipped bit is seen at its symbol or leaves another disparity behind it (a_flip), which the
//    next block that is not neutral shows.
// 4. No more than five equal bits within a symbol, and the disparity is what was counted (a_run,
//    a_count).
// 5. A step of two characters is two steps of one (a_pair).

module line_8b10b_formal (
  input logic       rd_i,
  input logic [7:0] data_i,
  input logic       k_i,
  input logic [9:0] word_i,
  input logic [3:0] bit_i
);

  logic legal;  // data_i with k_i is one of the 268 characters
  assign legal = !k_i || data_i[4:0] == 5'd28 || (data_i inside {8'hf7, 8'hfb, 8'hfd, 8'hfe});

  logic [9:0] sent, sent_other;
  logic rd_sent;

  line_8b10b_enc #(
    .Symbols(1)
  ) u_enc (
    .rd_i,
    .data_i,
    .k_i,
    .data_o(sent),
    .rd_o  (rd_sent)
  );

  line_8b10b_enc #(
    .Symbols(1)
  ) u_enc_other (
    .rd_i  (!rd_i),
    .data_i,
    .k_i,
    .data_o(sent_other),
    .rd_o  ()
  );

  // The round trip.
  logic [7:0] back;
  logic back_k, back_code, back_disparity, rd_back;

  line_8b10b_dec #(
    .Symbols(1)
  ) u_dec (
    .rd_i,
    .data_i           (sent),
    .data_o           (back),
    .k_o              (back_k),
    .code_error_o     (back_code),
    .disparity_error_o(back_disparity),
    .rd_o             (rd_back)
  );

  // Any word, and its character encoded again.
  logic [7:0] read;
  logic read_k, read_code, read_disparity;
  logic [9:0] again, again_other;

  line_8b10b_dec #(
    .Symbols(1)
  ) u_dec_any (
    .rd_i,
    .data_i           (word_i),
    .data_o           (read),
    .k_o              (read_k),
    .code_error_o     (read_code),
    .disparity_error_o(read_disparity),
    .rd_o             ()
  );

  line_8b10b_enc #(
    .Symbols(1)
  ) u_again (
    .rd_i,
    .data_i(read),
    .k_i   (read_k),
    .data_o(again),
    .rd_o  ()
  );

  line_8b10b_enc #(
    .Symbols(1)
  ) u_again_other (
    .rd_i  (!rd_i),
    .data_i(read),
    .k_i   (read_k),
    .data_o(again_other),
    .rd_o  ()
  );

  // A flipped bit.
  logic flip_code, flip_disparity, rd_flip;

  line_8b10b_dec #(
    .Symbols(1)
  ) u_dec_flip (
    .rd_i,
    .data_i           (sent ^ (10'd1 << bit_i)),
    .data_o           (),
    .k_o              (),
    .code_error_o     (flip_code),
    .disparity_error_o(flip_disparity),
    .rd_o             (rd_flip)
  );

  // Two characters at once: any word, and its character behind the first one.
  logic [19:0] pair_sent;
  logic [15:0] pair_read;
  logic [ 9:0] second_sent;
  logic [ 7:0] second_read;
  logic [1:0] pair_code, pair_disparity;
  logic rd_pair_sent, rd_pair_read, rd_second_sent, rd_second_read, second_code, second_disparity;

  line_8b10b_enc #(
    .Symbols(2)
  ) u_enc_pair (
    .rd_i,
    .data_i({read, data_i}),
    .k_i   ({read_k, k_i}),
    .data_o(pair_sent),
    .rd_o  (rd_pair_sent)
  );

  line_8b10b_enc #(
    .Symbols(1)
  ) u_enc_second (
    .rd_i  (rd_sent),
    .data_i(read),
    .k_i   (read_k),
    .data_o(second_sent),
    .rd_o  (rd_second_sent)
  );

  line_8b10b_dec #(
    .Symbols(2)
  ) u_dec_pair (
    .rd_i,
    .data_i           ({word_i, sent}),
    .data_o           (pair_read),
    .k_o              (),
    .code_error_o     (pair_code),
    .disparity_error_o(pair_disparity),
    .rd_o             (rd_pair_read)
  );

  line_8b10b_dec #(
    .Symbols(1)
  ) u_dec_second (
    .rd_i             (rd_back),
    .data_i           (word_i),
    .data_o           (second_read),
    .k_o              (),
    .code_error_o     (second_code),
    .disparity_error_o(second_disparity),
    .rd_o             (rd_second_read)
  );

  logic [9:1] edges;  // bits that differ from the one before
  assign edges = sent[9:1] ^ sent[8:0];

  always_comb begin
    if (legal) begin
      a_round_trip :
      assert (!back_code && !back_disparity && back == data_i && back_k == k_i
              && rd_back == rd_sent);
      a_flip : assert (bit_i > 4'd9 || flip_code || flip_disparity || rd_flip != rd_sent);
      a_count : assert ($countones(sent) == ((rd_sent == rd_i) ? 5 : rd_i ? 4 : 6));
      a_run :
      assert (edges[5:1] != '0 && edges[6:2] != '0 && edges[7:3] != '0
              && edges[8:4] != '0 && edges[9:5] != '0);
      a_code_error : assert (!read_code || (word_i != sent && word_i != sent_other));
    end
    a_no_error : assert (read_code || read_disparity || again == word_i);
    a_disparity_error :
    assert (!read_disparity || (!read_code && again != word_i && again_other == word_i));
    a_damaged : assert (!read_code || (read == 8'hfe && read_k));
    a_pair :
    assert (pair_sent == {second_sent, sent} && rd_pair_sent == rd_second_sent
            && pair_read == {second_read, back} && rd_pair_read == rd_second_read
            && pair_code == {second_code, back_code}
            && pair_disparity == {second_disparity, back_disparity});
    c_disparity : cover (read_disparity);
    c_code : cover (read_code);
  end

endmodule
