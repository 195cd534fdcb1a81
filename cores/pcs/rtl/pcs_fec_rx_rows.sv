// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_rx_rows: the raw words of four FEC lanes become rows of blocks.
//
// What      Every FEC lane finds its markers, its number and its polarity; the lanes are brought
//           into step and into order, codewords corrected, rows transcoded back. PCS lanes are rows
//           here: nothing is dealt out to them and found again.
// Contract  mode_i, lanes_i, signal_i, status_o, number_o, inverted_o and the reports: as in
//           pcs_fec_rx. rows_o: as in pcs_pkg. peer_o: what the peer sends, as far as it has been
//           found; markers go before blocks.
// Parameters
//   those of pcs_fec_rx, without Blocks
// Source    IEEE Std 802.3 clauses 91.5.3, 82.2.14

module pcs_fec_rx_rows
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
  import line_64b66b_pkg::*;
#(
  parameter int unsigned Period = 16384,
  parameter int unsigned Depth = 64,
  parameter int unsigned BerWindow = 161133,
  parameter int unsigned SerWindow = 8192,
  parameter int unsigned SerLimit = 417,
  parameter int unsigned SerHold = 20971520
) (
  input  logic                          clk_i,
  input  logic                          rst_i,
  input  logic      [         1:0]      mode_i,
  input  logic      [FecLanes-1:0]      signal_i,
  input  fec_word_t [FecLanes-1:0]      lanes_i,
  output rows_t                         rows_o,
  output peer_t                         peer_o,
  output status_t                       status_o,
  output logic      [FecLanes-1:0][1:0] number_o,
  output logic      [FecLanes-1:0]      inverted_o,
  output logic                          corrected_o,
  output logic                          uncorrectable_o,
  output logic      [FecLanes-1:0][3:0] errors_o,
  output logic      [   Lanes-1:0]      parity_error_o
);

  if (Period % 8 != 0 || Period / 8 * 33 < 2 * Depth) begin : gen_bad_period
    $error(
        "pcs_fec_rx_rows %m: rule 8 | Period and 33 / 8 * Period at least 2 * Depth (%0d), got %0d",
        2 * Depth,
        Period
    );
  end

  localparam int unsigned MarkerLimit = 2;  // as in pcs_rx
  localparam logic [1:0] Refusals = 2'd3;
  localparam int unsigned LaneSymbols = $bits(fec_word_t) / 10;
  localparam int unsigned Symbols = FecLanes * LaneSymbols;

  // ---- Lanes ----
  logic [FecLanes-1:0] locked, marked, found;
  fec_word_t [FecLanes-1:0] cut;
  lane_t [FecLanes-1:0] number, source;
  logic restart_q;

  for (genvar l = 0; l < FecLanes; l++) begin : gen_lane
    pcs_fec_lane #(
      .Period(Period)
    ) u_lane (
      .clk_i,
      .rst_i,
      .lock_i    (signal_i[l] && !restart_q),
      .data_i    (lanes_i[l]),
      .data_o    (cut[l]),
      .marker_o  (marked[l]),
      .found_o   (found[l]),
      .locked_o  (locked[l]),
      .number_o  (number_o[l]),
      .inverted_o(inverted_o[l])
    );
    assign number[l] = lane_t'(number_o[l]);
  end

  logic blocks;

  pcs_peer #(
    .Period(Period)
  ) u_peer (
    .clk_i,
    .rst_i,
    .signal_i,
    .lanes_i,
    .found_o(blocks)
  );
  assign peer_o = '{markers: found != '0, blocks: blocks && found == '0};

  // ---- In step, in order ----
  logic aligned, deskewed, step_valid;
  logic [FecLanes-1:0] step_marker;
  fec_word_t [FecLanes-1:0] step;
  logic [Symbols-1:0][9:0] line;
  status_t lanes;

  pcs_bringup #(
    .Count(FecLanes)
  ) u_bringup (
    .clk_i,
    .rst_i,
    .signal_i,
    .block_lock_i ('1),
    .marker_lock_i(locked),
    .number_i     (number),
    .marker_i     (marked[0]),
    .peer_i       (peer_o.blocks),
    .deskewed_i   (deskewed),
    .high_ber_i   (1'b0),
    .aligned_o    (aligned),
    .source_o     (source),
    .status_o     (lanes)
  );

  line_deskew #(
    .Lanes   (FecLanes),
    .Width   ($bits(fec_word_t)),
    .Depth   (Depth),
    .BadLimit(MarkerLimit)
  ) u_deskew (
    .clk_i,
    .rst_i,
    .use_i     ('1),
    .aligned_i ({FecLanes{aligned}}),
    .valid_i   ('1),
    .marker_i  (marked),
    .data_i    (cut),
    .valid_o   (step_valid),
    .marker_o  (step_marker),
    .data_o    (step),
    .deskewed_o(deskewed)
  );

  for (genvar s = 0; s < Symbols; s++) begin : gen_symbol
    assign line[s] = step[source[s%FecLanes][1:0]][10*(s/FecLanes)+:10];
  end

  // ---- Codewords ----
  logic down, word_valid, word_first;
  logic [1:0] bad;
  logic [Symbols-1:0][9:0] word;
  logic [3:0] weight;
  logic [FecLanes-1:0][3:0] errors;  // of a word

  assign errors_o = word_valid ? errors : '0;
  assign down = rst_i || !deskewed;

  rsfec_decoder #(
    .Lanes(FecLanes)
  ) u_decoder (
    .clk_i,
    .rst_i   (down),
    .mode_i,
    .valid_i (step_valid),
    .first_i (step_marker == '1),
    .data_i  (line),
    .valid_o (word_valid),
    .first_o (word_first),
    .data_o  (word),
    .bad_o   (bad),
    .corrected_o,
    .uncorrectable_o,
    .errors_o(errors),
    .weight_o(weight)
  );

  // ---- Are they codewords at all ----
  // What begins the search anew is the reason for longer than registers look for one: the markers
  // that are then missing would hide it.
  localparam int unsigned Named = 128;
  logic begins, coded_q, refused_q, silent_q, high_ser;
  logic [1:0] refusals_q;
  logic [$clog2(Named)-1:0] named_q;

  always_ff @(posedge clk_i) begin
    restart_q <= 1'b0;
    named_q   <= restart_q ? '1 : named_q - (named_q != '0);
    if (down) begin
      silent_q   <= mode_i == rsfec_pkg::BypassIndication;
      coded_q    <= 1'b0;
      refusals_q <= '0;
    end else if (begins) begin
      if (!uncorrectable_o || mode_i != rsfec_pkg::Correct) begin
        coded_q    <= 1'b1;
        refused_q  <= 1'b0;
        refusals_q <= '0;
      end else begin
        refusals_q <= refusals_q + 1'b1;
        if (refusals_q == Refusals - 1'b1) begin
          restart_q <= 1'b1;
          refused_q <= 1'b1;
        end
      end
    end
    if (rst_i) begin
      refused_q <= 1'b0;
      named_q   <= '0;
    end
  end

  pcs_fec_ser #(
    .Window(SerWindow),
    .Limit (SerLimit),
    .Hold  (SerHold)
  ) u_ser (
    .clk_i,
    .rst_i,
    .en_i    (!down && silent_q),
    .begins_i(begins),
    .weight_i(weight),
    .high_o  (high_ser)
  );

  // ---- Rows ----
  logic row_valid, row_marker, high_ber;
  row_t row;

  pcs_fec_rows u_rows (
    .clk_i,
    .rst_i    (down),
    .valid_i  (word_valid),
    .first_i  (word_first),
    .data_i   (word),
    .bad_i    (bad),
    .illegal_i(high_ser),
    .begins_o (begins),
    .valid_o  (row_valid),
    .marker_o (row_marker),
    .row_o    (row)
  );

  logic [Lanes-1:0] illegal_q;  // a cycle late, for the depth of the logic
  logic parity_begun_q;  // since a row of markers
  for (genvar l = 0; l < Lanes; l++) begin : gen_pcs_lane
    logic [7:0] parity_q;
    always_ff @(posedge clk_i) begin
      illegal_q[l] <= row_valid && row[l][0] == row[l][1];
      if (row_valid) parity_q <= (row_marker ? '0 : parity_q) ^ parity(row[l]);
      parity_error_o[l] <= !down && row_valid && row_marker && parity_begun_q &&
          row[l][33:26] != parity_q;
    end
  end
  always_ff @(posedge clk_i) begin
    parity_begun_q <= !down && (parity_begun_q || (row_valid && row_marker));
  end

  pcs_ber #(
    .Inputs(Lanes),
    .Window(BerWindow)
  ) u_ber (
    .clk_i,
    .rst_i,
    .en_i     (deskewed),
    .illegal_i(illegal_q),
    .high_o   (high_ber)
  );

  lane_t [Lanes-1:0] same;  // lanes are in order already
  for (genvar l = 0; l < Lanes; l++) begin : gen_same
    assign same[l] = lane_t'(l);
  end

  assign rows_o = '{
          step: !down,
          up: deskewed && coded_q && !high_ber,
          valid: row_valid && !row_marker,
          row: row,
          source: same
      };

  // ---- Why not ----
  always_comb begin
    status_o = lanes;
    if (refused_q && (lanes.state == Aligning || (lanes.state == NoMarker && named_q != '0))) begin
      status_o = '{state: NoCodeword, lane: '0};
    end
    if (lanes.state == Up) begin
      if (high_ber) status_o.state = HighBer;
      if (high_ser) status_o.state = HighSer;
      if (!coded_q) status_o.state = NoCodeword;
    end
  end

endmodule
