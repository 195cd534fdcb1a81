// SPDX-License-Identifier: Apache-2.0
//
// rifl_rx_buffer: takes delivered frames into the user's clock and keeps them until the user does.
//
// What      a small dual-clock FIFO, then the flow-control buffer of 2 * 2^IdWidth frames, whose
//           level decides when the peer is told to stop and to go on.
// Contract  stop_o (frame_clk_i) is set above 2^IdWidth frames and cleared below 2/3 * 2^IdWidth.
//           The half of the buffer above "stop" takes what is still on its way: one round trip,
//           plus what the peer sends until it sees eight Retransmit requests if an error hits at
//           that very moment. (The published core leaves a third.) s_valid_i needs s_ready_o.
//           overflow_o, sticky until reset: a frame was refused for want of room (s_refused_i). By
//           design none is while frame_clk_i runs.
// Resets    rx_clear_i and cross_rst_i are a_clear_o and b_rst_o of one prim_clear; frame_rst_i
//           empties the flow-control buffer alone.
// Source    RIFL paper, section 4.D, equations 20 to 25 with twice the headroom; section 5.B.

module rifl_rx_buffer #(
  parameter int unsigned Width   = 242,
  parameter int unsigned IdWidth = 6     // 6..12
) (
  input  logic             rx_clk_i,
  input  logic             rx_clear_i,
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  input  logic             s_refused_i,

  input  logic             frame_clk_i,
  input  logic             cross_rst_i,
  input  logic             frame_rst_i,
  input  logic             phy_tx_clk_i,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o,

  output logic stop_o,
  output logic overflow_o  // rx_clk_i
);

  localparam int unsigned Frames = 1 << IdWidth;
  localparam int unsigned Depth = 2 * Frames;
  localparam int unsigned LevelWidth = $clog2(Depth + 1);
  localparam int unsigned CrossingDepth = 16;

  logic crossed_valid, crossed_ready;
  logic [Width-1:0] crossed_data;
  logic [LevelWidth-1:0] level;

  prim_fifo_async #(
    .Width(Width),
    .Depth(CrossingDepth)
  ) u_crossing (
    .s_clk_i     (rx_clk_i),
    .s_rst_i     (rx_clear_i),
    .s_valid_i   (s_valid_i),
    .s_ready_o   (s_ready_o),
    .s_data_i    (s_data_i),
    .m_clk_i     (frame_clk_i),
    .m_sync_clk_i(phy_tx_clk_i),
    .m_rst_i     (cross_rst_i),
    .m_valid_o   (crossed_valid),
    .m_ready_i   (crossed_ready),
    .m_data_o    (crossed_data)
  );

  prim_fifo_sync #(
    .Width(Width),
    .Depth(Depth)
  ) u_flow_control (
    .clk_i    (frame_clk_i),
    .rst_i    (frame_rst_i),
    .s_valid_i(crossed_valid),
    .s_ready_o(crossed_ready),
    .s_data_i (crossed_data),
    .m_valid_o(m_valid_o),
    .m_ready_i(m_ready_i),
    .m_data_o (m_data_o),
    .level_o  (level)
  );

  always_ff @(posedge frame_clk_i) begin
    if (frame_rst_i) stop_o <= 1'b0;
    else if (level > LevelWidth'(Frames)) stop_o <= 1'b1;
    else if (level < LevelWidth'(2 * Frames / 3)) stop_o <= 1'b0;
  end

  always_ff @(posedge rx_clk_i) begin
    if (rx_clear_i) overflow_o <= 1'b0;
    else if (s_refused_i) overflow_o <= 1'b1;
  end

endmodule
