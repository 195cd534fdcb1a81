// SPDX-License-Identifier: Apache-2.0
//
// rifl_pair: two ends of a link for the tests: A's words go to B and B's to A, through one
// word-exact exclusive-or per direction and lane (the test's errors), a bit slip and a delay in
// words of each lane. known_i: phy_rx_bad_i says which words have errors.

module rifl_pair #(
  parameter int unsigned Lanes = 1,
  parameter int unsigned FrameWidth = 256,
  parameter int unsigned UserWidth = FrameWidth,
  parameter int unsigned IdWidth = 6,
  parameter int unsigned UpFrames = 64,
  parameter bit Extended = 1'b0
) (
  input  logic a_phy_clk_i,
  input  logic a_frame_clk_i,
  input  logic a_user_clk_i,
  input  logic b_phy_clk_i,
  input  logic b_frame_clk_i,
  input  logic b_user_clk_i,
  input  logic rst_i,
  output logic a_user_rst_o,
  output logic b_user_rst_o,

  input logic [Lanes-1:0][63:0] a_error_i,
  input logic [Lanes-1:0][63:0] b_error_i,
  input logic                   known_i,
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
  output logic [Lanes-1:0]       b_remote_fc_o,
  output logic [Lanes-1:0]       a_rx_overflow_o,
  output logic [Lanes-1:0]       b_rx_overflow_o,
  output logic [Lanes-1:0]       a_compensate_o,
  output logic [Lanes-1:0]       b_compensate_o
);

  logic [Lanes-1:0][63:0] a_tx, b_tx, a_rx, b_rx;
  logic [Lanes-1:0] a_bad, b_bad;
  assign a_word_o = a_tx;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    // Word k is k clocks old.
    logic [16:0][63:0] a_line, b_line, a_wrong, b_wrong;
    assign a_line[0]  = a_tx[i];
    assign b_line[0]  = b_tx[i];
    assign a_wrong[0] = a_error_i[i];
    assign b_wrong[0] = b_error_i[i];
    always_ff @(posedge a_phy_clk_i) {a_line[16:1], a_wrong[16:1]} <= {a_line[15:0], a_wrong[15:0]};
    always_ff @(posedge b_phy_clk_i) {b_line[16:1], b_wrong[16:1]} <= {b_line[15:0], b_wrong[15:0]};

    logic [4:0] skew;
    logic [6:0] cut;
    logic [63:0] a_flips, b_flips;
    assign skew = 5'(skew_i[i]);
    assign cut  = 7'd64 - 7'(slip_i[i]);
    always_comb begin
      b_flips  = 64'({a_wrong[skew], a_wrong[skew+1]} >> cut);
      a_flips  = 64'({b_wrong[skew], b_wrong[skew+1]} >> cut);
      b_rx[i]  = 64'({a_line[skew], a_line[skew+1]} >> cut) ^ b_flips;
      a_rx[i]  = 64'({b_line[skew], b_line[skew+1]} >> cut) ^ a_flips;
      b_bad[i] = known_i && b_flips != '0;
      a_bad[i] = known_i && a_flips != '0;
    end
  end

  logic [1:0][Lanes-1:0][63:0] sent;
  assign {b_tx, a_tx} = sent;
  logic [1:0] unused_tx_cut, unused_rx_cut;
  rifl_ext_pkg::link_status_t [1:0] unused_link_status;
  rifl_pkg::lane_status_t [1:0][Lanes-1:0] status;

  rifl_ends #(
    .Lanes     (Lanes),
    .FrameWidth(FrameWidth),
    .UserWidthA(UserWidth),
    .IdWidthA  (IdWidth),
    .UpFrames  (UpFrames),
    .Extended  (Extended)
  ) u_ends (
    .phy_clk_i    ({b_phy_clk_i, a_phy_clk_i}),
    .frame_clk_i  ({b_frame_clk_i, a_frame_clk_i}),
    .user_clk_i   ({b_user_clk_i, a_user_clk_i}),
    .rx_clk_i     ({{Lanes{a_phy_clk_i}}, {Lanes{b_phy_clk_i}}}),
    .rst_i        ({2{rst_i}}),
    .user_rst_i   ({2{rst_i}}),
    .user_rst_o   ({b_user_rst_o, a_user_rst_o}),
    .extended_i   ({2{Extended}}),
    .restart_i    (2'b00),
    .delayed_i    (1'b0),
    .sent_o       (sent),
    .received_i   ({b_rx, a_rx}),
    .bad_i        ({b_bad, a_bad}),
    .link_up_o    ({b_link_up_o, a_link_up_o}),
    .link_status_o(unused_link_status),
    .lane_status_o(status),
    .tx_cut_o     (unused_tx_cut),
    .rx_cut_o     (unused_rx_cut),
    .*
  );

  for (genvar i = 0; i < Lanes; i++) begin : gen_status
    assign a_tx_state_o[i] = status[0][i].tx_state;
    assign b_tx_state_o[i] = status[1][i].tx_state;
    assign a_rx_error_o[i] = status[0][i].error;
    assign b_rx_error_o[i] = status[1][i].error;
    assign a_remote_fc_o[i] = status[0][i].remote_fc;
    assign b_remote_fc_o[i] = status[1][i].remote_fc;
    assign a_rx_overflow_o[i] = status[0][i].overflow;
    assign b_rx_overflow_o[i] = status[1][i].overflow;
    assign a_compensate_o[i] = status[0][i].compensate;
    assign b_compensate_o[i] = status[1][i].compensate;
  end

endmodule
