// SPDX-License-Identifier: Apache-2.0
//
// htsp: the link with its registers, counters and test traffic.
//
// What      htsp_core, and around it what is needed to set it up, watch it and test it over
//           AXI4-Lite.
//                axil_clk_i                       clk_i
//     s_axil ─► htsp_regs ── settings ─────► test traffic ─► htsp_core ─► m_phy_axis
//                   ▲                             │             │
//                   └──── request, word ──── htsp_observe ◄─────┴── state, pulses
//
// Clocks and resets
//           clk_i for all streams, and axil_clk_i for the bus, unrelated to it: the registers
//           answer while clk_i stands still. A user in another clock puts a prim_fifo_async_clear
//           in front of a channel. Settings cross together, so that none is seen half written.
//           arst_i and axil_arst_i are asynchronous, free of glitches, of any length, at any time,
//           and are not lost while a clock stands still. Neither is needed to bring the link up.
//           axil_arst_i resets everything, in either clock as soon as it runs. Until both sides
//           have been cleared (prim_clear) the link is down, op_code_ready is 0, and neither
//           op-codes nor commands nor events cross: none of before comes out after it.
//           arst_i resets the link and its streams alone; packets under way are gone.
//           rst_o (clk_i) is high while the streams are in reset, by either pin and until the
//           settings are there: it resets the users.
//           The register `reset` holds the link down as a lost line does: packets under way end in
//           error, nobody else has to be reset.
// Streams   as htsp_core: one for each channel. m_axis_tvalid and s_axis_tready have some gates
//           behind the core's registers.
// PHY side  as htsp_core. phy_loopback_o to phy_lane_post_o belong to axil_clk_i and go to the
//           transceiver. fec_corrected_i, fec_uncorrected_i: high for one cycle of clk_i for each
//           code word; to be counted.
//           phy_tx_ready_i and phy_rx_ready_i are asynchronous levels, free of glitches, which may
//           change at any time; what lasts less than a cycle of clk_i may be overlooked. They act
//           2 to 3 cycles late. Nothing has to happen sooner: a frame is judged by its end, and
//           one that was cut off when phy_rx_ready_i fell does not fit its footer.
// irq_o     (axil_clk_i) high while an enabled event is set.
// Op-codes  one of the registers goes before one of s_opcode.
// Map       docs/src/htsp-registers.md
//
// Parameters
//   Channels      1 .. 16
//   Bytes         of a beat of all streams: 16, 32 or 64
//   TxDepth       words kept for each channel in front of the transmitter, 4 .. 65535
//   RxDepth       words of the receive buffer of each channel, 16 .. 65535
//   PauseLevel    words from which on the peer is asked to pause, 1 .. RxDepth; a setting
//   ResumeLevel   words below which the pause ends, 1 .. PauseLevel; a setting
//   LocalMac      own address, low byte first on the wire; a setting
//   TestTraffic   0 leaves source and checker out

