// SPDX-License-Identifier: Apache-2.0
//
// htsp_core: one end of an HTSP link in one clock: transmitter, receiver and the channels' buffers.
//
// What      Carries up to 16 AXI streams interleaved over one stream of Ethernet frames.
// Contract  s_axis, m_axis: one stream for each channel. A packet arrives whole, in order, unchanged, or its last
//           word carries TUSER (it is cut or damaged; an end mark is one zero byte). s_axis_tuser with TLAST
//           hands a damaged packet over as such.
//           m_phy_axis: frames without a gap from header to footer; the MAC puts preamble, frame check sequence
//           and gaps around them. s_phy_axis: frames as the MAC delivers them, TUSER with TLAST: damaged.
//           phy_tx_ready_i low: no frame is begun. phy_rx_ready_i low: what arrives means nothing, and
//           the link is down.
//           Settings: see htsp_tx and htsp_rx. pause_level_i > resume_level_i; the room above it must hold
//           what is under way: twice the largest burst and both ways of the link.
//           A frame is made of words of 64 bytes whatever the width of the streams, so that both ends may differ in
//           it; all depths and levels count words. Narrow beats are joined to words at the channels and where
//           frames come in, and words are cut to beats where they leave.
// Clocks and resets
//           All ports belong to clk_i, and rst_i is synchronous to it. Ready levels of another clock
//           come by prim_sync_bit, as in htsp.
// Latency   from a word on s_axis to m_axis over wires: 6 cycles, whatever the length of the packet. With n = 64 / Bytes
//           beats to a word up to 4 (n - 1) more: cores/htsp/README.md.
// Source    docs/src/htsp-wire.md; cores/htsp/README.md.
//
// Parameters
//   Channels   1 .. 16
//   Bytes      of a beat of all streams: 16, 32 or 64
//   TxDepth    words kept for each channel in front of the transmitter, >= 4
//   RxDepth    words of the receive buffer of each channel, >= 16

