// SPDX-License-Identifier: Apache-2.0
//
// rdma_own: packets of this node to itself, which do not go over the network.
//
// What      Takes packets as rdma_frame makes them and offers each when it is whole.
// Why       They need no words of a line and no CRC: these are most of the latency of a message.
//           They have a store of their own, because a packet of the network may stop at any word
//           for as long as its sender likes: behind it they would wait, and with them all that this
//           node sends.
// Contract  s side: pieces as rdma_frame gives them, valid and ready; the footer is valid in the
//           first one. s_ready_o depends on registers only. A packet whose last piece is cut is
//           offered too, as one that is not good. packet, buffer: as rdma_store; a packet is judged
//           when it is offered. A packet is not offered before its last word is there: memory is
//           not asked to take a burst of which words are still to be read, as one that carries out
//           one burst after the other would never give them.
// Latency   1 cycle from the last piece to the packet
// Storage   64 words and 8 packets
// Source    own design

module rdma_own
  import rdma_unit_pkg::*;
#(
  localparam int unsigned Words   = 64,
  localparam int unsigned Packets = 8
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                s_valid_i,
  output logic                s_ready_o,
  input  piece_t              s_piece_i,
  output logic                packet_valid_o,
  output judgement_t          judgement_o,
  input  logic                packet_ready_i,
  output arrival_t            packet_o,
  input  buffer_req_t         buffer_i,
  output logic        [511:0] word_o
);

  logic room, packet_room, take, described, judged;
  logic [$clog2(Words)-1:0] unused_next;
  arrival_t packet;

  assign s_ready_o = room && packet_room;
  assign take = s_valid_i && s_ready_o;

  rdma_store #(
    .BufferWords(Words),
    .Packets    (Packets),
    .FallThrough(1'b0)
  ) u_store (
    .room_o        (room),
    .packet_room_o (packet_room),
    .word_i        (take && s_piece_i.payload),
    .word_data_i   (s_piece_i.data),
    .ends_i        (take && s_piece_i.ends),
    .packet_i      (take && s_piece_i.begins),
    .frame_i       ({s_piece_i.footer, s_piece_i.header}),
    .message_i     (s_piece_i.data[255:0]),
    .verdict_i     (take && s_piece_i.ends),
    .judgement_i   ({!s_piece_i.cut, 1'b0, words_of(s_piece_i.footer.bytes)}),
    .packet_valid_o(described),
    .judged_o      (judged),
    .packet_o      (packet),
    .next_o        (unused_next),
    .read_i        (buffer_i.read),
    .place_i       (buffer_i.place[$clog2(Words)-1:0]),
    .free_i        (buffer_i.free && buffer_i.free_own),
    .free_words_i  (buffer_i.free_words),
    .*
  );

  assign packet_valid_o = described && judged;
  always_comb begin
    packet_o = packet;
    packet_o.own = 1'b1;
  end

  logic unused_buffer;
  assign unused_buffer = ^buffer_i;

endmodule
