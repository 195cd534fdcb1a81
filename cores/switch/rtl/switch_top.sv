// SPDX-License-Identifier: Apache-2.0
//
// switch_top: the switch with its registers and counters.
//
// What      switch_core, and around it what is needed to load its tables and watch it over
//           AXI4-Lite.
//                axil_clk_i                              clk_i
//     s_axil ─► switch_regs ── prim_fifo_async (routes) ──────► switch_core ◄─► links
//                   ▲      ─── prim_sync_setting (settings) ──►     │
//                   └───────── prim_csr ── switch_observe ◄─────────┴── state, pulses
//
// Clocks and resets
//           clk_i for all streams, and axil_clk_i for the bus, unrelated to it: the registers
//           answer while clk_i stands still.
//           arst_i and axil_arst_i are asynchronous, free of glitches, of any length, at any time,
//           and are not lost while a clock stands still.
//           axil_arst_i resets everything (prim_csr). Until both clocks have run no port opens.
//           arst_i resets the switch alone: what is in it and its tables are forgotten, the event
//           `cleared` asks for new ones. Settings and counters stay.
//           rst_o (clk_i) is high while the switch is in reset, by either pin.
// Contract  Streams and link_up_i as switch_core. irq_o (axil_clk_i) is high while an enabled event
//           is set. Map: docs/src/switch-registers.md
// Latency   as switch_core. A route is in the table some cycles of both clocks after its write.
//
// Parameters
//   as switch_core
//
// Source    cores/switch/README.md

module switch_top
  import switch_pkg::*;
