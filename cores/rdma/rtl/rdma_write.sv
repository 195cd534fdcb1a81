// SPDX-License-Identifier: Apache-2.0
//
// rdma_write: writes packets to memory, and answers what is in it.
//
// What      Carries out one work after the other: a payload from the buffer to any byte of memory,
//           an answer, or just the words given back.
// Why       An answer says that memory has the data: it goes out when all write responses of its
//           own and all work in front of it came. One order for everything makes that simple.
// Contract  s side: valid and ready. Payloads are read from the buffer of rdma_unframe or rdma_own,
//           where a word that is read stands at word_i from the next cycle on, and given back in
//           order. Of the last work with cut the words up to next_i are there while fate_i is open,
//           all if it is good; if it is neither, the burst ends with words without strobes. It
//           gives nothing back, and is answered only if it counts. cut_room_o: another one may
//           come, as none is being written but one that is good. Bursts do not cross 4096 bytes;
//           strobes are set for the bytes of the packet only. Once a write of a block was refused,
//           every answer for its context is a NACK, until another block begins there. reply: valid
//           and ready; if 64 wait, further ones are lost (lost_o): a sender that misses one
//           repeats, but the receiver never waits for its own transmitter. idle_o: no work is left;
//           refused_o: memory refused a write of the last work that wrote or answered. The first
//           work of a context after rst_i begins a block.
// Latency   2 cycles from work to the first data word, 1 from the last response to the answer; one
//           packet of 1024 bytes in 17 cycles, or 16 to a multiple of 64
// Source    own design
//
// Parameters
//   AddrWidth     bits of an address, 13 to 48
//   PlaceWidth    bits of a place in the buffer, at most 12
//   Contexts      a power of two, 2 to 65536

module rdma_write
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
  import rdma_bus_pkg::*;
