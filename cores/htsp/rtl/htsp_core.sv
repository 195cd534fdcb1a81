// SPDX-License-Identifier: Apache-2.0
//
// htsp_core: one end of an HTSP link in one clock: transmitter, receiver and the channels' buffers.
//
// What      Carries up to 16 AXI streams interleaved over one stream of Ethernet frames.
// Contract  s_axis, m_axis: one stream for each channel. A packet arrives whole, in order,
//           unchanged, or its last word carries TUSER (it is cut or damaged; an end mark is one
//           zero byte). s_axis_tuser with TLAST hands a damaged packet over as such.
//           m_phy_axis: frames without a gap from header to footer; the MAC puts preamble, frame
//           check sequence and gaps around them. s_phy_axis: frames as the MAC delivers them, TUSER
//           with TLAST: damaged. phy_tx_ready_i low: no frame is begun. phy_rx_ready_i low: what
//           arrives means nothing, and the link is down.
//           Settings: see htsp_tx and htsp_rx. pause_level_i > resume_level_i; the room above it
//           must hold what is under way: twice the largest burst and both ways of the link.
//           A frame is made of words of 64 bytes whatever the width of the streams, so that both
//           ends may differ in it; all depths and levels count words. Narrow beats are joined to
//           words at the channels and where frames come in, and words are cut to beats where they
//           leave.
// Clocks and resets
//           All ports belong to clk_i, and rst_i is synchronous to it. Ready levels of another
//           clock come by prim_sync_bit, as in htsp.
// Latency   from a word on s_axis to m_axis over wires: 6 cycles, whatever the length of the
//           packet. With n = 64 / Bytes beats to a word up to 4 (n - 1) more: cores/htsp/README.md.
// Source    docs/src/htsp-wire.md; cores/htsp/README.md.
//
// Parameters
//   Channels   1 .. 16
//   Bytes      of a beat of all streams: 16, 32 or 64
//   TxDepth    words kept for each channel in front of the transmitter, >= 4
//   RxDepth    words of the receive buffer of each channel, >= 16
//   Tuser      TUSER of a packet's first and last beat is carried, to a peer that takes it: tuser
//              has 16 bits, {first, last, error}. 0: tuser is the error mark alone

module htsp_core
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter int unsigned Bytes = WordBytes,
  parameter int unsigned TxDepth = 32,
  parameter int unsigned RxDepth = 4096,
  parameter bit Tuser = 1'b0,
  localparam int unsigned UserWidth = Tuser ? TuserWidth : 1
) (
  input logic clk_i,
  input logic rst_i,

  input link_cfg_t cfg_i,

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

  output link_status_t                   status_o,
  output logic            [Channels-1:0] local_pause_o,
  output flow_t                          tx_o,
  output flow_t                          rx_o,
  output rx_faults_t                     faults_o,
  output channel_events_t                channels_o
);

  if (Channels < 1 || Channels > MaxChannels) begin : gen_bad_channels
    $error("htsp_core %m: rule 1 <= Channels <= %0d, got %0d", MaxChannels, Channels);
  end
  if (TxDepth < 4 || TxDepth > 65535) begin : gen_bad_tx_depth
    $error("htsp_core %m: rule 4 <= TxDepth <= 65535, got %0d", TxDepth);
  end
  if (Bytes != 16 && Bytes != 32 && Bytes != 64) begin : gen_bad_bytes
    $error("htsp_core %m: rule Bytes is 16, 32 or 64, got %0d", Bytes);
  end

  localparam int unsigned LevelWidth = $clog2(RxDepth + 1);
  localparam int unsigned IdxWidth = (Channels > 1) ? $clog2(Channels) : 1;

  beat_t [Channels-1:0] head;
  logic [Channels-1:0] head_valid, first, pop, cut, close, pause;
  logic [Channels-1:0] tx_cut, tx_bad, overflow;
  assign local_pause_o = pause;
  assign channels_o = '{
          tx_cut: MaxChannels'(tx_cut),
          tx_bad: MaxChannels'(tx_bad),
          rx_overflow: MaxChannels'(overflow),
          rx_cut: MaxChannels'(close)
      };

  for (genvar c = 0; c < Channels; c++) begin : gen_tx
    htsp_tx_channel #(
      .Bytes(Bytes),
      .Depth(TxDepth),
      .Tuser(Tuser)
    ) u_channel (
      .clk_i,
      .rst_i,
      .cut_i        (cut[c]),
      .cut_o        (tx_cut[c]),
      .bad_o        (tx_bad[c]),
      .s_axis_tdata (s_axis_tdata[c]),
      .s_axis_tkeep (s_axis_tkeep[c]),
      .s_axis_tlast (s_axis_tlast[c]),
      .s_axis_tuser (TuserWidth'(s_axis_tuser[c])),
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
    .Channels(Channels),
    .Tuser   (Tuser)
  ) u_tx (
    .clk_i,
    .rst_i,
    .cfg_i,
    .phy_ready_i  (phy_tx_ready_i),
    .link_i       (status_o),
    .local_pause_i(pause),
    .s_opcode_tdata,
    .s_opcode_tvalid,
    .s_opcode_tready,
    .head_i       (head),
    .head_valid_i (head_valid),
    .first_i      (first),
    .pop_o        (pop),
    .cut_o        (cut),
    .m_axis_tdata (tx_tdata),
    .m_axis_tkeep (tx_tkeep),
    .m_axis_tlast (tx_tlast),
    .m_axis_tvalid(tx_tvalid),
    .m_axis_tready(tx_tready),
    .flow_o       (tx_o)
  );

  beat_t word;
  logic word_valid, sof;
  logic [IdxWidth-1:0] vc;
  htsp_rx #(
    .Channels(Channels),
    .Tuser   (Tuser)
  ) u_rx (
    .clk_i,
    .rst_i,
    .cfg_i,
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
    .status_o,
    .flow_o       (rx_o),
    .faults_o
  );

  for (genvar c = 0; c < Channels; c++) begin : gen_rx
    logic [TuserWidth-1:0] user;
    logic unused;
    htsp_rx_channel #(
      .Bytes(Bytes),
      .Depth(RxDepth),
      .Tuser(Tuser)
    ) u_channel (
      .clk_i,
      .rst_i,
      .pause_level_i (LevelWidth'(cfg_i.pause_level)),
      .resume_level_i(LevelWidth'(cfg_i.resume_level)),
      .pause_o       (pause[c]),
      .overflow_o    (overflow[c]),
      .word_i        (word),
      .valid_i       (word_valid && vc == IdxWidth'(c)),
      .sof_i         (sof),
      .close_i       (close[c]),
      .m_axis_tdata  (m_axis_tdata[c]),
      .m_axis_tkeep  (m_axis_tkeep[c]),
      .m_axis_tlast  (m_axis_tlast[c]),
      .m_axis_tuser  (user),
      .m_axis_tvalid (m_axis_tvalid[c]),
      .m_axis_tready (m_axis_tready[c])
    );
    assign m_axis_tuser[c] = UserWidth'(user);
    assign unused = ^user;
  end

endmodule
