// SPDX-License-Identifier: Apache-2.0
//
// axis_rules: the rules of cores/axis/rules at the ports of axis, in every simulation of it.
//
// The streams of the width converter and of the test traffic.
bind axis_width axis_rules #(
  .Bytes (InBytes),
  .Stream("axis_width s_axis")
) u_s_axis_rules (
  .clk_i   (clk_i),
  .rst_i   (rst_i),
  .tdata_i (s_axis_tdata),
  .tkeep_i (s_axis_tkeep),
  .tlast_i (s_axis_tlast),
  .tuser_i (1'b0),
  .tvalid_i(s_axis_tvalid),
  .tready_i(s_axis_tready)
);

bind axis_width axis_rules #(
  .Bytes (OutBytes),
  .Stream("axis_width m_axis")
) u_m_axis_rules (
  .clk_i   (clk_i),
  .rst_i   (rst_i),
  .tdata_i (m_axis_tdata),
  .tkeep_i (m_axis_tkeep),
  .tlast_i (m_axis_tlast),
  .tuser_i (1'b0),
  .tvalid_i(m_axis_tvalid),
  .tready_i(m_axis_tready)
);
