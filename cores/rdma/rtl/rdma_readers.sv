// SPDX-License-Identifier: Apache-2.0
//
// rdma_readers: which read channels of each page are free.
//
// What      Each page has 64 channels for reads that other nodes ask for. Shows the first free one
//           of a page; opens it; closes one.
// Why       The engine takes a request only if it has a channel for it, in the domain that asks:
//           domains do not take each other's room.
// Contract  free_o and channel_o belong to page_i in the same cycle; open_i = 1, with free_o, takes
//           that channel, and shows in them from the next cycle but one on: it is not 1 in two
//           cycles in a row. close_i = 1 gives one back that is open, in the same cycle if need be.
//           Nothing before ready_o is 1, Pages cycles after rst_i.
// Latency   0
//
// Parameters
//   Pages   pages, a power of two >= 2

module rdma_readers #(
  parameter  int unsigned Pages     = 16,
  localparam int unsigned PageWidth = $clog2(Pages)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 ready_o,
  input  logic [PageWidth-1:0] page_i,
  output logic                 free_o,
  output logic [          5:0] channel_o,
  input  logic                 open_i,
  input  logic                 close_i,
  input  logic [PageWidth-1:0] close_page_i,
  input  logic [          5:0] close_channel_i
);

  if (Pages < 2 || (Pages & (Pages - 1)) != 0) begin : gen_bad_pages
    $error("rdma_readers %m: rule Pages is a power of two >= 2, got %0d", Pages);
  end

  localparam int unsigned Channels = 64;
  typedef logic [PageWidth-1:0] page_t;
  typedef logic [Channels-1:0] flags_t;

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

  // What is opened is written a cycle later: which one it is is known late.
  logic open_q;
  page_t page_q;
  logic [5:0] channel_q;
  always_ff @(posedge clk_i) begin
    open_q <= open_i && !rst_i;
    page_q <= page_i;
    channel_q <= channel_o;
  end

  prim_assert #(
    .Rule("rdma_readers: no channel is opened while one is being opened")
  ) u_rule (
    .holds_i(!(open_i && open_q)),
    .*
  );

  // A channel is open if it was opened once more than closed.
  flags_t opened, closed, unused_opened, unused_closed, open;

  rdma_flags #(
    .Words(Pages),
    .Bits (Channels)
  ) u_opened (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (open_q),
    .flip_word_i(clearing_q ? clear_page_q : page_q),
    .flip_mask_i(flags_t'(1) << channel_q),
    .flip_now_o (unused_opened),
    .rd_word_i  (page_i),
    .rd_flags_o (opened)
  );

  rdma_flags #(
    .Words(Pages),
    .Bits (Channels)
  ) u_closed (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (close_i),
    .flip_word_i(clearing_q ? clear_page_q : close_page_i),
    .flip_mask_i(flags_t'(1) << close_channel_i),
    .flip_now_o (unused_closed),
    .rd_word_i  (page_i),
    .rd_flags_o (closed)
  );

  assign open   = opened ^ closed;
  assign free_o = !(&open);

  // The first free one of the first group of 8 that has one.
  localparam int unsigned GroupSize = 8;
  logic [Channels/GroupSize-1:0] full;
  logic [2:0] group, place;
  logic [GroupSize-1:0] taken;
  assign taken = open[{group, 3'd0}+:GroupSize];
  assign channel_o = {group, place};
  always_comb begin
    group = '0;
    place = '0;
    for (int unsigned g = 0; g < Channels / GroupSize; g++) full[g] = &open[GroupSize*g+:GroupSize];
    for (int unsigned g = Channels / GroupSize; g > 0; g--) if (!full[g-1]) group = 3'(g - 1);
    for (int unsigned i = GroupSize; i > 0; i--) if (!taken[i-1]) place = 3'(i - 1);
  end

endmodule
