// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_rx: codewords of one lane become words, or plain words pass.
//
// What      Codewords are looked for whatever is done with them. A place is believed when a
//           codeword that begins there could be corrected; from the next codeword on that leaves
//           the decoder its words replace those of the lane.
// Contract  give_o: data_o is a word for RIFL; in two cycles of a codeword it is low. Without
//           codewords, or with use_i = 0, data_o is line_i of the cycle before in every cycle.
//           heard_o: the lane carries codewords.
//           A codeword that cannot be corrected passes as it came, and all words of it have bad_o.
//           Lose of them in a row, or as many missing markers, and the search begins anew. Where
//           codewords and plain words follow each other, the first word behind has bad_o, too: a
//           frame cannot be whole there.
//           Pulses, while codewords are heard: corrected_o, uncorrectable_o: a codeword; errors_o:
//           symbols corrected.
// Clocks and resets
//           All belong to clk_i; rst_i: plain words.
// Latency   plain 1 cycle; coded 5/4 of 36 + 12 / Steps + Scan words of 80 bits, and 3 to 7 cycles
// Parameters
//   Lose         codewords, >= 1
//   Steps, Scan  as in rsfec_decoder

module rifl_fec_rx
  import rifl_fec_pkg::*;
#(
  parameter int unsigned Lose  = 4,
  parameter int unsigned Steps = 1,
  parameter int unsigned Scan  = 16
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  input  logic                    use_i,
  input  word_t                   line_i,
  output logic                    give_o,
  output word_t                   data_o,
  output logic                    bad_o,
  output logic                    heard_o,
  output logic                    corrected_o,
  output logic                    uncorrectable_o,
  output logic  [ErrorsWidth-1:0] errors_o
);

  if (Lose < 1) begin : gen_bad
    $error("rifl_fec_rx %m: Lose must be >= 1, got %0d", Lose);
  end
  localparam int unsigned LoseWidth = (Lose > 1) ? $clog2(Lose) : 1;
  // Words from one that enters the decoder to the one with which it reaches the last register.
  localparam int unsigned Delay = N / Symbols + 3 + (N - K) / Steps + Scan;
  localparam logic [LoseWidth-1:0] LoseLast = LoseWidth'(Lose - 1);

  // ---- Words of codewords ----
  logic found, lose, cut_first, cut_marked, cut_missing;
  word_t cut;

  rifl_fec_find u_find (
    .clk_i,
    .rst_i,
    .lose_i   (lose),
    .data_i   (line_i),
    .found_o  (found),
    .first_o  (cut_first),
    .marked_o (cut_marked),
    .missing_o(cut_missing),
    .data_o   (cut)
  );

  logic wide_valid, wide_first, dec_valid, dec_first, dec_bad, dec_corrected, dec_uncorrectable;
  wide_t wide, dec;
  logic [ErrorsWidth-1:0] dec_errors;
  logic [$clog2((N-K)/2+2)-1:0] unused_weight;

  rifl_fec_widen u_widen (
    .clk_i,
    .first_i(cut_first),
    .data_i (cut),
    .valid_o(wide_valid),
    .first_o(wide_first),
    .data_o (wide)
  );

  rsfec_decoder #(
    .N      (N),
    .K      (K),
    .Symbols(Symbols),
    .Steps  (Steps),
    .Scan   (Scan),
    .Lanes  (1)
  ) u_decoder (
    .clk_i,
    .rst_i          (!found),
    .mode_i         (rsfec_pkg::Correct),
    .valid_i        (wide_valid),
    .first_i        (wide_first),
    .data_i         (wide),
    .valid_o        (dec_valid),
    .first_o        (dec_first),
    .data_o         (dec),
    .bad_o          (dec_bad),
    .corrected_o    (dec_corrected),
    .uncorrectable_o(dec_uncorrectable),
    .errors_o       (dec_errors),
    .weight_o       (unused_weight)
  );

  logic first;
  word_t word, word_q;
  rifl_fec_narrow #(
    .Gap(3 - Delay % 4)
  ) u_narrow (
    .clk_i,
    .valid_i(dec_valid),
    .first_i(dec_first),
    .data_i (dec),
    .first_o(first),
    .data_o (word)
  );

  // ---- Are they codewords, and still ----
  logic begins, refused_last, missing_last;
  logic [LoseWidth-1:0] refused_q, missing_q;  // in a row

  assign begins = dec_valid && dec_first;
  assign refused_last = begins && dec_uncorrectable && refused_q == LoseLast;
  assign missing_last = cut_missing && missing_q == LoseLast;
  assign lose = refused_last || missing_last;

  always_ff @(posedge clk_i) begin
    if (rst_i || !found || lose) begin
      heard_o   <= 1'b0;
      refused_q <= '0;
      missing_q <= '0;
    end else begin
      if (begins && !dec_uncorrectable) heard_o <= 1'b1;
      if (begins) refused_q <= dec_uncorrectable ? refused_q + 1'b1 : '0;
      if (cut_marked) missing_q <= cut_missing ? missing_q + 1'b1 : '0;
    end
    corrected_o     <= dec_corrected && found;
    uncorrectable_o <= dec_uncorrectable && heard_o && found;
    errors_o        <= (dec_valid && !dec_bad && found) ? dec_errors : '0;
  end

  // ---- Out ----
  index_t index, index_q;
  logic decode, decode_q;

  assign index  = first ? '0 : index_q + 1'b1;
  assign decode = heard_o && (first ? use_i : decode_q);

  // The words of a codeword have left before the next one begins to leave the decoder, but for its
  // parity.
  logic word_bad_q;
  always_ff @(posedge clk_i) if (begins) word_bad_q <= dec_uncorrectable;

  always_ff @(posedge clk_i) begin
    index_q  <= index;
    decode_q <= !rst_i && decode;
    word_q   <= word;
    bad_o    <= !rst_i && ((decode && word_bad_q) || decode != decode_q);
    // The second half of the words waits for a cycle.
    data_o   <= !decode ? line_i : (index <= index_t'(Half)) ? word : word_q;
    give_o   <= rst_i || !decode || moves(index);
  end

endmodule
