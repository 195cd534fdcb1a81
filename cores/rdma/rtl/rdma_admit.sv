// SPDX-License-Identifier: Apache-2.0
//
// rdma_admit: decides about each packet: write, answer, hand to the engine, or drop.
//
// What      Looks up what is known of a packet's sender, TID and range, has it decided
//           (rdma_verdict), and sees to it that this is done. Knows the epoch of each sender.
// Why       The network may lose, double, delay and exchange packets.
// Contract  s side: packets in order, of rdma_unframe. One is looked up from s_valid_i on, without
//           its s_judgement_i, which stands with s_judged_i, and with which it moves if s_ready_o.
//           Nothing is remembered of it before it is judged; but if it is of the network, s_early_i
//           and cut_room_i, the work to write it goes out, and fate_o tells rdma_write how it goes
//           on; if it is of this node, it is decided, and its work waits for s_judged_i, or for
//           s_comes_i: it is whole, and good; s_answers_i: it is s_answer_i, an answer of this
//           node. Not judged for 64 cycles, it is given up (stopped_o, a pulse) until it is judged.
//           work: valid and ready, what rdma_write has to do; one for every packet with words, so
//           that they come back, and behind one that was written early a second one. answer: to the
//           engine, valid and ready; answer_refused_i belongs to the cycle in which it moves, for a
//           read request; the end of a read that it refuses is dropped before anything is written,
//           and comes again: answer_refused_i says so from the cycle on in which answer_o has it.
//           query: rdma_windows, three cycles. A packet of a newer epoch, 1 to 7 steps ahead, makes
//           all contexts of its sender empty, rst_i all, until ready_o. identity_i is steady.
// Latency   4 cycles from s_valid_i to work; one packet in 2 cycles while judged ones wait, else in
//           4; an answer to the engine takes 2, or as long as its verdict, one of this node 1
// Source    own design
//
// Parameters
//   Senders       nodes 0 to Senders - 1 may send, a power of two, 2 to 64
//   Tick          a power of two, 1024 * Senders to 65536

