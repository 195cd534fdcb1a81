// SPDX-License-Identifier: Apache-2.0
//
// rdma_front: the CRC-32C of what the first word of a packet has in framing in words.
//
// What      The CRC of header and first word of the footer.
// Why       With it the receiver knows where the payload goes before the payload is there.
// Contract  Combinational. The field for the CRC itself is not looked at.
// Latency   0
// Source    own design

module rdma_front
  import rdma_unit_pkg::*;
(
  input  front_t        front_i,
  output logic   [31:0] crc_o
);

  localparam logic [31:0] Start = crc_start(FrontBits);

  logic [31:0] register_;
  for (genvar i = 0; i < 32; i++) begin : gen_row
    localparam logic [8*WordBytes-1:0] Mask = crc_mask(i);
    assign register_[i] = ^{front_i[FrontBits-1:0] & Mask[8*WordBytes-1-:FrontBits], Start[i]};
    assign crc_o[31-i]  = !register_[i];
  end

  logic unused_crc;
  assign unused_crc = ^front_i.crc;

endmodule
