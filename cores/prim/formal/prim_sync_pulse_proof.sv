// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_sync_pulse with two free clocks: never more pulses out than accepted, never two in
// flight, and an accepted pulse is out after at most three dst_clk_i edges: none lost, none
// doubled.
//
// Both clocks are free inputs, so every interleaving of edges is covered (coinciding ones too).

module prim_sync_pulse_proof (
  input logic src_clk_i,
  input logic dst_clk_i,
  input logic src_rst_i,
  input logic dst_rst_i,
  input logic src_pulse_i
);

  logic busy;
  logic pulse;

  prim_sync_pulse u_dut (
    .src_clk_i  (src_clk_i),
    .src_rst_i  (src_rst_i),
    .src_pulse_i(src_pulse_i),
    .src_busy_o (busy),
    .dst_clk_i  (dst_clk_i),
    .dst_rst_i  (dst_rst_i),
    .dst_pulse_o(pulse)
  );

  // Reset contract: both sides together, until each clock has seen an edge; then released one
  // after the other, in any order.
  logic src_seen_q = 1'b0;
  logic dst_seen_q = 1'b0;
  always_ff @(posedge src_clk_i) src_seen_q <= 1'b1;
  always_ff @(posedge dst_clk_i) dst_seen_q <= 1'b1;
  logic ready;
  assign ready = src_seen_q && dst_seen_q;
  always_comb assume (ready || (src_rst_i && dst_rst_i));
  // Released once, for good. (The source waits for the destination, as a reset tree does.)
  logic src_run_q = 1'b0;
  logic dst_run_q = 1'b0;
  always_ff @(posedge src_clk_i) src_run_q <= !src_rst_i;
  always_ff @(posedge dst_clk_i) dst_run_q <= !dst_rst_i;
  always_comb assume (!(src_run_q && src_rst_i) && !(dst_run_q && dst_rst_i));

  logic [1:0] accepted_q = '0;
  logic [1:0] arrived_q = '0;
  logic [1:0] edges_q = '0;

  always_ff @(posedge src_clk_i) begin
    if (!src_rst_i && src_pulse_i && !busy) accepted_q <= accepted_q + 1'b1;
  end

  // edges_q: dst_clk_i edges out of reset that saw a pulse on its way.
  always_ff @(posedge dst_clk_i) begin
    if (!dst_rst_i && pulse) arrived_q <= arrived_q + 1'b1;
    if (dst_rst_i || accepted_q == arrived_q || pulse) edges_q <= '0;
    else edges_q <= edges_q + 1'b1;
  end

  logic sent;
  logic d0;
  logic d1;
  logic seen;
  logic a0;
  logic a1;
  assign sent = u_dut.src_toggle_q;
  assign d0   = u_dut.u_sync_dst.u_sync.chain_q[0];
  assign d1   = u_dut.u_sync_dst.u_sync.chain_q[1];
  assign seen = u_dut.dst_toggle_q;
  assign a0   = u_dut.u_sync_src.u_sync.chain_q[0];
  assign a1   = u_dut.u_sync_src.u_sync.chain_q[1];

  always_comb begin
    if (ready) begin
      // The contract.
      assert (accepted_q - arrived_q <= 2'd1);
      assert (!pulse || accepted_q != arrived_q);
      assert (edges_q <= 2'd2);
      // Not busy means the pulse is out.
      assert (busy || accepted_q == arrived_q);
      // Invariants: the toggle travels around the loop, one change at a time.
      assert (3'(sent != d0) + 3'(d0 != d1) + 3'(d1 != seen) + 3'(seen != a0) + 3'(a0 != a1)
              <= 3'd1);
      assert (accepted_q[0] == sent);
      assert (arrived_q[0] == seen);
      assert (edges_q == '0 || accepted_q != arrived_q);
      assert (edges_q < 2'd1 || d0 == sent);
      assert (edges_q < 2'd2 || d1 == sent);
    end
    // A side that has not run yet has sent and seen nothing.
    assert (ready || !(src_run_q || dst_run_q));
    assert (src_run_q || accepted_q == '0);
    assert (dst_run_q || (arrived_q == '0 && edges_q == '0));
    assert (src_run_q || !src_seen_q || {sent, a0, a1} == '0);
    assert (dst_run_q || !dst_seen_q || {d0, d1, seen} == '0);
  end

endmodule
