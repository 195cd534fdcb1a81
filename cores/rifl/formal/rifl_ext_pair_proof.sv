// SPDX-License-Identifier: Apache-2.0
//
// Proof of one direction of a lane in extended mode: nothing lost, duplicated or out of order,
// whatever frames the line damages in both directions.
//
// Sender: rifl_ext_tx_ctrl with its retransmission buffer. Receiver: the order rules of
// rifl_ext_rx, as rifl_ext_rx_model (rifl_ext_rx_proof shows that the RTL keeps them). One clock is
// one frame. Free inputs: which frames are damaged on either line (a damaged frame has any sync
// header, and either no plausible code or one that names another frame, as one flipped bit can make
// it do; its announcement is no longer valid), when the user has data, when the receiver may
// deliver at once, when the own receiver is in error and when clock compensation wants a frame,
// when the peer's buffer says stop, when the peer sends a control frame of its own accord, and when
// its own stream jumps. What the peer must do is what rifl_ext_tx_ctrl at its side does: a control
// frame at once for an incident, for a new stop and for a ping, and in every fourth frame while
// something is unconfirmed. Consent is taken after SayPeriod frames here, one earlier than the RTL
// takes it (FreshRun), for damage that passes by chance in place of an ask is left out.
// Round trip: a constant, the shortest with which this holds; the measurement (rifl_round_trip)
// counts the way of a ping and adds RoundTripMargin. It is valid from an announcement on
// (measured_i) until the sender asks for another one, and anything (unmeasured_i) while it is not.
// Lines do not change their length here.
//
// Every frame is numbered when it is taken from the user. Asserted: what is delivered is 0, 1, 2,
// ...; the sender's `safe` never passes the awaited frame, nor this one `head`; head - awaited <= K
// - 1 (K = 2^IdWidth); the sender never believes a rule broken; and while the peer's buffer says
// stop at most K - 1 frames are delivered, counted from its first word, so a buffer of 2 K frames
// that says stop at K holds all. By induction, for ever, with one assumption: the receiver does not
// ask MaxAsks times in vain (each time takes K frames), for the numbers of asks are those modulo
// 16. The invariants say what is in the buffer, in the memory of line positions and on both lines.
// Mutants that it refutes: cores/rifl/mutants.py.
//
// Progress, with Patience: a frame is calm if neither line damages its frame, the peer's buffer has
// room, its stream does not jump, the user has data and neither the own receiver nor the clocks
// want a control frame. In calm times the peer sends a control frame in every eighth frame at
// least, as it does when it answers a ping, for the round trip is measured anew after an error.
// Asserted: never are there Patience calm frames in a row without a delivery, whatever was before.
// Bounded: from reset, up to the depth of the run.

