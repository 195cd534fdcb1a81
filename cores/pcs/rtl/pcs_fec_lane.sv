// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_lane: finds and keeps the markers of a FEC lane, and cuts its words where they begin.
//
// What      All bit positions of a word are looked at in every cycle for the marker that all FEC
//           lanes begin with, of either polarity: neighbours that differ do so in both. The marker
//           behind it says which lane it is.
// Why       A marker comes once in a period, so one position after the other would take long.
// Contract  data_i: a raw word in every cycle, bit 0 first on the line. lock_i = 0: it means
//           nothing, and the search begins again. data_o, marker_o: a word, cut at the markers, and
//           whether a marker begins with it, by place. found_o: the last row of markers came, and
//           the peer has FEC, known from the first one on. locked_o, number_o, inverted_o: of the
//           lane.
// Lock      A marker without a wrong bit, with the last marker of its row behind it; and a second
//           one a period behind the first, whose number is known. Up to three nibbles of twelve of
//           the last and of the second one may be wrong; five that do not come in a row lose the
//           lock.
// Parameters
//   Period  rows from markers to markers, a multiple of 8
// Latency   1 cycle, and what is missing to a whole word
// Source    IEEE Std 802.3 91.5.3.1; the standard allows three wrong nibbles in the first one too

module pcs_fec_lane
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter int unsigned Period = 16384
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            lock_i,
  input  fec_word_t       data_i,
  output fec_word_t       data_o,
  output logic            marker_o,
  output logic            found_o,
  output logic            locked_o,
  output logic      [1:0] number_o,
  output logic            inverted_o
);

  localparam int unsigned Width = $bits(fec_word_t);
  localparam int unsigned Cycles = Period / 8 * 33;
  localparam int unsigned CountWidth = $clog2(Cycles);
  localparam int unsigned PlaceWidth = $clog2(Width);
  localparam logic [2:0] Misses = 3'd4;  // one more loses the lock
  localparam logic [3:0] Wrong = 4'd3;  // nibbles

  // Where neighbours of the three bytes of a half differ. Those of the other half are their
  // complement, and differ at the same places.
  localparam logic [23:0] Fixed = Markers[0];
  localparam logic [22:0] Edges = Fixed[22:0] ^ Fixed[23:1];
  localparam logic Between = Fixed[23] == Fixed[0];  // last bit of one half, first one of the other

  // Whether this is the marker of a PCS lane, its parity left out.
  function automatic logic near(input logic [47:0] bytes, input int unsigned lane);
    logic [47:0] wrong;
    logic [ 3:0] nibbles;
    wrong   = bytes ^ {~Markers[lane], Markers[lane]};
    nibbles = '0;
    for (int i = 0; i < 12; i++) nibbles += 4'(wrong[4*i+:4] != '0);
    return nibbles <= Wrong;
  endfunction

  // ---- Search ----
  fec_word_t past_q, seen_q;
  logic [2*Width-1:0] window;
  logic [ Width+53:0] differ;  // up to the end of a marker
  logic [Width-1:0] match, match_q;
  logic [PlaceWidth-1:0] place, place_q;

  assign window = {data_i, past_q};
  assign differ = window[Width+53:0] ^ window[Width+54:1];
  for (genvar s = 0; s < Width; s++) begin : gen_match
    assign match[s] = differ[s+:23] == Edges && differ[s+32+:23] == Edges &&
        (window[s+23] ^ window[s+32]) == Between;
  end

  always_comb begin
    place = '0;
    for (int s = 0; s < int'(Width); s++) if (match_q[s]) place |= PlaceWidth'(s);
  end

  // ---- Markers ----
  // In word 3 of a row is the marker that all lanes end with.
  localparam logic [CountWidth-1:0] TailAt = CountWidth'(3);
  localparam int unsigned TailLane = Lanes - FecLanes;
  localparam int unsigned TailBit = 64 * TailLane / FecLanes % Width;

  logic found_q, whole_q, due, first, tail, hit;  // found: a first marker; whole: and its row
  logic [CountWidth-1:0] count_q;  // of data_o
  logic [2:0] missed_q;
  logic [63:0] before_q;  // fixed bytes of the word before data_o
  logic [1:0] number;
  logic [FecLanes-1:0] is;

  assign due   = whole_q && count_q == CountWidth'(1);
  assign first = near(before_q[47:0], 0);
  assign tail  = near({data_o[TailBit+32+:24], data_o[TailBit+:24]}, TailLane);
  always_comb begin
    number = '0;
    for (int unsigned l = 0; l < FecLanes; l++) begin
      is[l] = near({data_o[39:16], data_o[7:0], before_q[63:48]}, FecLanes + l);
      if (is[l]) number |= 2'(l);
    end
  end
  assign hit = first && is != '0 && (!locked_o || number == number_o);

  always_ff @(posedge clk_i) begin
    past_q   <= data_i;
    seen_q   <= past_q;
    match_q  <= match;
    data_o   <= fec_word_t'(window >> place_q) ^ {Width{inverted_o}};
    before_q <= {data_o[79:64], data_o[55:32], data_o[23:0]};
    count_q  <= (count_q == CountWidth'(Cycles - 1)) ? '0 : count_q + 1'b1;
    if (rst_i || !lock_i) begin
      match_q  <= '0;
      found_q  <= 1'b0;
      whole_q  <= 1'b0;
      locked_o <= 1'b0;
    end else if (!found_q) begin
      if (match_q != '0) begin
        found_q    <= 1'b1;
        place_q    <= place;
        inverted_o <= ((match_q & seen_q) != '0) != Fixed[0];
        count_q    <= CountWidth'(1);
        missed_q   <= '0;
      end
    end else if (!whole_q) begin
      if (count_q == TailAt) begin
        found_q <= tail;
        whole_q <= tail;
      end
    end else if (due && hit) begin
      locked_o <= 1'b1;
      number_o <= number;
      missed_q <= '0;
    end else if (due) begin
      missed_q <= missed_q + 1'b1;
      if (!locked_o || missed_q == Misses) begin
        found_q  <= 1'b0;
        whole_q  <= 1'b0;
        locked_o <= 1'b0;
      end
    end
  end

  assign marker_o = found_q && count_q == '0;
  assign found_o  = whole_q && missed_q == '0;

endmodule
