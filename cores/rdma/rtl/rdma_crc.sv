// SPDX-License-Identifier: Apache-2.0
//
// rdma_crc: the CRC-32C of a packet on the 512-bit datapath, of one that is sent.
//
// What      Takes the pieces of packets, and has for each last one the CRC of header, payload and
//           footer up to the CRC itself.
// Why       Zeros behind the end of the payload are undone, and then the footer, which went from
//           zero by itself, is added.
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

  localparam int unsigned FooterBits = 96;

  // Header and payload: stages 1 and 2.
  logic [31:0] state;
  rdma_crc_state u_state (
    .clk_i    (clk_i),
    .step_i   (step_i),
    .begins_i (begins_i),
    .payload_i(payload_i),
    .header_i (header_i),
    .data_i   (data_i),
    .state_o  (state)
  );

  // Beside them the footer from zero, in stage 2; then stage 3, without the zeros.
  logic [FooterBits-1:0] footer_q;
  logic spoil_q;
  logic [31:0] footer;
  logic [1:0][31:0] added_q;
  for (genvar i = 0; i < 32; i++) begin : gen_row
    localparam logic [511:0] Mask = crc_mask(i);
    assign footer[i] = ^(footer_q & Mask[511-:FooterBits]) ^ spoil_q;
  end
  logic counts_q;  // header or payload
  logic [5:0] pad_q, state_pad_q;
  logic [31:0] high, low, low_q;

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly    (CrcPoly),
    .Unit    (8),
    .Width   (3)
  ) u_high (
    .crc_i  (state),
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
      counts_q <= begins_i || payload_i;
      pad_q <= pad_i;
      if (counts_q) state_pad_q <= pad_q;
      footer_q <= footer_i;
      spoil_q <= spoil_i;
      added_q <= {added_q[0], footer};
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
    for (int unsigned i = 0; i < 32; i++) crc_o[i] = !(front[31-i] ^ added_q[1][31-i]);
  end

endmodule