module htsp_core
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter int unsigned Bytes = WordBytes,
  parameter int unsigned TxDepth = 32,
  parameter int unsigned RxDepth = 4096,
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

  input  logic [Channels-1:0][8*Bytes-1:0] s_axis_tdata,
  input  logic [Channels-1:0][  Bytes-1:0] s_axis_tkeep,
  input  logic [Channels-1:0]              s_axis_tlast,
  input  logic [Channels-1:0]              s_axis_tuser,
  input  logic [Channels-1:0]              s_axis_tvalid,
  output logic [Channels-1:0]              s_axis_tready,

  output logic [Channels-1:0][8*Bytes-1:0] m_axis_tdata,
  output logic [Channels-1:0][  Bytes-1:0] m_axis_tkeep,
  output logic [Channels-1:0]              m_axis_tlast,
  output logic [Channels-1:0]              m_axis_tuser,
  output logic [Channels-1:0]              m_axis_tvalid,
  input  logic [Channels-1:0]              m_axis_tready,

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

  if (Bytes != 16 && Bytes != 32 && Bytes != 64) begin : gen_bad_bytes
    $error("htsp_core %m: rule Bytes is 16, 32 or 64, got %0d", Bytes);
  end

  localparam int unsigned IdxWidth = (Channels > 1) ? $clog2(Channels) : 1;

  beat_t [Channels-1:0] head;
  logic [Channels-1:0] head_valid, first, pop, cut, close, pause;
  assign local_pause_o = pause;
  assign rx_cut_o      = close;

  for (genvar c = 0; c < Channels; c++) begin : gen_tx
    htsp_tx_channel #(
      .Bytes(Bytes),
      .Depth(TxDepth)
    ) u_channel (
      .clk_i,
      .rst_i,
      .cut_i        (cut[c]),
      .cut_o        (tx_cut_o[c]),
      .bad_o        (tx_bad_o[c]),
      .s_axis_tdata (s_axis_tdata[c]),
      .s_axis_tkeep (s_axis_tkeep[c]),
      .s_axis_tlast (s_axis_tlast[c]),
      .s_axis_tuser (s_axis_tuser[c]),
      .s_axis_tvalid(s_axis_tvalid[c]),
      .s_axis_tready(s_axis_tready[c]),
      .head_o       (head[c]),
      .head_valid_o (head_valid[c]),
      .first_o      (first[c]),
      .pop_i        (pop[c])
    );
  end

  // ---- Words and beats of the line ----
  logic [WordBits-1:0] tx_tdata, rx_tdata;
  logic [WordBytes-1:0] tx_tkeep, rx_tkeep;
  logic tx_tlast, tx_tvalid, tx_tready, rx_tlast, rx_tuser, rx_tvalid, unused_tuser, unused_tready;
  header_t sent;
  logic unused_sent;
  assign sent         = tx_tdata;
  assign tx_op_data_o = sent.op_code;
  assign unused_sent  = ^sent;
  axis_scatter #(
    .InBytes (WordBytes),
    .OutBytes(Bytes)
  ) u_scatter (
    .clk_i,
    .rst_i,
    .s_axis_tdata (tx_tdata),
    .s_axis_tkeep (tx_tkeep),
    .s_axis_tlast (tx_tlast),
    .s_axis_tuser (1'b0),
    .s_axis_tvalid(tx_tvalid),
    .s_axis_tready(tx_tready),
    .m_axis_tdata (m_phy_axis_tdata),
    .m_axis_tkeep (m_phy_axis_tkeep),
    .m_axis_tlast (m_phy_axis_tlast),
    .m_axis_tuser (unused_tuser),
    .m_axis_tvalid(m_phy_axis_tvalid),
    .m_axis_tready(m_phy_axis_tready)
  );
  axis_gather #(
    .InBytes (Bytes),
    .OutBytes(WordBytes)
  ) u_gather (
    .clk_i,
    .rst_i        (rst_i || !phy_rx_ready_i),
    .s_axis_tdata (s_phy_axis_tdata),
    .s_axis_tkeep (s_phy_axis_tkeep),
    .s_axis_tlast (s_phy_axis_tlast),
    .s_axis_tuser (s_phy_axis_tuser),
    .s_axis_tvalid(s_phy_axis_tvalid),
    .s_axis_tready(unused_tready),
    .m_axis_tdata (rx_tdata),
    .m_axis_tkeep (rx_tkeep),
    .m_axis_tlast (rx_tlast),
    .m_axis_tuser (rx_tuser),
    .m_axis_tvalid(rx_tvalid),
    .m_axis_tready(1'b1)
  );

  htsp_tx #(
    .Channels(Channels)
  ) u_tx (
    .clk_i,
    .rst_i,
    .local_mac_i,
    .broadcast_mac_i,
    .ethertype_i,
    .null_interval_i,
    .burst_i,
    .stall_limit_i,
    .ignore_remote_i,
    .tx_disable_i,
    .user_data_i,
    .phy_ready_i   (phy_tx_ready_i),
    .rx_ready_i    (link_up_o),
    .remote_ready_i(remote_ready_o),
    .remote_mac_i  (remote_mac_o),
    .remote_pause_i(remote_pause_o[Channels-1:0]),
    .local_pause_i (pause),
    .s_opcode_tdata,
    .s_opcode_tvalid,
    .s_opcode_tready,
    .head_i        (head),
    .head_valid_i  (head_valid),
    .first_i       (first),
    .pop_o         (pop),
    .cut_o         (cut),
    .m_axis_tdata  (tx_tdata),
    .m_axis_tkeep  (tx_tkeep),
    .m_axis_tlast  (tx_tlast),
    .m_axis_tvalid (tx_tvalid),
    .m_axis_tready (tx_tready),
    .frame_o       (tx_frame_o),
    .null_o        (tx_null_o),
    .op_code_o     (tx_op_code_o),
    .frame_bytes_o (tx_frame_bytes_o)
  );

  beat_t word;
  logic word_valid, sof;
  logic [IdxWidth-1:0] vc;
  htsp_rx #(
    .Channels(Channels)
  ) u_rx (
    .clk_i,
    .rst_i,
    .local_mac_i,
    .broadcast_mac_i,
    .ethertype_i,
    .alive_i,
    .phy_ready_i  (phy_rx_ready_i),
    .s_axis_tdata (rx_tdata),
    .s_axis_tkeep (rx_tkeep),
    .s_axis_tlast (rx_tlast),
    .s_axis_tuser (rx_tuser),
    .s_axis_tvalid(rx_tvalid),
    .word_o       (word),
    .word_valid_o (word_valid),
    .sof_o        (sof),
    .vc_o         (vc),
    .close_o      (close),
    .link_up_o,
    .remote_ready_o,
    .remote_mac_o,
    .remote_pause_o,
    .remote_data_o,
    .m_opcode_tdata,
    .m_opcode_tvalid,
    .frame_o      (rx_frame_o),
    .frame_bytes_o(rx_frame_bytes_o),
    .null_o       (rx_null_o),
    .foreign_o    (rx_foreign_o),
    .version_o    (rx_version_o),
    .checksum_o   (rx_checksum_o),
    .damaged_o    (rx_damaged_o),
    .footer_bad_o (rx_footer_bad_o),
    .channel_o    (rx_channel_o),
    .orphan_o     (rx_orphan_o),
    .stale_o      (rx_stale_o),
    .lost_o       (rx_lost_o)
  );

  for (genvar c = 0; c < Channels; c++) begin : gen_rx
    htsp_rx_channel #(
      .Bytes(Bytes),
      .Depth(RxDepth)
    ) u_channel (
      .clk_i,
      .rst_i,
      .pause_level_i,
      .resume_level_i,
      .pause_o      (pause[c]),
      .overflow_o   (rx_overflow_o[c]),
      .word_i       (word),
      .valid_i      (word_valid && vc == IdxWidth'(c)),
      .sof_i        (sof),
      .close_i      (close[c]),
      .m_axis_tdata (m_axis_tdata[c]),
      .m_axis_tkeep (m_axis_tkeep[c]),
      .m_axis_tlast (m_axis_tlast[c]),
      .m_axis_tuser (m_axis_tuser[c]),
      .m_axis_tvalid(m_axis_tvalid[c]),
      .m_axis_tready(m_axis_tready[c])
    );
  end

endmodule
