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
//           order; if it is not good, nothing is to be done of it. Its payload stands in the
//           buffer: buffer_i.read reads word buffer_i.place, which is at word_o from the next cycle
//           on. buffer_i.free with free_words gives the words of the oldest packet back; each
//           packet's once and in order, good or not. damaged_o, malformed_o: a pulse for a packet
//           that lacks words or has a wrong CRC; for one that is as it was sent, but breaks the
//           format.
// Latency   0 cycles from the footer to the packet, 3 to its verdict; one piece per cycle
// Storage   words: block RAM; packets: LUT memory
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
  output logic                malformed_o
);

  if (BufferWords < 64 || BufferWords > 4096 || (BufferWords & (BufferWords - 1)) != 0)
  begin : gen_bad_buffer
    $error("rdma_unframe %m: rule BufferWords is a power of two, 64 to 4096, got %0d", BufferWords);
  end

  localparam int unsigned Packets = 32;
  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [PlaceWidth:0] level_t;

  // Where a word goes. A packet of more words than there are is refused at its end; what is too
  // much is not kept.
  logic take, ends, room_q, packet_room, keep;
  logic [4:0] count_q;  // words of payload so far; 17: too many
  logic [4:0] count;
  place_t next_q;  // of the packet that comes
  place_t first_q;
  level_t used_q;
  header_t header_q, header;
  footer_t footer;

  assign s_ready_o = room_q && packet_room;
  assign take = s_valid_i && s_ready_o;
  assign ends = take && s_piece_i.ends;
  assign keep = take && s_piece_i.payload && count_q < 5'(PayloadWords);
  assign count = count_q + 5'(s_piece_i.payload && count_q <= 5'(PayloadWords));
  assign header = s_piece_i.begins ? s_piece_i.header : header_q;
  assign footer = s_piece_i.footer;

  prim_ram_1r1w #(
    .Width(512),
    .Depth(BufferWords)
  ) u_words (
    .clk_i    (clk_i),
    .wr_en_i  (keep),
    .wr_addr_i(next_q),
    .wr_data_i(s_piece_i.data),
    .rd_en_i  (buffer_i.read),
    .rd_addr_i(buffer_i.place[PlaceWidth-1:0]),
    .rd_data_o(word_o)
  );

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
    .footer_i (footer[95:0]),
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

  // The packet waits for its verdict, which comes when others may have begun: its words stay where
  // they are in any case.
  typedef struct packed {
    logic [4:0] words;
    place_t first;
    logic [255:0] message;
    frame_t frame;
  } entry_t;

  typedef struct packed {
    logic ends, fits, form;
    logic [31:0] crc;
  } verdict_t;

  entry_t entry_in, entry;
  logic moves;
  logic [$clog2(Packets+1)-1:0] unused_entry_level;
  assign moves = judged_o && packet_ready_i;
  always_comb begin
    entry_in.words   = count[4] ? 5'(PayloadWords) : count;
    entry_in.first   = first_q;
    entry_in.message = s_piece_i.data[255:0];  // one that is good has one word
    entry_in.frame   = '{footer: footer, header: header};
    if (Packed) entry_in.frame.header.domain = footer.zero1;
  end

  prim_fifo_sync #(
    .Width($bits(entry_t)),
    .Depth(Packets)
  ) u_packets (
    .s_valid_i(ends),
    .s_ready_o(packet_room),
    .s_data_i (entry_in),
    .m_valid_o(packet_valid_o),
    .m_ready_i(moves),
    .m_data_o (entry),
    .level_o  (unused_entry_level),
    .*
  );

  verdict_t [2:0] verdict_q;
  verdict_t verdict;
  logic whole, unused_verdict_ready;
  logic [$clog2(Packets+1)-1:0] unused_verdict_level;
  assign verdict = verdict_q[2];
  assign whole = verdict.fits && verdict.crc == crc;
  assign damaged_o = verdict.ends && !whole;
  assign malformed_o = verdict.ends && whole && !verdict.form;

  prim_fifo_sync #(
    .Width(1),
    .Depth(Packets)
  ) u_verdicts (
    .s_valid_i(verdict.ends),
    .s_ready_o(unused_verdict_ready),
    .s_data_i (whole && verdict.form),
    .m_valid_o(judged_o),
    .m_ready_i(moves),
    .m_data_o (good_o),
    .level_o  (unused_verdict_level),
    .*
  );

  assign packet_o = '{
          frame: entry.frame,
          message: entry.message,
          first: MaxPlaceWidth'(entry.first),
          words: entry.words
      };

  level_t used;
  assign used = used_q + level_t'(keep) - (buffer_i.free ? level_t'(buffer_i.free_words) : '0);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q <= '0;
      next_q <= '0;
      first_q <= '0;
      used_q <= '0;
      room_q <= 1'b0;
      verdict_q <= '0;
    end else begin
      if (take) count_q <= ends ? '0 : count;
      if (ends) first_q <= next_q + place_t'(keep);
      if (keep) next_q <= next_q + place_t'(1);
      used_q <= used;
      room_q <= 32'(used) < BufferWords;
      verdict_q <= {
        verdict_q[1:0], verdict_t'{ends: ends, fits: fits, form: form, crc: footer.crc}
      };
    end
    if (take && s_piece_i.begins) header_q <= s_piece_i.header;
  end

  logic unused_place;
  assign unused_place = ^buffer_i.place;

endmodule
