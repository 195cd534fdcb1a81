// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_gray: counts events in one clock domain, shows the count in another.
//
// What      A counter modulo 2^Width in the src domain, kept as a Gray-coded register, two
//           flip-flops per bit into the dst domain, converted back to binary there.
// Why       Only one bit changes per step, so a sample taken at any moment is the old or the new
//           count, never a mixture.
// Contract  src_inc_i = 1 on a src_clk_i edge counts one. dst_count_o never runs ahead of the src
//           counter; it follows in steps that may be larger than one when src_clk_i is faster, so
//           differences are meaningful while they stay below 2^Width per dst_clk_i cycle.
//           constraints/ keep the Gray bus to a skew below one src_clk_i period.
// Resets    One prim_clear resets both sides, a being the src side: src_rst_i is its a_clear_o,
//           dst_rst_i its b_rst_o; then dst_count_o goes from any count to zero while dst_rst_i
//           stands. If the src side alone is reset, the count read jumps, in several bits at
//           once; if the dst side alone, it goes to zero and jumps back. Where only changes of the
//           count matter neither side needs a reset (0): registers start with 0.
// Latency   2 (3) dst_clk_i edges. dst_count_o is an XOR of flip-flops (Width-1 deep chain, one
//           look-up table for Width <= 6), not a register itself.
//
// Parameters
//   Width   bits of the counter, >= 2

module prim_sync_gray #(
  parameter int unsigned Width = 4
) (
  input  logic             src_clk_i,
  input  logic             src_rst_i,
  input  logic             src_inc_i,
  input  logic             dst_clk_i,
  input  logic             dst_rst_i,
  output logic [Width-1:0] dst_count_o
);

  if (Width < 2) begin : gen_bad_width
    $error("prim_sync_gray %m: Width must be >= 2, got %0d", Width);
  end

  logic [Width-1:0] src_count_q;
  logic [Width-1:0] src_count_d;
  logic [Width-1:0] src_gray_q;
  logic [Width-1:0] dst_gray;

  initial {src_count_q, src_gray_q} = '0;

  assign src_count_d = src_count_q + 1'b1;

  always_ff @(posedge src_clk_i) begin
    if (src_rst_i) begin
      src_count_q <= '0;
      src_gray_q  <= '0;
    end else if (src_inc_i) begin
      src_count_q <= src_count_d;
      src_gray_q  <= src_count_d ^ (src_count_d >> 1);
    end
  end

  prim_sync_flop #(
    .Width(Width)
  ) u_sync (
    .clk_i(dst_clk_i),
    .rst_i(dst_rst_i),
    .d_i  (src_gray_q),
    .q_o  (dst_gray)
  );

  // Binary bit i is the parity of the Gray bits i and above.
  for (genvar i = 0; i < Width; i++) begin : gen_binary
    assign dst_count_o[i] = ^dst_gray[Width-1:i];
  end

endmodule