module htsp
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter int unsigned Bytes = WordBytes,
  parameter int unsigned TxDepth = 32,
  parameter int unsigned RxDepth = 4096,
  parameter int unsigned PauseLevel = RxDepth / 4,
  parameter int unsigned ResumeLevel = RxDepth / 8,
  parameter logic [47:0] LocalMac = 48'h0102_0356_4400,
  parameter bit TestTraffic = 1'b1
) (
  input  logic clk_i,
  input  logic arst_i,
  output logic rst_o,

  input  logic [Channels-1:0][8*Bytes-1:0] s_axis_tdata,
  input  logic [Channels-1:0][  Bytes-1:0] s_axis_tkeep,
  input  logic [Channels-1:0]              s_axis_tlast,
  input  logic [Channels-1:0]              s_axis_tuser,
  input  logic [Channels-1:0]              s_axis_tvalid,
  output logic [Channels-1:0]              s_axis_tready,

  output logic [Channels-1:0][8*Bytes-1:0] m_axis_tdata,
  output logic [Channels-1:0][  Bytes-1:0] m_axis_tkeep,
  output logic [Channels-1:0]              m_axis_tlast,
  output logic [Channels-1:0]              m_axis_tuser,
  output logic [Channels-1:0]              m_axis_tvalid,
  input  logic [Channels-1:0]              m_axis_tready,

  input  logic [127:0] s_opcode_tdata,
  input  logic         s_opcode_tvalid,
  output logic         s_opcode_tready,
  output logic [127:0] m_opcode_tdata,
  output logic         m_opcode_tvalid,

  output logic                link_up_o,
  output logic                remote_ready_o,
  output logic [       127:0] remote_data_o,
  output logic [        15:0] remote_pause_o,
  output logic [Channels-1:0] local_pause_o,

  input  logic               phy_tx_ready_i,
  output logic [8*Bytes-1:0] m_phy_axis_tdata,
  output logic [  Bytes-1:0] m_phy_axis_tkeep,
  output logic               m_phy_axis_tlast,
  output logic               m_phy_axis_tvalid,
  input  logic               m_phy_axis_tready,
  input  logic               phy_rx_ready_i,
  input  logic [8*Bytes-1:0] s_phy_axis_tdata,
  input  logic [  Bytes-1:0] s_phy_axis_tkeep,
  input  logic               s_phy_axis_tlast,
  input  logic               s_phy_axis_tuser,
  input  logic               s_phy_axis_tvalid,
  input  logic               fec_corrected_i,
  input  logic               fec_uncorrected_i,

  output logic [2:0]      phy_loopback_o,
  output logic            phy_reset_rx_o,
  output logic [3:0]      phy_rx_polarity_o,
  output logic [3:0]      phy_tx_polarity_o,
  output logic [3:0][4:0] phy_lane_diff_o,
  output logic [3:0][4:0] phy_lane_pre_o,
  output logic [3:0][4:0] phy_lane_post_o,

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

  if (Channels < 1 || Channels > MaxChannels) begin : gen_bad_channels
    $error("htsp %m: rule 1 <= Channels <= %0d, got %0d", MaxChannels, Channels);
  end
  if (Bytes != 16 && Bytes != 32 && Bytes != 64) begin : gen_bad_bytes
    $error("htsp %m: rule Bytes is 16, 32 or 64, got %0d", Bytes);
  end
  if (TxDepth < 4 || TxDepth > 65535) begin : gen_bad_tx_depth
    $error("htsp %m: rule 4 <= TxDepth <= 65535, got %0d", TxDepth);
  end
  if (RxDepth < 16 || RxDepth > 65535) begin : gen_bad_rx_depth
    $error("htsp %m: rule 16 <= RxDepth <= 65535, got %0d", RxDepth);
  end
  if (PauseLevel < 1 || PauseLevel > RxDepth) begin : gen_bad_pause
    $error("htsp %m: rule 1 <= PauseLevel <= RxDepth (%0d), got %0d", RxDepth, PauseLevel);
  end
  if (ResumeLevel < 1 || ResumeLevel > PauseLevel) begin : gen_bad_resume
    $error("htsp %m: rule 1 <= ResumeLevel <= PauseLevel (%0d), got %0d", PauseLevel, ResumeLevel);
  end

  localparam int unsigned Bits = 8 * Bytes;
  localparam int unsigned IdxWidth = (Channels > 1) ? $clog2(Channels) : 1;
  localparam int unsigned LevelWidth = $clog2(RxDepth + 1);
  localparam int unsigned PrbsWidth = 48;
  localparam int unsigned HoldCycles = 256;
  // The longest read takes 70 + 16 * Channels cycles of clk_i, which may be eight times slower.
  localparam int unsigned ReadTimeout = 8 * (80 + 16 * Channels);

  // ---- Resets: core_rst_q is the link's. u_axil_clear resets crossings: axil_held and bus_rst where
  // they end, axil_clear and bus_clear where they begin ----
  logic axil_rst, axil_held, axil_clear, bus_pin_rst, bus_rst, bus_clear, link_rst;
  logic core_rst_q, settings_valid_q;
  prim_sync_reset u_axil_rst (
    .clk_i (axil_clk_i),
    .arst_i(axil_arst_i),
    .rst_o (axil_rst)
  );
  prim_sync_reset u_bus_rst (
    .clk_i (clk_i),
    .arst_i(axil_arst_i),
    .rst_o (bus_pin_rst)
  );
  prim_sync_reset u_link_rst (
    .clk_i (clk_i),
    .arst_i(arst_i),
    .rst_o (link_rst)
  );
  prim_clear u_axil_clear (
    .a_clk_i  (axil_clk_i),
    .a_rst_i  (axil_rst),
    .a_rst_o  (axil_held),
    .a_clear_o(axil_clear),
    .b_clk_i  (clk_i),
    .b_rst_i  (bus_pin_rst),
    .b_rst_o  (bus_rst),
    .b_clear_o(bus_clear)
  );
  always_ff @(posedge clk_i) core_rst_q <= bus_rst || link_rst || !settings_valid_q;
  assign rst_o = core_rst_q;

  // ---- Registers ----
  htsp_regs_pkg::htsp__in_t  regs_in;
  htsp_regs_pkg::htsp__out_t regs_out;

  htsp_regs u_regs (
    .clk_i (axil_clk_i),
    .rst_i (axil_rst),
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

  assign regs_in.parameters.channels.next = 5'(Channels);
  assign regs_in.parameters.width.next = 7'(Bytes);
  assign regs_in.parameters.test_traffic.next = TestTraffic;
  assign regs_in.buffers.tx_depth.next = 16'(TxDepth);
  assign regs_in.buffers.rx_depth.next = 16'(RxDepth);
  // Settings that begin as the core was built.
  assign regs_in.levels.pause.next = 16'(PauseLevel);
  assign regs_in.levels.pause.we = axil_rst;
  assign regs_in.levels.resume.next = 16'(ResumeLevel);
  assign regs_in.levels.resume.we = axil_rst;
  assign regs_in.local_mac.low.next = LocalMac[31:0];
  assign regs_in.local_mac.low.we = axil_rst;
  assign regs_in.local_mac.high.next = LocalMac[47:32];
  assign regs_in.local_mac.high.we = axil_rst;

  assign irq_o = regs_out.events.intr;
  assign phy_loopback_o = regs_out.control.loopback.value;
  assign phy_reset_rx_o = regs_out.control.reset_rx.value;
  assign phy_rx_polarity_o = regs_out.control.rx_polarity.value;
  assign phy_tx_polarity_o = regs_out.control.tx_polarity.value;
  assign phy_lane_diff_o = {
    regs_out.lane_3.diff.value,
    regs_out.lane_2.diff.value,
    regs_out.lane_1.diff.value,
    regs_out.lane_0.diff.value
  };
  assign phy_lane_pre_o = {
    regs_out.lane_3.pre.value,
    regs_out.lane_2.pre.value,
    regs_out.lane_1.pre.value,
    regs_out.lane_0.pre.value
  };
  assign phy_lane_post_o = {
    regs_out.lane_3.post.value,
    regs_out.lane_2.post.value,
    regs_out.lane_1.post.value,
    regs_out.lane_0.post.value
  };

  // ---- Settings: within their limits, all together, over and over ----
  typedef struct packed {
    logic                   hold;
    logic                   tx_disable;
    logic                   ignore_remote;
    logic                   prbs_source;
    logic                   prbs_check;
    logic [31:0]            null_interval;
    logic [31:0]            alive;
    logic [BlocksWidth-1:0] burst;
    logic [7:0]             stall_limit;
    logic [LevelWidth-1:0]  pause_level;
    logic [LevelWidth-1:0]  resume_level;
    logic [47:0]            local_mac;
    logic [47:0]            broadcast_mac;
    logic [15:0]            ethertype;
    logic [IdxWidth-1:0]    test_channel;
    logic [15:0]            prbs_shortest;
    logic [15:0]            prbs_longest;
    logic [15:0]            prbs_gap;
    logic [30:0]            prbs_seed;
    logic [127:0]           user_data;
  } settings_t;

  logic hold_axil;
  prim_stretch #(
    .Cycles(HoldCycles)
  ) u_hold (
    .clk_i(axil_clk_i),
    .rst_i(axil_rst),
    .d_i  (regs_out.control.reset.value),
    .q_o  (hold_axil)
  );

  logic [127:0] user_data_q;
  always_ff @(posedge axil_clk_i) begin
    if (axil_rst) user_data_q <= '0;
    else if (regs_out.command.user_data.value) begin
      user_data_q <= {
        regs_out.user_data_3.bytes.value,
        regs_out.user_data_2.bytes.value,
        regs_out.user_data_1.bytes.value,
        regs_out.user_data_0.bytes.value
      };
    end
  end

  settings_t given, given_q, settings, settings_q;
  logic given_valid_q, given_ready, settings_valid, unused_ready;
  logic [15:0] pause, resume;
  assign unused_ready = given_ready;  // what does not get in now gets in later
  assign pause = regs_out.levels.pause.value;
  assign resume = regs_out.levels.resume.value;
  always_comb begin
    given.hold = hold_axil;
    given.tx_disable = regs_out.control.tx_disable.value;
    given.ignore_remote = regs_out.control.ignore_remote.value;
    given.prbs_source = regs_out.control.prbs_source.value;
    given.prbs_check = regs_out.control.prbs_check.value;
    given.null_interval = regs_out.null_interval.cycles.value;
    given.alive = regs_out.alive.cycles.value;
    if (regs_out.alive.cycles.value == '0) given.alive = 32'd1;
    given.burst = regs_out.burst.words.value;
    if (regs_out.burst.words.value == '0) given.burst = BlocksWidth'(1);
    else if (regs_out.burst.words.value > 8'd128) given.burst = BlocksWidth'(128);
    given.stall_limit = regs_out.burst.stall_limit.value;
    given.pause_level = (pause > 16'(RxDepth)) ? LevelWidth'(RxDepth) : LevelWidth'(pause);
    given.resume_level = (resume > pause) ? given.pause_level :
        (resume > 16'(RxDepth)) ? LevelWidth'(RxDepth) : LevelWidth'(resume);
    given.local_mac = {regs_out.local_mac.high.value, regs_out.local_mac.low.value};
    given.broadcast_mac = {regs_out.broadcast_mac.high.value, regs_out.broadcast_mac.low.value};
    given.ethertype = regs_out.ethertype.value.value;
    given.test_channel = '0;
    if (32'(regs_out.test_channel.channel.value) < Channels) begin
      given.test_channel = IdxWidth'(regs_out.test_channel.channel.value);
    end
    given.prbs_shortest = regs_out.prbs_length.shortest.value;
    given.prbs_longest = regs_out.prbs_length.longest.value;
    given.prbs_gap = regs_out.prbs_gap.gap.value;
    given.prbs_seed = regs_out.prbs_seed.seed.value;
    given.user_data = user_data_q;
  end
  always_ff @(posedge axil_clk_i) begin
    given_q       <= given;
    given_valid_q <= !axil_rst && !axil_held;
  end

  prim_fifo_async #(
    .Width($bits(settings_t)),
    .Depth(4)
  ) u_settings (
    .s_clk_i     (axil_clk_i),
    .s_rst_i     (axil_clear),
    .s_valid_i   (given_valid_q),
    .s_ready_o   (given_ready),
    .s_data_i    (given_q),
    .m_clk_i     (clk_i),
    .m_sync_clk_i(clk_i),
    .m_rst_i     (bus_rst),
    .m_valid_o   (settings_valid),
    .m_ready_i   (1'b1),
    .m_data_o    (settings)
  );
  always_ff @(posedge clk_i) begin
    if (settings_valid) settings_q <= settings;
    if (bus_rst) settings_valid_q <= 1'b0;
    else if (settings_valid) settings_valid_q <= 1'b1;
  end

  // ---- Commands ----
  logic clear, measure;
  prim_sync_notice u_clear (
    .src_clk_i  (axil_clk_i),
    .src_rst_i  (axil_clear),
    .src_event_i(regs_out.command.clear.value && !axil_held),
    .dst_clk_i  (clk_i),
    .dst_rst_i  (bus_rst),
    .dst_pulse_o(clear)
  );
  prim_sync_notice u_measure (
    .src_clk_i  (axil_clk_i),
    .src_rst_i  (axil_clear),
    .src_event_i(regs_out.command.latency.value && !axil_held),
    .dst_clk_i  (clk_i),
    .dst_rst_i  (bus_rst),
    .dst_pulse_o(measure)
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
  logic [Channels-1:0][Bits-1:0] tx_tdata;
  logic [Channels-1:0][Bytes-1:0] tx_tkeep, rx_tkeep;
  logic [Channels-1:0] tx_tlast, tx_tuser, tx_tvalid, tx_tready;
  logic [Channels-1:0] rx_tlast, rx_tuser, rx_tvalid, rx_tready;
  logic [IdxWidth-1:0] test_channel;
  logic prbs_sync;
  logic [PrbsWidth-1:0] prbs_bytes, prbs_skipped, prbs_bit_errors, prbs_losses;
  assign rx_tkeep = m_axis_tkeep;
  assign rx_tlast = m_axis_tlast;
  assign rx_tuser = m_axis_tuser;

  if (TestTraffic) begin : gen_prbs
    logic [IdxWidth-1:0] channel_q, channel_before_q;
    logic [Channels-1:0] tx_open_q, rx_open_q, tx_open, rx_open;
    logic source_q, check_q, sourcing, checking;
    logic [ Bits-1:0] source_tdata;
    logic [Bytes-1:0] source_tkeep;
    logic source_tlast, source_tvalid;
    assign test_channel = channel_q;

    // Source and checker begin where a packet of their channel ends, and the channel changes while both are
    // off: only then does the port know where the packets of its channel begin.
    for (genvar c = 0; c < Channels; c++) begin : gen_open
      assign tx_open[c] = tx_tvalid[c] ? !(tx_tready[c] && tx_tlast[c]) : tx_open_q[c];
      assign rx_open[c] = rx_tvalid[c] ? !(rx_tready[c] && rx_tlast[c]) : rx_open_q[c];
    end
    always_ff @(posedge clk_i) begin
      channel_before_q <= channel_q;
      if (core_rst_q) begin
        tx_open_q <= '0;
        rx_open_q <= '0;
        source_q  <= 1'b0;
        check_q   <= 1'b0;
        channel_q <= '0;
      end else begin
        tx_open_q <= tx_open;
        rx_open_q <= rx_open;
        source_q  <= settings_q.prbs_source && (source_q || !tx_open[channel_q]);
        check_q   <= settings_q.prbs_check && (check_q || !rx_open[channel_q]);
        if (!settings_q.prbs_source && !settings_q.prbs_check && !source_q && !check_q && !sourcing
            && !checking) begin
          channel_q <= settings_q.test_channel;
        end
      end
    end

    logic [ Bits-1:0] user_tdata;
    logic [Bytes-1:0] user_tkeep;
    logic user_tlast, user_tuser, user_tvalid, user_tready, checker_tready, unused;
    assign unused = ^{user_tdata, user_tkeep, user_tlast, user_tuser, user_tvalid, user_tready,
        checker_tready};
    axis_prbs_port #(
      .Bytes       (Bytes),
      .CounterWidth(PrbsWidth)
    ) u_prbs (
      .clk_i             (clk_i),
      .rst_i             (bus_rst || channel_q != channel_before_q),
      .source_i          (source_q),
      .check_i           (check_q),
      .clear_i           (clear),
      .min_bytes_i       (settings_q.prbs_shortest),
      .max_bytes_i       (settings_q.prbs_longest),
      .gap_i             (settings_q.prbs_gap),
      .seed_i            (settings_q.prbs_seed),
      .s_axis_tdata      ('0),
      .s_axis_tkeep      ('0),
      .s_axis_tlast      (s_axis_tlast[channel_q]),
      .s_axis_tvalid     (s_axis_tvalid[channel_q]),
      .s_axis_tready     (user_tready),
      .m_link_axis_tdata (source_tdata),
      .m_link_axis_tkeep (source_tkeep),
      .m_link_axis_tlast (source_tlast),
      .m_link_axis_tvalid(source_tvalid),
      .m_link_axis_tready(tx_tready[channel_q]),
      .s_link_axis_tdata (m_axis_tdata[channel_q]),
      .s_link_axis_tkeep (m_axis_tkeep[channel_q]),
      .s_link_axis_tlast (rx_tlast[channel_q]),
      .s_link_axis_tuser (rx_tuser[channel_q]),
      .s_link_axis_tvalid(rx_tvalid[channel_q]),
      .s_link_axis_tready(checker_tready),
      .m_axis_tdata      (user_tdata),
      .m_axis_tkeep      (user_tkeep),
      .m_axis_tlast      (user_tlast),
      .m_axis_tuser      (user_tuser),
      .m_axis_tvalid     (user_tvalid),
      .m_axis_tready     (m_axis_tready[channel_q]),
      .sourcing_o        (sourcing),
      .checking_o        (checking),
      .in_sync_o         (prbs_sync),
      .bytes_o           (prbs_bytes),
      .skipped_o         (prbs_skipped),
      .bit_errors_o      (prbs_bit_errors),
      .losses_o          (prbs_losses)
    );

    for (genvar c = 0; c < Channels; c++) begin : gen_channel
      logic tested, checked;
      assign tested = sourcing && channel_q == IdxWidth'(c);
      assign checked = checking && channel_q == IdxWidth'(c);
      assign tx_tdata[c] = tested ? source_tdata : s_axis_tdata[c];
      assign tx_tkeep[c] = tested ? source_tkeep : s_axis_tkeep[c];
      assign tx_tlast[c] = tested ? source_tlast : s_axis_tlast[c];
      assign tx_tuser[c] = !tested && s_axis_tuser[c];
      assign tx_tvalid[c] = tested ? source_tvalid : s_axis_tvalid[c];
      assign s_axis_tready[c] = tx_tready[c] && !tested;
      assign m_axis_tvalid[c] = rx_tvalid[c] && !checked;
      assign rx_tready[c] = m_axis_tready[c] || checked;
    end
  end else begin : gen_no_prbs
    logic unused;
    assign unused = ^{settings_q.prbs_source, settings_q.prbs_check, settings_q.prbs_shortest,
        settings_q.prbs_longest, settings_q.prbs_gap, settings_q.prbs_seed};
    assign test_channel = settings_q.test_channel;
    assign tx_tdata = s_axis_tdata;
    assign tx_tkeep = s_axis_tkeep;
    assign tx_tlast = s_axis_tlast;
    assign tx_tuser = s_axis_tuser;
    assign tx_tvalid = s_axis_tvalid;
    assign s_axis_tready = tx_tready;
    assign m_axis_tvalid = rx_tvalid;
    assign rx_tready = m_axis_tready;
    assign prbs_sync = 1'b0;
    assign prbs_bytes = '0;
    assign prbs_skipped = '0;
    assign prbs_bit_errors = '0;
    assign prbs_losses = '0;
  end

  // ---- The line is ready ----
  logic phy_tx_ready, phy_rx_ready;
  prim_sync_bit u_phy_tx_ready (
    .clk_i,
    .rst_i(bus_rst),
    .d_i  (phy_tx_ready_i),
    .q_o  (phy_tx_ready)
  );
  prim_sync_bit u_phy_rx_ready (
    .clk_i,
    .rst_i(bus_rst),
    .d_i  (phy_rx_ready_i),
    .q_o  (phy_rx_ready)
  );

  // ---- The link ----
  logic [47:0] remote_mac;
  logic [Channels-1:0] tx_cut, tx_bad, rx_overflow, rx_cut, unused_cut;
  logic tx_frame, tx_null, tx_op_code, rx_frame, rx_null, rx_foreign, rx_version, rx_checksum;
  logic rx_damaged, rx_footer_bad, rx_channel, rx_orphan, rx_stale;
  logic [127:0] tx_op_data;
  logic [15:0] tx_frame_bytes, rx_frame_bytes;
  logic [7:0] rx_lost;
  assign unused_cut = rx_cut;  // shows as packets ended in error

  htsp_core #(
    .Channels(Channels),
    .Bytes   (Bytes),
    .TxDepth (TxDepth),
    .RxDepth (RxDepth)
  ) u_core (
    .clk_i            (clk_i),
    .rst_i            (core_rst_q),
    .local_mac_i      (settings_q.local_mac),
    .broadcast_mac_i  (settings_q.broadcast_mac),
    .ethertype_i      (settings_q.ethertype),
    .null_interval_i  (settings_q.null_interval),
    .alive_i          (settings_q.alive),
    .burst_i          (settings_q.burst),
    .stall_limit_i    (settings_q.stall_limit),
    .pause_level_i    (settings_q.pause_level),
    .resume_level_i   (settings_q.resume_level),
    .ignore_remote_i  (settings_q.ignore_remote),
    .tx_disable_i     (settings_q.tx_disable),
    .user_data_i      (settings_q.user_data),
    .s_axis_tdata     (tx_tdata),
    .s_axis_tkeep     (tx_tkeep),
    .s_axis_tlast     (tx_tlast),
    .s_axis_tuser     (tx_tuser),
    .s_axis_tvalid    (tx_tvalid),
    .s_axis_tready    (tx_tready),
    .m_axis_tdata     (m_axis_tdata),
    .m_axis_tkeep     (m_axis_tkeep),
    .m_axis_tlast     (m_axis_tlast),
    .m_axis_tuser     (m_axis_tuser),
    .m_axis_tvalid    (rx_tvalid),
    .m_axis_tready    (rx_tready),
    .s_opcode_tdata   (own_valid ? own_data : s_opcode_tdata),
    .s_opcode_tvalid  (own_valid || s_opcode_tvalid),
    .s_opcode_tready  (op_ready),
    .m_opcode_tdata   (m_opcode_tdata),
    .m_opcode_tvalid  (m_opcode_tvalid),
    .phy_tx_ready_i   (phy_tx_ready && !settings_q.hold),
    .m_phy_axis_tdata (m_phy_axis_tdata),
    .m_phy_axis_tkeep (m_phy_axis_tkeep),
    .m_phy_axis_tlast (m_phy_axis_tlast),
    .m_phy_axis_tvalid(m_phy_axis_tvalid),
    .m_phy_axis_tready(m_phy_axis_tready),
    .phy_rx_ready_i   (phy_rx_ready && !settings_q.hold),
    .s_phy_axis_tdata (s_phy_axis_tdata),
    .s_phy_axis_tkeep (s_phy_axis_tkeep),
    .s_phy_axis_tlast (s_phy_axis_tlast),
    .s_phy_axis_tuser (s_phy_axis_tuser),
    .s_phy_axis_tvalid(s_phy_axis_tvalid),
    .link_up_o        (link_up_o),
    .remote_ready_o   (remote_ready_o),
    .remote_mac_o     (remote_mac),
    .remote_pause_o   (remote_pause_o),
    .remote_data_o    (remote_data_o),
    .local_pause_o    (local_pause_o),
    .tx_cut_o         (tx_cut),
    .tx_bad_o         (tx_bad),
    .tx_frame_o       (tx_frame),
    .tx_null_o        (tx_null),
    .tx_op_code_o     (tx_op_code),
    .tx_op_data_o     (tx_op_data),
    .tx_frame_bytes_o (tx_frame_bytes),
    .rx_overflow_o    (rx_overflow),
    .rx_cut_o         (rx_cut),
    .rx_frame_o       (rx_frame),
    .rx_frame_bytes_o (rx_frame_bytes),
    .rx_null_o        (rx_null),
    .rx_foreign_o     (rx_foreign),
    .rx_version_o     (rx_version),
    .rx_checksum_o    (rx_checksum),
    .rx_damaged_o     (rx_damaged),
    .rx_footer_bad_o  (rx_footer_bad),
    .rx_channel_o     (rx_channel),
    .rx_orphan_o      (rx_orphan),
    .rx_stale_o       (rx_stale),
    .rx_lost_o        (rx_lost)
  );

  // ---- State in the bus's clock ----
  prim_sync_bit u_link_up (
    .clk_i(axil_clk_i),
    .rst_i(axil_held),
    .d_i  (link_up_o),
    .q_o  (regs_in.status.link_up.next)
  );
  prim_sync_bit u_remote_ready (
    .clk_i(axil_clk_i),
    .rst_i(axil_held),
    .d_i  (remote_ready_o),
    .q_o  (regs_in.status.remote_ready.next)
  );
  logic pin_rst_axil;
  prim_sync_reset u_pin_rst_axil (
    .clk_i (axil_clk_i),
    .arst_i(arst_i),
    .rst_o (pin_rst_axil)
  );
  assign regs_in.status.reset_active.next = pin_rst_axil || hold_axil;

  // ---- Observation ----
  logic rd_req, rd_ack;
  logic [ 8:0] rd_addr;
  logic [63:0] rd_data;
  logic [ 6:0] events;

  htsp_observe #(
    .Channels (Channels),
    .Bytes    (Bytes),
    .PrbsWidth(PrbsWidth)
  ) u_observe (
    .clk_i            (clk_i),
    .rst_i            (bus_rst),
    .clear_i          (clear),
    .latency_i        (measure),
    .rd_req_i         (rd_req),
    .rd_addr_i        (rd_addr),
    .rd_ack_o         (rd_ack),
    .rd_data_o        (rd_data),
    .event_o          (events),
    .test_channel_i   (test_channel),
    .tx_tkeep_i       (tx_tkeep),
    .tx_tlast_i       (tx_tlast),
    .tx_tuser_i       (tx_tuser),
    .tx_tvalid_i      (tx_tvalid),
    .tx_tready_i      (tx_tready),
    .rx_tkeep_i       (rx_tkeep),
    .rx_tlast_i       (rx_tlast),
    .rx_tuser_i       (rx_tuser),
    .rx_tvalid_i      (rx_tvalid),
    .rx_tready_i      (rx_tready),
    .phy_tx_ready_i   (phy_tx_ready),
    .phy_rx_ready_i   (phy_rx_ready),
    .fec_corrected_i  (fec_corrected_i),
    .fec_uncorrected_i(fec_uncorrected_i),
    .link_rst_i       (core_rst_q),
    .hold_i           (settings_q.hold),
    .link_up_i        (link_up_o),
    .remote_ready_i   (remote_ready_o),
    .remote_mac_i     (remote_mac),
    .remote_pause_i   (remote_pause_o),
    .remote_data_i    (remote_data_o),
    .local_pause_i    (local_pause_o),
    .tx_op_data_i     (tx_op_data),
    .rx_op_data_i     (m_opcode_tdata),
    .rx_op_valid_i    (m_opcode_tvalid),
    .tx_cut_i         (tx_cut),
    .tx_bad_i         (tx_bad),
    .tx_frame_i       (tx_frame),
    .tx_frame_bytes_i (tx_frame_bytes),
    .tx_null_i        (tx_null),
    .tx_op_code_i     (tx_op_code),
    .rx_overflow_i    (rx_overflow),
    .rx_frame_i       (rx_frame),
    .rx_frame_bytes_i (rx_frame_bytes),
    .rx_null_i        (rx_null),
    .rx_foreign_i     (rx_foreign),
    .rx_version_i     (rx_version),
    .rx_checksum_i    (rx_checksum),
    .rx_damaged_i     (rx_damaged),
    .rx_footer_bad_i  (rx_footer_bad),
    .rx_channel_i     (rx_channel),
    .rx_orphan_i      (rx_orphan),
    .rx_stale_i       (rx_stale),
    .rx_lost_i        (rx_lost),
    .prbs_sync_i      (prbs_sync),
    .prbs_bytes_i     (prbs_bytes),
    .prbs_skipped_i   (prbs_skipped),
    .prbs_bit_errors_i(prbs_bit_errors),
    .prbs_losses_i    (prbs_losses)
  );

  prim_page_reader #(
    .AddrWidth(12),
    .Timeout  (ReadTimeout)
  ) u_reader (
    .bus_clk_i    (axil_clk_i),
    .bus_rst_i    (axil_rst),
    .bus_req_i    (regs_out.observe.req),
    .bus_write_i  (regs_out.observe.req_is_wr),
    .bus_addr_i   (regs_out.observe.addr),
    .bus_rd_ack_o (regs_in.observe.rd_ack),
    .bus_wr_ack_o (regs_in.observe.wr_ack),
    .bus_lost_o   (regs_in.events.observe_lost.next),
    .bus_rd_data_o(regs_in.observe.rd_data),
    .page_clk_i   (clk_i),
    .page_rst_i   (bus_rst),
    .page_req_o   (rd_req),
    .page_addr_o  (rd_addr),
    .page_ack_i   (rd_ack),
    .page_data_i  (rd_data)
  );

  // ---- Events ----
  logic [6:0] noticed;
  for (genvar i = 0; i < 7; i++) begin : gen_event
    prim_sync_notice u_notice (
      .src_clk_i  (clk_i),
      .src_rst_i  (bus_clear),
      .src_event_i(events[i]),
      .dst_clk_i  (axil_clk_i),
      .dst_rst_i  (axil_held),
      .dst_pulse_o(noticed[i])
    );
  end
  assign regs_in.events.link_up.next = noticed[0];
  assign regs_in.events.link_down.next = noticed[1];
  assign regs_in.events.loss.next = noticed[2];
  assign regs_in.events.overflow.next = noticed[3];
  assign regs_in.events.cut.next = noticed[4];
  assign regs_in.events.op_code.next = noticed[5];
  assign regs_in.events.prbs.next = noticed[6];

endmodule
