// SPDX-License-Identifier: Apache-2.0
//
// htsp: the link with its registers, counters and test traffic.
//
// What      htsp_core, and around it what is needed to set it up, watch it and test it over
//           AXI4-Lite. Diagram: cores/htsp/README.md, "Shell".
//
// Clocks and resets
//           clk_i for all streams, and axil_clk_i for the bus, unrelated to it: the registers
//           answer while clk_i stands still. A user in another clock puts a prim_fifo_async_clear
//           in front of a channel.
//           arst_i (link and streams; packets under way are gone) and axil_arst_i (everything, as
//           prim_csr) are asynchronous, free of glitches, of any length, at any time, and are not
//           lost while a clock stands still. Neither is needed to bring the link up. Until both
//           clocks have run the link is down, op_code_ready is 0, and neither op-codes nor commands
//           nor events of before come out.
//           rst_o (clk_i) is high while the streams are in reset, by either pin and until the
//           settings are there: it resets the users.
//           The register `reset` holds the link down as a lost line does: packets under way end in
//           error, nobody else has to be reset.
// Contract  Streams as htsp_core: one for each channel. m_axis_tvalid and s_axis_tready have some
//           gates behind the core's registers.
//           PHY side as htsp_core. phy_loopback_o to phy_lane_post_o belong to axil_clk_i and go to
//           the transceiver. fec_corrected_i, fec_uncorrected_i: one cycle of clk_i for each code
//           word.
//           phy_tx_ready_i and phy_rx_ready_i are asynchronous levels, free of glitches, which may
//           change at any time; what lasts less than a cycle of clk_i may be overlooked. They act
//           2 to 3 cycles late. Nothing has to happen sooner: a frame is judged by its end, and
//           one that was cut off when phy_rx_ready_i fell does not fit its footer.
//           irq_o (axil_clk_i) is high while an enabled event is set. An op-code of the registers
//           goes before one of s_opcode. Map: docs/src/htsp-registers.md
//
// Parameters
//   Channels      1 .. 16
//   Bytes         of a beat of all streams: 16, 32 or 64
//   TxDepth       words kept for each channel in front of the transmitter, 4 .. 65535
//   RxDepth       words of the receive buffer of each channel, 16 .. 65535
//   PauseLevel    words from which on the peer is asked to pause, 1 .. RxDepth; a setting
//   Headroom      words that may still come when PauseLevel is reached, <= RxDepth - PauseLevel:
//                 two bursts and the round trip; cores/htsp/README.md, "Pause and buffers"
//   ResumeLevel   words below which the pause ends, 1 .. PauseLevel; a setting
//   LocalMac      own address, low byte first on the wire; a setting
//   TestTraffic   0 leaves source and checker out
//   Tuser         as htsp_core

