// SPDX-License-Identifier: Apache-2.0
//
// rdma: the RDMA engine with quality of service, whole: descriptors in, memory to the network and
// from it, registers.
//
// What      rdma_core with rdma_send and rdma_receive, rdma_guard in front of the send unit,
//           rdma_drain between them and their buses, registers (rdma_regs, rdma_csr).
// Why       Everything that a node needs between its processor, its memory and a network.
// Contract  One clock. s_axi: descriptors and states, see rdma_port. m_axi: memory; one
//           identifier, INCR bursts that do not cross 4096 bytes. m_axis, s_axis: the network;
//           packets in words of 64 bytes, README, "Packets"; it may lose, double, delay and
//           exchange packets, and must not damage them unseen by their CRC; none of this node to
//           itself. net_room_i: classes that have room there, see rdma_frame, else all ones.
//           s_axil: registers. irq_o is high while an enabled event is set. After rst_i nothing is
//           taken but registers, until `enable` is written and `ready` reads 1. `enable` = 0
//           drains: what has begun at memory, users and network comes to its end, then the engine
//           is reset, and `drained` reads 1. rst_i does not wait for that.
// Latency   Last word of a message to the network: 5 cycles, to this node 2; a block 3 and memory
// Source    own design; the engine is the thesis's
//
// Parameters
//   DataWidth, IdWidth, Pages, Priorities, Outstanding, Reserve   see rdma_core
//   Senders, Windows, BufferWords, Packed, CutThrough   see rdma_receive, rdma_congestion
//   AddrWidth    bits of an address of memory, 33 to 48
//   BurstWords, LeadWords, Tick   see rdma_fetch; rdma_admit: the register map says 65536
//   Memory*      width of the memory and attributes of all bursts, see rdma_memory_pins

