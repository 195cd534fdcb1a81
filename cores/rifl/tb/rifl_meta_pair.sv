// SPDX-License-Identifier: Apache-2.0
//
// rifl_meta_pair: decoder and encoder of the meta code side by side for their test.

module rifl_meta_pair #(
  parameter int unsigned Bytes = 30
) (
  // Decoder: frame in, segment out.
  input  logic [        1:0] dec_meta_i,
  input  logic [8*Bytes-1:0] dec_payload_i,
  output logic [8*Bytes-1:0] dec_data_o,
  output logic [  Bytes-1:0] dec_keep_o,
  output logic               dec_last_o,
  // Encoder: segment in, frame out.
  input  logic [8*Bytes-1:0] enc_data_i,
  input  logic [  Bytes-1:0] enc_keep_i,
  input  logic               enc_last_i,
  output logic [        1:0] enc_meta_o,
  output logic [8*Bytes-1:0] enc_payload_o
);

  rifl_meta_dec #(
    .Bytes(Bytes)
  ) u_dec (
    .meta_i   (dec_meta_i),
    .payload_i(dec_payload_i),
    .data_o   (dec_data_o),
    .keep_o   (dec_keep_o),
    .last_o   (dec_last_o)
  );

  rifl_meta_enc #(
    .Bytes(Bytes)
  ) u_enc (
    .data_i   (enc_data_i),
    .keep_i   (enc_keep_i),
    .last_i   (enc_last_i),
    .meta_o   (enc_meta_o),
    .payload_o(enc_payload_o)
  );

endmodule
