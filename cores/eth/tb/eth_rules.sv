// SPDX-License-Identifier: Apache-2.0
//
// eth_rules: the rules of cores/axis/rules at the ports of eth, in every simulation of it.
//
// The user's streams of the MAC. Its receiver cannot be held: every beat is taken.
bind eth_mac_tx axis_rules #(
  .Bytes (Bytes),
  .Stream("eth_mac_tx s_axis")
) u_s_axis_rules (
  .clk_i   (clk_i),
  .rst_i   (rst_i),
  .tdata_i (s_axis_tdata),
  .tkeep_i (s_axis_tkeep),
  .tlast_i (s_axis_tlast),
  .tuser_i (s_axis_tuser && s_axis_tlast),
  .tvalid_i(s_axis_tvalid),
  .tready_i(s_axis_tready)
);

bind eth_mac_rx axis_rules #(
  .Bytes (Bytes),
  .Stream("eth_mac_rx m_axis")
) u_m_axis_rules (
  .clk_i   (clk_i),
  .rst_i   (rst_i),
  .tdata_i (m_axis_tdata),
  .tkeep_i (m_axis_tkeep),
  .tlast_i (m_axis_tlast),
  .tuser_i (m_axis_tuser),
  .tvalid_i(m_axis_tvalid),
  .tready_i(1'b1)
);
