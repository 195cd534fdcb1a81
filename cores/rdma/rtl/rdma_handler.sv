// SPDX-License-Identifier: Apache-2.0
//
// rdma_handler: what becomes of everything that was issued: answers, time-outs, ends.
//
// What      An answer that fits what is pending ends the use of its TID: the number goes back, the
//           transfer has a block less under way, and enters a queue again, or gets its control
//           packet, or is finished (rdma_settle). A scan goes round all TIDs: what has had no
//           answer for limits_i.timeout cycles since its last word left, or was refused (NACK), or
//           could not be read, is sent again; after limits_i.retries times it is given up and its
//           transfer ends with an error. Each is looked up, then checked, and then its transfer is
//           settled, one behind the other.
// Why       All ends are here, one after the other, so each is counted once.
// Contract  ready_o = 0 after reset, while flags are cleared. issue, again, reap: see
//           rdma_segmenter. A put stays until put_ready_i. Metadata: as rdma_metadata. Sent report
//           and answers: README, "Between engine and units". An answer counts if its TID is under
//           way, sequence number and epoch are those of the last use, it comes from where that
//           went, and this is not just about to be sent again; else it is dropped (dropped_o), and
//           nothing changes. To drop a good answer costs a repetition, which the receiver answers
//           again. answer_refused_o is of answer_i in any cycle: a read request that rdma_serve
//           does not take, else its line is written (table_*); the end of a read until the request
//           of the channel that it names has been answered: while that may be sent again, another
//           session of its receiver may serve it once more. A read of this node is given up when
//           nothing is heard of it for limits_i.read_timeout times 16384 cycles after its request
//           was answered. finish: the transfer is over (rdma_status); nothing of it is under way or
//           in a queue then. returned_o: numbers that come back (rdma_numbers). answered_o: a
//           pulse for each answer, ACK, that counts and is to a block with a flow.
// Latency   An answer takes 4 cycles, and one is taken in 2, to a block with a flow in 4; what else
//           receivers have for the engine when all before it is settled. A round of the scan takes
//           2112 cycles, up to 3700 while answers come: a TID takes 2, 3 at most, and what it gives
//           up and reads that are under way take a turn of an answer. What is due is sent again in
//           its order, each as soon as the segmenter has taken the one before.
//
// Parameters
//   Transfers     transfers, a power of two, 256 to 2048
//   Priorities    intra-priorities, 1 to 16
//   Outstanding   blocks of a transfer under way at most, 1 to 15

module rdma_handler
  import rdma_pkg::*;
