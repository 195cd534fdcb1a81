// SPDX-License-Identifier: Apache-2.0
//
// rdma_core: the engine: descriptors in, blocks and packets out, answers in, states out.
//
// What      rdma_port with the Transfer Table, the scheduling queues, metadata, the pools of numbers, rdma_segmenter and rdma_handler.
// Why       All of the engine but the units that move bytes.
// Contract  AXI: rdma_port. block, packet, sent, answer: README, "Between engine and units". Configuration, constant out of reset: node_i;
//           epoch_i, another one in each life; timeout_i, cycles from the last word of a block to its answer; retries_i, how often a block
//           is sent again before its transfer ends with an error; read_timeout_i, how long a read may go on, in 16384 cycles.
//           Pulses to be counted: refused_o (a beat of page refused_page_o), finish_o (with finish_error_o, finish_read_o: it was a read of
//           another node), dropped_o (an answer that fits nothing), repeated_o, gave_up_o.
//           fault_o is never 1: it says that a transfer, a number or an end was accounted for twice.
// Latency   Last word of a message, or of a transfer without flow, to packet_valid_o or block_valid_o: 2 cycles. Ready 512 cycles after reset;
//           until then neither descriptors nor answers are taken.
//
// Parameters
//   DataWidth, IdWidth   of the AXI slave, see rdma_port
//   Pages                pages, a power of two, 2 to 16
//   Priorities           intra-priorities, 1 to 16
//   Outstanding          blocks of a transfer under way at most, 1 to 15
//   Reserve              TIDs that only messages and control packets get, below 512

module rdma_core
  import rdma_pkg::*;
