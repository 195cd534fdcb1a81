// SPDX-License-Identifier: Apache-2.0
//
// rifl_meta_dec: turns the meta code and payload of a data frame into one segment of a packet.
//
// What      the inverse of rifl_meta_enc. The top byte of the payload becomes byte 0.
// Contract  combinational. Only for frames with user data (meta code not 00). Byte i is valid when
//           the frame is marked full or when the count in its last byte is greater than i; a count
//           beyond the payload, which no sender makes, reads as "all bytes". Bytes outside keep_o
//           are whatever the sender put there (a published core sends stale user bytes) and must
//           not be looked at.
// Source    RIFL paper, section 3.B; receiver rule of the published core.

module rifl_meta_dec #(
  // Bytes of a payload, 2..255.
  parameter int unsigned Bytes = 30
) (
  input  logic [        1:0] meta_i,
  input  logic [8*Bytes-1:0] payload_i,
  output logic [8*Bytes-1:0] data_o,
  output logic [  Bytes-1:0] keep_o,
  output logic               last_o
);

  logic [7:0] count;
  assign count  = payload_i[7:0];
  assign last_o = meta_i[1];

  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) begin
      data_o[8*i+:8] = payload_i[8*(Bytes-1-i)+:8];
      keep_o[i] = meta_i[0] || (count > 8'(i));
    end
  end

endmodule
