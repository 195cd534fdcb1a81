// SPDX-License-Identifier: Apache-2.0
//
// slink_header_code: the check code of a header, combinational.
//
// What      CRC-8, x^8 + x^2 + x + 1 from all ones, of the seven bytes around it. What stands in
// its place is ignored.
// Why       A header is protected in every mode: it says where in a memory is written.
// Latency   0

module slink_header_code
  import slink_pkg::*;
(
  input  header_t       header_i,
  output logic    [7:0] code_o
);

  logic [63:0] bytes;
  assign bytes = in_order(header_i);

  prim_crc #(
    .CrcWidth (8),
    .Poly     (8'h07),
    .DataWidth(56)
  ) u_crc (
    .crc_i ('1),
    .data_i({bytes[63:40], bytes[31:0]}),
    .crc_o (code_o)
  );

  // Byte 3 is the code itself.
  logic unused;
  assign unused = &bytes[39:32];

endmodule
