// SPDX-License-Identifier: Apache-2.0
//
// rdma_crc_check: whether the CRC-32C of a packet that came is right, on the 512-bit datapath.
//
// What      Takes the pieces of packets, and says of each last one whether its CRC is that of
//           header, payload and footer.
// Why       From the footer and its CRC follows what the register behind the payload has to be: so
//           footer and zeros behind the end of the payload are undone while the register is still
//           to come, and the answer is a comparison in front of a flip-flop.
// Contract  begins_i: header_i is there, payload_i: data_i is; neither: nothing. The lanes behind
//           the end of a payload are zero, and pad_i is their number; 0 in other pieces. footer_i:
//           up to the CRC, crc_i: that. Pieces of a packet in order, any number of nothing between
//           them. right_o belongs to the piece that was given three cycles before, and says
//           something for the last one of a packet only.
// Latency   3 cycles, one piece in each
// Source    own design

module rdma_crc_check
  import rdma_unit_pkg::*;
(
  input  logic         clk_i,
  input  logic         begins_i,
  input  logic         payload_i,
  input  logic [127:0] header_i,
  input  logic [511:0] data_i,
  input  logic [  5:0] pad_i,
  input  logic [ 95:0] footer_i,
  input  logic [ 31:0] crc_i,
  output logic         right_o
);

  localparam int unsigned FooterBits = 96;
  // Bytes of zeros that a last word has at most, and that are left of them with the footer off.
  localparam int unsigned MostZeros = WordBytes - 1;
  localparam int unsigned Left = MostZeros - FooterBits / 8;

  logic [31:0] state;
  rdma_crc_state u_state (
    .clk_i    (clk_i),
    .step_i   (1'b1),
    .begins_i (begins_i),
    .payload_i(payload_i),
    .header_i (header_i),
    .data_i   (data_i),
    .state_o  (state)
  );

  // Stage 1: the register behind the footer must be the CRC, which is sent inverted, its first bit
  // first; so this is left for what was before the footer.
  logic [31:0] rest, rest_q;
  for (genvar i = 0; i < 32; i++) begin : gen_row
    localparam logic [511:0] Mask = crc_mask(i);
    assign rest[i] = ^(footer_i & Mask[511-:FooterBits]) ^ !crc_i[31-i];
  end

  // Stages 2 and 3: what the register must be in front of the footer, with pad zeros behind it. On
  // by the most zeros there can be less the footer, back by those that are too many.
  logic [5:0] surplus_q;
  logic [2:0] surplus_high_q;
  logic [31:0] moved, low, low_q, high;

  prim_crc #(
    .CrcWidth (32),
    .Poly     (CrcPoly),
    .DataWidth(8 * Left)
  ) u_moved (
    .crc_i (rest_q),
    .data_i('0),
    .crc_o (moved)
  );

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly    (CrcPoly),
    .Unit    (1),
    .Width   (3)
  ) u_low (
    .crc_i  (moved),
    .zeros_i(surplus_q[2:0]),
    .crc_o  (low)
  );

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly    (CrcPoly),
    .Unit    (8),
    .Width   (3)
  ) u_high (
    .crc_i  (low_q),
    .zeros_i(surplus_high_q),
    .crc_o  (high)
  );

  always_ff @(posedge clk_i) begin
    rest_q <= rest;
    surplus_q <= 6'(MostZeros) - (payload_i ? pad_i : 6'd0);
    low_q <= low;
    surplus_high_q <= surplus_q[5:3];
    right_o <= high == state;
  end

endmodule
