// SPDX-License-Identifier: Apache-2.0
//
// rdma_core: the engine: descriptors in, blocks and packets out, answers in, states out.
//
// What      rdma_port with the Transfer Table, the scheduling queues, metadata, the pools of
//           numbers, rdma_segmenter and rdma_handler.
// Why       All of the engine but the units that move bytes.
// Contract  user: rdma_port. block, packet, sent, answer: README, "Between engine and units".
//           identity_i, limits_i: constant out of reset. service_i: see rdma_weights. events_o:
//           pulses to be counted.
// Latency   Last word of a message, or of a transfer without flow, to packet_valid_o or
//           block_valid_o: 2 cycles. Ready 512 cycles after reset; until then neither descriptors
//           nor answers are taken.
//
// Parameters
//   DataWidth, IdWidth   of the port, see rdma_port
//   Pages                pages, a power of two, 2 to 16
//   Priorities           intra-priorities, 1 to 16
//   Outstanding          blocks of a transfer under way at most, 1 to 15
//   Reserve              TIDs that only messages and control packets get, below 512

module rdma_core
  import rdma_pkg::*;
  import rdma_bus_pkg::*;
#(
  parameter int unsigned DataWidth = 128,
  parameter int unsigned IdWidth = 4,
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  parameter int unsigned Outstanding = 2,
  parameter int unsigned Reserve = 32
) (
  input  logic           clk_i,
  input  logic           rst_i,
  output logic           ready_o,
  input  identity_t      identity_i,
  input  limits_t        limits_i,
  input  service_t       service_i,
  output engine_events_t events_o,
  input  user_req_t      user_i,
  output user_rsp_t      user_o,
  output logic           block_valid_o,
  input  logic           block_ready_i,
  output block_job_t     block_o,
  output logic           packet_valid_o,
  input  logic           packet_ready_i,
  output packet_job_t    packet_o,
  input  logic           sent_valid_i,
  input  sent_t          sent_i,
  input  logic           answer_valid_i,
  output logic           answer_ready_o,
  input  answer_t        answer_i,
  output logic           answer_refused_o,
  output answered_t      answered_o
);

  if (Pages < 2 || Pages > 16 || (Pages & (Pages - 1)) != 0) begin : gen_bad_pages
    $error("rdma_core %m: rule Pages is a power of two, 2 to 16, got %0d", Pages);
  end

  localparam int unsigned Transfers = Pages * 128;
  localparam int unsigned PageWidth = $clog2(Pages);
  localparam int unsigned IndexWidth = $clog2(Transfers);
  localparam int unsigned Queues = 2 + 4 * Priorities;
  localparam int unsigned NumberOfQueue = $clog2(Queues);
  localparam int unsigned TidCount = 512;

  // Everything starts when all are ready.
  logic [3:0] ready;
  assign ready_o = &ready;

  // ---- Channels ----
  logic start;
  transfer_t start_transfer;
  schedule_t start_schedule;
  logic refused;
  logic [PageWidth-1:0] refused_page;
  logic [63:0] idle;
  logic read;
  logic [PageWidth-1:0] read_page;
  logic [63:0] read_mask;
  logic [127:0] read_status;
  logic line_valid, line_ready;
  transfer_t line_transfer;
  logic [255:0] line_data;
  logic finish;
  finish_t finished;
  logic finish_refused;

  rdma_port #(
    .DataWidth (DataWidth),
    .IdWidth   (IdWidth),
    .Pages     (Pages),
    .Priorities(Priorities)
  ) u_port (
    .ready_i         (ready_o),
    .start_o         (start),
    .start_transfer_o(start_transfer),
    .start_schedule_o(start_schedule),
    .idle_i          (idle),
    .read_o          (read),
    .read_page_o     (read_page),
    .read_mask_o     (read_mask),
    .read_status_i   (read_status),
    .line_valid_o    (line_valid),
    .line_ready_i    (line_ready),
    .line_transfer_o (line_transfer),
    .line_data_o     (line_data),
    .refused_o       (refused),
    .refused_page_o  (refused_page),
    .*
  );

  rdma_status #(
    .Pages   (Pages),
    .Channels(64)
  ) u_status (
    .ready_o         (ready[0]),
    .start_i         (start),
    .start_page_i    (start_transfer[7+:PageWidth]),
    .start_channel_i (start_transfer[5:0]),
    .start_idle_o    (idle),
    .finish_i        (finish && !finished.transfer[6]),
    .finish_page_i   (finished.transfer[7+:PageWidth]),
    .finish_channel_i(finished.transfer[5:0]),
    .finish_error_i  (finished.error),
    .finish_refused_o(finish_refused),
    .read_i          (read),
    .read_page_i     (read_page),
    .read_mask_i     (read_mask),
    .read_status_o   (read_status),
    .*
  );

  // ---- Transfer Table and metadata: both are read when the segmenter takes an entry ----
  metadata_req_t segmenter_req, handler_req;
  logic segmenter_go;
  metadata_t metadata;
  row_t row;
  logic serve_valid;
  table_t serve;

  rdma_table #(
    .Transfers(Transfers)
  ) u_table (
    .clk_i        (clk_i),
    .wr_en_i      (serve_valid || (line_valid && line_ready)),
    .wr_i         (serve_valid ? serve : {line_transfer, line_data, serve.asked}),
    .rd_en_i      (segmenter_go),
    .rd_transfer_i(segmenter_req.transfer),
    .row_o        (row)
  );

  rdma_metadata #(
    .Transfers(Transfers)
  ) u_metadata (
    .segmenter_i   (segmenter_req),
    .segmenter_go_o(segmenter_go),
    .handler_i     (handler_req),
    .data_o        (metadata),
    .*
  );

  // ---- Who enters a transfer: first the segmenter, which cannot wait, then the handler, then the
  // port ----
  logic [Queues-1:0] nonempty;
  logic take;
  queue_t take_queue;
  logic [IndexWidth-1:0] take_transfer;
  tag_t take_tag;
  logic again_put_valid;
  put_t again_put;
  logic handler_put_valid;
  put_t handler_put;
  queue_t start_queue;
  put_t put;
  logic put_valid, put_taken;

  rdma_queue_number #(
    .Priorities(Priorities)
  ) u_start_queue (
    .packet_i  (start_schedule.packet),
    .class_i   (start_schedule.class_),
    .has_flow_i(1'b0),
    .priority_i(start_schedule.priority_),
    .queue_o   (start_queue)
  );

  assign line_ready = !again_put_valid && !handler_put_valid && !serve_valid;
  always_comb begin
    put_valid = again_put_valid || handler_put_valid || start;
    put = '0;
    put.queue_ = start_queue;
    put.entry.transfer = start_transfer;
    if (again_put_valid) put = again_put;
    else if (handler_put_valid) put = handler_put;
  end

  rdma_queues #(
    .Transfers(Transfers),
    .Queues   (Queues),
    .TagWidth ($bits(tag_t))
  ) u_queues (
    .ready_o        (ready[1]),
    .put_valid_i    (put_valid),
    .put_queue_i    (put.queue_[NumberOfQueue-1:0]),
    .put_transfer_i (put.entry.transfer[IndexWidth-1:0]),
    .put_tag_i      (put.entry.tag),
    .put_taken_o    (put_taken),
    .nonempty_o     (nonempty),
    .take_i         (take),
    .take_queue_i   (take_queue[NumberOfQueue-1:0]),
    .take_transfer_o(take_transfer),
    .take_tag_o     (take_tag),
    .*
  );

  // ---- Numbers, issues and their ends ----
  free_t numbers;
  taken_t taken;
  returned_t returned;
  logic number_refused, issue_valid;
  issue_t issue;
  logic   again_valid;
  again_t again;
  logic again_done, reap_valid, reap_ready;
  reap_t reap;

  rdma_numbers #(
    .TidCount(TidCount)
  ) u_numbers (
    .ready_o   (ready[2]),
    .free_o    (numbers),
    .taken_i   (taken),
    .returned_i(returned),
    .refused_o (number_refused),
    .*
  );

  rdma_segmenter #(
    .Transfers  (Transfers),
    .Priorities (Priorities),
    .Outstanding(Outstanding),
    .Reserve    (Reserve),
    .TidCount   (TidCount)
  ) u_segmenter (
    .enable_i     (ready_o),
    .node_i       (identity_i.node),
    .service_i    (service_i),
    .nonempty_i   (nonempty),
    .take_o       (take),
    .take_queue_o (take_queue),
    .take_i       ({transfer_t'(take_transfer), take_tag}),
    .put_valid_o  (again_put_valid),
    .put_o        (again_put),
    .numbers_i    (numbers),
    .taken_o      (taken),
    .metadata_o   (segmenter_req),
    .metadata_go_i(segmenter_go),
    .metadata_i   (metadata),
    .row_i        (row),
    .issue_valid_o(issue_valid),
    .issue_o      (issue),
    .again_valid_i(again_valid),
    .again_i      (again),
    .again_done_o (again_done),
    .reap_valid_o (reap_valid),
    .reap_ready_i (reap_ready),
    .reap_o       (reap),
    .*
  );

  rdma_handler #(
    .Transfers  (Transfers),
    .Priorities (Priorities),
    .Outstanding(Outstanding)
  ) u_handler (
    .ready_o       (ready[3]),
    .enable_i      (ready_o),
    .epoch_i       (identity_i.epoch),
    .issue_valid_i (issue_valid),
    .issue_i       (issue),
    .again_valid_o (again_valid),
    .again_o       (again),
    .again_done_i  (again_done),
    .reap_valid_i  (reap_valid),
    .reap_ready_o  (reap_ready),
    .reap_i        (reap),
    .table_valid_o (serve_valid),
    .table_o       (serve),
    .metadata_o    (handler_req),
    .metadata_i    (metadata),
    .put_valid_o   (handler_put_valid),
    .put_ready_i   (!again_put_valid),
    .put_o         (handler_put),
    .finish_valid_o(finish),
    .finish_o      (finished),
    .returned_o    (returned),
    .dropped_o     (events_o.dropped),
    .repeated_o    (events_o.repeated),
    .gave_up_o     (events_o.gave_up),
    .*
  );

  // These are only counted.
  logic put_q, put_taken_q, refused_end_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      {put_q, refused_end_q} <= '0;
      events_o.refused <= 1'b0;
      events_o.fault <= 1'b0;
    end else begin
      put_q <= put_valid && ready_o;
      refused_end_q <= finish_refused || number_refused;
      events_o.refused <= refused;
      events_o.fault <= (put_q && !put_taken_q) || refused_end_q;
    end
    put_taken_q <= put_taken;
    events_o.refused_page <= page_t'(refused_page);
  end
  assign events_o.finish = finish;
  assign events_o.finish_error = finished.error;
  assign events_o.finish_read = finished.transfer[6];

endmodule
