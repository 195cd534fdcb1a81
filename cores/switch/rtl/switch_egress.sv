// SPDX-License-Identifier: Apache-2.0
//
// switch_egress: an output of the switch: end of the link, ledger of what is on it, its death.
//
// What      switch_link_tx behind the crossbar, switch_ledger beside it, and the clock that calls a
//           link dead which has not been open for DeadCycles. What waits for a dead link is taken
//           and discarded, and reported as lost.
// Contract  s_*: as in switch_link_tx, with Slack words behind s_ready_o. request_open_o[c]: a
//           packet of class c may be started here, even if 4 words that were started before are not
//           counted yet: there is room for the longest packet. peer_* and answer_i come from the
//           receiving end of the same link, lost_* go to its switch_notice.
// Clock     clk_i; rst_i synchronous to it
// Latency   1 cycle, s_beat_i to m_axis_tdata
//
// Parameters
//   VcWords, MaxWords   as in switch_link_rx; MaxWords + 4 at most VcWords
//   DeadCycles          1..2^31

module switch_egress
  import switch_pkg::*;
#(
  parameter int unsigned VcWords = 126,
  parameter int unsigned MaxWords = 64,
  parameter int unsigned DeadCycles = 65536
) (
  input logic clk_i,
  input logic rst_i,
  input logic link_up_i,

  input  logic                s_valid_i,
  output logic                s_ready_o,
  input  beat_t               s_beat_i,
  input  logic                s_mark_i,
  output logic  [Classes-1:0] request_open_o,

  output link_e state_o,
  output logic  dead_o,

  input logic    peer_valid_i,
  input peer_t   peer_i,
  input answer_t answer_i,

  output logic  output_lost_valid_o,
  input  logic  output_lost_ready_i,
  output lost_t output_lost_o,
  output logic  link_lost_valid_o,
  input  logic  link_lost_ready_i,
  output lost_t link_lost_o,

  output logic sent_o,   // pulse: a packet was begun
  output logic credit_o, // pulse: a word of credits was sent

  output word_t                 m_axis_tdata,
  output logic  [WordBytes-1:0] m_axis_tkeep,
  output logic                  m_axis_tlast,
  output logic                  m_axis_tvalid,
  input  logic                  m_axis_tready
);

  localparam int unsigned RoomSlack = 4;
  // From request_open_o to the first word at s_*, if s_ready_o is high; a word in the queue holds
  // the link, too.
  localparam int unsigned CrossCycles = 8;
  localparam int unsigned DeadWidth = $clog2(DeadCycles + 1);

  if (DeadCycles < 1) begin : gen_bad_dead
    $error("switch_egress %m: DeadCycles must be >= 1, got %0d", DeadCycles);
  end
  if (VcWords < MaxWords + RoomSlack) begin : gen_bad_vc_words
    $error(
        "switch_egress %m: VcWords must be >= MaxWords + %0d (%0d), got %0d",
        RoomSlack,
        MaxWords + RoomSlack,
        VcWords
    );
  end

  // ---- End of the link ----
  logic answered;
  limits_t room;
  link_e state;
  logic sent_valid, hold_q, lost_valid, lost_ready;
  lost_t sent, lost;
  assign state_o = state;
  assign sent_o  = sent_valid;
  switch_link_tx #(
    .VcWords(VcWords)
  ) u_tx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .link_up_i    (link_up_i),
    .s_valid_i    (s_valid_i),
    .s_ready_o    (s_ready_o),
    .s_beat_i     (s_beat_i),
    .s_mark_i     (s_mark_i),
    .room_o       (room),
    .state_o      (state),
    .peer_valid_i (peer_valid_i),
    .peer_i       (peer_i),
    .answered_o   (answered),
    .answer_i     (answer_i),
    .hold_i       (hold_q),
    .sent_valid_o (sent_valid),
    .sent_o       (sent),
    .lost_valid_o (lost_valid),
    .lost_o       (lost),
    .lost_ready_i (lost_ready),
    .credit_o     (credit_o),
    .m_axis_tdata (m_axis_tdata),
    .m_axis_tkeep (m_axis_tkeep),
    .m_axis_tlast (m_axis_tlast),
    .m_axis_tvalid(m_axis_tvalid),
    .m_axis_tready(m_axis_tready)
  );

  logic  dead_q;

  // What was discarded waits here until its notice is kept; meanwhile nothing more is discarded.
  logic  waits_q;
  lost_t waiting_q;
  assign lost_ready = !waits_q && !lost_valid;
  assign output_lost_valid_o = waits_q;
  assign output_lost_o = waiting_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) waits_q <= 1'b0;
    else if (lost_valid) waits_q <= 1'b1;
    else if (output_lost_ready_i) waits_q <= 1'b0;
    if (lost_valid) begin
      waiting_q <= lost;
      waiting_q.reason <= dead_q ? LostDead : LostLink;
    end
  end

  // ---- Dead ----
  logic [DeadWidth-1:0] closed_q;
  logic was_down_q;
  assign dead_o = dead_q;
  always_ff @(posedge clk_i) begin
    was_down_q <= state == LinkDown;
    dead_q <= 1'b0;
    if (rst_i || state == LinkOpen || (was_down_q && state == LinkHello)) closed_q <= '0;
    else if (closed_q != DeadWidth'(DeadCycles)) closed_q <= closed_q + 1'b1;
    else dead_q <= 1'b1;
  end

  // ---- Ledger: settled by the first credits that answer this session's hello, and by death ----
  // A word of credits that waited for RIFL when a session ended says what was known then.
  logic ledger_room, busy, settle, settled_q, due_q;
  logic [CrossCycles-1:0] coming_q;
  // A cycle late: a session that has just begun is not open before the third cycle.
  always_ff @(posedge clk_i) hold_q <= rst_i || busy || !settled_q || due_q || coming_q != '0;
  assign settle = due_q && !busy;
  switch_ledger u_ledger (
    .clk_i           (clk_i),
    .rst_i           (rst_i),
    .sent_valid_i    (sent_valid),
    .sent_i          (sent),
    .room_o          (ledger_room),
    .received_valid_i(answered && peer_i.credits),
    .received_i      (peer_i.received),
    .settle_i        (settle),
    .busy_o          (busy),
    .lost_valid_o    (link_lost_valid_o),
    .lost_ready_i    (link_lost_ready_i),
    .lost_o          (link_lost_o)
  );
  logic was_dead_q;
  always_ff @(posedge clk_i) begin
    was_dead_q <= dead_q;
    if (settle) due_q <= 1'b0;
    if (state == LinkDown) settled_q <= 1'b0;
    else if (answered && peer_i.credits && !settled_q) begin
      settled_q <= 1'b1;
      due_q <= 1'b1;
    end
    if (dead_q && !was_dead_q) due_q <= 1'b1;
    if (rst_i) begin
      settled_q <= 1'b0;
      due_q <= 1'b0;
      was_dead_q <= 1'b0;
    end
  end

  // ---- What may be started: with room, or by a dead link, for which it is discarded. A link that
  // is about to open waits until nothing more comes of what was started without room ----
  for (genvar c = 0; c < Classes; c++) begin : gen_class
    always_ff @(posedge clk_i) begin
      request_open_o[c] <= !rst_i && (state == LinkOpen
          ? ledger_room && room[c] >= limit_t'(MaxWords + RoomSlack) : dead_q && !settled_q);
    end
  end
  always_ff @(posedge clk_i) coming_q <= {coming_q[CrossCycles-2:0], |request_open_o};

endmodule
