// SPDX-License-Identifier: Apache-2.0
//
// htsp_tx_bench: a transmitter, its channels and what cuts its words to beats, with all that it
// knows of the receiver as inputs.

module htsp_tx_bench
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 16,
  parameter int unsigned Bytes = WordBytes
) (
  input  logic                             clk_i,
  input  logic                             rst_i,
  input  logic [        31:0]              null_interval_i,
  input  logic [         7:0]              burst_i,
  input  logic                             ignore_remote_i,
  input  logic                             tx_disable_i,
  input  logic [       127:0]              user_data_i,
  input  logic [        47:0]              local_mac_i,
  input  logic [        47:0]              remote_mac_i,
  input  logic [        15:0]              ethertype_i,
  input  logic                             phy_ready_i,
  input  logic                             rx_ready_i,
  input  logic                             remote_ready_i,
  input  logic [Channels-1:0]              remote_pause_i,
  input  logic [Channels-1:0]              local_pause_i,
  input  logic [       127:0]              s_opcode_tdata,
  input  logic                             s_opcode_tvalid,
  output logic                             s_opcode_tready,
  input  logic [Channels-1:0][8*Bytes-1:0] s_axis_tdata,
  input  logic [Channels-1:0][  Bytes-1:0] s_axis_tkeep,
  input  logic [Channels-1:0]              s_axis_tlast,
  input  logic [Channels-1:0]              s_axis_tuser,
  input  logic [Channels-1:0]              s_axis_tvalid,
  output logic [Channels-1:0]              s_axis_tready,
  output logic [ 8*Bytes-1:0]              m_axis_tdata,
  output logic [   Bytes-1:0]              m_axis_tkeep,
  output logic                             m_axis_tlast,
  output logic                             m_axis_tvalid,
  output logic [Channels-1:0]              cut_o,
  output logic                             frame_o,
  output logic [        15:0]              frame_bytes_o,
  output logic                             null_o,
  output logic                             op_code_o,
  output logic [       127:0]              op_data_o,
  output logic                             busy_o            // a frame has been chosen
);

  beat_t [Channels-1:0] head;
  logic [Channels-1:0] head_valid, first, pop, cut, bad;

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    htsp_tx_channel #(
      .Bytes(Bytes)
    ) u_channel (
      .clk_i,
      .rst_i,
      .cut_i        (cut[c]),
      .cut_o        (cut_o[c]),
      .bad_o        (bad[c]),
      .s_axis_tdata (s_axis_tdata[c]),
      .s_axis_tkeep (s_axis_tkeep[c]),
      .s_axis_tlast (s_axis_tlast[c]),
      .s_axis_tuser (TuserWidth'(s_axis_tuser[c])),
      .s_axis_tvalid(s_axis_tvalid[c]),
      .s_axis_tready(s_axis_tready[c]),
      .head_o       (head[c]),
      .head_valid_o (head_valid[c]),
      .first_o      (first[c]),
      .pop_i        (pop[c])
    );
  end

  flow_t flow;
  assign {frame_o, frame_bytes_o, null_o, op_code_o, op_data_o} = flow;

  logic [ WordBits-1:0] word_tdata;
  logic [WordBytes-1:0] word_tkeep;
  logic word_tlast, word_tvalid, word_tready;
  htsp_tx #(
    .Channels(Channels)
  ) u_tx (
    .clk_i,
    .rst_i,
    .cfg_i(
    '{
        local_mac: local_mac_i,
        broadcast_mac: '1,
        ethertype: ethertype_i,
        null_interval: null_interval_i,
        alive: '0,
        burst: burst_i,
        stall_limit: '0,
        pause_level: '0,
        resume_level: '0,
        ignore_remote: ignore_remote_i,
        tx_disable: tx_disable_i,
        user_data: user_data_i
    }
    ),
    .phy_ready_i,
    .link_i(
    '{
        link_up: rx_ready_i,
        remote_ready: remote_ready_i,
        remote_tuser: 1'b0,
        remote_mac: remote_mac_i,
        remote_pause: 16'(remote_pause_i),
        remote_data: '0
    }
    ),
    .local_pause_i,
    .s_opcode_tdata,
    .s_opcode_tvalid,
    .s_opcode_tready,
    .head_i(head),
    .head_valid_i(head_valid),
    .first_i(first),
    .pop_o(pop),
    .cut_o(cut),
    .m_axis_tdata(word_tdata),
    .m_axis_tkeep(word_tkeep),
    .m_axis_tlast(word_tlast),
    .m_axis_tvalid(word_tvalid),
    .m_axis_tready(word_tready),
    .flow_o(flow)
  );

  axis_scatter #(
    .InBytes (WordBytes),
    .OutBytes(Bytes)
  ) u_scatter (
    .clk_i,
    .rst_i,
    .s_axis_tdata (word_tdata),
    .s_axis_tkeep (word_tkeep),
    .s_axis_tlast (word_tlast),
    .s_axis_tuser (1'b0),
    .s_axis_tvalid(word_tvalid),
    .s_axis_tready(word_tready),
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .m_axis_tuser (),
    .m_axis_tvalid,
    .m_axis_tready(1'b1)
  );

  assign busy_o = u_tx.state_q != '0;

endmodule
