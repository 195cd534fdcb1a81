// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_arb_rr: one-hot, only requesters, work conserving, index matches, fairness: a
// standing request sees at most N-1 acknowledged grants of others. The watched requester is a free
// constant.

module prim_arb_rr_proof #(
  parameter int unsigned N = 5,
  localparam int unsigned IdxWidth = $clog2(N)
) (
  input logic         clk_i,
  input logic         rst_i,
  input logic [N-1:0] req_i,
  input logic         ack_i
);

  logic [N-1:0] gnt;
  logic [IdxWidth-1:0] gnt_idx;
  logic gnt_valid;

  prim_arb_rr #(
    .N(N)
  ) u_dut (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .req_i      (req_i),
    .ack_i      (ack_i),
    .gnt_o      (gnt),
    .gnt_idx_o  (gnt_idx),
    .gnt_valid_o(gnt_valid)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  // A register that only copies itself is a free constant (attributes for it are not read here).
  logic [IdxWidth-1:0] who_q;
  always_ff @(posedge clk_i) who_q <= who_q;
  always_comb assume (who_q < IdxWidth'(N - 1) || who_q == IdxWidth'(N - 1));

  // Acknowledged grants of others since the watched request stands.
  localparam int unsigned WaitWidth = $clog2(N + 2);
  logic [WaitWidth-1:0] wait_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || !req_i[who_q] || (gnt[who_q] && ack_i)) wait_q <= '0;
    else if (ack_i && gnt_valid) wait_q <= wait_q + 1'b1;
  end

  always_comb begin
    assert ((gnt & ~req_i) == '0);
    assert ((gnt & (gnt - 1'b1)) == '0);
    assert (gnt_valid == (req_i != '0));
    assert (gnt_valid == (gnt != '0));
    assert (!gnt_valid || gnt[gnt_idx]);
    assert (gnt_valid || gnt_idx == '0);
    if (started_q) assert (wait_q <= WaitWidth'(N - 1));
  end

  // Invariant: the search start has moved by at least the number of grants seen, and it has not
  // passed the watched requester. start is the lowest marked requester, N when none is marked.
  logic [N-1:0] behind;
  logic [WaitWidth-1:0] start;
  logic [WaitWidth-1:0] moved;
  assign behind = u_dut.behind_q;
  always_comb begin
    start = WaitWidth'(N);
    for (int i = N - 1; i >= 0; i--) begin
      if (behind[i]) start = WaitWidth'(i);
    end
    // Distance from behind the watched one to the start, around the circle.
    if (start > WaitWidth'(who_q)) moved = start - WaitWidth'(who_q) - 1'b1;
    else moved = start + WaitWidth'(N - 1) - WaitWidth'(who_q);
    if (started_q) begin
      // Thermometer: all requesters from the start upwards.
      assert ((~behind & (~behind + 1'b1)) == '0);
      assert (wait_q <= moved);
    end
  end

endmodule
