// SPDX-License-Identifier: Apache-2.0
//
// htsp_100g_pcs: the PCS of htsp_100g, with RS-FEC or without, with one set of ports.
//
// Contract  CGMII as pcs_fec, for a source that can be held. tx_data_o, rx_data_i: 80 bits of each
//           of four lanes and cycle; without FEC bit i of them is of PCS lane i mod 5.
//           state_o, lane_o, number_o, inverted_o, clear_i, rd_*: as in htsp_100g. events_o: a
//           codeword was corrected (0), was uncorrectable (1). All but tx_* belongs to rx_clk_i.
// Clocks and resets
//           As pcs_fec: tx_rst_i and rx_rst_i are synchronous to their clocks.
// Parameters
//   those of htsp_100g

module htsp_100g_pcs
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter  bit          Fec       = 1'b1,
  parameter  int unsigned Period    = 16384,
  parameter  int unsigned BerWindow = 161133,
  parameter  int unsigned SerWindow = 8192,
  parameter  int unsigned SerLimit  = 417,
  parameter  int unsigned SerHold   = 20971520,
  localparam int unsigned Blocks    = 8
) (
  input  logic                      tx_clk_i,
  input  logic                      tx_rst_i,
  output logic                      tx_cgmii_ready_o,
  input  logic      [64*Blocks-1:0] tx_cgmii_data_i,
  input  logic      [ 8*Blocks-1:0] tx_cgmii_ctrl_i,
  output fec_word_t [ FecLanes-1:0] tx_data_o,

  input  logic                      rx_clk_i,
  input  logic                      rx_rst_i,
  input  logic      [          1:0] rx_mode_i,
  input  logic      [ FecLanes-1:0] rx_signal_i,
  input  fec_word_t [ FecLanes-1:0] rx_data_i,
  output logic                      rx_cgmii_valid_o,
  output logic      [64*Blocks-1:0] rx_cgmii_data_o,
  output logic      [ 8*Blocks-1:0] rx_cgmii_ctrl_o,
  output logic      [          3:0] state_o,
  output logic      [          4:0] lane_o,
  output lane_t     [    Lanes-1:0] number_o,
  output logic      [    Lanes-1:0] inverted_o,
  output logic      [          1:0] events_o,
  input  logic                      clear_i,
  input  logic                      rd_req_i,
  input  logic      [          4:0] rd_addr_i,
  output logic                      rd_ack_o,
  output logic      [         63:0] rd_data_o
);

  if (Fec) begin : gen_fec
    fec_status_t status;
    logic [FecLanes-1:0][1:0] number;
    logic [FecLanes-1:0] inverted;
    logic [FecLanes-1:0][3:0] unused_errors;  // counted inside
    logic [Lanes-1:0] unused_parity;
    logic unused_block, unused_lost;

    pcs_fec #(
      .Blocks   (Blocks),
      .Period   (Period),
      .BerWindow(BerWindow),
      .SerWindow(SerWindow),
      .SerLimit (SerLimit),
      .SerHold  (SerHold)
    ) u_pcs (
      .tx_clk_i,
      .tx_rst_i,
      .tx_cgmii_valid_i  (1'b1),
      .tx_cgmii_ready_o,
      .tx_cgmii_data_i,
      .tx_cgmii_ctrl_i,
      .tx_lanes_o        (tx_data_o),
      .tx_lost_o         (unused_lost),
      .rx_clk_i,
      .rx_rst_i,
      .rx_mode_i,
      .rx_signal_i,
      .rx_lanes_i        (rx_data_i),
      .rx_cgmii_valid_o,
      .rx_cgmii_data_o,
      .rx_cgmii_ctrl_o,
      .rx_status_o       (status),
      .rx_number_o       (number),
      .rx_inverted_o     (inverted),
      .rx_corrected_o    (events_o[0]),
      .rx_uncorrectable_o(events_o[1]),
      .rx_errors_o       (unused_errors),
      .rx_parity_error_o (unused_parity),
      .rx_block_error_o  (unused_block),
      .rx_clear_i        (clear_i),
      .rx_rd_req_i       (rd_req_i),
      .rx_rd_addr_i      (rd_addr_i),
      .rx_rd_ack_o       (rd_ack_o),
      .rx_rd_data_o      (rd_data_o)
    );

    assign state_o = status.state;
    assign lane_o  = lane_t'(status.lane);
    always_comb begin
      number_o   = '0;
      inverted_o = '0;
      for (int l = 0; l < int'(FecLanes); l++) begin
        number_o[l]   = lane_t'(number[l]);
        inverted_o[l] = inverted[l];
      end
    end
  end else begin : gen_plain
    status_t status;
    logic [Lanes-1:0][RawWidth-1:0] tx_lanes, rx_lanes;
    logic [Lanes-1:0] signal, parity_error;
    logic block_error, unused_lost, unused_mode;
    assign unused_mode = ^rx_mode_i;

    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      assign signal[l] = rx_signal_i[l/5];
      for (genvar b = 0; b < RawWidth; b++) begin : gen_bit
        assign tx_data_o[l/5][5*b+l%5] = tx_lanes[l][b];
        assign rx_lanes[l][b] = rx_data_i[l/5][5*b+l%5];
      end
    end

    pcs #(
      .Blocks   (Blocks),
      .Period   (Period),
      .BerWindow(BerWindow)
    ) u_pcs (
      .tx_clk_i,
      .tx_rst_i,
      .tx_cgmii_valid_i (1'b1),
      .tx_cgmii_ready_o,
      .tx_cgmii_data_i,
      .tx_cgmii_ctrl_i,
      .tx_lanes_o       (tx_lanes),
      .tx_lost_o        (unused_lost),
      .rx_clk_i,
      .rx_rst_i,
      .rx_signal_i      (signal),
      .rx_lanes_i       (rx_lanes),
      .rx_cgmii_valid_o,
      .rx_cgmii_data_o,
      .rx_cgmii_ctrl_o,
      .rx_status_o      (status),
      .rx_number_o      (number_o),
      .rx_inverted_o    (inverted_o),
      .rx_parity_error_o(parity_error),
      .rx_block_error_o (block_error)
    );

    pcs_fec_counters u_counters (
      .clk_i          (rx_clk_i),
      .rst_i          (rx_rst_i),
      .clear_i,
      .corrected_i    (1'b0),
      .uncorrectable_i(1'b0),
      .errors_i       ('0),
      .parity_error_i (parity_error),
      .block_error_i  (block_error),
      .rd_req_i,
      .rd_addr_i,
      .rd_ack_o,
      .rd_data_o
    );

    assign state_o  = 4'(status.state);
    assign lane_o   = status.lane;
    assign events_o = '0;
  end

endmodule
