// SPDX-License-Identifier: Apache-2.0
//
// rdma_units_bench: send and receive unit of one node with one memory, and the AXI signals that do
// not change, for the test bench.
//
// The network is the test bench: what leaves at m_axis may come back at s_axis. Replies of the
// receive unit (made) go to the send unit (reply) through it too. Packets of the node to itself go
// straight from one unit to the other (own).

module rdma_units_bench
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
  import rdma_bus_pkg::*;
#(
  parameter int unsigned AddrWidth = 48,
  parameter int unsigned BufferWords = 512,
  parameter int unsigned BurstWords = 64,
  parameter int unsigned LeadWords = 1,
  parameter int unsigned Senders = 4,
  parameter int unsigned Tick = 65536,
  parameter bit Packed = 1'b0
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  input  logic                        hold_i,
  input  logic        [          3:0] room_i,
  input  logic        [         15:0] node_i,
  input  logic        [          3:0] epoch_i,
  input  logic        [         15:0] forget_i,
  output logic                        send_ready_o,
  output logic                        receive_ready_o,
  input  logic                        rate_valid_i,
  input  logic        [          6:0] rate_flow_i,
  input  logic        [         15:0] rate_interval_i,
  input  page_rates_t                 page_rates_i,
  input  logic                        weighted_i,
  input  congestion_t                 congestion_i,
  input  logic                        cut_through_i,
  input  answered_t                   answered_i,
  output logic                        slowed_o,
  output logic                        marked_o,
  input  logic                        block_valid_i,
  output logic                        block_ready_o,
  input  logic        [        283:0] block_i,
  input  logic                        packet_valid_i,
  output logic                        packet_ready_o,
  input  logic        [        408:0] packet_i,
  input  logic                        reply_valid_i,
  output logic                        reply_ready_o,
  input  reply_t                      reply_i,
  output logic                        sent_valid_o,
  output sent_t                       sent_o,
  output logic                        packet_left_o,
  output logic                        packet_came_o,
  input  logic                        window_valid_i,
  input  logic        [          3:0] window_domain_i,
  input  logic        [          1:0] window_number_i,
  input  logic        [AddrWidth-1:0] window_first_i,
  input  logic        [AddrWidth-1:0] window_last_i,
  input  logic                        window_read_i,
  input  logic                        window_write_i,
  input  logic                        count_req_i,
  input  logic        [          3:0] count_addr_i,
  output logic                        count_ack_o,
  output logic        [         31:0] count_o,
  output logic                        made_valid_o,
  input  logic                        made_ready_i,
  output reply_t                      made_o,
  output logic                        answer_valid_o,
  input  logic                        answer_ready_i,
  output answer_t                     answer_o,
  input  logic                        answer_refused_i,
  output logic                        m_axi_arid,
  output logic        [AddrWidth-1:0] m_axi_araddr,
  output logic        [          7:0] m_axi_arlen,
  output logic        [          2:0] m_axi_arsize,
  output logic        [          1:0] m_axi_arburst,
  output logic        [          3:0] m_axi_arcache,
  output logic        [          2:0] m_axi_arprot,
  output logic        [          0:0] m_axi_aruser,
  output logic                        m_axi_arvalid,
  input  logic                        m_axi_arready,
  input  logic                        m_axi_rid,
  input  logic        [        511:0] m_axi_rdata,
  input  logic        [          1:0] m_axi_rresp,
  input  logic                        m_axi_rlast,
  input  logic                        m_axi_rvalid,
  output logic                        m_axi_rready,
  output logic                        m_axi_awid,
  output logic        [AddrWidth-1:0] m_axi_awaddr,
  output logic        [          7:0] m_axi_awlen,
  output logic        [          2:0] m_axi_awsize,
  output logic        [          1:0] m_axi_awburst,
  output logic        [          3:0] m_axi_awcache,
  output logic        [          2:0] m_axi_awprot,
  output logic        [          0:0] m_axi_awuser,
  output logic                        m_axi_awvalid,
  input  logic                        m_axi_awready,
  output logic        [        511:0] m_axi_wdata,
  output logic        [         63:0] m_axi_wstrb,
  output logic                        m_axi_wlast,
  output logic                        m_axi_wvalid,
  input  logic                        m_axi_wready,
  input  logic                        m_axi_bid,
  input  logic        [          1:0] m_axi_bresp,
  input  logic                        m_axi_bvalid,
  output logic                        m_axi_bready,
  output logic        [        511:0] m_axis_tdata,
  output logic                        m_axis_tlast,
  output logic                        m_axis_tvalid,
  input  logic                        m_axis_tready,
  input  logic        [        511:0] s_axis_tdata,
  input  logic                        s_axis_tlast,
  input  logic                        s_axis_tvalid,
  output logic                        s_axis_tready,
  output logic                        own_valid_o,
  output logic                        own_ready_o,
  output logic                        own_ends_o
);

  memory_req_t memory_req;
  memory_rsp_t memory_rsp;
  net_t m_axis;
  piece_t own;
  settings_t settings;
  assign own_ends_o = own.ends;
  assign {m_axis_tdata, m_axis_tlast, m_axis_tvalid} = m_axis;
  always_comb begin
    settings = '0;
    settings.identity = '{node: node_i, epoch: epoch_i};
    settings.forget = forget_i;
    settings.rate_valid = rate_valid_i;
    settings.rate = '{flow : rate_flow_i, interval: rate_interval_i};
    settings.page_rates = page_rates_i;
    settings.service.weighted = weighted_i;
    settings.congestion = congestion_i;
    settings.cut_through = cut_through_i;
    settings.window_valid = window_valid_i;
    settings.window = '{
        domain: 16'(window_domain_i),
        slot: 4'(window_number_i),
        write: window_write_i,
        read: window_read_i,
        last: 48'(window_last_i),
        first: 48'(window_first_i)
    };
  end

  rdma_memory_pins #(
    .AddrWidth(AddrWidth)
  ) u_memory_pins (
    .memory_i(memory_req),
    .memory_o(memory_rsp),
    .*
  );

  rdma_send #(
    .AddrWidth  (AddrWidth),
    .BufferWords(BufferWords),
    .BurstWords (BurstWords),
    .LeadWords  (LeadWords),
    .Nodes      (Senders),
    .Packed     (Packed)
  ) u_send (
    .settings_i    (settings),
    .packet_o      (packet_left_o),
    .ready_o       (send_ready_o),
    .read_o        (memory_req.read),
    .read_i        (memory_rsp.read),
    .m_axis_o      (m_axis),
    .m_axis_ready_i(m_axis_tready),
    .own_ready_i   (own_ready_o),
    .own_piece_o   (own),
    .*
  );

  logic stray;
  logic bad_form;
  events_t events;
  prim_counter_bank #(
    .Count(14),
    .Width(32)
  ) u_counters (
    .clear_i  (1'b0),
    .inc_i    ({stray, bad_form, events}),
    .rd_req_i (count_req_i),
    .rd_addr_i(count_addr_i),
    .rd_ack_o (count_ack_o),
    .rd_data_o(count_o),
    .*
  );

  rdma_receive #(
    .Senders    (Senders),
    .AddrWidth  (AddrWidth),
    .BufferWords(BufferWords),
    .Tick       (Tick),
    .Packed     (Packed)
  ) u_receive (
    .packet_o      (packet_came_o),
    .ready_o       (receive_ready_o),
    .enable_i      (1'b1),
    .settings_i    (settings),
    .stray_o       (stray),
    .bad_form_o    (bad_form),
    .events_o      (events),
    .s_axis_i      ({s_axis_tdata, s_axis_tlast, s_axis_tvalid}),
    .s_axis_ready_o(s_axis_tready),
    .own_valid_i   (own_valid_o),
    .own_piece_i   (own),
    .write_o       (memory_req.write),
    .write_i       (memory_rsp.write),
    .reply_valid_o (made_valid_o),
    .reply_ready_i (made_ready_i),
    .reply_o       (made_o),
    .*
  );

endmodule
