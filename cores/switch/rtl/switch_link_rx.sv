// SPDX-License-Identifier: Apache-2.0
//
// switch_link_rx: the receiving end of a link: credits, hello, checks.
//
// What      takes what RIFL delivers, keeps words of credits for the sending end (peer_o), checks
//           every packet, and passes its words on. Counts the memory behind it by class and makes
//           the limits that the sending end advertises (answer_o).
//
//             m_axis of RIFL ──► checks ──► m_beat_o, m_class_o        memory of the user
//                                  │                                    │ free, drop
//                                  ├──► peer_o ──► switch_link_tx       ▼
//                                  └──► answer_o ◄─ limits ◄─ words that were freed
//
// Contract  s_axis_* is never stalled. Of a packet that is passed on:
//             m_beat_o.first  its first word with the header as it came, full
//             m_beat_o.last   its last word; with abort the packet is void and this word has no
//                             content. A packet has at most as many words as its header says. Its
//                             first word may not be its last one with abort.
//             m_class_o       the class, with every word
//           Words may have gaps between them, and never wait. The user has VcWords words of memory
//           for each class and does one of two things for each word that it gets: free_valid_i with
//           its class when the word has left the memory, or drop_valid_i when it was never stored;
//           in any cycle after the word, in any order.
//           A packet of a kind, class or length that is none, one beyond the limit of its class,
//           and everything before a hello is not passed on. A packet with more or fewer words than
//           it says, with a word that is not full, and one that is open when link_up_i falls ends
//           with abort.
// Session   while link_up_i is low nothing is accepted. A hello says that the peer starts from
//           nothing: what is free in the memory becomes the limit.
// Clock     clk_i; rst_i synchronous to it. After a reset what comes is skipped up to a TLAST or
//           link-up.
// Latency   1 cycle, s_axis_tdata to m_beat_o
//
// Parameters
//   VcWords    words of memory of each class, 1..2047
//   MaxWords   of a packet, 1..64, at most VcWords
//
// Source    cores/switch/README.md, "What is on a link"

module switch_link_rx
  import switch_pkg::*;
