// SPDX-License-Identifier: Apache-2.0
//
// Proof of line_gearbox_rx: every bit of the line leaves in a block, once, in its order, but for
// one bit for each slip, whenever slips come; blocks are at least four cycles apart.
//
// A bit of any word is picked, and followed by the number of bits in front of it. As it may be any,
// what holds for it holds for all: it leaves in the block that takes this number, at this place.

module line_gearbox_rx_formal
  import line_64b66b_pkg::*;
(
  input logic        clk_i,
  input logic [15:0] data_i,
  input logic        slip_i,
  input logic        pick_i,
  input logic [ 3:0] bit_i
);

  localparam int unsigned Most = 66 + 15;

  logic   started_q = 1'b0;
  logic   valid;
  block_t block;
  line_gearbox_rx u_dut (
    .clk_i,
    .rst_i    (!started_q),
    .data_i,
    .slip_i,
    .m_valid_o(valid),
    .m_data_o (block)
  );

  // ---- The picked bit, and how many of those in front of it have not left ----
  logic held_q = 1'b0;
  logic value_q, cuts, drops;
  logic signed [8:0] ahead_q, ahead, taken;
  assign cuts  = u_dut.count_q >= 7'd66;
  assign taken = 9'(slip_i) + (cuts ? 9'sd66 : 9'sd0);
  assign ahead = held_q ? ahead_q : 9'(u_dut.count_q) + 9'(bit_i);
  // The slipped bit is the first one behind the block, if there is one.
  assign drops = slip_i && ahead == (cuts ? 9'sd66 : 9'sd0);

  // ---- Where it has to be in the next cycle ----
  logic out_q = 1'b0;
  logic [6:0] place_q;
  logic [1:0] since_q = '0;  // cycles without a block, up to three
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    out_q     <= 1'b0;
    since_q   <= valid ? '0 : since_q + 2'(since_q != '1);
    if (started_q && (held_q || pick_i)) begin
      if (!held_q) value_q <= data_i[bit_i];
      held_q  <= !(cuts && ahead < 9'sd66) && !drops;
      ahead_q <= ahead - taken;
      out_q   <= cuts && ahead < 9'sd66;
      place_q <= 7'(ahead);
    end
  end

  always_comb begin
    if (out_q) a_leaves : assert (valid && block[place_q] == value_q);
    if (valid && started_q) a_apart : assert (since_q == '1);
    // Why, for the induction.
    if (started_q) begin
      a_count : assert (u_dut.count_q <= 7'(Most));
      if (held_q) begin
        a_before : assert (ahead_q >= 0 && ahead_q < 9'(u_dut.count_q));
        a_where : assert (u_dut.buffer_q[7'(Most)-u_dut.count_q+7'(ahead_q)] == value_q);
      end
    end
  end

endmodule
