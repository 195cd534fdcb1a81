// SPDX-License-Identifier: Apache-2.0
//
// rdma_crc: the CRC-32C of a packet on the 512-bit datapath.
//
// What      Takes the words of packets, and has for each footer the CRC of header, payload and footer up to the CRC itself.
// Why       The CRC covers the bytes as they are in the packet, one behind the other; on the datapath there are gaps. Header and footer
//           have fewer bytes than a word: zeros in front of them change nothing in a register that is zero, so their bytes
//           take the places of the last lanes. Zeros behind the end of the payload are undone.
// Contract  With step_i = 1 everything moves on by one stage. kind_i says what data_i is; None: nothing. Of a payload the
//           lanes behind its end are zero, and pad_i is their number; 0 in other words. Words of a packet in
//           order, any number of None between them. crc_o belongs to the footer that was given three steps before.
// Latency   3 steps, one word in each
// Source    own design

module rdma_crc
  import rdma_unit_pkg::*;
(
  input  logic          clk_i,
  input  logic          step_i,
  input  word_e         kind_i,
  input  logic  [511:0] data_i,
  input  logic  [  5:0] pad_i,
  output logic  [ 31:0] crc_o
);

  localparam logic [31:0] Poly = 32'h1edc_6f41;
  localparam int unsigned HeaderBits = 128;
  localparam int unsigned FooterBits = 96;

  // What all ones become in a header of zeros.
  function automatic logic [31:0] start();
    start = '1;
    for (int unsigned i = 0; i < HeaderBits; i++) start = (start << 1) ^ (start[31] ? Poly : '0);
  endfunction
  localparam logic [31:0] Start = start();

  // Header and footer in the last lanes.
  logic [511:0] placed;
  always_comb begin
    placed = '0;
    if (kind_i == WordHeader) placed[511-:HeaderBits] = data_i[HeaderBits-1:0];
    else if (kind_i == WordFooter) placed[511-:FooterBits] = data_i[FooterBits-1:0];
    else placed = data_i;
  end

  // The register after a word, from zero: as prim_crc, but the first bit is the lowest. To turn the word round would be only wires, but half of
  // the time of a simulation.
  function automatic logic [511:0] row_mask(input int unsigned row);
    logic [31:0] column;
    column = Poly;
    for (int unsigned k = 0; k < 512; k++) begin
      row_mask[511-k] = 1'(column >> row);
      column = (column << 1) ^ (column[31] ? Poly : '0);
    end
  endfunction

  logic [31:0] part;
  for (genvar i = 0; i < 32; i++) begin : gen_row
    localparam logic [511:0] Mask = row_mask(i);
    assign part[i] = ^(placed & Mask);
  end

  // Stage 1: the word by itself. Stage 2: with what was before it. Stages 3 and 4: without the zeros.
  word_e kind_q;
  logic [2:0][31:0] part_q;
  logic [5:0] pad_q;
  logic [31:0] state_q;
  logic [5:0] state_pad_q;
  logic [31:0] moved;
  logic [31:0] high;
  logic [31:0] high_q;
  logic [2:0] high_pad_q;
  logic [31:0] low;
  logic [31:0] low_q;

  prim_crc #(
    .CrcWidth (32),
    .Poly     (Poly),
    .DataWidth(512)
  ) u_moved (
    .crc_i (state_q),
    .data_i('0),
    .crc_o (moved)
  );

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly    (Poly),
    .Unit    (8),
    .Width   (3)
  ) u_high (
    .crc_i  (state_q),
    .zeros_i(state_pad_q[5:3]),
    .crc_o  (high)
  );

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly    (Poly),
    .Unit    (1),
    .Width   (3)
  ) u_low (
    .crc_i  (high_q),
    .zeros_i(high_pad_q),
    .crc_o  (low)
  );

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      kind_q <= kind_i;
      pad_q  <= pad_i;
      part_q <= {part_q[1:0], part};
      if (kind_q == WordHeader) state_q <= part_q[0] ^ Start;
      else if (kind_q == WordPayload) state_q <= part_q[0] ^ moved;
      if (kind_q == WordHeader || kind_q == WordPayload) state_pad_q <= pad_q;
      high_q <= high;
      high_pad_q <= state_pad_q[2:0];
      low_q <= low;
    end
  end

  // The footer: its part has waited for the register.
  logic [31:0] front;
  prim_crc #(
    .CrcWidth (32),
    .Poly     (Poly),
    .DataWidth(FooterBits)
  ) u_footer (
    .crc_i (low_q),
    .data_i('0),
    .crc_o (front)
  );
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) crc_o[i] = !(front[31-i] ^ part_q[2][31-i]);
  end

endmodule
