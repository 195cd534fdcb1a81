// SPDX-License-Identifier: Apache-2.0
//
// rifl_rx_descramble: undoes the scrambler over the words of received frames.
//
// What      the scrambler skips the two sync bits and the twelve code bits of each frame, so at the
//           start of a frame the history of 33 line bits is continued behind them.
// Contract  one word per clock, most significant first; first_i and last_i mark the first and last
//           word of a frame (never the same word). data_o belongs to data_i of the same clock
//           (combinational); its sync and code positions are meaningless. A wrong line bit damages
//           three bits of the output, up to 33 positions later. front_o, with first_i: the newest
//           bits in front of the code of the frame before.
// Source    RIFL paper, section 5.B; order of operations of the published core.

module rifl_rx_descramble
  import rifl_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   first_i,
  input  logic                   last_i,
  input  logic [   PhyWidth-1:0] data_i,
  output logic [   PhyWidth-1:0] data_o,
  output logic [StrongWidth-1:0] front_o
);

  // Line bits before this word, newest in bit 0; before the first word of a frame the newest two
  // stand in tail_q instead, in the place of the sync bits.
  logic [ScramblerOrder-1:0] history_q, history_next;
  logic [1:0] tail_q;
  logic [PhyWidth-1:0] line;
  assign front_o = {history_q[StrongWidth-3:0], tail_q};
  assign line = {first_i ? tail_q : data_i[PhyWidth-1-:2], data_i[PhyWidth-3:0]};

  line_descrambler #(
    .Width(PhyWidth),
    .Order(ScramblerOrder),
    .Tap  (ScramblerTap)
  ) u_descrambler (
    .state_i(history_q),
    .data_i (line),
    .data_o (data_o),
    .state_o(history_next)
  );

  always_ff @(posedge clk_i) begin
    history_q <= last_i ? data_i[CodeWidth+2+:ScramblerOrder] : history_next;
    if (last_i) tail_q <= data_i[CodeWidth+:2];
  end

endmodule
