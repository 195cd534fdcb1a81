// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_bench: a PCS with RS-FEC whose lanes go back to it through a channel.
//
// What      Physical lane p gets what FEC lane from_i[p] sends, delay_i[p] bits later, turned over
//           with invert_i[p], with noise_i added.

module pcs_fec_bench
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Period = 64,
  parameter int unsigned Depth = 64,
  parameter int unsigned BerWindow = 2000,
  parameter int unsigned SerWindow = 40,
  parameter int unsigned SerLimit = 60,
  parameter int unsigned SerHold = 500,
  parameter bit Hold = 1'b1,
  localparam int unsigned Width = $bits(fec_word_t)
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           tx_rst_i,
  input  logic      [          1:0]      mode_i,
  input  logic                           tx_valid_i,
  output logic                           tx_ready_o,
  output logic                           tx_lost_o,
  input  logic      [64*Blocks-1:0]      tx_data_i,
  input  logic      [ 8*Blocks-1:0]      tx_ctrl_i,
  output fec_word_t [ FecLanes-1:0]      lanes_o,
  input  logic      [ FecLanes-1:0][1:0] from_i,
  input  logic      [ FecLanes-1:0][7:0] delay_words_i,
  input  logic      [ FecLanes-1:0][6:0] delay_bits_i,
  input  logic      [ FecLanes-1:0]      invert_i,
  input  logic      [ FecLanes-1:0]      signal_i,
  input  fec_word_t [ FecLanes-1:0]      noise_i,
  output logic                           rx_valid_o,
  output logic      [64*Blocks-1:0]      rx_data_o,
  output logic      [ 8*Blocks-1:0]      rx_ctrl_o,
  output status_t                        status_o,
  output logic      [ FecLanes-1:0][1:0] number_o,
  output logic      [ FecLanes-1:0]      inverted_o,
  output logic                           corrected_o,
  output logic                           uncorrectable_o,
  output logic      [ FecLanes-1:0][3:0] errors_o,
  output logic      [    Lanes-1:0]      parity_error_o,
  output logic                           block_error_o
);

  fec_word_t [FecLanes-1:0] past[256];
  fec_word_t [FecLanes-1:0] channel;
  logic [7:0] now_q;

  always_ff @(posedge clk_i) begin
    past[now_q] <= lanes_o;
    now_q <= rst_i ? '0 : now_q + 1'b1;
  end

  for (genvar p = 0; p < FecLanes; p++) begin : gen_lane
    logic [7:0] at;
    logic [2*Width-1:0] two;
    assign at  = now_q - 8'd1 - delay_words_i[p];
    assign two = {past[at][from_i[p]], past[at-8'd1][from_i[p]]};
    always_ff @(posedge clk_i) begin
      channel[p] <= Width'(two >> (7'(Width) - delay_bits_i[p])) ^ {Width{invert_i[p]}};
    end
  end

  pcs_fec #(
    .Blocks   (Blocks),
    .Period   (Period),
    .Depth    (Depth),
    .BerWindow(BerWindow),
    .SerWindow(SerWindow),
    .SerLimit (SerLimit),
    .SerHold  (SerHold),
    .Hold     (Hold)
  ) u_pcs (
    .tx_clk_i          (clk_i),
    .tx_rst_i          (tx_rst_i),
    .tx_cgmii_valid_i  (tx_valid_i),
    .tx_cgmii_ready_o  (tx_ready_o),
    .tx_cgmii_data_i   (tx_data_i),
    .tx_cgmii_ctrl_i   (tx_ctrl_i),
    .tx_lanes_o        (lanes_o),
    .tx_lost_o         (tx_lost_o),
    .rx_clk_i          (clk_i),
    .rx_rst_i          (rst_i),
    .rx_mode_i         (mode_i),
    .rx_signal_i       (signal_i),
    .rx_lanes_i        (channel ^ noise_i),
    .rx_cgmii_valid_o  (rx_valid_o),
    .rx_cgmii_data_o   (rx_data_o),
    .rx_cgmii_ctrl_o   (rx_ctrl_o),
    .rx_status_o       (status_o),
    .rx_number_o       (number_o),
    .rx_inverted_o     (inverted_o),
    .rx_corrected_o    (corrected_o),
    .rx_uncorrectable_o(uncorrectable_o),
    .rx_errors_o       (errors_o),
    .rx_parity_error_o (parity_error_o),
    .rx_block_error_o  (block_error_o)
  );

endmodule
