// SPDX-License-Identifier: Apache-2.0
//
// rdma_own: packets of this node to itself, which do not go over the network.
//
// What      Takes packets as rdma_frame makes them and offers each when at most five words of it
//           are to come, so that it is looked up by the time it is whole.
// Why       They need no words of a line and no CRC: these are most of the latency of a message.
//           They have a store of their own, because a packet of the network may stop at any word
//           for as long as its sender likes: behind it they would wait, and with them all that this
//           node sends.
// Contract  s side: pieces as rdma_frame gives them, valid and ready; the footer is valid in the
//           first one, the header in that one only. s_ready_o depends on registers only. packet,
//           judgement, buffer: as rdma_store; a packet is judged when its last word is there, one
//           whose last piece is cut as not good. Not before that may it be written: memory is not
//           asked to take a burst of which words are still to be read, as one that carries out one
//           burst after the other would never give them. stopped_i: the packet that is offered is
//           not offered any more before it is judged.
//           comes_o: it is not judged, and its last word, a good one, comes in this cycle; it
//           depends on s_piece_i.closes, not on the others of s side, which come late.
// Latency   1 cycle from the last piece to the judgement
// Storage   64 words and 8 packets
// Source    own design

module rdma_own
  import rdma_unit_pkg::*;
#(
  localparam int unsigned Words   = 64,
  localparam int unsigned Packets = 8,
  localparam int unsigned Ahead   = 5    // words: as many cycles as it takes to look up and decide
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                s_valid_i,
  output logic                s_ready_o,
  input  piece_t              s_piece_i,
  input  logic                stopped_i,
  output logic                packet_valid_o,
  output logic                judged_o,
  output judgement_t          judgement_o,
  output logic                comes_o,
  input  logic                packet_ready_i,
  output arrival_t            packet_o,
  input  buffer_req_t         buffer_i,
  output logic        [511:0] word_o
);

  logic room, packet_room, take, offered, stopped_q;
  logic [$clog2(Words)-1:0] unused_next;
  arrival_t packet;

  assign s_ready_o = room && packet_room;
  assign take = s_valid_i && s_ready_o;

  // A packet is described with the first piece that at most Ahead words follow.
  header_t header_q;
  frame_t  frame;
  logic [4:0] left, left_q;
  logic describes;
  always_comb begin
    left = left_q - 5'd1;
    if (s_piece_i.begins) begin
      left = s_piece_i.footer.bytes == '0 ? '0 : words_of(s_piece_i.footer.bytes) - 5'd1;
    end
    describes = s_piece_i.begins ? left <= 5'(Ahead) : left == 5'(Ahead);
    frame = '{footer: s_piece_i.footer, header: s_piece_i.begins ? s_piece_i.header : header_q};
  end

  always_ff @(posedge clk_i) begin
    if (take) left_q <= left;
    if (take && s_piece_i.begins) header_q <= s_piece_i.header;
    if (rst_i) stopped_q <= 1'b0;
    else if (stopped_i) stopped_q <= 1'b1;
    else if (judged_o && packet_ready_i) stopped_q <= 1'b0;
  end

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
    .packet_i      (take && describes),
    .frame_i       (frame),
    .message_i     (s_piece_i.data[255:0]),
    .verdict_i     (take && s_piece_i.ends),
    .judgement_i   ({!s_piece_i.cut, 1'b0, words_of(s_piece_i.footer.bytes)}),
    .packet_valid_o(offered),
    .packet_o      (packet),
    .next_o        (unused_next),
    .read_i        (buffer_i.read),
    .place_i       (buffer_i.place[$clog2(Words)-1:0]),
    .free_i        (buffer_i.free && buffer_i.free_own),
    .free_words_i  (buffer_i.free_words),
    .*
  );

  assign packet_valid_o = offered && (judged_o || !stopped_q);
  assign comes_o = offered && !judged_o && s_piece_i.closes;
  always_comb begin
    packet_o = packet;
    packet_o.own = 1'b1;
  end

  logic unused_buffer;
  assign unused_buffer = ^buffer_i;

endmodule
