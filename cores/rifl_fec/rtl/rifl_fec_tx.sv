// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_tx: words of one lane become codewords.
//
// What      38 words, a marker and parity make a codeword. The first half of the words waits for a
//           cycle, for RIFL stands still between the halves and behind the second.
// Contract  index_i: cycle of forty; data_i is taken where rifl_fec_pkg::moves says so. coded_i =
//           0: line_o is data_i of the cycle before. When coded_i changes, words that are on their
//           way are lost.
// Resets    rst_i, synchronous to clk_i
// Latency   plain 1 cycle, coded 8 and 7

module rifl_fec_tx
  import rifl_fec_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_i,
  input  index_t index_i,
  input  logic   coded_i,
  input  word_t  data_i,
  output word_t  line_o
);

  word_t data_q, filled, coded;
  always_ff @(posedge clk_i) data_q <= data_i;
  always_comb begin
    filled = (index_i <= index_t'(Half)) ? data_q : data_i;
    if (index_i == Last) filled = word_t'(Marker);
  end

  logic wide_valid, wide_first, coded_valid, coded_first, unused_first;
  wide_t wide, coded_wide;

  rifl_fec_widen u_widen (
    .clk_i,
    .first_i(index_i == index_t'(1)),
    .data_i (filled),
    .valid_o(wide_valid),
    .first_o(wide_first),
    .data_o (wide)
  );

  rsfec_encoder #(
    .N      (N),
    .K      (K),
    .Symbols(Symbols)
  ) u_encoder (
    .clk_i,
    .rst_i,
    .valid_i(wide_valid),
    .first_i(wide_first),
    .data_i (wide),
    .valid_o(coded_valid),
    .first_o(coded_first),
    .data_o (coded_wide)
  );

  rifl_fec_narrow #(
    .Gap(2)  // the encoder delays by a word
  ) u_narrow (
    .clk_i,
    .valid_i(coded_valid),
    .first_i(coded_first),
    .data_i (coded_wide),
    .first_o(unused_first),
    .data_o (coded)
  );

  always_ff @(posedge clk_i) line_o <= coded_i ? coded : data_i;

endmodule
