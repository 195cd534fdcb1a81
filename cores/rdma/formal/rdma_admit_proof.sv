// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_admit with rdma_contexts: what is known of a TID is what the last packet noted, or
// nothing.
//
// Packets of the network and of this node, windows, the engine and rdma_write do anything; a packet
// is offered, the same one, until it moves or is given up. One context is watched, any of them: the
// memory gives what was written there, and anything for all others. A packet is decided by what the
// last one with this context has noted, or as the first one: nothing that was noted is lost, and
// what was cleared does not come back, whenever the scan takes its steps. By induction, for runs of
// any length, with resets at any time.

module rdma_admit_proof
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  localparam int unsigned Senders = 2,
  localparam int unsigned Tick = 2048,
  localparam int unsigned ContextWidth = 1 + TidWidth,
  localparam type number_t = logic [ContextWidth-1:0]
) (
  input logic              clk_i,
  input logic              rst_i,
  input number_t           watched_i,
  input identity_t         identity_i,
  input logic       [15:0] forget_i,
  input logic              s_valid_i,
  input logic              s_judged_i,
  input judgement_t        s_judgement_i,
  input logic              s_early_i,
  input logic              s_comes_i,
  input logic              s_answers_i,
  input frame_t            s_answer_i,
  input arrival_t          s_packet_i,
  input logic              query_allowed_i,
  input logic              work_ready_i,
  input logic              cut_room_i,
  input logic              write_idle_i,
  input logic              write_refused_i,
  input logic              answer_ready_i,
  input logic              answer_refused_i
);

  logic ready_o, s_ready_o, work_valid_o, stopped_o, answer_valid_o;
  query_t  query_o;
  work_t   work_o;
  fate_t   fate_o;
  answer_t answer_o;
  events_t events_o;

  rdma_admit #(
    .Senders(Senders),
    .Tick   (Tick)
  ) u_dut (
    .*
  );

  logic started_q = 1'b0;
  number_t watched_q;
  arrival_t offered_q;
  logic offers_q, comes_q, was_judged_q;
  judgement_t judgement_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    watched_q <= watched_i;
    offered_q <= s_packet_i;
    was_judged_q <= s_judged_i;
    judgement_q <= s_judgement_i;
    comes_q <= s_comes_i && !rst_i;
    offers_q <= s_valid_i && !(s_judged_i && s_ready_o) && !stopped_o && !rst_i;
  end

  // The watched word, what was read of it, and what the last packet or a clearing wrote there.
  context_t word_q, read_q, last_q;
  logic reads, reads_q, writes, clears, notes;
  assign reads = (u_dut.u_contexts.read_i || u_dut.u_contexts.step)
      && u_dut.u_contexts.u_contexts.rd_addr_i == watched_i;
  assign writes = u_dut.u_contexts.u_contexts.wr_en_i
      && u_dut.u_contexts.u_contexts.wr_addr_i == watched_i;
  assign clears = u_dut.u_contexts.clear_i && u_dut.u_contexts.clear_q == watched_i;
  assign notes = u_dut.write && u_dut.carried_number == watched_i;
  logic wrote_q;  // other than by the scan
  always_ff @(posedge clk_i) begin
    reads_q <= reads;
    wrote_q <= clears || notes;
    if (reads) read_q <= word_q;
    if (writes) word_q <= u_dut.u_contexts.u_contexts.wr_data_i;
    if (clears) last_q <= '0;
    else if (notes) last_q <= u_dut.decision_q.after;
  end

  // It has been cleared since rst_i.
  logic clear;
  assign clear = !u_dut.u_contexts.clear_all_q || u_dut.u_contexts.clear_q > watched_i;

  always_comb begin
    assume (started_q || rst_i);
    if (started_q) begin
      assume (watched_i == watched_q);
      assume (!offers_q || (s_valid_i && s_packet_i == offered_q));
      assume (!offers_q || !was_judged_q || (s_judged_i && s_judgement_i == judgement_q));
      assume (!reads_q || u_dut.stored == read_q);
      // rdma_own: it is judged a cycle behind its last word; an answer has none.
      assume (!s_comes_i || (s_valid_i && !s_judged_i && s_packet_i.own));
      assume (!comes_q || (s_valid_i && s_judged_i && s_judgement_i.good));
      assume (!s_answers_i || (s_valid_i && s_judged_i));
    end
  end

  // Of state_e.
  localparam logic [3:0] Clear = 4'd0;
  localparam logic [3:0] Named = 4'd2;
  localparam logic [3:0] Wait = 4'd3;
  localparam logic [3:0] Decide = 4'd4;
  localparam logic [3:0] Work = 4'd8;
  localparam logic [3:0] Gone = 4'd9;
  logic [3:0] state;
  assign state = 4'(u_dut.state_q);

  // What is known of it is as it was noted, or nothing: the scan takes marks away, and forgets.
  function automatic logic is_last(input context_t found);
    context_t marked;
    marked = found;
    marked.fresh = last_q.fresh;
    return !found.valid || marked == last_q;
  endfunction

  logic mine, next, word_good, read_good, own_good, written_good;
  assign mine = u_dut.number == watched_i;
  assign next = u_dut.coming_number == watched_i;
  assign word_good = is_last(word_q);
  assign read_good = is_last(read_q);
  assign own_good = is_last(u_dut.own_q);
  assign written_good = is_last(u_dut.decision_q.after);

  always_comb begin
    if (started_q && !rst_i) begin
      if (state == Decide && mine && !u_dut.is_answer) assert (own_good);
      // Invariants.
      if (u_dut.holds_q) assert (state inside {Work, Gone});
      if (state == Gone) assert (comes_q);
      if (u_dut.looked_q || u_dut.ahead_q) assert (u_dut.judged_q && u_dut.plain);
      if (state inside {Named, Wait}) assert (!u_dut.is_answer);
      if (u_dut.judged_q && (state inside {Named, Wait, Decide} || u_dut.ahead_q)) begin
        assert (!u_dut.epoch_first_q && !u_dut.epoch_newer_q);
      end
      if (u_dut.u_contexts.clear_all_q) assert (state == Clear && !u_dut.u_contexts.step_write_q);
      if (clear) assert (word_good);
      if (reads_q && !wrote_q) assert (read_good || state == Clear);
      if (u_dut.u_contexts.step_write_q) begin
        assert (reads_q == (u_dut.u_contexts.step_q == watched_i) && !wrote_q);
      end
      if (state == Named) begin
        assert (reads_q == mine);
        if (mine) assert (u_dut.written_q == wrote_q && (!wrote_q || written_good));
      end
      if (state == Wait && mine) assert (own_good);
      if (u_dut.looked_q) begin
        assert (state == Decide && offers_q && u_dut.number != u_dut.coming_number);
        assert (reads_q == next);
        if (next) assert (u_dut.written_q == wrote_q && (!wrote_q || written_good));
      end
      if (u_dut.ahead_q) begin
        assert (state == Work && u_dut.carried_number != u_dut.number);
        if (mine) assert (own_good);
      end
    end
  end

endmodule
