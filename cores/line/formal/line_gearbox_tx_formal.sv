// SPDX-License-Identifier: Apache-2.0
//
// Proof of line_gearbox_tx: every bit of every block is on the line, in its order, without anything
// between, when blocks come as its contract says.
//
// A bit of any block is picked, and followed by the number of bits that the line has to carry
// before it. As it may be any, what holds for it holds for all.

module line_gearbox_tx_formal
  import line_64b66b_pkg::*;
(
  input logic         clk_i,
  input block_t       data_i,
  input logic         pick_i,
  input logic   [6:0] bit_i
);

  localparam int unsigned Cycles = 33;  // of eight blocks
  localparam int unsigned Most = 80;  // bits that wait

  logic started_q = 1'b0;
  logic [5:0] phase_q = '0;
  logic begins;
  logic [2:0] place;
  logic [15:0] line;
  assign begins = phase_q[1:0] == '0 && phase_q != 6'd32;
  assign place  = phase_q[4:2];

  line_gearbox_tx u_dut (
    .clk_i,
    .rst_i    (!started_q),
    .s_valid_i(begins),
    .place_i  (place),
    .s_data_i (data_i),
    .data_o   (line)
  );

  logic held_q = 1'b0;
  logic value_q;
  logic [6:0] before_q, fill_q, rest;  // in front of the picked bit; all that wait
  assign rest = (fill_q > 7'd16) ? fill_q - 7'd16 : '0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      phase_q <= '0;
      fill_q  <= '0;
    end else begin
      phase_q <= (phase_q == 6'(Cycles - 1)) ? '0 : phase_q + 1'b1;
      fill_q  <= rest + (begins ? 7'd66 : '0);
      if (held_q) begin
        held_q   <= before_q >= 7'd16;
        before_q <= before_q - 7'd16;
      end else if (begins && pick_i && bit_i < 7'd66) begin
        held_q   <= 1'b1;
        value_q  <= data_i[bit_i];
        before_q <= rest + bit_i;
      end
    end
  end

  always_comb begin
    if (started_q) begin
      // A block begins where the one before has ended, at the place that it is said to have.
      if (begins) a_place : assert (rest == {3'd0, place, 1'b0});
      // The line is never without a bit of a block, once the first one has come.
      if (held_q && before_q < 7'd16) a_line : assert (line[before_q[3:0]] == value_q);
      // Why, for the induction.
      a_phase : assert (phase_q < 6'(Cycles));
      a_fill : assert (fill_q <= 7'(Most) && (u_dut.buffer_q >> fill_q) == '0);
      if (phase_q != '0) begin
        a_filled :
        assert (9'(fill_q) == 9'(66 * ((10'(phase_q) + 3) / 4)) - 9'(16 * (phase_q - 1)));
      end
      if (held_q) a_held : assert (before_q < fill_q && u_dut.buffer_q[before_q] == value_q);
    end
  end

endmodule
