// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_sync_gray with two free clocks: the register that crosses changes by one bit at a
// time, and the value read is the source count as it was two dst_clk_i edges before: it never runs
// ahead and is never a mixture. The shadow counters are wider than the counter, so that its
// wrap-around is covered.

module prim_sync_gray_proof #(
  parameter int unsigned Width = 3
) (
  input logic src_clk_i,
  input logic dst_clk_i,
  input logic src_rst_i,
  input logic dst_rst_i,
  input logic src_inc_i
);

  logic [Width-1:0] count;

  prim_sync_gray #(
    .Width(Width)
  ) u_dut (
    .src_clk_i  (src_clk_i),
    .src_rst_i  (src_rst_i),
    .src_inc_i  (src_inc_i),
    .dst_clk_i  (dst_clk_i),
    .dst_rst_i  (dst_rst_i),
    .dst_count_o(count)
  );

  logic src_seen_q = 1'b0;
  logic dst_seen_q = 1'b0;
  always_ff @(posedge src_clk_i) src_seen_q <= 1'b1;
  always_ff @(posedge dst_clk_i) dst_seen_q <= 1'b1;
  logic ready;
  assign ready = src_seen_q && dst_seen_q;
  always_comb assume (ready || (src_rst_i && dst_rst_i));
  logic src_run_q = 1'b0;
  logic dst_run_q = 1'b0;
  always_ff @(posedge src_clk_i) src_run_q <= !src_rst_i;
  always_ff @(posedge dst_clk_i) dst_run_q <= !dst_rst_i;
  always_comb assume (!(src_run_q && src_rst_i) && !(dst_run_q && dst_rst_i));

  localparam int unsigned Wide = Width + 3;
  logic [ Wide-1:0] total_q = '0;
  logic [ Wide-1:0] sampled_q = '0;
  logic [ Wide-1:0] shown_q = '0;
  logic [Width-1:0] gray_before_q;

  always_ff @(posedge src_clk_i) begin
    gray_before_q <= src_rst_i ? '0 : u_dut.src_gray_q;
    if (!src_rst_i && src_inc_i) total_q <= total_q + 1'b1;
  end

  always_ff @(posedge dst_clk_i) begin
    if (!dst_rst_i) begin
      sampled_q <= total_q;
      shown_q   <= sampled_q;
    end
  end

  logic [Width-1:0] changed;
  assign changed = gray_before_q ^ u_dut.src_gray_q;

  always_comb begin
    if (ready) begin
      assert (count == shown_q[Width-1:0]);
      if (src_run_q) assert ((changed & (changed - 1'b1)) == '0);
    end
    // Invariants: each register is the Gray code of its shadow, zero until its side has run.
    assert (src_run_q || total_q == '0);
    assert (dst_run_q || (sampled_q == '0 && shown_q == '0));
    assert (ready || !(src_run_q || dst_run_q));
    if (src_seen_q) begin
      assert (u_dut.src_count_q == total_q[Width-1:0]);
      assert (u_dut.src_gray_q == (total_q[Width-1:0] ^ (total_q[Width-1:0] >> 1)));
    end
    if (dst_seen_q) begin
      assert (u_dut.u_sync.chain_q[0] == (sampled_q[Width-1:0] ^ (sampled_q[Width-1:0] >> 1)));
      assert (u_dut.u_sync.chain_q[1] == (shown_q[Width-1:0] ^ (shown_q[Width-1:0] >> 1)));
    end
  end

endmodule
