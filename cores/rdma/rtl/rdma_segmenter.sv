// SPDX-License-Identifier: Apache-2.0
//
// rdma_segmenter: issues blocks and packets of the transfers in the queues.
//
// What      Stage 1 picks a queue, takes its first entry, and reads descriptor and metadata. Stage 2 decides: cuts the
//           next block or makes the packet, gives it TID and sequence number, counts it in the metadata, notes it in Pending, and enters the
//           transfer again if it has blocks left and fewer than Outstanding under way. Stage 3 (in rdma_cutter) adds up the addresses of
//           blocks that are not the first. What the handler wants to be sent again (again_*) goes the same way, in front of all queues.
// Why       One place gives out numbers, so what is issued, pending and counted always agree.
// Contract  No stage ever waits: stage 1 takes an entry only if there is room and a number for what may come of it. So the metadata are read
//           and written in two cycles in a row (rdma_metadata), and a block that cannot leave holds up nobody else.
//           enable_i: all memories are ready. Queues: take_* and put_*, as rdma_queues; a put is done in its cycle. Numbers: the
//           counts of free ones and the next one, which is taken with *_take_o (rdma_id_pool). Table: line_i and second_i belong to the
//           transfer of the cycle before, and so does asked_i, if it is a read channel. issue_o: pending_o is the word of TID issue_tid_o from now on, issue_first_o: and the
//           TID is under way from now on; issue_read_o: what is issued is a read request, for the first time. again_i stays until again_done_o, which comes with its issue_o. reap: a transfer that has failed was in a queue
//           and nothing of it is under way any more: the handler has to finish it.
// Latency   From an entry in a queue to packet_valid_o or block_valid_o of a first block: 1 cycle; others 2. One issue per cycle.
//
// Parameters
//   Transfers     transfers, a power of two
//   Priorities    intra-priorities, 1 to 16
//   Outstanding   blocks of a transfer under way at most, 1 to 15
//   Reserve       TIDs that only packets get
//   TidCount, SingleCount, GroupCount   numbers in the pools

module rdma_segmenter
  import rdma_pkg::*;
