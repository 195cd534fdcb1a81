// SPDX-License-Identifier: Apache-2.0
//
// rifl_link: a lossless point-to-point link over one serial lane.
//
// What: AXI-Stream packets in, the same packets out at the other end of the cable, once, in order and
// unchanged, although the line flips bits. Wire compatible with the published RIFL core.
// This shell checks the parameters and gives each clock its own reset; rifl_core is the link.
//
// Clocks: phy_tx_clk_i = line rate / 64. frame_clk_i = phy_tx_clk_i / (FrameWidth/64), edges aligned;
// it is the user's clock. phy_rx_clk_i: recovered from the line (line rate / 64 of the peer).
// Reset: rst_i may come and go at any time (active high, asynchronous); hold it for eight cycles of
// the slowest clock. Reset both ends of a link together: see the limits page.
// PHY: raw words, bit 0 first on the line. No line coding, no gearbox, no slip port.
// User side (frame_clk_i): byte 0 in the low lane; TKEEP all ones except on TLAST, contiguous from byte
// 0. s_axis_tready is low until link_up_o. A packet accepted is delivered.
//
// MUST MATCH the peer: FrameWidth, IdWidth (rifl_pkg::id_width gives what a published core derives).
// IdWidth bounds the round trip: pipelines and cable, both ways, in frames <= 2^IdWidth - 32.
// UpFrames: frames the lane must have been aligned before it is used; the published core takes
// 2^20 clocks. Thirty-two are needed so that the peer's requests are seen before the first own frame.
// Status (frame_clk_i): flags as the transmitter acts on them. rx_overflow_o is sticky and never set
// within the limits. rx_slip_o belongs to phy_rx_clk_i.
// Latency, first beat in to first beat out, wire excluded: see cores/rifl/README.md.
// Source: RIFL paper, sections 3 to 5.

module rifl_link
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter int unsigned UpFrames = 128,  // 32..2^24
  parameter bit Extended = 1'b0,
  parameter int unsigned LineRate = 0  // of one lane, units of 10 Mb/s, 0: not told
) (
  input logic phy_tx_clk_i,
  input logic frame_clk_i,
  input logic phy_rx_clk_i,
  input logic rst_i,

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
  output logic                    m_axis_tuser,
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
  output logic      [5:0] rx_slip_o,

  // Extended mode.
  input  logic                  restart_i,
  input  logic    [       15:0] session_seed_i,
  output phase_e                phase_o,
  output reason_e               reason_o,
  output reason_e               peer_reason_o,
  output logic    [       15:0] session_o,
  output logic    [IdWidth-1:0] round_trip_o,
  output logic                  session_ended_o,
  output logic                  tx_cut_o,
  output logic                  rx_cut_o,
  output logic                  served_o,
  output logic                  incident_o
);

  if (!(FrameWidth inside {128, 256, 512, 1024, 2048})) begin : gen_bad_frame_width
    $error("rifl_link %m: FrameWidth must be 128, 256, 512, 1024 or 2048, got %0d", FrameWidth);
  end
  if (IdWidth < 6 || IdWidth > 12) begin : gen_bad_id_width
    $error("rifl_link %m: IdWidth must be 6..12, got %0d", IdWidth);
  end
  if (UpFrames < 32 || UpFrames > (1 << 24)) begin : gen_bad_up_frames
    $error("rifl_link %m: UpFrames must be 32..2^24, got %0d", UpFrames);
  end

  logic frame_rst, phy_tx_rst, phy_rx_rst;
  prim_sync_reset u_frame_rst (
    .clk_i      (frame_clk_i),
    .rst_async_i(rst_i),
    .rst_o      (frame_rst)
  );
  prim_sync_reset u_phy_tx_rst (
    .clk_i      (phy_tx_clk_i),
    .rst_async_i(rst_i),
    .rst_o      (phy_tx_rst)
  );
  prim_sync_reset u_phy_rx_rst (
    .clk_i      (phy_rx_clk_i),
    .rst_async_i(rst_i),
    .rst_o      (phy_rx_rst)
  );

  rifl_core #(
    .FrameWidth(FrameWidth),
    .IdWidth   (IdWidth),
    .UpFrames  (UpFrames),
    .Extended  (Extended),
    .LineRate  (LineRate)
  ) u_core (
    .frame_clk_i     (frame_clk_i),
    .frame_rst_i     (frame_rst),
    .phy_tx_clk_i    (phy_tx_clk_i),
    .phy_tx_rst_i    (phy_tx_rst),
    .phy_rx_clk_i    (phy_rx_clk_i),
    .phy_rx_rst_i    (phy_rx_rst),
    .phy_tx_data_o   (phy_tx_data_o),
    .phy_rx_data_i   (phy_rx_data_i),
    .s_axis_tdata    (s_axis_tdata),
    .s_axis_tkeep    (s_axis_tkeep),
    .s_axis_tlast    (s_axis_tlast),
    .s_axis_tvalid   (s_axis_tvalid),
    .s_axis_tready   (s_axis_tready),
    .m_axis_tdata    (m_axis_tdata),
    .m_axis_tkeep    (m_axis_tkeep),
    .m_axis_tlast    (m_axis_tlast),
    .m_axis_tuser    (m_axis_tuser),
    .m_axis_tvalid   (m_axis_tvalid),
    .m_axis_tready   (m_axis_tready),
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
    .rx_slip_o       (rx_slip_o),
    .restart_i       (restart_i),
    .session_seed_i  (session_seed_i),
    .phase_o         (phase_o),
    .reason_o        (reason_o),
    .peer_reason_o   (peer_reason_o),
    .session_o       (session_o),
    .round_trip_o    (round_trip_o),
    .session_ended_o (session_ended_o),
    .tx_cut_o        (tx_cut_o),
    .rx_cut_o        (rx_cut_o),
    .served_o        (served_o),
    .incident_o      (incident_o)
  );

endmodule