#(
  parameter int unsigned Ports = 4,
  parameter int unsigned Nodes = 64,
  parameter int unsigned VcWords = 126,
  parameter int unsigned MaxWords = 64,
  parameter int unsigned Notices = 8,
  parameter int unsigned DeadCycles = 65536
) (
  input  logic             clk_i,
  input  logic             arst_i,
  output logic             rst_o,
  input  logic [Ports-1:0] link_up_i,

  input  logic [ Ports*WordBits-1:0] s_axis_tdata,
  input  logic [Ports*WordBytes-1:0] s_axis_tkeep,
  input  logic [          Ports-1:0] s_axis_tlast,
  input  logic [          Ports-1:0] s_axis_tuser,
  input  logic [          Ports-1:0] s_axis_tvalid,
  output logic [          Ports-1:0] s_axis_tready,

  output logic [ Ports*WordBits-1:0] m_axis_tdata,
  output logic [Ports*WordBytes-1:0] m_axis_tkeep,
  output logic [          Ports-1:0] m_axis_tlast,
  output logic [          Ports-1:0] m_axis_tvalid,
  input  logic [          Ports-1:0] m_axis_tready,

  input  logic        axil_clk_i,
  input  logic        axil_arst_i,
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

  localparam int unsigned NodeBits = Nodes > 2 ? $clog2(Nodes) : 1;
  localparam int unsigned MarkBits = $clog2(Classes * VcWords + Notices + 1);
  localparam int unsigned EventCount = 6;
  // The longest read takes 8 + 16 * Ports cycles of clk_i, which may be eight times slower.
  localparam int unsigned ReadTimeout = 8 * (16 + 16 * Ports);

  switch_regs_pkg::switch__in_t  regs_in;
  switch_regs_pkg::switch__out_t regs_out;

  // ---- Between the bus and the switch; core_rst_q is the reset of the switch ----
  logic axil_rst, axil_held, axil_clear, bus_rst, unused_rst, own_rst, core_rst_q;
  logic clear, rd_req, rd_ack;
  logic [ 8:0] rd_addr;
  logic [63:0] rd_data;
  logic [EventCount-1:0] events, noticed;
  prim_csr #(
    .Commands (1),
    .Events   (EventCount),
    .PageWidth(12),
    .Timeout  (ReadTimeout)
  ) u_csr (
    .bus_clk_i     (axil_clk_i),
    .bus_arst_i    (axil_arst_i),
    .bus_rst_o     (axil_rst),
    .bus_held_o    (axil_held),
    .bus_clear_o   (axil_clear),
    .core_clk_i    (clk_i),
    .slow_clk_i    (clk_i),
    .core_rst_o    (unused_rst),
    .core_held_o   (bus_rst),
    .bus_command_i (regs_out.command.clear.value),
    .core_command_o(clear),
    .core_event_i  (events),
    .bus_event_o   (noticed),
    .bus_req_i     (regs_out.observe.req),
    .bus_write_i   (regs_out.observe.req_is_wr),
    .bus_addr_i    (regs_out.observe.addr),
    .bus_rd_ack_o  (regs_in.observe.rd_ack),
    .bus_wr_ack_o  (regs_in.observe.wr_ack),
    .bus_lost_o    (regs_in.events.observe_lost.next),
    .bus_rd_data_o (regs_in.observe.rd_data),
    .page_req_o    (rd_req),
    .page_addr_o   (rd_addr),
    .page_ack_i    (rd_ack),
    .page_data_i   (rd_data)
  );

  prim_sync_reset u_own_rst (
    .clk_i (clk_i),
    .arst_i(arst_i),
    .rst_o (own_rst)
  );
  // In reset from the first edge on.
  initial core_rst_q = 1'b1;
  always_ff @(posedge clk_i) core_rst_q <= bus_rst || own_rst;
  assign rst_o = core_rst_q;

  // ---- Registers ----
  switch_regs u_regs (
    .clk_i (axil_clk_i),
    .rst_i (axil_rst),
    .hwif_i(regs_in),
    .hwif_o(regs_out),
    .*
  );
  assign regs_in.parameters.ports.next = 5'(Ports);
  assign regs_in.parameters.max_words.next = 7'(MaxWords);
  assign regs_in.parameters.nodes.next = 17'(Nodes);
  assign regs_in.buffers.vc_words.next = 16'(VcWords);
  assign regs_in.buffers.notices.next = 7'(Notices);
  assign regs_in.dead_time.cycles.next = DeadCycles;
  assign {regs_in.events.cleared.next, regs_in.events.fault.next, regs_in.events.loss.next,
          regs_in.events.dead.next, regs_in.events.closed.next, regs_in.events.opened.next} =
      noticed;
  assign irq_o = regs_out.events.intr;

  // ---- Routes: each write of the register is an entry, in the order of the writes ----
  typedef struct packed {
    logic [15:0] inputs;
    logic [15:0] outputs;
    node_t       node;
  } route_t;
  logic written_q, route_room, route_valid, table_ready, known, taken;
  route_t route;
  always_ff @(posedge axil_clk_i) begin
    written_q <= regs_out.route.node.swmod && !axil_rst;
  end
  assign regs_in.status.route_ready.next = route_room && !axil_held;
  assign regs_in.events.route_lost.next  = written_q && (axil_held || !route_room);

  prim_fifo_async #(
    .Width($bits(route_t)),
    .Depth(4)
  ) u_routes (
    .s_clk_i(axil_clk_i),
    .s_rst_i(axil_clear),
    .s_valid_i(written_q && !axil_held),
    .s_ready_o(route_room),
    .s_data_i({regs_out.ways.inputs.value, regs_out.ways.outputs.value, regs_out.route.node.value}),
    .m_clk_i(clk_i),
    .m_sync_clk_i(clk_i),
    .m_rst_i(bus_rst),
    .m_valid_o(route_valid),
    .m_ready_i(table_ready),
    .m_data_o(route)
  );
  assign known = 17'(route.node) < 17'(Nodes);
  assign taken = route_valid && table_ready && known;

  logic [Ports-1:0] table_write_q, table_data_q;
  logic [NodeBits-1:0] table_addr_q;
  logic table_written_q;
  always_ff @(posedge clk_i) begin
    table_written_q <= taken && !core_rst_q;
    table_write_q <= taken ? Ports'(route.inputs) : '0;
    table_addr_q <= NodeBits'(route.node);
    table_data_q <= Ports'(route.outputs);
  end

  // ---- Settings. Marks: more words than a queue can hold are none ----
  logic [15:0] marks, salt;
  logic unused_settings_valid, unused_settings_changed;
  logic [MarkBits-1:0] mark_words_q;
  prim_sync_setting #(
    .Width    (32),
    .InitValue(32'h0000_ffff)
  ) u_settings (
    .src_clk_i    (axil_clk_i),
    .src_rst_i    (axil_rst),
    .src_value_i  ({regs_out.hash.salt.value, regs_out.marks.words.value}),
    .dst_clk_i    (clk_i),
    .dst_valid_o  (unused_settings_valid),
    .dst_changed_o(unused_settings_changed),
    .dst_value_o  ({salt, marks})
  );
  always_ff @(posedge clk_i) begin
    mark_words_q <= (marks >> MarkBits) != '0 ? '1 : MarkBits'(marks);
  end

  // ---- The switch ----
  port_status_t [Ports-1:0] status;
  port_event_t [Ports-1:0] port_events;
  flow_t [Ports-1:0] flow;
  switch_core #(
    .Ports     (Ports),
    .Nodes     (Nodes),
    .VcWords   (VcWords),
    .MaxWords  (MaxWords),
    .Notices   (Notices),
    .DeadCycles(DeadCycles)
  ) u_core (
    .rst_i        (core_rst_q),
    .table_write_i(table_write_q),
    .table_addr_i (table_addr_q),
    .table_data_i (table_data_q),
    .table_ready_o(table_ready),
    .mark_words_i (mark_words_q),
    .hash_salt_i  (salt),
    .status_o     (status),
    .event_o      (port_events),
    .*
  );

  for (genvar p = 0; p < Ports; p++) begin : gen_flow
    assign flow[p] = '{
            received: s_axis_tvalid[p] && s_axis_tready[p],
            sent: m_axis_tvalid[p] && m_axis_tready[p],
            stalled: m_axis_tvalid[p] && !m_axis_tready[p]
        };
  end

  switch_observe #(
    .Ports(Ports)
  ) u_observe (
    .clk_i        (clk_i),
    .rst_i        (bus_rst),
    .clear_i      (clear),
    .link_up_i    (link_up_i),
    .status_i     (status),
    .event_i      (port_events),
    .flow_i       (flow),
    .table_ready_i(table_ready),
    .table_write_i(table_written_q),
    .rd_req_i     (rd_req),
    .rd_addr_i    (rd_addr),
    .rd_ack_o     (rd_ack),
    .rd_data_o    (rd_data),
    .event_o      (events)
  );

endmodule
