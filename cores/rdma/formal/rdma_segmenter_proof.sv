// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_segmenter: who takes an entry says so, who enters a transfer again says that too, and nothing that was taken is without a place.
//
// Queues, metadata, table, handler and receivers of blocks and packets do anything in every cycle; the pools give back what they want, and have
// one number less for each that was taken. In the metadata that it writes a transfer has an entry exactly if it is put into a queue in the cycle behind; a
// repetition changes nothing there. No stage waits: there is room for every block, packet and failed transfer, and every number that is taken is
// there. By induction, for runs of any length, with resets at any time.

module rdma_segmenter_proof
  import rdma_pkg::*;
#(
  localparam int unsigned Transfers   = 256,
  localparam int unsigned Priorities  = 1,
  localparam int unsigned Outstanding = 2,
  localparam int unsigned Reserve     = 2,
  localparam int unsigned TidCount    = 8,
  localparam int unsigned SingleCount = 4,
  localparam int unsigned GroupCount  = 2,
  localparam int unsigned IndexWidth  = $clog2(Transfers),
  localparam int unsigned Queues      = 2 + 4 * Priorities,
  localparam int unsigned QueueWidth  = $clog2(Queues)
) (
  input logic clk_i,
  input logic rst_i,
  input logic enable_i,
  input logic [15:0] node_i,
  input logic [Queues-1:0] nonempty_i,
  input logic [IndexWidth-1:0] take_transfer_i,
  input tag_t take_tag_i,
  input logic [$clog2(TidCount+1)-1:0] tid_free_i,
  input logic [TidWidth-1:0] tid_i,
  input logic [$clog2(SingleCount+1)-1:0] single_free_i,
  input logic [FlowWidth-1:0] single_i,
  input logic [$clog2(GroupCount+1)-1:0] group_free_i,
  input logic [FlowWidth-1:0] group_i,
  input logic metadata_go_i,
  input metadata_t metadata_i,
  input line_t line_i,
  input logic [3:0][63:0] second_i,
  input asked_t asked_i,
  input logic again_valid_i,
  input again_t again_i,
  input logic reap_ready_i,
  input logic block_ready_i,
  input logic packet_ready_i
);

  logic take_o;
  logic [QueueWidth-1:0] take_queue_o;
  logic put_o;
  logic [QueueWidth-1:0] put_queue_o;
  logic [IndexWidth-1:0] put_transfer_o;
  tag_t put_tag_o;
  logic tid_take_o;
  logic single_take_o;
  logic group_take_o;
  logic metadata_want_o;
  logic [IndexWidth-1:0] metadata_transfer_o;
  metadata_t metadata_o;
  logic issue_o;
  logic issue_first_o;
  logic issue_read_o;
  logic [TidWidth-1:0] issue_tid_o;
  pending_t pending_o;
  logic again_done_o;
  logic reap_valid_o;
  logic [IndexWidth-1:0] reap_transfer_o;
  logic [1:0] reap_class_o;
  logic block_valid_o;
  use_t block_use_o;
  block_t block_o;
  logic packet_valid_o;
  use_t packet_use_o;
  packet_t packet_o;

  rdma_segmenter #(
    .Transfers  (Transfers),
    .Priorities (Priorities),
    .Outstanding(Outstanding),
    .Reserve    (Reserve),
    .TidCount   (TidCount),
    .SingleCount(SingleCount),
    .GroupCount (GroupCount)
  ) u_dut (
    .*
  );

  localparam int unsigned BlockRoom = 2;
  localparam int unsigned PacketRoom = 4;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  // The cycle before.
  logic valid_q;
  logic again_q;
  logic queued_q;
  logic [IndexWidth-1:0] transfer_q;
  logic taken_q;
  logic [IndexWidth-1:0] taken_transfer_q;
  logic [$clog2(TidCount+1)-1:0] tid_left_q;
  logic [$clog2(SingleCount+1)-1:0] single_left_q;
  logic [$clog2(GroupCount+1)-1:0] group_left_q;

  always_ff @(posedge clk_i) begin
    valid_q <= u_dut.valid_q && !rst_i;
    again_q <= u_dut.stage_q.again;
    queued_q <= metadata_o.queued;
    transfer_q <= u_dut.stage_q.transfer;
    taken_q <= take_o && !rst_i;
    taken_transfer_q <= take_transfer_i;
    tid_left_q <= rst_i ? '0 : tid_free_i - ($bits(tid_free_i))'(tid_take_o);
    single_left_q <= rst_i ? '0 : single_free_i - ($bits(single_free_i))'(single_take_o);
    group_left_q <= rst_i ? '0 : group_free_i - ($bits(group_free_i))'(group_take_o);
  end

  // Numbers that are free stay so until they are taken.
  always_comb begin
    assume (started_q || rst_i);
    if (started_q) begin
      assume (tid_free_i >= tid_left_q);
      assume (single_free_i >= single_left_q);
      assume (group_free_i >= group_left_q);
    end
  end

  always_comb begin
    if (started_q) begin
      // Entries.
      assert (put_o == (valid_q && !again_q && queued_q));
      if (put_o) assert (put_transfer_o == transfer_q && put_tag_o.issued && !put_tag_o.control);
      if (u_dut.valid_q && u_dut.stage_q.again) assert (metadata_o == metadata_i);
      assert (taken_q == (u_dut.valid_q && !u_dut.stage_q.again));
      if (taken_q) assert (u_dut.stage_q.transfer == taken_transfer_q);
      // Room and numbers.
      if (u_dut.u_packets.s_valid_i) assert (u_dut.unused_packet_ready || rst_i);
      if (u_dut.cut) assert (u_dut.unused_block_ready || rst_i);
      if (u_dut.u_reap.s_valid_i) assert (u_dut.unused_reap_ready || rst_i);
      if (tid_take_o) assert (tid_free_i != '0);
      if (single_take_o) assert (single_free_i != '0);
      if (group_take_o) assert (group_free_i != '0);
      // Invariants: who is in stage 2 has its room and its number.
      if (u_dut.valid_q && u_dut.stage_q.packet) assert (32'(u_dut.packet_level) < PacketRoom);
      assert (32'(u_dut.packet_level) <= PacketRoom && 32'(u_dut.block_level)
          + 32'(u_dut.valid_q && !u_dut.stage_q.packet) + 32'(u_dut.stage3_q) <= BlockRoom);
      assert (32'(u_dut.reap_level) + 32'(u_dut.valid_q) <= 2);
      if (u_dut.valid_q && u_dut.stage_q.tid) assert (tid_free_i != '0);
      if (u_dut.valid_q && u_dut.stage_q.single) assert (single_free_i != '0);
      if (u_dut.valid_q && u_dut.stage_q.group) assert (group_free_i != '0);
      if (u_dut.valid_q && u_dut.stage_q.again) assert (u_dut.stage_q.tag.issued);
      assert (u_dut.stage3_q == u_dut.u_cutter.busy_q);
      assert (u_dut.u_packets.full_q == (32'(u_dut.packet_level) == PacketRoom));
      assert (u_dut.u_packets.empty_q == (u_dut.packet_level == '0));
      assert (u_dut.u_blocks.full_q == (32'(u_dut.block_level) == BlockRoom));
      assert (u_dut.u_blocks.empty_q == (u_dut.block_level == '0));
      assert (u_dut.u_reap.full_q == (u_dut.reap_level == 2));
      assert (u_dut.u_reap.empty_q == (u_dut.reap_level == '0));
    end
  end

endmodule
