// SPDX-License-Identifier: Apache-2.0
//
// prim_clear_phase: what the proofs of crossings fed by a prim_clear say of it. Side s sends and is
// cleared by s_clear_i, side m receives and is cleared by m_rst_o, as prim_clear demands.
//
//   cleared_o   s has been cleared since the hold of m began (or m is not held)
//   s_zero_o    s is as its clear has left it
//   m_zero_o    m is as its hold has left it
//   live_o      the invariants of the crossing hold: s was cleared for the last hold of m, and the
//               first edge of that hold has been
//
// Its assertions are the invariants that an induction over the crossing needs; prim_clear_proof
// has those of prim_clear alone.

module prim_clear_phase (
  input  logic       s_clk_i,
  input  logic       s_rst_i,    // what prim_clear makes of it: x_rst_o
  input  logic       s_clear_i,
  input  logic       s_want_i,
  input  logic       m_clk_i,
  input  logic       m_rst_i,
  input  logic       m_clear_i,
  input  logic       m_want_i,
  input  logic       m_begin_i,  // x_rst_i of m
  // The handshakes as rings: request, synchroniser, acknowledge, synchroniser.
  input  logic [5:0] sm_i,
  input  logic [5:0] ms_i,
  output logic       cleared_o,
  output logic       s_zero_o,
  output logic       m_zero_o,
  output logic       live_o
);

  // At most one change is under way in a ring.
  function automatic logic single(input logic [5:0] ring);
    logic [4:0] changes;
    changes = ring[5:1] ^ ring[4:0];
    return (changes & (changes - 1'b1)) == '0;
  endfunction

  // m_turn_q changes with each hold of m; s_turn_q follows when s is cleared for that.
  logic m_turn_q = 1'b1;
  logic s_turn_q = 1'b0;
  logic m_zero_q = 1'b0;
  logic s_zero_q = 1'b0;
  logic s_was_q = 1'b0;
  always_ff @(posedge m_clk_i) begin
    if (!m_rst_i && (m_begin_i || sm_i[3])) m_turn_q <= !m_turn_q;
    m_zero_q <= m_rst_i;
  end
  always_ff @(posedge s_clk_i) begin
    if (s_clear_i && (ms_i[2] || (sm_i[0] && sm_i[2]))) s_turn_q <= m_turn_q;
    s_was_q  <= s_clear_i;
    s_zero_q <= s_clear_i || (s_zero_q && s_rst_i);
  end

  assign cleared_o = s_turn_q == m_turn_q;
  assign s_zero_o = s_zero_q;
  assign m_zero_o = m_zero_q;
  assign live_o = cleared_o && (m_zero_q || !m_rst_i);

  always_comb begin
    assert (single(sm_i) && single(ms_i));
    // Who takes part in a handshake is held, who acknowledges is in clear.
    assert (s_rst_i || !(s_want_i || sm_i[5] || sm_i[0] || s_clear_i));
    assert (m_rst_i || !(m_want_i || ms_i[5] || ms_i[0] || m_clear_i));
    assert (!sm_i[2] || m_clear_i);
    assert (!ms_i[2] || s_clear_i);
    assert (!(s_want_i && sm_i[5]) && !(m_want_i && ms_i[5]));
    // A clear begins only while the other side is held, and lasts until it has had an edge.
    assert (!sm_i[0] || s_zero_q || sm_i[5]);
    assert (!s_clear_i || s_zero_q || (sm_i[0] && sm_i[5]) || ms_i[2]);
    assert (!s_clear_i || s_zero_q || m_rst_i);
    assert (!s_was_q || s_zero_q);
    // A hold of m lasts until s has been cleared for it.
    if (!cleared_o) begin
      assert (m_rst_i);
      assert (m_want_i || ms_i[5] || (ms_i[2] && s_clear_i) || (sm_i[5] && sm_i[3]));
    end
    // In its first cycle no handshake of m has got far, and s stays in clear.
    if (m_rst_i && !m_zero_q) begin
      assert (!m_want_i && !ms_i[0] && (ms_i[5] || ms_i == '0));
      if (cleared_o) begin
        assert (s_clear_i && s_was_q);
        assert ((ms_i[3] && ms_i[5]) || (sm_i[0] && sm_i[2]));
      end
    end
  end

endmodule
