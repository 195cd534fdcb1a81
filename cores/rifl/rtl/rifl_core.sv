// SPDX-License-Identifier: Apache-2.0
//
// rifl_core: RIFL as pure streams: AXI-Stream on one side, words of the line on the other.
//
// What: cuts the user's beats of FrameWidth/8 bytes into segments of (FrameWidth-16)/8 bytes, one per
// frame, and joins them again. A packet always starts a new segment and a new beat.
// Contract: AXI-Stream in frame_clk_i, byte 0 in the low lane, TKEEP all ones except on TLAST, where it
// is contiguous from byte 0. m_axis_* comes from registers. s_axis_tready is low until both ends are
// up. Throughput: a packet of n bytes takes max(ceil(n/segment), ceil(n/beat)) frames.
// Source: RIFL paper, section 5.A; one lane.

module rifl_core
  import rifl_pkg::*;
#(
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter int unsigned UpFrames = 128  // 32 or more
) (
  input logic frame_clk_i,
  input logic frame_rst_i,
  input logic phy_tx_clk_i,
  input logic phy_tx_rst_i,
  input logic phy_rx_clk_i,
  input logic phy_rx_rst_i,

  output logic [PhyWidth-1:0] phy_tx_data_o,
  input  logic [PhyWidth-1:0] phy_rx_data_i,

  input  logic [  FrameWidth-1:0] s_axis_tdata,
  input  logic [FrameWidth/8-1:0] s_axis_tkeep,
  input  logic                    s_axis_tlast,
  input  logic                    s_axis_tvalid,
  output logic                    s_axis_tready,

  output logic [  FrameWidth-1:0] m_axis_tdata,
  output logic [FrameWidth/8-1:0] m_axis_tkeep,
  output logic                    m_axis_tlast,
  output logic                    m_axis_tvalid,
  input  logic                    m_axis_tready,

  output logic            link_up_o,
  output tx_state_e       tx_state_o,
  output logic            rx_aligned_o,
  output logic            rx_up_o,
  output logic            rx_error_o,
  output logic            rx_pause_req_o,
  output logic            rx_retrans_req_o,
  output logic            local_fc_o,
  output logic            remote_fc_o,
  output logic            compensate_o,
  output logic            rx_overflow_o,
  output logic      [5:0] rx_slip_o
);

  localparam int unsigned BeatBytes = FrameWidth / 8;
  localparam int unsigned SegmentBytes = BeatBytes - 2;

  logic [8*SegmentBytes-1:0] tx_tdata, rx_tdata;
  logic [SegmentBytes-1:0] tx_tkeep, rx_tkeep;
  logic tx_tlast, tx_tvalid, tx_tready;
  logic rx_tlast, rx_tvalid, rx_tready;

  axis_width #(
    .InBytes (BeatBytes),
    .OutBytes(SegmentBytes)
  ) u_tx_width (
    .clk_i        (frame_clk_i),
    .rst_i        (frame_rst_i),
    .s_axis_tdata (s_axis_tdata),
    .s_axis_tkeep (s_axis_tkeep),
    .s_axis_tlast (s_axis_tlast),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .m_axis_tdata (tx_tdata),
    .m_axis_tkeep (tx_tkeep),
    .m_axis_tlast (tx_tlast),
    .m_axis_tvalid(tx_tvalid),
    .m_axis_tready(tx_tready)
  );

  rifl_lane #(
    .FrameWidth(FrameWidth),
    .IdWidth   (IdWidth),
    .UpFrames  (UpFrames)
  ) u_lane (
    .frame_clk_i     (frame_clk_i),
    .frame_rst_i     (frame_rst_i),
    .phy_tx_clk_i    (phy_tx_clk_i),
    .phy_tx_rst_i    (phy_tx_rst_i),
    .phy_rx_clk_i    (phy_rx_clk_i),
    .phy_rx_rst_i    (phy_rx_rst_i),
    .phy_tx_data_o   (phy_tx_data_o),
    .phy_rx_data_i   (phy_rx_data_i),
    .s_axis_tdata    (tx_tdata),
    .s_axis_tkeep    (tx_tkeep),
    .s_axis_tlast    (tx_tlast),
    .s_axis_tvalid   (tx_tvalid),
    .s_axis_tready   (tx_tready),
    .m_axis_tdata    (rx_tdata),
    .m_axis_tkeep    (rx_tkeep),
    .m_axis_tlast    (rx_tlast),
    .m_axis_tvalid   (rx_tvalid),
    .m_axis_tready   (rx_tready),
    .link_up_o       (link_up_o),
    .tx_state_o      (tx_state_o),
    .rx_aligned_o    (rx_aligned_o),
    .rx_up_o         (rx_up_o),
    .rx_error_o      (rx_error_o),
    .rx_pause_req_o  (rx_pause_req_o),
    .rx_retrans_req_o(rx_retrans_req_o),
    .local_fc_o      (local_fc_o),
    .remote_fc_o     (remote_fc_o),
    .compensate_o    (compensate_o),
    .rx_overflow_o   (rx_overflow_o),
    .rx_slip_o       (rx_slip_o)
  );

  logic [8*BeatBytes-1:0] out_tdata;
  logic [  BeatBytes-1:0] out_tkeep;
  logic out_tlast, out_tvalid, out_tready;

  axis_width #(
    .InBytes (SegmentBytes),
    .OutBytes(BeatBytes)
  ) u_rx_width (
    .clk_i        (frame_clk_i),
    .rst_i        (frame_rst_i),
    .s_axis_tdata (rx_tdata),
    .s_axis_tkeep (rx_tkeep),
    .s_axis_tlast (rx_tlast),
    .s_axis_tvalid(rx_tvalid),
    .s_axis_tready(rx_tready),
    .m_axis_tdata (out_tdata),
    .m_axis_tkeep (out_tkeep),
    .m_axis_tlast (out_tlast),
    .m_axis_tvalid(out_tvalid),
    .m_axis_tready(out_tready)
  );

  prim_skid #(
    .Width(9 * BeatBytes + 1)
  ) u_out (
    .clk_i    (frame_clk_i),
    .rst_i    (frame_rst_i),
    .s_valid_i(out_tvalid),
    .s_ready_o(out_tready),
    .s_data_i ({out_tlast, out_tkeep, out_tdata}),
    .m_valid_o(m_axis_tvalid),
    .m_ready_i(m_axis_tready),
    .m_data_o ({m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

endmodule
