// SPDX-License-Identifier: Apache-2.0
//
// slink_block_code: one step of the check code of a block, combinational.
//
// What      CRC-16, x^16 + x^12 + x^5 + 1: the register behind the eight bytes of a beat. It starts
//           from all ones and is sent high byte first.
// Latency   0

module slink_block_code
  import slink_pkg::*;
(
  input  logic  [15:0] code_i,
  input  beat_t        beat_i,
  output logic  [15:0] code_o
);

  prim_crc #(
    .CrcWidth (16),
    .Poly     (16'h1021),
    .DataWidth(BeatBits)
  ) u_crc (
    .crc_i (code_i),
    .data_i(in_order(beat_i)),
    .crc_o (code_o)
  );

endmodule
