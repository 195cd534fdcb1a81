// SPDX-License-Identifier: Apache-2.0
//
// rdma: the RDMA engine with quality of service, whole: descriptors in, memory to the network and from it, registers.
//
// What      rdma_core with rdma_send and rdma_receive; windows of memory at both ends (rdma_guard, rdma_windows); registers, counters and
//           interrupt (map: docs/src/rdma-registers.md).
// Why       Everything that a node needs between its processor, its memory and a network.
// Contract  One clock. s_axi: descriptors and states, see rdma_port. m_axi: memory; 512 bits, one identifier, INCR bursts that do not cross 4096
//           bytes. m_axis, s_axis: the network; packets in words of 64 bytes, README, "Packets"; it may lose, double, delay and exchange packets,
//           and must not damage them unseen by their CRC. s_axil: registers. irq_o is high while an enabled event is set.
//           After rst_i nothing is taken but registers, until `enable` is written and `ready` reads 1. `enable` = 0 drains: nothing more begins,
//           bursts at memory, accesses of users and the packet that is leaving come to their end, then the engine is reset, and `drained` reads 1.
//           rst_i does not wait for any of that: reset memory, users and network side with it.
// Latency   Last word of a message to the network: 6 cycles. A block waits 5 cycles more for its windows, and for memory.
// Source    own design; the engine is the thesis's
//
// Parameters
//   DataWidth, IdWidth, Pages, Priorities, Outstanding, Reserve   see rdma_core
//   Senders, Windows, BufferWords                                 see rdma_receive
//   AddrWidth    bits of an address of memory, 33 to 48
//   BurstWords   words of a read burst, at most, 1 to 64
//   Tick         see rdma_admit; the register map says 65536
//   Packed       packed framing of packets, else framing in words; both ends have the same

