// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_rx: the receiver of a PCS with RS-FEC, from the raw words of four FEC lanes to words of
// CGMII.
//
// What      pcs_fec_rx_rows and pcs_rx_words.
// Contract  lanes_i, signal_i, cgmii_*: as in pcs_rx, with four lanes in any order. mode_i: as in
//           rsfec_decoder, taken while the lanes are not in step. status_o: as in pcs_pkg.
//           number_o, inverted_o of each physical lane, right from Aligning on.
//           Reports, pulses of one cycle: corrected_o, uncorrectable_o: a codeword; errors_o:
//           symbols of each FEC lane, by number, that were corrected; parity_error_o of a PCS lane:
//           its BIP-8 was wrong at a marker; block_error_o: a word has blocks that were replaced.
// Clocks and resets
//           All ports belong to clk_i, 322.265625 MHz at 100 Gb/s; rst_i is synchronous to it.
//           Lanes of several clocks come through clock FIFOs.
// Parameters
//   Blocks     of a word, 5 or 8
//   Period     rows from markers to markers, 16384; a multiple of 8, in which a lane has at least
//              2 * Depth words
//   Depth      most skew in words of 80 bits plus two, a power of two; the standard's 180 ns need
//              60
//   BerWindow  cycles in which 97 illegal headers are too many
//   SerWindow, SerLimit, SerHold  those of pcs_fec_ser
// Limits    Three codewords in a row that cannot be corrected begin the search for lanes anew, with
//           mode Correct.
// Source    IEEE Std 802.3 clauses 91.5.3, 82.2.16 to 82.2.19

module pcs_fec_rx
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Period = 16384,
  parameter int unsigned Depth = 64,
  parameter int unsigned BerWindow = 161133,
  parameter int unsigned SerWindow = 8192,
  parameter int unsigned SerLimit = 417,
  parameter int unsigned SerHold = 20971520
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic      [          1:0]      mode_i,
  input  logic      [ FecLanes-1:0]      signal_i,
  input  fec_word_t [ FecLanes-1:0]      lanes_i,
  output logic                           cgmii_valid_o,
  output logic      [64*Blocks-1:0]      cgmii_data_o,
  output logic      [ 8*Blocks-1:0]      cgmii_ctrl_o,
  output status_t                        status_o,
  output logic      [ FecLanes-1:0][1:0] number_o,
  output logic      [ FecLanes-1:0]      inverted_o,
  output logic                           corrected_o,
  output logic                           uncorrectable_o,
  output logic      [ FecLanes-1:0][3:0] errors_o,
  output logic      [    Lanes-1:0]      parity_error_o,
  output logic                           block_error_o
);

  rows_t rows;
  peer_t unused_peer;

  pcs_fec_rx_rows #(
    .Period   (Period),
    .Depth    (Depth),
    .BerWindow(BerWindow),
    .SerWindow(SerWindow),
    .SerLimit (SerLimit),
    .SerHold  (SerHold)
  ) u_rows (
    .clk_i,
    .rst_i,
    .mode_i,
    .signal_i,
    .lanes_i,
    .rows_o(rows),
    .peer_o(unused_peer),
    .status_o,
    .number_o,
    .inverted_o,
    .corrected_o,
    .uncorrectable_o,
    .errors_o,
    .parity_error_o
  );

  pcs_rx_words #(
    .Blocks(Blocks)
  ) u_words (
    .clk_i,
    .rst_i,
    .rows_i (rows),
    .cgmii_valid_o,
    .cgmii_data_o,
    .cgmii_ctrl_o,
    .error_o(block_error_o)
  );

endmodule
