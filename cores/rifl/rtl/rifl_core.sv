// SPDX-License-Identifier: Apache-2.0
//
// rifl_core: RIFL as pure streams: AXI-Stream on one side, words of the lanes on the other.
//
// What      cuts the user's beats of UserWidth/8 bytes into segments, deals the segments out to the
//           lanes, and the same backwards. A segment is what one group of UserWidth/FrameWidth
//           lanes carries in one frame each: the payloads of these frames. A packet
//           always starts a new segment and a new beat.
// Contract  AXI-Stream in user_clk_i, byte 0 in the low lane, TKEEP all ones except on TLAST, where
//           it is contiguous from byte 0. m_axis_* comes from registers. s_axis_tready is low until
//           every lane is up at both ends. Throughput: a packet of n bytes takes
//           max(ceil(n/segment), ceil(n/beat)) cycles. user_clk_i is frame_clk_i times the number
//           of groups, all edges of it and of frame_clk_i are edges of phy_tx_clk_i.
// Resets    user_rst_i and frame_rst_i are registers of frame_clk_i, phy_rx_rst_i[i] of
//           phy_rx_clk_i[i]; the latter comes from the same source as frame_rst_i, sooner or later.
//           user_rst_i: see rifl_link; frame_rst_i is high when it rises.
// Source    RIFL paper, section 5.A.

