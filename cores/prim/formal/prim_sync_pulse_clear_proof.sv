// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_sync_pulse fed by a prim_clear, with free clocks that may stand still for ever, and
// resets of either side in any cycle, again and again: no more pulses come out than were accepted
// since the last clear, so none that was accepted before a reset and none that never was; and an
// accepted one is out after at most three dst_clk_i edges of a side that is not held.

module prim_sync_pulse_clear_proof (
  input logic src_clk_i,
  input logic dst_clk_i,
  input logic src_rst_i,
  input logic dst_rst_i,
  input logic src_pulse_i
);

  logic src_rst, src_clear, dst_rst, dst_clear, busy, pulse;

  prim_clear u_clear (
    .a_clk_i  (src_clk_i),
    .a_rst_i  (src_rst_i),
    .a_rst_o  (src_rst),
    .a_clear_o(src_clear),
    .b_clk_i  (dst_clk_i),
    .b_rst_i  (dst_rst_i),
    .b_rst_o  (dst_rst),
    .b_clear_o(dst_clear)
  );

  prim_sync_pulse u_dut (
    .src_clk_i  (src_clk_i),
    .src_rst_i  (src_clear),
    .src_pulse_i(src_pulse_i),
    .src_busy_o (busy),
    .dst_clk_i  (dst_clk_i),
    .dst_rst_i  (dst_rst),
    .dst_pulse_o(pulse)
  );

  // The logic of the source is held: an edge in its reset ends what it gave.
  logic src_was_q = 1'b1;
  always_ff @(posedge src_clk_i) src_was_q <= src_rst;
  always_comb assume (!(src_rst && src_was_q) || !src_pulse_i);

  logic cleared, src_zero, dst_zero, live;
  prim_clear_phase u_phase (
    .s_clk_i(src_clk_i),
    .s_rst_i(src_rst),
    .s_clear_i(src_clear),
    .s_want_i(u_clear.u_a.want_q),
    .m_clk_i(dst_clk_i),
    .m_rst_i(dst_rst),
    .m_clear_i(dst_clear),
    .m_want_i(u_clear.u_b.want_q),
    .m_begin_i(dst_rst_i),
    .sm_i({
      u_clear.u_a.req_q,
      u_clear.u_b.u_sync_req.chain_q[0],
      u_clear.u_b.u_sync_req.chain_q[1],
      u_clear.u_b.ack_q,
      u_clear.u_a.u_sync_ack.chain_q[0],
      u_clear.u_a.u_sync_ack.chain_q[1]
    }),
    .ms_i({
      u_clear.u_b.req_q,
      u_clear.u_a.u_sync_req.chain_q[0],
      u_clear.u_a.u_sync_req.chain_q[1],
      u_clear.u_a.ack_q,
      u_clear.u_b.u_sync_ack.chain_q[0],
      u_clear.u_b.u_sync_ack.chain_q[1]
    }),
    .cleared_o(cleared),
    .s_zero_o(src_zero),
    .m_zero_o(dst_zero),
    .live_o(live)
  );

  // Counts since the clear of their side; edges_q: edges that saw a pulse on its way.
  logic [1:0] accepted_q, arrived_q, edges_q;
  always_ff @(posedge src_clk_i) begin
    if (src_clear) accepted_q <= '0;
    else if (src_pulse_i && !busy) accepted_q <= accepted_q + 1'b1;
  end
  always_ff @(posedge dst_clk_i) begin
    if (dst_rst) arrived_q <= '0;
    else if (pulse) arrived_q <= arrived_q + 1'b1;
    if (dst_rst || accepted_q == arrived_q || pulse) edges_q <= '0;
    else edges_q <= edges_q + 1'b1;
  end

  // The toggle on its way around: source, destination, and back.
  logic [5:0] ring;
  assign ring = {
    u_dut.src_toggle_q,
    u_dut.u_sync_dst.u_sync.chain_q[0],
    u_dut.u_sync_dst.u_sync.chain_q[1],
    u_dut.dst_toggle_q,
    u_dut.u_sync_src.u_sync.chain_q[0],
    u_dut.u_sync_src.u_sync.chain_q[1]
  };

  always_comb begin
    // The contract, while the destination is not held.
    if (!dst_rst) begin
      assert (accepted_q - arrived_q <= 2'd1);
      assert (!pulse || accepted_q != arrived_q);
      assert (edges_q <= 2'd2);
      assert (busy || accepted_q == arrived_q);
    end
    // Registers of a side that has been cleared.
    if (src_zero) assert (src_was_q && !ring[5] && accepted_q == '0);
    if (dst_rst && dst_zero) assert (ring[4:2] == '0 && arrived_q == '0 && edges_q == '0);
    if (u_phase.s_was_q) assert (ring[1:0] == '0);
    if (live && src_zero) assert (ring == '0 && arrived_q == '0 && edges_q == '0);
    // From the clear on at most one change is under way.
    if (live) begin
      assert (3'($countones(ring[5:1] ^ ring[4:0])) <= 3'd1);
      assert (accepted_q - arrived_q <= 2'd1);
      assert (accepted_q[0] == ring[5] && arrived_q[0] == ring[2]);
      assert (edges_q <= 2'd2 && (edges_q == '0 || accepted_q != arrived_q));
      assert (edges_q < 2'd1 || ring[4] == ring[5]);
      assert (edges_q < 2'd2 || ring[3] == ring[5]);
    end
  end

endmodule
