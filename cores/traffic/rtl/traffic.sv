// SPDX-License-Identifier: Apache-2.0
//
// traffic: a player and a capture of streams for bring-up in hardware, behind AXI4-Lite.
//
// What      Traffic that was written down beat by beat (CSV, docs/src/user-guide.md) is played to
//           the cycle into what is tested; what comes out is recorded with the cycle of each beat,
//           or compared with what was expected.
//                axil_clk_i                              clk_i
//     s_axil ─► traffic_regs ── prim_fifo_async (orders) ──► traffic_orders ─► traffic_player ──►
//                   ▲                                             └──────────► traffic_capture ◄──
//                   └───────── prim_csr ── traffic_observe ◄───────────────────── state, counters
//
// Contract  m_axis as traffic_player, s_axis as traffic_capture; one that is not used is tied:
//           m_axis_tready to 1, s_axis_tvalid to 0. irq_o (axil_clk_i) is high while an enabled
//           event is set. Map: docs/src/traffic-registers.md
// Clocks and resets
//           clk_i for the streams, and axil_clk_i for the bus, unrelated to it: the registers
//           answer while clk_i stands still.
//           arst_i and axil_arst_i are asynchronous, free of glitches, of any length, at any time,
//           and are not lost while a clock stands still.
//           axil_arst_i resets everything (prim_csr). arst_i resets the streams: the memories are
//           empty and nothing plays, the event `cleared` says so.
//           rst_o (clk_i) is high while the streams are in reset, by either pin: a packet that was
//           being played goes no further then, and whoever takes it is reset by rst_o, too.
// Latency   From a write to its effect: the FIFO (2 to 3 edges of clk_i), and 3 more.
//
// Parameters
//   Bytes          of a beat of both streams, 1..1024
//   PlayDepth      beats in the memory of the player, 2..65536
//   CaptureDepth   beats in the memory of the capture, 2..65536
//   CounterWidth   bits of the counters, 8..64
//
// Source    RIFL paper, section 6.A; cores/traffic/README.md

module traffic
  import traffic_pkg::*;
