// SPDX-License-Identifier: Apache-2.0
//
// htsp_mac_pair: two ends, A and B, each with a MAC, joined by two lines of words that are harmed
// on demand.
//
// Index 0 of the vectors is A and the line from A to B, index 1 is B and the line from B to A.
// pace_i: the line takes a word. flip_i: bits of the line that are wrong. blank_i: the line has
// idle in place of what was sent, noise_i: what noise_data_i and noise_ctrl_i say. cut_i: no
// signal; the PHY of the receiver then sends local-fault sequences.

module htsp_mac_pair #(
  parameter int unsigned Channels = 2,
  parameter int unsigned Bytes = 64,
  parameter int unsigned TxDepth = 32,
  parameter int unsigned RxDepth = 64,
  parameter int unsigned PauseLevel = 16,
  parameter int unsigned ResumeLevel = 12,
  parameter int unsigned NullInterval = 127,
  parameter int unsigned Alive = 1000
) (
  input logic clk_i,

  input logic [        1:0]              rst_i,
  input logic [        1:0]              pace_i,
  input logic [        1:0][8*Bytes-1:0] flip_i,
  input logic [        1:0]              blank_i,
  input logic [        1:0]              noise_i,
  input logic [8*Bytes-1:0]              noise_data_i,
  input logic [  Bytes-1:0]              noise_ctrl_i,
  input logic [        1:0]              cut_i,
  input logic [        1:0][        7:0] burst_i,
  input logic [        1:0][        7:0] stall_limit_i,
  input logic [        1:0]              ignore_remote_i,
  input logic [        1:0]              tx_disable_i,
  input logic [        1:0][      127:0] user_data_i,

  input  logic [2*Channels-1:0][8*Bytes-1:0] s_axis_tdata,
  input  logic [2*Channels-1:0][  Bytes-1:0] s_axis_tkeep,
  input  logic [2*Channels-1:0]              s_axis_tlast,
  input  logic [2*Channels-1:0]              s_axis_tuser,
  input  logic [2*Channels-1:0]              s_axis_tvalid,
  output logic [2*Channels-1:0]              s_axis_tready,
  output logic [2*Channels-1:0][8*Bytes-1:0] m_axis_tdata,
  output logic [2*Channels-1:0][  Bytes-1:0] m_axis_tkeep,
  output logic [2*Channels-1:0]              m_axis_tlast,
  output logic [2*Channels-1:0]              m_axis_tuser,
  output logic [2*Channels-1:0]              m_axis_tvalid,
  input  logic [2*Channels-1:0]              m_axis_tready,

  output logic [1:0]              m_opcode_tvalid,
  output logic [1:0][      127:0] m_opcode_tdata,
  output logic [1:0][8*Bytes-1:0] phy_tdata,
  output logic [1:0][  Bytes-1:0] phy_tkeep,
  output logic [1:0]              phy_tlast,
  output logic [1:0]              phy_tvalid,
  output logic [1:0]              phy_tready,

  output logic [1:0]               link_up_o,
  output logic [1:0]               remote_ready_o,
  output logic [1:0]               fault_o,          // the MAC has no signal
  output logic [1:0]               tx_null_o,
  output logic [1:0]               rx_null_o,
  output logic [1:0]               rx_frame_o,
  output logic [1:0]               rx_damaged_o,
  output logic [1:0]               rx_footer_bad_o,
  output logic [1:0][         7:0] rx_lost_o,
  output logic [1:0][Channels-1:0] rx_overflow_o,
  output logic [1:0]               tx_abort_o,       // of the MAC: frames that it sent as bad ones
  output logic [1:0]               tx_late_o,
  output logic [1:0]               word_lost_o       // and words for which its receiver had no room
);

  localparam int unsigned N = Channels;
  localparam int unsigned LevelWidth = $clog2(RxDepth + 1);
  localparam logic [63:0] FaultData = 64'h0000_0000_0100_009c;

  logic [1:0][8*Bytes-1:0] line_data, heard_data, in_tdata;
  logic [1:0][Bytes-1:0] line_ctrl, heard_ctrl, in_tkeep;
  logic [1:0] in_tlast, in_tuser, in_tvalid;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    always_comb begin
      heard_data[e] = line_data[e] ^ flip_i[e];
      heard_ctrl[e] = line_ctrl[e];
      if (cut_i[e]) begin
        heard_data[e] = {(Bytes / 8) {FaultData}};
        heard_ctrl[e] = {(Bytes / 8) {8'h01}};
      end else if (noise_i[e]) begin
        heard_data[e] = noise_data_i;
        heard_ctrl[e] = noise_ctrl_i;
      end else if (blank_i[e]) begin
        heard_data[e] = {Bytes{8'h07}};
        heard_ctrl[e] = '1;
      end
    end

    eth_mac #(
      .Bytes(Bytes)
    ) u_mac (
      .tx_clk_i         (clk_i),
      .tx_rst_i         (rst_i[e]),
      .rx_clk_i         (clk_i),
      .rx_rst_i         (rst_i[e]),
      .tx_max_bytes_i   (16'd9600),
      .rx_max_bytes_i   (16'd9600),
      .s_axis_tdata     (phy_tdata[e]),
      .s_axis_tkeep     (phy_tkeep[e]),
      .s_axis_tlast     (phy_tlast[e]),
      .s_axis_tuser     (1'b0),
      .s_axis_tvalid    (phy_tvalid[e]),
      .s_axis_tready    (phy_tready[e]),
      .phy_tx_ready_i   (pace_i[e]),
      .phy_tx_data_o    (line_data[e]),
      .phy_tx_ctrl_o    (line_ctrl[e]),
      .phy_rx_valid_i   (pace_i[1-e]),
      .phy_rx_data_i    (heard_data[1-e]),
      .phy_rx_ctrl_i    (heard_ctrl[1-e]),
      .m_axis_tdata     (in_tdata[e]),
      .m_axis_tkeep     (in_tkeep[e]),
      .m_axis_tlast     (in_tlast[e]),
      .m_axis_tuser     (in_tuser[e]),
      .m_axis_tvalid    (in_tvalid[e]),
      .tx_frame_o       (),
      .tx_frame_bytes_o (),
      .tx_abort_o       (tx_abort_o[e]),
      .tx_late_o        (tx_late_o[e]),
      .tx_too_long_o    (),
      .tx_fault_o       (),
      .rx_local_fault_o (fault_o[e]),
      .rx_remote_fault_o(),
      .rx_frame_o       (),
      .rx_frame_bytes_o (),
      .rx_cut_o         (),
      .rx_too_long_o    (),
      .rx_too_short_o   (),
      .rx_bad_fcs_o     (),
      .rx_fragment_o    (),
      .rx_lost_o        (word_lost_o[e])
    );

    htsp_end #(
      .Channels(N),
      .Bytes   (Bytes),
      .TxDepth (TxDepth),
      .RxDepth (RxDepth)
    ) u_end (
      .clk_i,
      .rst_i            (rst_i[e]),
      .local_mac_i      (48'h0102_0356_4400 + 48'(e)),
      .broadcast_mac_i  ('1),
      .ethertype_i      (16'h1101),
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
      .s_axis_tuser     (s_axis_tuser[N*e+:N]),
      .s_axis_tvalid    (s_axis_tvalid[N*e+:N]),
      .s_axis_tready    (s_axis_tready[N*e+:N]),
      .m_axis_tdata     (m_axis_tdata[N*e+:N]),
      .m_axis_tkeep     (m_axis_tkeep[N*e+:N]),
      .m_axis_tlast     (m_axis_tlast[N*e+:N]),
      .m_axis_tuser     (m_axis_tuser[N*e+:N]),
      .m_axis_tvalid    (m_axis_tvalid[N*e+:N]),
      .m_axis_tready    (m_axis_tready[N*e+:N]),
      .s_opcode_tdata   ('0),
      .s_opcode_tvalid  (1'b0),
      .s_opcode_tready  (),
      .m_opcode_tdata   (m_opcode_tdata[e]),
      .m_opcode_tvalid  (m_opcode_tvalid[e]),
      .phy_tx_ready_i   (!fault_o[e]),
      .m_phy_axis_tdata (phy_tdata[e]),
      .m_phy_axis_tkeep (phy_tkeep[e]),
      .m_phy_axis_tlast (phy_tlast[e]),
      .m_phy_axis_tvalid(phy_tvalid[e]),
      .m_phy_axis_tready(phy_tready[e]),
      .phy_rx_ready_i   (!fault_o[e]),
      .s_phy_axis_tdata (in_tdata[e]),
      .s_phy_axis_tkeep (in_tkeep[e]),
      .s_phy_axis_tlast (in_tlast[e]),
      .s_phy_axis_tuser (in_tuser[e]),
      .s_phy_axis_tvalid(in_tvalid[e]),
      .link_up_o        (link_up_o[e]),
      .remote_ready_o   (remote_ready_o[e]),
      .remote_mac_o     (),
      .remote_pause_o   (),
      .remote_data_o    (),
      .local_pause_o    (),
      .tx_cut_o         (),
      .tx_bad_o         (),
      .tx_frame_o       (),
      .tx_null_o        (tx_null_o[e]),
      .tx_op_code_o     (),
      .tx_op_data_o     (),
      .tx_frame_bytes_o (),
      .rx_overflow_o    (rx_overflow_o[e]),
      .rx_cut_o         (),
      .rx_frame_o       (rx_frame_o[e]),
      .rx_frame_bytes_o (),
      .rx_null_o        (rx_null_o[e]),
      .rx_foreign_o     (),
      .rx_version_o     (),
      .rx_checksum_o    (),
      .rx_damaged_o     (rx_damaged_o[e]),
      .rx_footer_bad_o  (rx_footer_bad_o[e]),
      .rx_channel_o     (),
      .rx_orphan_o      (),
      .rx_stale_o       (),
      .rx_lost_o        (rx_lost_o[e])
    );
  end

endmodule
