// SPDX-License-Identifier: Apache-2.0
//
// rdma_unit_pkg: packets on the 512-bit datapath, and what the parts of the send and receive unit
// hand to each other.
//
// Layouts are those of cores/rdma/README.md, "Packets", and of `crates/wire/src/rdma/packet.rs`.

package rdma_unit_pkg;

  import rdma_pkg::*;

  localparam int unsigned WordBytes = 64;
  localparam int unsigned PayloadBytes = 1024;  // of a packet, at most
  localparam int unsigned PayloadWords = PayloadBytes / WordBytes;
  localparam int unsigned LaneBytes = 16;  // of packed framing: a header or a footer
  localparam int unsigned WordLanes = WordBytes / LaneBytes;
  localparam logic [4:0] PackedMark = 5'b10000;  // of packed framing, in front of a header's length
  localparam logic [4:0] WordsMark = 5'b10001;  // of framing in words
  localparam int unsigned PieceLanes = WordLanes + 2;

  typedef struct packed {
    logic [15:0] domain;
    logic [15:0] node;  // of the sender
    logic [3:0] epoch;
    logic [SequenceWidth-1:0] sequence_;
    logic [TidWidth-1:0] tid;
    logic [3:0] kind;
    logic [63:0] address;
  } header_t;

  typedef struct packed {
    logic [31:0] crc;
    logic [7:0] zero2;
    logic echo;  // ACK: a packet of what it answers was marked
    logic marked;  // by the network: congestion; 0 for the CRC
    logic [21:0] qos;
    logic [15:0] zero1;
    logic [3:0] epoch;  // of who asked, if it did
    logic asked;  // data of a read
    logic [TransferWidth-1:0] transfer;
    logic [2:0] zero0;
    logic [TriesWidth-1:0] tries;
    logic managed, notify;
    logic [5:0] last, index;
    logic [10:0] bytes;
  } footer_t;

  // The CRC is the same with and without the mark, so that the network may set it.
  localparam logic [95:0] CrcBits = ~(96'd1 << 86);

  // What the first word of a packet has in framing in words.
  localparam int unsigned FrontBits = 192;  // that its CRC covers
  typedef struct packed {
    logic [31:0] crc;  // CRC-32C of what is below
    logic [63:0] footer;  // its first word
    header_t header;
  } front_t;

  // A packet without its payload, which follows in words.
  typedef struct packed {
    footer_t footer;
    header_t header;
  } frame_t;

  // A piece of a packet inside the units: a word of its payload, in the first one with the header
  // in front of it, in the last one with the footer behind it. The footer is valid in all pieces
  // that leave, and in the last one that comes.
  typedef struct packed {
    logic begins;
    logic payload;  // there is a word
    logic ends;
    logic cut;  // the network ended it here (ends is 1): it is not whole
    logic closes;  // within a node: the last one, whole and not the first, moves now
    header_t header;
    logic [8*WordBytes-1:0] data;
    footer_t footer;
  } piece_t;

  // ACK or NACK that is to be sent.
  typedef struct packed {
    logic echo;  // of a mark
    logic nack;
    logic [15:0] node;  // where it goes
    logic [15:0] domain;
    logic [3:0] epoch;
    logic [SequenceWidth-1:0] sequence_;
    logic [TidWidth-1:0] tid;
  } reply_t;

  // What is to be done of a packet that came, once its turn is there.
  localparam int unsigned MaxContextWidth = 16;
  localparam int unsigned MaxPlaceWidth = 12;

  typedef struct packed {
    logic write;
    logic cut;  // its words are still arriving; they go back with another work
    logic tag;  // of this one and not of the one with cut before
    logic alone;  // not before all that is in front of it is in memory
    logic own;  // its words are in the buffer of rdma_own
    logic [47:0] address;
    logic [10:0] bytes;
    logic [MaxPlaceWidth-1:0] first;  // of its words in the buffer
    logic [4:0] words;
    logic replies;
    reply_t reply;
    logic [MaxContextWidth-1:0] context_;
    logic begins;  // nothing is known of its block
  } work_t;

  // A packet that is offered.
  typedef struct packed {
    logic own;  // of this node, past the network
    frame_t frame;
    logic [255:0] message;  // the beginning of its payload
    logic [MaxPlaceWidth-1:0] first;  // of its words in the buffer
  } arrival_t;

  // What is known of it when it is whole.
  typedef struct packed {
    logic good;
    logic marked;
    logic [4:0] words;  // in the buffer
  } judgement_t;

  // How the last packet goes on that is written as it arrives. Neither open nor good: it has ended
  // and is not good, or it is given up.
  typedef struct packed {
    logic tag;  // of its work
    logic open;  // it is not judged
    logic good;
    logic settles;  // a pulse for each, behind which it is not open; with it:
    logic counts;  // it is good
    logic marked;
  } fate_t;

  // What is known of a sender and TID: the last block.
  typedef struct packed {
    logic marked;  // one of these packets
    logic valid;
    logic fresh;  // since the scan was here
    logic complete;
    logic [5:0] last;
    logic [63:0] there;  // packets that were accepted
    sequence_t sequence_;
  } context_t;

  typedef enum logic [2:0] {
    VerdictDrop,
    VerdictWrite,
    VerdictAck,    // again
    VerdictNack,
    VerdictEngine
  } verdict_e;

  // What rdma_admit has found out about a packet.
  typedef struct packed {
    logic good;
    logic marked;  // by the network
    logic forged;  // from the network, and it says that it is of this node
    logic foreign;  // for another node
    logic unknown;  // of a node that has no number here
    logic epoch_old;
    logic of_former;  // of a read that an earlier session of this node has requested
    logic answer;  // its kind is ACK or NACK
    logic request;
    logic same;  // its number is that of the context
    logic newer;
    logic again;  // the block was complete under an earlier number
    logic allowed;  // by the windows
    logic named_there;  // the block that a control packet names
    logic end_refused;  // the engine does not take the end of this read yet
  } findings_t;

  // The decision about it.
  typedef struct packed {
    verdict_e verdict;
    logic keeps;  // the context becomes after
    logic begins;  // a block, with this packet
    context_t after;
  } decision_t;

  // Who reads the buffer and gives words back.
  typedef struct packed {
    logic read, read_own;  // own: of rdma_own, else of rdma_unframe
    logic [MaxPlaceWidth-1:0] place;
    logic free, free_own;
    logic [4:0] free_words;
  } buffer_req_t;

  // A window of a domain, and a question about a range; see rdma_windows.
  typedef struct packed {
    logic [15:0] domain;
    logic [3:0] slot;
    logic write;  // what others may do
    logic read;
    logic [47:0] last, first;
  } window_t;

  typedef struct packed {
    logic [15:0] domain;
    logic [47:0] first;
    logic [31:0] size;    // bytes
    logic [1:0]  rights;  // {write, read}: one of them
  } query_t;

  // The time of a flow between its blocks; see rdma_pacer.
  typedef struct packed {
    logic [6:0] flow;
    logic [15:0] interval;
  } rate_t;

  // Intervals of each page in its classes one path and four paths.
  typedef logic [15:0][1:0][15:0] page_rates_t;

  // How marks of the network act; see rdma_congestion.
  typedef struct packed {
    logic [2:0] fall;  // a rate falls by 2^-fall of it; 0: marks do nothing
    logic [2:0] first;  // the full rate falls to 2^-first of it
    logic [15:0] increase;
  } congestion_t;

  // What the registers set. A pulse of *_valid sets a window or a rate.
  typedef struct packed {
    identity_t identity;
    limits_t limits;
    logic [15:0] forget;
    logic window_valid;
    window_t window;
    logic rate_valid;
    rate_t rate;
    page_rates_t page_rates;
    congestion_t congestion;
    service_t service;
    logic cut_through;
  } settings_t;

  // Events of the receive unit, one pulse each.
  typedef struct packed {
    logic lost_reply;  // no room for an ACK or NACK: the sender will ask again
    logic memory_error;  // memory refused a write
    logic refused_request;  // the engine had no room for a read request
    logic early;  // control before the block that it names, or before its request's answer
    logic window;  // outside the windows of its domain
    logic foreign;  // for another node, or from one that cannot have sent it
    logic epoch;  // of an earlier life of its sender, or for one of this node
    logic old;  // of an older number
    logic repeated;  // of a block that is complete: answered again
    logic duplicate;  // of a block that is not, but this packet is there
    logic malformed, damaged;
  } events_t;

  // What is counted of a node.
  typedef struct packed {
    engine_events_t engine;
    logic source_refused;  // by rdma_guard
    logic packet_left, packet_came;  // by the network
    logic packet_within;  // of this node to itself
    logic stray;  // no packet of this framing
    logic bad_form;  // packet whose CRC is right, but not its format
    logic marked;  // packet with a mark of the network
    logic echo;  // answer that tells of one
    logic slowed;  // the rate to a node has fallen
    events_t receive;
  } node_events_t;

  // Class of a packet in a network with virtual channels, by the high bits of its TID: 0 answers, 1
  // messages, control packets, read requests and blocks without flow, 2 blocks with one path, 3
  // with four.
  function automatic logic [1:0] class_of(input logic [3:0] kind, input logic [1:0] top);
    if (kind == KindAck || kind == KindNack) return 2'd0;
    if (!top[1]) return 2'd1;
    return top[0] ? 2'd3 : 2'd2;
  endfunction

  // Words of a payload.
  function automatic logic [4:0] words_of(input logic [10:0] bytes);
    return 5'((bytes + 11'(WordBytes - 1)) >> $clog2(WordBytes));
  endfunction

  // Lanes of packed framing that the last word of a payload takes; the low bits of its length.
  function automatic logic [2:0] lanes_of_end(input logic [5:0] bytes);
    return 3'((bytes - 6'd1) >> $clog2(LaneBytes)) + 3'd1;
  endfunction

  // A packet as a framing has it: the mark of the framing and the length are in the header, in
  // place of the domain, and the domain in the footer.
  function automatic frame_t in_framing(input frame_t frame, input logic [4:0] mark);
    in_framing = frame;
    in_framing.header.domain = {mark, frame.footer.bytes};
    in_framing.footer.zero1 = frame.header.domain;
  endfunction

  // CRC-32C: which bits of a word that ends with the highest one count for bit `row` of the
  // register behind it. As prim_crc, but the first bit is the lowest: to turn the word round would
  // be only wires, but half of the time of a simulation. The last bits of a word weigh as much as
  // those of a shorter one.
  localparam logic [31:0] CrcPoly = 32'h1edc_6f41;
  function automatic logic [8*WordBytes-1:0] crc_mask(input int unsigned row);
    logic [31:0] column;
    column = CrcPoly;
    for (int unsigned k = 0; k < 8 * WordBytes; k++) begin
      crc_mask[8*WordBytes-1-k] = 1'(column >> row);
      column = (column << 1) ^ (column[31] ? CrcPoly : '0);
    end
  endfunction

  // What all ones become behind a number of zeros.
  function automatic logic [31:0] crc_start(input int unsigned bits);
    crc_start = '1;
    for (int unsigned i = 0; i < bits; i++) begin
      crc_start = (crc_start << 1) ^ (crc_start[31] ? CrcPoly : '0);
    end
  endfunction

  // Of two numbers the one less than half the range ahead.
  function automatic logic newer(input sequence_t a, input sequence_t b);
    sequence_t ahead;
    ahead = a - b;
    return ahead != '0 && !ahead[SequenceWidth-1];
  endfunction

  // The range that a packet writes or, as a read request, reads.
  function automatic query_t query_of(input frame_t frame, input line_t line);
    logic unused_fields;
    unused_fields = ^{frame, line};
    query_of = '{
        domain: frame.header.domain,
        first: frame.header.address[47:0],
        size: 32'(frame.footer.bytes),
        rights: 2'b10
    };
    if (frame.header.kind == KindControl) query_of.size = 32'd8;
    if (frame.header.kind == KindReadRequest) begin
      query_of.first  = line.source[47:0];
      query_of.size   = line.size;
      query_of.rights = 2'b01;
    end
  endfunction

  // The answer to a packet.
  function automatic reply_t reply_of(input header_t header, input logic nack, input logic echo);
    logic unused_header;
    unused_header = ^header;
    reply_of = '0;
    reply_of.echo = echo;
    reply_of.nack = nack;
    reply_of.node = header.node;
    reply_of.domain = header.domain;
    reply_of.epoch = header.epoch;
    reply_of.sequence_ = header.sequence_;
    reply_of.tid = header.tid;
  endfunction

  // What the engine hears of a packet. The end of a read is about its request.
  function automatic answer_t answer_of(input frame_t frame, input named_t named,
                                        input line_t line);
    logic over, unused_named;
    unused_named = ^named;
    over = frame.header.kind == KindControl;
    answer_of = '0;
    answer_of.echo = frame.footer.echo;
    answer_of.failed = over && named.failed;
    answer_of.transfer = over ? named.transfer : frame.footer.transfer;
    answer_of.domain = frame.header.domain;
    answer_of.node = frame.header.node;
    answer_of.epoch = over ? named.epoch : frame.header.epoch;
    answer_of.sequence_ = over ? named.sequence_ : frame.header.sequence_;
    answer_of.tid = over ? named.tid : frame.header.tid;
    answer_of.kind = kind_e'(frame.header.kind);
    answer_of.line = line;
  endfunction

  // The byte behind a range, up to 2^48 and beyond. The upper half is added for both carries at
  // once.
  function automatic logic [48:0] end_of(input logic [47:0] first, input logic [31:0] size);
    logic [24:0] low;
    logic [24:0] high;
    logic [24:0] high_carried;
    low = 25'(first[23:0]) + 25'(size[23:0]);
    high = 25'(first[47:24]) + 25'(size[31:24]);
    high_carried = 25'(first[47:24]) + 25'(size[31:24]) + 25'd1;
    return {low[24] ? high_carried : high, low[23:0]};
  endfunction

endpackage
