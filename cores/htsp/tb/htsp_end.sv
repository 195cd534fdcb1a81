// SPDX-License-Identifier: Apache-2.0
//
// htsp_end: htsp_core with a pin for each setting, state and event.
//
// What      For testbenches, and for programs that see ports by their names.

module htsp_end
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter int unsigned Bytes = WordBytes,
  parameter int unsigned TxDepth = 32,
  parameter int unsigned RxDepth = 4096,
  parameter bit Tuser = 1'b0,
  localparam int unsigned UserWidth = Tuser ? TuserWidth : 1,
  localparam int unsigned LevelWidth = $clog2(RxDepth + 1)
) (
  input logic clk_i,
  input logic rst_i,

  input logic [           47:0] local_mac_i,
  input logic [           47:0] broadcast_mac_i,
  input logic [           15:0] ethertype_i,
  input logic [           31:0] null_interval_i,
  input logic [           31:0] alive_i,
  input logic [BlocksWidth-1:0] burst_i,
  input logic [            7:0] stall_limit_i,
  input logic [ LevelWidth-1:0] pause_level_i,
  input logic [ LevelWidth-1:0] resume_level_i,
  input logic                   ignore_remote_i,
  input logic                   tx_disable_i,
  input logic [          127:0] user_data_i,

  input  logic [Channels-1:0][  8*Bytes-1:0] s_axis_tdata,
  input  logic [Channels-1:0][    Bytes-1:0] s_axis_tkeep,
  input  logic [Channels-1:0]                s_axis_tlast,
  input  logic [Channels-1:0][UserWidth-1:0] s_axis_tuser,
  input  logic [Channels-1:0]                s_axis_tvalid,
  output logic [Channels-1:0]                s_axis_tready,

  output logic [Channels-1:0][  8*Bytes-1:0] m_axis_tdata,
  output logic [Channels-1:0][    Bytes-1:0] m_axis_tkeep,
  output logic [Channels-1:0]                m_axis_tlast,
  output logic [Channels-1:0][UserWidth-1:0] m_axis_tuser,
  output logic [Channels-1:0]                m_axis_tvalid,
  input  logic [Channels-1:0]                m_axis_tready,

  input  logic [127:0] s_opcode_tdata,
  input  logic         s_opcode_tvalid,
  output logic         s_opcode_tready,
  output logic [127:0] m_opcode_tdata,
  output logic         m_opcode_tvalid,

  input  logic               phy_tx_ready_i,
  output logic [8*Bytes-1:0] m_phy_axis_tdata,
  output logic [  Bytes-1:0] m_phy_axis_tkeep,
  output logic               m_phy_axis_tlast,
  output logic               m_phy_axis_tvalid,
  input  logic               m_phy_axis_tready,
  input  logic               phy_rx_ready_i,
  input  logic [8*Bytes-1:0] s_phy_axis_tdata,
  input  logic [  Bytes-1:0] s_phy_axis_tkeep,
  input  logic               s_phy_axis_tlast,
  input  logic               s_phy_axis_tuser,
  input  logic               s_phy_axis_tvalid,

  // State.
  output logic                link_up_o,
  output logic                remote_ready_o,
  output logic [        47:0] remote_mac_o,
  output logic [        15:0] remote_pause_o,
  output logic [       127:0] remote_data_o,
  output logic [Channels-1:0] local_pause_o,

  // Events, one cycle each.
  output logic [Channels-1:0] tx_cut_o,          // a packet was cut on its way out
  output logic [Channels-1:0] tx_bad_o,          // a word of the user broke the rules of TKEEP
  output logic                tx_frame_o,
  output logic                tx_null_o,
  output logic                tx_op_code_o,
  output logic [       127:0] tx_op_data_o,      // with tx_op_code_o
  output logic [        15:0] tx_frame_bytes_o,
  output logic [Channels-1:0] rx_overflow_o,
  output logic [Channels-1:0] rx_cut_o,          // an open packet was ended with an error mark
  output logic                rx_frame_o,
  output logic [        15:0] rx_frame_bytes_o,
  output logic                rx_null_o,
  output logic                rx_foreign_o,
  output logic                rx_version_o,
  output logic                rx_checksum_o,
  output logic                rx_damaged_o,
  output logic                rx_footer_bad_o,
  output logic                rx_channel_o,
  output logic                rx_orphan_o,
  output logic                rx_stale_o,
  output logic [         7:0] rx_lost_o
);


  link_cfg_t cfg;
  link_status_t link;
  flow_t tx, rx;
  rx_faults_t faults;
  channel_events_t channels;
  assign cfg = '{
          local_mac: local_mac_i,
          broadcast_mac: broadcast_mac_i,
          ethertype: ethertype_i,
          null_interval: null_interval_i,
          alive: alive_i,
          burst: burst_i,
          stall_limit: stall_limit_i,
          pause_level: 16'(pause_level_i),
          resume_level: 16'(resume_level_i),
          ignore_remote: ignore_remote_i,
          tx_disable: tx_disable_i,
          user_data: user_data_i
      };
  logic unused_tuser;
  assign {link_up_o, remote_ready_o, unused_tuser, remote_mac_o, remote_pause_o, remote_data_o} =
      link;
  assign {tx_frame_o, tx_frame_bytes_o, tx_null_o, tx_op_code_o, tx_op_data_o} = tx;
  assign {rx_frame_o, rx_frame_bytes_o, rx_null_o, m_opcode_tvalid, m_opcode_tdata} = rx;
  assign {rx_foreign_o, rx_version_o, rx_checksum_o, rx_damaged_o, rx_footer_bad_o, rx_channel_o,
          rx_orphan_o, rx_stale_o, rx_lost_o} = faults;
  assign tx_cut_o = Channels'(channels.tx_cut);
  assign tx_bad_o = Channels'(channels.tx_bad);
  assign rx_overflow_o = Channels'(channels.rx_overflow);
  assign rx_cut_o = Channels'(channels.rx_cut);

  htsp_core #(
    .Channels(Channels),
    .Bytes   (Bytes),
    .TxDepth (TxDepth),
    .RxDepth (RxDepth),
    .Tuser   (Tuser)
  ) u_core (
    .cfg_i     (cfg),
    .status_o  (link),
    .tx_o      (tx),
    .rx_o      (rx),
    .faults_o  (faults),
    .channels_o(channels),
    .*
  );

  logic unused;
  assign unused = ^channels;

endmodule
