// SPDX-License-Identifier: Apache-2.0
//
// rifl_session_pair: two ends of a link with everything that can go wrong between sessions: resets and
// parameters of their own, a cable of any length, lanes that are cut, stuck or exchanged.
//
// Both ends run on the same clocks. Words of A to B and of B to A are delay_i clocks old. With swap_i lanes
// 0 and 1 are exchanged in both directions. a_cut_i, b_cut_i: that end's words are replaced by stuck_i.

module rifl_session_pair #(
  parameter int unsigned Lanes = 2,
  parameter int unsigned FrameWidth = 128,
  parameter int unsigned UserWidthA = 256,
  parameter int unsigned UserWidthB = 256,
  parameter int unsigned IdWidthA = 6,
  parameter int unsigned IdWidthB = 6,
  parameter int unsigned RateA = 2800,
  parameter int unsigned RateB = 2800,
  parameter bit DelayedRelease = 1'b0,
  parameter int unsigned UpFrames = 64
) (
  input logic phy_clk_i,
  input logic frame_clk_i,
  input logic user_clk_i,
  input logic a_rst_i,
  input logic b_rst_i,
  input logic user_rst_i,
  input logic a_extended_i,
  input logic b_extended_i,
  input logic a_restart_i,
  input logic b_restart_i,

  input logic [9:0] delay_i,
  input logic swap_i,
  input logic a_cut_i,
  input logic b_cut_i,
  input logic [63:0] stuck_i,
  input logic [Lanes-1:0] error_i,  // flips a bit of A's word
  input logic garble_i,  // flips bits of A's word on lane 0 in a way that the code does not see
  input logic delayed_i,

  input  logic [  UserWidthA-1:0] a_s_axis_tdata,
  input  logic [UserWidthA/8-1:0] a_s_axis_tkeep,
  input  logic                    a_s_axis_tlast,
  input  logic                    a_s_axis_tvalid,
  output logic                    a_s_axis_tready,
  output logic [  UserWidthA-1:0] a_m_axis_tdata,
  output logic [UserWidthA/8-1:0] a_m_axis_tkeep,
  output logic                    a_m_axis_tlast,
  output logic                    a_m_axis_tuser,
  output logic                    a_m_axis_tvalid,
  input  logic                    a_m_axis_tready,

  input  logic [  UserWidthB-1:0] b_s_axis_tdata,
  input  logic [UserWidthB/8-1:0] b_s_axis_tkeep,
  input  logic                    b_s_axis_tlast,
  input  logic                    b_s_axis_tvalid,
  output logic                    b_s_axis_tready,
  output logic [  UserWidthB-1:0] b_m_axis_tdata,
  output logic [UserWidthB/8-1:0] b_m_axis_tkeep,
  output logic                    b_m_axis_tlast,
  output logic                    b_m_axis_tuser,
  output logic                    b_m_axis_tvalid,
  input  logic                    b_m_axis_tready,

  output logic        a_link_up_o,
  output logic        b_link_up_o,
  output logic [ 1:0] a_phase_o,
  output logic [ 1:0] b_phase_o,
  output logic [ 3:0] a_reason_o,
  output logic [ 3:0] b_reason_o,
  output logic [ 3:0] a_peer_reason_o,
  output logic [15:0] a_session_o,
  output logic [11:0] a_round_trip_o,
  output logic        a_ended_o,
  output logic        b_ended_o,
  output logic        a_tx_cut_o,
  output logic        b_rx_cut_o,
  output logic        b_overflow_o
);

  localparam int unsigned Deepest = 1024;
  // The polynomial of the code, in the middle of the word.
  localparam logic [63:0] Unseen = 64'h102f << 20;

  logic [Lanes-1:0][63:0] a_tx, b_tx, a_rx, b_rx;
  logic [Lanes-1:0] overflow;
  logic [Lanes-1:0][IdWidthA-1:0] round_trip;
  logic [9:0] now_q;
  always_ff @(posedge phy_clk_i) now_q <= now_q + 1'b1;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    localparam int unsigned Other = (i < 2 && Lanes > 1) ? i ^ 1 : i;
    logic [63:0] a_line[Deepest], b_line[Deepest];
    always_ff @(posedge phy_clk_i) begin
      a_line[now_q] <= a_cut_i ? stuck_i : a_tx[swap_i?Other : i] ^ {63'b0, error_i[i]} ^
                       (garble_i && i == 0 ? Unseen : '0);
      b_line[now_q] <= b_cut_i ? stuck_i : b_tx[swap_i?Other : i];
      b_rx[i] <= a_line[now_q-10'd1-delay_i];
      a_rx[i] <= b_line[now_q-10'd1-delay_i];
    end
  end
  assign b_overflow_o   = |overflow;
  assign a_round_trip_o = 12'(round_trip[0]);

  rifl_link #(
    .Lanes         (Lanes),
    .FrameWidth    (FrameWidth),
    .UserWidth     (UserWidthA),
    .IdWidth       (IdWidthA),
    .UpFrames      (UpFrames),
    .DelayedRelease(DelayedRelease),
    .LineRate      (RateA)
  ) u_a (
    .phy_tx_clk_i     (phy_clk_i),
    .frame_clk_i      (frame_clk_i),
    .user_clk_i       (user_clk_i),
    .phy_rx_clk_i     ({Lanes{phy_clk_i}}),
    .arst_i           (a_rst_i),
    .user_arst_i      (user_rst_i),
    .phy_tx_data_o    (a_tx),
    .phy_rx_data_i    (a_rx),
    .s_axis_tdata     (a_s_axis_tdata),
    .s_axis_tkeep     (a_s_axis_tkeep),
    .s_axis_tlast     (a_s_axis_tlast),
    .s_axis_tvalid    (a_s_axis_tvalid),
    .s_axis_tready    (a_s_axis_tready),
    .m_axis_tdata     (a_m_axis_tdata),
    .m_axis_tkeep     (a_m_axis_tkeep),
    .m_axis_tlast     (a_m_axis_tlast),
    .m_axis_tuser     (a_m_axis_tuser),
    .m_axis_tvalid    (a_m_axis_tvalid),
    .m_axis_tready    (a_m_axis_tready),
    .link_up_o        (a_link_up_o),
    .tx_state_o       (),
    .rx_aligned_o     (),
    .rx_up_o          (),
    .rx_error_o       (),
    .rx_pause_req_o   (),
    .rx_retrans_req_o (),
    .local_fc_o       (),
    .remote_fc_o      (),
    .compensate_o     (),
    .rx_overflow_o    (),
    .rx_slip_o        (),
    .rx_frame_o       (),
    .rx_bad_o         (),
    .tx_user_o        (),
    .rx_user_o        (),
    .extended_i       (a_extended_i),
    .delayed_release_i(delayed_i),
    .restart_i        (a_restart_i),
    .session_seed_i   (16'h1234),
    .phase_o          (a_phase_o),
    .reason_o         (a_reason_o),
    .peer_reason_o    (a_peer_reason_o),
    .peer_o           (),
    .peer_session_o   (),
    .session_o        (a_session_o),
    .session_ended_o  (a_ended_o),
    .round_trip_o     (round_trip),
    .served_o         (),
    .incident_o       (),
    .tx_cut_o         (a_tx_cut_o),
    .rx_cut_o         ()
  );

  rifl_link #(
    .Lanes         (Lanes),
    .FrameWidth    (FrameWidth),
    .UserWidth     (UserWidthB),
    .IdWidth       (IdWidthB),
    .UpFrames      (UpFrames),
    .DelayedRelease(DelayedRelease),
    .LineRate      (RateB)
  ) u_b (
    .phy_tx_clk_i     (phy_clk_i),
    .frame_clk_i      (frame_clk_i),
    .user_clk_i       (user_clk_i),
    .phy_rx_clk_i     ({Lanes{phy_clk_i}}),
    .arst_i           (b_rst_i),
    .user_arst_i      (user_rst_i),
    .phy_tx_data_o    (b_tx),
    .phy_rx_data_i    (b_rx),
    .s_axis_tdata     (b_s_axis_tdata),
    .s_axis_tkeep     (b_s_axis_tkeep),
    .s_axis_tlast     (b_s_axis_tlast),
    .s_axis_tvalid    (b_s_axis_tvalid),
    .s_axis_tready    (b_s_axis_tready),
    .m_axis_tdata     (b_m_axis_tdata),
    .m_axis_tkeep     (b_m_axis_tkeep),
    .m_axis_tlast     (b_m_axis_tlast),
    .m_axis_tuser     (b_m_axis_tuser),
    .m_axis_tvalid    (b_m_axis_tvalid),
    .m_axis_tready    (b_m_axis_tready),
    .link_up_o        (b_link_up_o),
    .tx_state_o       (),
    .rx_aligned_o     (),
    .rx_up_o          (),
    .rx_error_o       (),
    .rx_pause_req_o   (),
    .rx_retrans_req_o (),
    .local_fc_o       (),
    .remote_fc_o      (),
    .compensate_o     (),
    .rx_overflow_o    (overflow),
    .rx_slip_o        (),
    .rx_frame_o       (),
    .rx_bad_o         (),
    .tx_user_o        (),
    .rx_user_o        (),
    .extended_i       (b_extended_i),
    .delayed_release_i(delayed_i),
    .restart_i        (b_restart_i),
    .session_seed_i   (16'h9876),
    .phase_o          (b_phase_o),
    .reason_o         (b_reason_o),
    .peer_reason_o    (),
    .peer_o           (),
    .peer_session_o   (),
    .session_o        (),
    .session_ended_o  (b_ended_o),
    .round_trip_o     (),
    .served_o         (),
    .incident_o       (),
    .tx_cut_o         (),
    .rx_cut_o         (b_rx_cut_o)
  );

endmodule
