// SPDX-License-Identifier: Apache-2.0
//
// pcs_csr: the registers of a PCS, with FEC or without, behind AXI4-Lite.
//
// What      State and its reason, what arrives at each lane, counters; the mode of the FEC, and
//           whether there is one.
// Contract  state_i to block_error_i: what pcs_rx or pcs_fec_rx says; state_i, lane_i: of its
//           status_t; coded_i: rx_coded_o of pcs_any; signal_i, number_i, inverted_i: of each
//           physical lane. What there is not is 0. mode_o, setting_o: rx_mode_i, rx_setting_i of
//           pcs_any. irq_o is high while an enabled event is set. Map: docs/src/pcs-registers.md
// Clocks and resets
//           rx_clk_i: that of the receiver, mode_o and setting_o too. axil_clk_i: the bus, irq_o;
//           unrelated, and the registers answer while rx_clk_i stands still. axil_arst_i is
//           asynchronous and resets all registers and counters. A reset of the receiver counts as
//           going down.
// Latency   a counter shows an event after two rounds of its bank, 66 cycles
//
// Parameters
//   Fec, Period   what `build` shows; Fec as in pcs_any
//
// Source    IEEE Std 802.3 clauses 82.3 and 91.6 (what has to be shown and counted)

module pcs_csr
  import pcs_regs_pkg::*;
