// SPDX-License-Identifier: Apache-2.0
//
// line_gearbox_rx: raw words of 16 bits become blocks of 66, cut where slip_i has moved the cut to.
//
// Contract  data_i: a raw word in every cycle, bit 0 first on the line. slip_i: one bit is left
//           out; the next block is cut behind it. m_valid_o, m_data_o: a block, bit 0 first on the
//           line; 8 in 33 cycles, at least 4 cycles apart.
// Latency   2 cycles from the word with the block's last bit.
// Source    IEEE Std 802.3, 49.2.9 (block synchronisation by slipping).

module line_gearbox_rx
  import line_64b66b_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_i,
  input  logic   [15:0] data_i,
  input  logic          slip_i,
  output logic          m_valid_o,
  output block_t        m_data_o
);

  localparam int unsigned Most = 66 + 15;  // bits that wait

  logic [Most-1:0] buffer_q;  // the newest bit on top
  logic [6:0] count_q, taken;  // bits of it that belong to no block yet
  logic whole;

  assign whole = count_q >= 7'd66;
  assign taken = (whole ? 7'd66 : '0) + 7'(slip_i);

  always_ff @(posedge clk_i) begin
    buffer_q  <= {data_i, buffer_q[Most-1:16]};
    count_q   <= rst_i ? '0 : count_q + 7'd16 - taken;
    m_data_o  <= 66'(buffer_q >> 4'(7'(Most) - count_q));
    m_valid_o <= whole && !rst_i;
  end

endmodule
