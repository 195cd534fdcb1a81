// SPDX-License-Identifier: Apache-2.0
//
// rdma_admit: decides about each packet: write, answer, hand to the engine, or drop.
//
// What      Knows of each sender and TID the number of the last block, which of its packets are there and whether it is complete, and of each
//           sender its epoch. The rules are the table of the README.
// Why       The network may lose, double, delay and exchange packets: each byte is written for the block that it belongs to, and never
//           when that is over.
// Contract  s side: packets in order, of rdma_unframe. work: valid and ready, what rdma_write has to do; one for every packet with words, so
//           that they come back. answer: to the engine, valid and ready; answer_refused_i belongs to the cycle in which
//           it moves, for a read request; the end of a read that it refuses is dropped before anything is written, and comes
//           again: for it answer_refused_i has to say so from the cycle on in which answer_o has it. query_*: rdma_windows, three cycles. A packet of a newer epoch makes all contexts of its sender empty, rst_i all of them,
//           until ready_o is 1. A newer epoch is 1 to 7 steps ahead; node_i and epoch_i, this node's, are steady.
//           A context for which nothing was accepted or answered again for forget_i ticks is forgotten, one to two times forget_i ticks after the last
//           packet that was; never if forget_i is 0. A tick is Tick cycles; with less than 8 cycles for each context it may take longer.
// Latency   5 cycles from packet to work, one packet in 5 cycles; an answer takes 3
// Storage   contexts: block RAM
//
// Parameters
//   Senders       nodes 0 to Senders - 1 may send, a power of two, 2 to 64
//   AddrWidth     bits of an address within a node, 33 to 48
//   PlaceWidth    bits of a place in the buffer
//   Tick          a power of two, 1024 * Senders to 65536
// Source    own design

