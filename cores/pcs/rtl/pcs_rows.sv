// SPDX-License-Identifier: Apache-2.0
//
// pcs_rows: from words of CGMII to rows of blocks, a block of each PCS lane.
//
// What      Blocks are encoded, put in order, scrambled and dealt out to the lanes, a row after the
//           other; every Period rows one of markers, with the parity of each lane since the last
//           one. Eight rows are 33 cycles.
// Contract  A word is taken in each cycle with cgmii_ready_o: 160 blocks in 33 cycles, less the
//           rows of markers. There has to be one, as the MAC has. Block 0 of a word and byte 0 of a
//           block are first. valid_o: a row, 0, 4, 8, .. 28 cycles after the first one of eight,
//           and so on every 33 cycles; place_o: which of the eight it is; marker_o: it is one of
//           markers, as the first row of all is.
// Rate      The source is held for the time of markers, so that nothing is deleted: its gaps stay
//           as they are.
// Parameters
//   Blocks  of a word, 5 or 8
//   Period  rows from markers to markers, 16384; less for simulations, >= 2
// Latency   6 cycles from the first word of a row to the row, less the step in which that word is
//           taken
// Source    IEEE Std 802.3 clause 82.2.4 to 82.2.7

module pcs_rows
  import pcs_pkg::*;
  import line_64b66b_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Period = 16384
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 cgmii_ready_o,
  input  logic [64*Blocks-1:0] cgmii_data_i,
  input  logic [ 8*Blocks-1:0] cgmii_ctrl_i,
  output logic                 valid_o,
  output logic [          2:0] place_o,
  output logic                 marker_o,
  output row_t                 row_o
);

  if (!(Blocks inside {5, 8})) begin : gen_bad_blocks
    $error("pcs_rows %m: rule Blocks is 5 or 8, got %0d", Blocks);
  end
  if (Period < 2) begin : gen_bad_period
    $error("pcs_rows %m: rule Period is at least 2, got %0d", Period);
  end

  localparam int unsigned Cycles = 8 * RowCycles + 1;
  localparam int unsigned CountWidth = $clog2(Period);
  localparam int unsigned Spare = (Blocks == 8) ? 4 : 0;  // blocks that a first row leaves over

  // ---- What happens in a cycle ----
  typedef struct packed {
    logic       take;    // a word
    logic       load;    // a row is complete
    logic       odd;     // the second row of two
    logic       marker;  // the row is one of markers
    logic [2:0] row;     // of eight
    logic [1:0] step;    // cycle of the row
  } plan_t;

  logic [5:0] cycle_q;
  logic [CountWidth-1:0] count_q;
  logic odd_q, gap, marker, load;
  logic [1:0] step;
  logic [RowCycles-1:0] takes;  // by the step: a row of data takes a word
  plan_t plan;
  plan_t [2:0] plan_q;

  for (genvar s = 0; s < RowCycles; s++) begin : gen_step
    assign takes[s] = odd_q ? pcs_pkg::tx_base(
        int'(Blocks), 1'b1, s
    ) >= 0 : pcs_pkg::tx_base(
        int'(Blocks), 1'b0, s
    ) >= 0;
  end

  assign gap = cycle_q == 6'(Cycles - 1);
  assign step = cycle_q[1:0];
  assign marker = count_q == '0;
  assign load = !gap && step == '1;
  assign cgmii_ready_o = !gap && !marker && takes[step];
  assign plan = '{
          take: cgmii_ready_o,
          load: load,
          odd: odd_q,
          marker: marker,
          row: cycle_q[4:2],
          step: step
      };

  always_ff @(posedge clk_i) begin
    plan_q  <= {plan_q[1:0], plan};
    cycle_q <= gap ? '0 : cycle_q + 1'b1;
    if (load) begin
      count_q <= (count_q == CountWidth'(Period - 1)) ? '0 : count_q + 1'b1;
      if (!marker) odd_q <= !odd_q && Blocks == 8;
    end
    if (rst_i) begin
      plan_q  <= '0;
      cycle_q <= '0;
      count_q <= '0;
      odd_q   <= 1'b0;
    end
  end

  // ---- Encoded, in order, scrambled ----
  type_e [Blocks-1:0] kind, kind_q;
  block_t [Blocks-1:0] block, block_q, ordered_q, line;
  logic [Blocks-1:0] failed;
  place_e place, place_q;

  for (genvar b = 0; b < Blocks; b++) begin : gen_encode
    pcs_encode u_encode (
      .slot_i ({cgmii_ctrl_i[8*b+:8], cgmii_data_i[64*b+:64]}),
      .type_o (kind[b]),
      .block_o(block[b])
    );
  end

  pcs_order #(
    .Blocks(Blocks)
  ) u_order (
    .place_i (place_q),
    .type_i  (kind_q),
    .failed_o(failed),
    .place_o (place)
  );

  logic [57:0] state_q, state;
  logic [Blocks-1:0][63:0] plain, scrambled;  // the first bit on top
  for (genvar b = 0; b < Blocks; b++) begin : gen_turn
    assign plain[Blocks-1-b] = reversed(ordered_q[b][65:2]);
    assign line[b] = {reversed(scrambled[Blocks-1-b]), ordered_q[b][1:0]};
  end

  line_scrambler #(
    .Width(64 * Blocks),
    .Order(58),
    .Tap  (39)
  ) u_scrambler (
    .state_i(state_q),
    .data_i (plain),
    .data_o (scrambled),
    .state_o(state)
  );

  always_ff @(posedge clk_i) begin
    kind_q  <= kind;
    block_q <= block;
    for (int b = 0; b < int'(Blocks); b++) ordered_q[b] <= failed[b] ? ErrorBlock : block_q[b];
    if (rst_i) place_q <= Outside;
    else if (plan_q[0].take) place_q <= place;
    if (rst_i) state_q <= '1;
    else if (plan_q[1].take) state_q <= state;
  end

  // ---- Rows ----
  block_t [Lanes+Spare-1:0] row_q;

  always_ff @(posedge clk_i) begin
    if (Spare != 0 && plan_q[2].load && !plan_q[2].marker) begin
      for (int i = 0; i < int'(Spare); i++) row_q[i] <= row_q[int'(Lanes)+i];
    end
    for (int s = 0; s < int'(RowCycles); s++) begin
      for (int odd = 0; odd < 2; odd++) begin
        if (plan_q[1].take && int'(plan_q[1].step) == s && int'(plan_q[1].odd) == odd) begin
          for (int b = 0; b < int'(Blocks); b++) begin
            if (pcs_pkg::tx_base(int'(Blocks), odd[0], s) >= 0) begin
              row_q[pcs_pkg::tx_base(int'(Blocks), odd[0], s)+b] <= line[b];
            end
          end
        end
      end
    end
  end

  assign valid_o  = plan_q[2].load;
  assign place_o  = plan_q[2].row;
  assign marker_o = plan_q[2].marker;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [7:0] parity_q;

    assign row_o[l] = plan_q[2].marker ? marker_block(l, parity_q) : row_q[l];

    always_ff @(posedge clk_i) begin
      if (rst_i) parity_q <= '0;
      else if (plan_q[2].load) parity_q <= (plan_q[2].marker ? '0 : parity_q) ^ parity(row_o[l]);
    end
  end

endmodule