module rdma_admit
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter int unsigned Senders = 4,
  parameter int unsigned Tick = 65536,
  localparam int unsigned SenderWidth = $clog2(Senders),
  localparam int unsigned ContextWidth = SenderWidth + TidWidth
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              ready_o,
  input  identity_t         identity_i,
  input  logic       [15:0] forget_i,
  input  logic              s_valid_i,
  input  logic              s_judged_i,
  input  judgement_t        s_judgement_i,
  input  logic              s_early_i,
  input  logic              s_comes_i,
  input  logic              s_answers_i,
  input  frame_t            s_answer_i,
  output logic              s_ready_o,
  input  arrival_t          s_packet_i,
  output query_t            query_o,
  input  logic              query_allowed_i,
  output logic              work_valid_o,
  input  logic              work_ready_i,
  output work_t             work_o,
  output fate_t             fate_o,
  output logic              stopped_o,
  input  logic              cut_room_i,
  input  logic              write_idle_i,
  input  logic              write_refused_i,
  output logic              answer_valid_o,
  input  logic              answer_ready_i,
  output answer_t           answer_o,
  input  logic              answer_refused_i,
  output events_t           events_o
);

  if (Senders < 2 || Senders > 64 || (Senders & (Senders - 1)) != 0) begin : gen_bad_senders
    $error("rdma_admit %m: rule Senders is a power of two, 2 to 64, got %0d", Senders);
  end
  if (Tick > 65536 || Tick < (1 << ContextWidth) || (Tick & (Tick - 1)) != 0) begin : gen_bad_tick
    $error(
        "rdma_admit %m: rule Tick is a power of two, %0d to 65536, got %0d", 1 << ContextWidth, Tick
    );
  end

  typedef enum logic [3:0] {
    StateClear,
    StateTake,
    StateNamed,   // the block that a control packet names is looked up
    StateWait,
    StateDecide,
    StateNote,    // the notification of a read is written before the read is over
    StateSettle,
    StateAnswer,
    StateWork,
    StateGone,    // its work is out, its verdict a cycle behind
    StateOpen     // the packet is being written, and its words are arriving
  } state_e;

  state_e state_q;
  arrival_t packet_q, carried_q;  // carried_q: whose work goes out
  frame_t coming, frame, carried;
  logic [SenderWidth-1:0] coming_sender, sender;
  logic [ContextWidth-1:0] coming_number, number, carried_number;
  named_t named;  // what a control packet says
  line_t line, coming_line;
  logic is_answer, is_control, is_request, plain, coming_answer, coming_plain;
  assign coming = s_packet_i.frame;
  assign coming_sender = coming.header.node[SenderWidth-1:0];
  assign coming_number = {coming_sender, coming.header.tid};
  assign frame = packet_q.frame;
  assign sender = frame.header.node[SenderWidth-1:0];
  assign number = {sender, frame.header.tid};
  assign carried = carried_q.frame;
  assign carried_number = {carried.header.node[SenderWidth-1:0], carried.header.tid};
  assign named = named_t'(packet_q.message[127:64]);
  assign line = line_t'(packet_q.message);
  assign coming_line = line_t'(s_packet_i.message);
  assign coming_answer = coming.header.kind == KindAck || coming.header.kind == KindNack;
  assign coming_plain = coming.header.kind == KindData || coming.header.kind == KindMessage;
  assign plain = frame.header.kind == KindData || frame.header.kind == KindMessage;
  assign is_answer = frame.header.kind == KindAck || frame.header.kind == KindNack;
  assign is_control = frame.header.kind == KindControl;
  assign is_request = frame.header.kind == KindReadRequest;

  // ---- Epochs, looked up as the packet is taken ----
  logic [Senders-1:0] epoch_known_q;
  logic [Senders-1:0][3:0] epoch_q;
  logic [3:0] epoch_ahead;
  logic epoch_first_q, epoch_old_q, epoch_newer_q;
  logic epoch_counts, clears, forged;
  assign epoch_ahead = coming.header.epoch - epoch_q[coming_sender];
  // What this node sends to itself does not come from the network.
  assign forged = !packet_q.own && frame.header.node == identity_i.node;
  assign epoch_counts = (state_q == StateDecide || state_q == StateOpen) && s_judged_i
      && s_judgement_i.good && !is_answer && !forged && 32'(frame.header.node) < Senders
      && frame.header.address[63:48] == identity_i.node;
  // It is taken once more when the contexts of its sender are empty.
  assign clears = epoch_counts && epoch_newer_q;

  // Data or the end of a read that an earlier session of this node has requested.
  logic of_former;
  assign of_former = (is_control && named.over && named.epoch != identity_i.epoch)
      || (frame.footer.asked && frame.footer.epoch != identity_i.epoch);
  // ---- The context is read as the packet is taken; the packet before may write it just then ----
  decision_t decision, decision_q;
  context_t stored, own, own_q;
  logic same_q, newer_q, again_q, named_there_q, end_refused_q, written_q, range_good_q;
  sequence_t tries_back;
  logic take, work_move, cleared, write, passes_on, passes_by;
  logic cuts_q;  // the work that is offered goes out before the verdict
  logic holds_q;  // it is of this node and goes out with the verdict
  assign own = written_q ? decision_q.after : stored;
  assign tries_back = coming.header.sequence_ - sequence_t'(coming.footer.tries);

  // One that is judged early moves while it is looked up, but not if it brings a new epoch, with
  // which others are looked up anew. Then the next one, if it waits, is looked up while this one is
  // decided, and taken before its work goes out (ahead); but for what needs another context, none,
  // or that of this one. The scan of the contexts needs a cycle without that.
  logic judged_q, good_q, marked_q, judged, moves_early, scans;
  logic look, looked_q, ahead, ahead_q;
  assign moves_early = (state_q == StateNamed || state_q == StateWait) && !judged_q
      && !epoch_first_q && !epoch_newer_q;
  assign judged = judged_q || s_judged_i;
  assign look = s_valid_i && s_judged_i && coming_plain && !scans
      && ((state_q == StateWait && judged_q && plain) || (state_q == StateWork && ahead_q));
  assign ahead = looked_q && work_ready_i;
  assign s_ready_o = moves_early || ahead || (state_q == StateDecide && !judged_q && !clears)
      || state_q == StateOpen || holds_q || (passes_by && answer_ready_i);
  assign take = s_valid_i && ((state_q == StateTake && !(passes_by && answer_ready_i)) || ahead
      || (state_q == StateWork && work_move && !cuts_q && !holds_q && !ahead_q));

  // One of this node that waits (holds_q) may note itself in any cycle.
  rdma_contexts #(
    .Senders(Senders),
    .Tick   (Tick)
  ) u_contexts (
    .due_o(scans),
    .load_i(clears),
    .sender_i(sender),
    .clear_i(state_q == StateClear),
    .cleared_o(cleared),
    .idle_i((state_q == StateTake && !s_valid_i) || (state_q == StateWait && !look)
        || (state_q == StateDecide && is_answer) || (state_q == StateOpen && !s_judged_i)),
    .read_i(take || look || state_q == StateNamed),
    .rd_number_i(state_q == StateNamed ? {sender, named.tid} : coming_number),
    .stored_o(stored),
    .write_i(write),
    .number_i(carried_number),
    .after_i(decision_q.after),
    .*
  );

  // ---- Windows: asked as the packet is taken ----
  assign query_o = query_of(coming, coming_line);

  // ---- The decision ----
  findings_t findings;
  events_t   events;
  assign findings = '{
          good: judged_q ? good_q : s_judged_i ? s_judgement_i.good : s_early_i || packet_q.own,
          marked: judged_q ? marked_q : s_judged_i && s_judgement_i.marked,
          forged: forged,
          foreign: frame.header.address[63:48] != identity_i.node,
          unknown: 32'(frame.header.node) >= Senders,
          epoch_old: epoch_old_q,
          of_former: of_former,
          answer: is_answer,
          request: is_request,
          same: same_q,
          newer: newer_q,
          again: again_q,
          allowed: query_allowed_i && range_good_q,
          named_there: named_there_q,
          end_refused: end_refused_q
      };

  rdma_verdict u_verdict (
    .packet_i  (frame),
    .named_i   (named),
    .findings_i(findings),
    .context_i (own_q),
    .decision_o(decision),
    .events_o  (events)
  );

  // ---- A packet that is written as it arrives: its work goes out before it is judged (cuts), and
  // then one for what follows from that (settles). A new epoch counts only when it is judged. ----
  logic cuts, holds, settles_q, waits;
  logic [4:0] words_q, back_q, words;  // in the buffer; those that go back
  assign cuts = state_q == StateDecide && !judged && s_early_i && cut_room_i && !epoch_newer_q
      && decision.verdict == VerdictWrite && !packet_q.own;
  assign holds = state_q == StateDecide && !judged && packet_q.own && !epoch_first_q
      && !epoch_newer_q && decision.verdict == VerdictWrite;
  assign waits = (state_q == StateDecide || state_q == StateOpen || holds_q) && !judged && !cuts;
  rdma_fate u_fate (
    .cuts_i  (cuts),
    .open_i  (state_q == StateOpen),
    .waits_i (waits),
    .judged_i(s_judged_i),
    .good_i  (s_judgement_i.good),
    .marked_i(s_judgement_i.marked),
    .*
  );
  assign words = cuts_q || holds_q ? words_of(carried.footer.bytes) : back_q;

  // ---- Steps ----
  logic work_needed, may_go, for_engine, refused_q, notes, writes, replies;
  logic noted_q;  // it is written
  verdict_e verdict_q;
  assign verdict_q  = decision_q.verdict;
  assign for_engine = verdict_q == VerdictEngine;
  logic engine_refuses;  // no room for a request: it was not carried out, and may come again
  assign engine_refuses = answer_refused_i && is_request;
  assign write = decision_q.keeps
      && state_q == StateWork && work_move && !cuts_q && !(for_engine && refused_q);

  // A read is over for its user when the engine hears of it: nothing may be written afterwards, and
  // if memory refused the value, both ends hear that.
  assign notes = is_control && named.over && !named.nothing;
  assign writes = (verdict_q == VerdictWrite || (for_engine && is_control))
      && !(is_control && named.nothing) && !noted_q && !settles_q;
  // A request without room has no answer: it is repeated after its time-out.
  assign replies = state_q != StateNote && !settles_q
      && (verdict_q == VerdictAck || verdict_q == VerdictNack
      || (for_engine && !is_answer && !refused_q)
      || (verdict_q == VerdictWrite && decision_q.after.complete));
  assign work_needed = writes || replies || (words != '0 && !noted_q);
  assign may_go = !holds_q || (s_comes_i && !stopped_o) || (s_judged_i && s_judgement_i.good);
  assign work_valid_o = state_q == StateNote || (state_q == StateWork && work_needed && may_go);
  assign work_move = may_go && (!work_needed || work_ready_i);

  always_comb begin
    work_o = '0;
    work_o.write = writes;
    work_o.cut = cuts_q;
    work_o.tag = fate_o.tag;
    work_o.alone = is_control && named.waits;
    work_o.own = carried_q.own;
    work_o.address = carried.header.address[47:0];
    work_o.bytes = is_control ? 11'd8 : carried.footer.bytes;
    work_o.first = carried_q.first;
    work_o.words = noted_q ? '0 : words;
    work_o.replies = replies;
    work_o.reply = reply_of(carried.header, verdict_q == VerdictNack, decision_q.after.marked);
    work_o.context_ = MaxContextWidth'(carried_number);
    work_o.begins = decision_q.begins && !noted_q && !settles_q;
  end

  // An answer goes to the engine when it is judged; one of this node has no words that could fail.
  assign passes_on = state_q == StateDecide && is_answer && s_judged_i && s_judgement_i.good
      && !findings.foreign && !forged;
  assign passes_by = state_q == StateTake && s_answers_i;
  assign answer_valid_o = state_q == StateAnswer || passes_on || passes_by;
  always_comb begin
    answer_o = answer_of(state_q == StateTake ? s_answer_i : frame, named, line);
    if (notes && write_refused_i) answer_o.failed = 1'b1;
  end

  state_e taken;
  assign taken = coming_answer ? StateDecide : StateNamed;  // that needs no context, no window

  always_ff @(posedge clk_i) begin
    events_o <= '0;
    if (rst_i) begin
      state_q <= StateClear;
      epoch_known_q <= '0;
    end else begin
      unique case (state_q)
        StateClear: if (cleared) state_q <= StateTake;
        StateTake: if (take) state_q <= taken;
        StateNamed: state_q <= StateWait;
        StateWait: state_q <= StateDecide;
        StateDecide:
        if (clears) begin
          state_q <= StateClear;
        end else if (cuts || holds) begin
          state_q <= StateWork;
        end else if (stopped_o) begin
          state_q <= StateTake;
        end else if (judged) begin
          events_o <= events;
          if (decision.verdict != VerdictEngine) state_q <= StateWork;
          else if (passes_on && answer_ready_i) state_q <= StateTake;
          else state_q <= notes ? StateNote : StateAnswer;
        end
        StateNote: if (work_ready_i) state_q <= StateSettle;
        StateSettle: begin
          noted_q <= 1'b1;
          if (write_idle_i) state_q <= StateAnswer;
        end
        StateAnswer:
        if (answer_ready_i) begin
          events_o.refused_request <= engine_refuses;
          state_q <= StateWork;
        end
        StateOpen:
        if (s_judged_i) state_q <= StateWork;
        else if (stopped_o) state_q <= StateTake;
        StateGone: state_q <= StateTake;
        default:
        if (ahead_q) state_q <= StateDecide;  // there was room before
        else if (work_move && holds_q) state_q <= s_judged_i ? StateTake : StateGone;
        else if (work_move) state_q <= cuts_q ? StateOpen : take ? taken : StateTake;
        else if (stopped_o) state_q <= StateTake;
      endcase
      if (epoch_counts && (epoch_first_q || epoch_newer_q)) begin
        epoch_known_q[sender] <= 1'b1;
        epoch_q[sender] <= frame.header.epoch;
      end
    end

    if (take) begin
      packet_q <= s_packet_i;
      epoch_first_q <= !epoch_known_q[coming_sender];
      epoch_old_q <= epoch_known_q[coming_sender] && epoch_ahead[3];
      epoch_newer_q <= epoch_known_q[coming_sender] && epoch_ahead != '0 && !epoch_ahead[3];
    end
    if (take || look) written_q <= write && carried_number == coming_number;
    looked_q <= look && epoch_known_q[coming_sender] && (epoch_ahead == '0 || epoch_ahead[3])
        && number != coming_number && !rst_i;
    ahead_q <= ahead && !rst_i;
    if (state_q == StateNamed || looked_q) begin
      range_good_q <= identity_i.node == (coming.header.kind == KindReadRequest
          ? coming_line.source[63:48] : coming.header.address[63:48]);
      own_q <= own;
      same_q <= coming.header.sequence_ == own.sequence_;
      newer_q <= newer(coming.header.sequence_, own.sequence_);
      again_q <= newer(coming.header.sequence_, own.sequence_) && !newer(tries_back, own.sequence_);
    end
    if (state_q == StateWait) begin
      named_there_q <= stored.valid && stored.complete && !newer(named.sequence_, stored.sequence_);
      end_refused_q <= answer_refused_i;
    end
    if (take || moves_early) judged_q <= (moves_early || ahead) && s_judged_i;
    if (moves_early || ahead) {good_q, marked_q, words_q} <= s_judgement_i;
    if (state_q == StateDecide || state_q == StateOpen || holds_q) begin
      back_q <= judged_q ? words_q : s_judgement_i.words;
    end
    if (state_q == StateDecide) begin
      carried_q <= packet_q;
      decision_q <= decision;
      cuts_q <= cuts;
      holds_q <= holds;
      settles_q <= 1'b0;
      noted_q <= 1'b0;
      refused_q <= 1'b0;
    end else if ((state_q == StateOpen || holds_q) && s_judged_i) begin
      cuts_q <= 1'b0;
      holds_q <= 1'b0;
      settles_q <= !holds_q;
      if (s_judgement_i.marked) decision_q.after.marked <= 1'b1;
      if (!s_judgement_i.good) begin
        decision_q.verdict <= VerdictDrop;
        decision_q.keeps   <= 1'b0;
      end
    end else if (state_q == StateAnswer && answer_ready_i) begin
      refused_q <= engine_refuses;
    end
    if (rst_i || stopped_o) holds_q <= 1'b0;
  end

  logic unused_fields;
  assign unused_fields = ^{coming_line, carried_q};

endmodule
