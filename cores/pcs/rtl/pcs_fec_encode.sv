// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_encode: four scrambled blocks become a long one; inverse of pcs_fec_decode.
//
// What      Bit 0 says that all four are blocks of data. If not, four bits say which ones are, and
//           the first block of control loses the upper half of its type. An illegal header: all
//           four are said to be data, the first one loses these bits.
// Why       The first five bits would be the same again and again; bits 8 to 12 are added to them.
// Contract  Combinational.
// Source    IEEE Std 802.3 91.5.2.5

module pcs_fec_encode
  import pcs_fec_pkg::*;
  import line_64b66b_pkg::*;
(
  input  block_t [3:0] block_i,
  output long_t        long_o
);

  logic legal, data;
  logic [3:0] control, cut;  // the first block of control is this one, or one before it
  logic [255:0] payload;
  logic [256:0] coded;

  always_comb begin
    legal = 1'b1;
    for (int j = 0; j < 4; j++) begin
      if (block_i[j][0] == block_i[j][1]) legal = 1'b0;
      payload[64*j+:64] = block_i[j][65:2];
    end
    for (int j = 0; j < 4; j++) control[j] = block_i[j][0] && legal;
    data = legal && control == '0;
    for (int j = 0; j < 4; j++) cut[j] = !legal || (control & 4'((2 << j) - 1)) != '0;
  end

  // Up to the bits that are left out, all moves by the four bits of the header.
  assign coded[4:0] = data ? {payload[3:0], 1'b1} : {~control, 1'b0};
  for (genvar i = 0; i < 252; i++) begin : gen_bit
    localparam int J = i / 64;
    logic behind;
    if (i % 64 >= 4) begin : gen_upper
      assign behind = cut[J] || data;
    end else if (J == 0) begin : gen_first
      assign behind = data;
    end else begin : gen_lower
      assign behind = cut[J-1] || data;
    end
    assign coded[i+5] = behind ? payload[i+4] : payload[i];
  end

  assign long_o = {coded[256:5], coded[4:0] ^ coded[12:8]};

endmodule
