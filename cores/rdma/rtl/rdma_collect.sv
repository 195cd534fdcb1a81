// SPDX-License-Identifier: Apache-2.0
//
// rdma_collect: gathers the words of descriptors into lines, for each page by itself.
//
// What      Takes words of 64 bits of a line, some or all at a time and in any order, keeps them in
//           the accumulator of their page, and gives the line on when it has all four; with the
//           last line of a descriptor the transfer starts.
// Why       A processor cannot write a descriptor in one go. With an accumulator for each page,
//           users that interleave do not disturb each other.
// Contract  A beat moves when s_valid_i and s_ready_o; s_refused_o in that cycle says that it was
//           not taken: nothing of it is kept. s_channel_i is the channel of the descriptor, even if
//           s_long_i; s_second_i: the words belong to the second line of a long one. s_words_i may
//           be 0: nothing to do. Refused are
//             - words for a channel that is not idle (idle_i: all channels of s_page_i), or whose
//             line
//               is the second of a long descriptor that is not idle; a long descriptor where the
//               next channel is not idle
//             - words for another line than the one that the page has begun - words of a second
//             line before the first one is whole - a line that breaks the rules of rdma_check; the
//             descriptor is forgotten then, else it
//               stays as it is
//           s_forget_i = 1 instead forgets the page's descriptor that is not whole. Lines leave in
//           the cycle of their last word, for the Transfer Table: line_valid_o; the beat waits for
//           line_ready_i. In the cycle in which the last line of a descriptor leaves, start_o = 1:
//           channel s_channel_i is ongoing from now on (rdma_status), and the transfer enters its
//           queue (schedule_o). kept_page_i: s_page_i, or any page as long as begun_o is 0: no page
//           has begun something.
// Latency   0 from the last word to the line. One beat per cycle.
//
// Parameters
//   Pages        pages, a power of two >= 2
//   Priorities   intra-priorities, 1 to 16

module rdma_collect
  import rdma_pkg::*;
#(
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  localparam int unsigned PageWidth = $clog2(Pages)
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      s_valid_i,
  output logic                      s_ready_o,
  input  logic                      s_forget_i,
  input  logic      [PageWidth-1:0] s_page_i,
  input  logic      [PageWidth-1:0] kept_page_i,
  input  logic      [          5:0] s_channel_i,
  input  logic                      s_long_i,
  input  logic                      s_second_i,
  input  logic      [          3:0] s_words_i,
  input  logic      [        255:0] s_data_i,
  output logic                      s_refused_o,
  output logic                      begun_o,
  input  logic      [         63:0] idle_i,
  output logic                      start_o,
  output logic                      line_valid_o,
  input  logic                      line_ready_i,
  output logic      [PageWidth+6:0] line_index_o,
  output logic      [        255:0] line_data_o,
  output schedule_t                 schedule_o
);

  if (Pages < 2 || (Pages & (Pages - 1)) != 0) begin : gen_bad_pages
    $error("rdma_collect %m: rule Pages is a power of two >= 2, got %0d", Pages);
  end

  // What a page has begun.
  typedef struct packed {
    logic [5:0] channel;
    logic is_long, second;
    logic [3:0] words;
    // Of the first line, when the second is awaited.
    schedule_t schedule;
  } begun_t;

  logic [Pages-1:0] begun_q;
  logic active, move;
  begun_t stored, now, next;

  prim_ram_lut #(
    .Width($bits(begun_t)),
    .Depth(Pages)
  ) u_begun (
    .clk_i    (clk_i),
    .wr_en_i  (move && !s_refused_o),
    .wr_addr_i(s_page_i),
    .wr_data_i(next),
    .rd_addr_i(kept_page_i),
    .rd_data_o(stored)
  );

  // Whether the line of an even channel is the first of two, as of its last start: asked only of
  // channels that have started.
  logic [31:0] long_at_page, pair_mask;
  assign pair_mask = 32'd1 << s_channel_i[5:1];

  prim_ram_lut #(
    .Width(32),
    .Depth(Pages)
  ) u_long (
    .clk_i    (clk_i),
    .wr_en_i  (start_o && !s_channel_i[0]),
    .wr_addr_i(s_page_i),
    .wr_data_i((long_at_page & ~pair_mask) | (pair_mask & {32{s_long_i}})),
    .rd_addr_i(s_page_i),
    .rd_data_o(long_at_page)
  );

  // May these words come?
  logic wanted, accepted;
  logic [63:0] needed;  // channels that have to be idle

  assign active  = begun_q[s_page_i];
  assign begun_o = begun_q != '0;
  always_comb begin
    now = stored;
    if (!active) begin
      now = '0;
      now.channel = s_channel_i;
      now.is_long = s_long_i;
    end
  end
  assign wanted = now.channel == s_channel_i && now.is_long == s_long_i && now.second == s_second_i;
  // One that is the second of two is not free.
  for (genvar p = 0; p < 32; p++) begin : gen_pair
    assign needed[2*p]   = pair_mask[p] && (!s_channel_i[0] || long_at_page[p]);
    assign needed[2*p+1] = pair_mask[p] && (s_channel_i[0] || s_long_i);
  end
  assign accepted = wanted && (needed & ~idle_i) == '0;

  // The line, as it is with them.
  logic [3:0] words;
  logic whole, good;
  schedule_t schedule;
  logic last;

  for (genvar i = 0; i < 4; i++) begin : gen_word
    logic [63:0] kept;
    prim_ram_lut #(
      .Width(64),
      .Depth(Pages)
    ) u_kept (
      .clk_i    (clk_i),
      .wr_en_i  (move && accepted && s_words_i[i]),
      .wr_addr_i(s_page_i),
      .wr_data_i(s_data_i[64*i+:64]),
      .rd_addr_i(kept_page_i),
      .rd_data_o(kept)
    );
    assign line_data_o[64*i+:64] = s_words_i[i] ? s_data_i[64*i+:64] : kept;
  end

  rdma_check #(
    .Priorities(Priorities)
  ) u_check (
    .line_i    (line_data_o),
    .long_i    (s_long_i),
    .good_o    (good),
    .schedule_o(schedule)
  );

  assign words = now.words | s_words_i;
  assign whole = words == '1 && s_words_i != '0;
  assign last = s_second_i || !s_long_i;
  assign line_valid_o = s_valid_i && !s_forget_i && accepted && whole && (s_second_i || good);
  // Not by what is in the line: the bus would wait for the rules to be checked.
  assign s_ready_o = s_forget_i || !(accepted && whole) || line_ready_i;
  assign move = s_valid_i && s_ready_o && !s_forget_i && s_words_i != '0;
  assign s_refused_o = !s_forget_i && s_words_i != '0
      && (!accepted || (whole && !s_second_i && !good));
  assign start_o = line_valid_o && line_ready_i && last;
  assign line_index_o = {s_page_i, 1'b0, s_channel_i[5:1], s_channel_i[0] || s_second_i};
  assign schedule_o = s_second_i ? now.schedule : schedule;

  always_comb begin
    next = now;
    next.words = words;
    if (whole) begin
      next.second = 1'b1;
      next.words = '0;
      next.schedule = schedule;
    end
  end

  // A page has begun something until its last word, a bad line or a request to forget.
  logic ends;
  assign ends = (s_valid_i && s_forget_i) || (move && accepted && whole && (last || !good));

  always_ff @(posedge clk_i) begin
    if (rst_i) begun_q <= '0;
    else if (ends) begun_q[s_page_i] <= 1'b0;
    else if (move && accepted) begun_q[s_page_i] <= 1'b1;
  end

endmodule
