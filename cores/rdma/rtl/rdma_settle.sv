// SPDX-License-Identifier: Apache-2.0
//
// rdma_settle: what becomes of a transfer with an answer, a time-out or an end.
//
// What      From the metadata of the transfer: those after it, and whether it enters a queue for
//           its next block or its control packet, or is over.
// Why       All ends of transfers are decided here, and each once.
// Contract  Combinational. now_i and read_timeout_i count 16384 cycles. again_o: the answer to a
//           question is yes, and the job is to be settled once more: the end of a read (JobOver) is
//           about the request that was answered; a read (JobRead) goes on for too long. ended_o:
//           the use of the job's TID is over. answered_o: while writing_i, that the job is an
//           answer, which counts, to a block with a flow.
// Latency   0
// Source    own design
//
// Parameters
//   Outstanding   blocks of a transfer under way at most, 1 to 15

module rdma_settle
  import rdma_pkg::*;
#(
  parameter int unsigned Outstanding = 2
) (
  input  job_t                        job_i,
  input  logic                        writing_i,
  input  logic      [NumberWidth-1:0] now_i,
  input  logic      [           17:0] read_timeout_i,
  input  metadata_t                   metadata_i,
  output metadata_t                   metadata_o,
  output logic                        again_o,
  output logic                        ended_o,
  output logic                        more_due_o,
  output logic                        control_due_o,
  output logic                        finished_o,
  output answered_t                   answered_o
);

  localparam logic [1:0] FourPaths = 2'd2;
  // A read request may have been sent MostTries times under numbers behind the first.
  localparam logic [SequenceWidth-1:0] MostTries = SequenceWidth'((1 << TriesWidth) - 1);

  metadata_t will;
  logic [Places-1:0] map;
  logic [RingWidth-1:0] place;  // of the next block
  logic ended, serves, waits, over, expired, has_flow, settled;
  tid_t unused_tid;
  logic unused_free;
  logic [Places-1:0] unused_map;
  logic [RingWidth-1:0] unused_next;

  rdma_ring #(
    .FlowBlocks(FlowBlocks),
    .FlowWidth (FlowWidth)
  ) u_ring (
    .issue_four_i (1'b0),
    .issue_flow_i ('0),
    .issue_place_i('0),
    .issue_map_i  ('0),
    .issue_tid_o  (unused_tid),
    .issue_free_o (unused_free),
    .issue_map_o  (unused_map),
    .issue_next_o (unused_next),
    .answer_four_i(job_i.class_ == FourPaths),
    .answer_step_i(job_i.tid[RingWidth-1:0]),
    .answer_map_i (metadata_i.ways.flows.map),
    .answer_map_o (map)
  );

  assign ended = job_i.kind == JobScan || job_i.kind == JobAck;
  assign ended_o = ended;
  assign answered_o = '{
          valid: writing_i && job_i.kind == JobAck && job_i.tid[TidWidth-1],
          echo: job_i.echo,
          node: job_i.node,
          place: job_i.tid[TidWidth-2:0]
      };
  assign has_flow = job_i.class_ != '0;
  assign place = ring_place(job_i.class_ == FourPaths, metadata_i.issued[RingWidth-1:0]);
  // Channels from 64 on serve reads of other nodes, which are always told of the end.
  assign serves = job_i.transfer[6];
  // A read whose end is waited for: its request has been answered. The end names that request.
  assign waits = metadata_i.reading && !metadata_i.over && metadata_i.under_way == '0;
  assign over = job_i.kind == JobEnd && waits;
  assign expired = job_i.kind == JobExpire && waits && !metadata_i.queued;
  // What is subtracted here counts when the job comes again.
  assign again_o = job_i.kind == JobOver ? job_i.known && waits
          && metadata_i.ways.request.tid == job_i.tid
          && job_i.sequence_ - metadata_i.ways.request.sequence_ <= MostTries
      : job_i.kind == JobRead && now_i - metadata_i.issued >= read_timeout_i;

  always_comb begin
    will = metadata_i;
    if (ended) begin
      will.under_way = metadata_i.under_way - 1'b1;
      // TIDs of flows are the upper half.
      if (job_i.tid[TidWidth-1]) will.ways.flows.map = map;
      if (job_i.give_up) will.failed = 1'b1;
      if (metadata_i.reading) will.issued = now_i;
    end
    if (expired || (over && job_i.over_failed)) will.failed = 1'b1;
    if (over) will.over = 1'b1;
    more_due_o = ended && !metadata_i.queued && !will.failed && metadata_i.more
        && 32'(will.under_way) < Outstanding && !(has_flow && will.ways.flows.map[place]);
    control_due_o = !metadata_i.queued && will.under_way == '0 && !metadata_i.control
        && (serves ? (ended || job_i.kind == JobReap) && (will.failed || !metadata_i.more)
        : ended && !will.failed && !metadata_i.more && job_i.notify);
    if (more_due_o || control_due_o) will.queued = 1'b1;
    settled = serves ? will.control : will.failed || (!will.more && (!will.reading || will.over));
    finished_o = job_i.kind != JobOver && job_i.kind != JobRead
        && (job_i.kind != JobExpire || expired)
        && will.under_way == '0 && !will.queued && settled;
    // What is said of its read later is about nothing, also when the channel has been started
    // again.
    if (finished_o) will.reading = 1'b0;
  end
  assign metadata_o = will;

  logic unused_job;
  assign unused_job = ^job_i;

endmodule
