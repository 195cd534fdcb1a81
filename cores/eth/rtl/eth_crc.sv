// SPDX-License-Identifier: Apache-2.0
//
// eth_crc: the CRC-32 register of a frame after one more beat.
//
// What      crc_o is the register after the bytes of data_i, byte 0 first, bit 0 of each byte
//           first.
// Why       One block for both directions: whole beats only. Bytes beyond the end of a frame are
//           zero, and what they did to the register is undone (prim_crc_unpad, transmitter) or
//           expected (receiver). So the end of a frame costs no second tree of XORs.
// Contract  Start from eth_pkg::CrcInit. The FCS is the register inverted, x^31 first on the line.
// Parameters
//   Bytes   of a beat, >= 1
// Latency   combinational
// Source    IEEE Std 802.3 clause 3.2.9

module eth_crc #(
  parameter int unsigned Bytes = 64
) (
  input  logic [       31:0] crc_i,
  input  logic [8*Bytes-1:0] data_i,
  output logic [       31:0] crc_o
);

  if (Bytes < 1) begin : gen_bad_bytes
    $error("eth_crc %m: rule Bytes >= 1, got %0d", Bytes);
  end

  logic [8*Bytes-1:0] in_time;  // first bit on the line on top

  always_comb begin
    for (int unsigned i = 0; i < 8 * Bytes; i++) in_time[8*Bytes-1-i] = data_i[i];
  end

  prim_crc #(
    .CrcWidth (32),
    .Poly     (eth_pkg::CrcPoly),
    .DataWidth(8 * Bytes)
  ) u_step (
    .crc_i (crc_i),
    .data_i(in_time),
    .crc_o (crc_o)
  );

endmodule
