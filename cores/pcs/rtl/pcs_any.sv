// SPDX-License-Identifier: Apache-2.0
//
// pcs_any: a PCS of four physical lanes of 25.78125 Gb/s, with RS-FEC, without it, or with both.
//
// What      Words to rows and rows to words are there once, lanes with FEC and without as Fec says.
//           With both, either kind of lanes runs all the time, and rx_coded_o selects one for
//           each direction.
// Contract  cgmii_*, tx_lost_o: as in pcs. Lanes with FEC: as in pcs_fec; without it: as pcs_caui
//           puts PCS lanes on them. rx_mode_i: as in pcs_fec. rx_setting_i: setting_e of
//           pcs_fec_pkg, for Fec = 2; may change in any cycle. rx_coded_o: codewords are sent and
//           expected. rx_status_o: as in pcs_pkg; PeerMode also for 128 cycles after a change of
//           rx_coded_o.
//           rx_signal_o, rx_number_o, rx_inverted_o: of FEC lanes, in the first four places, or of
//           PCS lanes. Reports as in pcs_fec and pcs; those of the FEC only with rx_coded_o.
// Clocks and resets
//           As in pcs. The choice belongs to rx_clk_i, and a reset of the receiver begins with
//           codewords. The transmitter changes within a word; what it sends goes on.
// Parameters
//   Fec   0: without; 1: with; 2: both
//   Hold  as in pcs
//   the others are those of pcs_fec and pcs; Depth is what these have

