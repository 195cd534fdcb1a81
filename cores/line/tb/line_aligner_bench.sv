// SPDX-License-Identifier: Apache-2.0
//
// line_aligner_bench: one line_aligner for every possible delay of 0 .. Width-1 bit times, all fed
// from the same frames, and a check of what each delivers once it says that it is aligned.
//
// word_i    aligned word of the sender in this cycle, index_i its place in the frame
// aligned_o per instance
// wrong_o   per instance: aligned, but data, index, first, last or slip is not what it must be

module line_aligner_bench #(
  parameter  int unsigned Width         = 64,
  parameter  int unsigned WordsPerFrame = 4,
  localparam int unsigned IndexWidth    = $clog2(WordsPerFrame)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [     Width-1:0] word_i,
  input  logic [IndexWidth-1:0] index_i,
  output logic [     Width-1:0] aligned_o,
  output logic [     Width-1:0] wrong_o
);

  localparam int unsigned SlipWidth = $clog2(Width);

  logic [Width-1:0] word_q, word_qq;
  logic [IndexWidth-1:0] index_q, index_qq;

  always_ff @(posedge clk_i) begin
    word_q   <= word_i;
    word_qq  <= word_q;
    index_q  <= index_i;
    index_qq <= index_q;
  end

  for (genvar d = 0; d < Width; d++) begin : gen_delay
    // Of a line that is d bits late, d bits of the word before are in the present raw word.
    localparam int unsigned Slip = (d == 0) ? Width - 1 : d - 1;

    logic [Width-1:0] raw, data, want_data;
    logic [IndexWidth-1:0] index, want_index;
    logic first, last, aligned;
    logic [SlipWidth-1:0] slip;

    assign raw = Width'({word_i, word_q} >> (Width - d));

    line_aligner #(
      .Width        (Width),
      .WordsPerFrame(WordsPerFrame)
    ) u_aligner (
      .clk_i,
      .rst_i,
      .data_i   (raw),
      .data_o   (data),
      .index_o  (index),
      .first_o  (first),
      .last_o   (last),
      .aligned_o(aligned),
      .slip_o   (slip)
    );

    // With a delay the last bits of a word come one raw word later.
    assign want_data = (d == 0) ? word_q : word_qq;
    assign want_index = (d == 0) ? index_q : index_qq;

    assign aligned_o[d] = aligned;
    assign wrong_o[d]   = aligned && (data != want_data || index != want_index
                          || first != (index == '0)
                          || last != (index == IndexWidth'(WordsPerFrame - 1))
                          || slip != SlipWidth'(Slip));
  end

endmodule
