// SPDX-License-Identifier: Apache-2.0
//
// rdma_pending: what was issued under each transaction number (TID), and what became of it.
//
// What      Pending, the word of each TID under way; when its last word left; and flags: it is
//           under way, it was handed to the send unit and has left, it was refused (NACK).
// Why       Each flag is changed by two parties and kept as the exclusive OR of a memory of each
//           (rdma_flags), so none waits for another.
// Contract  look_i = 1 reads the words of tid_i; the outputs show them from the next cycle on, all
//           of one moment: what the segmenter issues meanwhile is seen as a whole or not at all.
//           late_o: it was refused, could not be read, or left at least timeout_i cycles ago.
//           end_i, nack_i = 1: checked_i is not under way any more; its mark of a NACK changes. A
//           look in the same cycle sees that. clear_i = 1 clears a word of flags. now_o counts
//           16384 cycles.
// Latency   1 cycle
// Source    own design

module rdma_pending
  import rdma_pkg::*;
(
  input  logic                       clk_i,
  input  logic                       rst_i,
  input  logic                       clear_i,
  input  logic     [            3:0] clear_word_i,
  input  logic     [           31:0] timeout_i,
  output logic     [NumberWidth-1:0] now_o,
  input  logic                       issue_valid_i,
  input  issue_t                     issue_i,
  input  logic                       sent_valid_i,
  input  sent_t                      sent_i,
  input  logic                       look_i,
  input  tid_t                       tid_i,
  input  tid_t                       checked_i,
  input  logic                       end_i,
  input  logic                       nack_i,
  output pending_t                   pending_o,
  output logic                       left_o,         // under way, and out of the send unit
  output logic                       nacked_o,
  output logic                       late_o
);

  localparam int unsigned FlagWords = 16;
  localparam int unsigned FlagBits = (1 << TidWidth) / FlagWords;
  localparam int unsigned FlagShift = $clog2(FlagBits);
  typedef logic [FlagBits-1:0] flags_t;

  function automatic flags_t mask_of(input logic [FlagShift-1:0] flag);
    return flags_t'(1) << flag;
  endfunction

  logic [31:0] now_d, now_q, sent_time;
  logic sent_failed;
  assign now_d = rst_i ? '0 : now_q + 1'b1;
  always_ff @(posedge clk_i) now_q <= now_d;
  assign now_o = now_q[31-:NumberWidth];

  prim_ram_1r1w #(
    .Width($bits(pending_t)),
    .Depth(1 << TidWidth)
  ) u_pending (
    .clk_i    (clk_i),
    .wr_en_i  (issue_valid_i),
    .wr_addr_i(issue_i.tid),
    .wr_data_i(issue_i.pending),
    .rd_en_i  (look_i),
    .rd_addr_i(tid_i),
    .rd_data_o(pending_o)
  );

  prim_ram_1r1w #(
    .Width(33),
    .Depth(1 << TidWidth)
  ) u_sent (
    .clk_i    (clk_i),
    .wr_en_i  (sent_valid_i),
    .wr_addr_i(sent_i.tid),
    .wr_data_i({now_q, sent_i.failed}),
    .rd_en_i  (look_i),
    .rd_addr_i(tid_i),
    .rd_data_o({sent_time, sent_failed})
  );

  // Changed by others at their TID: issued for the first time; handed to the send unit; reported by
  // it.
  localparam int unsigned Issued = 0;
  localparam int unsigned Handed = 1;
  localparam int unsigned Left = 2;
  logic   [2:0] far_flip;
  tid_t   [2:0] far_tid;
  flags_t [2:0] far;
  assign far_flip = {sent_valid_i, issue_valid_i, issue_valid_i && issue_i.first};
  assign far_tid  = {sent_i.tid, issue_i.tid, issue_i.tid};
  for (genvar i = 0; i < 3; i++) begin : gen_far
    flags_t unused_now;
    rdma_flags #(
      .Words(FlagWords),
      .Bits (FlagBits)
    ) u_flags (
      .flip_i     (far_flip[i]),
      .flip_word_i(clear_i ? clear_word_i : far_tid[i][TidWidth-1:FlagShift]),
      .flip_mask_i(mask_of(far_tid[i][FlagShift-1:0])),
      .flip_now_o (unused_now),
      .rd_word_i  (tid_i[TidWidth-1:FlagShift]),
      .rd_flags_o (far[i]),
      .*
    );
  end

  // Changed here at the TID that has been looked at: ended; refused.
  localparam int unsigned Ended = 0;
  localparam int unsigned Nacked = 1;
  logic   [1:0] near_flip;
  flags_t [1:0] near;
  assign near_flip = {nack_i, end_i};
  for (genvar i = 0; i < 2; i++) begin : gen_near
    flags_t unused_now;
    rdma_flags #(
      .Words(FlagWords),
      .Bits (FlagBits)
    ) u_flags (
      .flip_i     (near_flip[i]),
      .flip_word_i(clear_i ? clear_word_i : checked_i[TidWidth-1:FlagShift]),
      .flip_mask_i(mask_of(checked_i[FlagShift-1:0])),
      .flip_now_o (unused_now),
      .rd_word_i  (tid_i[TidWidth-1:FlagShift]),
      .rd_flags_o (near[i]),
      .*
    );
  end

  logic [1:0] changes;
  logic under_way_q, left_q;
  flags_t mask;
  assign changes = near_flip & {2{checked_i == tid_i}};
  assign mask = mask_of(tid_i[FlagShift-1:0]);
  always_ff @(posedge clk_i) begin
    if (look_i) begin
      under_way_q <= ((far[Issued] ^ near[Ended]) & mask) != '0 && !changes[Ended];
      left_q      <= ((far[Handed] ^ far[Left]) & mask) == '0;
      nacked_o    <= ((near[Nacked] & mask) != '0) ^ changes[Nacked];
    end
  end

  // What has not left yet has no answer, and is not handed to the send unit again.
  assign left_o = under_way_q && left_q;
  logic unused_read;
  assign unused_read = issue_i.read;

  // What left longer ago than the moment then_q, in a circle of 2^32 cycles: two comparisons side
  // by side, and no subtraction in front of one.
  logic [31:0] then_q;
  logic round_q, young;  // then_q is in the round before
  always_ff @(posedge clk_i) {round_q, then_q} <= {1'b0, now_d} - {1'b0, timeout_i};
  assign young = round_q ? sent_time > then_q || sent_time <= now_q
      : sent_time > then_q && sent_time <= now_q;
  assign late_o = nacked_o || sent_failed || !young;

endmodule
