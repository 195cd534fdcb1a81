// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_tx: the transmitter of a PCS with RS-FEC, from words of CGMII to the raw words of four
// FEC lanes.
//
// What      pcs_rows and pcs_fec_tx_lanes.
// Contract  As pcs_rows. lanes_o: a raw word of each FEC lane in every cycle, bit 0 first on the
//           line, zeros until the first codeword.
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

  pcs_fec_tx_lanes u_lanes (
    .clk_i,
    .rst_i,
    .valid_i (valid),
    .place_i (place),
    .marker_i(marker),
    .row_i   (row),
    .lanes_o
  );

endmodule
