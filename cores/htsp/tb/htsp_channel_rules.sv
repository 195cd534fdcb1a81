// SPDX-License-Identifier: Apache-2.0
//
// htsp_channel_rules: axis_rules at the streams to the users of all channels of htsp_core.
//
// What      One instance of axis_rules for each channel; bound by htsp_rules.sv.
// Clock     clk_i; rst_i synchronous to it.

module htsp_channel_rules #(
  parameter int unsigned Channels = 1,
  parameter int unsigned Bytes = 64,
  parameter int unsigned UserWidth = 1
) (
  input logic                               clk_i,
  input logic                               rst_i,
  input logic [Channels-1:0][  8*Bytes-1:0] m_axis_tdata,
  input logic [Channels-1:0][    Bytes-1:0] m_axis_tkeep,
  input logic [Channels-1:0]                m_axis_tlast,
  input logic [Channels-1:0][UserWidth-1:0] m_axis_tuser,
  input logic [Channels-1:0]                m_axis_tvalid,
  input logic [Channels-1:0]                m_axis_tready
);

  for (genvar c = 0; c < Channels; c++) begin : gen_m_axis
    axis_rules #(
      .Bytes (Bytes),
      .Stream("htsp m_axis")
    ) u_rules (
      .clk_i   (clk_i),
      .rst_i   (rst_i),
      .tdata_i (m_axis_tdata[c]),
      .tkeep_i (m_axis_tkeep[c]),
      .tlast_i (m_axis_tlast[c]),
      .tuser_i (m_axis_tuser[c][0]),
      .tvalid_i(m_axis_tvalid[c]),
      .tready_i(m_axis_tready[c])
    );
  end

endmodule
