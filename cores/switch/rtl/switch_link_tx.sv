// SPDX-License-Identifier: Apache-2.0
//
// switch_link_tx: the sending end of a link: headers, hello, words of credits.
//
// What      sends whole packets of any class, writes limits, epoch and number into their headers,
//           sends words of credits between packets, and shows how many words of each class the peer
//           will still take.
//
//                      link_up_i                    limits with the own epoch
//             Down ───────────────► Hello ──────────────────────────────► Open
//              ▲                      │                                    │
//              └──────────────────────┴── link down, or a hello of a peer ─┘
//                                         that has heard nothing of this end
//
// Contract  Words of a packet follow each other at s_*, gaps are allowed, packets do not mix. The
//           first word has the header: kind (data or notice), class, words, flow, source,
//           destination, hops, spread and mark as they go out (mark is also set by s_mark_i). A
//           packet whose last word has abort ends void. s_ready_o: words may come; after it has
//           fallen Slack more are taken. In Open a packet may be started only if room_o of its
//           class covers all of its words; switch_link_gate does that for a user with a stream. In
//           Down and Hello what comes is discarded (lost_*).
//           room_o shows a packet one cycle after its first word. hold_i: stay in Hello.
// Session   when a session ends inside a packet the packet is ended on m_axis with a word that is
//           not full, and what follows of it at s_* is discarded. The first word after a reset is
//           such an end: the peer may be inside of a packet. A packet counts as sent (sent_*)
//           from its first word at m_axis on; switch_ledger keeps which of them arrived.
// Priority  what is urgent (a new epoch, limits moved by a quarter of the memory, 128 packets not
//           acknowledged), packets, any other news. Credits never split a packet.
// Clock     clk_i; rst_i synchronous to it. The epoch lives through a reset: it tells the sessions
//           before it from those behind it.
// Latency   1 cycle, s_beat_i to m_axis_tdata, idle
//
// Parameters
//   VcWords     words of memory that the own receiving end advertises for each class
//   Slack       words that may come after s_ready_o fell
//   FifoWords   of the queue in front of the link, >= Slack + 2
//
// Source    cores/switch/README.md, "What is on a link"

module switch_link_tx
  import switch_pkg::*;