#(
  parameter int unsigned AddrWidth = 48,
  parameter int unsigned PlaceWidth = 9,
  parameter int unsigned Contexts = 4096,
  localparam int unsigned ContextWidth = $clog2(Contexts),
  localparam type place_t = logic [PlaceWidth-1:0]
) (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                idle_o,
  output logic                refused_o,
  input  logic                s_valid_i,
  output logic                s_ready_o,
  input  work_t               s_work_i,
  input  fate_t               fate_i,
  input  place_t              next_i,
  output logic                cut_room_o,
  output buffer_req_t         buffer_o,
  input  logic        [511:0] word_i,
  output write_req_t          write_o,
  input  write_rsp_t          write_i,
  output logic                reply_valid_o,
  input  logic                reply_ready_i,
  output reply_t              reply_o,
  output logic                lost_o,
  output logic                memory_error_o
);

  if (AddrWidth < 13 || AddrWidth > 48) begin : gen_bad_address
    $error("rdma_write %m: rule 13 <= AddrWidth <= 48, got %0d", AddrWidth);
  end
  if (PlaceWidth > MaxPlaceWidth) begin : gen_bad_place
    $error("rdma_write %m: rule PlaceWidth <= %0d, got %0d", MaxPlaceWidth, PlaceWidth);
  end
  if (Contexts < 2 || Contexts > 65536 || (Contexts & (Contexts - 1)) != 0) begin : gen_bad_contexts
    $error("rdma_write %m: rule Contexts is a power of two, 2 to 65536, got %0d", Contexts);
  end

  localparam int unsigned Open = 32;  // works whose responses are awaited
  localparam int unsigned Replies = 64;

  // ---- Work ----
  work_t work;
  logic work_valid, work_done;
  logic [3:0] work_level;
  prim_fifo_sync #(
    .Width($bits(work_t)),
    .Depth(8)
  ) u_work (
    .s_data_i (s_work_i),
    .m_valid_o(work_valid),
    .m_ready_i(work_done),
    .m_data_o (work),
    .level_o  (work_level),
    .*
  );

  // Where it lies: words of memory, and those in front of a boundary of 4096 bytes.
  logic [6:0] in_page;  // words to the end of the page
  logic [10:0] end_;
  logic [4:0] beats;
  logic crosses;
  logic [4:0] first_beats;
  assign in_page = 7'd64 - 7'(work.address[11:6]);
  assign end_ = 11'(work.address[5:0]) + work.bytes + 11'd63;
  assign beats = end_[10:6];
  assign crosses = 7'(beats) > in_page;
  assign first_beats = crosses ? in_page[4:0] : beats;

  // Data of one work, and the responses that it waits for.
  typedef struct packed {
    logic write;
    logic cut;
    logic tag;
    logic own;
    logic [5:0] lane;
    logic [10:0] bytes;
    logic [4:0] first_beats;
    place_t first;
    logic [4:0] words;
  } data_t;

  typedef struct packed {
    logic [1:0] bursts;
    logic cut;
    logic replies;
    reply_t reply;
    logic [ContextWidth-1:0] context_;
    logic begins;
  } open_t;

  logic start;
  logic second_q;  // its second burst is due
  logic aw_free, awvalid_q;
  logic [AddrWidth-1:6] awaddr_q;
  logic [7:0] awlen_q;
  logic data_ready, data_valid, data_load;
  data_t data;
  logic [2:0] data_level;
  logic open_ready, open_valid, open_done;
  open_t open;
  logic [$clog2(Open+1)-1:0] open_level;

  assign aw_free = !awvalid_q || write_i.awready;
  assign start = work_valid && !second_q && aw_free && data_ready && open_ready
      && !(work.alone && open_level != '0);
  assign work_done = (start && !(work.write && crosses)) || (second_q && aw_free);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      awvalid_q <= 1'b0;
      second_q  <= 1'b0;
    end else begin
      if (aw_free) awvalid_q <= (start && work.write) || second_q;
      if (start) second_q <= work.write && crosses;
      else if (aw_free) second_q <= 1'b0;
    end
    if (aw_free) begin
      if (second_q) begin
        awaddr_q <= {work.address[AddrWidth-1:12] + (AddrWidth - 12)'(1), 6'd0};
        awlen_q  <= 8'(beats - first_beats) - 8'd1;
      end else begin
        awaddr_q <= work.address[AddrWidth-1:6];
        awlen_q  <= 8'(first_beats) - 8'd1;
      end
    end
  end

  prim_fifo_sync #(
    .Width      ($bits(data_t)),
    .Depth      (4),
    .FallThrough(1'b0)
  ) u_data (
    .s_valid_i(start && (work.write || work.words != '0)),
    .s_ready_o(data_ready),
    .s_data_i({
      work.write,
      work.cut,
      work.tag,
      work.own,
      work.address[5:0],
      work.bytes,
      first_beats,
      work.first[PlaceWidth-1:0],
      work.words
    }),
    .m_valid_o(data_valid),
    .m_ready_i(data_load),
    .m_data_o(data),
    .level_o(data_level),
    .*
  );

  // ---- Data: words from the buffer, moved to their lanes ----
  data_t data_q;
  logic busy_q, finish, gives_back;
  place_t place_q, rd_place;
  logic rd_en, wants, begin_there, rest_there, there, pads;
  logic padded_q;  // the rest of this work has no strobes
  logic [4:0] left_q;
  logic word_valid_q, word_ready, word_take;
  logic [4:0] beat_q;
  logic all_out, realign_valid, moves;
  logic [511:0] wdata;
  logic [63:0] wstrb;
  logic bready;

  // Words that only go back may leave beside the last one of a work with cut.
  assign data_load = data_valid && (!busy_q || (finish && (data.write || data_q.cut)));
  assign word_take = word_valid_q && word_ready;
  assign rd_place = data_load ? data.first : place_q;
  assign wants = data_load ? data.write : left_q != '0 && (!word_valid_q || word_take);
  assign begin_there = !data.cut || data.tag != fate_i.tag || fate_i.good || data.first != next_i;
  assign rest_there = !data_q.cut || data_q.tag != fate_i.tag || fate_i.good || place_q != next_i;
  assign there = data_load ? begin_there : rest_there;
  assign rd_en = wants && there;
  assign pads = wants && !there && !fate_i.open;
  assign finish = moves && write_o.wlast && all_out;

  axis_realign #(
    .Bytes      (WordBytes),
    .LengthWidth(11)
  ) u_realign (
    .from_i   (6'd0),
    .to_i     (data_q.lane),
    .bytes_i  (data_q.bytes),
    .s_valid_i(word_valid_q),
    .s_ready_o(word_ready),
    .s_data_i (word_i),
    .m_valid_o(realign_valid),
    .m_ready_i(write_i.wready && busy_q),
    .m_data_o (wdata),
    .m_keep_o (wstrb),
    .m_last_o (all_out),
    .*
  );
  assign moves = write_o.wvalid && write_i.wready;
  assign write_o = '{
          awaddr: 64'({awaddr_q, 6'd0}),
          awlen: awlen_q,
          awvalid: awvalid_q,
          wdata: wdata,
          wstrb: padded_q ? '0 : wstrb,
          wlast: all_out || beat_q == data_q.first_beats,
          wvalid: realign_valid && busy_q,
          bready: bready
      };

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= 1'b0;
      word_valid_q <= 1'b0;
      left_q <= '0;
    end else begin
      if (data_load) busy_q <= data.write;
      else if (finish) busy_q <= 1'b0;
      if (rd_en || pads) word_valid_q <= 1'b1;
      else if (word_take) word_valid_q <= 1'b0;
      if (data_load) left_q <= data.write ? data.words - 5'(rd_en || pads) : '0;
      else if (rd_en || pads) left_q <= left_q - 5'd1;
    end
    if (data_load) data_q <= data;
    if (rd_en) place_q <= rd_place + place_t'(1);
    else if (data_load) place_q <= data.first;
    if (data_load || pads) padded_q <= pads;
    if (data_load) beat_q <= 5'd1;
    else if (moves) beat_q <= beat_q + 5'd1;
  end

  assign buffer_o = '{
          read: rd_en,
          read_own: data_load ? data.own : data_q.own,
          place: MaxPlaceWidth'(rd_place),
          free: (finish && !data_q.cut) || gives_back,
          free_own: gives_back ? data.own : data_q.own,
          free_words: gives_back ? data.words : data_q.words
      };
  assign gives_back = data_load && !data.write;

  // Works with cut, from their handshake to their last word; one of two has the other tag, and is
  // good.
  logic [1:0] cuts_q;
  assign cut_room_o = cuts_q == '0 || (cuts_q == 2'd1 && fate_i.good);
  always_ff @(posedge clk_i) begin
    if (rst_i) cuts_q <= '0;
    else cuts_q <= cuts_q + 2'(s_valid_i && s_ready_o && s_work_i.cut) - 2'(finish && data_q.cut);
  end

  // ---- Responses, in the order of the works ----
  prim_fifo_sync #(
    .Width      ($bits(open_t)),
    .Depth      (Open),
    .FallThrough(1'b0)
  ) u_open (
    .s_valid_i(start && (work.write || work.replies)),
    .s_ready_o(open_ready),
    .s_data_i({
      work.write ? (crosses ? 2'd2 : 2'd1) : 2'd0,
      work.cut,
      work.replies,
      work.reply,
      work.context_[ContextWidth-1:0],
      work.begins
    }),
    .m_valid_o(open_valid),
    .m_ready_i(open_done),
    .m_data_o(open),
    .level_o(open_level),
    .*
  );

  logic came;
  logic [1:0] came_q;
  logic refused_q, refused, all_came;
  logic looked_q;  // what memory said of the block before is there
  logic known_refused, nack;
  logic [$clog2(2*Open+1)-1:0] unused_fate_level;
  logic unused_fate_ready;
  logic fate_valid, fate_counts, fate_marked;  // of the oldest work with cut
  reply_t reply;

  assign bready = open_valid && came_q != open.bursts;
  assign came = write_i.bvalid && bready;
  assign all_came = open_valid && came_q + 2'(came) == open.bursts;
  assign memory_error_o = came && write_i.bresp[1];
  assign refused = refused_q || memory_error_o;
  assign open_done = all_came && looked_q && (fate_valid || !open.cut);
  assign nack = open.reply.nack || refused || (known_refused && !open.begins);

  prim_fifo_sync #(
    .Width      (2),
    .Depth      (2 * Open),
    .FallThrough(1'b0)
  ) u_fates (
    .s_valid_i(fate_i.settles),
    .s_ready_o(unused_fate_ready),
    .s_data_i ({fate_i.counts, fate_i.marked}),
    .m_valid_o(fate_valid),
    .m_ready_i(open_done && open.cut),
    .m_data_o ({fate_counts, fate_marked}),
    .level_o  (unused_fate_level),
    .*
  );

  prim_ram_1r1w #(
    .Width(1),
    .Depth(Contexts)
  ) u_refused (
    .clk_i(clk_i),
    .wr_en_i(open_done && (refused || open.begins)),
    .wr_addr_i(open.context_),
    .wr_data_i(refused),
    .rd_en_i(open_valid && !looked_q),
    .rd_addr_i(open.context_),
    .rd_data_o(known_refused)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i || open_done) begin
      came_q <= '0;
      refused_q <= 1'b0;
      looked_q <= 1'b0;
    end else begin
      if (came) begin
        came_q <= came_q + 2'd1;
        refused_q <= refused;
      end
      looked_q <= open_valid;
    end
    if (open_done) refused_o <= refused;
  end

  always_comb begin
    reply = open.reply;
    reply.nack = nack;
    reply.echo = open.reply.echo || (open.cut && fate_marked);
  end

  logic reply_room, reply_put;
  logic [$clog2(Replies+1)-1:0] unused_reply_level;
  assign reply_put = open_done && open.replies && (fate_counts || !open.cut);
  assign lost_o = reply_put && !reply_room;
  prim_fifo_sync #(
    .Width      ($bits(reply_t)),
    .Depth      (Replies),
    .FallThrough(1'b0)
  ) u_replies (
    .s_valid_i(reply_put),
    .s_ready_o(reply_room),
    .s_data_i (reply),
    .m_valid_o(reply_valid_o),
    .m_ready_i(reply_ready_i),
    .m_data_o (reply_o),
    .level_o  (unused_reply_level),
    .*
  );

  assign idle_o = work_level == '0 && data_level == '0 && !busy_q && open_level == '0;

  logic unused_low;
  assign unused_low = ^{end_[5:0], write_i.bresp[0], in_page[6:5], work, data_q};

endmodule
