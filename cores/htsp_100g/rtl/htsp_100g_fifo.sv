// SPDX-License-Identifier: Apache-2.0
//
// htsp_100g_fifo: a stream of frames from one clock to another, for a MAC on either side.
//
// What      A FIFO for words, and a count of the frames that may begin on the m side. It says where
//           a frame was torn, by a reset of either side or for want of room.
// Why       A MAC takes a frame without a gap and cannot be held while it gives one; a reset in the
//           middle of a frame must not join two of them.
//
// Contract  A frame is offered from StartWords of its words on, or when it is complete; then a word
//           is offered in every cycle, if the s side gives words as fast as the m side takes them.
//           Held = 1: s_axis_tready takes a word, and no word is lost but by a reset.
//           Held = 0: every word is taken. A frame that finds no room is lost: what has come of it
//           ends with TLAST and TUSER, and s_lost_o (a pulse) says so.
//           A reset of one side: frames in the FIFO are lost. A frame of which the m side has the
//           beginning ends there with TLAST and TUSER; of one that the s side has begun the rest is
//           taken and discarded. An offered word stays until it is taken, or until m_rst_i.
// Clocks and resets
//           s_clk_i and m_clk_i are unrelated. s_rst_i and m_rst_i reset the streams of their side.
//           One prim_clear is between the clocks, a being the s side: s_held_i is its a_rst_o,
//           s_clear_i its a_clear_o, m_held_i its b_rst_o.
//
// Parameters
//   Bytes        of a word, >= 1
//   Depth        words, a power of two, >= 4
//   StartWords   1 .. Depth
//   Held         the s side can be held
// Latency   From the edge that takes the word that a frame may begin with: 2 (3) edges of m_clk_i
//           to the word in the FIFO, 1 to m_axis.

