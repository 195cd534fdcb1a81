// SPDX-License-Identifier: Apache-2.0
//
// eth_tx_fcs: the FCS of the frames that eth_tx_line places.
//
// What      Takes every beat of a frame into the CRC, undoes the zeros behind its end and shows the
//           four bytes, turned to where they come in their word: byte i of the word is byte i mod 4
//           of fcs_o.
// Why       The end of a frame and the start of the next one may be in the same word while the
//           second is already being worked on: the FCS of the beat just taken, and the one before,
//           are both there.
// Contract  Beats as in eth_tx_frame. held_i low: FCS of the frame whose last beat was taken in the
//           cycle before; high: of the last frame before that cycle. With bad_i on the last beat
//           the FCS is inverted, so wrong.
// Parameters
//   Bytes   of a beat, 16, 32 or 64
// Latency   1 cycle

module eth_tx_fcs #(
  parameter int unsigned Bytes = 64,
  localparam int unsigned CountWidth = $clog2(Bytes + 1),
  localparam int unsigned ZeroWidth = $clog2(Bytes)
) (
  input  logic                  clk_i,
  input  logic                  take_i,
  input  logic [   8*Bytes-1:0] data_i,
  input  logic [CountWidth-1:0] count_i,
  input  logic [ ZeroWidth-1:0] zeros_i,
  input  logic                  first_i,
  input  logic                  last_i,
  input  logic                  bad_i,
  input  logic                  held_i,
  output logic [          31:0] fcs_o
);

  // Zeros behind the end: 0 to Bytes - 1, undone in two steps. A beat without any byte changes
  // nothing.
  localparam int unsigned LowWidth = ZeroWidth / 2;

  logic [31:0] crc_q, from, full, part, part_q, crc, fcs, held_q;

  logic [LowWidth-1:0] zeros_q;
  logic [1:0] turn_q;
  logic bad_q, fresh_q;

  assign from = first_i ? eth_pkg::CrcInit : crc_q;


  eth_crc #(
    .Bytes(Bytes)
  ) u_crc (
    .crc_i (from),
    .data_i(data_i),
    .crc_o (full)
  );

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly(eth_pkg::CrcPoly),
    .Unit(1 << LowWidth),
    .Width(ZeroWidth - LowWidth)
  ) u_unpad_high (
    .crc_i  (full),
    .zeros_i(zeros_i[ZeroWidth-1:LowWidth]),
    .crc_o  (part)
  );

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      crc_q   <= full;
      part_q  <= (count_i == '0) ? from : part;
      zeros_q <= zeros_i[LowWidth-1:0];
      turn_q  <= count_i[1:0];
      bad_q   <= bad_i;
    end
    fresh_q <= take_i && last_i;
    if (fresh_q) held_q <= fcs;
  end

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly(eth_pkg::CrcPoly),
    .Unit(1),
    .Width(LowWidth)
  ) u_unpad_low (
    .crc_i  (part_q),
    .zeros_i(zeros_q),
    .crc_o  (crc)
  );

  // First on the line is x^31, in bit 0 of byte 0.
  logic [31:0] in_order;
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) in_order[i] = crc[31-i] == bad_q;
    unique case (turn_q)
      2'd0: fcs = in_order;
      2'd1: fcs = {in_order[23:0], in_order[31:24]};
      2'd2: fcs = {in_order[15:0], in_order[31:16]};
      default: fcs = {in_order[7:0], in_order[31:8]};
    endcase
  end

  assign fcs_o = held_i ? held_q : fcs;

endmodule
