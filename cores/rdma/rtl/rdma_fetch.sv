// SPDX-License-Identifier: Apache-2.0
//
// rdma_fetch: reads blocks from memory and cuts them into packets.
//
// What      Takes block descriptors, reads their bytes over AXI4, moves them to lane 0, and offers
//           packets of up to 1024 bytes, each when its first words are there.
// Why       A packet need not wait for its end: with LeadWords = 1 a memory that gives a word in
//           each cycle fills it without a gap, with 9 one that gives a word in every second cycle.
// Contract  s side: valid and ready, size 1 to 65536 bytes. Reads are bursts of 64-byte words,
//           aligned, none across 4096 bytes, none longer than BurstWords, in order. A burst is
//           requested when the buffer has room for all of it: the memory waits for one cycle at the
//           end of a block, else never. packet side: valid and ready; header and footer without
//           epoch, node and CRC; its first word is at the word side with it. packet_failed_o: from
//           here to the end of the block, bytes could not be read. The payload, words_of(bytes)
//           words, comes at the word side, valid and ready, and is to be taken before the next
//           packet. word_failed_o: the same for this word and all behind it; what the word holds
//           is nothing. Lanes behind its end are zero. Blocks leave in the order in which they
//           came.
// Storage   the words: block RAM of 512 bits; blocks and packets under way: LUT memory.
//
// Parameters
//   AddrWidth     bits of an address, 13 to 64
//   BufferWords   words read or requested, at most, >= BurstWords and >= 32
//   BurstWords    words of a burst, at most, 1 to 64
//   LeadWords     words of a packet that are there when it is offered, or all if it has fewer, 1 to
//                 16: with 16 it never waits for memory

module rdma_fetch
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
  import rdma_bus_pkg::*;
