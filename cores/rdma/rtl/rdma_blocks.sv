// SPDX-License-Identifier: Apache-2.0
//
// rdma_blocks: stage 3 of the segmenter: block descriptors.
//
// What      Cuts block s_number_i out of the transfer of s_line_i (rdma_cutter), and keeps it until
//           the send unit takes it.
// Contract  s_valid_i only if there is room: held_o, the blocks that are kept here, below Room.
//           last_o belongs to what is offered, in the same cycle: it is the last block of its
//           transfer. m side: valid and ready, in order. issued: a block is cut, and what it
//           counts for.
// Latency   A first block 0 cycles to the FIFO, others 1; another one through it.
// Source    own design
//
// Parameters
//   Room   blocks, 2 or 3

module rdma_blocks
  import rdma_pkg::*;
#(
  parameter int unsigned Room = 2
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           s_valid_i,
  input  line_t                          s_line_i,
  input  logic         [NumberWidth-1:0] s_number_i,
  input  use_t                           s_use_i,
  input  logic                           s_managed_i,     // it has a flow
  input  transfer_t                      s_transfer_i,
  input  logic         [            3:0] s_epoch_i,       // of who requested it, if it is a read
  output logic                           last_o,
  output logic         [            1:0] held_o,
  output logic                           issued_valid_o,
  output block_class_t                   issued_o,
  output logic                           m_valid_o,
  input  logic                           m_ready_i,
  output block_job_t                     m_job_o
);

  // What is known of a block before it is cut goes along.
  typedef struct packed {
    use_t use_;
    logic managed, chained, notify;
    transfer_t transfer;
    logic asked;
    logic [3:0] epoch;
    logic [21:0] qos;
    logic [15:0] source_node, destination_node;
  } along_t;

  along_t along_in, along;
  logic serves, cut, cut_last;
  logic [47:0] cut_source, cut_destination;
  logic [16:0] cut_bytes;
  logic stage3_q;
  logic [1:0] level;
  logic [NumberWidth-1:0] unused_total;
  logic unused_cutter_ready, unused_ready;
  block_t block;

  // Channels from 64 on serve reads of other nodes.
  assign serves = s_transfer_i[6];
  assign along_in = '{
          use_: s_use_i,
          managed: s_managed_i,
          chained: s_number_i != '0,
          notify: s_line_i.notify && !s_line_i.read,
          transfer: s_transfer_i,
          asked: serves,
          epoch: serves ? s_epoch_i : '0,
          qos: s_line_i.qos,
          source_node: s_line_i.source[63:48],
          destination_node: s_line_i.destination[63:48]
      };

  rdma_cutter #(
    .BlockBytes(65536),
    .AddrWidth (48),
    .TagWidth  ($bits(along_t))
  ) u_cutter (
    .s_ready_o      (unused_cutter_ready),
    .s_source_i     (s_line_i.source[47:0]),
    .s_destination_i(s_line_i.destination[47:0]),
    .s_size_i       (s_line_i.size),
    .s_tag_i        (along_in),
    .total_o        (unused_total),
    .m_valid_o      (cut),
    .m_ready_i      (1'b1),
    .m_source_o     (cut_source),
    .m_destination_o(cut_destination),
    .m_bytes_o      (cut_bytes),
    .m_last_o       (cut_last),
    .m_tag_o        (along),
    .*
  );

  // Whether a block is left in stage 3: it came and did not leave.
  always_ff @(posedge clk_i) begin
    if (rst_i) stage3_q <= 1'b0;
    else stage3_q <= s_valid_i && (stage3_q || !cut);
  end
  assign held_o = level + 2'(stage3_q);

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

  // TIDs of four paths are the upper quarter.
  assign issued_valid_o = cut;
  always_comb begin
    issued_o = '{class_: '0, bytes: cut_bytes};
    if (along.managed) issued_o.class_ = along.use_.tid[TidWidth-1-:2] == '1 ? 2'd2 : 2'd1;
  end

  prim_fifo_sync #(
    .Width($bits(block_job_t)),
    .Depth(Room)
  ) u_blocks (
    .s_valid_i(cut),
    .s_ready_o(unused_ready),
    .s_data_i ({along.use_, block}),
    .m_data_o (m_job_o),
    .level_o  (level),
    .*
  );

  logic unused_line;
  assign unused_line = ^s_line_i;

endmodule
