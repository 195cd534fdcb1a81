// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_tx: the transmitter of a PCS with RS-FEC, from words of CGMII to the raw words of four
// FEC lanes.
//
// What      Rows of blocks are transcoded, rows of markers are mapped; four rows and parity are a
//           codeword of RS(528,514), whose symbols are dealt out to the FEC lanes.
// Contract  As pcs_rows. lanes_o: a raw word of each FEC lane in every cycle, bit 0 first on the
//           line, zeros until the first codeword.
// Rate      Eight rows are two codewords, and both are 33 cycles: each row begins in the word of
//           its cycle, at one of eight places.
// Parameters
//   Blocks  of a word, 5 or 8
//   Period  rows from markers to markers, 16384; less for simulations; a multiple of 8
// Latency   4 cycles from the row of pcs_rows to the raw word with its first bit
// Source    IEEE Std 802.3 clause 91.5.2

module pcs_fec_tx
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Period = 16384
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      cgmii_ready_o,
  input  logic      [64*Blocks-1:0] cgmii_data_i,
  input  logic      [ 8*Blocks-1:0] cgmii_ctrl_i,
  output fec_word_t [ FecLanes-1:0] lanes_o
);

  if (Period % 8 != 0) begin : gen_bad_period
    $error("pcs_fec_tx %m: rule Period is a multiple of 8, got %0d", Period);
  end

  localparam int unsigned Steps = 4;  // places of a row: 0, 5, 10, 15, and these and half a word
  localparam int unsigned WordWidth = FecLanes * $bits(fec_word_t);
  localparam int unsigned Half = WordWidth / 2;
  localparam int unsigned Wide = RowWidth + 5 * (Steps - 1);
  localparam int unsigned Symbols = WordWidth / 10;

  localparam logic [4:0] Pad = 5'b00101;  // behind markers, and its complement in turn

  logic valid, marker;
  logic [2:0] place;
  row_t row;

  pcs_rows #(
    .Blocks(Blocks),
    .Period(Period)
  ) u_rows (
    .clk_i,
    .rst_i,
    .cgmii_ready_o,
    .cgmii_data_i,
    .cgmii_ctrl_i,
    .valid_o (valid),
    .place_o (place),
    .marker_o(marker),
    .row_o   (row)
  );

  // ---- A row as bits ----
  bits_t data, mapped, bits;
  logic odd_q;  // the next row of markers is a second one

  for (genvar f = 0; f < Fours; f++) begin : gen_four
    pcs_fec_encode u_encode (
      .block_i(row[4*f+:4]),
      .long_o (data[LongWidth*f+:LongWidth])
    );
  end

  always_comb begin
    mapped = '0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      logic [23:0] fixed;
      logic [63:0] payload;
      fixed   = Markers[stands_for(l)];
      payload = {row[l][65:58], ~fixed, row[l][33:26], fixed};
      for (int unsigned i = 0; i < 64; i++) mapped[bit_in_row(l, i)] = payload[i];
    end
    mapped[RowWidth-1-:5] = Pad ^ {5{odd_q}};
  end
  assign bits = marker ? mapped : data;

  // ---- Into its place: in steps of five bits, then of half a word ----
  logic [Wide-1:0] wide_q;
  logic valid_q, half_q, first_q;
  logic [WordWidth+Half+Wide-1:0] buffer_q, rest;  // words of zeros above
  logic begins_q;

  assign rest = buffer_q >> WordWidth;

  always_ff @(posedge clk_i) begin
    for (int s = 0; s < int'(Steps); s++) begin
      if (place[1:0] == 2'(s)) wide_q <= Wide'(bits) << (5 * s);
    end
    half_q   <= place[2];
    first_q  <= valid && place == '0;
    begins_q <= first_q;
    buffer_q <= rest | (!valid_q ? '0 : $bits(rest)'(wide_q) << (half_q ? Half : 0));
    valid_q  <= valid && !rst_i;
    if (rst_i) begin
      buffer_q <= '0;
      begins_q <= 1'b0;
      first_q  <= 1'b0;
      odd_q    <= 1'b0;
    end else if (valid && marker) begin
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