#(
  parameter int unsigned Bytes = 32,
  parameter int unsigned PlayDepth = 512,
  parameter int unsigned CaptureDepth = 512,
  parameter int unsigned CounterWidth = 48
) (
  input  logic clk_i,
  input  logic arst_i,
  output logic rst_o,

  output logic [Bytes*8-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tvalid,
  input  logic               m_axis_tready,

  input  logic [Bytes*8-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tuser,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,

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

  localparam int unsigned EventCount = 5;
  localparam int unsigned AddrWidth = (CaptureDepth > 2) ? $clog2(CaptureDepth) : 1;
  localparam int unsigned LoadWidth = $clog2(PlayDepth + 1);
  localparam int unsigned StoreWidth = $clog2(CaptureDepth + 1);
  localparam int unsigned BeatWidth = 2 + $clog2(Bytes + 1) + 32 + Bytes * 8;

  traffic_regs_pkg::traffic__in_t  regs_in;
  traffic_regs_pkg::traffic__out_t regs_out;

  // ---- Between the bus and the streams; core_rst_q is the reset of the streams ----
  logic axil_rst, axil_held, axil_clear, bus_rst, unused_rst, own_rst, core_rst_q, unused_command;
  logic rd_req, rd_ack;
  logic [ 8:0] rd_addr;
  logic [63:0] rd_data;
  logic [EventCount-1:0] events, noticed;
  prim_csr #(
    .Commands (1),
    .Events   (EventCount),
    .PageWidth(12)
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
    // What acts is ordered: it must not overtake what was written before.
    .bus_command_i (1'b0),
    .core_command_o(unused_command),
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
  traffic_regs u_regs (
    .clk_i (axil_clk_i),
    .rst_i (axil_rst),
    .hwif_i(regs_in),
    .hwif_o(regs_out),
    .*
  );
  assign regs_in.width.bytes.next = 12'(Bytes);
  assign regs_in.width.counters.next = 7'(CounterWidth);
  assign regs_in.play_depth.beats.next = PlayDepth;
  assign regs_in.capture_depth.beats.next = CaptureDepth;
  assign {regs_in.events.cleared.next, regs_in.events.refused.next, regs_in.events.difference.next,
          regs_in.events.capture_full.next, regs_in.events.play_done.next} = noticed;
  assign irq_o = regs_out.events.intr;

  // ---- Orders: each write is one, in the order of the writes ----
  // The value stands in the cycle behind that of the write, and a single pulse then, too.
  logic [6:0] written, written_q;
  logic [31:0] given_q;
  play_action_t play_action;
  capture_action_t capture_action;
  logic given, order_room, order_valid;
  order_t order_given, order;
  assign written = {
    regs_out.window.index.swmod,
    regs_out.expect_runs.n.swmod,
    regs_out.expected.bytes.swmod,
    regs_out.play_runs.n.swmod,
    regs_out.play_beat.bytes.swmod,
    regs_out.cycles.cycles.swmod,
    regs_out.word.data.swmod
  };
  assign play_action = '{
          stop: regs_out.play.stop.value,
          start: regs_out.play.start.value,
          load: regs_out.play.load.value
      };
  assign capture_action = '{
          block: regs_out.capture.block.value,
          stop: regs_out.capture.stop.value,
          compare: regs_out.capture.compare.value,
          record: regs_out.capture.record.value,
          load: regs_out.capture.load.value
      };

  always_comb begin
    given = 1'b1;
    order_given = '{kind: OrderWord, value: regs_out.word.data.value};
    if (written_q[1]) order_given = '{OrderCycles, regs_out.cycles.cycles.value};
    if (written_q[2]) begin
      order_given.kind = OrderPlayBeat;
      order_given.value = 32'({
        regs_out.play_beat.at.value, regs_out.play_beat.last.value, regs_out.play_beat.bytes.value
      });
    end
    if (written_q[3]) order_given = '{OrderPlayRuns, regs_out.play_runs.n.value};
    if (written_q[4]) begin
      order_given.kind = OrderExpect;
      order_given.value = 32'({
        regs_out.expected.mark.value, regs_out.expected.last.value, regs_out.expected.bytes.value
      });
    end
    if (written_q[5]) order_given = '{OrderExpectRuns, regs_out.expect_runs.n.value};
    if (written_q[6]) order_given = '{OrderWindow, regs_out.window.index.value};
    if (play_action != '0) order_given = '{OrderPlay, 32'(play_action)};
    if (capture_action[3:0] != '0) order_given = '{OrderCapture, 32'(capture_action)};
    if (written_q == '0 && play_action == '0 && capture_action[3:0] == '0) given = 1'b0;
  end

  always_ff @(posedge axil_clk_i) begin
    written_q <= axil_rst ? '0 : written;
    if (axil_held) given_q <= '0;
    else if (given && order_room) given_q <= given_q + 1'b1;
  end
  assign regs_in.status.order_ready.next = order_room && !axil_held;
  assign regs_in.orders.count.next = given_q;
  assign regs_in.events.order_lost.next = given && (axil_held || !order_room);

  prim_fifo_async #(
    .Width($bits(order_t)),
    .Depth(16)
  ) u_orders_fifo (
    .s_clk_i     (axil_clk_i),
    .s_rst_i     (axil_clear),
    .s_valid_i   (given && !axil_held),
    .s_ready_o   (order_room),
    .s_data_i    (order_given),
    .m_clk_i     (clk_i),
    .m_sync_clk_i(clk_i),
    .m_rst_i     (bus_rst),
    .m_valid_o   (order_valid),
    .m_ready_i   (1'b1),
    .m_data_o    (order)
  );

  logic [31:0] orders_done, cycles, play_wanted, expect_runs, window;
  logic [Bytes*8-1:0] data;
  beat_head_t head;
  play_action_t play;
  capture_action_t capture;
  logic play_beat, capture_beat, order_refused;
  traffic_orders #(
    .Bytes(Bytes)
  ) u_orders (
    .clk_i         (clk_i),
    .rst_i         (core_rst_q),
    .count_rst_i   (bus_rst),
    .order_valid_i (order_valid),
    .order_i       (order),
    .count_o       (orders_done),
    .data_o        (data),
    .cycles_o      (cycles),
    .head_o        (head),
    .play_beat_o   (play_beat),
    .capture_beat_o(capture_beat),
    .play_runs_o   (play_wanted),
    .expect_runs_o (expect_runs),
    .window_o      (window),
    .play_o        (play),
    .capture_o     (capture),
    .refused_o     (order_refused)
  );

  // ---- The streams ----
  logic now_wraps_q, play_began_seen_q;
  logic [63:0] now_q, play_began_q, capture_began_q;
  logic play_refused, play_began, play_done, playing, stopping;
  logic [LoadWidth-1:0] loaded;
  logic [CounterWidth-1:0] play_beats, play_packets, play_stalled, play_runs;
  traffic_player #(
    .Bytes       (Bytes),
    .Depth       (PlayDepth),
    .CounterWidth(CounterWidth)
  ) u_player (
    .rst_i     (core_rst_q),
    .load_i    (play.load),
    .start_i   (play.start),
    .stop_i    (play.stop),
    .beat_i    (play_beat),
    .data_i    (data),
    .cycles_i  (cycles),
    .head_i    (head),
    .runs_i    (play_wanted),
    .refused_o (play_refused),
    .began_o   (play_began),
    .done_o    (play_done),
    .playing_o (playing),
    .stopping_o(stopping),
    .loaded_o  (loaded),
    .beats_o   (play_beats),
    .packets_o (play_packets),
    .stalled_o (play_stalled),
    .runs_o    (play_runs),
    .*
  );

  logic capture_refused, capture_began, full, differ, recording, comparing, differs, is_full, read;
  logic [StoreWidth-1:0] stored;
  logic [ BeatWidth-1:0] shown;
  logic [CounterWidth-1:0] capture_beats, capture_packets, missed, differences, first;
  traffic_capture #(
    .Bytes       (Bytes),
    .Depth       (CaptureDepth),
    .CounterWidth(CounterWidth)
  ) u_capture (
    .rst_i        (core_rst_q),
    .load_i       (capture.load),
    .record_i     (capture.record),
    .compare_i    (capture.compare),
    .stop_i       (capture.stop),
    .block_i      (capture.block),
    .beat_i       (capture_beat),
    .data_i       (data),
    .cycles_i     (cycles),
    .head_i       (head),
    .runs_i       (expect_runs),
    .now_i        (now_q[31:0]),
    .read_i       (read),
    .index_i      (AddrWidth'(window)),
    .beat_o       (shown),
    .refused_o    (capture_refused),
    .began_o      (capture_began),
    .full_o       (full),
    .differ_o     (differ),
    .recording_o  (recording),
    .comparing_o  (comparing),
    .differs_o    (differs),
    .is_full_o    (is_full),
    .stored_o     (stored),
    .beats_o      (capture_beats),
    .packets_o    (capture_packets),
    .missed_o     (missed),
    .differences_o(differences),
    .first_o      (first),
    .*
  );

  always_ff @(posedge clk_i) begin
    // In two halves: the upper one knows a cycle before that the lower one wraps.
    now_q[31:0]  <= now_q[31:0] + 1'b1;
    now_wraps_q  <= now_q[31:0] == 32'hffff_fffe;
    now_q[63:32] <= now_q[63:32] + 32'(now_wraps_q);
    if (core_rst_q) {now_wraps_q, now_q} <= '0;
    // Cycle 0 of the player is the one behind its pulse.
    play_began_seen_q <= play_began;
    if (play_began_seen_q) play_began_q <= now_q;
    if (capture_began) capture_began_q <= now_q;
    events <= {
      core_rst_q, order_refused || play_refused || capture_refused, differ, full, play_done
    };
    if (bus_rst) events <= '0;
  end

  traffic_observe #(
    .Bytes(Bytes)
  ) u_observe (
    .clk_i(clk_i),
    .rst_i(bus_rst),
    .state_i({differs, is_full, comparing, recording, stopping, playing}),
    .orders_i(orders_done),
    .now_i(now_q),
    .play_i({
      64'(play_runs),
      64'(play_stalled),
      64'(play_packets),
      64'(play_beats),
      play_began_q,
      64'(loaded)
    }),
    .capture_i({
      64'(first),
      64'(differences),
      64'(missed),
      64'(capture_packets),
      64'(capture_beats),
      capture_began_q,
      64'(stored)
    }),
    .read_o(read),
    .in_window_i(!comparing && window < CaptureDepth),
    .beat_i(shown),
    .rd_req_i(rd_req),
    .rd_addr_i(rd_addr),
    .rd_ack_o(rd_ack),
    .rd_data_o(rd_data)
  );

endmodule
