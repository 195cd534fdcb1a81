// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_sync_setting with two free clocks, which may stand still for ever, and any reset of
// the source: the destination only takes a value that stood still since before its edge before and
// that cannot change at the edge, so it is whole; it is the one sent last; and when nothing is on
// its way the destination has what was sent last, so that a value that stays is never left out.

module prim_sync_setting_proof #(
  parameter int unsigned Width = 3
) (
  input logic             src_clk_i,
  input logic             src_rst_i,
  input logic             dst_clk_i,
  input logic [Width-1:0] src_value_i
);

  logic valid, changed;
  logic [Width-1:0] value;

  prim_sync_setting #(
    .Width    (Width),
    .InitValue('0)
  ) u_dut (
    .src_clk_i    (src_clk_i),
    .src_rst_i    (src_rst_i),
    .src_value_i  (src_value_i),
    .dst_clk_i    (dst_clk_i),
    .dst_valid_o  (valid),
    .dst_changed_o(changed),
    .dst_value_o  (value)
  );

  // What the edge before saw, how many values were sent and taken, and the edges that one waits.
  logic [Width-1:0] before_q;
  logic [1:0] sent_q = '0;
  logic [1:0] taken_q = '0;
  logic [1:0] edges_q = '0;
  logic idle, take;
  assign idle = u_dut.sent_q == u_dut.taken;
  assign take = u_dut.sent != u_dut.taken_q;

  always_ff @(posedge src_clk_i) begin
    if (!src_rst_i && idle && (!u_dut.any_q || src_value_i != u_dut.value_q))
      sent_q <= sent_q + 1'b1;
  end
  always_ff @(posedge dst_clk_i) begin
    before_q <= u_dut.value_q;
    if (take) taken_q <= taken_q + 1'b1;
    edges_q <= (sent_q == taken_q || take) ? '0 : edges_q + 1'b1;
  end

  logic [5:0] ring;
  assign ring = {
    u_dut.sent_q,
    u_dut.u_sync_sent.chain_q[0],
    u_dut.u_sync_sent.chain_q[1],
    u_dut.taken_q,
    u_dut.u_sync_taken.chain_q[0],
    u_dut.u_sync_taken.chain_q[1]
  };

  always_comb begin
    // The contract.
    if (take) assert (!idle && before_q == u_dut.value_q);
    assert (sent_q - taken_q <= 2'd1);
    assert (edges_q <= 2'd2);
    if (sent_q == taken_q && valid) assert (value == u_dut.value_q);
    assert (!idle || sent_q == taken_q);
    assert (!changed || valid);
    assert (valid || sent_q == '0 || sent_q != taken_q);
    if (!valid) assert (value == '0);
    // Invariants: the toggle travels around, one change at a time.
    assert (3'($countones(ring[5:1] ^ ring[4:0])) <= 3'd1);
    assert (sent_q[0] == ring[5] && taken_q[0] == ring[2]);
    assert (edges_q == '0 || sent_q != taken_q);
    assert (edges_q < 2'd1 || (ring[4] == ring[5] && before_q == u_dut.value_q));
    assert (edges_q < 2'd2 || ring[3] == ring[5]);
    assert (ring[3] == ring[2] || before_q == u_dut.value_q);
    assert (ring[4] == ring[3] || before_q == u_dut.value_q);
    assert (u_dut.any_q || ring == '0);
    assert (u_dut.any_q || (sent_q == '0 && taken_q == '0 && !valid));
    assert (valid || !u_dut.any_q || sent_q != taken_q);
  end

endmodule
