// SPDX-License-Identifier: Apache-2.0
//
// pcs_peer_bench: both kinds of pcs_peer behind a channel, with a peer that sends idle with FEC or
// without.
//
// What      Physical lane p gets what lane p of the peer sends, with coded_i as FEC lanes,
//           delay_i[p] bits earlier, turned over with invert_i[p]; with repeat_i[p] it has
//           pattern_i in each cycle, with noise_i[p] random bits.

module pcs_peer_bench
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter  int unsigned Period = 64,
  localparam int unsigned Blocks = 8,
  localparam int unsigned Width  = $bits(fec_word_t)
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  input  logic                     tx_rst_i,
  input  logic                     coded_i,
  input  logic [FecLanes-1:0]      signal_i,
  input  logic [FecLanes-1:0][6:0] delay_i,
  input  logic [FecLanes-1:0]      invert_i,
  input  logic [FecLanes-1:0]      noise_i,
  input  logic [FecLanes-1:0]      repeat_i,
  input  logic [   Width-1:0]      pattern_i,
  output logic                     blocks_o,
  output logic                     markers_o
);

  // ---- The peer ----
  logic valid, marker, unused_ready;
  logic [2:0] place;
  row_t row;
  fec_word_t [FecLanes-1:0] coded, plain, sent, sent_q, heard;
  logic [Lanes-1:0][RawWidth-1:0] lanes, unused_lanes;
  logic [Lanes-1:0] unused_signal;

  pcs_rows #(
    .Blocks(Blocks),
    .Period(Period)
  ) u_rows (
    .clk_i,
    .rst_i        (tx_rst_i),
    .cgmii_ready_o(unused_ready),
    .cgmii_data_i ({8 * Blocks{8'h07}}),
    .cgmii_ctrl_i ('1),
    .valid_o      (valid),
    .place_o      (place),
    .marker_o     (marker),
    .row_o        (row)
  );

  pcs_fec_tx_lanes u_coded (
    .clk_i,
    .rst_i   (tx_rst_i),
    .valid_i (valid),
    .place_i (place),
    .marker_i(marker),
    .row_i   (row),
    .lanes_o (coded)
  );

  pcs_tx_lanes u_plain (
    .clk_i,
    .rst_i  (tx_rst_i),
    .valid_i(valid),
    .place_i(place),
    .row_i  (row),
    .lanes_o(lanes)
  );

  pcs_caui u_caui (
    .tx_lanes_i (lanes),
    .tx_words_o (plain),
    .rx_signal_i('0),
    .rx_words_i ('0),
    .rx_signal_o(unused_signal),
    .rx_lanes_o (unused_lanes)
  );

  // ---- The channel ----
  assign sent = coded_i ? coded : plain;
  for (genvar p = 0; p < FecLanes; p++) begin : gen_lane
    // Noise that a netlist can make, too: a sequence of 2^58 - 1 bits, from another place in each
    // lane, which never stops.
    logic [57:0] state_q = 58'h2a5_5a3c_9617_0d4b >> p, state;
    fec_word_t noise;
    line_scrambler #(
      .Width(Width),
      .Order(58),
      .Tap  (39)
    ) u_noise (
      .state_i(state_q),
      .data_i ('0),
      .data_o (noise),
      .state_o(state)
    );
    always_ff @(posedge clk_i) state_q <= state;

    always_ff @(posedge clk_i) begin
      sent_q[p] <= sent[p];
      heard[p]  <= Width'({sent[p], sent_q[p]} >> delay_i[p]) ^ {Width{invert_i[p]}};
      if (repeat_i[p]) heard[p] <= pattern_i ^ {Width{invert_i[p]}};
      if (noise_i[p]) heard[p] <= noise;
      if (!signal_i[p]) heard[p] <= '0;
    end
  end

  // ---- What is seen of it ----
  pcs_peer #(
    .Coded (1'b0),
    .Period(Period)
  ) u_blocks (
    .clk_i,
    .rst_i,
    .signal_i,
    .lanes_i(heard),
    .found_o(blocks_o)
  );

  pcs_peer #(
    .Coded (1'b1),
    .Period(Period)
  ) u_markers (
    .clk_i,
    .rst_i,
    .signal_i,
    .lanes_i(heard),
    .found_o(markers_o)
  );

endmodule
