// SPDX-License-Identifier: Apache-2.0
//
// rifl_clock_pair: two ends whose clocks and resets are all inputs, so that each of them can stop, run slower or
// come at any time. Bit or row 0 belongs to end A. What an end sends is `Delay` words old when the other one samples it with
// the clock recovered for the lane, which nothing forces to run.

module rifl_clock_pair #(
  parameter int unsigned Lanes = 2,
  parameter int unsigned FrameWidth = 128,
  parameter int unsigned UserWidth = 128,
  parameter int unsigned IdWidth = 6,
  parameter int unsigned UpFrames = 64,
  parameter bit Extended = 1'b1
) (
  input logic a_phy_clk_i,
  input logic a_frame_clk_i,
  input logic a_user_clk_i,
  input logic b_phy_clk_i,
  input logic b_frame_clk_i,
  input logic b_user_clk_i,
  input logic [Lanes-1:0] a_rx_clk_i,
  input logic [Lanes-1:0] b_rx_clk_i,
  input logic a_rst_i,
  input logic b_rst_i,
  input logic a_user_rst_i,
  input logic b_user_rst_i,
  input logic extended_i,

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

  output logic [1:0]            link_up_o,
  output logic [1:0][Lanes-1:0] rx_up_o,
  output logic [1:0][Lanes-1:0] overflow_o,
  output logic [1:0]            session_ended_o
);

  localparam int unsigned Delay = 5;

  logic [1:0] phy_clk, frame_clk, user_clk, rst, user_rst;
  logic [1:0][Lanes-1:0] rx_clk;
  logic [1:0][Lanes-1:0][63:0] sent, received;
  assign phy_clk   = {b_phy_clk_i, a_phy_clk_i};
  assign frame_clk = {b_frame_clk_i, a_frame_clk_i};
  assign user_clk  = {b_user_clk_i, a_user_clk_i};
  assign rx_clk    = {b_rx_clk_i, a_rx_clk_i};
  assign rst       = {b_rst_i, a_rst_i};
  assign user_rst  = {b_user_rst_i, a_user_rst_i};

  logic [1:0][UserWidth-1:0] s_tdata, m_tdata;
  logic [1:0][UserWidth/8-1:0] s_tkeep, m_tkeep;
  logic [1:0] s_tlast, s_tvalid, s_tready, m_tlast, m_tuser, m_tvalid, m_tready;
  assign s_tdata = {b_s_axis_tdata, a_s_axis_tdata};
  assign s_tkeep = {b_s_axis_tkeep, a_s_axis_tkeep};
  assign s_tlast = {b_s_axis_tlast, a_s_axis_tlast};
  assign s_tvalid = {b_s_axis_tvalid, a_s_axis_tvalid};
  assign m_tready = {b_m_axis_tready, a_m_axis_tready};
  assign {b_s_axis_tready, a_s_axis_tready} = s_tready;
  assign {b_m_axis_tdata, a_m_axis_tdata} = m_tdata;
  assign {b_m_axis_tkeep, a_m_axis_tkeep} = m_tkeep;
  assign {b_m_axis_tlast, a_m_axis_tlast} = m_tlast;
  assign {b_m_axis_tuser, a_m_axis_tuser} = m_tuser;
  assign {b_m_axis_tvalid, a_m_axis_tvalid} = m_tvalid;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    logic [Delay-1:0][Lanes-1:0][63:0] line_q;
    always_ff @(posedge phy_clk[e]) line_q <= {line_q[Delay-2:0], sent[e]};
    assign received[1-e] = line_q[Delay-1];

    rifl_link #(
      .Lanes     (Lanes),
      .FrameWidth(FrameWidth),
      .UserWidth (UserWidth),
      .IdWidth   (IdWidth),
      .UpFrames  (UpFrames),
      .Extended  (Extended)
    ) u_link (
      .phy_tx_clk_i     (phy_clk[e]),
      .frame_clk_i      (frame_clk[e]),
      .user_clk_i       (user_clk[e]),
      .phy_rx_clk_i     (rx_clk[e]),
      .arst_i           (rst[e]),
      .user_arst_i      (user_rst[e]),
      .phy_tx_data_o    (sent[e]),
      .phy_rx_data_i    (received[e]),
      .s_axis_tdata     (s_tdata[e]),
      .s_axis_tkeep     (s_tkeep[e]),
      .s_axis_tlast     (s_tlast[e]),
      .s_axis_tvalid    (s_tvalid[e]),
      .s_axis_tready    (s_tready[e]),
      .m_axis_tdata     (m_tdata[e]),
      .m_axis_tkeep     (m_tkeep[e]),
      .m_axis_tlast     (m_tlast[e]),
      .m_axis_tuser     (m_tuser[e]),
      .m_axis_tvalid    (m_tvalid[e]),
      .m_axis_tready    (m_tready[e]),
      .link_up_o        (link_up_o[e]),
      .tx_state_o       (),
      .rx_aligned_o     (),
      .rx_up_o          (rx_up_o[e]),
      .rx_error_o       (),
      .rx_pause_req_o   (),
      .rx_retrans_req_o (),
      .local_fc_o       (),
      .remote_fc_o      (),
      .compensate_o     (),
      .rx_overflow_o    (overflow_o[e]),
      .rx_slip_o        (),
      .rx_frame_o       (),
      .rx_bad_o         (),
      .tx_user_o        (),
      .rx_user_o        (),
      .extended_i       (extended_i),
      .delayed_release_i(1'b0),
      .restart_i        (1'b0),
      .session_seed_i   (e == 0 ? 16'h1234 : 16'h9876),
      .phase_o          (),
      .reason_o         (),
      .peer_reason_o    (),
      .peer_o           (),
      .peer_session_o   (),
      .session_o        (),
      .session_ended_o  (session_ended_o[e]),
      .round_trip_o     (),
      .served_o         (),
      .incident_o       (),
      .tx_cut_o         (),
      .rx_cut_o         ()
    );
  end

endmodule