module htsp_100g_fifo #(
  parameter int unsigned Bytes = 64,
  parameter int unsigned Depth = 32,
  parameter int unsigned StartWords = 1,
  parameter bit Held = 1'b1
) (
  input  logic               s_clk_i,
  input  logic               s_rst_i,
  input  logic               s_held_i,
  input  logic               s_clear_i,
  input  logic [8*Bytes-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tuser,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,
  output logic               s_lost_o,

  input  logic               m_clk_i,
  input  logic               m_rst_i,
  input  logic               m_held_i,
  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tuser,
  output logic               m_axis_tvalid,
  input  logic               m_axis_tready
);

  if (Depth < 4 || 2 ** $clog2(Depth) != Depth) begin : gen_bad_depth
    $error("htsp_100g_fifo %m: rule Depth is a power of two >= 4, got %0d", Depth);
  end
  if (StartWords < 1 || StartWords > Depth) begin : gen_bad_start
    $error("htsp_100g_fifo %m: rule 1 <= StartWords <= Depth, got %0d", StartWords);
  end

  // Frames that are in the FIFO: one more than fits tells none from a full one.
  localparam int unsigned FrameWidth = $clog2(Depth) + 1;
  localparam int unsigned WordWidth = (StartWords > 1) ? $clog2(StartWords) : 1;

  typedef struct packed {
    logic               user;
    logic               last;
    logic [Bytes-1:0]   keep;
    logic [8*Bytes-1:0] data;
  } word_t;

  // How a frame ends whose rest is lost.
  localparam word_t EndMark = '{user: 1'b1, last: 1'b1, keep: Bytes'(1), data: '0};

  // ---- s side ----
  logic inside_q;  // the next word of the source is not the first of a frame
  logic inside_d;
  logic skip_q;  // and this frame is discarded
  logic mark_q;  // an end mark waits for room
  logic fifo_ready, room, taken, lost, push, first;
  word_t s_word;

  assign room = !s_rst_i && !s_held_i && fifo_ready;
  assign s_axis_tready = !Held || skip_q || room;
  assign taken = s_axis_tvalid && s_axis_tready && !s_rst_i;
  assign inside_d = taken ? !s_axis_tlast : inside_q;
  assign push = room && (mark_q || (taken && !skip_q));
  assign lost = taken && !skip_q && (mark_q || !room);
  assign s_word = mark_q ? EndMark : '{s_axis_tuser, s_axis_tlast, s_axis_tkeep, s_axis_tdata};

  always_ff @(posedge s_clk_i) begin
    if (s_rst_i) begin
      inside_q <= 1'b0;
      skip_q   <= 1'b0;
      mark_q   <= 1'b0;
      s_lost_o <= 1'b0;
    end else begin
      inside_q <= inside_d;
      skip_q   <= inside_d && (skip_q || s_held_i || lost);
      // Without a beginning in the FIFO there is nothing to end.
      if (s_held_i) mark_q <= 1'b0;
      else if (mark_q) mark_q <= !room;
      else mark_q <= lost && inside_q;
      s_lost_o <= lost;
    end
  end

  // A frame may begin on the m side with this word.
  logic [WordWidth-1:0] words_q;  // of this frame
  logic begun_q;
  assign first = push && !begun_q && (s_word.last || words_q == WordWidth'(StartWords - 1));

  always_ff @(posedge s_clk_i) begin
    if (s_held_i || (push && s_word.last)) begin
      words_q <= '0;
      begun_q <= 1'b0;
    end else if (push) begin
      words_q <= words_q + 1'b1;
      begun_q <= begun_q || first;
    end
  end

  // ---- Between the clocks ----
  logic fifo_valid, pop;
  logic [FrameWidth-1:0] frames;
  word_t fifo_word;

  prim_fifo_async #(
    .Width($bits(word_t)),
    .Depth(Depth)
  ) u_words (
    .s_clk_i     (s_clk_i),
    .s_rst_i     (s_clear_i),
    .s_valid_i   (push),
    .s_ready_o   (fifo_ready),
    .s_data_i    (s_word),
    .m_clk_i     (m_clk_i),
    .m_sync_clk_i(m_clk_i),
    .m_rst_i     (m_held_i),
    .m_valid_o   (fifo_valid),
    .m_ready_i   (pop),
    .m_data_o    (fifo_word)
  );

  prim_sync_gray #(
    .Width(FrameWidth)
  ) u_frames (
    .src_clk_i  (s_clk_i),
    .src_rst_i  (s_clear_i),
    .src_inc_i  (first),
    .dst_clk_i  (m_clk_i),
    .dst_rst_i  (m_held_i),
    .dst_count_o(frames)
  );

  // ---- m side ----
  logic open_q;  // the last word taken from the FIFO was not the last of its frame
  logic torn_q;  // an end mark is due
  logic free;
  logic [FrameWidth-1:0] frames_q;  // that have begun
  word_t out_q;

  assign free = !m_axis_tvalid || m_axis_tready;
  assign pop  = fifo_valid && free && !torn_q && !m_rst_i && (open_q || frames != frames_q);

  always_ff @(posedge m_clk_i) begin
    if (pop) out_q <= fifo_word;
    else if (torn_q && free) out_q <= EndMark;
    if (m_rst_i) begin
      m_axis_tvalid <= 1'b0;
      open_q <= 1'b0;
      torn_q <= 1'b0;
    end else begin
      m_axis_tvalid <= pop || torn_q || !free;
      if (pop) open_q <= !fifo_word.last;
      else if (m_held_i) open_q <= 1'b0;
      if (m_held_i && open_q) torn_q <= 1'b1;
      else if (free) torn_q <= 1'b0;
    end
    if (m_held_i) frames_q <= '0;
    else if (pop && !open_q) frames_q <= frames_q + 1'b1;
  end

  assign m_axis_tdata = out_q.data;
  assign m_axis_tkeep = out_q.keep;
  assign m_axis_tlast = out_q.last;
  assign m_axis_tuser = out_q.user;

endmodule