module rdma
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter int unsigned DataWidth = 128,
  parameter int unsigned IdWidth = 4,
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  parameter int unsigned Outstanding = 2,
  parameter int unsigned Reserve = 32,
  parameter int unsigned Senders = 4,
  parameter int unsigned Windows = 4,
  parameter int unsigned AddrWidth = 48,
  parameter int unsigned BufferWords = 512,
  parameter int unsigned BurstWords = 64,
  parameter int unsigned Tick = 65536,
  parameter bit Packed = 1'b0,
  localparam int unsigned PageWidth = $clog2(Pages),
  localparam int unsigned WindowWidth = $clog2(Windows),
  localparam int unsigned PortWidth = PageWidth + 13
) (
  input logic clk_i,
  input logic rst_i,

  input  logic [    IdWidth-1:0] s_axi_awid,
  input  logic [  PortWidth-1:0] s_axi_awaddr,
  input  logic [            7:0] s_axi_awlen,
  input  logic [            2:0] s_axi_awsize,
  input  logic [            1:0] s_axi_awburst,
  input  logic                   s_axi_awvalid,
  output logic                   s_axi_awready,
  input  logic [  DataWidth-1:0] s_axi_wdata,
  input  logic [DataWidth/8-1:0] s_axi_wstrb,
  input  logic                   s_axi_wlast,
  input  logic                   s_axi_wvalid,
  output logic                   s_axi_wready,
  output logic [    IdWidth-1:0] s_axi_bid,
  output logic [            1:0] s_axi_bresp,
  output logic                   s_axi_bvalid,
  input  logic                   s_axi_bready,
  input  logic [    IdWidth-1:0] s_axi_arid,
  input  logic [  PortWidth-1:0] s_axi_araddr,
  input  logic [            7:0] s_axi_arlen,
  input  logic [            2:0] s_axi_arsize,
  input  logic [            1:0] s_axi_arburst,
  input  logic                   s_axi_arvalid,
  output logic                   s_axi_arready,
  output logic [    IdWidth-1:0] s_axi_rid,
  output logic [  DataWidth-1:0] s_axi_rdata,
  output logic [            1:0] s_axi_rresp,
  output logic                   s_axi_rlast,
  output logic                   s_axi_rvalid,
  input  logic                   s_axi_rready,

  output logic                 m_axi_arid,
  output logic [AddrWidth-1:0] m_axi_araddr,
  output logic [          7:0] m_axi_arlen,
  output logic [          2:0] m_axi_arsize,
  output logic [          1:0] m_axi_arburst,
  output logic                 m_axi_arvalid,
  input  logic                 m_axi_arready,
  input  logic                 m_axi_rid,
  input  logic [        511:0] m_axi_rdata,
  input  logic [          1:0] m_axi_rresp,
  input  logic                 m_axi_rlast,
  input  logic                 m_axi_rvalid,
  output logic                 m_axi_rready,
  output logic                 m_axi_awid,
  output logic [AddrWidth-1:0] m_axi_awaddr,
  output logic [          7:0] m_axi_awlen,
  output logic [          2:0] m_axi_awsize,
  output logic [          1:0] m_axi_awburst,
  output logic                 m_axi_awvalid,
  input  logic                 m_axi_awready,
  output logic [        511:0] m_axi_wdata,
  output logic [         63:0] m_axi_wstrb,
  output logic                 m_axi_wlast,
  output logic                 m_axi_wvalid,
  input  logic                 m_axi_wready,
  input  logic                 m_axi_bid,
  input  logic [          1:0] m_axi_bresp,
  input  logic                 m_axi_bvalid,
  output logic                 m_axi_bready,

  output logic [511:0] m_axis_tdata,
  output logic         m_axis_tlast,
  output logic         m_axis_tvalid,
  input  logic         m_axis_tready,
  input  logic [511:0] s_axis_tdata,
  input  logic         s_axis_tlast,
  input  logic         s_axis_tvalid,
  output logic         s_axis_tready,

  input  logic [12:0] s_axil_awaddr,
  input  logic [ 2:0] s_axil_awprot,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [ 3:0] s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [ 1:0] s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [12:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic        irq_o
);

  // ---- Registers ----
  rdma_regs_pkg::rdma__in_t  regs_in;
  rdma_regs_pkg::rdma__out_t regs_out;

  rdma_regs u_regs (
    .clk_i (clk_i),
    .rst_i (rst_i),
    .hwif_i(regs_in),
    .hwif_o(regs_out),
    .s_axil_awready,
    .s_axil_awvalid,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_wready,
    .s_axil_wvalid,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_bready,
    .s_axil_bvalid,
    .s_axil_bresp,
    .s_axil_arready,
    .s_axil_arvalid,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_rready,
    .s_axil_rvalid,
    .s_axil_rdata,
    .s_axil_rresp
  );

  logic open_q;  // the engine is out of reset
  logic stop_q;  // and nothing of it begins any more
  logic core_rst;
  logic core_ready;
  logic send_ready;
  logic receive_ready;
  logic guard_ready;
  logic ready;
  logic [15:0] node;
  logic [3:0] epoch;
  assign core_rst = rst_i || !open_q;
  assign ready = core_ready && send_ready && receive_ready && guard_ready && !core_rst && !stop_q;
  assign node = regs_out.identity.node.value;
  assign epoch = regs_out.identity.epoch.value;

  assign regs_in.parameters.pages.next = 5'(Pages);
  assign regs_in.parameters.priorities.next = 5'(Priorities);
  assign regs_in.parameters.senders.next = 7'(Senders);
  assign regs_in.parameters.windows.next = 5'(Windows);
  assign regs_in.parameters.packed_framing.next = Packed;
  assign regs_in.status.ready.next = ready;
  assign regs_in.status.drained.next = !open_q;
  assign irq_o = regs_out.events.intr;

  // Windows: the same for what leaves and what arrives. Numbers that there are not have no effect.
  logic window_set;
  logic [AddrWidth-1:0] window_first;
  logic [AddrWidth-1:0] window_last;
  assign window_set = regs_out.command.window.value && ready
      && 32'(regs_out.window.domain.value) < Pages && 32'(regs_out.window.slot.value) < Windows;
  assign window_first = AddrWidth'({
    regs_out.window_first.high.value, regs_out.window_first.low.value
  });
  assign window_last = AddrWidth'({
    regs_out.window_last.high.value, regs_out.window_last.low.value
  });

  // ---- Begin and end: what has been disabled is drained, then reset for some cycles, however soon it is enabled again ----
  localparam int unsigned RestWidth = 3;
  logic [RestWidth-1:0] rest_q;
  logic drained;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= 1'b0;
      stop_q <= 1'b0;
      rest_q <= '0;
    end else if (open_q) begin
      stop_q <= stop_q || !regs_out.control.enable.value;
      if (stop_q && drained) open_q <= 1'b0;
      rest_q <= '0;
    end else begin
      stop_q <= 1'b0;
      open_q <= regs_out.control.enable.value && rest_q == '1;
      if (rest_q != '1) rest_q <= rest_q + RestWidth'(1);
    end
  end

  logic user_awvalid;
  logic user_awready;
  logic user_arvalid;
  logic user_arready;
  logic memory_arvalid;
  logic memory_arready;
  logic memory_rvalid;
  logic memory_rready;
  logic memory_awvalid;
  logic memory_awready;
  logic memory_wvalid;
  logic memory_wready;
  logic out_tvalid;
  logic out_tready;
  logic in_tvalid;
  logic in_tready;

  rdma_drain #(
    .Bursts(BufferWords)
  ) u_drain (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .open_i        (open_q),
    .stop_i        (stop_q),
    .drained_o     (drained),
    .e_arvalid     (memory_arvalid),
    .e_arready     (memory_arready),
    .e_rvalid      (memory_rvalid),
    .e_rready      (memory_rready),
    .b_arvalid     (m_axi_arvalid),
    .b_arready     (m_axi_arready),
    .b_rvalid      (m_axi_rvalid),
    .b_rlast       (m_axi_rlast),
    .b_rready      (m_axi_rready),
    .e_awvalid     (memory_awvalid),
    .e_awready     (memory_awready),
    .e_wvalid      (memory_wvalid),
    .e_wready      (memory_wready),
    .b_awvalid     (m_axi_awvalid),
    .b_awready     (m_axi_awready),
    .b_wvalid      (m_axi_wvalid),
    .b_wlast       (m_axi_wlast),
    .b_wready      (m_axi_wready),
    .b_bvalid      (m_axi_bvalid),
    .b_bready      (m_axi_bready),
    .e_user_awvalid(user_awvalid),
    .e_user_awready(user_awready),
    .b_user_awvalid(s_axi_awvalid),
    .b_user_awready(s_axi_awready),
    .b_user_bvalid (s_axi_bvalid),
    .b_user_bready (s_axi_bready),
    .e_user_arvalid(user_arvalid),
    .e_user_arready(user_arready),
    .b_user_arvalid(s_axi_arvalid),
    .b_user_arready(s_axi_arready),
    .b_user_rvalid (s_axi_rvalid),
    .b_user_rlast  (s_axi_rlast),
    .b_user_rready (s_axi_rready),
    .e_out_tvalid  (out_tvalid),
    .e_out_tready  (out_tready),
    .b_out_tvalid  (m_axis_tvalid),
    .b_out_tlast   (m_axis_tlast),
    .b_out_tready  (m_axis_tready),
    .e_in_tvalid   (in_tvalid),
    .e_in_tready   (in_tready),
    .b_in_tvalid   (s_axis_tvalid),
    .b_in_tlast    (s_axis_tlast),
    .b_in_tready   (s_axis_tready)
  );

  // ---- The engine ----
  logic block_valid;
  logic block_ready;
  use_t block_use;
  block_t block;
  logic guarded_valid;
  logic guarded_ready;
  use_t guarded_use;
  block_t guarded;
  logic packet_valid;
  logic packet_ready;
  use_t packet_use;
  packet_t packet;
  logic packet_left;
  logic left_valid;
  sent_t left;
  logic sent_valid;
  sent_t sent;
  logic answer_valid;
  logic answer_ready;
  logic answer_refused;
  answer_t answer;
  logic refused;
  logic [PageWidth-1:0] refused_page;
  logic dropped;
  logic repeated;
  logic gave_up;
  logic finish;
  logic finish_error;
  logic finish_read;
  logic fault;
  logic source_refused;

  rdma_core #(
    .DataWidth  (DataWidth),
    .IdWidth    (IdWidth),
    .Pages      (Pages),
    .Priorities (Priorities),
    .Outstanding(Outstanding),
    .Reserve    (Reserve)
  ) u_core (
    .clk_i           (clk_i),
    .rst_i           (core_rst),
    .node_i          (node),
    .epoch_i         (epoch),
    .timeout_i       (regs_out.timeout.cycles.value),
    .retries_i       (regs_out.retries.count.value),
    .read_timeout_i  (regs_out.read_timeout.ticks.value),
    .s_axi_awid,
    .s_axi_awaddr,
    .s_axi_awlen,
    .s_axi_awsize,
    .s_axi_awburst,
    .s_axi_awvalid   (user_awvalid),
    .s_axi_awready   (user_awready),
    .s_axi_wdata,
    .s_axi_wstrb,
    .s_axi_wlast,
    .s_axi_wvalid,
    .s_axi_wready,
    .s_axi_bid,
    .s_axi_bresp,
    .s_axi_bvalid,
    .s_axi_bready,
    .s_axi_arid,
    .s_axi_araddr,
    .s_axi_arlen,
    .s_axi_arsize,
    .s_axi_arburst,
    .s_axi_arvalid   (user_arvalid),
    .s_axi_arready   (user_arready),
    .s_axi_rid,
    .s_axi_rdata,
    .s_axi_rresp,
    .s_axi_rlast,
    .s_axi_rvalid,
    .s_axi_rready,
    .block_valid_o   (block_valid),
    .block_ready_i   (block_ready),
    .block_use_o     (block_use),
    .block_o         (block),
    .packet_valid_o  (packet_valid),
    .packet_ready_i  (packet_ready),
    .packet_use_o    (packet_use),
    .packet_o        (packet),
    .sent_valid_i    (sent_valid),
    .sent_tid_i      (sent.tid),
    .sent_failed_i   (sent.failed),
    .answer_valid_i  (answer_valid),
    .answer_ready_o  (answer_ready),
    .answer_i        (answer),
    .answer_refused_o(answer_refused),
    .ready_o         (core_ready),
    .refused_o       (refused),
    .refused_page_o  (refused_page),
    .dropped_o       (dropped),
    .repeated_o      (repeated),
    .gave_up_o       (gave_up),
    .finish_o        (finish),
    .finish_error_o  (finish_error),
    .finish_read_o   (finish_read),
    .fault_o         (fault)
  );

  // ---- To the network ----
  logic [15:0] query_domain;
  logic [AddrWidth-1:0] query_first;
  logic [AddrWidth-1:0] query_last;
  logic [1:0] query_rights;
  logic query_allowed;
  logic reply_valid;
  logic reply_ready;
  reply_t reply;

  rdma_windows #(
    .Domains  (Pages),
    .Windows  (Windows),
    .AddrWidth(AddrWidth)
  ) u_windows (
    .clk_i       (clk_i),
    .rst_i       (core_rst),
    .ready_o     (guard_ready),
    .set_valid_i (window_set),
    .set_domain_i(regs_out.window.domain.value[PageWidth-1:0]),
    .set_window_i(regs_out.window.slot.value[WindowWidth-1:0]),
    .set_first_i (window_first),
    .set_last_i  (window_last),
    .set_read_i  (regs_out.window.read.value),
    .set_write_i (regs_out.window.write.value),
    .domain_i    (query_domain),
    .first_i     (query_first),
    .last_i      (query_last),
    .rights_i    (query_rights),
    .allowed_o   (query_allowed)
  );

  rdma_guard #(
    .AddrWidth(AddrWidth)
  ) u_guard (
    .clk_i          (clk_i),
    .rst_i          (core_rst),
    .node_i         (node),
    .s_valid_i      (block_valid),
    .s_ready_o      (block_ready),
    .s_use_i        (block_use),
    .s_block_i      (block),
    .m_valid_o      (guarded_valid),
    .m_ready_i      (guarded_ready),
    .m_use_o        (guarded_use),
    .m_block_o      (guarded),
    .query_domain_o (query_domain),
    .query_first_o  (query_first),
    .query_last_o   (query_last),
    .query_rights_o (query_rights),
    .query_allowed_i(query_allowed),
    .sent_valid_i   (left_valid),
    .sent_i         (left),
    .sent_valid_o   (sent_valid),
    .sent_o         (sent),
    .refused_o      (source_refused)
  );

  rdma_send #(
    .AddrWidth  (AddrWidth),
    .BufferWords(BufferWords),
    .BurstWords (BurstWords),
    .Packed     (Packed)
  ) u_send (
    .clk_i          (clk_i),
    .rst_i          (core_rst),
    .node_i         (node),
    .epoch_i        (epoch),
    .hold_i         (stop_q),
    .ready_o        (send_ready),
    .rate_valid_i   (regs_out.command.rate.value && ready),
    .rate_flow_i    (regs_out.rate.flow.value),
    .rate_interval_i(regs_out.rate.interval.value),
    .block_valid_i  (guarded_valid),
    .block_ready_o  (guarded_ready),
    .block_use_i    (guarded_use),
    .block_i        (guarded),
    .packet_valid_i (packet_valid),
    .packet_ready_o (packet_ready),
    .packet_use_i   (packet_use),
    .packet_i       (packet),
    .reply_valid_i  (reply_valid),
    .reply_ready_o  (reply_ready),
    .reply_i        (reply),
    .sent_valid_o   (left_valid),
    .sent_o         (left),
    .packet_o       (packet_left),
    .m_axi_araddr,
    .m_axi_arlen,
    .m_axi_arvalid  (memory_arvalid),
    .m_axi_arready  (memory_arready),
    .m_axi_rdata,
    .m_axi_rresp,
    .m_axi_rvalid   (memory_rvalid),
    .m_axi_rready   (memory_rready),
    .m_axis_tdata,
    .m_axis_tlast,
    .m_axis_tvalid  (out_tvalid),
    .m_axis_tready  (out_tready)
  );

  assign m_axi_arid = 1'b0;
  assign m_axi_arsize = 3'd6;
  assign m_axi_arburst = 2'b01;
  assign m_axi_awid = 1'b0;
  assign m_axi_awsize = 3'd6;
  assign m_axi_awburst = 2'b01;

  // ---- From the network ----
  logic [13:0] counted;
  logic packet_came;
  logic axis_ready;
  assign in_tready = axis_ready && ready;

  rdma_receive #(
    .Senders    (Senders),
    .Domains    (Pages),
    .Windows    (Windows),
    .AddrWidth  (AddrWidth),
    .BufferWords(BufferWords),
    .Tick       (Tick),
    .Packed     (Packed)
  ) u_receive (
    .clk_i           (clk_i),
    .rst_i           (core_rst),
    .ready_o         (receive_ready),
    .node_i          (node),
    .epoch_i         (epoch),
    .forget_i        (regs_out.forget.ticks.value),
    .window_valid_i  (window_set),
    .window_domain_i (regs_out.window.domain.value[PageWidth-1:0]),
    .window_number_i (regs_out.window.slot.value[WindowWidth-1:0]),
    .window_first_i  (window_first),
    .window_last_i   (window_last),
    .window_read_i   (regs_out.window.read.value),
    .window_write_i  (regs_out.window.write.value),
    .counted_o       (counted),
    .packet_o        (packet_came),
    .s_axis_tdata    (s_axis_tdata),
    .s_axis_tlast    (s_axis_tlast),
    .s_axis_tvalid   (in_tvalid && ready),
    .s_axis_tready   (axis_ready),
    .m_axi_awaddr,
    .m_axi_awlen,
    .m_axi_awvalid   (memory_awvalid),
    .m_axi_awready   (memory_awready),
    .m_axi_wdata,
    .m_axi_wstrb,
    .m_axi_wlast,
    .m_axi_wvalid    (memory_wvalid),
    .m_axi_wready    (memory_wready),
    .m_axi_bresp,
    .m_axi_bvalid,
    .m_axi_bready,
    .reply_valid_o   (reply_valid),
    .reply_ready_i   (reply_ready),
    .reply_o         (reply),
    .answer_valid_o  (answer_valid),
    .answer_ready_i  (answer_ready),
    .answer_o        (answer),
    .answer_refused_i(answer_refused)
  );

  // ---- Counters, by their place in `observe` ----
  localparam int unsigned Counters = 64;
  localparam int unsigned RefusedFirst = 48;  // one for each page
  localparam int unsigned CounterWidth = $clog2(Counters);
  // verilog_format: off
  localparam logic [Counters-1:0][7:0] Widths = {{16{8'd1}}, {20{8'd0}}, {28{8'd1}}};
  // verilog_format: on

  logic [Counters-1:0] increments;
  always_comb begin
    increments = '0;
    increments[12:0] = counted[12:0];
    increments[13] = dropped;
    increments[14] = repeated;
    increments[15] = gave_up;
    increments[16] = finish && !finish_read && !finish_error;
    increments[17] = finish && !finish_read && finish_error;
    increments[18] = finish && finish_read;
    increments[19] = source_refused;
    increments[20] = packet_left;
    increments[21] = m_axis_tvalid && m_axis_tready;
    increments[22] = m_axis_tvalid && !m_axis_tready;
    increments[23] = packet_came;
    increments[24] = s_axis_tvalid && s_axis_tready;
    increments[25] = s_axis_tvalid && !s_axis_tready && ready;
    increments[26] = fault;
    increments[27] = counted[13];
    for (int unsigned page = 0; page < Pages; page++) begin
      increments[RefusedFirst+page] = refused && 32'(refused_page) == page;
    end
  end

  logic rd_req;
  logic rd_ack;
  logic [CounterWidth-1:0] rd_addr;
  logic [63:0] rd_data;
  logic unused_lost;

  prim_counter_bank #(
    .Count    (Counters),
    .Width    (64),
    .IncWidths(Widths)
  ) u_counters (
    .clk_i    (clk_i),
    .rst_i    (core_rst),
    .clear_i  (regs_out.command.clear.value),
    .inc_i    (increments),
    .rd_req_i (rd_req),
    .rd_addr_i(rd_addr),
    .rd_ack_o (rd_ack),
    .rd_data_o(rd_data)
  );

  prim_page_reader #(
    .AddrWidth(9),
    .Timeout  (256)
  ) u_reader (
    .bus_clk_i    (clk_i),
    .bus_rst_i    (rst_i),
    .bus_req_i    (regs_out.observe.req),
    .bus_write_i  (regs_out.observe.req_is_wr),
    .bus_addr_i   (regs_out.observe.addr),
    .bus_rd_ack_o (regs_in.observe.rd_ack),
    .bus_wr_ack_o (regs_in.observe.wr_ack),
    .bus_lost_o   (unused_lost),
    .bus_rd_data_o(regs_in.observe.rd_data),
    .page_clk_i   (clk_i),
    .page_rst_i   (rst_i),
    .page_req_o   (rd_req),
    .page_addr_o  (rd_addr),
    .page_ack_i   (rd_ack),
    .page_data_i  (rd_data)
  );

  // ---- Events ----
  assign regs_in.events.completed.next = finish && !finish_read && !finish_error;
  assign regs_in.events.failed.next = finish && !finish_read && finish_error;
  assign regs_in.events.refused.next = refused;
  assign regs_in.events.outside.next = counted[7] || source_refused;
  assign regs_in.events.memory_error.next = counted[10];
  assign regs_in.events.fault.next = fault;

  logic unused_axi;
  assign unused_axi = ^{m_axi_rid, m_axi_bid};

endmodule
