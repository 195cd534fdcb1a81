// SPDX-License-Identifier: Apache-2.0
//
// rdma_crc: the CRC-32C of a packet on the 512-bit datapath.
//
// What      Takes the pieces of packets, and has for each last one the CRC of header, payload and
//           footer up to the CRC itself.
// Why       The CRC covers the bytes of the packet one behind the other. Each part goes from zero
//           by itself, and is added to what was before it, moved on by as many zeros as it has
//           bits. Zeros behind the end of the payload are undone.
// Contract  With step_i = 1 everything moves on by one stage. begins_i: header_i is there,
//           payload_i: data_i is; neither nor a footer: nothing. The lanes behind the end of a
//           payload are zero, and pad_i is their number; 0 in other pieces. Pieces of a packet in
//           order, any number of nothing between them. crc_o belongs to the piece that was given
//           three steps before; with spoil_i there it is inverted.
// Latency   3 steps, one piece in each
// Source    own design

module rdma_crc
  import rdma_unit_pkg::*;
(
  input  logic         clk_i,
  input  logic         step_i,
  input  logic         begins_i,
  input  logic         payload_i,
  input  logic [127:0] header_i,
  input  logic [511:0] data_i,
  input  logic [  5:0] pad_i,
  input  logic [ 95:0] footer_i,
  input  logic         spoil_i,
  output logic [ 31:0] crc_o
);

  localparam int unsigned HeaderBits = 128;
  localparam int unsigned FooterBits = 96;
  localparam logic [31:0] Start = crc_start(HeaderBits);

  // The register after a part, from zero.
  logic [31:0] header, data, footer;
  for (genvar i = 0; i < 32; i++) begin : gen_row
    localparam logic [511:0] Mask = crc_mask(i);
    assign header[i] = ^(header_i & Mask[511-:HeaderBits]);
    assign data[i]   = ^(data_i & Mask);
    assign footer[i] = ^(footer_i & Mask[511-:FooterBits]);
  end

  // Stage 1: the parts by themselves. Stage 2: header and payload with what was before them. Stage
  // 3: without the zeros.
  logic begins_q, payload_q;
  logic [5:0] pad_q;
  logic [31:0] header_q, data_q;
  logic [2:0][31:0] footer_q;
  logic [31:0] state_q;
  logic [5:0] state_pad_q;
  logic [31:0] base, moved, high, low, low_q;
  assign base = begins_q ? header_q ^ Start : state_q;

  prim_crc #(
    .CrcWidth (32),
    .Poly     (CrcPoly),
    .DataWidth(512)
  ) u_moved (
    .crc_i (base),
    .data_i('0),
    .crc_o (moved)
  );

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly    (CrcPoly),
    .Unit    (8),
    .Width   (3)
  ) u_high (
    .crc_i  (state_q),
    .zeros_i(state_pad_q[5:3]),
    .crc_o  (high)
  );

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly    (CrcPoly),
    .Unit    (1),
    .Width   (3)
  ) u_low (
    .crc_i  (high),
    .zeros_i(state_pad_q[2:0]),
    .crc_o  (low)
  );

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      begins_q <= begins_i;
      payload_q <= payload_i;
      pad_q <= pad_i;
      header_q <= header;
      data_q <= data;
      footer_q <= {footer_q[1:0], footer ^ {32{spoil_i}}};
      if (payload_q) state_q <= data_q ^ moved;
      else if (begins_q) state_q <= base;
      if (payload_q || begins_q) state_pad_q <= pad_q;
      low_q <= low;
    end
  end

  // The footer: its part has waited for the register.
  logic [31:0] front;
  prim_crc #(
    .CrcWidth (32),
    .Poly     (CrcPoly),
    .DataWidth(FooterBits)
  ) u_footer (
    .crc_i (low_q),
    .data_i('0),
    .crc_o (front)
  );
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) crc_o[i] = !(front[31-i] ^ footer_q[2][31-i]);
  end

endmodule