module rdma
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
  import rdma_bus_pkg::*;
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
  parameter bit CutThrough = 1'b1,
  parameter int unsigned MemoryWidth = 512,
  parameter int unsigned LeadWords = MemoryWidth == 512 ? 1 : 9,
  parameter bit [3:0] MemoryCache = 4'b0011,
  parameter bit [2:0] MemoryProt = 3'b010,
  parameter int unsigned MemoryUserWidth = 1,
  parameter bit [MemoryUserWidth-1:0] MemoryUser = '0,
  localparam int unsigned PortWidth = $clog2(Pages) + 13
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

  output logic                       m_axi_arid,
  output logic [      AddrWidth-1:0] m_axi_araddr,
  output logic [                7:0] m_axi_arlen,
  output logic [                2:0] m_axi_arsize,
  output logic [                1:0] m_axi_arburst,
  output logic [                3:0] m_axi_arcache,
  output logic [                2:0] m_axi_arprot,
  output logic [MemoryUserWidth-1:0] m_axi_aruser,
  output logic                       m_axi_arvalid,
  input  logic                       m_axi_arready,
  input  logic                       m_axi_rid,
  input  logic [    MemoryWidth-1:0] m_axi_rdata,
  input  logic [                1:0] m_axi_rresp,
  input  logic                       m_axi_rlast,
  input  logic                       m_axi_rvalid,
  output logic                       m_axi_rready,
  output logic                       m_axi_awid,
  output logic [      AddrWidth-1:0] m_axi_awaddr,
  output logic [                7:0] m_axi_awlen,
  output logic [                2:0] m_axi_awsize,
  output logic [                1:0] m_axi_awburst,
  output logic [                3:0] m_axi_awcache,
  output logic [                2:0] m_axi_awprot,
  output logic [MemoryUserWidth-1:0] m_axi_awuser,
  output logic                       m_axi_awvalid,
  input  logic                       m_axi_awready,
  output logic [    MemoryWidth-1:0] m_axi_wdata,
  output logic [  MemoryWidth/8-1:0] m_axi_wstrb,
  output logic                       m_axi_wlast,
  output logic                       m_axi_wvalid,
  input  logic                       m_axi_wready,
  input  logic                       m_axi_bid,
  input  logic [                1:0] m_axi_bresp,
  input  logic                       m_axi_bvalid,
  output logic                       m_axi_bready,

  input  logic [  3:0] net_room_i,
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

  if (AddrWidth < 33 || AddrWidth > 48) begin : gen_bad_address
    $error("rdma %m: rule 33 <= AddrWidth <= 48, got %0d", AddrWidth);
  end

  // ---- Registers ----
  rdma_regs_pkg::rdma__in_t regs_in;
  rdma_regs_pkg::rdma__out_t regs_out;
  settings_t settings;
  node_events_t events;
  logic open, stop, drained, ready;  // open: it is out of reset; stop: nothing begins any more
  assign irq_o = regs_out.events.intr;
  rdma_regs u_regs (
    .hwif_i(regs_in),
    .hwif_o(regs_out),
    .*
  );

  rdma_csr #(
    .Pages     (Pages),
    .Priorities(Priorities),
    .Senders   (Senders),
    .Windows   (Windows),
    .AddrWidth (AddrWidth),
    .Packed    (Packed),
    .CutThrough(CutThrough)
  ) u_csr (
    .regs_i     (regs_out),
    .regs_o     (regs_in),
    .settings_o (settings),
    .open_o     (open),
    .stop_o     (stop),
    .drained_i  (drained),
    .ready_i    (ready),
    .events_i   (events),
    .out_valid_i(m_axis_tvalid),
    .out_ready_i(m_axis_tready),
    .in_valid_i (s_axis_tvalid),
    .in_ready_i (s_axis_tready),
    .*
  );

  // ---- Buses at both sides of the drain: e_ of the engine, b_ of the bus ----
  user_req_t e_user_req, b_user_req;
  user_rsp_t e_user_rsp, b_user_rsp;
  memory_req_t e_memory_req, b_memory_req;
  memory_rsp_t e_memory_rsp, b_memory_rsp;
  net_t e_out, e_in;
  logic e_out_ready, e_in_ready;

  rdma_drain #(
    .Bursts(BufferWords)
  ) u_drain (
    .open_i       (open),
    .stop_i       (stop),
    .drained_o    (drained),
    .e_memory_i   (e_memory_req),
    .e_memory_o   (e_memory_rsp),
    .b_memory_o   (b_memory_req),
    .b_memory_i   (b_memory_rsp),
    .e_user_o     (e_user_req),
    .e_user_i     (e_user_rsp),
    .b_user_i     (b_user_req),
    .b_user_o     (b_user_rsp),
    .e_out_i      (e_out),
    .e_out_ready_o(e_out_ready),
    .b_out_o      ({m_axis_tdata, m_axis_tlast, m_axis_tvalid}),
    .b_out_ready_i(m_axis_tready),
    .e_in_o       (e_in),
    .e_in_ready_i (e_in_ready),
    .b_in_i       ({s_axis_tdata, s_axis_tlast, s_axis_tvalid}),
    .b_in_ready_o (s_axis_tready),
    .*
  );

  // ---- The node ----
  logic node_rst, core_ready, send_ready, receive_ready, guard_ready;
  assign node_rst = rst_i || !open;
  assign ready = core_ready && send_ready && receive_ready && guard_ready && !node_rst && !stop;

  logic block_valid, block_ready, packet_valid, packet_ready, sent_valid;
  logic answer_valid, answer_ready, answer_refused;
  block_job_t block, guarded;
  packet_job_t packet;
  sent_t sent, left;
  answer_t   answer;
  answered_t answered;

  rdma_core #(
    .DataWidth  (DataWidth),
    .IdWidth    (IdWidth),
    .Pages      (Pages),
    .Priorities (Priorities),
    .Outstanding(Outstanding),
    .Reserve    (Reserve)
  ) u_core (
    .identity_i      (settings.identity),
    .limits_i        (settings.limits),
    .service_i       (settings.service),
    .block_valid_o   (block_valid),
    .block_ready_i   (block_ready),
    .block_o         (block),
    .packet_valid_o  (packet_valid),
    .packet_ready_i  (packet_ready),
    .packet_o        (packet),
    .sent_valid_i    (sent_valid),
    .sent_i          (sent),
    .answer_valid_i  (answer_valid),
    .answer_ready_o  (answer_ready),
    .answer_i        (answer),
    .answer_refused_o(answer_refused),
    .answered_o      (answered),
    .ready_o         (core_ready),
    .events_o        (events.engine),
    .user_i          (e_user_req),
    .user_o          (e_user_rsp),
    .rst_i           (node_rst),
    .*
  );

  // ---- To the network and to this node itself ----
  logic guarded_valid, guarded_ready, left_valid, reply_valid, reply_ready, own_valid, own_ready;
  reply_t reply;
  piece_t own;  // of a packet to this node itself
  assign events.echo = answered.valid && answered.echo;
  assign events.packet_within = own_valid && own_ready && own.ends;
  rdma_guard #(
    .Domains(Pages),
    .Windows(Windows)
  ) u_guard (
    .rst_i       (node_rst),
    .ready_o     (guard_ready),
    .settings_i  (settings),
    .s_valid_i   (block_valid),
    .s_ready_o   (block_ready),
    .s_job_i     (block),
    .m_valid_o   (guarded_valid),
    .m_ready_i   (guarded_ready),
    .m_job_o     (guarded),
    .sent_valid_i(left_valid),
    .sent_i      (left),
    .sent_valid_o(sent_valid),
    .sent_o      (sent),
    .refused_o   (events.source_refused),
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
    .ready_o       (send_ready),
    .block_valid_i (guarded_valid),
    .block_ready_o (guarded_ready),
    .block_i       (guarded),
    .packet_valid_i(packet_valid),
    .packet_ready_o(packet_ready),
    .packet_i      (packet),
    .reply_valid_i (reply_valid),
    .reply_ready_o (reply_ready),
    .reply_i       (reply),
    .sent_valid_o  (left_valid),
    .sent_o        (left),
    .packet_o      (events.packet_left),
    .answered_i    (answered),
    .slowed_o      (events.slowed),
    .read_o        (e_memory_req.read),
    .read_i        (e_memory_rsp.read),
    .m_axis_o      (e_out),
    .m_axis_ready_i(e_out_ready),
    .own_valid_o   (own_valid),
    .own_ready_i   (own_ready),
    .own_piece_o   (own),
    .hold_i        (stop),
    .room_i        (net_room_i),
    .rst_i         (node_rst),
    .*
  );

  // ---- From the network ----
  rdma_receive #(
    .Senders    (Senders),
    .Domains    (Pages),
    .Windows    (Windows),
    .AddrWidth  (AddrWidth),
    .BufferWords(BufferWords),
    .Tick       (Tick),
    .Packed     (Packed),
    .CutThrough (CutThrough)
  ) u_receive (
    .ready_o         (receive_ready),
    .stray_o         (events.stray),
    .bad_form_o      (events.bad_form),
    .marked_o        (events.marked),
    .events_o        (events.receive),
    .packet_o        (events.packet_came),
    .s_axis_i        (e_in),
    .s_axis_ready_o  (e_in_ready),
    .own_valid_i     (own_valid),
    .own_ready_o     (own_ready),
    .own_piece_i     (own),
    .reply_valid_o   (reply_valid),
    .reply_ready_i   (reply_ready),
    .reply_o         (reply),
    .answer_valid_o  (answer_valid),
    .answer_ready_i  (answer_ready),
    .answer_o        (answer),
    .answer_refused_i(answer_refused),
    .enable_i        (ready),
    .settings_i      (settings),
    .write_o         (e_memory_req.write),
    .write_i         (e_memory_rsp.write),
    .rst_i           (node_rst),
    .*
  );

  // ---- Pins ----
  rdma_user_pins #(
    .DataWidth(DataWidth),
    .IdWidth  (IdWidth),
    .AddrWidth(PortWidth)
  ) u_user_pins (
    .user_o(b_user_req),
    .user_i(b_user_rsp),
    .*
  );

  rdma_memory_pins #(
    .AddrWidth      (AddrWidth),
    .MemoryWidth    (MemoryWidth),
    .MemoryCache    (MemoryCache),
    .MemoryProt     (MemoryProt),
    .MemoryUserWidth(MemoryUserWidth),
    .MemoryUser     (MemoryUser)
  ) u_memory_pins (
    .memory_i(b_memory_req),
    .memory_o(b_memory_rsp),
    .*
  );

endmodule
