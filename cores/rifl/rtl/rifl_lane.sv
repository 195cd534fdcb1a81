// SPDX-License-Identifier: Apache-2.0
//
// rifl_lane: one complete lane: transmitter, receiver, buffers and what goes between them.
//
// What      joins rifl_tx and rifl_rx, takes the receiver's flags into the transmitter's clock, and
//           lets the controller of the present mode decide.
// Contract  s_axis_*/m_axis_* carry segments of the payload's bytes in frame_clk_i. The flags
//           cross one by one and may be seen a frame apart; no decision needs two of them at once.
//           data_rst_i clears what is between the users (frame_clk_i). session_i says which mode
//           runs, neither while the peers are still finding out; without Extended it must say
//           `compatible`. A lane whose recovered clock stands still is not up.
// Resets    frame_rst_i is a register of frame_clk_i and resets phy_tx_clk_i's registers too;
//           phy_rx_rst_i is one of phy_rx_clk_i. They need not come together: what crosses between
//           the clocks is held in reset on both sides until both have been reset (prim_clear), also
//           when a session ends. The transmitter does not wait for that.
// Source    RIFL paper, Fig. 6.

module rifl_lane
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter int unsigned UpFrames = 128,  // 32 or more
  parameter bit Extended = 1'b1,
  parameter bit DelayedRelease = 1'b0,
  parameter bit StrongCode = 1'b0,  // 1024 and 2048 bits
  localparam int unsigned BodyWidth = body_width(FrameWidth, StrongCode),
  localparam int unsigned Bytes = BodyWidth / 8
) (
  input logic frame_clk_i,
  input logic frame_rst_i,
  input logic phy_tx_clk_i,
  input logic phy_rx_clk_i,
  input logic phy_rx_rst_i,

  output logic [PhyWidth-1:0] phy_tx_data_o,
  input  logic [PhyWidth-1:0] phy_rx_data_i,
  input  logic                phy_rx_bad_i,

  input  logic [8*Bytes-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,

  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tvalid,
  input  logic               m_axis_tready,

  output logic         link_up_o,
  output lane_status_t status_o,
  output rx_status_t   rx_status_o, // phy_rx_clk_i

  // Session (rifl_session).
  input  logic                data_rst_i,
  input  logic                delayed_release_i,
  input  logic          [2:0] lane_i,
  input  session_t            session_i,
  input  capabilities_t       own_i,
  output lane_report_t        report_o
);

  // Flags of the receiver, in its clock and in the transmitter's.
  typedef struct packed {
    logic aligned;
    logic up;
    logic error;
    logic pause_req;
    logic retrans_req;
    logic remote_fc;
    logic overflow;
    logic ext_error;
    logic ask_toggle;
    logic fresh;
    logic steady;
  } flags_t;
  flags_t rx_flags, tx_flags;
  ext_rx_t ext;
  logic ext_ready;
  logic alive;

  // What the controller of either mode decides.
  tx_frame_t compatible, extended, now;
  logic [WireWidth-1:0] announcement;
  logic peer_stop;
  logic up, local_fc, compensate, served, incident;
  logic [IdWidth-1:0] round_trip;

  rifl_tx_ctrl #(
    .IdWidth(IdWidth)
  ) u_ctrl (
    .clk_i        (frame_clk_i),
    .rst_i        (frame_rst_i || !session_i.compatible),
    .rx_up_i      (up),
    .rx_error_i   (tx_flags.error),
    .pause_req_i  (tx_flags.pause_req),
    .retrans_req_i(tx_flags.retrans_req),
    .local_fc_i   (local_fc),
    .remote_fc_i  (tx_flags.remote_fc),
    .compensate_i (compensate),
    .frame_o      (compatible)
  );

  assign now = session_i.compatible ? compatible : extended;
  assign s_axis_tready = now.user_ready;
  assign link_up_o = now.link_up;

  assign up = tx_flags.up && alive;
  assign status_o = '{
          round_trip: 16'(round_trip),
          incident: incident,
          served: served,
          rx_user: m_axis_tvalid && m_axis_tready,
          tx_user: s_axis_tvalid && s_axis_tready,
          compensate: compensate,
          tx_state: now.state,
          overflow: tx_flags.overflow,
          remote_fc: session_i.compatible ? tx_flags.remote_fc : peer_stop,
          local_fc: local_fc,
          retrans_req: tx_flags.retrans_req,
          pause_req: tx_flags.pause_req,
          error: session_i.compatible ? tx_flags.error : tx_flags.ext_error,
          up: up,
          aligned: tx_flags.aligned
      };

  rifl_tx #(
    .FrameWidth(FrameWidth),
    .IdWidth   (IdWidth),
    .StrongCode(StrongCode)
  ) u_tx (
    .frame_clk_i   (frame_clk_i),
    .frame_rst_i   (frame_rst_i),
    .phy_clk_i     (phy_tx_clk_i),
    .phy_rst_i     (frame_rst_i),
    .s_data_i      (s_axis_tdata),
    .s_keep_i      (s_axis_tkeep),
    .s_last_i      (s_axis_tlast),
    .frame_i       (now),
    .user_i        (now.user_ready && s_axis_tvalid),
    .announcement_i(announcement),
    .phy_tx_data_o (phy_tx_data_o)
  );

  // ---- Resets of what crosses between the recovered clock and the frame clock ----
  logic rx_cross_rst, rx_cross_clear, cross_rst, cross_clear, unused_cross;
  prim_clear u_clear (
    .a_clk_i  (phy_rx_clk_i),
    .a_rst_i  (phy_rx_rst_i),
    .a_rst_o  (rx_cross_rst),
    .a_clear_o(rx_cross_clear),
    .b_clk_i  (frame_clk_i),
    .b_rst_i  (frame_rst_i || session_i.ends),
    .b_rst_o  (cross_rst),
    .b_clear_o(cross_clear)
  );
  assign unused_cross = cross_clear;

  logic rx_valid, rx_ready, rx_refused;
  logic [BodyWidth-1:0] rx_body;

  rifl_rx #(
    .FrameWidth(FrameWidth),
    .IdWidth   (IdWidth),
    .UpFrames  (UpFrames),
    .Extended  (Extended),
    .DelayedRelease(DelayedRelease),
    .StrongCode(StrongCode)
  ) u_rx (
    .clk_i        (phy_rx_clk_i),
    .rst_i        (phy_rx_rst_i),
    .data_rst_i   (rx_cross_rst),
    .compatible_i (session_i.compatible),
    .open_i       (session_i.open),
    .delayed_i    (delayed_release_i),
    .lane_i       (lane_i),
    .session_i    (session_i.session),
    .partner_i    (session_i.partner),
    .phy_rx_data_i(phy_rx_data_i),
    .phy_rx_bad_i (phy_rx_bad_i),
    .m_valid_o    (rx_valid),
    .m_ready_i    (rx_ready),
    .refused_o    (rx_refused),
    .m_data_o     (rx_body),
    .aligned_o    (rx_flags.aligned),
    .up_o         (rx_flags.up),
    .error_o      (rx_flags.error),
    .pause_req_o  (rx_flags.pause_req),
    .retrans_req_o(rx_flags.retrans_req),
    .remote_fc_o  (rx_flags.remote_fc),
    .status_o     (rx_status_o),
    .ext_o        (ext),
    .ext_ready_i  (ext_ready)
  );

  assign rx_flags.ext_error  = ext.error;
  assign rx_flags.ask_toggle = ext.ask_toggle;
  assign rx_flags.fresh      = ext.fresh;
  assign rx_flags.steady     = ext.steady;

  // Synchronised in the fast transmit clock, then held still for a frame.
  for (genvar i = 0; i < $bits(flags_t); i++) begin : gen_flag
    logic synchronised;
    prim_sync_bit u_sync (
      .clk_i(phy_tx_clk_i),
      .rst_i(frame_rst_i),
      .d_i  (rx_flags[i]),
      .q_o  (synchronised)
    );
    always_ff @(posedge frame_clk_i) begin
      if (frame_rst_i) tx_flags[i] <= 1'b0;
      else tx_flags[i] <= synchronised;
    end
  end

  logic [BodyWidth-1:0] body;
  rifl_rx_buffer #(
    .Width  (BodyWidth),
    .IdWidth(IdWidth)
  ) u_rx_buffer (
    .rx_clk_i    (phy_rx_clk_i),
    .rx_clear_i  (rx_cross_clear),
    .s_valid_i   (rx_valid),
    .s_ready_o   (rx_ready),
    .s_refused_i (rx_refused),
    .s_data_i    (rx_body),
    .frame_clk_i (frame_clk_i),
    .cross_rst_i (cross_rst),
    .frame_rst_i (data_rst_i),
    .phy_tx_clk_i(phy_tx_clk_i),
    .m_valid_o   (m_axis_tvalid),
    .m_ready_i   (m_axis_tready),
    .m_data_o    (body),
    .stop_o      (local_fc),
    .overflow_o  (rx_flags.overflow)
  );

  rifl_meta_dec #(
    .Bytes(Bytes)
  ) u_meta_dec (
    .meta_i   (body[BodyWidth-1-:2]),
    .payload_i(body[BodyWidth-3:0]),
    .data_o   (m_axis_tdata),
    .keep_o   (m_axis_tkeep),
    .last_o   (m_axis_tlast)
  );

  rifl_clock_comp u_clock_comp (
    .frame_clk_i (frame_clk_i),
    .frame_rst_i (frame_rst_i),
    .enable_i    (up),
    .slack_i     (now.slack),
    .compensate_o(compensate),
    .alive_o     (alive),
    .rx_clk_i    (phy_rx_clk_i),
    .rx_frame_i  (rx_status_o.frame)
  );

  if (Extended) begin : gen_extended
    rifl_ext_lane #(
      .IdWidth(IdWidth)
    ) u_ext (
      .frame_clk_i   (frame_clk_i),
      .frame_rst_i   (frame_rst_i),
      .phy_tx_clk_i  (phy_tx_clk_i),
      .rx_clk_i      (phy_rx_clk_i),
      .rx_clear_i    (rx_cross_clear),
      .cross_rst_i   (cross_rst),
      .rx_i          (ext),
      .rx_ready_o    (ext_ready),
      .lane_i        (lane_i),
      .up_i          (up),
      .err_i         (tx_flags.ext_error),
      .alive_i       (alive),
      .fresh_i       (tx_flags.fresh && alive),
      .steady_i      (tx_flags.steady && alive),
      .ask_toggle_i  (tx_flags.ask_toggle),
      .session_i     (session_i),
      .own_i         (own_i),
      .report_o      (report_o),
      .round_trip_o  (round_trip),
      .stop_i        (local_fc),
      .peer_stop_o   (peer_stop),
      .compensate_i  (compensate),
      .user_valid_i  (s_axis_tvalid),
      .frame_o       (extended),
      .sent_kind_i   (now.kind),
      .announcement_o(announcement),
      .served_o      (served),
      .incident_o    (incident)
    );
  end else begin : gen_compatible
    assign ext_ready    = 1'b1;
    assign extended     = '0;
    assign announcement = '0;
    assign peer_stop    = 1'b0;
    assign report_o     = '0;
    assign round_trip   = '0;
    assign served       = 1'b0;
    assign incident     = 1'b0;
    logic unused;
    assign unused = ^{own_i, ext_ready, session_i, ext, tx_flags.ask_toggle,
                      tx_flags.fresh, tx_flags.steady};
  end

endmodule
