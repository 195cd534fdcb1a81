// SPDX-License-Identifier: Apache-2.0
//
// pcs: 100GBASE-R physical coding sublayer, both directions.
//
// Contract  Ports as in pcs_tx and pcs_rx, with tx_ or rx_ in front. They have nothing in common
//           but the parameters. Hold = 1: tx_cgmii_ready_o takes a word, and tx_cgmii_valid_i has
//           to be high. Hold = 0: tx_cgmii_valid_i gives one at the source's own rate, as pcs_idle
//           allows. tx_lost_o: the source did not do so.
// Clocks and resets
//           Ports with tx_ belong to tx_clk_i, those with rx_ to rx_clk_i, each 322.265625 MHz at
//           100 Gb/s. tx_rst_i and rx_rst_i are synchronous to them; each may come alone.
// Parameters
//   Blocks, Period, Depth, BerWindow  those of the two modules
//   Hold                              the source can be held, as eth_mac can

module pcs
  import pcs_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Period = 16384,
  parameter int unsigned Depth = 32,
  parameter int unsigned BerWindow = 161133,
  parameter bit Hold = 1'b1
) (
  input  logic                               tx_clk_i,
  input  logic                               tx_rst_i,
  input  logic                               tx_cgmii_valid_i,
  output logic                               tx_cgmii_ready_o,
  input  logic [64*Blocks-1:0]               tx_cgmii_data_i,
  input  logic [ 8*Blocks-1:0]               tx_cgmii_ctrl_i,
  output logic [    Lanes-1:0][RawWidth-1:0] tx_lanes_o,
  output logic                               tx_lost_o,

  input  logic                                  rx_clk_i,
  input  logic                                  rx_rst_i,
  input  logic    [    Lanes-1:0]               rx_signal_i,
  input  logic    [    Lanes-1:0][RawWidth-1:0] rx_lanes_i,
  output logic                                  rx_cgmii_valid_o,
  output logic    [64*Blocks-1:0]               rx_cgmii_data_o,
  output logic    [ 8*Blocks-1:0]               rx_cgmii_ctrl_o,
  output status_t                               rx_status_o,
  output lane_t   [    Lanes-1:0]               rx_number_o,
  output logic    [    Lanes-1:0]               rx_inverted_o,
  output logic    [    Lanes-1:0]               rx_parity_error_o,
  output logic                                  rx_block_error_o
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

  pcs_tx #(
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

  pcs_rx #(
    .Blocks   (Blocks),
    .Period   (Period),
    .Depth    (Depth),
    .BerWindow(BerWindow)
  ) u_rx (
    .clk_i         (rx_clk_i),
    .rst_i         (rx_rst_i),
    .signal_i      (rx_signal_i),
    .lanes_i       (rx_lanes_i),
    .cgmii_valid_o (rx_cgmii_valid_o),
    .cgmii_data_o  (rx_cgmii_data_o),
    .cgmii_ctrl_o  (rx_cgmii_ctrl_o),
    .status_o      (rx_status_o),
    .number_o      (rx_number_o),
    .inverted_o    (rx_inverted_o),
    .parity_error_o(rx_parity_error_o),
    .block_error_o (rx_block_error_o)
  );

endmodule