module rifl_core
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned Lanes = 1,  // 1, 2, 4 or 8
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned UserWidth = FrameWidth,  // FrameWidth * 1, 2, 4, .. Lanes
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter int unsigned UpFrames = 128,  // 32 or more
  parameter bit Extended = 1'b1,
  parameter bit DelayedRelease = 1'b0,
  parameter bit StrongCode = 1'b0,  // 1024 and 2048 bits
  parameter int unsigned LineRate = 0  // of one lane, units of 10 Mb/s, 0: not told
) (
  input logic             user_clk_i,
  input logic             user_rst_i,
  input logic             frame_clk_i,
  input logic             frame_rst_i,
  input logic             phy_tx_clk_i,
  input logic [Lanes-1:0] phy_rx_clk_i,
  input logic [Lanes-1:0] phy_rx_rst_i,

  output logic [Lanes*PhyWidth-1:0] phy_tx_data_o,
  input  logic [Lanes*PhyWidth-1:0] phy_rx_data_i,
  input  logic [         Lanes-1:0] phy_rx_bad_i,

  input  logic [  UserWidth-1:0] s_axis_tdata,
  input  logic [UserWidth/8-1:0] s_axis_tkeep,
  input  logic                   s_axis_tlast,
  input  logic                   s_axis_tvalid,
  output logic                   s_axis_tready,

  output logic [  UserWidth-1:0] m_axis_tdata,
  output logic [UserWidth/8-1:0] m_axis_tkeep,
  output logic                   m_axis_tlast,
  output logic                   m_axis_tuser,
  output logic                   m_axis_tvalid,
  input  logic                   m_axis_tready,

  // frame_clk_i
  input  logic                     extended_i,
  input  logic                     delayed_release_i,
  input  logic                     restart_i,
  input  logic         [     15:0] session_seed_i,
  output logic                     link_up_o,
  output link_status_t             link_status_o,
  output lane_status_t [Lanes-1:0] lane_status_o,
  output rx_status_t   [Lanes-1:0] rx_status_o,        // phy_rx_clk_i[i]
  output logic                     tx_cut_o,           // user_clk_i, pulse
  output logic                     rx_cut_o            // user_clk_i, pulse
);

  localparam int unsigned GroupLanes = UserWidth / FrameWidth;
  localparam int unsigned Groups = Lanes / GroupLanes;
  localparam int unsigned BeatBytes = UserWidth / 8;
  localparam int unsigned Bytes = body_width(FrameWidth, StrongCode) / 8;  // of one frame
  localparam int unsigned SegmentBytes = GroupLanes * Bytes;

  logic [Lanes-1:0] lane_up, rx_up;
  logic frame_last;
  assign link_up_o = &lane_up;

  rifl_bond_phase #(
    .Groups(Groups)
  ) u_phase (
    .frame_clk_i(frame_clk_i),
    .frame_rst_i(frame_rst_i),
    .user_clk_i (user_clk_i),
    .last_o     (frame_last)
  );

  // ---- Session ----
  lane_report_t [Lanes-1:0] report;
  session_t session;
  // Of frame_clk_i, so it changes at edges of user_clk_i alone: what lives on there may look at it.
  logic data_rst, session_data_rst;
  assign data_rst = frame_rst_i || session_data_rst;
  logic session_ended;
  reason_e reason, peer_reason;
  assign link_status_o = '{
          phase: session.phase,
          reason: reason,
          peer_reason: peer_reason,
          peer: report[0].capabilities,
          peer_session: session.open ? session.partner : report[0].peer,
          session: session.session,
          ended: session_ended
      };

  if (Extended) begin : gen_session
    rifl_session #(
      .Lanes     (Lanes),
      .StrongCode(StrongCode)
    ) u_session (
      .clk_i        (frame_clk_i),
      .rst_i        (frame_rst_i),
      .extended_i   (extended_i),
      .restart_i    (restart_i),
      .seed_i       (session_seed_i),
      .up_i         (rx_up),
      .lane_i       (report),
      .session_o    (session),
      .data_rst_o   (session_data_rst),
      .ended_o      (session_ended),
      .reason_o     (reason),
      .peer_reason_o(peer_reason)
    );
  end else begin : gen_compatible
    // Without sessions nothing but a reset clears what is between the users.
    always_comb begin
      session = '0;
      session.compatible = 1'b1;
    end
    assign session_data_rst = 1'b0;
    assign session_ended = 1'b0;
    assign reason = ReasonPublished;
    assign peer_reason = ReasonNone;
    logic unused;
    assign unused = ^{extended_i, restart_i, session_seed_i, report, session, rx_up};
  end

  // ---- User to lanes ----
  logic in_tvalid, in_tready;
  rifl_abort_tx u_abort_tx (
    .clk_i        (user_clk_i),
    .rst_i        (user_rst_i),
    .cut_i        (data_rst),
    .cut_o        (tx_cut_o),
    .m_axis_tvalid(in_tvalid),
    .m_axis_tready(in_tready),
    .*
  );

  logic [8*SegmentBytes-1:0] tx_tdata;
  logic [  SegmentBytes-1:0] tx_tkeep;
  logic tx_tlast, tx_tvalid, tx_tready;
  logic [Lanes-1:0][8*Bytes-1:0] tx_lane_tdata;
  logic [Lanes-1:0][  Bytes-1:0] tx_lane_tkeep;
  logic [Lanes-1:0] tx_lane_tlast, tx_lane_tvalid, tx_lane_tready;

  axis_width #(
    .InBytes (BeatBytes),
    .OutBytes(SegmentBytes)
  ) u_tx_width (
    .clk_i        (user_clk_i),
    .rst_i        (data_rst),
    .s_axis_tdata (s_axis_tdata),
    .s_axis_tkeep (s_axis_tkeep),
    .s_axis_tlast (s_axis_tlast),
    .s_axis_tvalid(in_tvalid),
    .s_axis_tready(in_tready),
    .m_axis_tdata (tx_tdata),
    .m_axis_tkeep (tx_tkeep),
    .m_axis_tlast (tx_tlast),
    .m_axis_tvalid(tx_tvalid),
    .m_axis_tready(tx_tready)
  );

  rifl_bond_tx #(
    .Lanes     (Lanes),
    .GroupLanes(GroupLanes),
    .Bytes     (Bytes)
  ) u_bond_tx (
    .clk_i        (user_clk_i),
    .rst_i        (data_rst),
    .last_i       (frame_last),
    .enable_i     (link_up_o),
    .s_axis_tdata (tx_tdata),
    .s_axis_tkeep (tx_tkeep),
    .s_axis_tlast (tx_tlast),
    .s_axis_tvalid(tx_tvalid),
    .s_axis_tready(tx_tready),
    .m_axis_tdata (tx_lane_tdata),
    .m_axis_tkeep (tx_lane_tkeep),
    .m_axis_tlast (tx_lane_tlast),
    .m_axis_tvalid(tx_lane_tvalid),
    .m_axis_tready(tx_lane_tready)
  );

  // ---- Lanes ----
  logic [Lanes-1:0][8*Bytes-1:0] rx_lane_tdata;
  logic [Lanes-1:0][  Bytes-1:0] rx_lane_tkeep;
  logic [Lanes-1:0] rx_lane_tlast, rx_lane_tvalid, rx_lane_tready;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    assign rx_up[i] = lane_status_o[i].up;
    capabilities_t own;
    assign own = '{
            lanes: 2'($clog2(Lanes)),
            frame_width: 3'($clog2(FrameWidth / 128)),
            groups: 2'($clog2(Groups)),
            id_width: 4'(IdWidth),
            rate: 16'(LineRate),
            reason: reason,
            strong_code: StrongCode,
            zero: '0
        };
    rifl_lane #(
      .FrameWidth(FrameWidth),
      .IdWidth   (IdWidth),
      .UpFrames  (UpFrames),
      .Extended  (Extended),
      .DelayedRelease(DelayedRelease),
      .StrongCode(StrongCode)
    ) u_lane (
      .frame_clk_i      (frame_clk_i),
      .frame_rst_i      (frame_rst_i),
      .phy_tx_clk_i     (phy_tx_clk_i),
      .phy_rx_clk_i     (phy_rx_clk_i[i]),
      .phy_rx_rst_i     (phy_rx_rst_i[i]),
      .phy_tx_data_o    (phy_tx_data_o[PhyWidth*i+:PhyWidth]),
      .phy_rx_data_i    (phy_rx_data_i[PhyWidth*i+:PhyWidth]),
      .phy_rx_bad_i     (phy_rx_bad_i[i]),
      .s_axis_tdata     (tx_lane_tdata[i]),
      .s_axis_tkeep     (tx_lane_tkeep[i]),
      .s_axis_tlast     (tx_lane_tlast[i]),
      .s_axis_tvalid    (tx_lane_tvalid[i]),
      .s_axis_tready    (tx_lane_tready[i]),
      .m_axis_tdata     (rx_lane_tdata[i]),
      .m_axis_tkeep     (rx_lane_tkeep[i]),
      .m_axis_tlast     (rx_lane_tlast[i]),
      .m_axis_tvalid    (rx_lane_tvalid[i]),
      .m_axis_tready    (rx_lane_tready[i]),
      .link_up_o        (lane_up[i]),
      .status_o         (lane_status_o[i]),
      .rx_status_o      (rx_status_o[i]),
      .data_rst_i       (data_rst),
      .delayed_release_i(delayed_release_i),
      .lane_i           (3'(i)),
      .session_i        (session),
      .own_i            (own),
      .report_o         (report[i])
    );
  end

  // ---- Lanes to user ----
  logic [8*SegmentBytes-1:0] rx_tdata;
  logic [  SegmentBytes-1:0] rx_tkeep;
  logic rx_tlast, rx_tvalid, rx_tready;

  rifl_bond_rx #(
    .Lanes     (Lanes),
    .GroupLanes(GroupLanes),
    .Bytes     (Bytes)
  ) u_bond_rx (
    .clk_i        (user_clk_i),
    .rst_i        (data_rst),
    .last_i       (frame_last),
    .s_axis_tdata (rx_lane_tdata),
    .s_axis_tkeep (rx_lane_tkeep),
    .s_axis_tlast (rx_lane_tlast),
    .s_axis_tvalid(rx_lane_tvalid),
    .s_axis_tready(rx_lane_tready),
    .m_axis_tdata (rx_tdata),
    .m_axis_tkeep (rx_tkeep),
    .m_axis_tlast (rx_tlast),
    .m_axis_tvalid(rx_tvalid),
    .m_axis_tready(rx_tready)
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
    .clk_i        (user_clk_i),
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
    .clk_i        (user_clk_i),
    .rst_i        (user_rst_i),
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
    .clk_i    (user_clk_i),
    .rst_i    (user_rst_i),
    .s_valid_i(end_tvalid),
    .s_ready_o(end_tready),
    .s_data_i ({end_tuser, end_tlast, end_tkeep, end_tdata}),
    .m_valid_o(m_axis_tvalid),
    .m_ready_i(m_axis_tready),
    .m_data_o ({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

endmodule
