// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_decode: a long block becomes four blocks, still scrambled; inverse of pcs_fec_encode.
//
// What      The upper half of a block type that was left out follows from the lower one, which is
//           descrambled for that with bits of the block before.
// Contract  Combinational. past_i: bits 32 to 25 and 13 to 6 of the
//           payload before. A type
//           whose lower half is of none gets an upper half of zeros, which is of none either. If
//           the sender had an illegal header in one of the four, all of them have one.
// Source    IEEE Std 802.3 91.5.3.5

module pcs_fec_decode
  import pcs_fec_pkg::*;
  import line_64b66b_pkg::*;
(
  input  long_t        long_i,
  input  past_t        past_i,
  output block_t [3:0] block_o
);

  logic [4:0] header;
  logic data, legal;
  logic [3:0] control, first, cut;  // is the first one of control; is it, or is behind it
  logic [256:5] rest;
  logic [255:0] payload;

  assign header  = long_i[4:0] ^ long_i[12:8];
  assign rest    = long_i[256:5];
  assign data    = header[0];
  assign control = data ? '0 : ~header[4:1];
  assign legal   = data || control != '0;

  always_comb begin
    for (int j = 0; j < 4; j++) cut[j] = (control & 4'((2 << j) - 1)) != '0;
    if (!legal) cut = '1;
    first = cut & ~{cut[2:0], 1'b0};
  end

  logic [3:0][3:0] upper;
  for (genvar j = 0; j < 4; j++) begin : gen_upper
    // Of the block before, which is one of data if this is the first of control.
    past_t past;
    logic [3:0] low, plain;
    if (j == 0) begin : gen_past
      assign past = past_i;
    end else begin : gen_before
      localparam int Base = 64 * (j - 1) + 5;
      assign past = {rest[Base+25+:8], rest[Base+6+:8]};
    end
    assign low = rest[64*j+5+:4];
    assign plain = low ^ past[11:8] ^ past[3:0];
    assign upper[j] = (legal ? upper_of(plain) : '0) ^ past[15:12] ^ past[7:4];
  end

  always_comb begin
    payload = {rest, header[4:1]};  // of data, or behind the bits that were left out
    if (!data) begin
      for (int j = 0; j < 4; j++) begin
        if (!cut[j]) payload[64*j+:64] = rest[64*j+5+:64];
        if (first[j]) begin
          payload[64*j+:4]   = rest[64*j+5+:4];
          payload[64*j+4+:4] = upper[j];
        end
      end
    end
    for (int j = 0; j < 4; j++) begin
      block_o[j] = {payload[64*j+:64], control[j] ? ControlHeader : DataHeader};
      if (!legal) block_o[j][1:0] = 2'b11;
    end
  end

endmodule
