// SPDX-License-Identifier: Apache-2.0
//
// rdma_frame: makes packets, one at a time.
//
// What      Takes answers, packets of the packet creator and packets of blocks, in this order if
//           several wait and may leave, and sends each as pieces: header, payload and footer with
//           the CRC.
// Why       All that must not wait goes between the packets of a block: it waits for the one that
//           is on its way.
// Contract  The three inputs are valid and ready; a packet of a block comes with its payload at the
//           word side, which is taken as needed, also if block_failed_i: then nothing is sent of
//           it. If word_failed_i says so of a later word, the packet has begun: zeros stand for
//           that word and those behind it, and the CRC is inverted, so that no receiver takes it.
//           m side: valid and ready, for rdma_spread or rdma_pack; pieces of a packet come without
//           gaps unless m_ready_i is low or a word is not there; unused lanes are zero. own side:
//           the same for packets whose destination is this node, for rdma_own: without a CRC, the
//           domain in the header, and the last piece is cut where the CRC would be inverted;
//           own_valid_o follows own_ready_i. identity_i is steady. sent_valid_o: a pulse a cycle
//           behind the last piece of the last packet of a block or of a packet of the creator, or
//           in place of it if the block failed. Answers are not reported. hold_i = 1, until rst_i:
//           no packet begins, and one that waits for a word ends as if that had failed. room_i, by
//           class of the network (rdma_unit_pkg::class_of): while 0, no packet of it begins for
//           another node, and those of other classes go past it. Whoever sets it has room for what
//           began before it reads as 0.
// Latency   3 cycles from input to the first piece, own side 0; one piece per cycle, so 16 cycles
//           for a packet of 1024 bytes
// Source    own design
//
// Parameters
//   Packed   the mark is that of packed framing, else of framing in words