module pcs_any
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Fec = 2,
  parameter int unsigned Period = 16384,
  parameter int unsigned BerWindow = 161133,
  parameter int unsigned SerWindow = 8192,
  parameter int unsigned SerLimit = 417,
  parameter int unsigned SerHold = 20971520,
  parameter bit Hold = 1'b1
) (
  input  logic                      tx_clk_i,
  input  logic                      tx_rst_i,
  input  logic                      tx_cgmii_valid_i,
  output logic                      tx_cgmii_ready_o,
  input  logic      [64*Blocks-1:0] tx_cgmii_data_i,
  input  logic      [ 8*Blocks-1:0] tx_cgmii_ctrl_i,
  output fec_word_t [ FecLanes-1:0] tx_lanes_o,
  output logic                      tx_lost_o,

  input  logic                           rx_clk_i,
  input  logic                           rx_rst_i,
  input  logic      [          1:0]      rx_mode_i,
  input  logic      [          1:0]      rx_setting_i,
  input  logic      [ FecLanes-1:0]      rx_signal_i,
  input  fec_word_t [ FecLanes-1:0]      rx_lanes_i,
  output logic                           rx_cgmii_valid_o,
  output logic      [64*Blocks-1:0]      rx_cgmii_data_o,
  output logic      [ 8*Blocks-1:0]      rx_cgmii_ctrl_o,
  output logic                           rx_coded_o,
  output status_t                        rx_status_o,
  output logic      [    Lanes-1:0]      rx_signal_o,
  output lane_t     [    Lanes-1:0]      rx_number_o,
  output logic      [    Lanes-1:0]      rx_inverted_o,
  output logic                           rx_corrected_o,
  output logic                           rx_uncorrectable_o,
  output logic      [ FecLanes-1:0][3:0] rx_errors_o,
  output logic      [    Lanes-1:0]      rx_parity_error_o,
  output logic                           rx_block_error_o
);

  if (Fec > 2) begin : gen_bad_fec
    $error("pcs_any %m: rule Fec is 0, 1 or 2, got %0d", Fec);
  end

  localparam bit Coded = Fec != 0;  // lanes with FEC are there
  localparam bit Plain = Fec != 1;

  // What either kind of lanes says of itself.
  typedef struct packed {
    status_t           status;
    logic [Lanes-1:0]  signal;
    lane_t [Lanes-1:0] number;
    logic [Lanes-1:0]  inverted;
    logic [Lanes-1:0]  parity_error;
  } report_t;

  logic tx_coded, changing;
  peer_t peer;

  // ---- Words to rows ----
  logic line_ready;  // a word is taken for the lanes
  logic [64*Blocks-1:0] line_data;
  logic [8*Blocks-1:0] line_ctrl;
  logic row_valid, row_marker;
  logic [2:0] row_place;
  row_t row;
  fec_word_t [FecLanes-1:0] tx_coded_lanes, tx_plain_lanes;

  pcs_source #(
    .Blocks(Blocks),
    .Hold  (Hold)
  ) u_source (
    .clk_i    (tx_clk_i),
    .rst_i    (tx_rst_i),
    .s_valid_i(tx_cgmii_valid_i),
    .s_ready_o(tx_cgmii_ready_o),
    .s_data_i (tx_cgmii_data_i),
    .s_ctrl_i (tx_cgmii_ctrl_i),
    .m_ready_i(line_ready),
    .m_data_o (line_data),
    .m_ctrl_o (line_ctrl),
    .lost_o   (tx_lost_o)
  );

  pcs_rows #(
    .Blocks(Blocks),
    .Period(Period)
  ) u_rows (
    .clk_i        (tx_clk_i),
    .rst_i        (tx_rst_i),
    .cgmii_ready_o(line_ready),
    .cgmii_data_i (line_data),
    .cgmii_ctrl_i (line_ctrl),
    .valid_o      (row_valid),
    .place_o      (row_place),
    .marker_o     (row_marker),
    .row_o        (row)
  );

  assign tx_lanes_o = tx_coded ? tx_coded_lanes : tx_plain_lanes;

  // ---- Rows to words ----
  rows_t rows, coded_rows, plain_rows;
  report_t report, coded_report, plain_report;
  logic uncorrectable, corrected;
  logic [FecLanes-1:0][3:0] errors;

  always_comb begin
    rows   = rx_coded_o ? coded_rows : plain_rows;
    report = rx_coded_o ? coded_report : plain_report;
    if (changing) begin
      rows.step     = 1'b0;
      rows.up       = 1'b0;
      report.status = '{state: PeerMode, lane: '0};
    end
  end

  pcs_rx_words #(
    .Blocks(Blocks)
  ) u_words (
    .clk_i        (rx_clk_i),
    .rst_i        (rx_rst_i),
    .rows_i       (rows),
    .cgmii_valid_o(rx_cgmii_valid_o),
    .cgmii_data_o (rx_cgmii_data_o),
    .cgmii_ctrl_o (rx_cgmii_ctrl_o),
    .error_o      (rx_block_error_o)
  );

  assign rx_status_o = report.status;
  assign rx_signal_o = report.signal;
  assign rx_number_o = report.number;
  assign rx_inverted_o = report.inverted;
  assign rx_parity_error_o = report.parity_error;
  assign rx_corrected_o = rx_coded_o && corrected;
  assign rx_uncorrectable_o = rx_coded_o && uncorrectable;
  assign rx_errors_o = rx_coded_o ? errors : '0;

  // ---- Lanes with FEC ----
  if (Coded) begin : gen_coded
    logic [FecLanes-1:0][1:0] number;
    logic [FecLanes-1:0] inverted;

    pcs_fec_tx_lanes u_tx (
      .clk_i   (tx_clk_i),
      .rst_i   (tx_rst_i),
      .valid_i (row_valid),
      .place_i (row_place),
      .marker_i(row_marker),
      .row_i   (row),
      .lanes_o (tx_coded_lanes)
    );

    pcs_fec_rx_rows #(
      .Period   (Period),
      .BerWindow(BerWindow),
      .SerWindow(SerWindow),
      .SerLimit (SerLimit),
      .SerHold  (SerHold)
    ) u_rx (
      .clk_i          (rx_clk_i),
      .rst_i          (rx_rst_i),
      .mode_i         (rx_mode_i),
      .signal_i       (rx_signal_i),
      .lanes_i        (rx_lanes_i),
      .rows_o         (coded_rows),
      .peer_o         (peer),
      .status_o       (coded_report.status),
      .number_o       (number),
      .inverted_o     (inverted),
      .corrected_o    (corrected),
      .uncorrectable_o(uncorrectable),
      .errors_o       (errors),
      .parity_error_o (coded_report.parity_error)
    );

    assign coded_report.signal   = Lanes'(rx_signal_i);
    assign coded_report.inverted = Lanes'(inverted);
    always_comb begin
      coded_report.number = '0;
      for (int l = 0; l < int'(FecLanes); l++) coded_report.number[l] = lane_t'(number[l]);
    end
  end else begin : gen_uncoded
    logic unused_coded;

    pcs_peer #(
      .Coded (1'b1),
      .Period(Period)
    ) u_peer (
      .clk_i   (rx_clk_i),
      .rst_i   (rx_rst_i),
      .signal_i(rx_signal_i),
      .lanes_i (rx_lanes_i),
      .found_o (peer.markers)
    );

    assign peer.blocks = 1'b0;
    assign tx_coded_lanes = '0;
    assign {coded_rows, coded_report, corrected, uncorrectable, errors} = '0;
    assign unused_coded = ^{row_marker, rx_mode_i};
  end

  // ---- Lanes without ----
  if (Plain) begin : gen_plain
    logic [Lanes-1:0][RawWidth-1:0] tx_lanes, rx_lanes;

    pcs_caui u_caui (
      .tx_lanes_i (tx_lanes),
      .tx_words_o (tx_plain_lanes),
      .rx_signal_i(rx_signal_i),
      .rx_words_i (rx_lanes_i),
      .rx_signal_o(plain_report.signal),
      .rx_lanes_o (rx_lanes)
    );

    pcs_tx_lanes u_tx (
      .clk_i  (tx_clk_i),
      .rst_i  (tx_rst_i),
      .valid_i(row_valid),
      .place_i(row_place),
      .row_i  (row),
      .lanes_o(tx_lanes)
    );

    pcs_rx_rows #(
      .Period   (Period),
      .BerWindow(BerWindow)
    ) u_rx (
      .clk_i         (rx_clk_i),
      .rst_i         (rx_rst_i),
      .signal_i      (plain_report.signal),
      .lanes_i       (rx_lanes),
      .peer_i        (peer.markers),
      .rows_o        (plain_rows),
      .status_o      (plain_report.status),
      .number_o      (plain_report.number),
      .inverted_o    (plain_report.inverted),
      .parity_error_o(plain_report.parity_error)
    );
  end else begin : gen_unplain
    assign tx_plain_lanes = '0;
    assign {plain_rows, plain_report} = '0;
  end

  // ---- Which of them ----
  if (Fec == 2) begin : gen_both
    pcs_follow #(
      .Period(Period)
    ) u_follow (
      .clk_i     (rx_clk_i),
      .rst_i     (rx_rst_i),
      .setting_i (rx_setting_i),
      .peer_i    (peer),
      .coded_o   (rx_coded_o),
      .changing_o(changing)
    );

    prim_sync_bit #(
      .ResetValue(1'b1)
    ) u_tx_coded (
      .clk_i(tx_clk_i),
      .rst_i(1'b0),
      .d_i  (rx_coded_o),
      .q_o  (tx_coded)
    );
  end else begin : gen_fixed
    logic unused_setting;
    assign unused_setting = ^{rx_setting_i, peer};
    assign rx_coded_o = Coded;
    assign tx_coded = Coded;
    assign changing = 1'b0;
  end

endmodule