module rifl_ext_pair_proof
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned IdWidth = 4,
  parameter int unsigned Down = 1,  // frames on the line to the receiver
  parameter int unsigned Up = 1,  // and on the line back
  parameter bit Delayed = 1'b0,  // the receiver may keep frames (delayed release), and need not
  parameter int unsigned RoundTrip = Down + Up + SayPeriod + 1 + 32'(Delayed),
  parameter int unsigned MaxAsks = 8,
  parameter int unsigned Patience = 0  // frames; 0: no progress is asserted, but safety
) (
  input logic clk_i,
  input logic rst_i,
  input logic calm_i,
  input logic user_valid_i,
  input logic own_err_i,
  input logic compensate_i,
  input logic down_bad_i,
  input logic down_header_i,
  input logic [IdWidth-1:0] down_misnamed_i,
  input logic peer_stop_i,
  input logic delayed_i,
  input logic measured_i,
  input logic [IdWidth-1:0] unmeasured_i,
  input logic peer_control_i,
  input logic peer_jump_i,
  input logic peer_over_i,
  input logic up_bad_i
);

  localparam int unsigned K = 1 << IdWidth;
  localparam int unsigned TagWidth = 7;
  typedef logic [IdWidth-1:0] id_t;
  typedef logic [TagWidth-1:0] tag_t;

  typedef struct packed {
    logic good;
    logic control;
    logic data;
    logic stop_seen;
    logic [3:0] answered;
    id_t id;
    id_t misnamed;
    // misnamed: what damage makes of the code: 0 none of any id, otherwise the bits of the id that
    // it flips. Not on the line: was it a data frame, number of the data frame that it carries or
    // names, head behind it.
    logic was_data;
    tag_t tag;
    tag_t head;
  } down_t;
  typedef struct packed {
    logic       good;
    logic       control;
    logic       jump;
    logic       over;
    logic       ask;
    logic [3:0] ask_n;
    id_t        wanted;
    logic       stop;
  } up_t;

  // ---- Reset once; one frame later both ends are up ----
  logic started_q = 1'b0;
  logic flow_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    flow_q <= started_q;
  end
  always_comb assume (rst_i == !started_q);

  // ---- Sender ----
  up_t heard_q, arriving;
  logic fresh, steady, fresh_q, steady_q, heard_valid;
  sequence_t   heard_sequence;
  frame_kind_e kind;
  tx_frame_t   decided;
  logic slack, stop_seen, wr_en, served, breach, measure;
  logic [3:0] answered;
  id_t id, wr_addr, rd_addr;
  logic round_trip_valid_q;
  always_ff @(posedge clk_i) begin
    round_trip_valid_q <= !rst_i && !measure && (round_trip_valid_q || (heard_valid && measured_i));
  end
  assign heard_valid = heard_q.good && heard_q.control;
  assign heard_sequence = '{
          ask: heard_q.ask,
          ask_n: heard_q.ask_n,
          wanted: MaxIdWidth'(heard_q.wanted),
          answered: '0,
          next: '0,
          zero: '0
      };

  rifl_ext_tx_ctrl #(
    .IdWidth(IdWidth)
  ) u_tx (
    .clk_i             (clk_i),
    .rst_i             (rst_i),
    .flow_i            (flow_q),
    .err_i             (own_err_i),
    .incident_i        (1'b0),
    .fresh_i           (fresh_q),
    .steady_i          (steady_q),
    .stop_i            (1'b0),
    .st_valid_i        (heard_valid),
    .st_stop_i         (heard_q.stop),
    .st_stop_seen_i    (1'b0),
    .st_ping_i         (1'b0),
    .st_sequence_i     (heard_sequence),
    .round_trip_valid_i(round_trip_valid_q),
    .round_trip_busy_i (1'b0),
    .round_trip_i      (round_trip_valid_q ? IdWidth'(RoundTrip) : unmeasured_i),
    .measure_o         (measure),
    .compensate_i      (compensate_i),
    .user_valid_i      (user_valid_i),
    .frame_o           (decided),
    .stop_seen_o       (stop_seen),
    .answered_o        (answered),
    .served_o          (served),
    .breach_o          (breach)
  );

  assign kind = decided.kind;
  assign slack = decided.slack;
  assign id = id_t'(decided.id);
  assign wr_en = decided.wr_en;
  assign wr_addr = id_t'(decided.wr_addr);
  assign rd_addr = id_t'(decided.rd_addr);

  // The buffer, and the numbers of the frames.
  tag_t head_tag_q, kept_tag;
  prim_ram_1r1w #(
    .Width(TagWidth),
    .Depth(K)
  ) u_buffer (
    .clk_i    (clk_i),
    .wr_en_i  (wr_en),
    .wr_addr_i(wr_addr),
    .wr_data_i(head_tag_q),
    .rd_en_i  (1'b1),
    .rd_addr_i(rd_addr),
    .rd_data_o(kept_tag)
  );
  always_ff @(posedge clk_i) head_tag_q <= rst_i ? '0 : head_tag_q + TagWidth'(wr_en);

  // ---- The line to the receiver ----
  down_t sent;
  down_t [Down-1:0] down_q;
  down_t frame;
  tag_t next_tag, safe_tag;
  assign next_tag = head_tag_q - TagWidth'(id_t'(u_tx.head_q - u_tx.next_q));
  assign safe_tag = head_tag_q - TagWidth'(id_t'(u_tx.head_q - u_tx.safe_q));
  assign sent = '{
          good: !down_bad_i,
          control: down_bad_i ? down_header_i : slack,
          data: down_bad_i ? !down_header_i : !slack,
          stop_seen: stop_seen,
          answered: answered,
          id: id,
          misnamed: down_bad_i ? down_misnamed_i : '0,
          was_data: !slack,
          tag: kind == FrReplay ? kept_tag : kind == FrUser ? head_tag_q : next_tag,
          head: head_tag_q + TagWidth'(wr_en)
      };
  assign frame = down_q[Down-1];
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Down; i++) begin
      down_q[i] <= rst_i ? '0 : i == 0 ? sent : down_q[i-1];
    end
  end

  // The lines are empty in the beginning: the first frame comes Down frames after the reset.
  logic [3:0] age_q = '0;
  logic arrived;
  always_ff @(posedge clk_i) if (started_q && age_q != '1) age_q <= age_q + 1'b1;
  assign arrived = age_q >= 4'(Down);

  // ---- Receiver ----
  logic deliver, kept, err, rx_fresh, rx_steady;
  id_t awaited, wanted;
  logic [3:0] ask_n;
  rifl_ext_rx_model #(
    .IdWidth(IdWidth),
    .Delayed(Delayed)
  ) u_rx (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .step_i     (arrived),
    .delayed_i  (delayed_i),
    .control_i  (frame.control),
    .data_i     (frame.data),
    .plausible_i(frame.good || frame.misnamed != '0),
    .room_i     (1'b1),                                // a frame that finds none is a damaged one
    .id_i       (frame.id ^ frame.misnamed),
    .taken_i    (frame.control && frame.good),
    .asks_i     (1'b0),
    .sequence_i (1'b1),
    .answered_i (frame.answered),
    .deliver_o  (deliver),
    .kept_o     (kept),
    .awaited_o  (awaited),
    .err_o      (err),
    .ask_n_o    (ask_n),
    .wanted_o   (wanted),
    .fresh_o    (rx_fresh),
    .steady_o   (rx_steady)
  );
  tag_t delivered_q, kept_tag_q;
  always_ff @(posedge clk_i) if (arrived) kept_tag_q <= frame.tag;
  always_ff @(posedge clk_i) delivered_q <= rst_i ? '0 : delivered_q + TagWidth'(deliver);

  // ---- The peer's transmitter, as far as its frames concern this direction ----
  logic err_q, stop_seen_q, peer_stop_q, urgent_q, forced, control;
  logic [3:0] ask_n_q;
  id_t wanted_q;
  logic [1:0] since_q;
  up_t [Up-1:0] up_q;
  assign forced  = urgent_q || (since_q == '1 && (err_q || peer_stop_i != stop_seen_q));
  assign control = forced || peer_control_i;
  always_comb begin
    // Only a control frame can begin what does not follow from the frame before.
    assume (!(peer_jump_i || peer_over_i) || control);
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      {err_q, ask_n_q, wanted_q} <= '0;
      {stop_seen_q, peer_stop_q, since_q} <= '0;
      urgent_q <= 1'b1;
    end else begin
      err_q <= err;
      ask_n_q <= ask_n;
      wanted_q <= wanted;
      peer_stop_q <= peer_stop_i;
      if (arrived && frame.good && frame.control) stop_seen_q <= frame.stop_seen;
      urgent_q <= ask_n != ask_n_q || peer_stop_i != peer_stop_q;
      since_q  <= control ? '0 : since_q + 2'(since_q != '1);
    end
    for (int unsigned i = 0; i < Up; i++) begin
      up_q[i] <= rst_i ? '0 : i != 0 ? up_q[i-1] : '{
          good: !up_bad_i,
          control: control,
          jump: peer_jump_i,
          over: peer_over_i,
          ask: err_q,
          ask_n: ask_n_q,
          wanted: wanted_q,
          stop: peer_stop_i
      };
    end
  end

  // ---- The sender's receiver, as far as it judges how frames follow each other ----
  logic [2:0] run_q, steady_run_q;
  logic follows;
  assign arriving = up_q[Up-1];
  assign follows  = arriving.good && !arriving.jump;
  assign fresh    = run_q == 3'(SayPeriod);
  assign steady   = steady_run_q == 3'(SayPeriod);
  always_ff @(posedge clk_i) begin
    heard_q  <= !rst_i ? arriving : '0;
    fresh_q  <= fresh && !rst_i;
    steady_q <= steady && !rst_i;
    if (rst_i) begin
      run_q <= '0;
      steady_run_q <= '0;
    end else begin
      run_q <= (!follows || (arriving.control && arriving.ask)) ? '0 : run_q + 3'(!fresh);
      steady_run_q <= (!follows && !(arriving.good && arriving.over)) ? '0
                                                                     : steady_run_q + 3'(!steady);
    end
  end

  // ---- What is asserted ----
  logic judged;
  assign judged = Patience == 0 && started_q && !rst_i;
  id_t head, safe;
  assign head = u_tx.head_q;
  assign safe = u_tx.safe_q;
  always_comb begin
    if (judged) begin
      assert (!deliver || (kept ? kept_tag_q : frame.tag) == delivered_q);
      assert (delivered_q - safe_tag <= head_tag_q - safe_tag);
      assert (head_tag_q - delivered_q <= TagWidth'(K - 1));
      assert (!breach && !u_tx.doubtful_q);
    end
  end

  // ---- History: k clocks ago ----
  localparam int unsigned Heard = Up + SayPeriod + 2;  // of the receiver, as old as `fresh` can be
  localparam int unsigned Seen = Heard + Down + 32'(Delayed);
  localparam int unsigned Sent = (RoundTrip + 1 > Seen) ? RoundTrip + 1 : Seen;
  tag_t [ Sent:0] next_h;  // the sender's `next`
  tag_t [Heard:0] delivered_h;
  logic [Heard:0]
      kept_h, err_h, ask_h;  // the receiver keeps a frame, is in error; the peer sends an ask
  assign next_h[0] = next_tag;
  assign delivered_h[0] = delivered_q;
  assign kept_h[0] = kept;
  assign err_h[0] = err;
  assign ask_h[0] = control && err_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 1; k <= Sent; k++) next_h[k] <= rst_i ? '0 : next_h[k-1];
    for (int unsigned k = 1; k <= Heard; k++) begin
      delivered_h[k] <= rst_i ? '0 : delivered_h[k-1];
      kept_h[k] <= rst_i ? 1'b0 : kept_h[k-1];
      err_h[k] <= rst_i ? 1'b0 : err_h[k-1];
      ask_h[k] <= rst_i ? 1'b0 : ask_h[k-1];
    end
  end
  // The peer is in error and does not say so in this frame.
  logic [Heard-1:0] silent;
  always_comb begin
    for (int unsigned k = 0; k < Heard; k++) silent[k] = err_h[k+1] && !ask_h[k];
  end

  // ---- Asks in the order in which they come, the newest first, counted from the one last served
  // ----
  logic [Up+2:0][3:0] unserved;
  id_t [Up+2:0] place;
  logic [Down-1:0][3:0] unanswered;
  always_comb begin
    unserved[0] = ask_n - u_tx.served_q;
    place[0] = wanted;
    unserved[1] = ask_n_q - u_tx.served_q;
    place[1] = wanted_q;
    for (int unsigned i = 0; i < Up; i++) begin
      unserved[i+2] = up_q[i].ask_n - u_tx.served_q;
      place[i+2] = up_q[i].wanted;
    end
    unserved[Up+2] = heard_q.ask_n - u_tx.served_q;
    place[Up+2] = heard_q.wanted;
    for (int unsigned i = 0; i < Down; i++) unanswered[i] = ask_n - down_q[i].answered;
    assume (unserved[0] <= 4'(MaxAsks));
  end

  // ---- The peer's stop: for how long, what was delivered before, whether the sender has been told
  // ----
  localparam int unsigned AgeWidth = $clog2(Heard + 2);
  logic rises, told_q, told;
  logic [AgeWidth-1:0] stop_age_q, stop_age;
  tag_t stop_tag_q, stop_tag;
  assign rises    = peer_stop_i && !peer_stop_q;
  assign stop_age = rises ? '0 : stop_age_q;
  assign stop_tag = rises ? delivered_q : stop_tag_q;
  assign told     = told_q && !rises;
  always_ff @(posedge clk_i) begin
    stop_tag_q <= stop_tag;
    stop_age_q <= stop_age + AgeWidth'(stop_age != '1);
    told_q <= peer_stop_i && (told || (heard_valid && stop_age >= AgeWidth'(Up + 1)));
  end
  always_comb begin
    if (judged && peer_stop_i) begin
      assert (delivered_q - stop_tag <= TagWidth'(K - 1));
      // Invariants.
      assert (head_tag_q - stop_tag <= TagWidth'(K - 1));
      assert (told || stop_tag - safe_tag <= TagWidth'(K - 1));
      assert (!told || (u_tx.peer_stop_q && stop_age >= AgeWidth'(Up + 2)));
      assert (stop_age != AgeWidth'(1) || urgent_q);
      for (int unsigned k = 0; k <= Heard; k++) begin
        assert (stop_age != AgeWidth'(k) || stop_tag == delivered_h[k]);
      end
      for (int unsigned i = 0; i < Up; i++) begin
        assert (stop_age < AgeWidth'(i + 1) || up_q[i].stop);
        assert (stop_age != AgeWidth'(i + 2) || up_q[i].control);
      end
      assert (stop_age < AgeWidth'(Up + 1) || heard_q.stop);
      if (stop_age == AgeWidth'(Up + 2)) begin
        assert (heard_q.control);
        assert (told || heard_q.good || (steady_run_q == '0 && run_q == '0));
      end
      // A lost one: nothing is known until the round trip has been measured again.
      if (!told && stop_age == AgeWidth'(Up + 3)) assert (!steady_q && !fresh_q);
      if (!told && stop_age > AgeWidth'(Up + 3)) assert (!u_tx.steady_q || !round_trip_valid_q);
    end
  end

  // ---- Invariants ----
  always_comb begin
    if (judged) begin
      // Sender: its window, its buffer.
      assert (id_t'(head_tag_q) == head && id_t'(delivered_q + TagWidth'(kept)) == awaited);
      assert (next_tag - safe_tag <= head_tag_q - safe_tag);
      assert (u_tx.urgent_q || u_tx.next_q == head || kept_tag == next_tag);
      for (int unsigned a = 0; a < K; a++) begin
        if (IdWidth'(a) != head && id_t'(head - id_t'(a)) <= id_t'(head - safe)) begin
          assert (u_buffer.gen_lut.u_ram.mem[a] == head_tag_q - TagWidth'(id_t'(head - id_t'(a))));
        end
      end
      // Where the line stood, as far back as it has not jumped.
      for (int unsigned k = 0; k <= RoundTrip; k++) begin
        assert (!(u_tx.unbroken_q > IdWidth'(k)) || next_h[k] - next_h[k+1] <= TagWidth'(1));
      end
      for (int unsigned k = 1; k <= RoundTrip + 1; k++) begin
        if (u_tx.unbroken_q >= IdWidth'(k)) begin
          assert (next_h[k] - safe_tag <= head_tag_q - safe_tag);
          assert (u_tx.u_line.gen_lut.u_ram.mem[u_tx.now_q-IdWidth'(k)] == id_t'(next_h[k]));
        end
      end
      if (u_tx.unbroken_q > IdWidth'(RoundTrip) && u_tx.measured_q) begin
        assert (u_tx.line_then == id_t'(next_h[RoundTrip+1]));
      end
      // The line to the receiver.
      for (int unsigned i = 0; i < Down; i++) begin
        assert (age_q > 4'(i) || down_q[i] == '0);
        assert (down_q[i].tag == next_h[i+1] && id_t'(down_q[i].tag) == down_q[i].id);
        assert (down_q[i].head - down_q[i].tag <= TagWidth'(K - 1));
        assert (!down_q[i].was_data || down_q[i].head != down_q[i].tag);
        assert (!(down_q[i].good && down_q[i].data) || down_q[i].was_data);
        assert (!(down_q[i].good && down_q[i].control) || !down_q[i].was_data);
        assert (!down_q[i].good || down_q[i].data != down_q[i].control);
        assert ((i == 0 ? head_tag_q : down_q[i-1].head) - down_q[i].head <= TagWidth'(i != 0));
        // Only an answer lets it jump.
        if (down_q[i].answered == (i == 0 ? u_tx.served_q : down_q[i-1].answered)) begin
          assert (next_h[i] == next_h[i+1] + TagWidth'(down_q[i].was_data));
        end
        assert (unanswered[i] >= (i == 0 ? unserved[0] : unanswered[i-1]));
        assert (unanswered[i] <= 4'(MaxAsks + i + 1));
        assert (err || unanswered[i] == '0);
      end
      assert (frame.head - delivered_q <= TagWidth'(K - 1));
      // Asks.
      for (int unsigned i = 0; i <= Up + 2; i++) begin
        assert (unserved[i] <= (i == 0 ? 4'(MaxAsks) : unserved[i-1]));
        assert (unserved[i] == '0 || (err && place[i] == awaited));
        assert (unserved[i] == '0 || delivered_h[i] == delivered_q);
      end
      for (int unsigned i = 0; i < Up; i++) begin
        assert ((up_q[i].control && up_q[i].ask) == ask_h[i+1]);
      end
      // Without an error the receiver awaits what comes.
      assert (err || delivered_q + TagWidth'(kept) == next_h[Down]);
      // A kept frame is the last one that came.
      assert (!kept || (Delayed && !err && kept_tag_q == delivered_q));
      assert (err_q == err_h[1]);
      for (int unsigned k = 0; k <= Heard; k++) begin
        assert (err_h[k] || delivered_h[k] + TagWidth'(Delayed && kept_h[k]) == next_h[k+Down]);
        if (Delayed) assert (!kept_h[k] || delivered_h[k] == next_h[k+Down+1]);
        if (k < Heard) assert (delivered_h[k] - delivered_h[k+1] <= TagWidth'(1));
      end
      // An error is told in every fourth frame, and four frames that do not tell one say that there
      // is none.
      assert (!silent[1] || since_q >= 2'd1);
      assert (!(&silent[2:1]) || since_q >= 2'd2);
      assert (!(&silent[3:1]) || since_q == 2'd3);
      for (int unsigned k = 1; k + SayPeriod <= Heard; k++) assert (!(&silent[k+:SayPeriod]));
      assert (run_q <= 3'(SayPeriod));
      for (int unsigned j = 1; j <= SayPeriod; j++) begin
        assert (!(run_q >= 3'(j)) || !ask_h[Up+j]);
        assert (!fresh_q || !ask_h[Up+j+1]);
      end
    end
  end

  // ---- Progress ----
  if (Patience != 0) begin : gen_progress
    logic [2:0] untold_q;
    logic [$clog2(Patience+1)-1:0] idle_q;
    always_ff @(posedge clk_i) begin
      untold_q <= rst_i || control ? '0 : untold_q + 3'(untold_q != '1);
      idle_q   <= rst_i || !calm_i || deliver ? '0 : idle_q + 1'b1;
    end
    always_comb begin
      if (calm_i) begin
        assume (user_valid_i && measured_i && !own_err_i && !compensate_i);
        assume (!down_bad_i && !up_bad_i && !peer_stop_i && !peer_jump_i && !peer_over_i);
        assume (untold_q != '1 || control);
      end
      if (started_q && !rst_i) assert (32'(idle_q) < Patience);
    end
  end

  // Two incidents are served and over, and data go on.
  logic [1:0] incidents_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) incidents_q <= '0;
    else if (served) incidents_q <= incidents_q + 2'(incidents_q != '1);
  end
  always_comb cover (incidents_q >= 2'd2 && deliver && safe != '0 && !err);

  logic unused;
  assign unused = ^{decided, measure, rx_fresh, rx_steady};

endmodule
