// SPDX-License-Identifier: Apache-2.0
//
// rdma_status: the state of every channel that a user can write to.
//
// What      Two bits for each channel: 0 idle, 1 ongoing, 2 done, 3 error. Three parties change
//           them, in the same cycle if it so happens, and none waits for another: a descriptor
//           starts a channel, an answer finishes it, a read of the user makes idle again what it
//           returns as done or error.
//
//                        start               finish
//                 idle ────────► ongoing ──────────────► done, error
//                  ▲                                        │
//                  └────────────────────────────────────────┘ read
//
// Why       A user polls all the channels of a page in one read and loses no result in doing so,
//           whatever arrives meanwhile.
// Contract  ready_o = 0 after reset, while the memories are cleared; nothing counts then. Start:
//           start_idle_o says which channels of page start_page_i are idle; start_i = 1 makes
//           channel start_channel_i ongoing if it is, and else does nothing. Finish: finish_i = 1
//           makes channel finish_channel_i of page finish_page_i done, or with finish_error_i
//           error, if it is ongoing. Else it does nothing and finish_refused_o is 1: an answer too
//           late or too many. Read: read_status_o has all channels of page read_page_i, channel c
//           in bits 2c+1:2c, as they are before this edge. read_i = 1 makes those idle that are set
//           in read_mask_i and are shown as done or error; no other. What is finished in the cycle
//           of a read is not shown by it and stays for the next one.
// Latency   A change is seen in the next cycle. Ready Pages cycles after reset.
// Storage   LUT memory: a flag for each party and channel that it flips with each change
//           (rdma_flags). Ongoing: started differs from finished. Done or error: finished differs
//           from seen.
//
// Parameters
//   Pages      pages, >= 2
//   Channels   channels of a page, >= 2

module rdma_status #(
  parameter int unsigned Pages = 16,
  parameter int unsigned Channels = 64,
  localparam int unsigned PageWidth = $clog2(Pages),
  localparam int unsigned ChannelWidth = $clog2(Channels)
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    ready_o,
  input  logic                    start_i,
  input  logic [   PageWidth-1:0] start_page_i,
  input  logic [ChannelWidth-1:0] start_channel_i,
  output logic [    Channels-1:0] start_idle_o,
  input  logic                    finish_i,
  input  logic [   PageWidth-1:0] finish_page_i,
  input  logic [ChannelWidth-1:0] finish_channel_i,
  input  logic                    finish_error_i,
  output logic                    finish_refused_o,
  input  logic                    read_i,
  input  logic [   PageWidth-1:0] read_page_i,
  input  logic [    Channels-1:0] read_mask_i,
  output logic [  2*Channels-1:0] read_status_o
);

  typedef logic [PageWidth-1:0] page_t;
  typedef logic [Channels-1:0] flags_t;

  if (Pages < 2) begin : gen_bad_pages
    $error("rdma_status %m: rule Pages >= 2, got %0d", Pages);
  end
  if (Channels < 2) begin : gen_bad_channels
    $error("rdma_status %m: rule Channels >= 2, got %0d", Channels);
  end

  // After reset: all flags cleared, a page a cycle.
  logic  clearing_q;
  page_t clear_page_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clearing_q   <= 1'b1;
      clear_page_q <= '0;
    end else if (clearing_q) begin
      clearing_q   <= clear_page_q != page_t'(Pages - 1);
      clear_page_q <= clear_page_q + 1'b1;
    end
  end

  assign ready_o = !clearing_q;

  // The flags as each party sees them, at its page.
  flags_t started_at_start, finished_at_start, seen_at_start;
  flags_t unused_started;
  flags_t started_at_finish, finished_at_finish, failed_at_finish;
  flags_t started_at_read, finished_at_read, failed_at_read, seen_at_read;

  flags_t start_mask, finish_mask;
  logic start, finish, read;
  flags_t over;

  assign start_mask = flags_t'(1) << start_channel_i;
  assign start_idle_o = {Channels{!clearing_q}} & ~((started_at_start ^ finished_at_start)
      | (finished_at_start ^ seen_at_start));
  assign start = start_i && (start_idle_o & start_mask) != '0;

  assign finish_mask = flags_t'(1) << finish_channel_i;
  assign finish = finish_i && !clearing_q
      && ((started_at_finish ^ finished_at_finish) & finish_mask) != '0;
  assign finish_refused_o = finish_i && !finish;

  assign over = finished_at_read ^ seen_at_read;
  assign read = read_i && !clearing_q;
  for (genvar c = 0; c < int'(Channels); c++) begin : gen_channel
    // Over first: while a channel is over it is not ongoing.
    assign read_status_o[2*c+1] = over[c];
    assign read_status_o[2*c] = over[c] ? failed_at_read[c]
        : started_at_read[c] ^ finished_at_read[c];
  end

  rdma_flags #(
    .Words  (Pages),
    .Bits   (Channels),
    .Readers(3)
  ) u_started (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (start),
    .flip_word_i(clearing_q ? clear_page_q : start_page_i),
    .flip_mask_i(start_mask),
    .flip_now_o (unused_started),
    .rd_word_i  ({start_page_i, finish_page_i, read_page_i}),
    .rd_flags_o ({started_at_start, started_at_finish, started_at_read})
  );

  rdma_flags #(
    .Words  (Pages),
    .Bits   (Channels),
    .Readers(2)
  ) u_finished (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (finish),
    .flip_word_i(clearing_q ? clear_page_q : finish_page_i),
    .flip_mask_i(finish_mask),
    .flip_now_o (finished_at_finish),
    .rd_word_i  ({start_page_i, read_page_i}),
    .rd_flags_o ({finished_at_start, finished_at_read})
  );

  // Whether the transfer that finished last had failed.
  rdma_flags #(
    .Words(Pages),
    .Bits (Channels)
  ) u_failed (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (finish),
    .flip_word_i(clearing_q ? clear_page_q : finish_page_i),
    .flip_mask_i(finish_mask & (failed_at_finish ^ {Channels{finish_error_i}})),
    .flip_now_o (failed_at_finish),
    .rd_word_i  (read_page_i),
    .rd_flags_o (failed_at_read)
  );

  rdma_flags #(
    .Words(Pages),
    .Bits (Channels)
  ) u_seen (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (read),
    .flip_word_i(clearing_q ? clear_page_q : read_page_i),
    .flip_mask_i(read_mask_i & over),
    .flip_now_o (seen_at_read),
    .rd_word_i  (start_page_i),
    .rd_flags_o (seen_at_start)
  );

endmodule