module rdma_frame
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter bit Packed = 1'b0
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  identity_t           identity_i,
  input  logic                hold_i,
  input  logic        [  3:0] room_i,
  input  logic                reply_valid_i,
  output logic                reply_ready_o,
  input  reply_t              reply_i,
  input  logic                packet_valid_i,
  output logic                packet_ready_o,
  input  packet_job_t         packet_i,
  input  logic                block_valid_i,
  output logic                block_ready_o,
  input  frame_t              block_i,
  input  logic                block_failed_i,
  input  logic                word_valid_i,
  output logic                word_ready_o,
  input  logic                word_failed_i,
  input  logic        [511:0] word_i,
  output logic                sent_valid_o,
  output sent_t               sent_o,
  output logic                m_valid_o,
  input  logic                m_ready_i,
  output piece_t              m_piece_o,
  output logic                own_valid_o,
  input  logic                own_ready_i,
  output piece_t              own_piece_o
);

  // What may be: a packet that has to wait for room is passed by all that need not.
  logic reply_goes, packet_goes, block_goes;
  assign reply_goes = reply_valid_i && (room_i[0] || reply_i.node == identity_i.node);
  assign packet_goes = packet_valid_i
      && (room_i[1] || packet_i.packet.address[63:48] == identity_i.node);
  assign block_goes = block_valid_i && (room_i[class_of(
      block_i.header.kind, block_i.header.tid[9:8]
  )] || block_i.header.address[63:48] == identity_i.node);

  // What is sent next.
  frame_t chosen;
  logic   chosen_report;
  always_comb begin
    chosen = block_i;
    chosen_report = block_i.footer.index == block_i.footer.last;
    if (reply_goes) begin
      chosen = '0;
      chosen.header.address[63:48] = reply_i.node;
      chosen.header.kind = reply_i.nack ? KindNack : KindAck;
      chosen.header.tid = reply_i.tid;
      chosen.header.sequence_ = reply_i.sequence_;
      chosen.header.domain = reply_i.domain;
      chosen.footer.echo = reply_i.echo && !reply_i.nack;
      chosen_report = 1'b0;
    end else if (packet_goes) begin
      chosen = '0;
      chosen.header.address = packet_i.packet.address;
      chosen.header.kind = packet_i.packet.kind;
      chosen.header.tid = packet_i.use_.tid;
      chosen.header.sequence_ = packet_i.use_.sequence_;
      chosen.header.domain = packet_i.packet.domain;
      chosen.footer.bytes = 11'(packet_i.packet.size);
      chosen.footer.notify = packet_i.packet.notify;
      chosen.footer.tries = packet_i.use_.tries;
      chosen.footer.transfer = packet_i.packet.transfer;
      chosen.footer.qos = packet_i.packet.qos;
      chosen_report = 1'b1;
    end
    chosen.header.node  = identity_i.node;
    chosen.header.epoch = reply_goes ? reply_i.epoch : identity_i.epoch;
  end

  // The pieces of a packet.
  frame_t framed;
  assign framed = in_framing(chosen, Packed ? PackedMark : WordsMark);

  typedef enum logic [1:0] {
    StateBegin,
    StateRest,
    StateDrop    // the payload of a packet that failed
  } state_e;

  state_e state_q, next;
  logic [4:0] left;  // words of payload behind this one
  logic [4:0] left_q;
  footer_t footer_q;
  sent_t report_q;
  logic reports_q, begins, drops, from_block;
  logic step;  // of the pieces that wait for their CRC
  logic own, own_q;  // the packet is for this node
  logic go;  // the piece leaves, if there is one
  logic may_begin;
  logic net_sent;  // a packet for the network is reported: one for this node waits
  logic here;  // the word that is next, or what stands for it
  logic lost;  // it is none
  logic spoils, spoilt_q;  // with it, or before
  sent_t report;

  assign own = state_q == StateBegin ? chosen.header.address[63:48] == identity_i.node : own_q;
  assign go = own ? own_ready_i && !net_sent : step;
  assign may_begin = go && state_q == StateBegin && !hold_i;
  assign begins = may_begin && (reply_goes || packet_goes || block_goes);
  assign reply_ready_o = may_begin && reply_goes;
  assign packet_ready_o = may_begin && packet_goes && !reply_goes;
  assign from_block = !reply_goes && !packet_goes;
  assign block_ready_o = may_begin && block_goes && from_block;
  assign drops = from_block && block_failed_i;
  assign here = word_valid_i || (state_q == StateRest && hold_i);
  assign lost = state_q == StateRest && (!word_valid_i || word_failed_i);
  assign spoils = state_q == StateRest && (spoilt_q || lost);
  assign report = '{failed: drops, tid: chosen.header.tid};
  assign word_ready_o = go && (state_q != StateBegin || (from_block && block_goes && !hold_i));

  always_comb begin
    left = left_q;
    // Only blocks have more than one word; what comes from elsewhere is not known as early.
    if (state_q == StateBegin) begin
      left = words_of(block_i.footer.bytes) - 5'd1;
      if (!from_block || block_i.footer.bytes == '0) left = '0;
    end
    next = state_q;
    if (left == '0) next = StateBegin;
    else if (state_q == StateBegin) next = drops ? StateDrop : StateRest;
  end

  // A message is padded with zeros, whatever its creator left there.
  logic [255:0] message;
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      message[8*i+:8] = packet_i.packet.payload[8*i+:8] & {8{7'(i) < packet_i.packet.size}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) state_q <= StateBegin;
    else if (begins || (go && here && state_q != StateBegin)) state_q <= next;
    if (begins) begin
      footer_q  <= framed.footer;
      reports_q <= chosen_report;
      report_q  <= report;
      own_q     <= own;
    end
    if (go && (here || state_q == StateBegin)) begin
      left_q   <= left - 5'd1;
      spoilt_q <= spoils;
    end
  end

  // A piece on its way, waiting for the CRC.
  typedef struct packed {
    logic  valid,  reports;
    sent_t report;
  } stage_t;

  stage_t stage;
  piece_t piece;

  always_comb begin
    piece = '{
        begins: 1'b0,
        payload: 1'b1,
        ends: left == '0,
        cut: 1'b0,
        closes: 1'b0,
        header: framed.header,
        data: lost ? '0 : word_i,
        footer: footer_q
    };
    stage = '{
        valid: here && state_q == StateRest,
        reports: here && reports_q && left == '0,
        report: '{failed: report_q.failed || spoils, tid: report_q.tid}
    };
    if (state_q == StateBegin) begin
      piece.begins  = 1'b1;
      piece.payload = chosen.footer.bytes != '0;
      piece.footer  = framed.footer;
      if (!from_block) piece.data = 512'(message);
      stage = '{
          valid: begins && !drops,
          reports: begins && chosen_report && left == '0,
          report: report
      };
    end
  end

  // A packet for this node leaves here.
  always_comb begin
    own_piece_o = piece;
    own_piece_o.cut = piece.ends && spoils;
    own_piece_o.closes = state_q == StateRest && left_q == '0 && own_q && own_ready_i
        && !net_sent && !spoils;
    own_piece_o.header = chosen.header;
    own_valid_o = own && go && stage.valid;
  end

  logic [31:0] crc;
  rdma_crc u_crc (
    .clk_i    (clk_i),
    .step_i   (step),
    .begins_i (stage.valid && !own && piece.begins),
    .payload_i(stage.valid && !own && piece.payload),
    .header_i (piece.header),
    .data_i   (piece.data),
    .pad_i    (piece.ends ? -piece.footer.bytes[5:0] : 6'd0),
    .footer_i (piece.footer[95:0]),
    .spoil_i  (spoils),
    .crc_o    (crc)
  );

  stage_t [2:0] stage_q;
  piece_t [2:0] piece_q;

  always_ff @(posedge clk_i) begin
    if (step) piece_q <= {piece_q[1:0], piece};
    if (rst_i) stage_q <= '0;
    else if (step) stage_q <= {stage_q[1:0], own ? '0 : stage};
  end

  always_comb begin
    m_piece_o = piece_q[2];
    if (m_piece_o.ends) m_piece_o.footer.crc = crc;
  end
  assign m_valid_o = stage_q[2].valid;
  assign step = !m_valid_o || m_ready_i;
  assign net_sent = stage_q[2].reports && step;

  always_ff @(posedge clk_i) begin
    sent_valid_o <= !rst_i && (net_sent || (own && go && stage.reports));
    sent_o <= net_sent ? stage_q[2].report : stage.report;
  end

endmodule