#(
  parameter  int unsigned Fec      = 1,
  parameter  int unsigned Period   = 16384,
  localparam int unsigned Lanes    = 20,
  localparam int unsigned FecLanes = 4
) (
  input  logic                     rx_clk_i,
  input  logic [         3:0]      state_i,
  input  logic [         4:0]      lane_i,
  input  logic                     coded_i,
  input  logic [   Lanes-1:0]      signal_i,
  input  logic [   Lanes-1:0][4:0] number_i,
  input  logic [   Lanes-1:0]      inverted_i,
  input  logic                     corrected_i,
  input  logic                     uncorrectable_i,
  input  logic [FecLanes-1:0][3:0] errors_i,
  input  logic [   Lanes-1:0]      parity_error_i,
  input  logic                     block_error_i,
  output logic [         1:0]      mode_o,
  output logic [         1:0]      setting_o,

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

  localparam int unsigned EventCount = 3;
  localparam int unsigned PageWidth = 10;

  pcs__in_t  regs_in;
  pcs__out_t regs_out;

  // ---- Between the bus and the receiver ----
  logic axil_rst, rx_rst, unused_held, unused_clear, unused_rst;
  logic clear, rd_req, rd_ack;
  logic [PageWidth-4:0] rd_addr;
  logic [63:0] rd_data;
  logic [EventCount-1:0] events, noticed;

  prim_csr #(
    .Commands (1),
    .Events   (EventCount),
    .PageWidth(PageWidth)
  ) u_csr (
    .bus_clk_i     (axil_clk_i),
    .bus_arst_i    (axil_arst_i),
    .bus_rst_o     (axil_rst),
    .bus_held_o    (unused_held),
    .bus_clear_o   (unused_clear),
    .core_clk_i    (rx_clk_i),
    .slow_clk_i    (rx_clk_i),
    .core_rst_o    (unused_rst),
    .core_held_o   (rx_rst),
    .bus_command_i (regs_out.control.clear.value),
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

  logic unused_valid, unused_changed;
  prim_sync_setting #(
    .Width    (4),
    .InitValue({setting_e__auto, mode_e__correct})
  ) u_mode (
    .src_clk_i    (axil_clk_i),
    .src_rst_i    (axil_rst),
    .src_value_i  ({regs_out.control.fec.value, regs_out.control.mode.value}),
    .dst_clk_i    (rx_clk_i),
    .dst_valid_o  (unused_valid),
    .dst_changed_o(unused_changed),
    .dst_value_o  ({setting_o, mode_o})
  );

  pcs_regs u_regs (
    .clk_i (axil_clk_i),
    .rst_i (axil_rst),
    .hwif_i(regs_in),
    .hwif_o(regs_out),
    .*
  );
  localparam int unsigned Shown = (Fec == 1) ? FecLanes : Lanes;
  assign regs_in.build.fec.next = 2'(Fec);
  assign regs_in.build.lanes.next = 5'(Shown);
  assign regs_in.build.period.next = 16'(Period);
  assign {regs_in.events.uncorrectable.next, regs_in.events.down.next, regs_in.events.up.next} =
      noticed;
  assign irq_o = regs_out.events.intr;

  // ---- Counters: at 0x300 in the page ----
  localparam int unsigned Counters = 32;
  localparam int unsigned SymbolsAt = 8;
  localparam int unsigned ParityAt = 12;
  localparam logic [Counters-1:0][7:0] IncWidths = {
    {Lanes{8'd1}}, {FecLanes{8'd4}}, {5{8'd0}}, {3{8'd1}}
  };

  logic counter, counter_ack;
  logic [63:0] count;
  logic [Counters-1:0][3:0] inc;
  assign counter = rd_addr[6:5] == 2'b11;

  always_comb begin
    inc = '0;
    inc[0][0] = corrected_i;
    inc[1][0] = uncorrectable_i;
    inc[2][0] = block_error_i;
    for (int l = 0; l < int'(FecLanes); l++) inc[SymbolsAt+l] = errors_i[l];
    for (int l = 0; l < int'(Lanes); l++) inc[ParityAt+l][0] = parity_error_i[l];
  end

  prim_counter_bank #(
    .Count    (Counters),
    .IncWidth (4),
    .IncWidths(IncWidths)
  ) u_bank (
    .clk_i    (rx_clk_i),
    .rst_i    (rx_rst),
    .clear_i  (clear),
    .inc_i    (inc),
    .rd_req_i (rd_req && counter),
    .rd_addr_i(rd_addr[4:0]),
    .rd_ack_o (counter_ack),
    .rd_data_o(count)
  );

  // ---- State ----
  // A lane is looked at once in a sweep of pcs_bringup: the reason comes up to two of them late,
  // and of several lanes, such as the PCS lanes of one physical lane, not the first one first.
  localparam int unsigned Patience = 64;
  typedef struct packed {
    state_e     state;
    logic [4:0] lane;
  } status_t;
  status_t status_q, down_q;
  logic [$clog2(Patience)-1:0] left_q;  // cycles in which a better reason may come
  logic up, up_q, coded_q, has_been_down_q, now_wraps_q;
  logic [63:0] now_q;
  logic [31:0] downs_q;
  assign up = status_q.state == StateUp;

  always_ff @(posedge rx_clk_i) begin
    status_q <= '{state: state_e'(state_i), lane: lane_i};
    coded_q <= coded_i;
    up_q <= up;
    events <= {uncorrectable_i, up_q && !up, up && !up_q};
    if (left_q != '0) left_q <= left_q - 1'b1;
    if (up_q && !up) begin
      has_been_down_q <= 1'b1;
      left_q <= '1;
      downs_q <= downs_q + 1'b1;
    end
    if ((up_q && !up) || (left_q != '0 && status_q < down_q)) down_q <= status_q;
    // In two halves: the upper one knows a cycle before that the lower one wraps.
    now_q[31:0]  <= now_q[31:0] + 1'b1;
    now_wraps_q  <= now_q[31:0] == 32'hffff_fffe;
    now_q[63:32] <= now_q[63:32] + 32'(now_wraps_q);
    if (rx_rst) begin
      {up_q, has_been_down_q, now_wraps_q, events} <= '0;
      {now_q, downs_q, left_q} <= '0;
      down_q <= '{state: StateNoSignal, lane: '0};
    end
  end

  // ---- The page ----
  localparam logic [PageWidth-4:0] LaneAt = ObserveLane[PageWidth-1:3];
  logic read_q;
  logic [63:0] word, word_q;

  always_comb begin
    unique case (observe_offset_e'({
      rd_addr, 3'd0
    }))
      ObserveState:
      word = {
        23'd0,
        coded_q,
        3'd0,
        down_q.lane,
        4'd0,
        down_q.state,
        7'd0,
        has_been_down_q,
        3'd0,
        status_q.lane,
        4'd0,
        status_q.state
      };
      ObserveNow: word = now_q;
      ObserveDowns: word = 64'(downs_q);
      default: word = '0;
    endcase
    for (int unsigned l = 0; l < Shown; l++) begin
      if (rd_addr == LaneAt + (PageWidth - 3)'(l)) begin
        word = {47'd0, signal_i[l], 7'd0, inverted_i[l], 3'd0, number_i[l]};
      end
    end
  end

  always_ff @(posedge rx_clk_i) begin
    read_q <= rd_req && !counter && !read_q && !rx_rst;
    word_q <= word;
  end
  assign rd_ack  = counter ? counter_ack : read_q;
  assign rd_data = counter ? count : word_q;

endmodule
