// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec: 100GBASE-R physical coding sublayer with RS-FEC, both directions: CGMII to four FEC
// lanes.
//
// Contract  Ports as in pcs_fec_tx and pcs_fec_rx, with tx_ or rx_ in front; of tx_cgmii_* and
//           tx_lost_o with Hold as in pcs_source. The directions have nothing in common but the
//           parameters.
// Clocks and resets
//           Ports with tx_ belong to tx_clk_i, those with rx_ to rx_clk_i, each 322.265625 MHz at
//           100 Gb/s. tx_rst_i and rx_rst_i are synchronous to them; each may come alone.
// Parameters
//   Blocks, Period, Depth, BerWindow, SerWindow, SerLimit, SerHold  those of the two modules
//   Hold                                                           the source can be held

module pcs_fec
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Period = 16384,
  parameter int unsigned Depth = 64,
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
  input  logic      [ FecLanes-1:0]      rx_signal_i,
  input  fec_word_t [ FecLanes-1:0]      rx_lanes_i,
  output logic                           rx_cgmii_valid_o,
  output logic      [64*Blocks-1:0]      rx_cgmii_data_o,
  output logic      [ 8*Blocks-1:0]      rx_cgmii_ctrl_o,
  output status_t                        rx_status_o,
  output logic      [ FecLanes-1:0][1:0] rx_number_o,
  output logic      [ FecLanes-1:0]      rx_inverted_o,
  output logic                           rx_corrected_o,
  output logic                           rx_uncorrectable_o,
  output logic      [ FecLanes-1:0][3:0] rx_errors_o,
  output logic      [    Lanes-1:0]      rx_parity_error_o,
  output logic                           rx_block_error_o
);

  logic line_ready;  // a word is taken for the lanes
  logic [64*Blocks-1:0] line_data;
  logic [8*Blocks-1:0] line_ctrl;

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

  pcs_fec_tx #(
    .Blocks(Blocks),
    .Period(Period)
  ) u_tx (
    .clk_i        (tx_clk_i),
    .rst_i        (tx_rst_i),
    .cgmii_ready_o(line_ready),
    .cgmii_data_i (line_data),
    .cgmii_ctrl_i (line_ctrl),
    .lanes_o      (tx_lanes_o)
  );

  pcs_fec_rx #(
    .Blocks   (Blocks),
    .Period   (Period),
    .Depth    (Depth),
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
    .cgmii_valid_o  (rx_cgmii_valid_o),
    .cgmii_data_o   (rx_cgmii_data_o),
    .cgmii_ctrl_o   (rx_cgmii_ctrl_o),
    .status_o       (rx_status_o),
    .number_o       (rx_number_o),
    .inverted_o     (rx_inverted_o),
    .corrected_o    (rx_corrected_o),
    .uncorrectable_o(rx_uncorrectable_o),
    .errors_o       (rx_errors_o),
    .parity_error_o (rx_parity_error_o),
    .block_error_o  (rx_block_error_o)
  );

endmodule
