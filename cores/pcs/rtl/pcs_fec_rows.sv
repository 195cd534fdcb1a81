// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_rows: words of corrected codewords become rows of blocks.
//
// What      Each row is cut out of five words at one of eight places, transcoded back, or, if it is
//           one of markers, put together again. In codewords that are not to be believed headers
//           are made illegal: of the first block of every second four, and of the last block.
// Why       So every frame of 64 bytes and more that has a part in such a codeword has an error in
//           it, and the others lose nothing. Behind a row of markers the first four are marked too:
//           the end of a frame could stand in them.
// Contract  valid_i, data_i: a word in every cycle; first_i: it begins with a codeword that begins
//           with markers. bad_i: the codeword of the first, or second, half is not to be believed.
//           illegal_i: no header is to be legal. valid_o: a row_o, and whether it is one of
//           markers, marker_o; at least four cycles after the one before. begins_o: a codeword
//           begins in this word.
// Latency   1 cycle from the word with a row's last bit
// Source    IEEE Std 802.3 91.5.3.3 to 91.5.3.6

module pcs_fec_rows
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
  import line_64b66b_pkg::*;
#(
  localparam int unsigned WordWidth = FecLanes * $bits(fec_word_t)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 valid_i,
  input  logic                 first_i,
  input  logic [WordWidth-1:0] data_i,
  input  logic [          1:0] bad_i,
  input  logic                 illegal_i,
  output logic                 begins_o,
  output logic                 valid_o,
  output logic                 marker_o,
  output row_t                 row_o
);

  localparam int unsigned Half = WordWidth / 2;
  localparam int unsigned Steps = 4;
  localparam int unsigned Wide = RowWidth + Half;
  localparam logic [5:0] Last = 6'd32;

  // ---- Five words, and the row that ends in the last one ----
  logic [4*WordWidth-1:0] words_q;
  logic [5*WordWidth-1:0] window;
  logic [Wide-1:0] wide_q;
  logic [5:0] count_q, count;  // of 33 words
  logic [2:0] place, place_q;
  logic ends, bad_q, marks_q;  // marks: the codeword begins with markers

  assign window = {data_i, words_q};
  assign count = first_i ? '0 : count_q;
  assign ends = count[1:0] == '0 && count != '0;
  assign place = 3'(count[5:2] - 4'd1);
  assign begins_o = valid_i && (count == '0 || count == 6'd16);

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      words_q <= window[5*WordWidth-1:WordWidth];
      count_q <= (count == Last) ? '0 : count + 1'b1;
      for (int s = 0; s < int'(Steps); s++) begin
        if (place[1:0] == 2'(s)) wide_q <= window[5*s+:Wide];
      end
      place_q <= place;
      bad_q   <= bad_i[place[2]];
      // All rows of the codeword have been there by the end of word 17.
      if (first_i) marks_q <= 1'b1;
      else if (count == 6'd17) marks_q <= 1'b0;
    end
    valid_o <= valid_i && ends && !rst_i;
    if (rst_i) marks_q <= 1'b0;
  end

  // ---- Its blocks ----
  bits_t bits;
  row_t data, mapped;
  past_t past_q, last;

  assign bits = place_q[2] ? wide_q[Half+:RowWidth] : wide_q[RowWidth-1:0];
  for (genvar f = 0; f < Fours; f++) begin : gen_four
    past_t from, past;
    block_t [3:0] four;
    if (f == 0) begin : gen_first
      assign from = past_q;
    end else begin : gen_behind
      assign from = gen_four[f-1].past;
    end

    pcs_fec_decode u_decode (
      .long_i (bits[LongWidth*f+:LongWidth]),
      .past_i (from),
      .block_o(four)
    );
    assign past = {four[3][34:27], four[3][15:8]};
    assign data[4*f+:4] = four;
  end
  assign last = gen_four[Fours-1].past;

  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      mapped[l] = marker_block(l, '0);
      for (int unsigned i = 0; i < 8; i++) begin
        mapped[l][26+i] = bits[bit_in_row(l, 24+i)];
        mapped[l][58+i] = bits[bit_in_row(l, 56+i)];
      end
    end
  end

  assign marker_o = marks_q && place_q == '0;

  always_ff @(posedge clk_i) if (valid_o && !marker_o) past_q <= last;

  // ---- What is not to be believed ----
  always_comb begin
    row_o = marker_o ? mapped : data;
    for (int f = 0; f < int'(Fours); f++) begin
      // Five long blocks in a row: the even ones of the first row and the third, the odd ones else.
      logic chosen;
      chosen = f[0] == place_q[0] || (marks_q && f == 0 && place_q == 3'd1);
      if (bad_q && !marker_o && chosen) begin
        row_o[4*f][1:0] = 2'b11;
      end
    end
    if (bad_q && place_q[1:0] == '1) row_o[Lanes-1][1:0] = 2'b11;
    if (illegal_i && !marker_o) for (int l = 0; l < int'(Lanes); l++) row_o[l][1:0] = 2'b11;
  end

endmodule
