// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_clear with two free clocks, each of which may stand still for ever, and resets of
// either side in any cycle, again and again. Of one reset of side a, chosen freely:
//   - a is held from the next edge on until both clears have had an edge since;
//   - b, once it is held for it, is not let go before that either;
// and at any time, of both sides:
//   - clear_o stands only while rst_o does; registers that the other side reads jump (the first
//     edge with clear_o after the side was not held) only while the other side is held;
//   - no state is stuck: while a side is held and no reset stands, an edge of one of the clocks
//     changes a register. The handshakes have no way back, so both sides go on at last.
// Side b's resets are covered by symmetry: both sides are the same module.

module prim_clear_proof (
  input logic a_clk_i,
  input logic a_rst_i,
  input logic b_clk_i,
  input logic b_rst_i,
  input logic mark_i
);

  logic a_rst, a_clear, b_rst, b_clear;

  prim_clear u_dut (
    .a_clk_i  (a_clk_i),
    .a_rst_i  (a_rst_i),
    .a_rst_o  (a_rst),
    .a_clear_o(a_clear),
    .b_clk_i  (b_clk_i),
    .b_rst_i  (b_rst_i),
    .b_rst_o  (b_rst),
    .b_clear_o(b_clear)
  );

  // The marked reset, and the clears since. A side is fresh while its registers are as cleared.
  logic marked_q = 1'b0;
  logic a_done_q = 1'b0;
  logic b_done_q = 1'b0;
  logic a_fresh_q = 1'b0;
  logic b_fresh_q = 1'b0;
  logic b_free_q = 1'b0;  // b was seen not held since the mark: the next time it is for that
  logic b_held_q = 1'b0;
  always_ff @(posedge a_clk_i) begin
    if (a_rst_i && mark_i) marked_q <= 1'b1;
    if (marked_q && a_clear) a_done_q <= 1'b1;
    a_fresh_q <= a_clear || (a_fresh_q && a_rst);
  end
  always_ff @(posedge b_clk_i) begin
    if (marked_q && b_clear) b_done_q <= 1'b1;
    b_fresh_q <= b_clear || (b_fresh_q && b_rst);
    if (marked_q && !b_rst) b_free_q <= 1'b1;
    b_held_q <= b_free_q && b_rst;
  end

  // Both handshakes as rings: request, synchroniser, acknowledge, synchroniser.
  logic [5:0] ab, ba;
  assign ab = {
    u_dut.u_a.req_q,
    u_dut.u_b.u_sync_req.chain_q[0],
    u_dut.u_b.u_sync_req.chain_q[1],
    u_dut.u_b.ack_q,
    u_dut.u_a.u_sync_ack.chain_q[0],
    u_dut.u_a.u_sync_ack.chain_q[1]
  };
  assign ba = {
    u_dut.u_b.req_q,
    u_dut.u_a.u_sync_req.chain_q[0],
    u_dut.u_a.u_sync_req.chain_q[1],
    u_dut.u_a.ack_q,
    u_dut.u_b.u_sync_ack.chain_q[0],
    u_dut.u_b.u_sync_ack.chain_q[1]
  };
  // At most one change is under way in a ring.
  function automatic logic single(input logic [5:0] ring);
    logic [4:0] changes;
    changes = ring[5:1] ^ ring[4:0];
    return (changes & (changes - 1'b1)) == '0;
  endfunction

  // What the next edge of a clock makes of the registers of its side.
  logic a_want, b_want, moves;
  assign a_want = u_dut.u_a.want_q;
  assign b_want = u_dut.u_b.want_q;
  assign moves = u_dut.u_a.req_d != ab[5] || u_dut.u_b.req_d != ba[5] ||
      ab[5:1] != ab[4:0] || ba[5:1] != ba[4:0] ||
      a_want && u_dut.u_a.req_d || b_want && u_dut.u_b.req_d ||
      a_clear != (ab[0] || ba[3]) || b_clear != (ba[0] || ab[3]) ||
      a_rst != (a_want || ab[5] || ab[0] || ba[3]) || b_rst != (b_want || ba[5] || ba[0] || ab[3]);

  logic pending;
  assign pending = marked_q && b_free_q && !(a_done_q && b_done_q);

  always_comb begin
    // The contract.
    assert (a_rst || !a_clear);
    assert (b_rst || !b_clear);
    assert (!marked_q || (a_done_q && b_done_q) || a_rst);
    assert (!b_held_q || b_rst || (a_done_q && b_done_q));
    assert (!a_clear || a_fresh_q || b_rst);
    assert (!b_clear || b_fresh_q || a_rst);
    assert (!(a_rst || b_rst) || a_rst_i || b_rst_i || moves);
    // Invariants: who takes part in a handshake is held, who acknowledges is in clear.
    assert (single(ab) && single(ba));
    assert (a_rst || !(a_want || ab[5] || ab[0]));
    assert (b_rst || !(b_want || ba[5] || ba[0]));
    assert (!ab[2] || b_clear);
    assert (!ba[2] || a_clear);
    assert (!a_want || !ab[5]);
    assert (!b_want || !ba[5]);
    // A request stands until its side is cleared.
    assert (!ab[0] || a_fresh_q || ab[5]);
    assert (!ba[0] || b_fresh_q || ba[5]);
    assert (!a_clear || a_fresh_q || (ab[0] && ab[5]) || ba[2]);
    assert (!b_clear || b_fresh_q || (ba[0] && ba[5]) || ab[2]);
    // The marked reset is still to be served.
    assert (marked_q || !(a_done_q || b_done_q || b_free_q || b_held_q));
    assert (!marked_q || a_done_q || a_want || ab[5]);
    assert (!marked_q || b_done_q || a_want || ab[5] || ab[2]);
    // A reset of b that comes between: before b's own handshake is over, a's request has arrived.
    if (pending) begin
      assert (!(a_want && ab[2]) || a_done_q);
      assert (!a_want || ab[2] || !(ba[4] && ab[1] || ba[3] && ab[0] || ba[2]));
      assert (!ba[1] || ab[4] || ab[3] || ab[2]);
      assert (!ba[0] || ab[3] || ab[2]);
      assert (!b_rst || b_want || ba[5] || ba[0] || ab[3] || ab[2]);
    end
  end

endmodule
