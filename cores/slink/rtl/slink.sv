// SPDX-License-Identifier: Apache-2.0
//
// slink: one end of an SLink, with its registers.
//
// What      slink_core, slink_phy and the registers of regs/slink.rdl, with which the published
//           program runs as it is printed.
// Contract  tx_data_o, rx_data_i: 20 raw bits of each lane, bit 0 first on the line; in 64b/66b
//           the low 16 of them, and both clocks are 1/16 of the lane's rate.
//           speed_o, lanes_o, coding_o: for the transceivers, the speed (0: off), the lanes in
//           use, the line code (0: 8b/10b). They change while tx_data_o is 0.
//           able_fast_i, able_coding_i: constants, or levels of clk_i: the transceivers can do 5
//           Gb/s, and 16 bits for 64b/66b, for which Blocks has to be set.
//           m_axi: AXI4; bursts of at most 16 beats, of one ID, so that AXI3 takes them.
//           s_axil: AXI4-Lite. irq_o: an enabled event.
//           A start that is written together with the end of a reset, or before the session is up,
//           is kept until then.
// Clocks and resets
//           rx_clk_i: rx_data_i. It is the clock of the words that arrive, and may be slow or stand
//           still at any time. clk_i: all else; 125 MHz at 2.5 Gb/s and 250 MHz at 5 Gb/s a lane.
//           arst_i is asynchronous, free of glitches, of any length, at any time: it resets
//           everything, the side of rx_clk_i as soon as that runs. No word that arrived before it
//           counts after it.
//           rst_o: the synchronous reset of registers and both buses that comes of it; what is on
//           the other side of the buses has to be reset by it.
// Latency   README.md, "Latency".
//
// Parameters  DataWidth   of the memory's bus, 64 or 128
//             StoreDepth, Outstanding, Timeout, Retries, Period  as in slink_core
//             ElasticDepth, MaxSkew, Blocks  Depth, MaxSkew and Blocks of slink_phy; Blocks is
//                         of use with Switch
//             Switch, Tries  as in slink_core

module slink
  import slink_pkg::*;
