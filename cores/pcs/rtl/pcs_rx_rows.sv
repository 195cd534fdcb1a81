// SPDX-License-Identifier: Apache-2.0
//
// pcs_rx_rows: the raw words of 20 PCS lanes become rows of blocks.
//
// What      Every lane finds its blocks, its markers, its number and its polarity; the lanes are
//           brought into step, the markers taken out.
// Contract  lanes_i, signal_i, status_o, number_o, inverted_o, parity_error_o: as in pcs_rx.
//           peer_i: the peer has FEC, as far as that is known. rows_o: as in pcs_pkg.
// Parameters
//   Period, Depth, BerWindow  as in pcs_rx
// Source    IEEE Std 802.3 clause 82.2.11 to 82.2.15

module pcs_rx_rows
  import pcs_pkg::*;
  import line_64b66b_pkg::*;
#(
  parameter int unsigned Period = 16384,
  parameter int unsigned Depth = 32,
  parameter int unsigned BerWindow = 161133
) (
  input  logic                              clk_i,
  input  logic                              rst_i,
  input  logic    [Lanes-1:0]               signal_i,
  input  logic    [Lanes-1:0][RawWidth-1:0] lanes_i,
  input  logic                              peer_i,
  output rows_t                             rows_o,
  output status_t                           status_o,
  output lane_t   [Lanes-1:0]               number_o,
  output logic    [Lanes-1:0]               inverted_o,
  output logic    [Lanes-1:0]               parity_error_o
);

  if (Period < 2 * Depth) begin : gen_bad_period
    $error("pcs_rx_rows %m: rule Period is at least 2 * Depth (%0d), got %0d", 2 * Depth, Period);
  end

  localparam int unsigned Turns = RowCycles;
  localparam int unsigned Groups = Lanes / Turns;
  // Figure 82-10 of the standard.
  localparam int unsigned LockBlocks = 64;
  localparam int unsigned LockWindow = 1024;
  localparam int unsigned BadLimit = 65;
  // Markers are where they are by count, so those of two lanes drift apart only when a lane locks
  // anew.
  localparam int unsigned MarkerLimit = 2;

  // ---- Lanes ----
  logic [Lanes-1:0] valid, block_lock, ready, marker_lock;
  row_t block;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic slip;

    line_gearbox_rx u_gearbox (
      .clk_i,
      .rst_i,
      .data_i   (lanes_i[l]),
      .slip_i   (slip),
      .m_valid_o(valid[l]),
      .m_data_o (block[l])
    );

    line_block_lock #(
      .LockBlocks(LockBlocks),
      .Window    (LockWindow),
      .BadLimit  (BadLimit)
    ) u_lock (
      .clk_i,
      .rst_i,
      .valid_i (valid[l]),
      .header_i(block[l][1:0]),
      .slip_o  (slip),
      .locked_o(block_lock[l])
    );
  end

  assign ready = signal_i & block_lock;

  // ---- Markers, four lanes at a time ----
  logic [Lanes-1:0] turn, marked;
  row_t turned;
  logic [Groups-1:0] marker, illegal;

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    block_t common;

    pcs_marker #(
      .Period(Period)
    ) u_marker (
      .clk_i,
      .rst_i,
      .lock_i        (ready[Turns*g+:Turns]),
      .valid_i       (valid[Turns*g+:Turns]),
      .block_i       (block[Turns*g+:Turns]),
      .valid_o       (turn[Turns*g+:Turns]),
      .block_o       (common),
      .marker_o      (marker[g]),
      .illegal_o     (illegal[g]),
      .locked_o      (marker_lock[Turns*g+:Turns]),
      .number_o      (number_o[Turns*g+:Turns]),
      .inverted_o    (inverted_o[Turns*g+:Turns]),
      .parity_error_o(parity_error_o[Turns*g+:Turns])
    );
    assign turned[Turns*g+:Turns] = {Turns{common}};
    assign marked[Turns*g+:Turns] = {Turns{marker[g]}};
  end

  // ---- All lanes ----
  logic aligned, deskewed, row_valid, high_ber;
  logic [Lanes-1:0] row_marker;
  row_t row;
  lane_t [Lanes-1:0] source;

  pcs_bringup u_bringup (
    .clk_i,
    .rst_i,
    .signal_i,
    .block_lock_i (block_lock),
    .marker_lock_i(marker_lock),
    .number_i     (number_o),
    .marker_i     (turn[0] && marker[0]),
    .peer_i       (peer_i),
    .deskewed_i   (deskewed),
    .high_ber_i   (high_ber),
    .aligned_o    (aligned),
    .source_o     (source),
    .status_o     (status_o)
  );

  line_deskew #(
    .Lanes   (Lanes),
    .Width   (66),
    .Depth   (Depth),
    .BadLimit(MarkerLimit)
  ) u_deskew (
    .clk_i,
    .rst_i,
    .use_i     ('1),
    .aligned_i ({Lanes{aligned}}),
    .valid_i   (turn),
    .marker_i  (marked),
    .data_i    (turned),
    .valid_o   (row_valid),
    .marker_o  (row_marker),
    .data_o    (row),
    .deskewed_o(deskewed)
  );

  pcs_ber #(
    .Inputs(Groups),
    .Window(BerWindow)
  ) u_ber (
    .clk_i,
    .rst_i,
    .en_i     (deskewed),
    .illegal_i(illegal),
    .high_o   (high_ber)
  );

  assign rows_o = '{
          step: deskewed,
          up: deskewed && !high_ber,
          valid: row_valid && row_marker == '0,
          row: row,
          source: source
      };

endmodule