#(
  parameter int unsigned Transfers   = 2048,
  parameter int unsigned Priorities  = 16,
  parameter int unsigned Outstanding = 2
) (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                ready_o,
  input  logic                enable_i,
  input  logic          [3:0] epoch_i,
  input  limits_t             limits_i,
  input  logic                issue_valid_i,
  input  issue_t              issue_i,
  output logic                again_valid_o,
  output again_t              again_o,
  input  logic                again_done_i,
  input  logic                reap_valid_i,
  output logic                reap_ready_o,
  input  reap_t               reap_i,
  input  logic                sent_valid_i,
  input  sent_t               sent_i,
  input  logic                answer_valid_i,
  output logic                answer_ready_o,
  input  answer_t             answer_i,
  output logic                answer_refused_o,
  output logic                table_valid_o,
  output table_t              table_o,
  output metadata_req_t       metadata_o,
  input  metadata_t           metadata_i,
  output logic                put_valid_o,
  input  logic                put_ready_i,
  output put_t                put_o,
  output logic                finish_valid_o,
  output finish_t             finish_o,
  output returned_t           returned_o,
  output logic                dropped_o,
  output logic                repeated_o,
  output logic                gave_up_o,
  output answered_t           answered_o
);

  if (Transfers < 256 || Transfers > 2048 || (Transfers & (Transfers - 1)) != 0)
  begin : gen_bad_transfers
    $error("rdma_handler %m: rule Transfers is a power of two, 256 to 2048, got %0d", Transfers);
  end
  if (Outstanding < 1 || Outstanding > 15) begin : gen_bad_outstanding
    $error("rdma_handler %m: rule 1 <= Outstanding <= 15, got %0d", Outstanding);
  end

  localparam int unsigned Pages = Transfers / 128;
  localparam logic [1:0] FourPaths = 2'd2;

  // After reset: flags cleared.
  logic clearing_q;
  logic [3:0] clear_word_q;
  logic serve_ready;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clearing_q   <= 1'b1;
      clear_word_q <= '0;
    end else if (clearing_q) begin
      clearing_q   <= clear_word_q != '1;
      clear_word_q <= clear_word_q + 1'b1;
    end
  end
  assign ready_o = !clearing_q && serve_ready;

  // ---- Three steps: a look at the words of a TID, their check, and the transfer that it is about,
  // whose metadata are read in one cycle and written in the next ----
  logic checking_q, full_q;  // job_q is being checked; its transfer may be settled
  logic want_q, writing_q;  // the transfer of settle_q: its metadata are read; are there
  job_t job_q, settle_q;
  logic settles, settles_again;

  // ---- Who is next. A full turn is one that may go on to a transfer, so no two are in cycles in a
  // row, and what is between them is the scan's ----
  tid_t scan_tid, tid;
  transfer_t scan_transfer;
  logic scan_reads, scan_waits;  // for a full turn
  logic enabled_q, enabled, slow, turn, full;
  logic plain;  // an answer proper; all else is taken when no transfer is being settled
  logic take;
  logic scan_full, scan;
  logic put_room;
  always_ff @(posedge clk_i) enabled_q <= enable_i && !rst_i;
  assign enabled = enabled_q && !rst_i;
  // What is settled twice; and answers to blocks with a flow come one in 4 cycles.
  assign slow = (want_q || writing_q) && (settle_q.kind == JobOver || settle_q.kind == JobRead
      || (settle_q.kind == JobAck && settle_q.tid[TidWidth-1]));
  // There is room for the put of a job under way, and its own.
  assign turn = enabled && !(checking_q && full_q) && !slow && put_room;
  assign reap_ready_o = turn;
  assign scan_full = turn && !reap_valid_i && scan_waits;
  assign answer_ready_o = turn && !reap_valid_i && !scan_waits && (plain || !(want_q || writing_q));
  assign take = answer_ready_o && answer_valid_i;
  assign full = (turn && reap_valid_i) || scan_full || take;
  assign scan = scan_full
      || (enabled && !full && !scan_waits && !(checking_q && job_q.kind == JobScan));
  assign tid = take ? answer_i.tid : scan_tid;

  // ---- Read requests of others, and reads of this node ----
  logic request, request_refused, serve;
  logic [5:0] serve_channel;
  schedule_t serve_schedule;
  // Of the read that is the scan's, and of the one whose end it is: this session has requested it,
  // and it has not ended; its request has not been answered.
  logic reading, known, unanswered;
  logic ended, finished;
  assign plain = answer_i.kind == KindAck || answer_i.kind == KindNack;
  assign request = answer_i.kind == KindReadRequest;
  assign answer_refused_o = request ? request_refused : answer_i.kind == KindControl && unanswered;

  rdma_serve #(
    .Pages     (Pages),
    .Priorities(Priorities)
  ) u_serve (
    .ready_o         (serve_ready),
    .take_i          (take),
    .refused_o       (request_refused),
    .serve_o         (serve),
    .channel_o       (serve_channel),
    .schedule_o      (serve_schedule),
    .line_o          (table_o.line),
    .asked_o         (table_o.asked),
    .close_i         (finish_valid_o && finish_o.transfer[6]),
    .close_transfer_i(finish_o.transfer),
    .*
  );
  assign table_valid_o = checking_q && job_q.kind == JobServe;
  assign table_o.transfer = job_q.transfer;

  rdma_reads #(
    .Pages(Pages)
  ) u_reads (
    .clk_i          (clk_i),
    .clear_i        (clearing_q),
    .clear_word_i   (clear_word_q),
    .request_i      (issue_valid_i && issue_i.read),
    .issued_i       (issue_i.pending.transfer),
    .answered_i     (writing_q && ended && metadata_i.reading),
    .over_i         (writing_q && finished && metadata_i.reading),
    .ended_i        (settle_q.transfer),
    .looked_i       (scan_transfer),
    .reading_o      (reading),
    .named_i        (answer_i.transfer),
    .named_reading_o(known),
    .unanswered_o   (unanswered)
  );

  // ---- The check: does the answer fit, is the block due? ----
  pending_t pending;
  logic [NumberWidth-1:0] now;
  logic nacked, nack_flip, left, late;
  logic waits_this_q, waits_this;  // to be sent again
  logic passed;  // the scan: a TID that has to wait
  logic fits, overdue, due, give_up, acts, again_new;
  logic is_scan, scan_check, is_read, wants_read;

  rdma_pending u_pending (
    .clear_i     (clearing_q),
    .clear_word_i(clear_word_q),
    .timeout_i   (limits_i.timeout),
    .now_o       (now),
    .look_i      (take || scan),
    .tid_i       (tid),
    .checked_i   (job_q.tid),
    .end_i       (settles && (job_q.kind == JobAck || job_q.kind == JobScan)),
    .nack_i      (nack_flip),
    .pending_o   (pending),
    .left_o      (left),
    .nacked_o    (nacked),
    .late_o      (late),
    .*
  );

  assign waits_this = waits_this_q || (again_valid_o && again_o.tid == job_q.tid);
  assign fits = left && !waits_this && pending.sequence_ == job_q.sequence_
      && job_q.epoch == epoch_i && pending.node == job_q.node;
  assign overdue = left && !waits_this && late;
  assign give_up = pending.tries >= limits_i.retries;
  assign due = overdue && (give_up || !(again_valid_o || passed));
  // What is given up waits for a full turn.
  assign acts = due && (full_q || !give_up);
  assign is_scan = job_q.kind == JobScan;
  assign scan_check = checking_q && is_scan;
  assign again_new = scan_check && due && !give_up;
  assign is_read = scan && scan_reads;

  rdma_scan u_scan (
    .step_i    ((is_read && (full || !wants_read)) || (scan_check && (acts || !due))),
    .wait_i    ((is_read && !full && wants_read) || (scan_check && due && !acts)),
    .waits_o   (scan_waits),
    .reads_o   (scan_reads),
    .transfer_o(scan_transfer),
    .tid_o     (scan_tid),
    .check_i   (scan_check),
    .skip_i    (overdue && !due),
    .again_i   (again_valid_o),
    .passed_o  (passed),
    .*
  );
  assign wants_read = reading && 32'(scan_transfer[TransferWidth-1:7]) < Pages;

  always_comb begin
    nack_flip = 1'b0;
    settles   = 1'b0;
    if (checking_q) begin
      unique case (job_q.kind)
        JobScan: begin
          nack_flip = acts && nacked;
          settles   = acts && give_up;
        end
        JobAck: begin
          nack_flip = fits && nacked;
          settles   = fits;
        end
        JobNack:  nack_flip = fits && !nacked;
        JobServe: ;
        default:  settles = 1'b1;
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
          tid: job_q.tid
      };
    end
    waits_this_q <= again_valid_o && again_o.tid == tid;
  end

  // ---- The transfer, as it is after this ----
  logic more_due, control_due;
  rdma_settle #(
    .Outstanding(Outstanding)
  ) u_settle (
    .job_i         (settle_q),
    .writing_i     (writing_q),
    .now_i         (now),
    .read_timeout_i(limits_i.read_timeout),
    .metadata_i    (metadata_i),
    .metadata_o    (metadata_o.word),
    .again_o       (settles_again),
    .ended_o       (ended),
    .more_due_o    (more_due),
    .control_due_o (control_due),
    .finished_o    (finished),
    .answered_o    (answered_o)
  );
  assign metadata_o.want = want_q;
  assign metadata_o.transfer = settle_q.transfer;
  assign repeated_o = again_new;
  assign gave_up_o = writing_q && ended && settle_q.give_up;
  assign dropped_o = (checking_q && !fits && (job_q.kind == JobAck || job_q.kind == JobNack))
      || (writing_q && settle_q.kind == JobOver && !settles_again);

  // What comes back is told in the cycle behind.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      finish_valid_o   <= 1'b0;
      returned_o.valid <= '0;
    end else begin
      finish_valid_o <= writing_q && finished;
      returned_o.valid <= '{
          tid: writing_q && ended && !settle_q.tid[TidWidth-1],
          single: writing_q && finished && settle_q.class_ != '0 && settle_q.class_ != FourPaths,
          group: writing_q && finished && settle_q.class_ == FourPaths
      };
    end
    finish_o <= '{transfer: settle_q.transfer, error: metadata_o.word.failed};
    returned_o.tid <= settle_q.tid;
    returned_o.flow <= metadata_i.ways.flows.flow;
  end

  // No transfer is settled while a channel is opened.
  rdma_puts #(
    .Priorities(Priorities)
  ) u_puts (
    .room_o   (put_room),
    .more_i   (writing_q && more_due),
    .control_i(writing_q && control_due),
    .settle_i (settle_q),
    .serve_i  (table_valid_o),
    .served_i (job_q),
    .*
  );

  // ---- The steps ----
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      checking_q <= 1'b0;
      want_q     <= 1'b0;
      writing_q  <= 1'b0;
    end else begin
      checking_q <= (scan && (full || !scan_reads)) || (turn && reap_valid_i)
          || (take && (!request || serve));
      want_q <= settles || (writing_q && settles_again);
      writing_q <= want_q;
    end
    full_q <= full;
  end

  always_ff @(posedge clk_i) begin
    job_q.tid <= tid;
    {job_q.sequence_, job_q.epoch} <= {answer_i.sequence_, answer_i.epoch};
    {job_q.node, job_q.echo} <= {answer_i.node, answer_i.echo};
    job_q.known <= known && answer_i.epoch == epoch_i
        && answer_i.domain == 16'(answer_i.transfer[TransferWidth-1:7])
        && !answer_i.transfer[6] && 32'(answer_i.transfer) < Transfers;
    job_q.over_failed <= answer_i.failed;
    {job_q.notify, job_q.give_up, job_q.class_} <= '0;
    job_q.priority_ <= serve_schedule.priority_;
    if (take) begin
      unique case (answer_i.kind)
        KindAck: job_q.kind <= JobAck;
        KindNack: job_q.kind <= JobNack;
        KindReadRequest: job_q.kind <= JobServe;
        default: job_q.kind <= JobOver;
      endcase
      job_q.transfer <= answer_i.transfer;
      if (request) begin
        job_q.transfer <= {answer_i.domain[3:0], 1'b1, serve_channel};
        job_q.class_   <= serve_schedule.class_;
      end
    end else if (scan) begin
      job_q.kind <= scan_reads ? JobRead : JobScan;
      job_q.transfer <= scan_transfer;
    end else begin
      job_q.kind <= JobReap;
      job_q.transfer <= reap_i.transfer;
      job_q.class_ <= reap_i.class_;
    end

    if (settles) begin
      settle_q <= job_q;
      if (is_scan || job_q.kind == JobAck) begin
        settle_q.transfer <= pending.transfer;
        settle_q.class_ <= pending.class_;
        settle_q.priority_ <= pending.priority_;
        settle_q.notify <= pending.notify;
        settle_q.give_up <= is_scan;
      end
    end else if (writing_q) begin
      settle_q.kind <= settle_q.kind == JobRead ? JobExpire : JobEnd;
    end
  end

  logic unused_schedule;
  assign unused_schedule = serve_schedule.packet;

endmodule
