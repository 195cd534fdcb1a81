// SPDX-License-Identifier: Apache-2.0
//
// rifl_pair: two ends of a link for the tests: A's words go to B and B's to A, through one word-exact
// exclusive-or per direction and lane (the test's errors), a bit slip and a delay in words of each lane.

module rifl_pair #(
  parameter int unsigned Lanes = 1,
  parameter int unsigned FrameWidth = 256,
  parameter int unsigned UserWidth = FrameWidth,
  parameter int unsigned IdWidth = 6,
  parameter int unsigned UpFrames = 64,
  parameter bit Extended = 1'b0
) (
  input logic a_phy_clk_i,
  input logic a_frame_clk_i,
  input logic a_user_clk_i,
  input logic b_phy_clk_i,
  input logic b_frame_clk_i,
  input logic b_user_clk_i,
  input logic rst_i,

  input logic [Lanes-1:0][63:0] a_error_i,
  input logic [Lanes-1:0][63:0] b_error_i,
  input logic [Lanes-1:0][ 5:0] slip_i,
  input logic [Lanes-1:0][ 3:0] skew_i,

  input  logic [  UserWidth-1:0] a_s_axis_tdata,
  input  logic [UserWidth/8-1:0] a_s_axis_tkeep,
  input  logic                   a_s_axis_tlast,
  input  logic                   a_s_axis_tvalid,
  output logic                   a_s_axis_tready,
  output logic [  UserWidth-1:0] a_m_axis_tdata,
  output logic [UserWidth/8-1:0] a_m_axis_tkeep,
  output logic                   a_m_axis_tlast,
  output logic                   a_m_axis_tuser,
  output logic                   a_m_axis_tvalid,
  input  logic                   a_m_axis_tready,

  input  logic [  UserWidth-1:0] b_s_axis_tdata,
  input  logic [UserWidth/8-1:0] b_s_axis_tkeep,
  input  logic                   b_s_axis_tlast,
  input  logic                   b_s_axis_tvalid,
  output logic                   b_s_axis_tready,
  output logic [  UserWidth-1:0] b_m_axis_tdata,
  output logic [UserWidth/8-1:0] b_m_axis_tkeep,
  output logic                   b_m_axis_tlast,
  output logic                   b_m_axis_tuser,
  output logic                   b_m_axis_tvalid,
  input  logic                   b_m_axis_tready,

  output logic [Lanes-1:0][63:0] a_word_o,         // as A sends it
  output logic                   a_link_up_o,
  output logic                   b_link_up_o,
  output logic [Lanes-1:0][ 2:0] a_tx_state_o,
  output logic [Lanes-1:0][ 2:0] b_tx_state_o,
  output logic [Lanes-1:0]       a_rx_error_o,
  output logic [Lanes-1:0]       b_rx_error_o,
  output logic [Lanes-1:0]       a_remote_fc_o,
  output logic [Lanes-1:0]       b_local_fc_o,
  output logic [Lanes-1:0]       a_rx_overflow_o,
  output logic [Lanes-1:0]       b_rx_overflow_o,
  output logic [Lanes-1:0]       a_compensate_o,
  output logic [Lanes-1:0]       b_compensate_o
);

  logic [Lanes-1:0][63:0] a_tx, b_tx, a_rx, b_rx;
  assign a_word_o = a_tx;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    // Word k is k clocks old.
    logic [16:0][63:0] a_line, b_line;
    assign a_line[0] = a_tx[i] ^ a_error_i[i];
    assign b_line[0] = b_tx[i] ^ b_error_i[i];
    always_ff @(posedge a_phy_clk_i) a_line[16:1] <= a_line[15:0];
    always_ff @(posedge b_phy_clk_i) b_line[16:1] <= b_line[15:0];

    logic [4:0] skew;
    assign skew = 5'(skew_i[i]);
    always_comb begin
      b_rx[i] = 64'({a_line[skew], a_line[skew+1]} >> (7'd64 - 7'(slip_i[i])));
      a_rx[i] = 64'({b_line[skew], b_line[skew+1]} >> (7'd64 - 7'(slip_i[i])));
    end
  end

  rifl_link #(
    .Lanes     (Lanes),
    .FrameWidth(FrameWidth),
    .UserWidth (UserWidth),
    .IdWidth   (IdWidth),
    .UpFrames  (UpFrames),
    .Extended  (Extended)
  ) u_a (
    .phy_tx_clk_i     (a_phy_clk_i),
    .frame_clk_i      (a_frame_clk_i),
    .user_clk_i       (a_user_clk_i),
    .phy_rx_clk_i     ({Lanes{b_phy_clk_i}}),
    .arst_i           (rst_i),
    .user_arst_i      (rst_i),
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
    .tx_state_o       (a_tx_state_o),
    .rx_aligned_o     (),
    .rx_up_o          (),
    .rx_error_o       (a_rx_error_o),
    .rx_pause_req_o   (),
    .rx_retrans_req_o (),
    .local_fc_o       (),
    .remote_fc_o      (a_remote_fc_o),
    .compensate_o     (a_compensate_o),
    .rx_overflow_o    (a_rx_overflow_o),
    .rx_slip_o        (),
    .rx_frame_o       (),
    .rx_bad_o         (),
    .tx_user_o        (),
    .rx_user_o        (),
    .extended_i       (Extended),
    .delayed_release_i(1'b0),
    .restart_i        (1'b0),
    .session_seed_i   (16'd0),
    .phase_o          (),
    .reason_o         (),
    .peer_reason_o    (),
    .peer_o           (),
    .peer_session_o   (),
    .session_o        (),
    .session_ended_o  (),
    .round_trip_o     (),
    .served_o         (),
    .incident_o       (),
    .tx_cut_o         (),
    .rx_cut_o         ()
  );

  rifl_link #(
    .Lanes     (Lanes),
    .FrameWidth(FrameWidth),
    .UserWidth (UserWidth),
    .IdWidth   (IdWidth),
    .UpFrames  (UpFrames),
    .Extended  (Extended)
  ) u_b (
    .phy_tx_clk_i     (b_phy_clk_i),
    .frame_clk_i      (b_frame_clk_i),
    .user_clk_i       (b_user_clk_i),
    .phy_rx_clk_i     ({Lanes{a_phy_clk_i}}),
    .arst_i           (rst_i),
    .user_arst_i      (rst_i),
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
    .tx_state_o       (b_tx_state_o),
    .rx_aligned_o     (),
    .rx_up_o          (),
    .rx_error_o       (b_rx_error_o),
    .rx_pause_req_o   (),
    .rx_retrans_req_o (),
    .local_fc_o       (b_local_fc_o),
    .remote_fc_o      (),
    .compensate_o     (b_compensate_o),
    .rx_overflow_o    (b_rx_overflow_o),
    .rx_slip_o        (),
    .rx_frame_o       (),
    .rx_bad_o         (),
    .tx_user_o        (),
    .rx_user_o        (),
    .extended_i       (Extended),
    .delayed_release_i(1'b0),
    .restart_i        (1'b0),
    .session_seed_i   (16'd0),
    .phase_o          (),
    .reason_o         (),
    .peer_reason_o    (),
    .peer_o           (),
    .peer_session_o   (),
    .session_o        (),
    .session_ended_o  (),
    .round_trip_o     (),
    .served_o         (),
    .incident_o       (),
    .tx_cut_o         (),
    .rx_cut_o         ()
  );

endmodule
