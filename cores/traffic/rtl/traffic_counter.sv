// SPDX-License-Identifier: Apache-2.0
//
// traffic_counter: a wide counter of events, with short carry chains.
//
// What      Two halves; the upper one counts how often the lower one has wrapped, a cycle later.
// Contract  count_o is the number of events (event_i) since the last clear_i, modulo 2^Width; those
//           of the cycle of clear_i do not count.
// Clock     clk_i
// Latency   An event shows in count_o 3 cycles later, always all of it.
//
// Parameters
//   Width   bits, >= 2

module traffic_counter #(
  parameter int unsigned Width = 48
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic             event_i,
  output logic [Width-1:0] count_o
);

  if (Width < 2) begin : gen_bad_width
    $error("traffic_counter %m: Width must be >= 2, got %0d", Width);
  end

  localparam int unsigned Low = Width / 2;

  logic event_q, carry_q;
  logic [Low-1:0] low_q, shown_q;
  logic [Width-Low-1:0] high_q;
  always_ff @(posedge clk_i) begin
    event_q <= event_i;
    {carry_q, low_q} <= (Low + 1)'(low_q) + (Low + 1)'(event_q);
    shown_q <= low_q;
    high_q <= high_q + (Width - Low)'(carry_q);
    if (clear_i) {event_q, carry_q, low_q, shown_q, high_q} <= '0;
  end
  assign count_o = {high_q, shown_q};

endmodule
