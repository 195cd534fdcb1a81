// SPDX-License-Identifier: Apache-2.0
//
// axis_counter: saturating counter with clear.
//
// What    Adds inc_i in every cycle and stays at its largest value instead of wrapping.
// Why     A counter that wraps unseen reports a wrong rate; one that saturates says "at least".
//
// Contract    clear_i starts a new period with the same cycle's increment, so that no event falls
//             between two periods: count = (clear ? 0 : count) + inc.
// Parameters
//   Width      bits of the counter, >= IncWidth
//   IncWidth   bits of the increment, >= 1
// Latency     count_o shows an increment one cycle later
// Limits      none beyond the parameters
// Source      own design

module axis_counter #(
  parameter int unsigned Width    = 48,
  parameter int unsigned IncWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                clear_i,
  input  logic [IncWidth-1:0] inc_i,
  output logic [   Width-1:0] count_o
);

  if (IncWidth < 1) begin : gen_bad_inc
    $error("axis_counter %m: rule IncWidth >= 1, got %0d", IncWidth);
  end else if (Width < IncWidth) begin : gen_bad_width
    $error("axis_counter %m: rule Width >= IncWidth, got Width %0d < %0d", Width, IncWidth);
  end

  logic [Width-1:0] count_q;
  logic [  Width:0] sum;
  assign sum = (Width + 1)'(clear_i ? '0 : count_q) + (Width + 1)'(inc_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) count_q <= '0;
    else count_q <= sum[Width] ? '1 : sum[Width-1:0];
  end

  assign count_o = count_q;

endmodule
