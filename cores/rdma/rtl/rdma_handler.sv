// SPDX-License-Identifier: Apache-2.0
//
// rdma_handler: what becomes of everything that was issued: answers, time-outs, ends.
//
// What      Keeps Pending, the word of each TID under way. An answer that fits it ends the use of the TID: the number goes back, the
//           transfer has a block less under way, and enters a queue again, or gets its control packet, or is finished. A scan goes round all TIDs: what has
//           had no answer for timeout_i cycles since its last word left, or was refused (NACK), or could not be read, is sent again; after
//           retries_i times it is given up and its transfer ends with an error.
// Why       All ends are here, one after the other, so each is counted once.
// Contract  ready_o = 0 after reset, while flags are cleared. Segmenter: issue_*, again_*, reap_*: see there. A put stays until put_ready_i. Metadata:
//           as rdma_metadata. Sent report and answers: README, "Between engine and units". An answer counts if its TID is under way, sequence number
//           and epoch are those of the last use, it comes from where that went, and this is not just about to be sent again; else it is dropped, dropped_o is 1 for a cycle, and nothing
//           changes. To drop a good answer costs a repetition, which the receiver answers again.
//           finish_o: transfer finish_transfer_o is over (rdma_status); nothing of it is under way or in a queue then. tid_put_o and the others: a number
//           comes back (rdma_id_pool).
//           A read request is taken if its line is good and a read channel of its domain is free: serve_free_i and serve_channel_i are rdma_readers',
//           serve_o opens the channel, table_*_o writes its line and what is known of the request, a cycle later; else it is refused. A read of this
//           node is given up when nothing is heard of it for read_timeout_i times 16384 cycles after its request was answered.
//           answer_refused_o is of answer_i in any cycle. The end of a read (KindControl) is refused until the request of the channel that it names
//           has been answered: while that may be sent again, another life of its receiver may serve it once more.
// Latency   An answer takes 4 cycles, more if metadata or the queues are busy. The scan takes 2 cycles for a TID when no answer waits, and
//           has one in 16 cycles in any case: a round of all TIDs and 64 reads takes 2112 to some 20 000 cycles. What is due is sent again in the order
//           of the scan, one after the other, each as soon as the segmenter has taken the one before.
//
// Parameters
//   Transfers     transfers, a power of two, 256 to 2048
//   Priorities    intra-priorities, 1 to 16
//   Outstanding   blocks of a transfer under way at most, 1 to 15

module rdma_handler
  import rdma_pkg::*;
