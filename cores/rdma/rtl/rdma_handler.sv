// SPDX-License-Identifier: Apache-2.0
//
// rdma_handler: what becomes of everything that was issued: answers, time-outs, ends.
//
// What      A state machine that does one job after the other. An answer that fits what is pending
//           ends the use of its TID: the number goes back, the transfer has a block less under way,
//           and enters a queue again, or gets its control packet, or is finished (rdma_settle). A
//           scan goes round all TIDs: what has had no answer for limits_i.timeout cycles since its
//           last word left, or was refused (NACK), or could not be read, is sent again; after
//           limits_i.retries times it is given up and its transfer ends with an error.
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
// Latency   An answer takes 4 cycles, more if metadata or the queues are busy. A round of the scan
//           takes 2112 to some 20 000 cycles: 2 for a TID when no answer waits, 16 at most. What is
//           due is sent again in its order, each as soon as the segmenter has taken the one before.
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
  input  logic                metadata_go_i,
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

  // One thing at a time. StLook: the TID's words are read; StCheck: they are there; StWant:
  // metadata are wanted; StWrite: they are there. StServe: a read request gets its channel.
  typedef enum logic [2:0] {
    StLook,
    StCheck,
    StWant,
    StWrite,
    StServe
  } state_e;

  state_e state_q;
  job_t   job_q;
  tid_t   tid;
  logic free, look;
  logic take;  // an answer
  logic writing;
  assign writing = state_q == StWrite;

  // ---- Who is next. A finished job may still have its put to make ----
  tid_t scan_tid;
  transfer_t scan_transfer;
  logic scan_due, scan_reads;
  assign free = state_q == StLook && !put_valid_o && enable_i && !rst_i;
  assign reap_ready_o = free;
  assign look = free && !reap_valid_i;
  assign answer_ready_o = look && !scan_due;
  assign take = answer_ready_o && answer_valid_i;
  assign tid = (state_q != StLook) ? job_q.tid : take ? answer_i.tid : scan_tid;

  // ---- Read requests of others, and reads of this node ----
  logic request, request_refused, serve;
  logic [5:0] serve_channel;
  schedule_t serve_schedule;
  logic reading;
  logic reading_q;  // this session has requested it, and it has not ended
  logic unanswered;  // the request of the read whose end it is
  logic ended, finished;
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
  assign table_valid_o = state_q == StServe;
  assign table_o.transfer = job_q.transfer;

  rdma_reads #(
    .Pages(Pages)
  ) u_reads (
    .clk_i       (clk_i),
    .clear_i     (clearing_q),
    .clear_word_i(clear_word_q),
    .request_i   (issue_valid_i && issue_i.read),
    .issued_i    (issue_i.pending.transfer),
    .answered_i  (writing && ended && metadata_i.reading),
    .over_i      (writing && finished && metadata_i.reading),
    .ended_i     (job_q.transfer),
    .looked_i    (take ? answer_i.transfer : scan_transfer),
    .reading_o   (reading),
    .named_i     (answer_i.transfer),
    .unanswered_o(unanswered)
  );

  // ---- StCheck: does the answer fit, is the block due? ----
  pending_t pending;
  logic [NumberWidth-1:0] now;
  logic nacked, nack_flip, left, late;
  logic waits_q;  // something waits to be sent again
  logic waits_this_q;  // and it is this
  logic passed;  // the scan: a TID that has to wait
  logic fits, overdue, due, give_up, again_new;

  rdma_pending u_pending (
    .clear_i     (clearing_q),
    .clear_word_i(clear_word_q),
    .timeout_i   (limits_i.timeout),
    .now_o       (now),
    .look_i      (look),
    .tid_i       (tid),
    .end_i       (writing && ended),
    .nack_i      (nack_flip),
    .pending_o   (pending),
    .left_o      (left),
    .nacked_o    (nacked),
    .late_o      (late),
    .*
  );

  assign fits = left && !waits_this_q && pending.sequence_ == job_q.sequence_
      && job_q.epoch == epoch_i && pending.node == job_q.node;
  assign overdue = left && !waits_this_q && late;
  assign give_up = pending.tries >= limits_i.retries;
  assign due = overdue && (give_up || !(waits_q || passed));
  assign again_new = state_q == StCheck && job_q.kind == JobScan && due && !give_up;

  rdma_scan u_scan (
    .step_i    (look && !take),
    .due_o     (scan_due),
    .reads_o   (scan_reads),
    .transfer_o(scan_transfer),
    .tid_o     (scan_tid),
    .check_i   (state_q == StCheck),
    .skip_i    (job_q.kind == JobScan && overdue && !due),
    .skip_tid_i(job_q.tid),
    .waits_i   (again_valid_o),
    .passed_o  (passed),
    .*
  );

  always_comb begin
    nack_flip = 1'b0;
    if (state_q == StCheck) begin
      unique case (job_q.kind)
        JobScan: nack_flip = due && nacked;
        JobNack: nack_flip = fits && !nacked;
        default: nack_flip = fits && nacked;
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
    if (look) begin
      reading_q    <= reading;
      waits_q      <= again_valid_o;
      waits_this_q <= again_valid_o && again_o.tid == tid;
    end
  end

  // ---- StWrite: the transfer, as it is after this ----
  logic ours, more_due, control_due;
  rdma_settle #(
    .Outstanding(Outstanding)
  ) u_settle (
    .job_i         (job_q),
    .writing_i     (writing),
    .known_i       (reading_q && job_q.epoch == epoch_i),
    .now_i         (now),
    .read_timeout_i(limits_i.read_timeout),
    .metadata_i    (metadata_i),
    .metadata_o    (metadata_o.word),
    .ours_o        (ours),
    .ended_o       (ended),
    .more_due_o    (more_due),
    .control_due_o (control_due),
    .finished_o    (finished),
    .answered_o    (answered_o)
  );
  assign metadata_o.want = state_q == StWant;
  assign metadata_o.transfer = job_q.transfer;
  assign repeated_o = again_new;
  assign gave_up_o = writing && ended && job_q.give_up;
  assign dropped_o = (state_q == StCheck && !fits
      && (job_q.kind == JobAck || job_q.kind == JobNack))
      || (writing && job_q.kind == JobOver && !ours);

  // What comes back is told in the cycle behind.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      finish_valid_o   <= 1'b0;
      returned_o.valid <= '0;
    end else begin
      finish_valid_o <= writing && finished;
      returned_o.valid <= '{
          tid: writing && ended && !job_q.tid[TidWidth-1],
          single: writing && finished && job_q.class_ != '0 && job_q.class_ != FourPaths,
          group: writing && finished && job_q.class_ == FourPaths
      };
    end
    finish_o <= '{transfer: job_q.transfer, error: metadata_o.word.failed};
    returned_o.tid <= job_q.tid;
    returned_o.flow <= metadata_i.ways.flows.flow;
  end

  // Puts wait for the queues.
  queue_t block_queue;
  rdma_queue_number #(
    .Priorities(Priorities)
  ) u_queue (
    .class_i   (job_q.class_),
    .has_flow_i(state_q != StServe),
    .priority_i(job_q.priority_),
    .queue_o   (block_queue)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) put_valid_o <= 1'b0;
    else if ((writing && (more_due || control_due)) || state_q == StServe) put_valid_o <= 1'b1;
    else if (put_ready_i) put_valid_o <= 1'b0;
    if (writing || state_q == StServe) begin
      put_o.queue_ <= (writing && control_due) ? '0 : block_queue;
      put_o.entry.transfer <= job_q.transfer;
      put_o.entry.tag <= '{control: writing && control_due, issued: writing};
    end
  end

  // ---- The state machine ----
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StLook;
    end else begin
      unique case (state_q)
        StLook:
        if (free) begin
          if (reap_valid_i) begin
            state_q <= StWant;
          end else if (take) begin
            if (answer_i.kind == KindAck || answer_i.kind == KindNack) state_q <= StCheck;
            else if (answer_i.kind == KindControl) state_q <= StWant;
            else if (serve) state_q <= StServe;
          end else if (!scan_reads) begin
            state_q <= StCheck;
          end else if (reading && 32'(scan_transfer[TransferWidth-1:7]) < Pages) begin
            state_q <= StWant;
          end
        end
        StCheck: begin
          state_q <= StLook;
          if (job_q.kind == JobAck && fits) state_q <= StWant;
          if (job_q.kind == JobScan && due && give_up) state_q <= StWant;
        end
        StWant:  if (metadata_go_i) state_q <= StWrite;
        StServe: state_q <= StLook;
        // The end of a read is noted first, and then seen to like any other.
        default: state_q <= (job_q.kind == JobOver && ours) ? StWant : StLook;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (free) begin
      job_q.tid <= tid;
      {job_q.sequence_, job_q.epoch} <= {answer_i.sequence_, answer_i.epoch};
      {job_q.node, job_q.echo} <= {answer_i.node, answer_i.echo};
      job_q.own_domain <= answer_i.domain == 16'(answer_i.transfer[TransferWidth-1:7])
          && !answer_i.transfer[6] && 32'(answer_i.transfer) < Transfers;
      job_q.over_failed <= answer_i.failed;
      {job_q.notify, job_q.give_up, job_q.class_} <= '0;
      if (reap_valid_i) begin
        job_q.kind <= JobReap;
        job_q.transfer <= reap_i.transfer;
        job_q.class_ <= reap_i.class_;
      end else if (!take) begin
        job_q.kind <= scan_reads ? JobRead : JobScan;
        job_q.transfer <= scan_transfer;
      end else begin
        job_q.kind <= JobOver;
        if (answer_i.kind == KindAck) job_q.kind <= JobAck;
        if (answer_i.kind == KindNack) job_q.kind <= JobNack;
        job_q.transfer <= answer_i.transfer;
        if (request) begin
          job_q.transfer <= {answer_i.domain[3:0], 1'b1, serve_channel};
          job_q.class_ <= serve_schedule.class_;
          job_q.priority_ <= serve_schedule.priority_;
        end
      end
    end
    if (writing) job_q.kind <= JobReap;
    if (state_q == StCheck) begin
      job_q.transfer <= pending.transfer;
      job_q.class_ <= pending.class_;
      job_q.priority_ <= pending.priority_;
      job_q.notify <= pending.notify;
      job_q.give_up <= job_q.kind == JobScan;
    end
  end

  logic unused_schedule;
  assign unused_schedule = serve_schedule.packet;

endmodule
