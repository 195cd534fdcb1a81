// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_segmenter: who takes an entry says so, who enters a transfer again says that too,
// and nothing that was taken is without a place.
//
// Queues, metadata, table, handler and receivers of blocks and packets do anything in every cycle;
// the pools give back what they want, and have one number less for each that was taken. In the
// metadata that it writes a transfer has an entry exactly if it is put into a queue in the cycle
// behind; a repetition changes nothing there. No stage waits: there is room for every block, packet
// and failed transfer, and every number that is taken is there. By induction, for runs of any
// length, with resets at any time.

module rdma_segmenter_proof
  import rdma_pkg::*;
#(
  localparam int unsigned Transfers   = 256,
  localparam int unsigned Priorities  = 1,
  localparam int unsigned Outstanding = 2,
  localparam int unsigned Reserve     = 2,
  localparam int unsigned TidCount    = 8,
  localparam int unsigned Queues      = 2 + 4 * Priorities
) (
  input logic                   clk_i,
  input logic                   rst_i,
  input logic                   enable_i,
  input logic      [      15:0] node_i,
  input service_t               service_i,
  input logic      [Queues-1:0] nonempty_i,
  input entry_t                 take_i,
  input free_t                  numbers_i,
  input logic                   metadata_go_i,
  input metadata_t              metadata_i,
  input row_t                   row_i,
  input logic                   again_valid_i,
  input again_t                 again_i,
  input logic                   reap_ready_i,
  input logic                   block_ready_i,
  input logic                   packet_ready_i
);

  logic take_o;
  queue_t take_queue_o;
  logic put_valid_o;
  put_t put_o;
  taken_t taken_o;
  metadata_req_t metadata_o;
  logic issue_valid_o;
  issue_t issue_o;
  logic again_done_o;
  logic reap_valid_o;
  reap_t reap_o;
  logic block_valid_o;
  block_job_t block_o;
  logic packet_valid_o;
  packet_job_t packet_o;

  rdma_segmenter #(
    .Transfers  (Transfers),
    .Priorities (Priorities),
    .Outstanding(Outstanding),
    .Reserve    (Reserve),
    .TidCount   (TidCount)
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
  transfer_t transfer_q;
  logic taken_q;
  transfer_t taken_transfer_q;
  logic [9:0] tid_left_q;
  logic [6:0] single_left_q;
  logic [4:0] group_left_q;

  always_ff @(posedge clk_i) begin
    valid_q <= u_dut.valid_q && !rst_i;
    again_q <= u_dut.stage_q.again;
    queued_q <= metadata_o.word.queued;
    transfer_q <= u_dut.stage_q.entry.transfer;
    taken_q <= take_o && !rst_i;
    taken_transfer_q <= take_i.transfer;
    tid_left_q <= rst_i ? '0 : numbers_i.tids - 10'(taken_o.tid);
    single_left_q <= rst_i ? '0 : numbers_i.singles - 7'(taken_o.single);
    group_left_q <= rst_i ? '0 : numbers_i.groups - 5'(taken_o.group);
  end

  // Numbers that are free stay so until they are taken.
  always_comb begin
    assume (started_q || rst_i);
    if (started_q) begin
      assume (numbers_i.tids >= tid_left_q);
      assume (numbers_i.singles >= single_left_q);
      assume (numbers_i.groups >= group_left_q);
    end
  end

  always_comb begin
    if (started_q) begin
      // Entries.
      assert (put_valid_o == (valid_q && !again_q && queued_q));
      if (put_valid_o) assert (put_o.entry.transfer == transfer_q);
      assert (put_o.entry.tag.issued && !put_o.entry.tag.control);
      if (u_dut.valid_q && u_dut.stage_q.again) assert (metadata_o.word == metadata_i);
      assert (taken_q == (u_dut.valid_q && !u_dut.stage_q.again));
      if (taken_q) assert (u_dut.stage_q.entry.transfer == taken_transfer_q);
      // Room and numbers.
      if (u_dut.u_packets.s_valid_i) assert (u_dut.unused_packet_ready || rst_i);
      if (u_dut.u_blocks.cut) assert (u_dut.u_blocks.unused_ready || rst_i);
      if (u_dut.u_reap.s_valid_i) assert (u_dut.unused_reap_ready || rst_i);
      if (taken_o.tid) assert (numbers_i.tids != '0);
      if (taken_o.single) assert (numbers_i.singles != '0);
      if (taken_o.group) assert (numbers_i.groups != '0);
      // Invariants: who is in stage 2 has its room and its number.
      if (u_dut.valid_q && u_dut.stage_q.packet) assert (32'(u_dut.packet_level) < PacketRoom);
      assert (32'(u_dut.packet_level) <= PacketRoom);
      assert (32'(u_dut.u_blocks.level) + 32'(u_dut.valid_q && !u_dut.stage_q.packet)
          + 32'(u_dut.u_blocks.stage3_q) <= BlockRoom);
      assert (32'(u_dut.reap_level) + 32'(u_dut.valid_q) <= 2);
      if (u_dut.valid_q && u_dut.stage_q.takes.tid) assert (numbers_i.tids != '0);
      if (u_dut.valid_q && u_dut.stage_q.takes.single) assert (numbers_i.singles != '0);
      if (u_dut.valid_q && u_dut.stage_q.takes.group) assert (numbers_i.groups != '0);
      if (u_dut.valid_q && u_dut.stage_q.again) assert (u_dut.stage_q.entry.tag.issued);
      assert (u_dut.u_blocks.stage3_q == u_dut.u_blocks.u_cutter.busy_q);
      assert (u_dut.u_packets.full_q == (32'(u_dut.packet_level) == PacketRoom));
      assert (u_dut.u_packets.empty_q == (u_dut.packet_level == '0));
      assert (u_dut.u_blocks.u_blocks.full_q == (32'(u_dut.u_blocks.level) == BlockRoom));
      assert (u_dut.u_blocks.u_blocks.empty_q == (u_dut.u_blocks.level == '0));
      assert (u_dut.u_reap.full_q == (u_dut.reap_level == 2));
      assert (u_dut.u_reap.empty_q == (u_dut.reap_level == '0));
    end
  end

endmodule