module htsp
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter int unsigned Bytes = WordBytes,
  parameter int unsigned TxDepth = 32,
  parameter int unsigned RxDepth = 4096,
  parameter int unsigned PauseLevel = RxDepth / 4,
  parameter int unsigned Headroom = 2 * 128 + 256,
  parameter int unsigned ResumeLevel = RxDepth / 8,
  parameter logic [47:0] LocalMac = 48'h0102_0356_4400,
  parameter bit TestTraffic = 1'b1,
  parameter bit Tuser = 1'b0,
  localparam int unsigned UserWidth = Tuser ? TuserWidth : 1
) (
  input  logic                               clk_i,
  input  logic                               arst_i,
  output logic                               rst_o,
  input  logic [Channels-1:0][  8*Bytes-1:0] s_axis_tdata,
  input  logic [Channels-1:0][    Bytes-1:0] s_axis_tkeep,
  input  logic [Channels-1:0]                s_axis_tlast,
  input  logic [Channels-1:0][UserWidth-1:0] s_axis_tuser,
  input  logic [Channels-1:0]                s_axis_tvalid,
  output logic [Channels-1:0]                s_axis_tready,
  output logic [Channels-1:0][  8*Bytes-1:0] m_axis_tdata,
  output logic [Channels-1:0][    Bytes-1:0] m_axis_tkeep,
  output logic [Channels-1:0]                m_axis_tlast,
  output logic [Channels-1:0][UserWidth-1:0] m_axis_tuser,
  output logic [Channels-1:0]                m_axis_tvalid,
  input  logic [Channels-1:0]                m_axis_tready,
  input  logic [       127:0]                s_opcode_tdata,
  input  logic                               s_opcode_tvalid,
  output logic                               s_opcode_tready,
  output logic [       127:0]                m_opcode_tdata,
  output logic                               m_opcode_tvalid,
  output logic                               link_up_o,
  output logic                               remote_ready_o,
  output logic [       127:0]                remote_data_o,
  output logic [        15:0]                remote_pause_o,
  output logic [Channels-1:0]                local_pause_o,
  input  logic                               phy_tx_ready_i,
  output logic [ 8*Bytes-1:0]                m_phy_axis_tdata,
  output logic [   Bytes-1:0]                m_phy_axis_tkeep,
  output logic                               m_phy_axis_tlast,
  output logic                               m_phy_axis_tvalid,
  input  logic                               m_phy_axis_tready,
  input  logic                               phy_rx_ready_i,
  input  logic [ 8*Bytes-1:0]                s_phy_axis_tdata,
  input  logic [   Bytes-1:0]                s_phy_axis_tkeep,
  input  logic                               s_phy_axis_tlast,
  input  logic                               s_phy_axis_tuser,
  input  logic                               s_phy_axis_tvalid,
  input  logic                               fec_corrected_i,
  input  logic                               fec_uncorrected_i,
  output logic [         2:0]                phy_loopback_o,
  output logic                               phy_reset_rx_o,
  output logic [         3:0]                phy_rx_polarity_o,
  output logic [         3:0]                phy_tx_polarity_o,
  output logic [         3:0][          4:0] phy_lane_diff_o,
  output logic [         3:0][          4:0] phy_lane_pre_o,
  output logic [         3:0][          4:0] phy_lane_post_o,
  input  logic                               axil_clk_i,
  input  logic                               axil_arst_i,
  input  logic [        12:0]                s_axil_awaddr,
  input  logic [         2:0]                s_axil_awprot,
  input  logic                               s_axil_awvalid,
  output logic                               s_axil_awready,
  input  logic [        31:0]                s_axil_wdata,
  input  logic [         3:0]                s_axil_wstrb,
  input  logic                               s_axil_wvalid,
  output logic                               s_axil_wready,
  output logic [         1:0]                s_axil_bresp,
  output logic                               s_axil_bvalid,
  input  logic                               s_axil_bready,
  input  logic [        12:0]                s_axil_araddr,
  input  logic [         2:0]                s_axil_arprot,
  input  logic                               s_axil_arvalid,
  output logic                               s_axil_arready,
  output logic [        31:0]                s_axil_rdata,
  output logic [         1:0]                s_axil_rresp,
  output logic                               s_axil_rvalid,
  input  logic                               s_axil_rready,
  output logic                               irq_o
);

  localparam int unsigned IdxWidth = (Channels > 1) ? $clog2(Channels) : 1;
  // The longest read takes 70 + 16 * Channels cycles of clk_i, which may be eight times slower.
  localparam int unsigned ReadTimeout = 8 * (80 + 16 * Channels);

  htsp_regs_pkg::htsp__in_t  regs_in;
  htsp_regs_pkg::htsp__out_t regs_out;

  // ---- Between the bus and the link; rst_o is the reset of the link ----
  logic axil_rst, axil_held, axil_clear, bus_rst, unused_rst, link_rst;
  logic clear, measure, rd_req, rd_ack;
  logic [ 8:0] rd_addr;
  logic [63:0] rd_data;
  logic [6:0] events, noticed;
  prim_csr #(
    .Commands (2),
    .Events   (7),
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
    .bus_command_i ({regs_out.command.latency.value, regs_out.command.clear.value}),
    .core_command_o({measure, clear}),
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

  logic settings_valid, hold_axil;
  settings_t settings;
  prim_sync_reset u_link_rst (
    .clk_i (clk_i),
    .arst_i(arst_i),
    .rst_o (link_rst)
  );
  initial rst_o = 1'b1;  // from the first edge on
  always_ff @(posedge clk_i) rst_o <= bus_rst || link_rst || !settings_valid;

  // ---- Registers ----
  htsp_regs u_regs (
    .clk_i (axil_clk_i),
    .rst_i (axil_rst),
    .hwif_i(regs_in),
    .hwif_o(regs_out),
    .*
  );

  assign regs_in.parameters.channels.next = 5'(Channels);
  assign regs_in.parameters.width.next = 7'(Bytes);
  assign regs_in.parameters.test_traffic.next = TestTraffic;
  assign regs_in.parameters.tuser.next = Tuser;
  assign regs_in.buffers.tx_depth.next = 16'(TxDepth);
  assign regs_in.buffers.rx_depth.next = 16'(RxDepth);
  // Settings that begin as the core was built.
  assign regs_in.levels.pause = '{next: 16'(PauseLevel), we: axil_rst};
  assign regs_in.levels.resume = '{next: 16'(ResumeLevel), we: axil_rst};
  assign regs_in.local_mac.low = '{next: LocalMac[31:0], we: axil_rst};
  assign regs_in.local_mac.high = '{next: LocalMac[47:32], we: axil_rst};

  assign irq_o = regs_out.events.intr;
  assign phy_loopback_o = regs_out.control.loopback.value;
  assign phy_reset_rx_o = regs_out.control.reset_rx.value;
  assign phy_rx_polarity_o = regs_out.control.rx_polarity.value;
  assign phy_tx_polarity_o = regs_out.control.tx_polarity.value;
  assign {phy_lane_diff_o[0], phy_lane_pre_o[0], phy_lane_post_o[0]} = {
    regs_out.lane_0.diff.value, regs_out.lane_0.pre.value, regs_out.lane_0.post.value
  };
  assign {phy_lane_diff_o[1], phy_lane_pre_o[1], phy_lane_post_o[1]} = {
    regs_out.lane_1.diff.value, regs_out.lane_1.pre.value, regs_out.lane_1.post.value
  };
  assign {phy_lane_diff_o[2], phy_lane_pre_o[2], phy_lane_post_o[2]} = {
    regs_out.lane_2.diff.value, regs_out.lane_2.pre.value, regs_out.lane_2.post.value
  };
  assign {phy_lane_diff_o[3], phy_lane_pre_o[3], phy_lane_post_o[3]} = {
    regs_out.lane_3.diff.value, regs_out.lane_3.pre.value, regs_out.lane_3.post.value
  };

  assign {regs_in.events.prbs.next, regs_in.events.op_code.next, regs_in.events.cut.next,
          regs_in.events.overflow.next, regs_in.events.loss.next, regs_in.events.link_down.next,
          regs_in.events.link_up.next} = noticed;

  htsp_settings #(
    .Channels   (Channels),
    .RxDepth    (RxDepth),
    .PauseLevel (PauseLevel),
    .Headroom   (Headroom),
    .ResumeLevel(ResumeLevel)
  ) u_settings (
    .axil_clk_i,
    .axil_rst_i  (axil_rst),
    .axil_held_i (axil_held),
    .axil_clear_i(axil_clear),
    .regs_i      (regs_out),
    .hold_o      (hold_axil),
    .clk_i,
    .held_i      (bus_rst),
    .valid_o     (settings_valid),
    .settings_o  (settings)
  );

  // ---- Op-codes: those of the registers first ----
  logic own_valid, op_ready, op_code_room;
  logic [127:0] own_data;
  assign regs_in.status.op_code_ready.next = op_code_room && !axil_held;
  prim_fifo_async #(
    .Width(128),
    .Depth(4)
  ) u_op_codes (
    .s_clk_i(axil_clk_i),
    .s_rst_i(axil_clear),
    .s_valid_i(regs_out.command.op_code.value && !axil_held),
    .s_ready_o(op_code_room),
    .s_data_i({
      regs_out.op_code_3.bytes.value,
      regs_out.op_code_2.bytes.value,
      regs_out.op_code_1.bytes.value,
      regs_out.op_code_0.bytes.value
    }),
    .m_clk_i(clk_i),
    .m_sync_clk_i(clk_i),
    .m_rst_i(bus_rst),
    .m_valid_o(own_valid),
    .m_ready_i(op_ready),
    .m_data_o(own_data)
  );
  assign s_opcode_tready = op_ready && !own_valid;

  // ---- Test traffic ----
  logic [Channels-1:0][8*Bytes-1:0] tx_tdata;
  logic [Channels-1:0][Bytes-1:0] tx_tkeep;
  logic [Channels-1:0][UserWidth-1:0] tx_tuser;
  logic [Channels-1:0] tx_tlast, tx_tvalid, tx_tready, rx_tvalid, rx_tready;
  logic [IdxWidth-1:0] test_channel;
  tap_t [1:0][Channels-1:0] taps;
  test_status_t test_status;
  htsp_test #(
    .Channels   (Channels),
    .Bytes      (Bytes),
    .TestTraffic(TestTraffic),
    .Tuser      (Tuser)
  ) u_test (
    .rst_i     (bus_rst),
    .link_rst_i(rst_o),
    .clear_i   (clear),
    .cfg_i     (settings.test),
    .channel_o (test_channel),
    .status_o  (test_status),
    .taps_o    (taps),
    .*
  );

  // ---- The line is ready ----
  logic [1:0] phy_ready;  // transmitter, receiver
  for (genvar i = 0; i < 2; i++) begin : gen_ready
    prim_sync_bit u_ready (
      .clk_i,
      .rst_i(bus_rst),
      .d_i  (i == 0 ? phy_tx_ready_i : phy_rx_ready_i),
      .q_o  (phy_ready[i])
    );
  end

  // ---- The link ----
  link_status_t link;
  flow_t tx_flow, rx_flow;
  rx_faults_t faults;
  channel_events_t channels;
  assign link_up_o       = link.link_up;
  assign remote_ready_o  = link.remote_ready;
  assign remote_data_o   = link.remote_data;
  assign remote_pause_o  = link.remote_pause;
  assign m_opcode_tdata  = rx_flow.op_data;
  assign m_opcode_tvalid = rx_flow.op_code;

  htsp_core #(
    .Channels(Channels),
    .Bytes   (Bytes),
    .TxDepth (TxDepth),
    .RxDepth (RxDepth),
    .Tuser   (Tuser)
  ) u_core (
    .clk_i,
    .rst_i          (rst_o),
    .cfg_i          (settings.link),
    .s_axis_tdata   (tx_tdata),
    .s_axis_tkeep   (tx_tkeep),
    .s_axis_tlast   (tx_tlast),
    .s_axis_tuser   (tx_tuser),
    .s_axis_tvalid  (tx_tvalid),
    .s_axis_tready  (tx_tready),
    .m_axis_tvalid  (rx_tvalid),
    .m_axis_tready  (rx_tready),
    .s_opcode_tdata (own_valid ? own_data : s_opcode_tdata),
    .s_opcode_tvalid(own_valid || s_opcode_tvalid),
    .s_opcode_tready(op_ready),
    .phy_tx_ready_i (phy_ready[0] && !settings.hold),
    .phy_rx_ready_i (phy_ready[1] && !settings.hold),
    .status_o       (link),
    .tx_o           (tx_flow),
    .rx_o           (rx_flow),
    .faults_o       (faults),
    .channels_o     (channels),
    .*
  );

  // ---- State in the bus's clock ----
  logic pin_rst_axil;
  logic [2:0] state;
  for (genvar i = 0; i < 3; i++) begin : gen_state
    prim_sync_bit u_state (
      .clk_i(axil_clk_i),
      .rst_i(axil_held),
      .d_i  (i == 0 ? link_up_o : i == 1 ? remote_ready_o : link.remote_tuser),
      .q_o  (state[i])
    );
  end
  assign {regs_in.status.remote_tuser.next, regs_in.status.remote_ready.next,
          regs_in.status.link_up.next} = state;
  prim_sync_reset u_pin_rst_axil (
    .clk_i (axil_clk_i),
    .arst_i(arst_i),
    .rst_o (pin_rst_axil)
  );
  assign regs_in.status.reset_active.next = pin_rst_axil || hold_axil;

  // ---- Observation ----
  htsp_observe #(
    .Channels(Channels),
    .Bytes   (Bytes)
  ) u_observe (
    .clk_i,
    .rst_i         (bus_rst),
    .clear_i       (clear),
    .latency_i     (measure),
    .test_channel_i(test_channel),
    .rd_req_i      (rd_req),
    .rd_addr_i     (rd_addr),
    .rd_ack_o      (rd_ack),
    .rd_data_o     (rd_data),
    .event_o       (events),
    .taps_i        (taps),
    .flow_i        ({rx_flow, tx_flow}),
    .phy_i         ('{phy_ready[0], phy_ready[1], fec_corrected_i, fec_uncorrected_i}),
    .link_rst_i    (rst_o),
    .hold_i        (settings.hold),
    .link_i        (link),
    .local_pause_i (local_pause_o),
    .faults_i      (faults),
    .channels_i    (channels),
    .test_i        (test_status)
  );

endmodule