#(
  parameter  int unsigned Transfers   = 2048,
  parameter  int unsigned Priorities  = 16,
  parameter  int unsigned Outstanding = 2,
  localparam int unsigned IndexWidth  = $clog2(Transfers),
  localparam int unsigned QueueWidth  = $clog2(2 + 4 * Priorities)
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  output logic                       ready_o,
  input  logic                       enable_i,
  input  logic      [           3:0] epoch_i,
  input  logic      [          31:0] timeout_i,
  input  logic      [TriesWidth-1:0] retries_i,
  input  logic      [          17:0] read_timeout_i,
  input  logic                       issue_i,
  input  logic                       issue_first_i,
  input  logic                       issue_read_i,
  input  logic      [  TidWidth-1:0] issue_tid_i,
  input  pending_t                   issue_pending_i,
  output logic                       again_valid_o,
  output again_t                     again_o,
  input  logic                       again_done_i,
  input  logic                       reap_valid_i,
  output logic                       reap_ready_o,
  input  logic      [IndexWidth-1:0] reap_transfer_i,
  input  logic      [           1:0] reap_class_i,
  input  logic                       sent_valid_i,
  input  logic      [  TidWidth-1:0] sent_tid_i,
  input  logic                       sent_failed_i,
  input  logic                       answer_valid_i,
  output logic                       answer_ready_o,
  input  answer_t                    answer_i,
  output logic                       answer_refused_o,
  input  logic                       serve_free_i,
  input  logic      [           5:0] serve_channel_i,
  output logic                       serve_o,
  output logic                       table_valid_o,
  output logic      [IndexWidth-1:0] table_transfer_o,
  output line_t                      table_line_o,
  output asked_t                     table_asked_o,
  output logic                       metadata_want_o,
  output logic      [IndexWidth-1:0] metadata_transfer_o,
  input  logic                       metadata_go_i,
  input  metadata_t                  metadata_i,
  output metadata_t                  metadata_o,
  output logic                       put_valid_o,
  input  logic                       put_ready_i,
  output logic      [QueueWidth-1:0] put_queue_o,
  output logic      [IndexWidth-1:0] put_transfer_o,
  output tag_t                       put_tag_o,
  output logic                       finish_o,
  output logic      [IndexWidth-1:0] finish_transfer_o,
  output logic                       finish_error_o,
  output logic                       tid_put_o,
  output logic      [  TidWidth-1:0] tid_o,
  output logic                       single_put_o,
  output logic                       group_put_o,
  output logic      [ FlowWidth-1:0] flow_o,
  output logic                       dropped_o,
  output logic                       repeated_o,
  output logic                       gave_up_o
);

  if (Transfers < 256 || Transfers > 2048 || (Transfers & (Transfers - 1)) != 0)
  begin : gen_bad_transfers
    $error("rdma_handler %m: rule Transfers is a power of two, 256 to 2048, got %0d", Transfers);
  end
  if (Outstanding < 1 || Outstanding > 15) begin : gen_bad_outstanding
    $error("rdma_handler %m: rule 1 <= Outstanding <= 15, got %0d", Outstanding);
  end

  localparam int unsigned Tids = 1 << TidWidth;
  localparam int unsigned Pages = Transfers / 128;
  localparam int unsigned PageWidth = $clog2(Pages);
  localparam int unsigned FlagBits = 64;
  localparam int unsigned FlagWords = Tids / FlagBits;
  localparam int unsigned FlagShift = $clog2(FlagBits);
  localparam logic [1:0] FourPaths = 2'd2;
  // A read request may have been sent so many times under numbers behind the first.
  localparam logic [SequenceWidth-1:0] MostTries = SequenceWidth'((1 << TriesWidth) - 1);

  typedef logic [TidWidth-1:0] tid_t;
  typedef logic [FlagBits-1:0] flags_t;
  typedef logic [$clog2(FlagWords)-1:0] flag_word_t;

  // After reset: flags cleared.
  logic clearing_q;
  flag_word_t clear_word_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clearing_q   <= 1'b1;
      clear_word_q <= '0;
    end else if (clearing_q) begin
      clearing_q   <= clear_word_q != flag_word_t'(FlagWords - 1);
      clear_word_q <= clear_word_q + 1'b1;
    end
  end

  assign ready_o = !clearing_q;

  // One thing at a time. StLook: the TID's words are read; StCheck: they are there; StWant: metadata are wanted; StWrite: they are there.
  // StServe: a read request gets its channel.
  typedef enum logic [2:0] {
    StLook,
    StCheck,
    StWant,
    StWrite,
    StServe
  } state_e;

  // What it is.
  typedef enum logic [2:0] {
    JobScan,
    JobAck,
    JobNack,
    JobOver,
    JobReap,
    JobRead   // has a read been going on for too long?
  } job_e;

  state_e state_q;
  job_e   job_q;
  tid_t   tid;
  tid_t   tid_q;
  tid_t   scan_tid_q;
  // Behind every 16 TIDs one read of this node, {page, channel}: these may take their time.
  localparam int unsigned ReadWidth = 10;
  logic scan_reads_q;
  logic [3:0] scan_turn_q;
  logic [ReadWidth-1:0] scan_read_q;
  logic [SequenceWidth-1:0] sequence_q;
  logic [3:0] epoch_q;
  logic [15:0] node_q;
  logic own_domain_q;
  logic give_up_q;
  logic over_failed_q;
  logic [IndexWidth-1:0] transfer_q;
  logic [1:0] class_q;
  logic [3:0] priority_q;
  logic notify_q;
  logic look;
  logic free;
  logic scan_due;
  logic [3:0] since_scan_q;
  logic by_tid;
  flag_word_t tid_word;
  flags_t tid_mask;

  // A finished job may still have its put to make.
  assign free = state_q == StLook && !put_valid_o && enable_i && !rst_i;
  assign scan_due = since_scan_q == '1;
  assign reap_ready_o = free;
  assign answer_ready_o = free && !reap_valid_i && !scan_due;

  // A request: does its line obey the rules, and do the data go to who asked?
  logic [15:0] asker_page;
  assign asker_page = 16'(answer_i.transfer[TransferWidth-1:7]);
  logic line_good;
  logic line_packet;
  logic [1:0] line_class;
  logic [3:0] line_priority;
  logic request;
  logic unanswered;  // the request of the read whose end it is
  rdma_check #(
    .Priorities(Priorities)
  ) u_check (
    .line_i    (answer_i.line),
    .long_i    (1'b0),
    .good_o    (line_good),
    .packet_o  (line_packet),
    .class_o   (line_class),
    .priority_o(line_priority)
  );
  assign request = answer_i.kind == KindReadRequest;
  assign answer_refused_o = request ? !(line_good && answer_i.line.read && serve_free_i
      && 32'(answer_i.domain) < Pages && asker_page == answer_i.domain
      && answer_i.line.destination[63:48] == answer_i.node)
      : answer_i.kind == KindControl && unanswered;
  assign serve_o = request && !answer_refused_o && answer_valid_i && answer_ready_o;

  assign look = free && !reap_valid_i;
  assign by_tid = answer_i.kind == KindAck || answer_i.kind == KindNack;
  assign tid = (state_q != StLook) ? tid_q
      : (answer_ready_o && answer_valid_i) ? answer_i.tid : scan_tid_q;
  assign tid_word = tid[TidWidth-1:FlagShift];
  assign tid_mask = flags_t'(1) << tid[FlagShift-1:0];

  // Pending, and what the send unit reported last. The flags are sampled with the reading of both, so that all of them are of one moment:
  // what the segmenter issues meanwhile is seen as a whole or not at all.
  pending_t pending;
  logic [31:0] now_q;
  logic [31:0] sent_time;
  logic sent_failed;
  flags_t handed_flags;
  flags_t left_flags;
  flags_t unused_handed;
  flags_t unused_left;
  flags_t issued_flags;
  flags_t ended_flags;
  flags_t nacked_flags;
  flags_t unused_issued;
  flags_t unused_ended;
  flags_t unused_nacked;
  logic finished;
  logic writing;
  flags_t asked_flags;
  flags_t over_flags;
  flags_t answered_flags;
  flags_t named_flags;
  flags_t unused_asked;
  flags_t unused_answered;
  flags_t unused_over;
  flags_t read_mask;
  flags_t named_mask;
  logic [PageWidth-1:0] read_page;
  logic [PageWidth-1:0] named_page;
  logic [PageWidth-1:0] clear_page;
  logic [PageWidth-1:0] ask_page;
  logic [PageWidth-1:0] end_page;
  logic reading;
  logic reading_q;  // this life has asked for it, and it has not ended
  logic under_way_q;
  logic left_q;
  logic nacked_q;
  logic waits_q;  // something waits to be sent again
  logic waits_this_q;  // and it is this
  // The scan has passed a TID that is to be sent again while another one waited: it goes back there before it has any other sent again.
  logic passed_q;
  tid_t passed_tid_q;
  logic end_now;
  logic nack_flip;

  prim_ram_1r1w #(
    .Width($bits(pending_t)),
    .Depth(Tids)
  ) u_pending (
    .clk_i    (clk_i),
    .wr_en_i  (issue_i),
    .wr_addr_i(issue_tid_i),
    .wr_data_i(issue_pending_i),
    .rd_en_i  (look),
    .rd_addr_i(tid),
    .rd_data_o(pending)
  );

  prim_ram_1r1w #(
    .Width(33),
    .Depth(Tids)
  ) u_sent (
    .clk_i    (clk_i),
    .wr_en_i  (sent_valid_i),
    .wr_addr_i(sent_tid_i),
    .wr_data_i({now_q, sent_failed_i}),
    .rd_en_i  (look),
    .rd_addr_i(tid),
    .rd_data_o({sent_time, sent_failed})
  );

  // Handed to the send unit, and reported by it, in turns.
  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_handed (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (issue_i),
    .flip_word_i(clearing_q ? clear_word_q : issue_tid_i[TidWidth-1:FlagShift]),
    .flip_mask_i(flags_t'(1) << issue_tid_i[FlagShift-1:0]),
    .flip_now_o (unused_handed),
    .rd_word_i  (tid_word),
    .rd_flags_o (handed_flags)
  );

  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_left (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (sent_valid_i),
    .flip_word_i(clearing_q ? clear_word_q : sent_tid_i[TidWidth-1:FlagShift]),
    .flip_mask_i(flags_t'(1) << sent_tid_i[FlagShift-1:0]),
    .flip_now_o (unused_left),
    .rd_word_i  (tid_word),
    .rd_flags_o (left_flags)
  );

  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_issued (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (issue_i && issue_first_i),
    .flip_word_i(clearing_q ? clear_word_q : issue_tid_i[TidWidth-1:FlagShift]),
    .flip_mask_i(flags_t'(1) << issue_tid_i[FlagShift-1:0]),
    .flip_now_o (unused_issued),
    .rd_word_i  (tid_word),
    .rd_flags_o (issued_flags)
  );

  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_ended (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (end_now),
    .flip_word_i(clearing_q ? clear_word_q : tid_word),
    .flip_mask_i(tid_mask),
    .flip_now_o (ended_flags),
    .rd_word_i  (tid_word),
    .rd_flags_o (unused_ended)
  );

  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_nacked (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (nack_flip),
    .flip_word_i(clearing_q ? clear_word_q : tid_word),
    .flip_mask_i(tid_mask),
    .flip_now_o (nacked_flags),
    .rd_word_i  (tid_word),
    .rd_flags_o (unused_nacked)
  );

  // Reads of this node under way: metadata of a former life say nothing.
  assign clear_page = PageWidth'(clear_word_q);
  assign ask_page = issue_pending_i.transfer[7+:PageWidth];
  assign end_page = transfer_q[7+:PageWidth];
  assign read_page = (answer_ready_o && answer_valid_i) ? answer_i.transfer[7+:PageWidth]
      : scan_read_q[6+:PageWidth];
  assign read_mask = flags_t'(1) <<
      ((answer_ready_o && answer_valid_i) ? answer_i.transfer[5:0] : scan_read_q[5:0]);
  assign reading = ((asked_flags ^ over_flags) & read_mask) != '0 && 32'(scan_read_q >> 6) < Pages;
  assign named_page = answer_i.transfer[7+:PageWidth];
  assign named_mask = flags_t'(1) << answer_i.transfer[5:0];
  assign unanswered = ((named_flags ^ answered_flags) & named_mask) != '0;

  rdma_flags #(
    .Words  (Pages),
    .Bits   (FlagBits),
    .Readers(2)
  ) u_asked (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (issue_read_i),
    .flip_word_i(clearing_q ? clear_page : ask_page),
    .flip_mask_i(flags_t'(1) << issue_pending_i.transfer[5:0]),
    .flip_now_o (unused_asked),
    .rd_word_i  ({named_page, read_page}),
    .rd_flags_o ({named_flags, asked_flags})
  );

  rdma_flags #(
    .Words(Pages),
    .Bits (FlagBits)
  ) u_answered (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (end_now && metadata_i.reading),
    .flip_word_i(clearing_q ? clear_page : end_page),
    .flip_mask_i(flags_t'(1) << transfer_q[5:0]),
    .flip_now_o (unused_answered),
    .rd_word_i  (named_page),
    .rd_flags_o (answered_flags)
  );

  rdma_flags #(
    .Words(Pages),
    .Bits (FlagBits)
  ) u_over (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (writing && finished && metadata_i.reading),
    .flip_word_i(clearing_q ? clear_page : end_page),
    .flip_mask_i(flags_t'(1) << transfer_q[5:0]),
    .flip_now_o (unused_over),
    .rd_word_i  (read_page),
    .rd_flags_o (over_flags)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) now_q <= '0;
    else now_q <= now_q + 1'b1;
    if (look) begin
      reading_q    <= ((asked_flags ^ over_flags) & read_mask) != '0;
      under_way_q  <= ((issued_flags ^ ended_flags) & tid_mask) != '0;
      left_q       <= ((handed_flags ^ left_flags) & tid_mask) == '0;
      nacked_q     <= (nacked_flags & tid_mask) != '0;
      waits_q      <= again_valid_o;
      waits_this_q <= again_valid_o && again_o.tid == tid;
    end
  end

  // StCheck: does the answer fit, is the block due?
  logic left;
  logic fits;
  logic overdue;
  logic due;
  logic give_up;
  logic again_new;

  // What has not left yet has no answer, and is not handed to the send unit again.
  assign left = under_way_q && left_q;
  assign fits = left && !waits_this_q && pending.sequence_ == sequence_q
      && epoch_q == epoch_i && pending.node == node_q;
  assign overdue = left && !waits_this_q
      && (nacked_q || sent_failed || now_q - sent_time >= timeout_i);
  assign give_up = pending.tries >= retries_i;
  assign due = overdue && (give_up || !(waits_q || passed_q));
  assign again_new = state_q == StCheck && job_q == JobScan && due && !give_up;

  always_comb begin
    nack_flip = 1'b0;
    if (state_q == StCheck) begin
      unique case (job_q)
        JobScan: nack_flip = due && nacked_q;
        JobNack: nack_flip = fits && !nacked_q;
        default: nack_flip = fits && nacked_q;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) again_valid_o <= 1'b0;
    else if (again_new) again_valid_o <= 1'b1;
    else if (again_done_i) again_valid_o <= 1'b0;
    if (again_new) begin
      again_o <= '{
          number: pending.number,
          control: pending.control,
          packet: pending.packet,
          transfer: pending.transfer,
          tries: pending.tries + 1'b1,
          tid: tid_q
      };
    end
  end

  // StWrite: the transfer, as it is after this.
  metadata_t will;
  logic [Places-1:0] map;
  logic [RingWidth-1:0] place;  // of the next block
  logic ours;
  logic ended;
  logic serves;
  logic expired;
  logic [NumberWidth-1:0] now;
  logic has_flow;
  logic more_due;
  logic control_due;
  logic settled;
  tid_t unused_ring_tid;
  logic unused_ring_free;
  logic [Places-1:0] unused_ring_map;
  logic [RingWidth-1:0] unused_ring_next;

  rdma_ring #(
    .FlowBlocks(FlowBlocks),
    .FlowWidth (FlowWidth)
  ) u_ring (
    .issue_four_i (1'b0),
    .issue_flow_i ('0),
    .issue_place_i('0),
    .issue_map_i  ('0),
    .issue_tid_o  (unused_ring_tid),
    .issue_free_o (unused_ring_free),
    .issue_map_o  (unused_ring_map),
    .issue_next_o (unused_ring_next),
    .answer_four_i(class_q == FourPaths),
    .answer_step_i(tid_q[RingWidth-1:0]),
    .answer_map_i (metadata_i.ways.flows.map),
    .answer_map_o (map)
  );

  assign writing = state_q == StWrite;
  assign ended = job_q == JobScan || job_q == JobAck;
  assign end_now = writing && ended;
  assign has_flow = class_q != '0;
  assign place = ring_place(class_q == FourPaths, metadata_i.issued[RingWidth-1:0]);
  // Channels from 64 on serve reads of other nodes, which are always told of the end.
  assign serves = transfer_q[6];
  assign now = now_q[31-:NumberWidth];
  assign expired = job_q == JobRead && metadata_i.reading && !metadata_i.over && !metadata_i.queued
      && metadata_i.under_way == '0 && now - metadata_i.issued >= read_timeout_i;
  // The end of a read names its request, which has been answered.
  assign ours = own_domain_q && reading_q && epoch_q == epoch_i && metadata_i.reading
      && metadata_i.under_way == '0 && !metadata_i.over && metadata_i.ways.request.tid == tid_q
      && sequence_q - metadata_i.ways.request.sequence_ <= MostTries;

  always_comb begin
    will = metadata_i;
    if (ended) begin
      will.under_way = metadata_i.under_way - 1'b1;
      // TIDs of flows are the upper half.
      if (tid_q[TidWidth-1]) will.ways.flows.map = map;
      if (give_up_q) will.failed = 1'b1;
      if (metadata_i.reading) will.issued = now;
    end
    if (expired) will.failed = 1'b1;
    if (job_q == JobOver && ours) begin
      will.over = 1'b1;
      if (over_failed_q) will.failed = 1'b1;
    end
    more_due = ended && !metadata_i.queued && !will.failed && metadata_i.more
        && 32'(will.under_way) < Outstanding && !(has_flow && will.ways.flows.map[place]);
    control_due = !metadata_i.queued && will.under_way == '0 && !metadata_i.control
        && (serves ? (ended || job_q == JobReap) && (will.failed || !metadata_i.more)
        : ended && !will.failed && !metadata_i.more && notify_q);
    if (more_due || control_due) will.queued = 1'b1;
    settled = serves ? will.control : will.failed || (!will.more && (!will.reading || will.over));
    finished = job_q != JobOver && (job_q != JobRead || expired) && will.under_way == '0
        && !will.queued && settled;
    // Whatever is said of its read later is about nothing, also when the channel has been started again.
    if (finished) will.reading = 1'b0;
  end

  assign metadata_o = will;
  assign metadata_want_o = state_q == StWant;
  assign metadata_transfer_o = transfer_q;
  assign dropped_o = (state_q == StCheck && (job_q == JobAck || job_q == JobNack) && !fits)
      || (writing && job_q == JobOver && !ours);

  // What comes back is told in the cycle behind.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      finish_o <= 1'b0;
      tid_put_o <= 1'b0;
      single_put_o <= 1'b0;
      group_put_o <= 1'b0;
    end else begin
      finish_o <= writing && finished;
      tid_put_o <= end_now && !tid_q[TidWidth-1];
      single_put_o <= writing && finished && has_flow && class_q != FourPaths;
      group_put_o <= writing && finished && class_q == FourPaths;
    end
    finish_transfer_o <= transfer_q;
    finish_error_o <= will.failed;
    tid_o <= tid_q;
    flow_o <= metadata_i.ways.flows.flow;
  end

  assign repeated_o = again_new;
  assign gave_up_o  = end_now && give_up_q;

  // Puts wait for the queues.
  logic [QueueWidth-1:0] block_queue;
  rdma_queue_number #(
    .Priorities(Priorities)
  ) u_queue (
    .class_i   (class_q),
    .has_flow_i(state_q != StServe),
    .priority_i(priority_q),
    .queue_o   (block_queue)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) put_valid_o <= 1'b0;
    else if ((writing && (more_due || control_due)) || state_q == StServe) put_valid_o <= 1'b1;
    else if (put_ready_i) put_valid_o <= 1'b0;
    if (writing) begin
      put_queue_o <= control_due ? '0 : block_queue;
      put_transfer_o <= transfer_q;
      put_tag_o <= '{control: control_due, issued: 1'b1};
    end else if (state_q == StServe) begin
      put_queue_o <= block_queue;
      put_transfer_o <= transfer_q;
      put_tag_o <= '0;
    end
  end

  // A read channel: the line of the request, as a transfer of this node.
  assign table_valid_o = state_q == StServe;
  assign table_transfer_o = transfer_q;
  always_ff @(posedge clk_i) begin
    if (serve_o) begin
      table_line_o <= answer_i.line;
      table_line_o.read <= 1'b0;
      table_asked_o <= '{
          epoch: answer_i.epoch,
          channel: answer_i.transfer[6:0],
          sequence_: answer_i.sequence_,
          tid: answer_i.tid
      };
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StLook;
      scan_reads_q <= 1'b0;
      scan_read_q <= '0;
      scan_tid_q <= '0;
      scan_turn_q <= '0;
      since_scan_q <= '0;
      passed_q <= 1'b0;
    end else begin
      if (!scan_due) since_scan_q <= since_scan_q + 1'b1;
      unique case (state_q)
        StLook:
        if (free) begin
          if (reap_valid_i) begin
            state_q <= StWant;
          end else if (answer_valid_i && answer_ready_o) begin
            if (by_tid) state_q <= StCheck;
            else if (answer_i.kind == KindControl) state_q <= StWant;
            else if (serve_o) state_q <= StServe;
          end else begin
            if (scan_reads_q) begin
              if (reading) state_q <= StWant;
              scan_reads_q <= 1'b0;
              scan_read_q  <= scan_read_q + 1'b1;
            end else begin
              state_q <= StCheck;
              scan_reads_q <= &scan_turn_q;
              scan_turn_q <= scan_turn_q + 1'b1;
              scan_tid_q <= scan_tid_q + 1'b1;
            end
            since_scan_q <= '0;
          end
        end
        StCheck: begin
          state_q <= StLook;
          if (job_q == JobAck && fits) state_q <= StWant;
          if (job_q == JobScan && due && give_up) state_q <= StWant;
          if (passed_q) begin
            if (!again_valid_o) begin
              scan_tid_q <= passed_tid_q;
              passed_q   <= 1'b0;
            end
          end else if (job_q == JobScan && overdue && !due) begin
            passed_q <= 1'b1;
            passed_tid_q <= tid_q;
          end
        end
        StWant:  if (metadata_go_i) state_q <= StWrite;
        StServe: state_q <= StLook;
        // The end of a read is noted first, and then seen to like any other.
        default: state_q <= (job_q == JobOver && ours) ? StWant : StLook;
      endcase
    end
    if (free) begin
      tid_q <= tid;
      sequence_q <= answer_i.sequence_;
      epoch_q <= answer_i.epoch;
      node_q <= answer_i.node;
      own_domain_q <= answer_i.domain == asker_page && !answer_i.transfer[6]
          && 32'(answer_i.transfer) < Transfers;
      over_failed_q <= answer_i.failed;
      transfer_q <= reap_valid_i ? reap_transfer_i : answer_i.transfer[IndexWidth-1:0];
      class_q <= reap_valid_i ? reap_class_i : '0;
      if (!reap_valid_i && request && answer_valid_i && answer_ready_o) begin
        transfer_q <= {answer_i.domain[PageWidth-1:0], 1'b1, serve_channel_i};
        class_q <= line_class;
        priority_q <= line_priority;
      end else if (!reap_valid_i && !(answer_valid_i && answer_ready_o)) begin
        transfer_q <= {scan_read_q[6+:PageWidth], 1'b0, scan_read_q[5:0]};
      end
      notify_q  <= 1'b0;
      give_up_q <= 1'b0;
      if (reap_valid_i) job_q <= JobReap;
      else if (!(answer_valid_i && answer_ready_o)) job_q <= scan_reads_q ? JobRead : JobScan;
      else if (answer_i.kind == KindAck) job_q <= JobAck;
      else if (answer_i.kind == KindNack) job_q <= JobNack;
      else job_q <= JobOver;
    end
    if (writing) job_q <= JobReap;
    if (state_q == StCheck) begin
      transfer_q <= pending.transfer[IndexWidth-1:0];
      class_q <= pending.class_;
      priority_q <= pending.priority_;
      notify_q <= pending.notify;
      give_up_q <= job_q == JobScan;
    end
  end

  logic unused_answer;
  assign unused_answer = ^{line_packet, answer_i.transfer};

endmodule
