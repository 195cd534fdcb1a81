// SPDX-License-Identifier: Apache-2.0
//
// pcs_tx_lanes: rows of blocks become the raw words of 20 PCS lanes.
//
// What      A gearbox for each lane: eight rows are 33 raw words.
// Contract  valid_i, place_i, row_i: as pcs_rows gives them. lanes_o: a raw word of each lane in
//           every cycle, bit 0 first on the line.
// Latency   1 cycle from the row to the raw word with its first bit

module pcs_tx_lanes
  import pcs_pkg::*;
(
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           valid_i,
  input  logic [      2:0]               place_i,
  input  row_t                           row_i,
  output logic [Lanes-1:0][RawWidth-1:0] lanes_o
);

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    line_gearbox_tx u_gearbox (
      .clk_i,
      .rst_i,
      .s_valid_i(valid_i),
      .place_i  (place_i),
      .s_data_i (row_i[l]),
      .data_o   (lanes_o[l])
    );
  end

endmodule