#(
  parameter int unsigned VcWords = 128,
  parameter int unsigned Slack = 4,
  parameter int unsigned FifoWords = 16
) (
  input logic clk_i,
  input logic rst_i,
  input logic link_up_i,

  input  logic  s_valid_i,
  output logic  s_ready_o,
  input  beat_t s_beat_i,
  input  logic  s_mark_i,

  output limits_t room_o,
  output link_e   state_o,

  // Of the own receiving end.
  input logic    peer_valid_i,
  input peer_t   peer_i,
  output logic   answered_o,    // what the peer says belongs to this session
  input answer_t answer_i,
  input logic    hold_i,

  // First words: of packets that are on the link from now on, and of packets that never were.
  output logic  sent_valid_o,
  output lost_t sent_o,
  output logic  lost_valid_o,
  output lost_t lost_o,
  input  logic  lost_ready_i,
  output logic  credit_o,      // pulse: a word of credits was sent

  output word_t                 m_axis_tdata,
  output logic  [WordBytes-1:0] m_axis_tkeep,
  output logic                  m_axis_tlast,
  output logic                  m_axis_tvalid,
  input  logic                  m_axis_tready
);

  localparam int unsigned HelloCycles = 64;  // between two of them
  localparam int unsigned Unacknowledged = 128;
  localparam int unsigned Quarter = VcWords / 4 > 0 ? VcWords / 4 : 1;
  localparam int unsigned LevelWidth = $clog2(FifoWords + 1);

  if (FifoWords < Slack + 2) begin : gen_bad_fifo
    $error(
        "switch_link_tx %m: FifoWords must be >= Slack + 2 (%0d), got %0d", Slack + 2, FifoWords
    );
  end
  if (VcWords < 1 || VcWords > 2047) begin : gen_bad_vc_words
    $error("switch_link_tx %m: VcWords must be 1..2047, got %0d", VcWords);
  end

  // ---- Queue ----
  logic q_valid, q_ready, q_mark, fifo_ready;
  beat_t q;
  logic [LevelWidth-1:0] level;
  prim_fifo_sync #(
    .Width($bits(beat_t) + 1),
    .Depth(FifoWords)
  ) u_fifo (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(s_valid_i),
    .s_ready_o(fifo_ready),
    .s_data_i ({s_mark_i, s_beat_i}),
    .m_valid_o(q_valid),
    .m_ready_i(q_ready),
    .m_data_o ({q_mark, q}),
    .level_o  (level)
  );
  // A word more may have come since.
  always_ff @(posedge clk_i) s_ready_o <= level < LevelWidth'(FifoWords - Slack - 1);

  prim_assert #(
    .Rule("no word comes when the queue is full")
  ) u_room (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!s_valid_i || fifo_ready)
  );

  // ---- Session ----
  link_e state_q, state_d;
  epoch_t epoch_q;
  initial epoch_q = '0;
  logic heard_q, restart, hello_due_q;
  logic [$clog2(HelloCycles)-1:0] hello_count_q;
  // With the state, so that nothing of it is used in a cycle in which the link falls.
  assign answered_o = peer_valid_i && state_q != LinkDown && peer_i.epoch == epoch_q;
  assign restart = peer_valid_i && peer_i.hello && peer_i.epoch == '0;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      LinkDown:  if (link_up_i) state_d = LinkHello;
      // Nothing of before may follow the first packet of the session.
      LinkHello: if (heard_q && !hold_i && !q_valid && level == '0) state_d = LinkOpen;
      default:   if (restart) state_d = LinkDown;
    endcase
    if (!link_up_i) state_d = LinkDown;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) state_q <= LinkDown;
    else state_q <= state_d;
    heard_q <= state_d == LinkHello && state_q == LinkHello && (heard_q || answered_o);
    if (!rst_i && state_q == LinkDown && state_d == LinkHello) begin
      epoch_q <= epoch_q == '1 ? epoch_t'(1) : epoch_q + 1'b1;
    end
  end
  assign state_o = state_q;

  // ---- Room ----
  class_t  s_class;
  length_t s_words;
  limits_t limit_q, limit_d, count_q, count_d, room_q;
  assign s_class = s_beat_i.data.header.cls;
  assign s_words = s_beat_i.data.header.words;
  for (genvar c = 0; c < Classes; c++) begin : gen_room
    limit_t room;
    assign limit_d[c] = answered_o ? peer_i.limits[c] : limit_q[c];
    assign count_d[c] = count_q[c] + ((s_valid_i && s_beat_i.first && s_class == class_t'(c))
                                      ? limit_t'(s_words) : '0);
    assign room = limit_d[c] - count_d[c];
    always_ff @(posedge clk_i) begin
      limit_q[c] <= limit_d[c];
      count_q[c] <= state_q == LinkOpen ? count_d[c] : '0;
      // More than any memory has: a negative difference.
      room_q[c]  <= state_d == LinkOpen && !room[LimitWidth-1] ? room : '0;
    end
  end
  assign room_o = room_q;

  prim_assert #(
    .Rule("a packet that is sent was started with room for all of its words")
  ) u_started (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .holds_i(!(s_valid_i && s_beat_i.first && state_d == LinkOpen) ||
             (state_q == LinkOpen && room_q[s_class] >= limit_t'(s_words)))
  );

  // ---- What goes out ----
  word_t data_q;
  logic valid_q, last_q, void_q, inside_q, drop_q, fence_q;
  number_t number_q;
  answer_t said_q;
  logic urgent_q, news_q, due_q;  // due: a hello has come
  logic load, is_open, send_word, send_end, send_credit, discard;
  header_t header;
  assign load = !valid_q || m_axis_tready;
  assign is_open = state_q == LinkOpen && state_d == LinkOpen;

  always_comb begin
    send_word = 1'b0;
    send_end = 1'b0;
    send_credit = 1'b0;
    discard = 1'b0;
    if (fence_q) send_end = load;
    else if (drop_q) discard = q_valid;
    else if (inside_q) begin
      send_end  = load && !is_open;
      send_word = load && is_open && q_valid;
    end else if (is_open) begin
      send_credit = load && (urgent_q || (!q_valid && news_q));
      send_word   = load && q_valid && !urgent_q;
    end else begin
      send_credit = load && state_q == LinkHello && state_d == LinkHello && hello_due_q;
      discard = q_valid && lost_ready_i;
    end
  end
  assign q_ready = send_word || discard;

  // What is left of a packet in the queue, after its start was sent or discarded.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      inside_q <= 1'b0;
      drop_q   <= 1'b0;
      fence_q  <= 1'b1;
    end else begin
      if (load) fence_q <= 1'b0;
      if (send_word) inside_q <= !q.last;
      if (send_end) inside_q <= 1'b0;
      if (send_end && !fence_q) drop_q <= 1'b1;
      else if (discard) drop_q <= !q.last;
    end
  end

  header_t q_header;
  always_comb begin
    q_header = q.data.header;
    q_header.mark = q_header.mark || q_mark;
    q_header.hello = 1'b0;
    header = q_header;
    if (send_credit) begin
      header = '0;
      header.kind = KindCredit;
      header.words = length_t'(1);
      header.hello = state_q == LinkHello;
      header.flow = state_q == LinkHello ? FlowWidth'(epoch_q) : '0;
      header.destination = answer_i.received;
    end
    header.limits = answer_i.limits;
    header.epoch  = answer_i.epoch;
    header.number = number_q;
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      valid_q <= send_word || send_end || send_credit;
      last_q  <= send_credit || send_end || q.last;
      void_q  <= send_end || (send_word && q.aborted);
      data_q  <= send_credit ? '0 : q.data;
      if (send_credit || (send_word && q.first)) data_q.header <= header;
    end
    sent_valid_o <= send_word && q.first && !rst_i;
    lost_valid_o <= discard && q.first && !rst_i;
    credit_o <= send_credit && !rst_i;
    sent_o <= '{
        reason: LostLink,
        source: q_header.source,
        destination: q_header.destination,
        flow : q_header.flow,
        cls: q_header.cls,
        words: q_header.words,
        notice: q_header.kind == KindNotice
    };
    lost_o <= '{
        reason: LostDead,
        source: q_header.source,
        destination: q_header.destination,
        flow : q_header.flow,
        cls: q_header.cls,
        words: q_header.words,
        notice: q_header.kind == KindNotice
    };
    if (rst_i) begin
      valid_q  <= 1'b0;
      number_q <= '0;
    end else if (send_word && q.first) number_q <= number_q + 1'b1;
  end
  assign m_axis_tvalid = valid_q;
  assign m_axis_tdata  = data_q;
  assign m_axis_tkeep  = void_q ? WordBytes'(1) : '1;
  assign m_axis_tlast  = last_q;

  logic unused;
  assign unused = ^{peer_i.credits, peer_i.own, peer_i.received};

  // ---- News ----
  answer_t said_d;
  logic [Classes-1:0] far;
  logic epoch_new;
  assign epoch_new = answer_i.epoch != said_d.epoch;
  number_t behind;
  always_comb begin
    said_d = said_q;
    if (send_credit) said_d = answer_i;
    else if (send_word && q.first) begin
      said_d.limits = answer_i.limits;
      said_d.epoch  = answer_i.epoch;
    end
    for (int unsigned c = 0; c < Classes; c++) begin
      limit_t moved;
      moved  = answer_i.limits[c] - said_d.limits[c];
      far[c] = moved >= limit_t'(Quarter);
    end
    behind = answer_i.received.number - said_d.received.number;
  end
  always_ff @(posedge clk_i) begin
    said_q <= said_d;
    news_q <= answer_i != said_d;
    urgent_q <= due_q || epoch_new || far != '0 || behind >= number_t'(Unacknowledged);
    hello_count_q <= hello_count_q + 1'b1;
    if (send_credit) begin
      hello_count_q <= '0;
      hello_due_q   <= 1'b0;
    end else if (&hello_count_q || answer_i.epoch != said_q.epoch) hello_due_q <= 1'b1;
    if (rst_i || state_q == LinkDown) begin
      hello_due_q <= 1'b1;
      said_q <= '0;
    end
    if (rst_i || send_credit) due_q <= 1'b0;
    else if (peer_valid_i && peer_i.hello) due_q <= 1'b1;
    if (rst_i) begin
      news_q   <= 1'b0;
      urgent_q <= 1'b0;
    end
  end

endmodule
