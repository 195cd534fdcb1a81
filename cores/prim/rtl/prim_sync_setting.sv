// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_setting: a value of several bits that seldom changes, in another clock.
//
// What      A copy of src_value_i goes over by a toggle handshake whenever it differs from the one
//           that went before.
// Why       Bits that belong together, each through its own synchroniser, arrive in different
//           cycles.
// Contract  dst_value_o only takes values that src_value_i had on a src_clk_i edge, whole and in
//           order; values that stand shorter than a transfer takes may be left out, the last never.
//           It is InitValue until the first one has come; dst_valid_o is 1 from then on.
//           dst_changed_o is 1 in the first cycle of each value that has come.
// Clocks and resets
//           src_rst_i is the reset of the register in front, synchronous to src_clk_i. While it is
//           1 no value leaves, because the register may show anything; what it was reset to
//           crosses afterwards. It clears nothing here: a toggle that only one side forgets would
//           mean a value that was never sent.
//           dst_value_o is what it was while the clock of the source stands still. Registers start
//           with 0.
// Latency   dst_value_o: 1 src_clk_i edge and 3 (4) dst_clk_i edges. The next value leaves 2 (3)
//           src_clk_i edges after that.
// Crossing  value_q stands still while dst_value_o takes it: constraints/ keep its delay to one
//           dst_clk_i period.
//
// Parameters
//   Width      bits, >= 1
//   InitValue  dst_value_o before the first value

module prim_sync_setting #(
  parameter int unsigned Width = 8,
  parameter logic [Width-1:0] InitValue = '0
) (
  input  logic             src_clk_i,
  input  logic             src_rst_i,
  input  logic [Width-1:0] src_value_i,
  input  logic             dst_clk_i,
  output logic             dst_valid_o,
  output logic             dst_changed_o,
  output logic [Width-1:0] dst_value_o
);

  if (Width < 1) begin : gen_bad_width
    $error("prim_sync_setting %m: Width must be >= 1, got %0d", Width);
  end

  // Toggles: sent, and taken, at each side.
  logic sent_q, taken_q, sent, taken;
  logic any_q;  // something was sent
  logic valid_q, changed_q;
  logic [Width-1:0] value_q, dst_value_q;

  initial begin
    {sent_q, taken_q, any_q, valid_q, changed_q} = '0;
    dst_value_q = InitValue;
  end

  always_ff @(posedge src_clk_i) begin
    if (!src_rst_i && sent_q == taken && (!any_q || src_value_i != value_q)) begin
      any_q   <= 1'b1;
      sent_q  <= !sent_q;
      value_q <= src_value_i;
    end
  end

  prim_sync_flop u_sync_taken (
    .clk_i(src_clk_i),
    .rst_i(1'b0),
    .d_i  (taken_q),
    .q_o  (taken)
  );

  prim_sync_flop u_sync_sent (
    .clk_i(dst_clk_i),
    .rst_i(1'b0),
    .d_i  (sent_q),
    .q_o  (sent)
  );

  always_ff @(posedge dst_clk_i) begin
    changed_q <= sent != taken_q;
    if (sent != taken_q) begin
      taken_q     <= sent;
      valid_q     <= 1'b1;
      dst_value_q <= value_q;
    end
  end

  assign dst_valid_o   = valid_q;
  assign dst_changed_o = changed_q;
  assign dst_value_o   = dst_value_q;

endmodule
