// SPDX-License-Identifier: Apache-2.0
//
// rdma_store: packets that have come, whole, until they are carried out.
//
// What      Keeps the payloads of packets in one memory, what is known of each packet in a FIFO
//           beside it, and whether it is good in another one.
// Why       Packets from the network (rdma_unframe) and those within this node (rdma_own) wait in
//           the same way, each in a store of its own, so that neither takes the other's room.
// Contract  word_i = 1 keeps word_data_i behind the ones before; never without room_o. ends_i: with
//           this cycle the words of a packet are all there. packet_i, with the first word or behind
//           it or, if ends_i is later, before it, and not without packet_room_o: frame_i and
//           message_i describe a packet; verdict_i with judgement_i judges packets in order.
//           next_o: where the next word goes. packet_valid_o: a packet, judged when
//           judged_o; it moves when judged_o and packet_ready_i. Its payload stays: read_i reads
//           the word at place_i, which is at word_o from the next cycle on; free_i gives
//           free_words_i words of the oldest packet back, each packet's once and in order, good or
//           not.
// Latency   0 cycles from packet_i and verdict_i to the packet, 1 with FallThrough = 0
// Storage   words: block RAM, LUT memory if they are few; packets: LUT memory
// Source    own design
//
// Parameters
//   BufferWords   words of payload, a power of two, 64 to 4096
//   Packets       packets, at most
//   FallThrough   a packet is offered in the cycle in which it is described, if none is in front

module rdma_store
  import rdma_unit_pkg::*;
#(
  parameter int unsigned BufferWords = 512,
  parameter int unsigned Packets = 32,
  parameter bit FallThrough = 1'b1,
  localparam int unsigned PlaceWidth = $clog2(BufferWords)
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  output logic                        room_o,
  output logic                        packet_room_o,
  input  logic                        word_i,
  input  logic       [         511:0] word_data_i,
  input  logic                        ends_i,
  input  logic                        packet_i,
  input  frame_t                      frame_i,
  input  logic       [         255:0] message_i,
  input  logic                        verdict_i,
  input  judgement_t                  judgement_i,
  output logic                        packet_valid_o,
  output logic                        judged_o,
  output judgement_t                  judgement_o,
  input  logic                        packet_ready_i,
  output arrival_t                    packet_o,
  output logic       [PlaceWidth-1:0] next_o,
  input  logic                        read_i,
  input  logic       [PlaceWidth-1:0] place_i,
  output logic       [         511:0] word_o,
  input  logic                        free_i,
  input  logic       [           4:0] free_words_i
);

  if (BufferWords < 64 || BufferWords > 4096 || (BufferWords & (BufferWords - 1)) != 0)
  begin : gen_bad_buffer
    $error("rdma_store %m: rule BufferWords is a power of two, 64 to 4096, got %0d", BufferWords);
  end

  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [PlaceWidth:0] level_t;

  place_t next_q;
  place_t first_q;  // of the packet that comes
  level_t used_q, used;
  // Both are known late, and count one cycle later.
  logic   word_q;
  level_t freed_q;

  prim_ram_1r1w #(
    .Width(512),
    .Depth(BufferWords)
  ) u_words (
    .clk_i    (clk_i),
    .wr_en_i  (word_i),
    .wr_addr_i(next_q),
    .wr_data_i(word_data_i),
    .rd_en_i  (read_i),
    .rd_addr_i(place_i),
    .rd_data_o(word_o)
  );

  assign next_o = next_q;
  assign used   = used_q + level_t'(word_q) - freed_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      next_q  <= '0;
      first_q <= '0;
      used_q  <= '0;
      freed_q <= '0;
      word_q  <= 1'b0;
      room_o  <= 1'b0;
    end else begin
      if (ends_i) first_q <= next_q + place_t'(word_i);
      if (word_i) next_q <= next_q + place_t'(1);
      used_q  <= used;
      word_q  <= word_i;
      freed_q <= free_i ? level_t'(free_words_i) : '0;
      room_o  <= 32'(used) < BufferWords - 1;
    end
  end

  // A packet may wait for its verdict, which comes when others may have begun: its words stay where
  // they are in any case.
  typedef struct packed {
    place_t first;
    logic [255:0] message;
    frame_t frame;
  } stored_t;

  stored_t entry;
  logic moves, unused_verdict_ready;
  logic [$clog2(Packets+1)-1:0] unused_entry_level, unused_verdict_level;
  assign moves = judged_o && packet_ready_i;

  prim_fifo_sync #(
    .Width      ($bits(stored_t)),
    .Depth      (Packets),
    .FallThrough(FallThrough)
  ) u_packets (
    .s_valid_i(packet_i),
    .s_ready_o(packet_room_o),
    .s_data_i ({first_q, message_i, frame_i}),
    .m_valid_o(packet_valid_o),
    .m_ready_i(moves),
    .m_data_o (entry),
    .level_o  (unused_entry_level),
    .*
  );

  prim_fifo_sync #(
    .Width      ($bits(judgement_t)),
    .Depth      (Packets),
    .FallThrough(FallThrough)
  ) u_verdicts (
    .s_valid_i(verdict_i),
    .s_ready_o(unused_verdict_ready),
    .s_data_i (judgement_i),
    .m_valid_o(judged_o),
    .m_ready_i(moves),
    .m_data_o (judgement_o),
    .level_o  (unused_verdict_level),
    .*
  );

  assign packet_o = '{
          own: 1'b0,
          frame: entry.frame,
          message: entry.message,
          first: MaxPlaceWidth'(entry.first)
      };

endmodule
