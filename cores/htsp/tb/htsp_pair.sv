// SPDX-License-Identifier: Apache-2.0
//
// htsp_pair: two ends, A and B, joined by two lines that lose and damage frames on demand.
//
// Index 0 of the control vectors is A and the line from A to B, index 1 is B and the line from B to
// A. If either end carries TUSER, the streams of both are as wide as it takes.

module htsp_pair
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter int unsigned Bytes = WordBytes,
  parameter int unsigned TxDepth = 32,
  parameter int unsigned RxDepth = 64,
  parameter int unsigned PauseLevel = 16,
  parameter int unsigned ResumeLevel = 12,
  parameter int unsigned NullInterval = 127,
  parameter int unsigned Alive = 1000,
  parameter int unsigned Tuser = 0,  // bit e: end e carries TUSER
  localparam int unsigned UserWidth = (Tuser != 0) ? TuserWidth : 1
) (
  input logic clk_i,

  input logic [ 1:0]        rst_i,
  input logic [ 1:0]        ready_i,          // the line takes words
  input logic [ 1:0]        drop_i,
  input logic [ 1:0]        arm_i,
  input logic [ 1:0]        deaf_i,
  input logic [ 1:0][  7:0] skip_i,
  input logic [ 1:0]        told_i,
  input logic [ 1:0]        cut_i,
  input logic [ 1:0][  7:0] flip_word_i,
  input logic [ 1:0][  8:0] flip_bit_i,
  input logic [ 1:0][  7:0] burst_i,
  input logic [ 1:0][  7:0] stall_limit_i,
  input logic [ 1:0]        ignore_remote_i,
  input logic [ 1:0]        tx_disable_i,
  input logic [ 1:0][127:0] user_data_i,
  input logic [ 1:0][ 47:0] local_mac_i,
  input logic [15:0]        ethertype_i,

  input  logic [2*Channels-1:0][  8*Bytes-1:0] s_axis_tdata,
  input  logic [2*Channels-1:0][    Bytes-1:0] s_axis_tkeep,
  input  logic [2*Channels-1:0]                s_axis_tlast,
  input  logic [2*Channels-1:0][UserWidth-1:0] s_axis_tuser,
  input  logic [2*Channels-1:0]                s_axis_tvalid,
  output logic [2*Channels-1:0]                s_axis_tready,
  output logic [2*Channels-1:0][  8*Bytes-1:0] m_axis_tdata,
  output logic [2*Channels-1:0][    Bytes-1:0] m_axis_tkeep,
  output logic [2*Channels-1:0]                m_axis_tlast,
  output logic [2*Channels-1:0][UserWidth-1:0] m_axis_tuser,
  output logic [2*Channels-1:0]                m_axis_tvalid,
  input  logic [2*Channels-1:0]                m_axis_tready,

  input  logic [1:0][127:0] s_opcode_tdata,
  input  logic [1:0]        s_opcode_tvalid,
  output logic [1:0]        s_opcode_tready,
  output logic [1:0][127:0] m_opcode_tdata,
  output logic [1:0]        m_opcode_tvalid,

  // What the transmitters put on the lines.
  output logic [1:0][8*Bytes-1:0] phy_tdata,
  output logic [1:0][  Bytes-1:0] phy_tkeep,
  output logic [1:0]              phy_tlast,
  output logic [1:0]              phy_tvalid,

  output logic [1:0]               link_up_o,
  output logic [1:0]               remote_ready_o,
  output logic [1:0][        47:0] remote_mac_o,
  output logic [1:0][        15:0] remote_pause_o,
  output logic [1:0][       127:0] remote_data_o,
  output logic [1:0][Channels-1:0] local_pause_o,
  output logic [1:0][Channels-1:0] tx_cut_o,
  output logic [1:0][Channels-1:0] tx_bad_o,
  output logic [1:0]               tx_frame_o,
  output logic [1:0]               tx_null_o,
  output logic [1:0]               tx_op_code_o,
  output logic [1:0][        15:0] tx_frame_bytes_o,
  output logic [1:0][Channels-1:0] rx_overflow_o,
  output logic [1:0][Channels-1:0] rx_cut_o,
  output logic [1:0]               rx_frame_o,
  output logic [1:0][        15:0] rx_frame_bytes_o,
  output logic [1:0]               rx_null_o,
  output logic [1:0]               rx_foreign_o,
  output logic [1:0]               rx_version_o,
  output logic [1:0]               rx_checksum_o,
  output logic [1:0]               rx_damaged_o,
  output logic [1:0]               rx_footer_bad_o,
  output logic [1:0]               rx_channel_o,
  output logic [1:0]               rx_orphan_o,
  output logic [1:0]               rx_stale_o,
  output logic [1:0][         7:0] rx_lost_o
);

  localparam int unsigned N = Channels;
  localparam int unsigned LevelWidth = $clog2(RxDepth + 1);

  logic [1:0][8*Bytes-1:0] line_tdata;
  logic [1:0][  Bytes-1:0] line_tkeep;
  logic [1:0] line_tlast, line_tuser, line_tvalid, taken;
  assign taken = phy_tvalid & ready_i;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    htsp_wire #(
      .Bytes(Bytes)
    ) u_wire (
      .clk_i,
      .rst_i        (rst_i[e]),
      .drop_i       (drop_i[e]),
      .arm_i        (arm_i[e]),
      .skip_i       (skip_i[e]),
      .deaf_i       (deaf_i[e]),
      .told_i       (told_i[e]),
      .flip_word_i  (flip_word_i[e]),
      .flip_bit_i   (flip_bit_i[e]),
      .cut_i        (cut_i[e]),
      .s_axis_tdata (phy_tdata[e]),
      .s_axis_tkeep (phy_tkeep[e]),
      .s_axis_tlast (phy_tlast[e]),
      .s_axis_tvalid(taken[e]),
      .m_axis_tdata (line_tdata[e]),
      .m_axis_tkeep (line_tkeep[e]),
      .m_axis_tlast (line_tlast[e]),
      .m_axis_tuser (line_tuser[e]),
      .m_axis_tvalid(line_tvalid[e])
    );

    localparam int unsigned EndWidth = Tuser[e] ? TuserWidth : 1;
    logic [N-1:0][EndWidth-1:0] s_user, m_user;
    for (genvar c = 0; c < N; c++) begin : gen_user
      assign s_user[c] = EndWidth'(s_axis_tuser[N*e+c]);
      assign m_axis_tuser[N*e+c] = UserWidth'(m_user[c]);
    end

    htsp_end #(
      .Channels(N),
      .Bytes   (Bytes),
      .TxDepth (TxDepth),
      .RxDepth (RxDepth),
      .Tuser   (Tuser[e])
    ) u_end (
      .clk_i,
      .rst_i            (rst_i[e]),
      .local_mac_i      (local_mac_i[e]),
      .broadcast_mac_i  ('1),
      .ethertype_i,
      .null_interval_i  (NullInterval),
      .alive_i          (Alive),
      .burst_i          (burst_i[e]),
      .stall_limit_i    (stall_limit_i[e]),
      .pause_level_i    (LevelWidth'(PauseLevel)),
      .resume_level_i   (LevelWidth'(ResumeLevel)),
      .ignore_remote_i  (ignore_remote_i[e]),
      .tx_disable_i     (tx_disable_i[e]),
      .user_data_i      (user_data_i[e]),
      .s_axis_tdata     (s_axis_tdata[N*e+:N]),
      .s_axis_tkeep     (s_axis_tkeep[N*e+:N]),
      .s_axis_tlast     (s_axis_tlast[N*e+:N]),
      .s_axis_tuser     (s_user),
      .s_axis_tvalid    (s_axis_tvalid[N*e+:N]),
      .s_axis_tready    (s_axis_tready[N*e+:N]),
      .m_axis_tdata     (m_axis_tdata[N*e+:N]),
      .m_axis_tkeep     (m_axis_tkeep[N*e+:N]),
      .m_axis_tlast     (m_axis_tlast[N*e+:N]),
      .m_axis_tuser     (m_user),
      .m_axis_tvalid    (m_axis_tvalid[N*e+:N]),
      .m_axis_tready    (m_axis_tready[N*e+:N]),
      .s_opcode_tdata   (s_opcode_tdata[e]),
      .s_opcode_tvalid  (s_opcode_tvalid[e]),
      .s_opcode_tready  (s_opcode_tready[e]),
      .m_opcode_tdata   (m_opcode_tdata[e]),
      .m_opcode_tvalid  (m_opcode_tvalid[e]),
      .phy_tx_ready_i   (!cut_i[e]),
      .m_phy_axis_tdata (phy_tdata[e]),
      .m_phy_axis_tkeep (phy_tkeep[e]),
      .m_phy_axis_tlast (phy_tlast[e]),
      .m_phy_axis_tvalid(phy_tvalid[e]),
      .m_phy_axis_tready(ready_i[e]),
      .phy_rx_ready_i   (!cut_i[1-e]),
      .s_phy_axis_tdata (line_tdata[1-e]),
      .s_phy_axis_tkeep (line_tkeep[1-e]),
      .s_phy_axis_tlast (line_tlast[1-e]),
      .s_phy_axis_tuser (line_tuser[1-e]),
      .s_phy_axis_tvalid(line_tvalid[1-e]),
      .link_up_o        (link_up_o[e]),
      .remote_ready_o   (remote_ready_o[e]),
      .remote_mac_o     (remote_mac_o[e]),
      .remote_pause_o   (remote_pause_o[e]),
      .remote_data_o    (remote_data_o[e]),
      .local_pause_o    (local_pause_o[e]),
      .tx_cut_o         (tx_cut_o[e]),
      .tx_bad_o         (tx_bad_o[e]),
      .tx_frame_o       (tx_frame_o[e]),
      .tx_null_o        (tx_null_o[e]),
      .tx_op_code_o     (tx_op_code_o[e]),
      .tx_op_data_o     (),
      .tx_frame_bytes_o (tx_frame_bytes_o[e]),
      .rx_overflow_o    (rx_overflow_o[e]),
      .rx_cut_o         (rx_cut_o[e]),
      .rx_frame_o       (rx_frame_o[e]),
      .rx_frame_bytes_o (rx_frame_bytes_o[e]),
      .rx_null_o        (rx_null_o[e]),
      .rx_foreign_o     (rx_foreign_o[e]),
      .rx_version_o     (rx_version_o[e]),
      .rx_checksum_o    (rx_checksum_o[e]),
      .rx_damaged_o     (rx_damaged_o[e]),
      .rx_footer_bad_o  (rx_footer_bad_o[e]),
      .rx_channel_o     (rx_channel_o[e]),
      .rx_orphan_o      (rx_orphan_o[e]),
      .rx_stale_o       (rx_stale_o[e]),
      .rx_lost_o        (rx_lost_o[e])
    );
  end

endmodule
