// SPDX-License-Identifier: Apache-2.0
//
// htsp_tx_channel: one channel's way into the transmitter.
//
// What      Takes the user's stream, checks that only the last beat of a packet is partial, joins
//           beats to words and keeps some words ready for the transmitter, so that bursts are
//           carried without a gap. Shortens a packet that the link has cut to an end with an error
//           mark.
// Contract  s_axis: TKEEP contiguous from lane 0, all ones but with TLAST, at least one byte with
//           TLAST; TUSER bit 0 with TLAST marks the packet as damaged. A beat that breaks this is
//           sent as full (or as one byte) and its packet ends with an error mark (bad_o, one cycle
//           each). head_o is the next word to send, bytes behind its count are of any value; pop_i
//           takes it. When cut_i (level) finds a packet of which a part was taken, its words are
//           discarded up to the last one, and that one is offered with an error mark, so that the
//           peer can end the packet when the link is back. cut_o: one cycle for each such packet.
// Latency   one cycle from the last beat of a word to head_o.
// Limits    Depth words; s_axis_tready depends on registers only.
//
// Parameters
//   Bytes   of a beat of s_axis: 16, 32 or 64
//   Depth   words kept, >= 4
//   Tuser   TUSER of the first and of the last beat goes with the packet; without it only the error
//           mark is looked at, and head_o.tuser is 0

module htsp_tx_channel
  import htsp_pkg::*;
#(
  parameter int unsigned Bytes = WordBytes,
  parameter int unsigned Depth = 32,
  parameter bit Tuser = 1'b0
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   cut_i,
  output logic                   cut_o,
  output logic                   bad_o,
  input  logic  [   8*Bytes-1:0] s_axis_tdata,
  input  logic  [     Bytes-1:0] s_axis_tkeep,
  input  logic                   s_axis_tlast,
  input  logic  [TuserWidth-1:0] s_axis_tuser,
  input  logic                   s_axis_tvalid,
  output logic                   s_axis_tready,
  output beat_t                  head_o,
  output logic                   head_valid_o,
  output logic                   first_o,        // head_o begins a packet
  input  logic                   pop_i
);

  // ---- In: beats are judged one by one ----
  logic taken, bad, bad_q, is_bad, in_valid;
  assign taken  = s_axis_tvalid && s_axis_tready;
  assign is_bad = s_axis_tlast ? !s_axis_tkeep[0] : !(&s_axis_tkeep);
  assign bad    = bad_q || is_bad;
  always_ff @(posedge clk_i) begin
    if (rst_i) bad_q <= 1'b0;
    else if (taken) bad_q <= bad && !s_axis_tlast;
    bad_o <= taken && is_bad && !rst_i;
  end

  // ---- TUSER: that of the first beat waits for its word, that of the last one comes with it ----
  tuser_t tuser;
  if (Tuser) begin : gen_tuser
    logic begins_q;
    logic [7:0] first_q;
    assign tuser.first = begins_q ? s_axis_tuser[TuserWidth-1:8] : first_q;
    assign tuser.last  = s_axis_tlast ? s_axis_tuser[7:1] : '0;
    always_ff @(posedge clk_i) begin
      if (rst_i) begins_q <= 1'b1;
      else if (taken) begins_q <= s_axis_tlast;
      if (taken) first_q <= tuser.first;
    end
  end else begin : gen_no_tuser
    logic unused_tuser;
    assign unused_tuser = ^s_axis_tuser;
    assign tuser = '0;
  end

  // ---- Words ----
  logic [WordBits-1:0] data;
  logic [WordBytes-1:0] keep;
  logic [$clog2(WordBytes+1)-1:0] kept;
  logic last, error, in_ready;
  beat_t in;
  axis_gather #(
    .InBytes (Bytes),
    .OutBytes(WordBytes)
  ) u_gather (
    .clk_i,
    .rst_i,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser (s_axis_tuser[0] || bad),
    .s_axis_tvalid,
    .s_axis_tready,
    .m_axis_tdata (data),
    .m_axis_tkeep (keep),
    .m_axis_tlast (last),
    .m_axis_tuser (error),
    .m_axis_tvalid(in_valid),
    .m_axis_tready(in_ready)
  );
  axis_keep_count #(
    .Bytes(WordBytes)
  ) u_count (
    .keep_i (keep),
    .count_o(kept)
  );
  always_comb begin
    in.data  = data;
    in.last  = last;
    in.error = last && error;
    in.tuser = tuser;
    if (!last) in.count = '1;
    else in.count = keep[0] ? CountWidth'(kept - 1'b1) : '0;
  end

  // ---- Store ----
  localparam int unsigned LevelWidth = $clog2(Depth + 1);
  localparam int unsigned StoredBits = Tuser ? $bits(beat_t) : PlainBits;
  beat_t head;
  logic [StoredBits-1:0] stored;
  logic head_valid, pop, unused;
  logic [LevelWidth-1:0] level;
  assign unused = ^{level, in.tuser};
  assign head   = beat_t'(stored);
  prim_fifo_sync #(
    .Width(StoredBits),
    .Depth(Depth),
    .FallThrough(1'b0)
  ) u_fifo (
    .clk_i,
    .rst_i,
    .s_valid_i(in_valid),
    .s_ready_o(in_ready),
    .s_data_i (StoredBits'(in)),
    .m_valid_o(head_valid),
    .m_ready_i(pop),
    .m_data_o (stored),
    .level_o  (level)
  );

  // ---- Packets ----
  logic first_q, drain_q, discard;
  assign discard      = drain_q && !head.last;
  assign head_valid_o = head_valid && !discard;
  assign first_o      = first_q;
  assign pop          = discard || pop_i;
  always_comb begin
    head_o       = head;
    head_o.error = head.error || drain_q;
  end
  always_ff @(posedge clk_i) begin
    cut_o <= 1'b0;
    if (rst_i) begin
      first_q <= 1'b1;
      drain_q <= 1'b0;
    end else begin
      if (head_valid && pop) first_q <= head.last;
      if (drain_q) begin
        if (pop_i) drain_q <= 1'b0;
      end else if (cut_i && !first_q) begin
        drain_q <= 1'b1;
        cut_o   <= 1'b1;
      end
    end
  end

endmodule
