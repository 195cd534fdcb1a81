// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_link: two ends of a RIFL link with rifl_fec under each, and lanes between them.
//
// What      Errors of the test on what each end sends, a bit slip and a delay in words of each
//           lane. Without known_i RIFL does not learn which words are of codewords that cannot be
//           corrected. The users have even clocks, from and to which beats go through FIFOs;
//           bytes_o counts those received. Element 0 of what is doubled belongs to end A.

module rifl_fec_link
  import rifl_fec_pkg::*;
#(
  parameter int unsigned Lanes = 1,
  parameter int unsigned FrameWidth = 256,
  parameter int unsigned UserWidth = FrameWidth,
  parameter int unsigned IdWidth = 8,
  parameter int unsigned UpFrames = 64,
  parameter bit Extended = 1'b1,
  parameter int unsigned Absent = 64
) (
  input logic                              a_clk_i,
  input logic                              b_clk_i,
  input logic [      1:0]                  arst_i,
  input logic [      1:0]                  fec_arst_i,
  input logic [      1:0][      1:0]       mode_i,
  input logic [      1:0][Lanes-1:0][63:0] error_i,
  input logic                              known_i,
  input logic [Lanes-1:0][      5:0]       slip_i,
  input logic [Lanes-1:0][      3:0]       skew_i,

  input logic a_user_clk_i,
  input logic b_user_clk_i,
  input logic user_rst_i,

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

  output logic [63:0]       line_o,          // of lane 0, as A sends it
  output logic [ 1:0]       link_up_o,
  output logic [ 1:0]       ended_o,
  output logic [ 1:0]       overflow_o,
  output logic [ 1:0]       recovers_o,      // a lane waits for frames that were damaged
  output logic [ 1:0][ 2:0] state_o,
  output logic [ 1:0][31:0] bytes_o,
  output logic [ 1:0][31:0] corrected_o,
  output logic [ 1:0][31:0] uncorrectable_o
);

  logic [1:0] clk, phy_clk, frame_clk, user_clk;
  logic [1:0][Lanes-1:0] phy_rx_clk, bad;
  logic [1:0][Lanes-1:0][63:0] sent, received, line, arrives;
  assign clk = {b_clk_i, a_clk_i};
  assign line_o = line[0][0];

  for (genvar e = 0; e < 2; e++) begin : gen_end
    localparam int unsigned Peer = 1 - e;

    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      logic [16:0][63:0] old;  // word k is k clocks old
      logic [4:0] skew;
      assign old[0] = line[Peer][i] ^ error_i[Peer][i];
      always_ff @(posedge clk[Peer]) old[16:1] <= old[15:0];
      assign skew = 5'(skew_i[i]);
      assign arrives[e][i] = 64'({old[skew], old[skew+1]} >> (7'd64 - 7'(slip_i[i])));
    end

    logic [Lanes-1:0] corrected, uncorrectable, unused_heard;
    logic [Lanes-1:0][ErrorsWidth-1:0] unused_errors;
    logic unused_coded;
    rifl_fec #(
      .Lanes     (Lanes),
      .FrameWords(FrameWidth / 64),
      .UserWords (UserWidth / (64 * Lanes)),
      .Absent    (Absent)
    ) u_fec (
      .tx_clk_i       (clk[e]),
      .rx_clk_i       ({Lanes{clk[Peer]}}),
      .arst_i         (fec_arst_i[e]),
      .phy_tx_clk_o   (phy_clk[e]),
      .frame_clk_o    (frame_clk[e]),
      .user_clk_o     (user_clk[e]),
      .phy_rx_clk_o   (phy_rx_clk[e]),
      .phy_tx_data_i  (sent[e]),
      .phy_rx_data_o  (received[e]),
      .phy_rx_bad_o   (bad[e]),
      .line_tx_data_o (line[e]),
      .line_rx_data_i (arrives[e]),
      .mode_i         (mode_i[e]),
      .state_o        (state_o[e]),
      .coded_o        (unused_coded),
      .heard_o        (unused_heard),
      .corrected_o    (corrected),
      .uncorrectable_o(uncorrectable),
      .errors_o       (unused_errors)
    );

    logic [31:0] corrected_q, uncorrectable_q;
    initial {corrected_q, uncorrectable_q} = '0;
    always_ff @(posedge clk[Peer]) begin
      corrected_q     <= corrected_q + 32'($countones(corrected));
      uncorrectable_q <= uncorrectable_q + 32'($countones(uncorrectable));
    end
    assign corrected_o[e] = corrected_q;
    assign uncorrectable_o[e] = uncorrectable_q;
  end

  // ---- Users ----
  localparam int unsigned BeatWidth = UserWidth + UserWidth / 8 + 1;
  logic [1:0] even_clk, user_rst, s_valid, s_ready, m_valid, m_ready;
  logic [1:0] tx_valid, tx_ready, tx_last, rx_valid, rx_ready, rx_last, rx_mark;
  logic [1:0][BeatWidth-1:0] s_beat;
  logic [1:0][  BeatWidth:0] m_beat;
  logic [1:0][UserWidth-1:0] tx_data, rx_data;
  logic [1:0][UserWidth/8-1:0] tx_keep, rx_keep, m_keep;
  logic [1:0][3:0] unused_rst;

  assign even_clk = {b_user_clk_i, a_user_clk_i};
  assign s_valid = {b_s_axis_tvalid, a_s_axis_tvalid};
  assign m_ready = {b_m_axis_tready, a_m_axis_tready};
  assign {b_s_axis_tready, a_s_axis_tready} = s_ready;
  assign {b_m_axis_tvalid, a_m_axis_tvalid} = m_valid;
  assign s_beat[0] = {a_s_axis_tlast, a_s_axis_tkeep, a_s_axis_tdata};
  assign s_beat[1] = {b_s_axis_tlast, b_s_axis_tkeep, b_s_axis_tdata};
  assign {a_m_axis_tuser, a_m_axis_tlast, a_m_axis_tkeep, a_m_axis_tdata} = m_beat[0];
  assign {b_m_axis_tuser, b_m_axis_tlast, b_m_axis_tkeep, b_m_axis_tdata} = m_beat[1];
  assign m_keep = {b_m_axis_tkeep, a_m_axis_tkeep};

  for (genvar e = 0; e < 2; e++) begin : gen_user
    prim_fifo_async_clear #(
      .Width(BeatWidth)
    ) u_tx (
      .s_clk_i     (even_clk[e]),
      .s_rst_i     (user_rst_i),
      .s_rst_o     (unused_rst[e][0]),
      .s_valid_i   (s_valid[e]),
      .s_ready_o   (s_ready[e]),
      .s_data_i    (s_beat[e]),
      .m_clk_i     (user_clk[e]),
      .m_sync_clk_i(user_clk[e]),
      .m_rst_i     (user_rst[e]),
      .m_rst_o     (unused_rst[e][1]),
      .m_valid_o   (tx_valid[e]),
      .m_ready_i   (tx_ready[e]),
      .m_data_o    ({tx_last[e], tx_keep[e], tx_data[e]})
    );
    prim_fifo_async_clear #(
      .Width(BeatWidth + 1)
    ) u_rx (
      .s_clk_i     (user_clk[e]),
      .s_rst_i     (user_rst[e]),
      .s_rst_o     (unused_rst[e][2]),
      .s_valid_i   (rx_valid[e]),
      .s_ready_o   (rx_ready[e]),
      .s_data_i    ({rx_mark[e], rx_last[e], rx_keep[e], rx_data[e]}),
      .m_clk_i     (even_clk[e]),
      .m_sync_clk_i(even_clk[e]),
      .m_rst_i     (user_rst_i),
      .m_rst_o     (unused_rst[e][3]),
      .m_valid_o   (m_valid[e]),
      .m_ready_i   (m_ready[e]),
      .m_data_o    (m_beat[e])
    );

    logic [31:0] bytes_q;
    initial bytes_q = '0;
    always_ff @(posedge even_clk[e]) begin
      if (m_valid[e] && m_ready[e]) bytes_q <= bytes_q + 32'($countones(m_keep[e]));
    end
    assign bytes_o[e] = bytes_q;
  end

  rifl_ext_pkg::link_status_t [1:0] link_status;
  rifl_pkg::lane_status_t [1:0][Lanes-1:0] lane_status;
  logic [1:0] unused_tx_cut, unused_rx_cut;

  rifl_ends #(
    .Lanes     (Lanes),
    .FrameWidth(FrameWidth),
    .UserWidthA(UserWidth),
    .IdWidthA  (IdWidth),
    .UpFrames  (UpFrames),
    .Extended  (Extended)
  ) u_ends (
    .phy_clk_i      (phy_clk),
    .frame_clk_i    (frame_clk),
    .user_clk_i     (user_clk),
    .rx_clk_i       (phy_rx_clk),
    .rst_i          (arst_i),
    .user_rst_i     (arst_i),
    .user_rst_o     (user_rst),
    .extended_i     ({2{Extended}}),
    .restart_i      (2'b00),
    .delayed_i      (1'b0),
    .sent_o         (sent),
    .received_i     (received),
    .bad_i          (known_i ? bad : '0),
    .link_up_o      (link_up_o),
    .link_status_o  (link_status),
    .lane_status_o  (lane_status),
    .tx_cut_o       (unused_tx_cut),
    .rx_cut_o       (unused_rx_cut),
    .a_s_axis_tdata (tx_data[0]),
    .a_s_axis_tkeep (tx_keep[0]),
    .a_s_axis_tlast (tx_last[0]),
    .a_s_axis_tvalid(tx_valid[0]),
    .a_s_axis_tready(tx_ready[0]),
    .a_m_axis_tdata (rx_data[0]),
    .a_m_axis_tkeep (rx_keep[0]),
    .a_m_axis_tlast (rx_last[0]),
    .a_m_axis_tuser (rx_mark[0]),
    .a_m_axis_tvalid(rx_valid[0]),
    .a_m_axis_tready(rx_ready[0]),
    .b_s_axis_tdata (tx_data[1]),
    .b_s_axis_tkeep (tx_keep[1]),
    .b_s_axis_tlast (tx_last[1]),
    .b_s_axis_tvalid(tx_valid[1]),
    .b_s_axis_tready(tx_ready[1]),
    .b_m_axis_tdata (rx_data[1]),
    .b_m_axis_tkeep (rx_keep[1]),
    .b_m_axis_tlast (rx_last[1]),
    .b_m_axis_tuser (rx_mark[1]),
    .b_m_axis_tvalid(rx_valid[1]),
    .b_m_axis_tready(rx_ready[1])
  );

  always_comb begin
    for (int unsigned e = 0; e < 2; e++) begin
      ended_o[e] = link_status[e].ended;
      {overflow_o[e], recovers_o[e]} = '0;
      for (int unsigned i = 0; i < Lanes; i++) begin
        overflow_o[e] |= lane_status[e][i].overflow;
        recovers_o[e] |= lane_status[e][i].error;
      end
    end
  end

endmodule
