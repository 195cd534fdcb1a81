// SPDX-License-Identifier: Apache-2.0
//
// rdma_unframe: takes packets that came, and lets through those that are whole.
//
// What      Collects packets, checks CRC and form of each, and hands them on with a verdict. Data
//           are offered with the first word of their packet, if cut_through_i and framing in words.
// Why       Nothing of a packet counts before all of it is known to be right; but what is known of
//           its sender can be looked up meanwhile, and if the first word has the right check, the
//           payload can be written as it arrives.
// Contract  s side: pieces of rdma_gather or rdma_unpack, valid and ready; unused lanes are not
//           looked at. s_ready_o falls when a buffer is full, and does not depend on s_valid_i.
//           opens_i, front_i: the first word of a packet is taken; with Packed never.
//           packet_valid_o: a packet is there, but for its judgement_o, which stands with judged_o,
//           three cycles behind the footer at most. It moves when judged_o and packet_ready_i, in
//           order; if it is not good, nothing of it counts. early_o, until judged_o, and from the
//           second cycle behind the offer on: it is Data, check and form of the first word are
//           right, so that it may be written now. stopped_i: the packet that is offered is not
//           offered any more before it is judged. buffer_i, word_o: its payload, see rdma_store;
//           next_o: where its next word goes. damaged_o, malformed_o: a pulse for a packet that
//           lacks words or has a wrong CRC; for one that is as it was sent, but breaks the format.
//           marked_o: for a good one that the network has marked; the CRC is without the mark.
// Latency   0 cycles from the footer, or of data from the first word, to the packet; 3 from the
//           footer to its verdict; one piece per cycle
// Storage   see rdma_store
// Source    own design
//
// Parameters
//   BufferWords   words of payload, a power of two, 64 to 4096
//   Packed        packed framing, else framing in words

