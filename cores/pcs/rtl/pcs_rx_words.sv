// SPDX-License-Identifier: Apache-2.0
//
// pcs_rx_words: rows of blocks become words of CGMII.
//
// What      Rows are taken apart into words, the blocks descrambled and decoded.
// Contract  rows_i: as pcs_rx_rows and pcs_fec_rx_rows give them. cgmii_valid_o: a word; while
//           rows_i is not up, local fault in every cycle. error_o: a word has blocks that were
//           replaced.
// Parameters
//   Blocks  of a word, 5 or 8
// Latency   see pcs_words and pcs_receive

module pcs_rx_words
  import pcs_pkg::*;
  import line_64b66b_pkg::*;
#(
  parameter int unsigned Blocks = 8
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  rows_t                 rows_i,
  output logic                  cgmii_valid_o,
  output logic  [64*Blocks-1:0] cgmii_data_o,
  output logic  [ 8*Blocks-1:0] cgmii_ctrl_o,
  output logic                  error_o
);

  if (!(Blocks inside {5, 8})) begin : gen_bad_blocks
    $error("pcs_rx_words %m: rule Blocks is 5 or 8, got %0d", Blocks);
  end

  logic valid;
  block_t [Blocks-1:0] word;
  slot_t [Blocks-1:0] slot;

  pcs_words #(
    .Blocks(Blocks)
  ) u_words (
    .clk_i,
    .rst_i   (rst_i || !rows_i.step),
    .valid_i (rows_i.valid),
    .row_i   (rows_i.row),
    .source_i(rows_i.source),
    .valid_o (valid),
    .block_o (word)
  );

  pcs_receive #(
    .Blocks(Blocks)
  ) u_receive (
    .clk_i,
    .rst_i,
    .up_i   (rows_i.up),
    .valid_i(valid),
    .block_i(word),
    .valid_o(cgmii_valid_o),
    .slot_o (slot),
    .error_o(error_o)
  );

  for (genvar b = 0; b < Blocks; b++) begin : gen_slot
    assign {cgmii_ctrl_o[8*b+:8], cgmii_data_o[64*b+:64]} = slot[b];
  end

endmodule
