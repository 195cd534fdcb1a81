// SPDX-License-Identifier: Apache-2.0
//
// Proof of line_64b66b_enc and line_64b66b_dec against each other, for every block.
//
// 1. What is encoded is decoded, without error (a_round_trip).
// 2. A block without an error is the one that its words are encoded as (a_verdict): no two blocks
//    mean the same.
// 3. A flipped bit of the header damages all four words (a_header); up to three in the type of a
//    control block, too (a_type).
// 4. Of a block of control words alone, up to three wrong bits in each byte never leave four words
//    without error (a_control).

module line_64b66b_formal
  import line_64b66b_pkg::*;
(
  input logic     [3:0] k_i,
  input words_t         data_i,
  input logic           bit_i,
  input payload_t       flips_i,
  input logic     [1:0] header_i,
  input payload_t       payload_i
);

  header_e  header;
  payload_t payload;

  line_64b66b_enc u_enc (
    .k_i,
    .data_i,
    .header_o (header),
    .payload_o(payload)
  );

  // The round trip.
  logic [3:0] k, error;
  words_t data, wanted;

  line_64b66b_dec u_dec (
    .header_i (header),
    .payload_i(payload),
    .k_o      (k),
    .data_o   (data),
    .error_o  (error)
  );

  always_comb begin
    for (int w = 0; w < 4; w++) wanted[w] = k_i[w] ? 16'(data_i[w][3:0]) : data_i[w];
  end

  // Any block at all, and what its words are encoded as.
  logic [3:0] any_k, any_error;
  words_t   any_data;
  header_e  again_header;
  payload_t again;

  line_64b66b_dec u_any (
    .header_i,
    .payload_i,
    .k_o    (any_k),
    .data_o (any_data),
    .error_o(any_error)
  );

  line_64b66b_enc u_again (
    .k_i      (any_k),
    .data_i   (any_data),
    .header_o (again_header),
    .payload_o(again)
  );

  // Damage.
  logic [3:0] header_error, type_error, control_error, unused_k;
  words_t unused_data;

  line_64b66b_dec u_header (
    .header_i (header ^ (bit_i ? 2'b10 : 2'b01)),
    .payload_i(payload),
    .k_o      (),
    .data_o   (),
    .error_o  (header_error)
  );

  line_64b66b_dec u_type (
    .header_i (header),
    .payload_i(payload ^ 64'(flips_i[7:0])),
    .k_o      (),
    .data_o   (),
    .error_o  (type_error)
  );

  line_64b66b_dec u_control (
    .header_i (header),
    .payload_i(payload ^ flips_i),
    .k_o      (unused_k),
    .data_o   (unused_data),
    .error_o  (control_error)
  );

  logic few;

  always_comb begin
    few = 1'b1;
    for (int b = 0; b < 8; b++) if ($countones(flips_i[8*b+:8]) > 3) few = 1'b0;
  end

  always_comb begin
    a_round_trip : assert (error == '0 && k == k_i && data == wanted);
    if (any_error == '0) a_verdict : assert (again_header == header_i && again == payload_i);
    a_header : assert (header_error == '1);
    if (k_i != '0 && few && flips_i[7:0] != '0) a_type : assert (type_error == '1);
    if (k_i == '1 && few && flips_i != '0) a_control : assert (control_error != '0);
  end

endmodule
