// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_tx_lanes: rows of blocks become the raw words of four FEC lanes.
//
// What      Rows of blocks are transcoded, rows of markers are mapped; four rows and parity are a
//           codeword of RS(528,514), whose symbols are dealt out to the FEC lanes.
// Contract  valid_i, place_i, marker_i, row_i: as pcs_rows gives them, with a Period that is a
//           multiple of 8. lanes_o: a raw word of each FEC lane in every cycle, bit 0 first on the
//           line, zeros until the first codeword.
// Rate      Eight rows are two codewords, and both are 33 cycles: each row begins in the word of
//           its cycle, at one of eight places.
// Latency   4 cycles from the row to the raw word with its first bit
// Source    IEEE Std 802.3 clause 91.5.2

module pcs_fec_tx_lanes
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_i,
  input  logic                     valid_i,
  input  logic      [         2:0] place_i,
  input  logic                     marker_i,
  input  row_t                     row_i,
  output fec_word_t [FecLanes-1:0] lanes_o
);

  localparam int unsigned Steps = 4;  // places of a row: 0, 5, 10, 15, and these and half a word
  localparam int unsigned WordWidth = FecLanes * $bits(fec_word_t);
  localparam int unsigned Half = WordWidth / 2;
  localparam int unsigned Wide = RowWidth + 5 * (Steps - 1);
  localparam int unsigned Symbols = WordWidth / 10;

  localparam logic [4:0] Pad = 5'b00101;  // behind markers, and its complement in turn

  // ---- A row as bits ----
  bits_t data, mapped, bits;
  logic odd_q;  // the next row of markers is a second one

  for (genvar f = 0; f < Fours; f++) begin : gen_four
    pcs_fec_encode u_encode (
      .block_i(row_i[4*f+:4]),
      .long_o (data[LongWidth*f+:LongWidth])
    );
  end

  always_comb begin
    mapped = '0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      logic [23:0] fixed;
      logic [63:0] payload;
      fixed   = Markers[stands_for(l)];
      payload = {row_i[l][65:58], ~fixed, row_i[l][33:26], fixed};
      for (int unsigned i = 0; i < 64; i++) mapped[bit_in_row(l, i)] = payload[i];
    end
    mapped[RowWidth-1-:5] = Pad ^ {5{odd_q}};
  end
  assign bits = marker_i ? mapped : data;

  // ---- Into its place: in steps of five bits, then of half a word ----
  logic [Wide-1:0] wide_q;
  logic valid_q, half_q, first_q;
  logic [WordWidth+Half+Wide-1:0] buffer_q, rest;  // words of zeros above
  logic begins_q;

  assign rest = buffer_q >> WordWidth;

  always_ff @(posedge clk_i) begin
    for (int s = 0; s < int'(Steps); s++) begin
      if (place_i[1:0] == 2'(s)) wide_q <= Wide'(bits) << (5 * s);
    end
    half_q   <= place_i[2];
    first_q  <= valid_i && place_i == '0;
    begins_q <= first_q;
    buffer_q <= rest | (!valid_q ? '0 : $bits(rest)'(wide_q) << (half_q ? Half : 0));
    valid_q  <= valid_i && !rst_i;
    if (rst_i) begin
      buffer_q <= '0;
      begins_q <= 1'b0;
      first_q  <= 1'b0;
      odd_q    <= 1'b0;
    end else if (valid_i && marker_i) begin
      odd_q <= !odd_q;
    end
  end

  // ---- Parity, lanes ----
  logic coded_valid, unused_first;
  logic [Symbols-1:0][9:0] coded;

  rsfec_encoder u_encoder (
    .clk_i,
    .rst_i,
    .valid_i(1'b1),
    .first_i(begins_q),
    .data_i (buffer_q[WordWidth-1:0]),
    .valid_o(coded_valid),
    .first_o(unused_first),
    .data_o (coded)
  );

  for (genvar s = 0; s < Symbols; s++) begin : gen_symbol
    assign lanes_o[s%FecLanes][10*(s/FecLanes)+:10] = coded_valid ? coded[s] : '0;
  end

endmodule