#(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned StoreDepth = 512,
  parameter int unsigned Outstanding = 1,
  parameter int unsigned Timeout = 4096,
  parameter int unsigned Retries = 16,
  parameter int unsigned Period = 4096,
  parameter int unsigned ElasticDepth = 64,
  parameter int unsigned MaxSkew = 16,
  parameter bit Blocks = 1'b0,
  parameter bit Switch = 1'b0,
  parameter int unsigned Tries = 8
) (
  input  logic clk_i,
  input  logic arst_i,
  output logic rst_o,

  output logic [      1:0]                 speed_o,
  output logic [Lanes-1:0]                 lanes_o,
  output logic                             coding_o,
  input  logic                             able_fast_i,
  input  logic                             able_coding_i,
  output logic [Lanes-1:0][10*Symbols-1:0] tx_data_o,
  input  logic                             rx_clk_i,
  input  logic [Lanes-1:0][10*Symbols-1:0] rx_data_i,

  output logic [           31:0] m_axi_awaddr,
  output logic [            7:0] m_axi_awlen,
  output logic [            2:0] m_axi_awsize,
  output logic [            1:0] m_axi_awburst,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [  DataWidth-1:0] m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic                   m_axi_wlast,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  input  logic [            1:0] m_axi_bresp,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready,
  output logic [           31:0] m_axi_araddr,
  output logic [            7:0] m_axi_arlen,
  output logic [            2:0] m_axi_arsize,
  output logic [            1:0] m_axi_arburst,
  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  input  logic [  DataWidth-1:0] m_axi_rdata,
  input  logic [            1:0] m_axi_rresp,
  input  logic                   m_axi_rlast,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready,

  input  logic [ 5:0] s_axil_awaddr,
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
  input  logic [ 5:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic        irq_o
);

  localparam int unsigned HoldCycles = 16;

  // ---- Registers ----
  slink_regs_pkg::slink__in_t regs_in;
  slink_regs_pkg::slink__out_t regs_out;
  logic rst;

  prim_sync_reset u_rst (
    .clk_i,
    .arst_i,
    .rst_o(rst)
  );
  assign rst_o = rst;

  slink_regs u_regs (
    .clk_i,
    .rst_i (rst),
    .hwif_i(regs_in),
    .hwif_o(regs_out),
    .*
  );

  // ---- Reset: by the pin, or by software for HoldCycles at least ----
  logic off, stop_q, stopped, hold, core_rst_q, lanes_rst_q;
  logic [11:0] session_q;
  line_status_t line;

  // In reset from the first edge on.
  initial begin
    {core_rst_q, lanes_rst_q} = '1;
    session_q = '0;
  end

  assign off = regs_out.control.run.value == 2'd0 || regs_out.control.run.value == 2'd3;

  prim_stretch #(
    .Cycles(HoldCycles)
  ) u_hold (
    .clk_i,
    .rst_i(rst),
    .d_i  (stop_q && stopped),
    .q_o  (hold)
  );

  always_ff @(posedge clk_i) begin
    // The memory gets what it was promised first.
    stop_q      <= !rst && (off || (stop_q && !stopped));
    core_rst_q  <= rst || hold;
    lanes_rst_q <= rst || hold || line.silent;
    // Time goes on in a reset: each one makes another session.
    session_q   <= session_q + 1'b1;
  end

  // ---- Operations ----
  logic start_q, starts, given_up, full, busy, busy_q, up, up_q, damaged, served;
  logic ask_q, aligned, many;
  operations_t operations;
  line_cfg_t line_cfg;
  operation_t operation;
  status_t status;

  assign status = operations.status;
  assign given_up = off || stop_q;
  assign starts = start_q && !stop_q && !hold && !core_rst_q && !line.busy;
  assign full = (regs_out.control.start.value && !off) || start_q || (operations.full && !given_up);
  assign busy = (regs_out.control.start.value && !off) || start_q || (operations.busy && !given_up);

  assign many = regs_out.mode.lanes.value > line.line.lanes;
  assign operation = '{
          local_address: regs_out.local_address.address.value,
          remote_address: regs_out.remote_address.address.value,
          beats: regs_out.mode.length.value,
          // More than there are: none that is known, so that it is refused.
          lanes:
          many
          ?
          '1
          :
          regs_out.mode.lanes.value,
          crc: regs_out.mode.crc.value,
          read: regs_out.mode.read.value
      };

  always_ff @(posedge clk_i) begin
    if (rst || off) start_q <= 1'b0;
    else if (regs_out.control.start.value && !start_q && !(operations.full && !given_up))
      start_q <= 1'b1;
    else if (starts) start_q <= 1'b0;
    ask_q  <= regs_out.wanted.speed.swmod;
    busy_q <= busy && !rst;
    up_q   <= up && !rst;
  end

  assign regs_in.status.busy.next = busy;
  assign regs_in.status.done.next = status.done && !busy;
  assign regs_in.status.damaged.next = status.damaged;
  assign regs_in.status.exhausted.next = status.exhausted && !busy;
  assign regs_in.status.silent.next = status.silent && !busy;
  assign regs_in.status.refused.next = status.refused && !busy;
  assign regs_in.status.reset.next = status.reset && !busy;
  assign regs_in.status.up.next = up;
  assign regs_in.status.retries.next = status.retries;
  assign regs_in.status.progress.next = status.progress;
  assign regs_in.events.ended.next = (busy_q && !busy) || (operations.ended && !given_up);
  assign regs_in.queue.full.next = full;
  assign regs_in.queue.most.next = 3'(Outstanding);
  assign regs_in.queue.started.next = operations.started;
  assign regs_in.queue.outcome_0.next = operations.outcomes[0];
  assign regs_in.queue.outcome_1.next = operations.outcomes[1];
  assign regs_in.queue.outcome_2.next = operations.outcomes[2];
  assign regs_in.queue.outcome_3.next = operations.outcomes[3];
  assign regs_in.events.served.next = served;
  assign regs_in.events.damaged.next = damaged;
  assign regs_in.events.up.next = up && !up_q;
  assign regs_in.events.down.next = !up && up_q;
  assign regs_in.line.busy.next = line.busy;
  assign regs_in.line.result.next = line.result;
  assign regs_in.events.changed.next = line.changed;
  assign {regs_in.line.coding.next, regs_in.line.lanes.next, regs_in.line.speed.next} =
      Switch ? line.line : '0;
  assign irq_o = regs_out.events.intr;

  // ---- What the lanes can, and are to do ----
  always_comb begin
    line_cfg = '{
        start: '{coding: 1'b0, lanes: 3'd0, speed: regs_out.control.run.value},
        able_lanes: 3'd0,
        able_fast: able_fast_i,
        able_coding: Blocks && able_coding_i,
        ask: ask_q,
        wanted: '{
            coding: regs_out.wanted.coding.value,
            lanes: regs_out.wanted.lanes.value,
            speed: regs_out.wanted.speed.value
        }
    };
    if (regs_out.lanes.wired.value[1]) begin
      line_cfg.able_lanes = regs_out.lanes.wired.value[3] ? 3'd2 : 3'd1;
    end
    line_cfg.start.lanes = line_cfg.able_lanes;
  end

  // ---- Controller ----
  logic hold_packets, idle, ready, arrives;
  tx_word_t tx_word;
  rx_word_t rx_word;
  axi_write_req_t write_req;
  axi_read_req_t read_req;

  slink_core #(
    .DataWidth  (DataWidth),
    .StoreDepth (StoreDepth),
    .Outstanding(Outstanding),
    .Timeout    (Timeout),
    .Retries    (Retries),
    .Period     (Period),
    .Switch     (Switch),
    .Tries      (Tries)
  ) u_core (
    .clk_i,
    .rst_i(core_rst_q),
    .stop_i(given_up),
    .stopped_o(stopped),
    .session_i(session_q),
    .window_i('{first: regs_out.window_first.page.value, last: regs_out.window_last.page.value}),
    .start_i(starts),
    .operation_i(operation),
    .operations_o(operations),
    .up_o(up),
    .damaged_o(damaged),
    .served_o(served),
    .line_i(line_cfg),
    .line_o(line),
    .aligned_i(aligned),
    .hold_i(hold_packets),
    .m_ready_i(ready),
    .m_data_o(tx_word),
    .m_idle_o(idle),
    .s_valid_i(arrives),
    .s_data_i(rx_word),
    .write_o(write_req),
    .write_i('{m_axi_awready, m_axi_wready, m_axi_bresp, m_axi_bvalid}),
    .read_o(read_req),
    .read_i('{m_axi_arready, MaxDataWidth'(m_axi_rdata), m_axi_rresp, m_axi_rlast, m_axi_rvalid})
  );

  assign {m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awvalid} = {
    write_req.aw, write_req.awvalid
  };
  assign m_axi_wdata = DataWidth'(write_req.wdata);
  assign m_axi_wstrb = (DataWidth / 8)'(write_req.wstrb);
  assign {m_axi_wlast, m_axi_wvalid, m_axi_bready} = {
    write_req.wlast, write_req.wvalid, write_req.bready
  };
  assign {m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_arvalid, m_axi_rready} =
      read_req;

  // ---- Lanes ----
  logic overflow;
  raw_t raw;

  assign lanes_o = regs_out.lanes.wired.value &
      Lanes'((9'd1 << (4'd1 << line.line.lanes[1:0])) - 1'b1);
  assign speed_o = off ? 2'd0 : line.line.speed;
  assign coding_o = line.line.coding;
  assign tx_data_o = lanes_rst_q ? '0 : raw;

  slink_phy #(
    .Blocks (Blocks),
    .Depth  (ElasticDepth),
    .MaxSkew(MaxSkew)
  ) u_phy (
    .clk_i,
    .rst_i     (lanes_rst_q),
    .coding_i  (coding_o),
    .use_i     (lanes_o),
    .s_data_i  (tx_word),
    .s_idle_i  (idle),
    .s_ready_o (ready),
    .hold_o    (hold_packets),
    .tx_data_o (raw),
    .m_valid_o (arrives),
    .m_data_o  (rx_word),
    .up_o      (aligned),
    .rx_clk_i,
    .rx_data_i,
    .overflow_o(overflow)
  );

  // A lost word damages its packet. A bus of 64 bits has half the data.
  logic unused;
  assign unused = &{overflow, write_req};

endmodule
