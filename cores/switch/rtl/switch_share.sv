// SPDX-License-Identifier: Apache-2.0
//
// switch_share: of which classes an output has carried least lately.
//
// What      A counter of each class: a cycle of a class adds one to its own, or takes one from each
//           of the others if its own is full. So classes that are there all the time stay close to
//           each other, and one that comes back is 127 cycles behind at most.
// Contract  busy_i: a packet of class_i holds the output in this cycle. behind_o: classes whose
//           counter is below 64 while that of another one is at 120 or more. order_o: for
//           first_class() of switch_pkg.
// Clock     clk_i; rst_i synchronous to it
// Latency   2 cycles, busy_i to behind_o and order_o
//
// Source    own design

module switch_share
  import switch_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input  logic                 busy_i,
  input  class_t               class_i,
  output logic   [Classes-1:0] behind_o,
  output order_t               order_o
);

  logic [Classes-1:0][6:0] served_q;
  logic full;
  logic [Classes-1:0] high;
  assign full = served_q[class_i] == '1;
  for (genvar c = 0; c < Classes; c++) begin : gen_class
    logic own;
    assign own = class_i == class_t'(c);
    assign high[c] = &served_q[c][6:3];
    always_ff @(posedge clk_i) begin
      if (rst_i) served_q[c] <= '0;
      else if (busy_i && own && !full) served_q[c] <= served_q[c] + 1'b1;
      else if (busy_i && !own && full && served_q[c] != '0) served_q[c] <= served_q[c] - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Classes; c++) behind_o[c] <= high != '0 && !served_q[c][6];
    order_o.one_two   <= served_q[1] <= served_q[2];
    order_o.one_three <= served_q[1] <= served_q[3];
    order_o.two_three <= served_q[2] <= served_q[3];
  end

endmodule
