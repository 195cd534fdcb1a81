// SPDX-License-Identifier: Apache-2.0
//
// htsp_rx_channel: one channel's way out of the receiver.
//
// What      Buffers the channel's words until the user takes them, beat by beat, and tells when the
//           peer has to pause.
// Contract  word_i is stored when valid_i; sof_i marks the first one of a packet. close_i ends an
//           open packet with an end mark: one zero byte with TLAST and TUSER. valid_i and close_i
//           never come together. m_axis_tuser[0] with TLAST: the packet is damaged, whatever its
//           length; above it TUSER of the last and of the first beat. pause_o rises at
//           pause_level_i stored words and falls below resume_level_i.
// Overflow  Cannot happen while the peer keeps to pause_o and the room above pause_level_i holds
//           what is under way. If it does (overflow_o, one cycle for each word that has no room),
//           the packet ends with the end mark as soon as there is room, and words are dropped up to
//           the next packet that begins after the mark has been stored. No packet is ever shortened
//           without a mark; one mark may stand for several packets that were lost whole.
// Latency   one cycle.
//
// Parameters
//   Bytes   of a beat of m_axis: 16, 32 or 64
//   Depth   words, >= 16
//   Tuser   word_i.tuser is stored; without it m_axis_tuser is the error mark alone

module htsp_rx_channel
  import htsp_pkg::*;
#(
  parameter int unsigned Bytes = WordBytes,
  parameter int unsigned Depth = 4096,
  parameter bit Tuser = 1'b0,
  localparam int unsigned LevelWidth = $clog2(Depth + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic  [LevelWidth-1:0] pause_level_i,
  input  logic  [LevelWidth-1:0] resume_level_i,
  output logic                   pause_o,
  output logic                   overflow_o,
  input  beat_t                  word_i,
  input  logic                   valid_i,
  input  logic                   sof_i,
  input  logic                   close_i,
  output logic  [   8*Bytes-1:0] m_axis_tdata,
  output logic  [     Bytes-1:0] m_axis_tkeep,
  output logic                   m_axis_tlast,
  output logic  [TuserWidth-1:0] m_axis_tuser,
  output logic                   m_axis_tvalid,
  input  logic                   m_axis_tready
);

  if (Depth < 16) begin : gen_bad_depth
    $error("htsp_rx_channel %m: rule Depth >= 16, got %0d", Depth);
  end

  // mark_q: an end mark has to be stored before anything else. drop_q: words are dropped up to a
  // beginning.
  logic mark_q, drop_q, room, mark, take, lack;
  localparam int unsigned StoredBits = Tuser ? $bits(beat_t) : PlainBits;
  beat_t head, stored;
  logic [StoredBits-1:0] kept;
  logic head_valid, pop, error, unused;
  logic [ WordBytes-1:0] keep;
  logic [LevelWidth-1:0] level;
  assign mark = mark_q || (close_i && !drop_q);
  assign take = valid_i && !mark_q && (sof_i || !drop_q);  // to be stored, if there is room
  assign lack = valid_i && !(take && room) && (sof_i || !drop_q);
  // An end mark is one zero byte; what lies behind it is of any value.
  always_comb begin
    stored = word_i;
    if (mark) begin
      {stored.error, stored.last, stored.count} = {2'b11, CountWidth'(0)};
      stored.tuser = '0;
      stored.data[7:0] = '0;
    end
  end

  prim_fifo_sync #(
    .Width(StoredBits),
    .Depth(Depth),
    .FallThrough(1'b0)
  ) u_fifo (
    .clk_i,
    .rst_i,
    .s_valid_i(mark || take),
    .s_ready_o(room),
    .s_data_i (StoredBits'(stored)),
    .m_valid_o(head_valid),
    .m_ready_i(pop),
    .m_data_o (kept),
    .level_o  (level)
  );

  assign head   = beat_t'(kept);
  assign unused = ^{head.tuser, stored.tuser};
  always_comb begin
    for (int unsigned i = 0; i < WordBytes; i++) keep[i] = head.count >= CountWidth'(i);
  end
  axis_scatter #(
    .InBytes (WordBytes),
    .OutBytes(Bytes)
  ) u_scatter (
    .clk_i,
    .rst_i,
    .s_axis_tdata (head.data),
    .s_axis_tkeep (keep),
    .s_axis_tlast (head.last),
    .s_axis_tuser (head.error),
    .s_axis_tvalid(head_valid),
    .s_axis_tready(pop),
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .m_axis_tuser (error),
    .m_axis_tvalid,
    .m_axis_tready
  );

  assign m_axis_tuser[0] = error;
  if (Tuser) begin : gen_tuser
    logic begins_q;  // the beat on offer is the first of its packet
    assign m_axis_tuser[7:1] = m_axis_tlast ? head.tuser.last : '0;
    assign m_axis_tuser[TuserWidth-1:8] = begins_q ? head.tuser.first : '0;
    always_ff @(posedge clk_i) begin
      if (rst_i) begins_q <= 1'b1;
      else if (m_axis_tvalid && m_axis_tready) begins_q <= m_axis_tlast;
    end
  end else begin : gen_no_tuser
    assign m_axis_tuser[TuserWidth-1:1] = '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mark_q     <= 1'b0;
      drop_q     <= 1'b0;
      pause_o    <= 1'b0;
      overflow_o <= 1'b0;
    end else begin
      mark_q     <= (mark && !room) || lack;
      drop_q     <= lack || (drop_q && !(take && room));
      pause_o    <= level >= pause_level_i || (pause_o && level >= resume_level_i);
      overflow_o <= lack;
    end
  end

endmodule
