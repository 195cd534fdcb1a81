// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec: forward error correction between the lanes of a RIFL link and their transceivers.
//
// What      Each lane carries codewords of RS(256,244) over GF(2^10): 38 words of RIFL, a marker,
//           parity, in 40 words of the line. Up to six wrong symbols of a codeword are corrected.
//           RIFL is as it is: its clocks leave out 2 of 40 edges. Off: all edges and words pass.
// Contract  mode_i (rifl_fec_pkg::mode_t), a register of tx_clk_i, may change at any time; the link
//           then loses its lanes for a while, as by a burst of errors.
//           Off: plain words are sent; what comes is not touched. On: codewords are sent. Auto:
//           codewords are sent while the peer sends them. On and Auto correct what comes, where
//           codewords are heard. Both ends On or Auto, or both Off or Auto.
//           state_o (rifl_fec_pkg::state_t): what is sent and heard; coded_o, heard_o of each lane.
// RIFL      its phy_tx_clk, frame_clk, user_clk are those made here, and phy_rx_clk of each lane;
//           phy_* ports belong to them. Where two have the same rate they have the same edges.
//           phy_rx_bad_o goes to phy_rx_bad_i of the link, which then requests what was in a
//           codeword that could not be corrected; without it only RIFL's check code finds that.
// Line      words as a transceiver takes and gives them, bit 0 first, cut anywhere.
// Reports   pulses of rx_clk_i[i]: corrected_o, uncorrectable_o: a codeword of lane i; errors_o:
//           its corrected symbols.
// Clocks and resets tx_clk_i = line rate / 64, one for all lanes; rx_clk_i[i] recovered from lane
//           i. Any may stop at any time. arst_i, asynchronous: plain words; RIFL's clocks run on
//           with all edges. It needs no reset of RIFL: a reset here is a burst of errors there.
//           Only levels cross between tx_clk_i and rx_clk_i[i].
// Parameters
//   Lanes       of the link, >= 1
//   FrameWords  FrameWidth / 64 of the link
//   UserWords   UserWidth / (64 * Lanes) of the link
//   Lose, Steps, Scan  as in rifl_fec_rx
//   Absent      as in rifl_fec_control
// Latency   see cores/rifl_fec/README.md

module rifl_fec
  import rifl_fec_pkg::*;
#(
  parameter int unsigned Lanes = 1,
  parameter int unsigned FrameWords = 4,
  parameter int unsigned UserWords = 4,
  parameter int unsigned Lose = 4,
  parameter int unsigned Steps = 1,
  parameter int unsigned Scan = 16,
  parameter int unsigned Absent = 1024
) (
  input logic             tx_clk_i,
  input logic [Lanes-1:0] rx_clk_i,
  input logic             arst_i,

  // RIFL
  output logic                            phy_tx_clk_o,
  output logic                            frame_clk_o,
  output logic                            user_clk_o,
  output logic [Lanes-1:0]                phy_rx_clk_o,
  input  logic [Lanes-1:0][WordWidth-1:0] phy_tx_data_i,
  output logic [Lanes-1:0][WordWidth-1:0] phy_rx_data_o,
  output logic [Lanes-1:0]                phy_rx_bad_o,

  // Transceivers
  output logic [Lanes-1:0][WordWidth-1:0] line_tx_data_o,
  input  logic [Lanes-1:0][WordWidth-1:0] line_rx_data_i,

  // tx_clk_i
  input  logic [      1:0] mode_i,
  output logic [      2:0] state_o,
  output logic             coded_o,
  output logic [Lanes-1:0] heard_o,

  // rx_clk_i[i]
  output logic [Lanes-1:0]                  corrected_o,
  output logic [Lanes-1:0]                  uncorrectable_o,
  output logic [Lanes-1:0][ErrorsWidth-1:0] errors_o
);

  logic tx_rst, take, frame, user, use_q;
  index_t index;
  state_t state;
  assign state_o = state;

  prim_sync_reset u_tx_rst (
    .clk_i (tx_clk_i),
    .arst_i(arst_i),
    .rst_o (tx_rst)
  );

  always_ff @(posedge tx_clk_i) use_q <= !tx_rst && mode_t'(mode_i) != Off;

  rifl_fec_control #(
    .Lanes     (Lanes),
    .FrameWords(FrameWords),
    .UserWords (UserWords),
    .Absent    (Absent)
  ) u_control (
    .clk_i  (tx_clk_i),
    .rst_i  (tx_rst),
    .mode_i (mode_t'(mode_i)),
    .heard_i(heard_o),
    .index_o(index),
    .coded_o(coded_o),
    .take_o (take),
    .frame_o(frame),
    .user_o (user),
    .state_o(state)
  );

  prim_clock_gate u_phy_tx_clk (
    .clk_i(tx_clk_i),
    .en_i (take),
    .clk_o(phy_tx_clk_o)
  );
  prim_clock_gate u_frame_clk (
    .clk_i(tx_clk_i),
    .en_i (frame),
    .clk_o(frame_clk_o)
  );
  prim_clock_gate u_user_clk (
    .clk_i(tx_clk_i),
    .en_i (user),
    .clk_o(user_clk_o)
  );

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    logic rx_rst, use_here, give, heard_q;

    rifl_fec_tx u_tx (
      .clk_i  (tx_clk_i),
      .rst_i  (tx_rst),
      .index_i(index),
      .coded_i(coded_o),
      .data_i (phy_tx_data_i[i]),
      .line_o (line_tx_data_o[i])
    );

    prim_sync_reset u_rx_rst (
      .clk_i (rx_clk_i[i]),
      .arst_i(arst_i),
      .rst_o (rx_rst)
    );
    prim_sync_bit u_use (
      .clk_i(rx_clk_i[i]),
      .rst_i(rx_rst),
      .d_i  (use_q),
      .q_o  (use_here)
    );
    prim_sync_bit u_heard (
      .clk_i(tx_clk_i),
      .rst_i(tx_rst),
      .d_i  (heard_q),
      .q_o  (heard_o[i])
    );

    rifl_fec_rx #(
      .Lose (Lose),
      .Steps(Steps),
      .Scan (Scan)
    ) u_rx (
      .clk_i          (rx_clk_i[i]),
      .rst_i          (rx_rst),
      .use_i          (use_here),
      .line_i         (line_rx_data_i[i]),
      .give_o         (give),
      .data_o         (phy_rx_data_o[i]),
      .bad_o          (phy_rx_bad_o[i]),
      .heard_o        (heard_q),
      .corrected_o    (corrected_o[i]),
      .uncorrectable_o(uncorrectable_o[i]),
      .errors_o       (errors_o[i])
    );

    prim_clock_gate u_phy_rx_clk (
      .clk_i(rx_clk_i[i]),
      .en_i (give),
      .clk_o(phy_rx_clk_o[i])
    );
  end

endmodule