#(
  parameter int unsigned VcWords  = 128,
  parameter int unsigned MaxWords = 64
) (
  input logic clk_i,
  input logic rst_i,
  input logic link_up_i,

  input  word_t                 s_axis_tdata,
  input  logic  [WordBytes-1:0] s_axis_tkeep,
  input  logic                  s_axis_tlast,
  input  logic                  s_axis_tuser,
  input  logic                  s_axis_tvalid,
  output logic                  s_axis_tready,

  output logic   m_valid_o,
  output beat_t  m_beat_o,
  output class_t m_class_o,

  input logic   free_valid_i,
  input class_t free_class_i,
  input logic   drop_valid_i,
  input class_t drop_class_i,

  output logic      peer_valid_o,
  output peer_t     peer_o,
  output answer_t   answer_o,
  output rx_event_t event_o
);

  if (VcWords < 1 || VcWords > 2047) begin : gen_bad_vc_words
    $error("switch_link_rx %m: VcWords must be 1..2047, got %0d", VcWords);
  end
  if (MaxWords < 1 || MaxWords > LongestPacket || MaxWords > VcWords) begin : gen_bad_max_words
    $error(
        "switch_link_rx %m: MaxWords must be 1..%0d and at most VcWords (%0d), got %0d",
        LongestPacket,
        VcWords,
        MaxWords
    );
  end

  typedef enum logic [1:0] {
    Skip,   // up to TLAST
    First,
    Body
  } state_e;

  state_e state_q, state_d;
  class_t class_q;
  length_t rest_q;  // words that are still to come, of the packet in Body
  number_t number_q;
  logic up_q;
  epoch_t epoch_q;
  received_t received_q;
  limits_t limit_q, taken_q, occupied_q;

  assign s_axis_tready = 1'b1;
  assign answer_o = '{limits: limit_q, epoch: epoch_q, received: received_q};

  // ---- What a first word is ----
  header_t header;
  logic full, is_packet, is_credit, bad_length, fits, accept;
  assign header = s_axis_tdata.header;
  assign full = &s_axis_tkeep && !s_axis_tuser;
  assign is_packet = header.kind == KindData || header.kind == KindNotice;
  assign is_credit = header.kind == KindCredit && s_axis_tlast;
  assign bad_length = header.words == '0 || header.words > length_t'(MaxWords);
  // At most VcWords, so that a difference is never taken for a negative one.
  limit_t room;
  assign room   = limit_q[header.cls] - taken_q[header.cls];
  assign fits   = room >= limit_t'(header.words);
  assign accept = is_packet && !bad_length && fits;

  logic first_full, hello, fresh;
  assign first_full = s_axis_tvalid && state_q == First && link_up_i && full;
  assign hello = first_full && is_credit && header.hello;
  assign fresh = epoch_q != '0;

  // ---- One word ----
  logic emit, start, last, abort;
  length_t   short_words;  // that the packet said and that never come
  rx_event_t seen;
  always_comb begin
    state_d = state_q;
    emit = 1'b0;
    start = 1'b0;
    last = s_axis_tlast;
    abort = 1'b0;
    short_words = '0;
    seen = '0;
    unique case (state_q)
      Skip: if (s_axis_tvalid && s_axis_tlast) state_d = First;
      First: begin
        if (s_axis_tvalid) begin
          if (!s_axis_tlast) state_d = Skip;
          if (!link_up_i) begin
            // Of a session that has ended.
          end else if (!full) seen.malformed = !s_axis_tlast;  // else the end of nothing
          else if (is_credit) seen.stale = !fresh && !header.hello;
          else if (!fresh) seen.stale = 1'b1;
          else if (!is_packet || bad_length) seen.malformed = 1'b1;
          else if (!fits) seen.overrun = 1'b1;
          else if (s_axis_tlast != (header.words == length_t'(1))) seen.malformed = 1'b1;
          else begin
            emit  = 1'b1;
            start = 1'b1;
            if (!s_axis_tlast) state_d = Body;
            seen.packet = s_axis_tlast;
            seen.gap = received_q.known && header.number != received_q.number;
          end
        end
      end
      default: begin
        if (!link_up_i || s_axis_tvalid) begin
          emit = 1'b1;
          abort = !link_up_i || !full || s_axis_tlast != (rest_q == length_t'(1));
          last = abort || s_axis_tlast;
          short_words = last ? rest_q - 1'b1 : '0;
          seen.packet = last && !abort;
          seen.aborted = abort;
          if (s_axis_tvalid && s_axis_tlast) state_d = First;
          else if (abort) state_d = Skip;
        end
      end
    endcase
    // What came before link-up is of no packet that goes on.
    if (link_up_i && !up_q) state_d = s_axis_tvalid && !s_axis_tlast ? Skip : First;
  end

  always_ff @(posedge clk_i) begin
    up_q <= link_up_i;
    if (rst_i) begin
      state_q <= Skip;
      up_q    <= 1'b0;
    end else state_q <= state_d;
    if (start) begin
      class_q  <= header.cls;
      number_q <= header.number;
      rest_q   <= header.words - 1'b1;
    end else if (emit) rest_q <= rest_q - 1'b1;
  end

  logic unused;
  assign unused = ^{header.hops, header.source, header.spread, header.mark};

  // ---- To the user and to the sending end ----
  always_ff @(posedge clk_i) begin
    m_valid_o <= emit && !rst_i;
    m_beat_o <= '{data: s_axis_tdata, first: start, last: last, aborted: abort};
    m_class_o <= start ? header.cls : class_q;
    peer_valid_o <= !rst_i && first_full && (is_credit || (fresh && accept));
    peer_o <= '{
        limits: header.limits,
        epoch: header.epoch,
        credits: is_credit,
        hello: is_credit && header.hello,
        own: header.flow[EpochWidth-1:0],
        received: received_t'(header.destination)
    };
    event_o <= rst_i ? '0 : seen;
    if (rst_i || !link_up_i) epoch_q <= '0;
    else if (hello) epoch_q <= header.flow[EpochWidth-1:0];
    if (rst_i) received_q <= '0;
    else if (seen.packet) begin
      received_q <= '{known: 1'b1, zero: '0, number: (start ? header.number : number_q) + 1'b1};
    end
  end

  // ---- Memory ----
  class_t emit_class;
  assign emit_class = start ? header.cls : class_q;
  for (genvar c = 0; c < Classes; c++) begin : gen_class
    logic stored, freed, dropped;
    limit_t gone, back;
    assign stored = emit && emit_class == class_t'(c);
    assign freed = free_valid_i && free_class_i == class_t'(c);
    assign dropped = drop_valid_i && drop_class_i == class_t'(c);
    assign gone = limit_t'(freed) + limit_t'(dropped);
    assign back = gone + ((emit && class_q == class_t'(c)) ? limit_t'(short_words) : '0);
    always_ff @(posedge clk_i) begin
      occupied_q[c] <= occupied_q[c] + limit_t'(stored) - gone;
      if (hello) begin
        // Nothing is stored in this cycle: the word is one of credits.
        limit_q[c] <= limit_t'(VcWords) - occupied_q[c] + gone;
        taken_q[c] <= '0;
      end else begin
        limit_q[c] <= limit_q[c] + back;
        if (start && stored) taken_q[c] <= taken_q[c] + limit_t'(header.words);
      end
      if (rst_i) begin
        occupied_q[c] <= '0;
        limit_q[c]    <= limit_t'(VcWords);
        taken_q[c]    <= '0;
      end
    end
  end

  prim_assert #(
    .Rule("a word of each class is freed or dropped once")
  ) u_frees (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .holds_i(!(free_valid_i && occupied_q[free_class_i] == '0) &&
             !(drop_valid_i && occupied_q[drop_class_i] == '0))
  );

endmodule