#(
  parameter int unsigned DataWidth = 128,
  parameter int unsigned IdWidth = 4,
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  parameter int unsigned Outstanding = 2,
  parameter int unsigned Reserve = 32,
  localparam int unsigned PageWidth = $clog2(Pages),
  localparam int unsigned AddrWidth = PageWidth + 13
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic    [           15:0] node_i,
  input  logic    [            3:0] epoch_i,
  input  logic    [           31:0] timeout_i,
  input  logic    [ TriesWidth-1:0] retries_i,
  input  logic    [           17:0] read_timeout_i,
  input  logic    [    IdWidth-1:0] s_axi_awid,
  input  logic    [  AddrWidth-1:0] s_axi_awaddr,
  input  logic    [            7:0] s_axi_awlen,
  input  logic    [            2:0] s_axi_awsize,
  input  logic    [            1:0] s_axi_awburst,
  input  logic                      s_axi_awvalid,
  output logic                      s_axi_awready,
  input  logic    [  DataWidth-1:0] s_axi_wdata,
  input  logic    [DataWidth/8-1:0] s_axi_wstrb,
  input  logic                      s_axi_wlast,
  input  logic                      s_axi_wvalid,
  output logic                      s_axi_wready,
  output logic    [    IdWidth-1:0] s_axi_bid,
  output logic    [            1:0] s_axi_bresp,
  output logic                      s_axi_bvalid,
  input  logic                      s_axi_bready,
  input  logic    [    IdWidth-1:0] s_axi_arid,
  input  logic    [  AddrWidth-1:0] s_axi_araddr,
  input  logic    [            7:0] s_axi_arlen,
  input  logic    [            2:0] s_axi_arsize,
  input  logic    [            1:0] s_axi_arburst,
  input  logic                      s_axi_arvalid,
  output logic                      s_axi_arready,
  output logic    [    IdWidth-1:0] s_axi_rid,
  output logic    [  DataWidth-1:0] s_axi_rdata,
  output logic    [            1:0] s_axi_rresp,
  output logic                      s_axi_rlast,
  output logic                      s_axi_rvalid,
  input  logic                      s_axi_rready,
  output logic                      block_valid_o,
  input  logic                      block_ready_i,
  output use_t                      block_use_o,
  output block_t                    block_o,
  output logic                      packet_valid_o,
  input  logic                      packet_ready_i,
  output use_t                      packet_use_o,
  output packet_t                   packet_o,
  input  logic                      sent_valid_i,
  input  logic    [   TidWidth-1:0] sent_tid_i,
  input  logic                      sent_failed_i,
  input  logic                      answer_valid_i,
  output logic                      answer_ready_o,
  input  answer_t                   answer_i,
  output logic                      answer_refused_o,
  output logic                      ready_o,
  output logic                      refused_o,
  output logic    [  PageWidth-1:0] refused_page_o,
  output logic                      dropped_o,
  output logic                      repeated_o,
  output logic                      gave_up_o,
  output logic                      finish_o,
  output logic                      finish_error_o,
  output logic                      finish_read_o,
  output logic                      fault_o
);

  if (Pages < 2 || Pages > 16 || (Pages & (Pages - 1)) != 0) begin : gen_bad_pages
    $error("rdma_core %m: rule Pages is a power of two, 2 to 16, got %0d", Pages);
  end

  localparam int unsigned Transfers = Pages * 128;
  localparam int unsigned IndexWidth = $clog2(Transfers);
  localparam int unsigned Queues = 2 + 4 * Priorities;
  localparam int unsigned QueueWidth = $clog2(Queues);
  // TIDs outside of flows are the lower half; flows for one path, and groups of four.
  localparam int unsigned TidCount = 512;
  localparam int unsigned SingleCount = 64;
  localparam int unsigned SingleFirst = 128;
  localparam int unsigned GroupCount = 16;
  localparam int unsigned GroupFirst = 192;

  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [QueueWidth-1:0] queue_t;

  // Everything starts when all are ready.
  logic [6:0] ready;
  assign ready_o = &ready;

  // Channels.
  logic start;
  logic [PageWidth-1:0] start_page;
  logic [5:0] start_channel;
  logic start_packet;
  logic refused;
  logic [PageWidth-1:0] refused_page;
  logic [1:0] start_class;
  logic [3:0] start_priority;
  logic [63:0] idle;
  logic read;
  logic [PageWidth-1:0] read_page;
  logic [63:0] read_mask;
  logic [127:0] read_status;
  logic line_valid;
  logic line_ready;
  index_t line_index;
  logic [255:0] line_data;
  logic finish;
  index_t finish_transfer;
  logic finish_error;
  logic finish_refused;

  rdma_port #(
    .DataWidth (DataWidth),
    .IdWidth   (IdWidth),
    .Pages     (Pages),
    .Priorities(Priorities)
  ) u_port (
    .ready_i         (ready_o),
    .start_o         (start),
    .start_page_o    (start_page),
    .start_channel_o (start_channel),
    .idle_i          (idle),
    .read_o          (read),
    .read_page_o     (read_page),
    .read_mask_o     (read_mask),
    .read_status_i   (read_status),
    .line_valid_o    (line_valid),
    .line_ready_i    (line_ready),
    .line_index_o    (line_index),
    .line_data_o     (line_data),
    .start_packet_o  (start_packet),
    .start_class_o   (start_class),
    .start_priority_o(start_priority),
    .refused_o       (refused),
    .refused_page_o  (refused_page),
    .*
  );

  rdma_status #(
    .Pages   (Pages),
    .Channels(64)
  ) u_status (
    .clk_i           (clk_i),
    .rst_i           (rst_i),
    .ready_o         (ready[0]),
    .start_i         (start),
    .start_page_i    (start_page),
    .start_channel_i (start_channel),
    .start_idle_o    (idle),
    .finish_i        (finish && !finish_transfer[6]),
    .finish_page_i   (finish_transfer[IndexWidth-1:7]),
    .finish_channel_i(finish_transfer[5:0]),
    .finish_error_i  (finish_error),
    .finish_refused_o(finish_refused),
    .read_i          (read),
    .read_page_i     (read_page),
    .read_mask_i     (read_mask),
    .read_status_o   (read_status)
  );

  // Transfer Table and metadata: both are read when the segmenter takes an entry.
  logic segmenter_want;
  logic segmenter_go;
  index_t segmenter_transfer;
  metadata_t segmenter_word;
  logic handler_want;
  logic handler_go;
  index_t handler_transfer;
  metadata_t handler_word;
  metadata_t metadata;
  line_t line;
  logic [3:0][63:0] second;

  logic serve_line;
  index_t serve_transfer;
  line_t serve_data;
  asked_t serve_asked;
  asked_t asked;

  rdma_table #(
    .Transfers(Transfers)
  ) u_table (
    .clk_i     (clk_i),
    .wr_en_i   (serve_line || (line_valid && line_ready)),
    .wr_index_i(serve_line ? serve_transfer : line_index),
    .wr_line_i (serve_line ? serve_data : line_data),
    .rd_en_i   (segmenter_go),
    .rd_index_i(segmenter_transfer),
    .line_o    (line),
    .second_o  (second)
  );

  // What is known of the requests that the read channels serve.
  prim_ram_1r1w #(
    .Width($bits(asked_t)),
    .Depth(Transfers / 2)
  ) u_asked (
    .clk_i    (clk_i),
    .wr_en_i  (serve_line),
    .wr_addr_i({serve_transfer[IndexWidth-1:7], serve_transfer[5:0]}),
    .wr_data_i(serve_asked),
    .rd_en_i  (segmenter_go),
    .rd_addr_i({segmenter_transfer[IndexWidth-1:7], segmenter_transfer[5:0]}),
    .rd_data_o(asked)
  );

  rdma_metadata #(
    .Transfers(Transfers)
  ) u_metadata (
    .clk_i               (clk_i),
    .rst_i               (rst_i),
    .segmenter_want_i    (segmenter_want),
    .segmenter_transfer_i(segmenter_transfer),
    .segmenter_go_o      (segmenter_go),
    .segmenter_i         (segmenter_word),
    .handler_want_i      (handler_want),
    .handler_transfer_i  (handler_transfer),
    .handler_go_o        (handler_go),
    .handler_i           (handler_word),
    .data_o              (metadata)
  );

  // Who enters a transfer: first the segmenter, which cannot wait, then the handler, then the port.
  logic take;
  queue_t take_queue;
  index_t take_transfer;
  tag_t take_tag;
  logic [Queues-1:0] nonempty;
  logic again_put;
  queue_t again_queue;
  index_t again_transfer;
  tag_t again_tag;
  logic handler_put;
  queue_t handler_queue;
  index_t handler_put_transfer;
  tag_t handler_tag;
  queue_t start_queue;
  logic put;
  queue_t put_queue;
  index_t put_transfer;
  tag_t put_tag;
  logic put_taken;

  rdma_queue_number #(
    .Priorities(Priorities)
  ) u_start_queue (
    .class_i   (start_class),
    .has_flow_i(1'b0),
    .priority_i(start_priority),
    .queue_o   (start_queue)
  );

  assign line_ready = !again_put && !handler_put && !serve_line;
  always_comb begin
    put = again_put || handler_put || start;
    put_queue = start_packet ? '0 : start_queue;
    put_transfer = {start_page, 1'b0, start_channel};
    put_tag = '0;
    if (again_put) begin
      put_queue = again_queue;
      put_transfer = again_transfer;
      put_tag = again_tag;
    end else if (handler_put) begin
      put_queue = handler_queue;
      put_transfer = handler_put_transfer;
      put_tag = handler_tag;
    end
  end

  rdma_queues #(
    .Transfers(Transfers),
    .Queues   (Queues),
    .TagWidth ($bits(tag_t))
  ) u_queues (
    .clk_i          (clk_i),
    .rst_i          (rst_i),
    .ready_o        (ready[1]),
    .put_valid_i    (put),
    .put_queue_i    (put_queue),
    .put_transfer_i (put_transfer),
    .put_tag_i      (put_tag),
    .put_taken_o    (put_taken),
    .nonempty_o     (nonempty),
    .take_i         (take),
    .take_queue_i   (take_queue),
    .take_transfer_o(take_transfer),
    .take_tag_o     (take_tag)
  );

  // Numbers.
  logic [$clog2(TidCount+1)-1:0] tid_free;
  logic [$clog2(SingleCount+1)-1:0] single_free;
  logic [$clog2(GroupCount+1)-1:0] group_free;
  logic [TidWidth-1:0] tid;
  logic [FlowWidth-1:0] single;
  logic [FlowWidth-1:0] group;
  logic tid_take, single_take, group_take;
  logic tid_put, single_put, group_put;
  logic [TidWidth-1:0] put_tid;
  logic [FlowWidth-1:0] put_flow;
  logic [2:0] refused_numbers;
  logic [2:0] unused_valid;

  rdma_id_pool #(
    .Count  (TidCount),
    .First  (0),
    .Step   (1),
    .IdWidth(TidWidth)
  ) u_tids (
    .clk_i       (clk_i),
    .rst_i       (rst_i),
    .ready_o     (ready[2]),
    .take_valid_o(unused_valid[0]),
    .take_ready_i(tid_take),
    .take_id_o   (tid),
    .put_valid_i (tid_put),
    .put_id_i    (put_tid),
    .refused_o   (refused_numbers[0]),
    .free_o      (tid_free)
  );

  rdma_id_pool #(
    .Count  (SingleCount),
    .First  (SingleFirst),
    .Step   (1),
    .IdWidth(FlowWidth)
  ) u_singles (
    .clk_i       (clk_i),
    .rst_i       (rst_i),
    .ready_o     (ready[3]),
    .take_valid_o(unused_valid[1]),
    .take_ready_i(single_take),
    .take_id_o   (single),
    .put_valid_i (single_put),
    .put_id_i    (put_flow),
    .refused_o   (refused_numbers[1]),
    .free_o      (single_free)
  );

  rdma_id_pool #(
    .Count  (GroupCount),
    .First  (GroupFirst),
    .Step   (4),
    .IdWidth(FlowWidth)
  ) u_groups (
    .clk_i       (clk_i),
    .rst_i       (rst_i),
    .ready_o     (ready[4]),
    .take_valid_o(unused_valid[2]),
    .take_ready_i(group_take),
    .take_id_o   (group),
    .put_valid_i (group_put),
    .put_id_i    (put_flow),
    .refused_o   (refused_numbers[2]),
    .free_o      (group_free)
  );

  // Issues and their ends.
  logic issue;
  logic issue_first;
  logic issue_read;
  logic serve;
  logic serve_free;
  logic [5:0] serve_channel;
  logic [TidWidth-1:0] issue_tid;
  pending_t pending;
  logic again_valid;
  again_t again;
  logic again_done;
  logic reap_valid;
  logic reap_ready;
  index_t reap_transfer;
  logic [1:0] reap_class;

  rdma_segmenter #(
    .Transfers  (Transfers),
    .Priorities (Priorities),
    .Outstanding(Outstanding),
    .Reserve    (Reserve),
    .TidCount   (TidCount),
    .SingleCount(SingleCount),
    .GroupCount (GroupCount)
  ) u_segmenter (
    .clk_i              (clk_i),
    .rst_i              (rst_i),
    .enable_i           (ready_o),
    .node_i             (node_i),
    .nonempty_i         (nonempty),
    .take_o             (take),
    .take_queue_o       (take_queue),
    .take_transfer_i    (take_transfer),
    .take_tag_i         (take_tag),
    .put_o              (again_put),
    .put_queue_o        (again_queue),
    .put_transfer_o     (again_transfer),
    .put_tag_o          (again_tag),
    .tid_free_i         (tid_free),
    .tid_i              (tid),
    .tid_take_o         (tid_take),
    .single_free_i      (single_free),
    .single_i           (single),
    .single_take_o      (single_take),
    .group_free_i       (group_free),
    .group_i            (group),
    .group_take_o       (group_take),
    .metadata_want_o    (segmenter_want),
    .metadata_transfer_o(segmenter_transfer),
    .metadata_go_i      (segmenter_go),
    .metadata_i         (metadata),
    .metadata_o         (segmenter_word),
    .line_i             (line),
    .second_i           (second),
    .asked_i            (asked),
    .issue_o            (issue),
    .issue_first_o      (issue_first),
    .issue_read_o       (issue_read),
    .issue_tid_o        (issue_tid),
    .pending_o          (pending),
    .again_valid_i      (again_valid),
    .again_i            (again),
    .again_done_o       (again_done),
    .reap_valid_o       (reap_valid),
    .reap_ready_i       (reap_ready),
    .reap_transfer_o    (reap_transfer),
    .reap_class_o       (reap_class),
    .block_valid_o      (block_valid_o),
    .block_ready_i      (block_ready_i),
    .block_use_o        (block_use_o),
    .block_o            (block_o),
    .packet_valid_o     (packet_valid_o),
    .packet_ready_i     (packet_ready_i),
    .packet_use_o       (packet_use_o),
    .packet_o           (packet_o)
  );

  rdma_handler #(
    .Transfers  (Transfers),
    .Priorities (Priorities),
    .Outstanding(Outstanding)
  ) u_handler (
    .clk_i              (clk_i),
    .rst_i              (rst_i),
    .ready_o            (ready[5]),
    .enable_i           (ready_o),
    .epoch_i            (epoch_i),
    .timeout_i          (timeout_i),
    .retries_i          (retries_i),
    .read_timeout_i     (read_timeout_i),
    .issue_i            (issue),
    .issue_first_i      (issue_first),
    .issue_read_i       (issue_read),
    .issue_tid_i        (issue_tid),
    .issue_pending_i    (pending),
    .again_valid_o      (again_valid),
    .again_o            (again),
    .again_done_i       (again_done),
    .reap_valid_i       (reap_valid),
    .reap_ready_o       (reap_ready),
    .reap_transfer_i    (reap_transfer),
    .reap_class_i       (reap_class),
    .sent_valid_i       (sent_valid_i),
    .sent_tid_i         (sent_tid_i),
    .sent_failed_i      (sent_failed_i),
    .answer_valid_i     (answer_valid_i),
    .answer_ready_o     (answer_ready_o),
    .answer_i           (answer_i),
    .answer_refused_o   (answer_refused_o),
    .serve_free_i       (serve_free),
    .serve_channel_i    (serve_channel),
    .serve_o            (serve),
    .table_valid_o      (serve_line),
    .table_transfer_o   (serve_transfer),
    .table_line_o       (serve_data),
    .table_asked_o      (serve_asked),
    .metadata_want_o    (handler_want),
    .metadata_transfer_o(handler_transfer),
    .metadata_go_i      (handler_go),
    .metadata_i         (metadata),
    .metadata_o         (handler_word),
    .put_valid_o        (handler_put),
    .put_ready_i        (!again_put),
    .put_queue_o        (handler_queue),
    .put_transfer_o     (handler_put_transfer),
    .put_tag_o          (handler_tag),
    .finish_o           (finish),
    .finish_transfer_o  (finish_transfer),
    .finish_error_o     (finish_error),
    .tid_put_o          (tid_put),
    .tid_o              (put_tid),
    .single_put_o       (single_put),
    .group_put_o        (group_put),
    .flow_o             (put_flow),
    .dropped_o          (dropped_o),
    .repeated_o         (repeated_o),
    .gave_up_o          (gave_up_o)
  );

  rdma_readers #(
    .Pages(Pages)
  ) u_readers (
    .clk_i          (clk_i),
    .rst_i          (rst_i),
    .ready_o        (ready[6]),
    .page_i         (answer_i.domain[PageWidth-1:0]),
    .free_o         (serve_free),
    .channel_o      (serve_channel),
    .open_i         (serve),
    .close_i        (finish && finish_transfer[6]),
    .close_page_i   (finish_transfer[IndexWidth-1:7]),
    .close_channel_i(finish_transfer[5:0])
  );

  // These are only counted.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      refused_o <= 1'b0;
      fault_o   <= 1'b0;
    end else begin
      refused_o <= refused;
      fault_o   <= (put && !put_taken && ready_o) || finish_refused || refused_numbers != '0;
    end
    refused_page_o <= refused_page;
  end
  assign finish_o = finish;
  assign finish_error_o = finish_error;
  assign finish_read_o = finish_transfer[6];

endmodule