#(
  parameter int unsigned Transfers = 2048,
  parameter int unsigned Priorities = 16,
  parameter int unsigned Outstanding = 2,
  parameter int unsigned Reserve = 32,
  parameter int unsigned TidCount = 512,
  parameter int unsigned SingleCount = 64,
  parameter int unsigned GroupCount = 16,
  localparam int unsigned IndexWidth = $clog2(Transfers),
  localparam int unsigned Queues = 2 + 4 * Priorities,
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                                        clk_i,
  input  logic                                        rst_i,
  input  logic                                        enable_i,
  input  logic      [                     15:0]       node_i,
  input  logic      [               Queues-1:0]       nonempty_i,
  output logic                                        take_o,
  output logic      [           QueueWidth-1:0]       take_queue_o,
  input  logic      [           IndexWidth-1:0]       take_transfer_i,
  input  tag_t                                        take_tag_i,
  output logic                                        put_o,
  output logic      [           QueueWidth-1:0]       put_queue_o,
  output logic      [           IndexWidth-1:0]       put_transfer_o,
  output tag_t                                        put_tag_o,
  input  logic      [   $clog2(TidCount+1)-1:0]       tid_free_i,
  input  logic      [             TidWidth-1:0]       tid_i,
  output logic                                        tid_take_o,
  input  logic      [$clog2(SingleCount+1)-1:0]       single_free_i,
  input  logic      [            FlowWidth-1:0]       single_i,
  output logic                                        single_take_o,
  input  logic      [ $clog2(GroupCount+1)-1:0]       group_free_i,
  input  logic      [            FlowWidth-1:0]       group_i,
  output logic                                        group_take_o,
  output logic                                        metadata_want_o,
  output logic      [           IndexWidth-1:0]       metadata_transfer_o,
  input  logic                                        metadata_go_i,
  input  metadata_t                                   metadata_i,
  output metadata_t                                   metadata_o,
  input  line_t                                       line_i,
  input  logic      [                      3:0][63:0] second_i,
  input  asked_t                                      asked_i,
  output logic                                        issue_o,
  output logic                                        issue_first_o,
  output logic                                        issue_read_o,
  output logic      [             TidWidth-1:0]       issue_tid_o,
  output pending_t                                    pending_o,
  input  logic                                        again_valid_i,
  input  again_t                                      again_i,
  output logic                                        again_done_o,
  output logic                                        reap_valid_o,
  input  logic                                        reap_ready_i,
  output logic      [           IndexWidth-1:0]       reap_transfer_o,
  output logic      [                      1:0]       reap_class_o,
  output logic                                        block_valid_o,
  input  logic                                        block_ready_i,
  output use_t                                        block_use_o,
  output block_t                                      block_o,
  output logic                                        packet_valid_o,
  input  logic                                        packet_ready_i,
  output use_t                                        packet_use_o,
  output packet_t                                     packet_o
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

  localparam int unsigned BlockBytes = 65536;
  // Room behind the stages. Two blocks: so many may be in front of one of higher priority.
  localparam int unsigned BlockRoom = 2;
  localparam int unsigned PacketRoom = 4;
  localparam logic [1:0] FourPaths = 2'd2;

  typedef logic [QueueWidth-1:0] queue_t;

  // Stage 1: what goes to stage 2, and what is needed for it.
  typedef struct packed {
    logic again;
    logic packet;
    logic tid;  // takes a TID out of the pool, unless its transfer has failed
    logic single;
    logic group;
    tag_t tag;
    logic [IndexWidth-1:0] transfer;
  } stage_t;

  stage_t now;
  stage_t stage_q;
  logic valid_q;
  logic found;
  logic again_go;
  logic go;
  logic pick_packet;
  logic pick_tid;
  logic pick_single;
  logic pick_group;
  logic packet_room;
  logic block_room;
  logic stage3_q;
  logic [$clog2(BlockRoom+1)-1:0] block_level;
  logic [$clog2(PacketRoom+1)-1:0] packet_level;
  logic [1:0] reap_level;

  // Stage 2 is counted as if it took all that it may take.
  logic tid_used;
  assign tid_used = valid_q && stage_q.tid;
  assign packet_room = 32'(packet_level) + 32'(valid_q && stage_q.packet) < PacketRoom;
  assign block_room = 32'(block_level) + 32'(valid_q && !stage_q.packet) + 32'(stage3_q)
      < BlockRoom;

  // What is left of the numbers when stage 2 has taken its own, seen without a subtraction.
  logic tid_some;
  logic tid_spare;
  logic single_some;
  logic group_some;
  assign tid_some = tid_used ? 32'(tid_free_i) > 1 : 32'(tid_free_i) > 0;
  assign tid_spare = tid_used ? 32'(tid_free_i) > Reserve + 1 : 32'(tid_free_i) > Reserve;
  assign single_some = (valid_q && stage_q.single) ? 32'(single_free_i) > 1 : single_free_i != '0;
  assign group_some = (valid_q && stage_q.group) ? 32'(group_free_i) > 1 : group_free_i != '0;

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
    .found_o      (found),
    .queue_o      (take_queue_o),
    .packet_o     (pick_packet),
    .tid_o        (pick_tid),
    .single_o     (pick_single),
    .group_o      (pick_group)
  );

  assign again_go = again_valid_i && !(valid_q && stage_q.again)
      && (again_i.packet ? packet_room : block_room);
  assign metadata_want_o = enable_i && !rst_i && reap_level == '0 && (again_go || found);
  assign metadata_transfer_o = now.transfer;
  assign go = metadata_want_o && metadata_go_i;
  assign take_o = go && !again_go;

  always_comb begin
    now = '{
        again: 1'b0,
        packet: pick_packet,
        tid: pick_tid,
        single: pick_single,
        group: pick_group,
        tag: take_tag_i,
        transfer: take_transfer_i
    };
    if (again_go) begin
      now = '0;
      now.again = 1'b1;
      now.packet = again_i.packet;
      now.tag = '{control: again_i.control, issued: 1'b1};
      now.transfer = again_i.transfer[IndexWidth-1:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else valid_q <= go;
    if (go) stage_q <= now;
  end

  // Stage 2: what is issued.
  metadata_t old_word;
  metadata_t new_word;
  logic [1:0] class_;
  logic flowless;
  logic dead;
  logic again_next;
  logic last;
  logic [TidWidth-1:0] ring_tid;
  logic [Places-1:0] ring_map;
  logic [RingWidth-1:0] ring_next;
  logic unused_ring_free;
  logic [Places-1:0] unused_answer_map;
  logic [NumberWidth-1:0] number;
  logic [SequenceWidth-1:0] sequence_;
  logic [TriesWidth-1:0] tries;
  use_t use_now;

  always_comb begin
    old_word = metadata_i;
    if (!stage_q.tag.issued) begin
      old_word = '0;
      if (stage_q.single) old_word.ways.flows.flow = single_i;
      if (stage_q.group) old_word.ways.flows.flow = group_i;
    end
  end

  // A read and its control packet leave the flows to the other node.
  assign class_ = line_i.read ? '0 : line_i.class_;
  assign flowless = stage_q.packet || class_ == '0;
  // The end of a read that has failed is told.
  assign dead = !stage_q.again && old_word.failed && !stage_q.tag.control;
  assign issue_o = valid_q && !dead;
  assign issue_first_o = !stage_q.again;
  assign issue_read_o = issue_o && issue_first_o && line_i.read;
  assign issue_tid_o = stage_q.again ? again_i.tid : flowless ? tid_i : ring_tid;
  assign again_done_o = valid_q && stage_q.again;
  assign number = stage_q.again ? again_i.number : old_word.issued;
  assign tries = stage_q.again ? again_i.tries : '0;
  assign use_now = '{tries: tries, sequence_: sequence_, tid: issue_tid_o};

  assign tid_take_o = valid_q && stage_q.tid && !dead;
  assign single_take_o = valid_q && stage_q.single;
  assign group_take_o = valid_q && stage_q.group;

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
    .use_i   (issue_o),
    .tid_i   (issue_tid_o),
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
          if (stage_q.tag.control) new_word.control = 1'b1;
          if (line_i.read) begin
            new_word.reading = 1'b1;
            new_word.ways.request = '{tid: issue_tid_o, sequence_: sequence_};
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

  assign metadata_o = new_word;

  // The entry is made a cycle later: in the metadata it is on its way.
  queue_t put_queue;
  always_ff @(posedge clk_i) begin
    if (rst_i) put_o <= 1'b0;
    else put_o <= valid_q && again_next;
    put_queue_o <= put_queue;
    put_transfer_o <= stage_q.transfer;
  end
  assign put_tag_o = '{control: 1'b0, issued: 1'b1};
  rdma_queue_number #(
    .Priorities(Priorities)
  ) u_queue (
    .class_i   (class_),
    .has_flow_i(1'b1),
    .priority_i(line_i.priority_),
    .queue_o   (put_queue)
  );

  assign pending_o.node = line_i.read ? line_i.source[63:48] : line_i.destination[63:48];
  assign pending_o.number = number;
  assign pending_o.notify = line_i.notify && !line_i.read;
  assign pending_o.priority_ = line_i.priority_;
  assign pending_o.class_ = class_;
  assign pending_o.control = stage_q.tag.control;
  assign pending_o.packet = stage_q.packet;
  assign pending_o.transfer = TransferWidth'(stage_q.transfer);
  assign pending_o.tries = tries;
  assign pending_o.sequence_ = sequence_;

  // A failed transfer that waited in a queue until now.
  logic unused_reap_ready;
  prim_fifo_sync #(
    .Width      (IndexWidth + 2),
    .Depth      (2),
    .FallThrough(1'b0)
  ) u_reap (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(valid_q && dead && old_word.under_way == '0),
    .s_ready_o(unused_reap_ready),
    .s_data_i ({stage_q.transfer, class_}),
    .m_valid_o(reap_valid_o),
    .m_ready_i(reap_ready_i),
    .m_data_o ({reap_transfer_o, reap_class_o}),
    .level_o  (reap_level)
  );

  // Packets.
  packet_t packet;
  logic unused_packet_ready;
  rdma_packet u_packet (
    .control_i (stage_q.tag.control),
    .failed_i  (old_word.failed),
    .transfer_i(TransferWidth'(stage_q.transfer)),
    .node_i    (node_i),
    .line_i    (line_i),
    .second_i  (second_i),
    .asked_i   (asked_i),
    .packet_o  (packet)
  );

  prim_fifo_sync #(
    .Width($bits(use_t) + $bits(packet_t)),
    .Depth(PacketRoom)
  ) u_packets (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(issue_o && stage_q.packet),
    .s_ready_o(unused_packet_ready),
    .s_data_i ({use_now, packet}),
    .m_valid_o(packet_valid_o),
    .m_ready_i(packet_ready_i),
    .m_data_o ({packet_use_o, packet_o}),
    .level_o  (packet_level)
  );

  // Blocks. What is known of a block before it is cut goes along.
  typedef struct packed {
    use_t use_;
    logic managed;
    logic chained;
    logic notify;
    logic [TransferWidth-1:0] transfer;
    logic asked;
    logic [3:0] epoch;
    logic [21:0] qos;
    logic [15:0] source_node;
    logic [15:0] destination_node;
  } along_t;

  along_t along_in;
  along_t along;
  logic cut;
  logic cut_last;
  logic [47:0] cut_source;
  logic [47:0] cut_destination;
  logic [16:0] cut_bytes;
  logic [NumberWidth-1:0] unused_total;
  logic unused_cutter_ready;
  logic unused_block_ready;
  block_t block;

  assign along_in = '{
          use_: use_now,
          managed: !flowless,
          chained: number != '0,
          notify: line_i.notify && !line_i.read,
          transfer: TransferWidth'(stage_q.transfer),
          // Channels from 64 on serve reads of other nodes.
          asked:
          stage_q.transfer[
          6
          ],
          epoch: stage_q.transfer[6] ? asked_i.epoch : '0,
          qos: line_i.qos,
          source_node: line_i.source[63:48],
          destination_node: line_i.destination[63:48]
      };

  rdma_cutter #(
    .BlockBytes(BlockBytes),
    .AddrWidth (48),
    .TagWidth  ($bits(along_t))
  ) u_cutter (
    .clk_i          (clk_i),
    .rst_i          (rst_i),
    .s_valid_i      (issue_o && !stage_q.packet),
    .s_ready_o      (unused_cutter_ready),
    .s_source_i     (line_i.source[47:0]),
    .s_destination_i(line_i.destination[47:0]),
    .s_size_i       (line_i.size),
    .s_number_i     (number),
    .s_tag_i        (along_in),
    .total_o        (unused_total),
    .last_o         (last),
    .m_valid_o      (cut),
    .m_ready_i      (1'b1),
    .m_source_o     (cut_source),
    .m_destination_o(cut_destination),
    .m_bytes_o      (cut_bytes),
    .m_last_o       (cut_last),
    .m_tag_o        (along)
  );

  // Whether a block is left in stage 3: it came and did not leave.
  always_ff @(posedge clk_i) begin
    if (rst_i) stage3_q <= 1'b0;
    else stage3_q <= (issue_o && !stage_q.packet) && (stage3_q || !cut);
  end

  always_comb begin
    block = '0;
    block.epoch = along.epoch;
    block.asked = along.asked;
    block.qos = along.qos;
    block.transfer = along.transfer;
    block.has_next = !cut_last;
    block.size = cut_bytes;
    block.chained = along.chained;
    block.notify = along.notify && cut_last;
    block.managed = along.managed;
    block.sequence_ = along.use_.sequence_;
    block.domain = 16'(along.transfer[TransferWidth-1:7]);
    block.destination = {along.destination_node, cut_destination};
    block.source = {along.source_node, cut_source};
  end

  prim_fifo_sync #(
    .Width($bits(use_t) + $bits(block_t)),
    .Depth(BlockRoom)
  ) u_blocks (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(cut),
    .s_ready_o(unused_block_ready),
    .s_data_i ({along.use_, block}),
    .m_valid_o(block_valid_o),
    .m_ready_i(block_ready_i),
    .m_data_o ({block_use_o, block_o}),
    .level_o  (block_level)
  );

endmodule
