// SPDX-License-Identifier: Apache-2.0
//
// pcs_rx: the receiver of the PCS, from the raw words of 20 lanes to words of CGMII.
//
// What      pcs_rx_rows and pcs_rx_words. What stands here is 20 PCS lanes, not words of physical
//           lanes: whether the peer has FEC is found in pcs_any.
// Contract  lanes_i: a raw word of each lane in every cycle, bit 0 first on the line, any PCS lane
//           at any of them; signal_i: there is one. cgmii_valid_o: a word; 160 blocks in 33 cycles,
//           less the markers; while status_o is not Up, local fault in every cycle.
//           status_o: state and lane as in pcs_pkg. number_o, inverted_o of each lane, right from
//           Aligning on. Reports, pulses of one cycle: parity_error_o of a lane, its BIP-8 was
//           wrong at a marker; block_error_o, a word has blocks that were replaced.
// Clocks and resets
//           All ports belong to clk_i, 322.265625 MHz at 100 Gb/s; rst_i is synchronous to it.
//           Lanes of several clocks come through clock FIFOs.
// Parameters
//   Blocks     of a word, 5 or 8
//   Period     blocks from marker to marker, 16384; at least 2 * Depth
//   Depth      most skew in blocks plus two, a power of two; the standard's 928 bits need 17
//   BerWindow  cycles in which 97 illegal headers are too many
// Latency   with all lanes in step at most 16 cycles from the raw word with a row's last bit to its
//           words; see README
// Source    IEEE Std 802.3 clause 82.2.11 to 82.2.19

module pcs_rx
  import pcs_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Period = 16384,
  parameter int unsigned Depth = 32,
  parameter int unsigned BerWindow = 161133
) (
  input  logic                                  clk_i,
  input  logic                                  rst_i,
  input  logic    [    Lanes-1:0]               signal_i,
  input  logic    [    Lanes-1:0][RawWidth-1:0] lanes_i,
  output logic                                  cgmii_valid_o,
  output logic    [64*Blocks-1:0]               cgmii_data_o,
  output logic    [ 8*Blocks-1:0]               cgmii_ctrl_o,
  output status_t                               status_o,
  output lane_t   [    Lanes-1:0]               number_o,
  output logic    [    Lanes-1:0]               inverted_o,
  output logic    [    Lanes-1:0]               parity_error_o,
  output logic                                  block_error_o
);

  rows_t rows;

  pcs_rx_rows #(
    .Period   (Period),
    .Depth    (Depth),
    .BerWindow(BerWindow)
  ) u_rows (
    .clk_i,
    .rst_i,
    .signal_i,
    .lanes_i,
    .peer_i(1'b0),
    .rows_o(rows),
    .status_o,
    .number_o,
    .inverted_o,
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
