// SPDX-License-Identifier: Apache-2.0
//
// Proof of switch_link_tx: no packet goes out for which the peer has not said that it has memory,
// and the room that is shown is exactly what the peer has left.
//
// Sessions, resets, pauses of the link and what the peer says are free, and so is the user within
// its contract. Assumed of the peer: what it offers within a session never falls, and is never more
// than a memory of 2047 words beyond what was started.
//
// What was started in a session is all that goes out in it, because the queue is empty when a
// session opens and hands on in order (proofs of prim_fifo_sync).

module switch_link_tx_proof
  import switch_pkg::*;
#(
  parameter int unsigned VcWords  = 126,
  parameter int unsigned MaxWords = 64
) (
  input logic    clk_i,
  input logic    rst_i,
  input logic    link_up_i,
  input logic    s_valid_i,
  input word_t   s_data_i,
  input logic    s_aborted_i,
  input logic    s_mark_i,
  input logic    peer_valid_i,
  input peer_t   peer_i,
  input answer_t answer_i,
  input logic    hold_i,
  input logic    lost_ready_i,
  input logic    m_axis_tready
);

  localparam limit_t Most = limit_t'(2047);

  limits_t room;
  link_e   state;
  beat_t   beat;
  logic valid, ready, answered, sent_valid, lost_valid, credit;
  lost_t sent, lost;
  word_t data;
  logic [WordBytes-1:0] keep;
  logic last, out_valid;

  switch_link_tx #(
    .VcWords(VcWords)
  ) u_dut (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .link_up_i    (link_up_i),
    .s_valid_i    (valid),
    .s_ready_o    (ready),
    .s_beat_i     (beat),
    .s_mark_i     (s_mark_i),
    .room_o       (room),
    .state_o      (state),
    .peer_valid_i (peer_valid_i),
    .peer_i       (peer_i),
    .answered_o   (answered),
    .answer_i     (answer_i),
    .hold_i       (hold_i),
    .sent_valid_o (sent_valid),
    .sent_o       (sent),
    .lost_valid_o (lost_valid),
    .lost_o       (lost),
    .lost_ready_i (lost_ready_i),
    .credit_o     (credit),
    .m_axis_tdata (data),
    .m_axis_tkeep (keep),
    .m_axis_tlast (last),
    .m_axis_tvalid(out_valid),
    .m_axis_tready(m_axis_tready)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  // ---- The user: whole packets, begun in Open only with room, in other states at any time ----
  length_t rest_q, words;
  class_t cls;
  logic first, has_room;
  assign first = rest_q == '0;
  assign cls = s_data_i.header.cls;
  assign words = first ? s_data_i.header.words : rest_q;
  assign has_room = !first || state != LinkOpen || room[cls] >= limit_t'(words);
  assign valid = s_valid_i && !rst_i && u_dut.fifo_ready && has_room;
  assign beat = '{
          data: s_data_i,
          first: first,
          last: words == length_t'(1),
          aborted: s_aborted_i && words == length_t'(1)
      };
  always_comb assume (words >= length_t'(1) && words <= length_t'(MaxWords));
  always_ff @(posedge clk_i) begin
    if (rst_i) rest_q <= '0;
    else if (valid) rest_q <= words - 1'b1;
  end

  // ---- The peer ----
  logic heard_q;  // it has answered the hello of this session
  always_ff @(posedge clk_i) begin
    heard_q <= !rst_i && link_up_i && state != LinkDown && u_dut.state_d != LinkDown &&
        (heard_q || answered);
  end
  limits_t left, offer;
  logic was_rst_q;
  always_ff @(posedge clk_i) was_rst_q <= rst_i;
  for (genvar c = 0; c < Classes; c++) begin : gen_class
    assign left[c]  = u_dut.limit_q[c] - u_dut.count_q[c];
    assign offer[c] = peer_i.limits[c] - u_dut.count_q[c];
    always_comb begin
      assume (!answered || (offer[c] <= Most && (!heard_q || offer[c] >= left[c])));
      if (started_q && state == LinkOpen) begin
        assert (heard_q && left[c] <= Most);
        assert (room[c] == left[c]);
      end
      if (started_q && !was_rst_q && state != LinkOpen) assert (room[c] == '0);
      if (started_q && state == LinkHello) assert (u_dut.count_q[c] == '0);
      // What the module has heard is what is proved with.
      if (started_q && state == LinkHello && heard_q) assert (left[c] <= Most);
    end
  end

  // ---- A session begins with an empty queue, and only in a session packets go out ----
  logic was_open_q;
  always_ff @(posedge clk_i) begin
    was_open_q <= state == LinkOpen && !rst_i;
  end
  always_comb begin
    if (started_q) begin
      if (state == LinkHello && u_dut.heard_q) assert (heard_q);
      if (state == LinkOpen && !was_open_q) assert (u_dut.level == '0);
      if (sent_valid) assert (was_open_q);
      cover (state == LinkOpen && room[1] == '0 && sent_valid);
    end
  end

  logic unused;
  assign unused = ^{ready, sent, lost, lost_valid, credit, data, keep, last, out_valid};

endmodule
