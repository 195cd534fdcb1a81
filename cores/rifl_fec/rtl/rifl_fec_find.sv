// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_find: finds where codewords begin, at any bit of the lane.
//
// What      The marker is looked for at all 2560 places of a codeword at once: a memory of 40 words
//           has a count for each of 64 slips, of the codewords in a row in which a marker stood
//           there. The first place that has had Passes of them is taken.
// Why       One place after the other takes 2560 codewords. A place without a marker gets there
//           with probability 2^-24 in a codeword of scrambled data, one of all places with 0.00015;
//           the decoder then refuses what begins there. The counts go on meanwhile, so that the
//           next place is known when one is given up.
// Contract  data_i: a word in every cycle, cut anywhere. While found_o: data_o are words of
//           codewords, first_o with the first, marked_o with the one behind the payload, missing_o
//           with it if it does not begin with the marker. lose_i: found_o falls with the next edge.
// Resets    rst_i, synchronous to clk_i
// Latency   1 cycle to data_o. first_o comes with the first codeword behind the third marker.
// Limits    Of several places in one word the first on the line is taken. Lanes that repeat
//           themselves every codeword may have a false one there for ever; RIFL's are scrambled.

module rifl_fec_find
  import rifl_fec_pkg::*;
(
  input  logic  clk_i,
  input  logic  rst_i,
  input  logic  lose_i,
  input  word_t data_i,
  output logic  found_o,
  output logic  first_o,
  output logic  marked_o,
  output logic  missing_o,
  output word_t data_o
);

  localparam int unsigned SlipWidth = $clog2(WordWidth);
  localparam logic [1:0] Passes = 2'd3;
  typedef logic [SlipWidth-1:0] slip_t;
  typedef logic [WordWidth-1:0][1:0] counts_t;

  // ---- Places ----
  word_t prev_q, hits, hits_q;
  logic [2*WordWidth-1:0] window;
  index_t place_q;  // of this word among forty; where the count begins means nothing
  logic fresh_q;  // the memory is that of before the reset
  counts_t count, count_d;

  assign window = {data_i, prev_q};
  always_comb begin
    for (int unsigned s = 0; s < WordWidth; s++) begin
      count_d[s] = '0;
      if (window[s+:8] == Marker) begin
        count_d[s] = fresh_q ? 2'd1 : (count[s] == Passes) ? Passes : count[s] + 1'b1;
      end
      hits[s] = count_d[s] == Passes;
    end
  end

  prim_ram_lut #(
    .Width($bits(counts_t)),
    .Depth(Words)
  ) u_counts (
    .clk_i,
    .wr_en_i  (1'b1),
    .wr_addr_i(place_q),
    .wr_data_i(count_d),
    .rd_addr_i(place_q),
    .rd_data_o(count)
  );

  always_ff @(posedge clk_i) begin
    prev_q <= data_i;
    if (rst_i) begin
      place_q <= '0;
      fresh_q <= 1'b1;
      hits_q  <= '0;
    end else begin
      place_q <= (place_q == Last) ? '0 : place_q + 1'b1;
      if (place_q == Last) fresh_q <= 1'b0;
      hits_q <= hits;
    end
  end

  // ---- Words ----
  logic  take;
  slip_t slip_q;
  index_t index_q, index;  // in the codeword

  // Number of the lowest bit that is set: a tree over pairs.
  function automatic slip_t lowest(input word_t bits);
    word_t any;
    slip_t [WordWidth-1:0] at;
    any = bits;
    at  = '0;
    for (int unsigned level = 0; level < SlipWidth; level++) begin
      for (int unsigned i = 0; i < WordWidth >> (level + 1); i++) begin
        at[i]  = any[2*i] ? at[2*i] : at[2*i+1] | slip_t'(1 << level);
        any[i] = any[2*i] | any[2*i+1];
      end
    end
    return at[0];
  endfunction

  assign take  = !found_o && hits_q != '0;
  assign index = (index_q == Last) ? '0 : index_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (rst_i || lose_i) found_o <= 1'b0;
    else if (take) found_o <= 1'b1;
    // The word with the marker was there a cycle ago: this one is the one behind it, the last.
    if (take) slip_q <= lowest(hits_q);
    index_q  <= take ? Last : index;
    data_o   <= word_t'(window >> slip_q);
    first_o  <= found_o && !lose_i && index == '0;
    marked_o <= found_o && !lose_i && index == index_t'(Payload);
  end

  assign missing_o = marked_o && data_o[7:0] != Marker;

endmodule