#(
  parameter int unsigned AddrWidth   = 48,
  parameter int unsigned BufferWords = 512,
  parameter int unsigned BurstWords  = 64,
  parameter int unsigned LeadWords   = 1
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               s_valid_i,
  output logic               s_ready_o,
  input  block_job_t         s_job_i,
  output read_req_t          read_o,
  input  read_rsp_t          read_i,
  output logic               packet_valid_o,
  input  logic               packet_ready_i,
  output frame_t             packet_o,
  output logic               packet_failed_o,
  output logic               word_valid_o,
  input  logic               word_ready_i,
  output logic               word_failed_o,
  output logic       [511:0] word_o
);

  if (AddrWidth < 13 || AddrWidth > 64) begin : gen_bad_address
    $error("rdma_fetch %m: rule 13 <= AddrWidth <= 64, got %0d", AddrWidth);
  end
  if (BurstWords < 1 || BurstWords > 64) begin : gen_bad_burst
    $error("rdma_fetch %m: rule 1 <= BurstWords <= 64, got %0d", BurstWords);
  end
  if (BufferWords < 32 || BufferWords < BurstWords) begin : gen_bad_buffer
    $error("rdma_fetch %m: rule BufferWords >= 32 and >= BurstWords, got %0d", BufferWords);
  end
  if (LeadWords < 1 || LeadWords > PayloadWords) begin : gen_bad_lead
    $error("rdma_fetch %m: rule 1 <= LeadWords <= %0d, got %0d", PayloadWords, LeadWords);
  end

  localparam int unsigned RoomWidth = $clog2(BufferWords + 1);
  localparam int unsigned Blocks = 16;
  localparam int unsigned Packets = 32;
  localparam int unsigned PlaceWidth = AddrWidth - 6;

  typedef logic [RoomWidth-1:0] room_t;

  // Asking: the words of one block, burst by burst.
  logic [PlaceWidth-1:0] place_q, addr_q;
  logic [7:0] len_q;
  logic arvalid_q;
  logic [10:0] left_q;
  logic load, ask, free;
  logic [ 5:0] in_page;  // of the next burst
  logic [10:0] left;
  logic [6:0] to_boundary, most, burst_q;
  room_t room_q;
  logic job_ready, job_valid, job_done;
  block_job_t job;
  logic [17:0] end_;
  logic [4:0] unused_job_level;

  assign end_ = 18'(s_job_i.block.source[5:0]) + 18'(s_job_i.block.size) + 18'd63;
  assign load = s_valid_i && s_ready_o;
  assign s_ready_o = left_q == '0 && job_ready;
  assign in_page = load ? s_job_i.block.source[11:6] : place_q[5:0];
  assign left = load ? 11'(end_ >> 6) : left_q;
  assign to_boundary = 7'd64 - 7'(in_page);
  assign most = to_boundary < 7'(BurstWords) ? to_boundary : 7'(BurstWords);
  assign free = !arvalid_q || read_i.arready;
  assign ask = burst_q != '0 && free && 32'(room_q) >= 32'(burst_q);

  // A cycle to see how long the burst can be, for the first one that of the block; one to ask.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      left_q <= '0;
      burst_q <= '0;
      place_q <= '0;
      arvalid_q <= 1'b0;
    end else begin
      left_q <= ask ? left_q - 11'(burst_q) : left;
      if (ask) burst_q <= '0;
      else if (burst_q == '0) burst_q <= left < 11'(most) ? left[6:0] : most;
      if (load) place_q <= s_job_i.block.source[AddrWidth-1:6];
      else if (ask) place_q <= place_q + PlaceWidth'(burst_q);
      if (free) arvalid_q <= ask;
    end
    if (free) begin
      addr_q <= place_q;
      len_q  <= 8'(burst_q) - 8'd1;
    end
  end

  prim_fifo_sync #(
    .Width      ($bits(block_job_t)),
    .Depth      (Blocks),
    .FallThrough(1'b0)
  ) u_jobs (
    .s_valid_i(load),
    .s_ready_o(job_ready),
    .s_data_i (s_job_i),
    .m_valid_o(job_valid),
    .m_ready_i(job_done),
    .m_data_o (job),
    .level_o  (unused_job_level),
    .*
  );

  // Words as they come, moved to lane 0.
  logic turned_valid, turned_ready;
  logic [511:0] turned;
  logic [ 63:0] unused_keep;
  logic turned_last, realign_ready, read;

  axis_realign #(
    .Bytes      (WordBytes),
    .LengthWidth(17)
  ) u_realign (
    .from_i   (job.block.source[5:0]),
    .to_i     (6'd0),
    .bytes_i  (job.block.size),
    .s_valid_i(read_i.rvalid && job_valid),
    .s_ready_o(realign_ready),
    .s_data_i (read_i.rdata),
    .m_valid_o(turned_valid),
    .m_ready_i(turned_ready),
    .m_data_o (turned),
    .m_keep_o (unused_keep),
    .m_last_o (turned_last),
    .*
  );

  assign read = read_i.rvalid && read_o.rready;
  assign read_o = '{
          araddr: 64'({addr_q, 6'd0}),
          arlen: len_q,
          arvalid: arvalid_q,
          rready: realign_ready && job_valid
      };

  // Packets of the block.
  localparam logic [PayloadWords-1:0] InFront = PayloadWords'((1 << (LeadWords - 1)) - 1);
  logic [3:0] count_q;
  logic [5:0] index_q;
  logic failed_q, failed, move, packet_end, last_packet, packet_room, word_room;
  logic offer;  // with this word
  logic [16:0] before_end;
  frame_t frame;

  assign turned_ready = packet_room && word_room && job_valid;
  assign move = turned_valid && turned_ready;
  assign packet_end = turned_last || count_q == 4'(PayloadWords - 1);
  assign offer = move && (count_q == 4'(LeadWords - 1) || (packet_end && InFront[count_q]));
  assign job_done = move && turned_last;
  // Once a word could not be read, nothing of the rest is good: a word goes into two.
  assign failed = failed_q || (read && read_i.rresp[1]);
  assign before_end = job.block.size - 17'd1;
  assign last_packet = index_q == before_end[15:10];

  always_comb begin
    frame = '0;
    frame.header.address = job.block.destination;
    frame.header.address[47:10] = job.block.destination[47:10] + 38'(index_q);
    frame.header.kind = KindData;
    frame.header.tid = job.use_.tid;
    frame.header.sequence_ = job.use_.sequence_;
    frame.header.domain = job.block.domain;
    frame.footer.bytes = last_packet ? 11'(before_end[9:0]) + 11'd1 : 11'(PayloadBytes);
    frame.footer.index = index_q;
    frame.footer.last = before_end[15:10];
    frame.footer.notify = job.block.notify;
    frame.footer.managed = job.block.managed;
    frame.footer.tries = job.use_.tries;
    frame.footer.transfer = job.block.transfer;
    frame.footer.asked = job.block.asked;
    frame.footer.epoch = job.block.epoch;
    frame.footer.qos = job.block.qos;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q  <= '0;
      index_q  <= '0;
      failed_q <= 1'b0;
    end else begin
      if (move) begin
        count_q <= packet_end ? '0 : count_q + 4'd1;
        if (packet_end) index_q <= turned_last ? '0 : index_q + 6'd1;
      end
      failed_q <= failed && !job_done;
    end
  end

  logic [$clog2(Packets+1)-1:0] unused_packet_level;
  prim_fifo_sync #(
    .Width      ($bits(frame_t) + 1),
    .Depth      (Packets),
    .FallThrough(1'b0)
  ) u_packets (
    .s_valid_i(offer),
    .s_ready_o(packet_room),
    .s_data_i ({failed, frame}),
    .m_valid_o(packet_valid_o),
    .m_ready_i(packet_ready_i),
    .m_data_o ({packet_failed_o, packet_o}),
    .level_o  (unused_packet_level),
    .*
  );

  logic  word_out;
  room_t unused_word_level;
  prim_fifo_sync #(
    .Width      (513),
    .Depth      (BufferWords),
    .FallThrough(1'b0)
  ) u_words (
    .s_valid_i(move),
    .s_ready_o(word_room),
    .s_data_i ({failed, turned}),
    .m_valid_o(word_valid_o),
    .m_ready_i(word_ready_i),
    .m_data_o ({word_failed_o, word_o}),
    .level_o  (unused_word_level),
    .*
  );
  assign word_out = word_valid_o && word_ready_i;

  // Room comes back with each word that leaves, and with a block that made one word fewer than it
  // took; a cycle later, as the end of a block is known late in its own.
  logic fewer;
  logic [1:0] back_q;
  assign fewer = job_done && read && job.block.source[5:0] != '0;

  always_ff @(posedge clk_i) begin
    back_q <= rst_i ? '0 : 2'(word_out) + 2'(fewer);
    if (rst_i) room_q <= room_t'(BufferWords);
    else room_q <= room_q + room_t'(back_q) - (ask ? room_t'(burst_q) : '0);
  end

  // Node of the source, and fields that are of use to a table only.
  logic unused_fields;
  assign unused_fields = ^{job.block, s_job_i, end_, read_i, before_end};

endmodule