module rdma_unframe
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter  int unsigned BufferWords = 512,
  parameter  bit          Packed      = 1'b0,
  localparam int unsigned PlaceWidth  = $clog2(BufferWords),
  localparam type         place_t     = logic               [PlaceWidth-1:0]
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                s_valid_i,
  output logic                s_ready_o,
  input  piece_t              s_piece_i,
  input  logic                opens_i,
  input  front_t              front_i,
  input  logic                cut_through_i,
  input  logic                stopped_i,
  output logic                packet_valid_o,
  output logic                judged_o,
  output judgement_t          judgement_o,
  output logic                early_o,
  input  logic                packet_ready_i,
  output arrival_t            packet_o,
  input  buffer_req_t         buffer_i,
  output logic        [511:0] word_o,
  output place_t              next_o,
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
  front_t  front_q;
  footer_t footer;

  assign s_ready_o = room && packet_room;
  assign take = s_valid_i && s_ready_o;
  assign ends = take && s_piece_i.ends;
  assign keep = take && s_piece_i.payload && count_q < 5'(PayloadWords);
  assign count = count_q + 5'(s_piece_i.payload && count_q <= 5'(PayloadWords));
  assign header = !Packed ? front_q.header : s_piece_i.begins ? s_piece_i.header : header_q;
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

  logic crc_right;
  rdma_crc_check u_crc (
    .clk_i    (clk_i),
    .begins_i (take && s_piece_i.begins),
    .payload_i(take && s_piece_i.payload),
    .header_i (s_piece_i.header),
    .data_i   (clean),
    .pad_i    (pad),
    .footer_i (footer[95:0] & CrcBits),
    .crc_i    (footer.crc),
    .right_o  (crc_right)
  );

  // In framing in words the first word says it all, but for what is in the footer's second word.
  logic [31:0] front_crc;
  footer_t told;
  logic front_good, front_same;
  rdma_front u_front (
    .front_i(front_q),
    .crc_o  (front_crc)
  );
  assign front_good = Packed || front_q.crc == front_crc;
  assign front_same = Packed || front_q.footer == footer[63:0];
  assign told = Packed ? footer : {footer[127:64], front_q.footer};

  // What the form has to be.
  logic front_form, form, asked, short_enough, fits;
  assign short_enough = told.bytes <= 11'(PayloadBytes);
  assign fits = !s_piece_i.cut && front_good && short_enough && words_of(told.bytes) == count;
  always_comb begin
    asked = told.asked ? header.kind == KindData : told.epoch == '0;
    front_form = told.zero0 == '0 && told.index <= told.last && asked
        && header.domain == {Packed ? PackedMark : WordsMark, told.bytes};
    unique case (header.kind)
      KindData:
      front_form &= told.bytes != '0
          && (told.index == told.last || told.bytes == 11'(PayloadBytes));
      KindMessage: front_form &= told.bytes != '0 && told.bytes <= 11'd32 && told.last == '0;
      KindControl: front_form &= told.bytes == 11'd16 && told.last == '0;
      KindReadRequest: front_form &= told.bytes == 11'd32 && told.last == '0;
      KindAck, KindNack: front_form &= told.bytes == '0 && told.last == '0;
      default: front_form = 1'b0;
    endcase
    form = front_form && front_same && footer.zero2 == '0
        && (!footer.echo || header.kind == KindAck);
  end

  // Data are offered with the first word, everything else with the last one.
  logic describes, described_q;
  assign describes = opens_i && cut_through_i && front_i.header.kind == KindData;

  typedef struct packed {
    logic ends, fits, form;
    judgement_t judgement;  // but for good
  } verdict_t;

  verdict_t [2:0] verdict_q;
  verdict_t verdict;
  logic whole;
  assign verdict = verdict_q[2];
  assign whole = verdict.fits && crc_right;
  assign damaged_o = verdict.ends && !whole;
  assign malformed_o = verdict.ends && whole && !verdict.form;
  assign marked_o = verdict.ends && whole && verdict.form && verdict.judgement.marked;

  frame_t frame;
  judgement_t judgement;
  always_comb begin
    frame = '{footer: footer, header: header};
    if (describes) frame = '{footer: {64'd0, front_i.footer}, header: front_i.header};
    frame.header.domain = frame.footer.zero1;
    judgement = verdict.judgement;
    judgement.good = whole && verdict.form;
  end

  // One that was stopped waits for its verdict.
  logic offered, stopped_q;
  assign packet_valid_o = offered && (judged_o || !stopped_q);

  rdma_store #(
    .BufferWords(BufferWords)
  ) u_store (
    .room_o        (room),
    .packet_room_o (packet_room),
    .word_i        (keep),
    .word_data_i   (s_piece_i.data),
    .ends_i        (ends),
    .packet_i      (describes || (ends && !described_q)),
    .frame_i       (frame),
    .message_i     (s_piece_i.data[255:0]),                // one that is good has one word
    .verdict_i     (verdict.ends),
    .judgement_i   (judgement),
    .packet_valid_o(offered),
    .read_i        (buffer_i.read),
    .place_i       (buffer_i.place[PlaceWidth-1:0]),
    .free_i        (buffer_i.free && !buffer_i.free_own),
    .free_words_i  (buffer_i.free_words),
    .*
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q     <= '0;
      verdict_q   <= '0;
      described_q <= 1'b0;
      stopped_q   <= 1'b0;
    end else begin
      if (describes) described_q <= 1'b1;
      else if (ends) described_q <= 1'b0;
      if (stopped_i) stopped_q <= 1'b1;
      else if (judged_o && packet_ready_i) stopped_q <= 1'b0;
      if (take) count_q <= ends ? '0 : count;
      verdict_q <= {
        verdict_q[1:0],
        verdict_t
'{
            ends: ends,
            fits: fits,
            form: form,
            judgement: '{
                good: 1'b0,
                marked: footer.marked,
                words: count[4] ? 5'(PayloadWords) : count
            }
        }
      };
    end
    // Of the packet that opened last: the one in front of it is judged when this is about the next.
    early_o <= cut_through_i && !Packed && front_good && front_form && short_enough
        && header.kind == KindData;
    if (opens_i) front_q <= front_i;
    if (take && s_piece_i.begins) header_q <= s_piece_i.header;
  end

  logic unused_fields;
  assign unused_fields = ^{buffer_i, told, s_piece_i.closes};

endmodule
