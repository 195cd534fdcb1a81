// SPDX-License-Identifier: Apache-2.0
//
// Proof of rifl_round_trip: a result belongs to one undisturbed ping, and is exactly the way of the
// ping and nine frames.
//
// What: the peer's answer to a ping comes `way_i` frames behind the control frame that carried it,
// or later if that answer is lost. Another measurement may be asked for at any time (start_i), and
// the session may be left and met again: each may mean another cable, so the way may be another one
// in that very clock, and the answer to what is under way may come at any time. Control frames,
// announcements and questions come as they like.
// Asserted: whenever there is a result, no question came since its ping began, and it is the way of
// the ping as it was measured, with the nine frames added that the transmitter relies on
// (rifl_ext_tx_ctrl; the number stands here once more on purpose); it is not below the shortest
// way. A ping is never taken back while it is unanswered. By induction, for ever. Mutants that it
// refutes: cores/rifl/mutants.py, for instance a result that spans a question.

module rifl_round_trip_proof #(
  parameter int unsigned IdWidth = 6
) (
  input logic clk_i,
  input logic rst_i,
  input logic enable_i,
  input logic start_i,
  input logic sent_i,
  input logic pong_valid_i,
  input logic pong_i,
  input logic [IdWidth+1:0] way_i
);

  localparam int unsigned Added = 9;
  localparam int unsigned WayWidth = IdWidth + 2;
  // What its counter can hold, and the way that fills it.
  localparam int unsigned Most = (2 << IdWidth) - 1;
  localparam int unsigned Longest = Most + 1 - Added;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (rst_i == !started_q);

  logic ping, busy, valid, too_long;
  logic [IdWidth-1:0] frames;
  rifl_round_trip #(
    .IdWidth(IdWidth)
  ) u_dut (
    .clk_i       (clk_i),
    .rst_i       (rst_i),
    .enable_i    (enable_i),
    .start_i     (start_i),
    .sent_i      (sent_i),
    .pong_valid_i(pong_valid_i),
    .pong_i      (pong_i),
    .ping_o      (ping),
    .busy_o      (busy),
    .valid_o     (valid),
    .too_long_o  (too_long),
    .frames_o    (frames)
  );

  // ---- The cable: its length changes only together with a question ----
  logic question, busy_before_q, ping_before_q;
  logic [WayWidth-1:0] way_q;
  assign question = start_i || !enable_i;
  always_comb begin
    assume (way_i != '0);
    if (started_q && !question) assume (way_i == way_q);
  end

  // ---- The ping that is under way: frames since it went out; whether a question came since it
  // began ----
  logic out_q, spoilt_q;
  logic [WayWidth-1:0] age_q;
  logic answer;
  assign answer = pong_valid_i && pong_i == ping;
  always_comb begin
    // The answer of an undisturbed way.
    if (busy && out_q && !spoilt_q && !question && age_q < way_i) assume (!answer);
    // A ping that has not gone out is not answered.
    if (busy && !out_q) assume (!answer);
  end

  // ---- The last result ----
  logic fresh_q;
  logic [WayWidth-1:0] measured_q;
  always_ff @(posedge clk_i) begin
    way_q <= way_i;
    busy_before_q <= busy && !rst_i;
    ping_before_q <= ping;
    if (rst_i || !busy) begin
      out_q <= 1'b0;
      age_q <= '0;
      spoilt_q <= 1'b0;
    end else begin
      out_q <= out_q || sent_i;
      if (out_q || sent_i) age_q <= age_q + WayWidth'(age_q != '1);
      spoilt_q <= spoilt_q || question;
    end
    if (rst_i || question) fresh_q <= 1'b0;
    else if (busy && out_q && answer) begin
      fresh_q <= !spoilt_q;
      measured_q <= age_q;
    end
  end

  always_comb begin
    if (started_q && !rst_i) begin
      assert (!valid || fresh_q);
      assert (!valid || (WayWidth'(frames) == measured_q - 1'b1 + WayWidth'(Added) &&
                         measured_q >= way_q));
      assert (!busy_before_q || !busy || ping == ping_before_q);
      // Invariants.
      assert (!valid || !busy);
      assert (!busy || u_dut.sent_q == out_q);
      assert (busy || !u_dut.again_q);
      assert (!busy || u_dut.again_q == spoilt_q);
      assert (!busy || out_q == (age_q != '0));
      assert (!busy || !out_q || WayWidth'(u_dut.count_q) ==
              (age_q < WayWidth'(Longest) ? age_q - 1'b1 + WayWidth'(Added) : WayWidth'(Most)));
      assert (!fresh_q || measured_q >= way_q);
    end
  end

  logic unused;
  assign unused = too_long;

endmodule
