// SPDX-License-Identifier: Apache-2.0
//
// rifl_ends: the two ends of a link for the benches, which put the lines between sent_o and
// received_i. bad_i: words of received_i known to be wrong. Element 0 belongs to end A.

module rifl_ends
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned Lanes = 1,
  parameter int unsigned FrameWidth = 256,
  parameter int unsigned UserWidthA = FrameWidth,
  parameter int unsigned UserWidthB = UserWidthA,
  parameter int unsigned IdWidthA = 6,
  parameter int unsigned IdWidthB = IdWidthA,
  parameter int unsigned RateA = 0,
  parameter int unsigned RateB = 0,
  parameter int unsigned UpFrames = 64,
  parameter bit Extended = 1'b1,
  parameter bit DelayedRelease = 1'b0,
  parameter bit StrongCodeA = 1'b0,
  parameter bit StrongCodeB = StrongCodeA
) (
  input  logic [1:0]                  phy_clk_i,
  input  logic [1:0]                  frame_clk_i,
  input  logic [1:0]                  user_clk_i,
  input  logic [1:0][Lanes-1:0]       rx_clk_i,
  input  logic [1:0]                  rst_i,
  input  logic [1:0]                  user_rst_i,
  output logic [1:0]                  user_rst_o,
  input  logic [1:0]                  extended_i,
  input  logic [1:0]                  restart_i,
  input  logic                        delayed_i,
  output logic [1:0][Lanes-1:0][63:0] sent_o,
  input  logic [1:0][Lanes-1:0][63:0] received_i,
  input  logic [1:0][Lanes-1:0]       bad_i,

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

  output logic         [1:0]            link_up_o,
  output link_status_t [1:0]            link_status_o,
  output lane_status_t [1:0][Lanes-1:0] lane_status_o,
  output logic         [1:0]            tx_cut_o,
  output logic         [1:0]            rx_cut_o
);

  rx_status_t [1:0][Lanes-1:0] unused;

  rifl_link #(
    .Lanes         (Lanes),
    .FrameWidth    (FrameWidth),
    .UserWidth     (UserWidthA),
    .IdWidth       (IdWidthA),
    .UpFrames      (UpFrames),
    .Extended      (Extended),
    .DelayedRelease(DelayedRelease),
    .StrongCode    (StrongCodeA),
    .LineRate      (RateA)
  ) u_a (
    .phy_tx_clk_i     (phy_clk_i[0]),
    .frame_clk_i      (frame_clk_i[0]),
    .user_clk_i       (user_clk_i[0]),
    .phy_rx_clk_i     (rx_clk_i[0]),
    .arst_i           (rst_i[0]),
    .user_arst_i      (user_rst_i[0]),
    .user_rst_o       (user_rst_o[0]),
    .phy_tx_data_o    (sent_o[0]),
    .phy_rx_data_i    (received_i[0]),
    .phy_rx_bad_i     (bad_i[0]),
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
    .extended_i       (extended_i[0]),
    .delayed_release_i(delayed_i),
    .restart_i        (restart_i[0]),
    .session_seed_i   (16'h1234),
    .link_up_o        (link_up_o[0]),
    .link_status_o    (link_status_o[0]),
    .lane_status_o    (lane_status_o[0]),
    .rx_status_o      (unused[0]),
    .tx_cut_o         (tx_cut_o[0]),
    .rx_cut_o         (rx_cut_o[0])
  );

  rifl_link #(
    .Lanes         (Lanes),
    .FrameWidth    (FrameWidth),
    .UserWidth     (UserWidthB),
    .IdWidth       (IdWidthB),
    .UpFrames      (UpFrames),
    .Extended      (Extended),
    .DelayedRelease(DelayedRelease),
    .StrongCode    (StrongCodeB),
    .LineRate      (RateB)
  ) u_b (
    .phy_tx_clk_i     (phy_clk_i[1]),
    .frame_clk_i      (frame_clk_i[1]),
    .user_clk_i       (user_clk_i[1]),
    .phy_rx_clk_i     (rx_clk_i[1]),
    .arst_i           (rst_i[1]),
    .user_arst_i      (user_rst_i[1]),
    .user_rst_o       (user_rst_o[1]),
    .phy_tx_data_o    (sent_o[1]),
    .phy_rx_data_i    (received_i[1]),
    .phy_rx_bad_i     (bad_i[1]),
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
    .extended_i       (extended_i[1]),
    .delayed_release_i(delayed_i),
    .restart_i        (restart_i[1]),
    .session_seed_i   (16'h9876),
    .link_up_o        (link_up_o[1]),
    .link_status_o    (link_status_o[1]),
    .lane_status_o    (lane_status_o[1]),
    .rx_status_o      (unused[1]),
    .tx_cut_o         (tx_cut_o[1]),
    .rx_cut_o         (rx_cut_o[1])
  );

endmodule
