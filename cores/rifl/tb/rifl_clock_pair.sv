// SPDX-License-Identifier: Apache-2.0
//
// rifl_clock_pair: two ends whose clocks and resets are all inputs, so that each of them can stop,
// run slower or come at any time. Bit or row 0 belongs to end A. What an end sends is `Delay` words
// old when the other one samples it with the clock recovered for the lane, which nothing forces to
// run.

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
  output logic a_user_rst_o,
  output logic b_user_rst_o,
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

  logic [1:0] phy_clk, unused_tx_cut, unused_rx_cut;
  logic [1:0][Lanes-1:0][63:0] sent, received;
  rifl_ext_pkg::link_status_t [1:0] link_status;
  rifl_pkg::lane_status_t [1:0][Lanes-1:0] lane_status;
  assign phy_clk = {b_phy_clk_i, a_phy_clk_i};

  rifl_ends #(
    .Lanes     (Lanes),
    .FrameWidth(FrameWidth),
    .UserWidthA(UserWidth),
    .IdWidthA  (IdWidth),
    .UpFrames  (UpFrames),
    .Extended  (Extended)
  ) u_ends (
    .phy_clk_i    (phy_clk),
    .frame_clk_i  ({b_frame_clk_i, a_frame_clk_i}),
    .user_clk_i   ({b_user_clk_i, a_user_clk_i}),
    .rx_clk_i     ({b_rx_clk_i, a_rx_clk_i}),
    .rst_i        ({b_rst_i, a_rst_i}),
    .user_rst_o   ({b_user_rst_o, a_user_rst_o}),
    .user_rst_i   ({b_user_rst_i, a_user_rst_i}),
    .extended_i   ({2{extended_i}}),
    .restart_i    (2'b00),
    .delayed_i    (1'b0),
    .sent_o       (sent),
    .received_i   (received),
    .bad_i        ('0),
    .link_status_o(link_status),
    .lane_status_o(lane_status),
    .tx_cut_o     (unused_tx_cut),
    .rx_cut_o     (unused_rx_cut),
    .*
  );

  for (genvar e = 0; e < 2; e++) begin : gen_end
    logic [Delay-1:0][Lanes-1:0][63:0] line_q;
    always_ff @(posedge phy_clk[e]) line_q <= {line_q[Delay-2:0], sent[e]};
    assign received[1-e] = line_q[Delay-1];
    assign session_ended_o[e] = link_status[e].ended;
    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      assign rx_up_o[e][i] = lane_status[e][i].up;
      assign overflow_o[e][i] = lane_status[e][i].overflow;
    end
  end

endmodule
