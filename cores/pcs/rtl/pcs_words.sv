// SPDX-License-Identifier: Apache-2.0
//
// pcs_words: takes rows apart into words, the lanes in their order.
//
// Why       A row comes in four or five cycles, so a word is selected from it in each of them:
//           Blocks multiplexers instead of one for each lane.
// Contract  valid_i, row_i: a row of data, at least four cycles after the one before, in the order
//           of the physical lanes; source_i: the physical lane of each number, which does not
//           change while rows come. valid_o, block_o: a word.
// Parameters
//   Blocks  of a word, 5 or 8
// Latency   2 cycles to the first word of a row

module pcs_words
  import pcs_pkg::*;
  import line_64b66b_pkg::*;
#(
  parameter int unsigned Blocks = 8
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                valid_i,
  input  row_t                row_i,
  input  lane_t  [ Lanes-1:0] source_i,
  output logic                valid_o,
  output block_t [Blocks-1:0] block_o
);

  localparam int unsigned Steps = (Blocks == 8) ? 3 : 4;
  localparam int unsigned Spare = (Blocks == 8) ? 4 : 0;  // blocks that a first row leaves over

  row_t row_q;
  logic busy_q, odd_q, last;
  logic [1:0] step_q;
  block_t [Blocks-1:0] block;
  logic [2*RowCycles-1:0] fits;  // by odd_q and step_q: the word does not reach beyond the row
  logic whole;

  for (genvar k = 0; k < 2 * RowCycles; k++) begin : gen_fits
    localparam int Base = pcs_pkg::rx_base(int'(Blocks), k >= RowCycles, k % RowCycles);
    assign fits[k] = Base + int'(Blocks) <= int'(Lanes);
  end
  assign whole = fits[{odd_q, step_q}];

  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    lane_t [2*RowCycles-1:0] lane;  // the physical one

    for (genvar k = 0; k < 2 * RowCycles; k++) begin : gen_lane
      localparam int At = pcs_pkg::rx_base(int'(Blocks), k >= RowCycles, k % RowCycles) + b;
      if (At >= 0 && At < int'(Lanes)) begin : gen_here
        assign lane[k] = source_i[At];
      end else begin : gen_not
        assign lane[k] = '0;
      end
    end

    if (b < Spare) begin : gen_spare
      // Word 2 of 5 begins with what the first row has left over.
      block_t spare_q;
      always_ff @(posedge clk_i) if (busy_q && !whole) spare_q <= block[b];
      assign block[b] = (odd_q && step_q == '0) ? spare_q : row_q[lane[{odd_q, step_q}]];
    end else begin : gen_row
      assign block[b] = row_q[lane[{odd_q, step_q}]];
    end
  end

  assign last = step_q == 2'(Steps - 1);

  always_ff @(posedge clk_i) begin
    if (valid_i) row_q <= row_i;
    block_o <= block;
    step_q  <= valid_i ? '0 : step_q + 1'b1;
    if (rst_i) begin
      busy_q  <= 1'b0;
      odd_q   <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      busy_q  <= valid_i || (busy_q && !last);
      odd_q   <= odd_q ^ (busy_q && last && Blocks == 8);
      valid_o <= busy_q && whole;
    end
  end

endmodule
