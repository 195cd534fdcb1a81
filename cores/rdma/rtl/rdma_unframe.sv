// SPDX-License-Identifier: Apache-2.0
//
// rdma_unframe: takes packets that came, and lets through those that are whole.
//
// What      Collects packets, checks CRC and form of each, and hands them on with a verdict.
// Why       Nothing is written of a packet before all of it is known to be right; but what is known
//           of its sender can be looked up meanwhile.
// Contract  s side: pieces of rdma_gather or rdma_unpack, valid and ready; unused lanes are not
//           looked at. s_ready_o falls when a buffer is full, and does not depend on s_valid_i.
//           packet_valid_o: a packet is there, but for its verdict good_o, which stands with
//           judged_o, three cycles later at most. It moves when judged_o and packet_ready_i, in
//           order; if it is not good, nothing is to be done of it. buffer_i, word_o: its payload,
//           see rdma_store. damaged_o, malformed_o: a pulse for a packet that lacks words or has a
//           wrong CRC; for one that is as it was sent, but breaks the format. marked_o: for a good
//           one that the network has marked; the CRC is without the mark.
// Latency   0 cycles from the footer to the packet, 3 to its verdict; one piece per cycle
// Storage   see rdma_store
// Source    own design
//
// Parameters
//   BufferWords   words of payload, a power of two, 64 to 4096
//   Packed        the fields are as in packed framing, see rdma_frame

module rdma_unframe
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter  int unsigned BufferWords = 512,
  parameter  bit          Packed      = 1'b0,
  localparam int unsigned PlaceWidth  = $clog2(BufferWords)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                s_valid_i,
  output logic                s_ready_o,
  input  piece_t              s_piece_i,
  output logic                packet_valid_o,
  output logic                judged_o,
  output logic                good_o,
  input  logic                packet_ready_i,
  output arrival_t            packet_o,
  input  buffer_req_t         buffer_i,
  output logic        [511:0] word_o,
  output logic                damaged_o,
  output logic                malformed_o,
  output logic                marked_o
);

  // Where a word goes. A packet of more words than there are is refused at its end; what is too
  // much is not kept.
  logic take, ends, room, packet_room, keep;
  logic [4:0] count_q;  // words of payload so far; 17: too many
  logic [4:0] count;
  header_t header_q, header;
  footer_t footer;

  assign s_ready_o = room && packet_room;
  assign take = s_valid_i && s_ready_o;
  assign ends = take && s_piece_i.ends;
  assign keep = take && s_piece_i.payload && count_q < 5'(PayloadWords);
  assign count = count_q + 5'(s_piece_i.payload && count_q <= 5'(PayloadWords));
  assign header = s_piece_i.begins ? s_piece_i.header : header_q;
  assign footer = s_piece_i.footer;

  // Lanes behind the end count for nothing: zeros there, so that the CRC is that of the packet. pad
  // is right if the form is, and only then does the CRC matter.
  logic [  5:0] pad;
  logic [511:0] clean;
  logic [ 63:0] kept;
  assign pad  = s_piece_i.ends ? -footer.bytes[5:0] : 6'd0;
  assign kept = {64{1'b1}} >> pad;
  always_comb begin
    for (int unsigned i = 0; i < 64; i++) clean[8*i+:8] = s_piece_i.data[8*i+:8] & {8{kept[i]}};
  end

  logic [31:0] crc;
  rdma_crc u_crc (
    .clk_i    (clk_i),
    .step_i   (1'b1),
    .begins_i (take && s_piece_i.begins),
    .payload_i(take && s_piece_i.payload),
    .header_i (s_piece_i.header),
    .data_i   (clean),
    .pad_i    (pad),
    .footer_i (footer[95:0] & CrcBits),
    .spoil_i  (1'b0),
    .crc_o    (crc)
  );

  // What the form has to be.
  logic form, asked, fits;
  assign fits = !s_piece_i.cut && footer.bytes <= 11'(PayloadBytes) && words_of(
      footer.bytes
  ) == count;
  always_comb begin
    asked = footer.asked ? header.kind == KindData : footer.epoch == '0;
    form  = footer.zero0 == '0 && footer.zero2 == '0 && footer.index <= footer.last && asked;
    if (footer.echo) form &= header.kind == KindAck;
    if (Packed) form &= header.domain == {PackedMark, footer.bytes};
    else form &= footer.zero1 == '0;
    unique case (header.kind)
      KindData:
      form &= footer.bytes != '0
          && (footer.index == footer.last || footer.bytes == 11'(PayloadBytes));
      KindMessage: form &= footer.bytes != '0 && footer.bytes <= 11'd32 && footer.last == '0;
      KindControl: form &= footer.bytes == 11'd16 && footer.last == '0;
      KindReadRequest: form &= footer.bytes == 11'd32 && footer.last == '0;
      KindAck, KindNack: form &= footer.bytes == '0 && footer.last == '0;
      default: form = 1'b0;
    endcase
  end

  typedef struct packed {
    logic ends, fits, form, marked;
    logic [31:0] crc;
  } verdict_t;

  verdict_t [2:0] verdict_q;
  verdict_t verdict;
  logic whole;
  assign verdict = verdict_q[2];
  assign whole = verdict.fits && verdict.crc == crc;
  assign damaged_o = verdict.ends && !whole;
  assign malformed_o = verdict.ends && whole && !verdict.form;
  assign marked_o = verdict.ends && whole && verdict.form && verdict.marked;

  frame_t frame;
  always_comb begin
    frame = '{footer: footer, header: header};
    if (Packed) frame.header.domain = footer.zero1;
  end

  rdma_store #(
    .BufferWords(BufferWords)
  ) u_store (
    .room_o       (room),
    .packet_room_o(packet_room),
    .word_i       (keep),
    .word_data_i  (s_piece_i.data),
    .ends_i       (ends),
    .packet_i     (ends),
    .frame_i      (frame),
    .message_i    (s_piece_i.data[255:0]),                // one that is good has one word
    .count_i      (count[4] ? 5'(PayloadWords) : count),
    .verdict_i    (verdict.ends),
    .good_i       (whole && verdict.form),
    .read_i       (buffer_i.read),
    .place_i      (buffer_i.place[PlaceWidth-1:0]),
    .free_i       (buffer_i.free && !buffer_i.free_own),
    .free_words_i (buffer_i.free_words),
    .*
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q   <= '0;
      verdict_q <= '0;
    end else begin
      if (take) count_q <= ends ? '0 : count;
      verdict_q <= {
        verdict_q[1:0],
        verdict_t'{ends: ends, fits: fits, form: form, marked: footer.marked, crc: footer.crc}
      };
    end
    if (take && s_piece_i.begins) header_q <= s_piece_i.header;
  end

  logic unused_buffer;
  assign unused_buffer = ^buffer_i;

endmodule
