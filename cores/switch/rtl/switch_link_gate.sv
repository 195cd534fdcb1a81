// SPDX-License-Identifier: Apache-2.0
//
// switch_link_gate: holds a packet back until the peer has memory for all of it.
//
// What      stands between a user with a stream of packets and switch_link_tx.
// Contract  s side: valid and ready; s_beat_i.first marks the header, all words of a packet follow
//           in order. A packet that waits keeps those behind it waiting: a user with several
//           classes looks at room_i itself and offers only what fits, or has a gate for each class.
//           m side: into s_* of a switch_link_tx with Slack >= 1, whose room_o is room_i. In Down
//           and Hello packets wait as well, for room_o is 0; what of a packet is left when a
//           session ends passes, and switch_link_tx discards it.
// Clock     clk_i; rst_i synchronous to it
// Latency   0

module switch_link_gate
  import switch_pkg::*;
(
  input  logic    clk_i,
  input  logic    rst_i,
  input  logic    s_valid_i,
  output logic    s_ready_o,
  input  beat_t   s_beat_i,
  input  limits_t room_i,
  output logic    m_valid_o,
  input  logic    m_ready_i,
  output beat_t   m_beat_o
);

  logic fits, pass;
  assign fits = room_i[s_beat_i.data.header.cls] >= limit_t'(s_beat_i.data.header.words);
  assign pass = m_ready_i && !rst_i && (!s_beat_i.first || fits);
  assign s_ready_o = pass;
  assign m_valid_o = s_valid_i && pass;
  assign m_beat_o = s_beat_i;

  logic unused;
  assign unused = clk_i;

endmodule
