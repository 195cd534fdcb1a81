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
//   Width      bits of the counter, > IncWidth
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
  end else if (Width <= IncWidth) begin : gen_bad_width
    $error("axis_counter %m: rule Width > IncWidth, got Width %0d <= %0d", Width, IncWidth);
  end

  // Two short carry chains beside each other: the upper part needs no increment but one.
  logic [       Width-1:0] count_q;
  logic [      IncWidth:0] low;
  logic [Width-IncWidth:0] next;  // the upper part, if the lower one wraps
  assign low  = (IncWidth + 1)'(count_q[IncWidth-1:0]) + (IncWidth + 1)'(inc_i);
  assign next = (Width - IncWidth + 1)'(count_q[Width-1:IncWidth]) + 1'b1;

  always_ff @(posedge clk_i) begin
    if (rst_i) count_q <= '0;
    else if (clear_i) count_q <= Width'(inc_i);
    else if (!low[IncWidth]) count_q[IncWidth-1:0] <= low[IncWidth-1:0];
    else if (next[Width-IncWidth]) count_q <= '1;
    else count_q <= {next[Width-IncWidth-1:0], low[IncWidth-1:0]};
  end

  assign count_o = count_q;

endmodule
