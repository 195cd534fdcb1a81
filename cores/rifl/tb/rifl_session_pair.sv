// SPDX-License-Identifier: Apache-2.0
//
// rifl_session_pair: two ends of a link with everything that can go wrong between sessions: resets
// and parameters of their own, a cable of any length, lanes that are cut, stuck or exchanged.
//
// Both ends run on the same clocks. Words of A to B and of B to A are delay_i clocks old. With
// swap_i lanes 0 and 1 are exchanged in both directions. a_cut_i, b_cut_i: that end's words are
// replaced by stuck_i. a_word_o: A's word on lane 0, of which flip_i flips bits.

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
  parameter bit StrongCodeA = 1'b0,
  parameter bit StrongCodeB = 1'b0,
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
  input logic [Lanes-1:0] a_cut_i,
  input logic [Lanes-1:0] b_cut_i,
  input logic [63:0] stuck_i,
  input logic [Lanes-1:0] error_i,  // flips a bit of A's word
  input logic garble_i,  // flips bits of A's word on lane 0 in a way that the code does not see
  input logic [63:0] flip_i,
  input logic known_i,  // B knows which words flip_i has changed
  output logic [63:0] a_word_o,
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

  output logic                         a_link_up_o,
  output logic                         b_link_up_o,
  output logic [ 1:0]                  a_phase_o,
  output logic [ 1:0]                  b_phase_o,
  output logic [ 3:0]                  a_reason_o,
  output logic [ 3:0]                  b_reason_o,
  output logic [ 3:0]                  a_peer_reason_o,
  output logic [ 3:0]                  b_peer_reason_o,
  output logic [15:0]                  a_session_o,
  output logic [ 1:0][Lanes-1:0][11:0] round_trip_o,     // of A's lanes, of B's
  output logic                         a_ended_o,
  output logic                         b_ended_o,
  output logic                         a_tx_cut_o,
  output logic                         b_rx_cut_o,
  output logic                         b_overflow_o
);

  localparam int unsigned Deepest = 1024;
  // The polynomial of the code, in the middle of the word.
  localparam logic [63:0] Unseen = 64'h102f << 20;

  logic [Lanes-1:0][63:0] a_tx, b_tx, a_rx, b_rx;
  logic b_bad;
  logic [Deepest-1:0] a_bad;
  logic [9:0] now_q;
  always_ff @(posedge phy_clk_i) begin
    now_q <= now_q + 1'b1;
    a_bad[now_q] <= known_i && flip_i != '0;
    b_bad <= a_bad[now_q-10'd1-delay_i];
  end

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    localparam int unsigned Other = (i < 2 && Lanes > 1) ? i ^ 1 : i;
    logic [63:0] a_line[Deepest], b_line[Deepest];
    always_ff @(posedge phy_clk_i) begin
      a_line[now_q] <= a_cut_i[i] ? stuck_i : a_tx[swap_i?Other : i] ^ {63'b0, error_i[i]} ^
                       ((garble_i && i == 0 ? Unseen : '0) ^ (i == 0 ? flip_i : '0));
      b_line[now_q] <= b_cut_i[i] ? stuck_i : b_tx[swap_i?Other : i];
      b_rx[i] <= a_line[now_q-10'd1-delay_i];
      a_rx[i] <= b_line[now_q-10'd1-delay_i];
    end
  end

  logic [1:0][Lanes-1:0][63:0] sent;
  logic unused_tx_cut, unused_rx_cut;
  logic [1:0] unused_user_rst;
  rifl_ext_pkg::link_status_t a_status, b_status;
  rifl_pkg::lane_status_t [1:0][Lanes-1:0] lane_status;
  assign {b_tx, a_tx} = sent;
  assign a_word_o = a_tx[0];

  rifl_ends #(
    .Lanes         (Lanes),
    .FrameWidth    (FrameWidth),
    .UserWidthA    (UserWidthA),
    .UserWidthB    (UserWidthB),
    .IdWidthA      (IdWidthA),
    .IdWidthB      (IdWidthB),
    .RateA         (RateA),
    .RateB         (RateB),
    .UpFrames      (UpFrames),
    .DelayedRelease(DelayedRelease),
    .StrongCodeA   (StrongCodeA),
    .StrongCodeB   (StrongCodeB)
  ) u_ends (
    .phy_clk_i    ({2{phy_clk_i}}),
    .frame_clk_i  ({2{frame_clk_i}}),
    .user_clk_i   ({2{user_clk_i}}),
    .rx_clk_i     ({(2 * Lanes) {phy_clk_i}}),
    .rst_i        ({b_rst_i, a_rst_i}),
    .user_rst_o   (unused_user_rst),
    .user_rst_i   ({2{user_rst_i}}),
    .extended_i   ({b_extended_i, a_extended_i}),
    .restart_i    ({b_restart_i, a_restart_i}),
    .sent_o       (sent),
    .received_i   ({b_rx, a_rx}),
    .bad_i        ((2 * Lanes)'(b_bad) << Lanes),
    .link_up_o    ({b_link_up_o, a_link_up_o}),
    .link_status_o({b_status, a_status}),
    .lane_status_o(lane_status),
    .tx_cut_o     ({unused_tx_cut, a_tx_cut_o}),
    .rx_cut_o     ({b_rx_cut_o, unused_rx_cut}),
    .*
  );

  assign a_phase_o = a_status.phase;
  assign b_phase_o = b_status.phase;
  assign a_reason_o = a_status.reason;
  assign b_reason_o = b_status.reason;
  assign a_peer_reason_o = a_status.peer_reason;
  assign b_peer_reason_o = b_status.peer_reason;
  assign a_session_o = a_status.session;
  assign a_ended_o = a_status.ended;
  assign b_ended_o = b_status.ended;
  for (genvar e = 0; e < 2; e++) begin : gen_round_trip
    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      assign round_trip_o[e][i] = lane_status[e][i].round_trip[11:0];
    end
  end
  always_comb begin
    b_overflow_o = 1'b0;
    for (int unsigned i = 0; i < Lanes; i++) b_overflow_o |= lane_status[1][i].overflow;
  end

endmodule
