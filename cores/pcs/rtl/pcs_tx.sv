// SPDX-License-Identifier: Apache-2.0
//
// pcs_tx: the transmitter of the PCS, from words of CGMII to the raw words of 20 PCS lanes.
//
// What      pcs_rows and pcs_tx_lanes.
// Contract  As pcs_rows. lanes_o: a raw word of each lane in every cycle, bit 0 first on the line.
// Parameters
//   Blocks  of a word, 5 or 8
//   Period  rows from markers to markers, 16384; less for simulations, >= 2
// Latency   7 cycles from the first word of a row to the raw word with its first bit, less the step
//           in which that word is taken
// Source    IEEE Std 802.3 clause 82.2.4 to 82.2.8

module pcs_tx
  import pcs_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Period = 16384
) (
  input  logic                               clk_i,
  input  logic                               rst_i,
  output logic                               cgmii_ready_o,
  input  logic [64*Blocks-1:0]               cgmii_data_i,
  input  logic [ 8*Blocks-1:0]               cgmii_ctrl_i,
  output logic [    Lanes-1:0][RawWidth-1:0] lanes_o
);

  logic valid, unused_marker;
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
    .marker_o(unused_marker),
    .row_o   (row)
  );

  pcs_tx_lanes u_lanes (
    .clk_i,
    .rst_i,
    .valid_i(valid),
    .place_i(place),
    .row_i  (row),
    .lanes_o
  );

endmodule
