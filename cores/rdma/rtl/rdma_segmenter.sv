// SPDX-License-Identifier: Apache-2.0
//
// rdma_segmenter: issues blocks and packets of the transfers in the queues.
//
// What      Stage 1 picks a queue, takes its first entry, and reads descriptor and metadata. Stage
//           2 decides: cuts the next block (rdma_blocks) or makes the packet, gives it TID and
//           sequence number, counts it in the metadata, notes it in Pending, and enters the
//           transfer again if it has blocks left and fewer than Outstanding under way. What the
//           handler wants to be sent again goes the same way, in front of all queues.
// Why       One place gives out numbers, so what is issued, pending and counted always agree.
// Contract  No stage ever waits: stage 1 takes an entry only if there is room and a number for what
//           may come of it. So the metadata are read and written in two cycles in a row
//           (rdma_metadata), and a block that cannot leave holds up nobody else. enable_i: all
//           memories are ready. service_i: see rdma_weights. Queues: take and put, as rdma_queues;
//           a put is done in its cycle. Numbers: rdma_numbers. row_i is that of the transfer of the
//           cycle before. issue: its word is that of its TID from now on. again_i stays until
//           again_done_o, which comes with its issue. reap: a transfer that has failed was in a
//           queue and nothing of it is under way any more: the handler has to finish it.
// Latency   From an entry in a queue to packet_valid_o or block_valid_o of a first block: 1 cycle;
//           others 2. One issue per cycle.
//
// Parameters
//   Transfers     transfers, a power of two
//   Priorities    intra-priorities, 1 to 16
//   Outstanding   blocks of a transfer under way at most, 1 to 15
//   Reserve       TIDs that only packets get
//   TidCount      TIDs in the pool

module rdma_segmenter
  import rdma_pkg::*;