module rdma_admit
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter int unsigned Senders = 4,
  parameter int unsigned AddrWidth = 48,
  parameter int unsigned PlaceWidth = 9,
  parameter int unsigned Tick = 65536,
  localparam int unsigned SenderWidth = $clog2(Senders),
  localparam int unsigned ContextWidth = SenderWidth + TidWidth
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  output logic                     ready_o,
  input  logic    [          15:0] node_i,
  input  logic    [           3:0] epoch_i,
  input  logic    [          15:0] forget_i,
  input  logic                     s_valid_i,
  output logic                     s_ready_o,
  input  logic                     s_good_i,
  input  frame_t                   s_packet_i,
  input  logic    [         255:0] s_message_i,
  input  logic    [PlaceWidth-1:0] s_first_i,
  input  logic    [           4:0] s_words_i,
  output logic    [          15:0] query_domain_o,
  output logic    [ AddrWidth-1:0] query_first_o,
  output logic    [ AddrWidth-1:0] query_last_o,
  output logic                     query_write_o,
  input  logic                     query_allowed_i,
  output logic                     work_valid_o,
  input  logic                     work_ready_i,
  output work_t                    work_o,
  input  logic                     write_idle_i,
  input  logic                     write_refused_i,
  output logic                     answer_valid_o,
  input  logic                     answer_ready_i,
  output answer_t                  answer_o,
  input  logic                     answer_refused_i,
  output events_t                  events_o
);

  if (Senders < 2 || Senders > 64 || (Senders & (Senders - 1)) != 0) begin : gen_bad_senders
    $error("rdma_admit %m: rule Senders is a power of two, 2 to 64, got %0d", Senders);
  end
  if (AddrWidth < 33 || AddrWidth > 48) begin : gen_bad_address
    $error("rdma_admit %m: rule 33 <= AddrWidth <= 48, got %0d", AddrWidth);
  end
  if (Tick > 65536 || Tick < (1 << ContextWidth) || (Tick & (Tick - 1)) != 0) begin : gen_bad_tick
    $error(
        "rdma_admit %m: rule Tick is a power of two, %0d to 65536, got %0d", 1 << ContextWidth, Tick
    );
  end

  typedef logic [ContextWidth-1:0] context_number_t;
  typedef logic [SequenceWidth-1:0] sequence_t;

  typedef struct packed {
    logic valid;
    logic fresh;  // since the scan was here
    logic complete;
    logic [5:0] last;
    logic [63:0] there;  // packets that were accepted
    sequence_t sequence_;  // the last one
  } context_t;

  typedef enum logic [3:0] {
    StateClear,
    StateTake,
    StateLook,
    StateNamed,   // the block that a control packet names is looked up
    StateWait,
    StateDecide,
    StateNote,    // the notification of a read is written before the read is over
    StateSettle,
    StateAnswer,
    StateWork
  } state_e;

  state_e state_q;
  logic good_q;
  frame_t packet_q;
  logic [255:0] message_q;
  logic [PlaceWidth-1:0] first_q;
  logic [4:0] words_q;

  // ---- What a control packet says ----
  named_t named;
  line_t line;
  assign named = named_t'(message_q[127:64]);
  assign line  = line_t'(message_q);

  // ---- Contexts ----
  context_t stored;
  context_t after_q;  // what it becomes
  context_number_t number;
  context_number_t clear_q;
  logic clear_all_q;
  logic read;
  logic write;
  logic take;
  logic work_move;

  assign take = s_valid_i && s_ready_o;
  assign s_ready_o = state_q == StateTake || (state_q == StateWork && work_move);
  assign number = {packet_q.header.node[SenderWidth-1:0], packet_q.header.tid};

  // The scan goes round all contexts. It takes their mark away, and forgets one that has none. Its step reads in a cycle in which no packet
  // does, and writes in the next, in which none does either. A packet that has read its context before writes all of it, if it writes.
  localparam int unsigned StepShift = $clog2(Tick) - ContextWidth;  // cycles of a step in a tick
  localparam int unsigned StepWidth = 16 + StepShift;
  logic [StepWidth-1:0] step_left_q;
  logic step_due_q;
  logic step;
  logic step_write_q;
  logic is_answer;
  context_number_t step_q;
  context_t step_after;
  logic clearing;
  assign step = step_due_q && !step_write_q && (state_q == StateTake || state_q == StateWait
      || (state_q == StateDecide && is_answer));
  always_comb begin
    step_after = stored;
    step_after.valid = stored.valid && stored.fresh;
    step_after.fresh = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      step_q <= '0;
      step_left_q <= '0;
      step_due_q <= 1'b0;
      step_write_q <= 1'b0;
    end else begin
      step_write_q <= step;
      if (step_write_q) step_q <= step_q + context_number_t'(1);
      if (step_left_q != '0) step_left_q <= step_left_q - StepWidth'(1);
      else if (!step_due_q && forget_i != '0) begin
        step_left_q <= (StepWidth'(forget_i) << StepShift) - StepWidth'(1);
        step_due_q  <= 1'b1;
      end
      if (step) step_due_q <= 1'b0;
    end
  end

  context_number_t rd_context;
  always_comb begin
    unique case (state_q)
      StateLook: rd_context = number;
      StateNamed: rd_context = {number[ContextWidth-1:TidWidth], named.tid};
      default: rd_context = step_q;
    endcase
  end

  prim_ram_1r1w #(
    .Width($bits(context_t)),
    .Depth(1 << ContextWidth)
  ) u_contexts (
    .clk_i    (clk_i),
    .wr_en_i  (clearing || step_write_q || write),
    .wr_addr_i(clearing ? clear_q : step_write_q ? step_q : number),
    .wr_data_i(clearing ? '0 : step_write_q ? step_after : after_q),
    .rd_en_i  (read || step),
    .rd_addr_i(rd_context),
    .rd_data_o(stored)
  );

  // ---- Epochs ----
  logic [Senders-1:0] epoch_known_q;
  logic [Senders-1:0][3:0] epoch_q;
  logic [SenderWidth-1:0] sender;
  logic [3:0] epoch_ahead;
  logic epoch_old;
  logic epoch_new;
  assign sender = packet_q.header.node[SenderWidth-1:0];
  assign epoch_ahead = packet_q.header.epoch - epoch_q[sender];
  assign epoch_old = epoch_known_q[sender] && epoch_ahead[3];
  assign epoch_new = !epoch_known_q[sender] || (epoch_ahead != '0 && !epoch_ahead[3]);

  logic is_control;
  logic is_request;
  assign is_answer  = packet_q.header.kind == KindAck || packet_q.header.kind == KindNack;
  assign is_control = packet_q.header.kind == KindControl;
  assign is_request = packet_q.header.kind == KindReadRequest;

  // Data or the end of a read for which an earlier life of this node has asked.
  logic of_former;
  assign of_former = (is_control && named.over && named.epoch != epoch_i)
      || (packet_q.footer.asked && packet_q.footer.epoch != epoch_i);

  // ---- Ages, one cycle after the context was read ----
  function automatic logic newer(input sequence_t a, input sequence_t b);
    sequence_t ahead;
    ahead = a - b;
    return ahead != '0 && !ahead[SequenceWidth-1];
  endfunction

  context_t own_q;
  logic same_q;
  logic newer_q;
  logic again_q;  // the block was complete under an earlier number
  logic named_there_q;
  logic end_refused_q;  // the engine does not take the end of this read yet
  sequence_t tries_back;
  assign tries_back = packet_q.header.sequence_ - sequence_t'(packet_q.footer.tries);

  // ---- Windows ----
  logic [63:0] range_address;
  logic [31:0] extent_q;  // bytes, less one
  assign range_address  = is_request ? line.source : packet_q.header.address;
  assign query_domain_o = packet_q.header.domain;
  assign query_write_o  = !is_request;

  logic [48:0] last_byte;
  logic overflow_q;
  logic range_good_q;
  assign query_first_o = range_address[AddrWidth-1:0];
  assign last_byte = last_byte_of(48'(query_first_o), extent_q);
  assign query_last_o = last_byte[AddrWidth-1:0];

  // ---- The decision ----
  typedef enum logic [2:0] {
    VerdictDrop,
    VerdictWrite,
    VerdictAck,    // again
    VerdictNack,
    VerdictEngine
  } verdict_e;

  verdict_e verdict;
  verdict_e verdict_q;
  events_t events;
  logic keeps;  // the context changes
  logic keeps_q;
  logic begins;  // a block, with this packet
  logic begins_q;
  logic renew;
  logic there;
  context_t after;
  logic [63:0] there_after;

  assign there = own_q.there[packet_q.footer.index];
  assign renew = !own_q.valid || newer_q;
  assign there_after = (renew ? '0 : own_q.there) | (64'd1 << packet_q.footer.index);

  always_comb begin
    verdict = VerdictDrop;
    events = '0;
    keeps = 1'b0;
    begins = 1'b0;
    after = own_q;
    after.fresh = 1'b1;
    if (!good_q) begin
      verdict = VerdictDrop;
    end else if (packet_q.header.address[63:48] != node_i) begin
      events.foreign = 1'b1;
      verdict = is_answer ? VerdictDrop : VerdictNack;
    end else if (is_answer) begin
      verdict = VerdictEngine;
    end else if (32'(packet_q.header.node) >= Senders) begin
      events.foreign = 1'b1;
      verdict = VerdictNack;
    end else if (epoch_old) begin
      events.epoch = 1'b1;
    end else if (of_former) begin
      events.epoch = 1'b1;
      verdict = VerdictNack;
    end else if (own_q.valid && !same_q && !newer_q) begin
      events.old = 1'b1;
    end else if (own_q.valid && own_q.complete && (same_q || again_q)) begin
      events.repeated = 1'b1;
      verdict = VerdictAck;
      keeps = 1'b1;
      after.sequence_ = packet_q.header.sequence_;
    end else if (!renew && own_q.last != packet_q.footer.last) begin
      events.malformed = 1'b1;
    end else if (!renew && there) begin
      events.duplicate = 1'b1;
    end else if (!(query_allowed_i && range_good_q) && !(is_control && named.nothing)) begin
      events.window = 1'b1;
      verdict = VerdictNack;
    end else if (is_control && (named.zero != '0 || packet_q.header.address[2:0] != '0)) begin
      events.malformed = 1'b1;
      verdict = VerdictNack;
    end else if (is_control && named.waits && !named_there_q) begin
      events.early = 1'b1;
    end else if (is_control && named.over && end_refused_q) begin
      events.early = 1'b1;
    end else begin
      verdict = (is_request || (is_control && named.over)) ? VerdictEngine : VerdictWrite;
      keeps = 1'b1;
      after.valid = 1'b1;
      after.sequence_ = packet_q.header.sequence_;
      begins = renew;
      after.last = packet_q.footer.last;
      after.there = there_after;
      after.complete = there_after == {64{1'b1}} >> (6'd63 - packet_q.footer.last);
    end
  end

  // ---- Steps ----
  logic work_needed;
  logic refused_q;
  logic notes;
  logic noted_q;  // it is written
  logic clears;
  logic writes;
  logic replies;
  assign clears = good_q && !is_answer && packet_q.header.address[63:48] == node_i
      && 32'(packet_q.header.node) < Senders && epoch_new;

  assign read = state_q == StateLook || state_q == StateNamed;
  assign clearing = state_q == StateClear;
  assign ready_o = !clear_all_q;

  // An engine that has no room for a request: it was not carried out, and may come again.
  logic engine_refuses;
  assign engine_refuses = answer_refused_i && is_request;
  assign write = keeps_q && ((state_q == StateWork && work_move && verdict_q != VerdictEngine)
      || (state_q == StateAnswer && answer_ready_i && !engine_refuses));

  // A read is over for its user when the engine hears of it: nothing may be written afterwards, and if memory refused the value, both ends hear that.
  assign notes = is_control && named.over && !named.nothing;
  assign writes = (verdict_q == VerdictWrite || (verdict_q == VerdictEngine && is_control))
      && !(is_control && named.nothing) && !noted_q;
  // A request without room has no answer: it comes again after its time-out, when there may be some.
  assign replies = state_q != StateNote && (verdict_q == VerdictAck || verdict_q == VerdictNack
      || (verdict_q == VerdictEngine && !is_answer && !refused_q)
      || (verdict_q == VerdictWrite && after_q.complete));
  assign work_needed = writes || replies || (words_q != '0 && !noted_q);
  assign work_valid_o = state_q == StateNote || (state_q == StateWork && work_needed);
  assign work_move = !work_needed || work_ready_i;

  always_comb begin
    work_o = '0;
    work_o.write = writes;
    work_o.alone = is_control && named.waits;
    work_o.address = 48'(packet_q.header.address[AddrWidth-1:0]);
    work_o.bytes = is_control ? 11'd8 : packet_q.footer.bytes;
    work_o.first = MaxPlaceWidth'(first_q);
    work_o.words = noted_q ? '0 : words_q;
    work_o.replies = replies;
    work_o.reply = '{
        nack: verdict_q == VerdictNack,
        node: packet_q.header.node,
        domain: packet_q.header.domain,
        epoch: packet_q.header.epoch,
        sequence_: packet_q.header.sequence_,
        tid: packet_q.header.tid
    };
    work_o.context_ = MaxContextWidth'(number);
    work_o.begins = begins_q && !noted_q;
  end

  assign answer_valid_o = state_q == StateAnswer;
  always_comb begin
    answer_o = '0;
    answer_o.kind = kind_e'(packet_q.header.kind);
    answer_o.tid = packet_q.header.tid;
    answer_o.sequence_ = packet_q.header.sequence_;
    answer_o.epoch = packet_q.header.epoch;
    answer_o.node = packet_q.header.node;
    answer_o.domain = packet_q.header.domain;
    answer_o.transfer = is_control ? named.transfer : packet_q.footer.transfer;
    answer_o.failed = is_control && (named.failed || (notes && write_refused_i));
    // The end of a read is about its request.
    if (is_control) begin
      answer_o.tid = named.tid;
      answer_o.sequence_ = named.sequence_;
      answer_o.epoch = named.epoch;
    end
    answer_o.line = line;
  end

  // An answer needs neither context nor window.
  state_e taken;
  always_comb begin
    unique case (s_packet_i.header.kind)
      KindAck, KindNack: taken = StateDecide;
      default: taken = StateLook;
    endcase
  end

  always_ff @(posedge clk_i) begin
    events_o <= '0;
    if (rst_i) begin
      state_q <= StateClear;
      clear_all_q <= 1'b1;
      clear_q <= '0;
      epoch_known_q <= '0;
    end else begin
      unique case (state_q)
        StateClear: begin
          clear_q <= clear_q + context_number_t'(1);
          if (clear_all_q ? clear_q == '1 : clear_q[TidWidth-1:0] == '1) begin
            clear_all_q <= 1'b0;
            state_q <= clear_all_q ? StateTake : StateLook;
          end
        end
        StateTake: if (take) state_q <= taken;
        StateLook: begin
          if (clears) begin
            epoch_known_q[sender] <= 1'b1;
            epoch_q[sender] <= packet_q.header.epoch;
            clear_q <= {sender, TidWidth'(0)};
            state_q <= epoch_known_q[sender] ? StateClear : StateNamed;
          end else begin
            state_q <= StateNamed;
          end
        end
        StateNamed: state_q <= StateWait;
        StateWait: state_q <= StateDecide;
        StateDecide: begin
          events_o <= events;
          noted_q  <= 1'b0;
          if (verdict != VerdictEngine) state_q <= StateWork;
          else state_q <= notes ? StateNote : StateAnswer;
        end
        StateNote: if (work_ready_i) state_q <= StateSettle;
        StateSettle: begin
          noted_q <= 1'b1;
          if (write_idle_i) state_q <= StateAnswer;
        end
        StateAnswer: begin
          if (answer_ready_i) begin
            events_o.refused_request <= engine_refuses;
            state_q <= StateWork;
          end
        end
        default: if (work_move) state_q <= take ? taken : StateTake;
      endcase
    end

    if (take) begin
      good_q <= s_good_i;
      packet_q <= s_packet_i;
      message_q <= s_message_i;
      first_q <= s_first_i;
      words_q <= s_words_i;
      unique case (s_packet_i.header.kind)
        KindControl: extent_q <= 32'd7;
        KindReadRequest: extent_q <= s_message_i[31:0] - 32'd1;
        default: extent_q <= 32'(s_packet_i.footer.bytes) - 32'd1;
      endcase
    end
    overflow_q <= last_byte >> AddrWidth != '0;
    range_good_q <= !overflow_q && range_address[63:48] == node_i
        && range_address[47:0] >> AddrWidth == '0;
    if (state_q == StateNamed) begin
      own_q <= stored;
      same_q <= packet_q.header.sequence_ == stored.sequence_;
      newer_q <= newer(packet_q.header.sequence_, stored.sequence_);
      again_q <= newer(
          packet_q.header.sequence_, stored.sequence_
      ) && !newer(
          tries_back, stored.sequence_
      );
    end
    if (state_q == StateWait) begin
      named_there_q <= stored.valid && stored.complete && !newer(named.sequence_, stored.sequence_);
      end_refused_q <= answer_refused_i;
    end
    if (state_q == StateDecide) begin
      verdict_q <= verdict;
      keeps_q   <= keeps;
      begins_q  <= begins;
      after_q   <= after;
      refused_q <= 1'b0;
    end else if (state_q == StateAnswer && answer_ready_i) begin
      refused_q <= engine_refuses;
    end
  end

endmodule
