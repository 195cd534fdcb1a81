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
  import rifl_ext_pkg::*;
#(
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter int unsigned UpFrames = 128,  // 32 or more
  parameter bit Extended = 1'b1,
  parameter int unsigned LineRate = 0  // of one lane, units of 10 Mb/s, 0: not told
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

  localparam int unsigned BeatBytes = FrameWidth / 8;
  localparam int unsigned SegmentBytes = BeatBytes - 2;

  logic [8*SegmentBytes-1:0] tx_tdata, rx_tdata;
  logic [SegmentBytes-1:0] tx_tkeep, rx_tkeep;
  logic tx_tlast, tx_tvalid, tx_tready;
  logic rx_tlast, rx_tvalid, rx_tready;

  // --- session ---
  localparam capabilities_t Own = '{
      lane: '0,
      lanes: '0,
      frame_width: 3'($clog2(FrameWidth / 128)),
      groups: '0,
      id_width: 4'(IdWidth),
      rate: 16'(LineRate),
      reason: ReasonNone,
      zero: '0
  };
  logic [15:0] partner, peer;
  logic open, flow, compatible, clear, meets, fits, foreign, met, plain;
  logic round_trip_valid, round_trip_too_long;
  phase_e peer_phase;
  reason_e lane_reason;
  capabilities_t own;
  always_comb begin
    own = Own;
    own.reason = reason_o;
  end

  if (Extended) begin : gen_extended
    rifl_session #(
      .Lanes(1)
    ) u_session (
      .clk_i                (frame_clk_i),
      .rst_i                (frame_rst_i),
      .restart_i            (restart_i),
      .seed_i               (session_seed_i),
      .up_i                 (rx_up_o),
      .meets_i              (meets),
      .fits_i               (fits),
      .round_trip_valid_i   (round_trip_valid),
      .round_trip_too_long_i(round_trip_too_long),
      .foreign_i            (foreign),
      .met_i                (met),
      .plain_i              (plain),
      .peer_phase_i         (peer_phase),
      .lane_reason_i        (lane_reason),
      .peer_session_i       (peer),
      .phase_o              (phase_o),
      .session_o            (session_o),
      .partner_o            (partner),
      .open_o               (open),
      .flow_o               (flow),
      .compatible_o         (compatible),
      .clear_o              (clear),
      .ended_o              (session_ended_o),
      .reason_o             (reason_o)
    );
  end else begin : gen_compatible
    assign phase_o = PhaseHello;
    assign session_o = '0;
    assign partner = '0;
    assign open = 1'b0;
    assign flow = 1'b0;
    assign compatible = 1'b1;
    assign clear = 1'b0;
    assign session_ended_o = 1'b0;
    assign reason_o = ReasonPublished;
  end

  // Everything between the users is cleared while neither mode runs.
  logic data_rst;
  always_ff @(posedge frame_clk_i) begin
    data_rst <= frame_rst_i || !(open || compatible);
  end

  logic [8*BeatBytes-1:0] in_tdata;
  logic [  BeatBytes-1:0] in_tkeep;
  logic in_tlast, in_tvalid, in_tready;
  rifl_abort_tx #(
    .Bytes(BeatBytes)
  ) u_abort_tx (
    .clk_i        (frame_clk_i),
    .rst_i        (frame_rst_i),
    .cut_i        (data_rst),
    .cut_o        (tx_cut_o),
    .s_axis_tdata (s_axis_tdata),
    .s_axis_tkeep (s_axis_tkeep),
    .s_axis_tlast (s_axis_tlast),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .m_axis_tdata (in_tdata),
    .m_axis_tkeep (in_tkeep),
    .m_axis_tlast (in_tlast),
    .m_axis_tvalid(in_tvalid),
    .m_axis_tready(in_tready)
  );

  axis_width #(
    .InBytes (BeatBytes),
    .OutBytes(SegmentBytes)
  ) u_tx_width (
    .clk_i        (frame_clk_i),
    .rst_i        (data_rst),
    .s_axis_tdata (in_tdata),
    .s_axis_tkeep (in_tkeep),
    .s_axis_tlast (in_tlast),
    .s_axis_tvalid(in_tvalid),
    .s_axis_tready(in_tready),
    .m_axis_tdata (tx_tdata),
    .m_axis_tkeep (tx_tkeep),
    .m_axis_tlast (tx_tlast),
    .m_axis_tvalid(tx_tvalid),
    .m_axis_tready(tx_tready)
  );

  rifl_lane #(
    .FrameWidth(FrameWidth),
    .IdWidth   (IdWidth),
    .UpFrames  (UpFrames),
    .Extended  (Extended)
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
    .rx_slip_o       (rx_slip_o),

    .data_rst_i           (data_rst),
    .compatible_i         (compatible),
    .own_i                (own),
    .phase_i              (phase_o),
    .session_i            (session_o),
    .partner_i            (partner),
    .flow_i               (flow),
    .clear_i              (clear),
    .peer_o               (peer),
    .peer_phase_o         (peer_phase),
    .peer_reason_o        (peer_reason_o),
    .meets_o              (meets),
    .fits_o               (fits),
    .reason_o             (lane_reason),
    .foreign_o            (foreign),
    .met_o                (met),
    .plain_o              (plain),
    .round_trip_valid_o   (round_trip_valid),
    .round_trip_too_long_o(round_trip_too_long),
    .round_trip_o         (round_trip_o),
    .served_o             (served_o),
    .incident_o           (incident_o)
  );

  logic [8*BeatBytes-1:0] out_tdata;
  logic [  BeatBytes-1:0] out_tkeep;
  logic out_tlast, out_tvalid, out_tready;
  logic [8*BeatBytes-1:0] end_tdata;
  logic [  BeatBytes-1:0] end_tkeep;
  logic end_tlast, end_tuser, end_tvalid, end_tready;

  axis_width #(
    .InBytes (SegmentBytes),
    .OutBytes(BeatBytes)
  ) u_rx_width (
    .clk_i        (frame_clk_i),
    .rst_i        (data_rst),
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

  rifl_abort_rx #(
    .Bytes(BeatBytes)
  ) u_abort_rx (
    .clk_i        (frame_clk_i),
    .rst_i        (frame_rst_i),
    .cut_i        (data_rst),
    .cut_o        (rx_cut_o),
    .s_axis_tdata (out_tdata),
    .s_axis_tkeep (out_tkeep),
    .s_axis_tlast (out_tlast),
    .s_axis_tvalid(out_tvalid),
    .s_axis_tready(out_tready),
    .m_axis_tdata (end_tdata),
    .m_axis_tkeep (end_tkeep),
    .m_axis_tlast (end_tlast),
    .m_axis_tuser (end_tuser),
    .m_axis_tvalid(end_tvalid),
    .m_axis_tready(end_tready)
  );

  prim_skid #(
    .Width(9 * BeatBytes + 2)
  ) u_out (
    .clk_i    (frame_clk_i),
    .rst_i    (frame_rst_i),
    .s_valid_i(end_tvalid),
    .s_ready_o(end_tready),
    .s_data_i ({end_tuser, end_tlast, end_tkeep, end_tdata}),
    .m_valid_o(m_axis_tvalid),
    .m_ready_i(m_axis_tready),
    .m_data_o ({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

endmodule