#(
  parameter int unsigned Transfers = 2048,
  parameter int unsigned Priorities = 16,
  parameter int unsigned Outstanding = 2,
  parameter int unsigned Reserve = 32,
  parameter int unsigned TidCount = 512,
  localparam int unsigned Queues = 2 + 4 * Priorities
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  input  logic                       enable_i,
  input  logic          [      15:0] node_i,
  input  service_t                   service_i,
  input  logic          [Queues-1:0] nonempty_i,
  output logic                       take_o,
  output queue_t                     take_queue_o,
  input  entry_t                     take_i,
  output logic                       put_valid_o,
  output put_t                       put_o,
  input  free_t                      numbers_i,
  output taken_t                     taken_o,
  output metadata_req_t              metadata_o,
  input  logic                       metadata_go_i,
  input  metadata_t                  metadata_i,
  input  row_t                       row_i,
  output logic                       issue_valid_o,
  output issue_t                     issue_o,
  input  logic                       again_valid_i,
  input  again_t                     again_i,
  output logic                       again_done_o,
  output logic                       reap_valid_o,
  input  logic                       reap_ready_i,
  output reap_t                      reap_o,
  output logic                       block_valid_o,
  input  logic                       block_ready_i,
  output block_job_t                 block_o,
  output logic                       packet_valid_o,
  input  logic                       packet_ready_i,
  output packet_job_t                packet_o
);

  if (Transfers < 256 || Transfers > 2048 || (Transfers & (Transfers - 1)) != 0)
  begin : gen_bad_transfers
    $error("rdma_segmenter %m: rule Transfers is a power of two, 256 to 2048, got %0d", Transfers);
  end
  if (Outstanding < 1 || Outstanding > 15) begin : gen_bad_outstanding
    $error("rdma_segmenter %m: rule 1 <= Outstanding <= 15, got %0d", Outstanding);
  end
  if (Reserve >= TidCount) begin : gen_bad_reserve
    $error("rdma_segmenter %m: rule Reserve < TidCount, got %0d", Reserve);
  end

  // Room behind the stages. At most BlockRoom blocks may be in front of one of higher priority.
  localparam int unsigned BlockRoom = 2;
  localparam int unsigned PacketRoom = 4;
  localparam logic [1:0] FourPaths = 2'd2;

  // Stage 1: what goes to stage 2, and what is needed for it.
  typedef struct packed {
    logic again, packet;
    taken_t takes;  // a TID only if its transfer has not failed
    entry_t entry;
  } stage_t;

  stage_t now, stage_q;
  logic valid_q, found, again_go, go, pick_packet;
  taken_t pick_takes;
  logic packet_room, block_room;
  logic [1:0] blocks_held;  // behind stage 2
  logic [$clog2(PacketRoom+1)-1:0] packet_level;
  logic [1:0] reap_level;

  // Stage 2 is counted as if it took all that it may take.
  logic tid_used, single_used, group_used;
  assign tid_used = valid_q && stage_q.takes.tid;
  assign packet_room = valid_q && stage_q.packet ? 32'(packet_level) < PacketRoom - 1
      : 32'(packet_level) < PacketRoom;
  assign block_room = valid_q && !stage_q.packet ? 32'(blocks_held) < BlockRoom - 1
      : 32'(blocks_held) < BlockRoom;

  // What is left of the numbers when stage 2 has taken its own, seen without a subtraction.
  logic tid_some, tid_spare, single_some, group_some;
  assign tid_some = tid_used ? 32'(numbers_i.tids) > 1 : 32'(numbers_i.tids) > 0;
  assign tid_spare = tid_used ? 32'(numbers_i.tids) > Reserve + 1 : 32'(numbers_i.tids) > Reserve;
  assign single_used = valid_q && stage_q.takes.single;
  assign group_used = valid_q && stage_q.takes.group;
  assign single_some = single_used ? 32'(numbers_i.singles) > 1 : numbers_i.singles != '0;
  assign group_some = group_used ? 32'(numbers_i.groups) > 1 : numbers_i.groups != '0;

  logic [2:0] may, can;
  logic issued_valid;
  block_class_t issued;

  rdma_weights u_weights (
    .room_i        (block_room),
    .can_i         (can),
    .issued_valid_i(issued_valid),
    .issued_i      (issued),
    .may_o         (may),
    .*
  );

  rdma_pick #(
    .Priorities(Priorities)
  ) u_pick (
    .nonempty_i   (nonempty_i),
    .packet_room_i(packet_room),
    .block_room_i (block_room),
    .tid_i        (tid_some),
    .spare_tid_i  (tid_spare),
    .single_i     (single_some),
    .group_i      (group_some),
    .may_i        (may),
    .can_o        (can),
    .found_o      (found),
    .queue_o      (take_queue_o),
    .packet_o     (pick_packet),
    .takes_o      (pick_takes)
  );

  assign again_go = again_valid_i && !(valid_q && stage_q.again)
      && (again_i.packet ? packet_room : block_room);
  assign metadata_o.want = enable_i && !rst_i && reap_level == '0 && (again_go || found);
  assign metadata_o.transfer = now.entry.transfer;
  assign go = metadata_o.want && metadata_go_i;
  assign take_o = go && !again_go;

  always_comb begin
    now = '{again: 1'b0, packet: pick_packet, takes: pick_takes, entry: take_i};
    if (again_go) begin
      now = '0;
      now.again = 1'b1;
      now.packet = again_i.packet;
      now.entry.tag = '{control: again_i.control, issued: 1'b1};
      now.entry.transfer = again_i.transfer;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else valid_q <= go;
    if (go) stage_q <= now;
  end

  // Stage 2: what is issued.
  line_t line;
  metadata_t old_word, new_word;
  logic [1:0] class_;
  logic flowless, dead, again_next, last;
  logic [TidWidth-1:0] ring_tid;
  logic [Places-1:0] ring_map;
  logic [RingWidth-1:0] ring_next;
  logic unused_ring_free;
  logic [Places-1:0] unused_answer_map;
  logic [NumberWidth-1:0] number;
  logic [SequenceWidth-1:0] sequence_;
  logic [TriesWidth-1:0] tries;
  use_t use_now;
  logic issue;
  tid_t tid;

  always_comb begin
    old_word = metadata_i;
    if (!stage_q.entry.tag.issued) begin
      old_word = '0;
      if (stage_q.takes.single) old_word.ways.flows.flow = numbers_i.single;
      if (stage_q.takes.group) old_word.ways.flows.flow = numbers_i.group;
    end
  end

  // A read and its control packet leave the flows to the other node.
  assign line = row_i.line;
  assign class_ = line.read ? '0 : line.class_;
  assign flowless = stage_q.packet || class_ == '0;
  // The end of a read that has failed is told.
  assign dead = !stage_q.again && old_word.failed && !stage_q.entry.tag.control;
  assign issue = valid_q && !dead;
  assign tid = stage_q.again ? again_i.tid : flowless ? numbers_i.tid : ring_tid;
  assign again_done_o = valid_q && stage_q.again;
  assign number = stage_q.again ? again_i.number : old_word.issued;
  assign tries = stage_q.again ? again_i.tries : '0;
  assign use_now = '{tries: tries, sequence_: sequence_, tid: tid};

  assign taken_o.tid = valid_q && stage_q.takes.tid && !dead;
  assign taken_o.single = valid_q && stage_q.takes.single;
  assign taken_o.group = valid_q && stage_q.takes.group;

  rdma_ring #(
    .FlowBlocks(FlowBlocks),
    .FlowWidth (FlowWidth)
  ) u_ring (
    .issue_four_i (class_ == FourPaths),
    .issue_flow_i (old_word.ways.flows.flow),
    .issue_place_i(ring_place(class_ == FourPaths, old_word.issued[RingWidth-1:0])),
    .issue_map_i  (old_word.ways.flows.map),
    .issue_tid_o  (ring_tid),
    .issue_free_o (unused_ring_free),
    .issue_map_o  (ring_map),
    .issue_next_o (ring_next),
    .answer_four_i(1'b0),
    .answer_step_i('0),
    .answer_map_i ('0),
    .answer_map_o (unused_answer_map)
  );

  rdma_sequence u_sequence (
    .clk_i   (clk_i),
    .use_i   (issue),
    .tid_i   (tid),
    .number_o(sequence_)
  );

  always_comb begin
    new_word   = old_word;
    again_next = 1'b0;
    if (!stage_q.again) begin
      new_word.queued = 1'b0;
      if (!dead) begin
        new_word.under_way = old_word.under_way + 1'b1;
        if (stage_q.packet) begin
          if (stage_q.entry.tag.control) new_word.control = 1'b1;
          if (line.read) begin
            new_word.reading = 1'b1;
            new_word.ways.request = '{tid: tid, sequence_: sequence_};
          end
        end else begin
          new_word.issued = old_word.issued + 1'b1;
          new_word.more   = !last;
          if (!flowless) new_word.ways.flows.map = ring_map;
          again_next = !last && 32'(new_word.under_way) < Outstanding
              && (flowless || !ring_map[ring_next]);
          new_word.queued = again_next;
        end
      end
    end
  end

  assign metadata_o.word = new_word;

  // The entry is made a cycle later: in the metadata it is on its way.
  queue_t put_queue;
  always_ff @(posedge clk_i) begin
    if (rst_i) put_valid_o <= 1'b0;
    else put_valid_o <= valid_q && again_next;
    put_o.queue_ <= put_queue;
    put_o.entry.transfer <= stage_q.entry.transfer;
  end
  assign put_o.entry.tag = '{control: 1'b0, issued: 1'b1};
  rdma_queue_number #(
    .Priorities(Priorities)
  ) u_queue (
    .packet_i  (1'b0),
    .class_i   (class_),
    .has_flow_i(1'b1),
    .priority_i(line.priority_),
    .queue_o   (put_queue)
  );

  assign issue_valid_o = issue;
  assign issue_o = '{
          first: !stage_q.again,
          read: !stage_q.again && line.read,
          tid: tid,
          pending: '{
              node: line.read ? line.source[63:48] : line.destination[63:48],
              number: number,
              notify: line.notify && !line.read,
              priority_: line.priority_,
              class_: class_,
              control: stage_q.entry.tag.control,
              packet: stage_q.packet,
              transfer: stage_q.entry.transfer,
              tries: tries,
              sequence_: sequence_
          }
      };

  // A failed transfer that waited in a queue until now.
  logic unused_reap_ready;
  prim_fifo_sync #(
    .Width      ($bits(reap_t)),
    .Depth      (2),
    .FallThrough(1'b0)
  ) u_reap (
    .s_valid_i(valid_q && dead && old_word.under_way == '0),
    .s_ready_o(unused_reap_ready),
    .s_data_i ({stage_q.entry.transfer, class_}),
    .m_valid_o(reap_valid_o),
    .m_ready_i(reap_ready_i),
    .m_data_o (reap_o),
    .level_o  (reap_level),
    .*
  );

  // Packets.
  packet_t packet;
  logic unused_packet_ready;
  rdma_packet u_packet (
    .control_i (stage_q.entry.tag.control),
    .failed_i  (old_word.failed),
    .transfer_i(stage_q.entry.transfer),
    .node_i    (node_i),
    .line_i    (line),
    .second_i  (row_i.second),
    .asked_i   (row_i.asked),
    .packet_o  (packet)
  );

  prim_fifo_sync #(
    .Width($bits(packet_job_t)),
    .Depth(PacketRoom)
  ) u_packets (
    .s_valid_i(issue && stage_q.packet),
    .s_ready_o(unused_packet_ready),
    .s_data_i ({use_now, packet}),
    .m_valid_o(packet_valid_o),
    .m_ready_i(packet_ready_i),
    .m_data_o (packet_o),
    .level_o  (packet_level),
    .*
  );

  rdma_blocks #(
    .Room(BlockRoom)
  ) u_blocks (
    .s_valid_i     (issue && !stage_q.packet),
    .s_line_i      (line),
    .s_number_i    (number),
    .s_use_i       (use_now),
    .s_managed_i   (!flowless),
    .s_transfer_i  (stage_q.entry.transfer),
    .s_epoch_i     (row_i.asked.epoch),
    .last_o        (last),
    .held_o        (blocks_held),
    .issued_valid_o(issued_valid),
    .issued_o      (issued),
    .m_valid_o     (block_valid_o),
    .m_ready_i     (block_ready_i),
    .m_job_o       (block_o),
    .*
  );

endmodule
