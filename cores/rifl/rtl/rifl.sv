// SPDX-License-Identifier: Apache-2.0
//
// rifl: the link with its registers, counters, error injection and test traffic.
//
// What: rifl_link, and around it what is needed to set it up, watch it and test it over AXI4-Lite.
//
//             axil_clk_i                      user_clk_i                phy_tx_clk_i
//   s_axil ─► rifl_regs ──settings──► axis_prbs_port ─► rifl_link ─► rifl_error_inject ─► phy_tx
//                 ▲                        │                │
//                 └──── request, word ── rifl_observe ◄─────┴── state, pulses
//
// Clocks: those of rifl_link, and axil_clk_i for the bus, unrelated to them: the registers answer while the
// transceiver's clocks stand still, which is when they are needed most, and the bus keeps its own
// slow clock. Only one word at a time crosses from the user's clock (prim_page_reader), so the counters
// cost no synchroniser each.
// Resets: asynchronous, any pulse that a flip-flop understands. axil_arst_i resets registers and counters;
// arst_i the link alone, as does the register; see rifl_link for its contract. What crosses between the bus
// and the user's clock is cleared on both sides (prim_clear).
// Extended mode: as rifl_link; allowed by a register, a change of which starts a new session.
// User side, PHY side: as rifl_link. m_axis_* is combinational behind the link's register. phy_tx_data_o
// has one exclusive-or behind the link's register. phy_loopback_o belongs to axil_clk_i and goes to the
// transceiver. link_up_o is low while a receiver is not up, in extended mode as well, where the session
// lives on.
// irq_o (axil_clk_i): high while an enabled event is set.
// Settings of error injection and of test packets reach their clocks whole, each with the bit that turns it on
// (prim_sync_setting); while such a clock stands still they wait.
// Parameters beyond those of rifl_link: OffsetWindow, see rifl_clock_offset. TestTraffic = 0 leaves source
// and checker out, which are the larger part of the shell.
// Map: docs/src/rifl-registers.md.

module rifl
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned Lanes = 1,
  parameter int unsigned FrameWidth = 256,
  parameter int unsigned UserWidth = FrameWidth,
  parameter int unsigned IdWidth = 6,
  parameter int unsigned UpFrames = 128,
  parameter bit Extended = 1'b1,
  parameter bit DelayedRelease = 1'b0,
  parameter int unsigned LineRate = 0,  // of one lane, units of 10 Mb/s, 0: not told
  parameter int unsigned OffsetWindow = 20,  // 6..24
  parameter bit TestTraffic = 1'b1
) (
  input logic             phy_tx_clk_i,
  input logic             frame_clk_i,
  input logic             user_clk_i,
  input logic [Lanes-1:0] phy_rx_clk_i,
  input logic             arst_i,
  input logic             user_arst_i,
  input logic [     15:0] session_seed_i, // frame_clk_i

  output logic [Lanes*PhyWidth-1:0] phy_tx_data_o,
  input  logic [Lanes*PhyWidth-1:0] phy_rx_data_i,
  output logic [               2:0] phy_loopback_o,

  input  logic [  UserWidth-1:0] s_axis_tdata,
  input  logic [UserWidth/8-1:0] s_axis_tkeep,
  input  logic                   s_axis_tlast,
  input  logic                   s_axis_tvalid,
  output logic                   s_axis_tready,

  output logic [  UserWidth-1:0] m_axis_tdata,
  output logic [UserWidth/8-1:0] m_axis_tkeep,
  output logic                   m_axis_tlast,
  output logic                   m_axis_tuser,
  output logic                   m_axis_tvalid,
  input  logic                   m_axis_tready,

  output logic link_up_o,

  input  logic        axil_clk_i,
  input  logic        axil_arst_i,
  input  logic [11:0] s_axil_awaddr,
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
  input  logic [11:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic        irq_o
);

  localparam int unsigned PrbsWidth = 48;
  localparam int unsigned ResetCycles = 1024;
  // The longest read takes 40 + 16 * Lanes cycles of the user's clock, which may be eight times slower.
  localparam int unsigned ReadTimeout = 8 * (64 + 16 * Lanes);

  rifl_regs_pkg::rifl__in_t  regs_in;
  rifl_regs_pkg::rifl__out_t regs_out;

  // ---- Between the bus and the user's clock ----
  logic axil_rst, observe_rst, clear, rd_req, rd_ack;
  logic [7:0] events, noticed, rd_addr;
  logic [63:0] rd_data;
  logic [ 2:0] unused_held;  // settings cross in prim_sync_setting
  prim_csr #(
    .Commands (1),
    .Events   (8),
    .PageWidth(11),
    .Timeout  (ReadTimeout)
  ) u_csr (
    .bus_clk_i     (axil_clk_i),
    .bus_arst_i    (axil_arst_i),
    .bus_rst_o     (axil_rst),
    .bus_held_o    (unused_held[0]),
    .bus_clear_o   (unused_held[1]),
    .core_clk_i    (user_clk_i),
    .slow_clk_i    (frame_clk_i),
    .core_rst_o    (observe_rst),
    .core_held_o   (unused_held[2]),
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

  // ---- Registers ----
  rifl_regs u_regs (
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

  assign regs_in.parameters.lanes.next = 4'(Lanes);
  assign regs_in.parameters.id_width.next = 4'(IdWidth);
  assign regs_in.parameters.frame_width.next = 12'(FrameWidth);
  assign regs_in.parameters.offset_window.next = 5'(OffsetWindow);
  assign regs_in.parameters.test_traffic.next = TestTraffic;
  assign regs_in.parameters.extended.next = Extended;
  assign regs_in.parameters.delayed_release.next = Extended && DelayedRelease;
  assign regs_in.user.width.next = 16'(UserWidth);
  assign irq_o = regs_out.events.intr;
  assign phy_loopback_o = regs_out.control.loopback.value;

  // ---- Reset of the link, by pin or by register ----
  logic soft_reset, link_arst;
  prim_stretch #(
    .Cycles(ResetCycles)
  ) u_soft_reset (
    .clk_i(axil_clk_i),
    .rst_i(axil_rst),
    .d_i  (regs_out.control.reset.value),
    .q_o  (soft_reset)
  );
  assign link_arst = arst_i || soft_reset;

  prim_sync_reset u_reset_active (
    .clk_i (axil_clk_i),
    .arst_i(link_arst),
    .rst_o (regs_in.status.reset_active.next)
  );
  // Registered, because the link makes it from several flip-flops.
  logic link_up_q;
  always_ff @(posedge user_clk_i) link_up_q <= link_up_o;
  prim_sync_bit u_link_up (
    .clk_i(axil_clk_i),
    .rst_i(axil_rst),
    .d_i  (link_up_q),
    .q_o  (regs_in.status.link_up.next)
  );

  // ---- Settings in the clocks that use them ----
  typedef struct packed {
    logic        source;
    logic        check;
    logic [15:0] shortest;
    logic [15:0] longest;
    logic [15:0] gap;
    logic [30:0] seed;
  } prbs_cfg_t;
  typedef struct packed {
    logic        enable;
    logic [31:0] mantissa;
    logic [4:0]  shift;
    logic [31:0] seed;
  } inject_cfg_t;
  prbs_cfg_t prbs_set, prbs;
  inject_cfg_t inject_set, inject;
  logic link_in_reset;
  assign prbs_set = '{
          source: regs_out.control.prbs_source.value,
          check: regs_out.control.prbs_check.value,
          shortest: regs_out.prbs_length.shortest.value,
          longest: regs_out.prbs_length.longest.value,
          gap: regs_out.prbs_gap.gap.value,
          seed: regs_out.prbs_seed.seed.value
      };
  assign inject_set = '{
          enable: regs_out.control.inject.value,
          mantissa: regs_out.inject_mantissa.mantissa.value,
          shift: regs_out.inject_shift.shift.value,
          seed: regs_out.inject_seed.seed.value
      };

  if (TestTraffic) begin : gen_prbs_setting
    logic [1:0] unused;
    prim_sync_setting #(
      .Width($bits(prbs_cfg_t))
    ) u_setting (
      .src_clk_i    (axil_clk_i),
      .src_rst_i    (axil_rst),
      .src_value_i  (prbs_set),
      .dst_clk_i    (user_clk_i),
      .dst_valid_o  (unused[0]),
      .dst_changed_o(unused[1]),
      .dst_value_o  (prbs)
    );
  end else begin : gen_no_prbs_setting
    logic unused;
    assign unused = ^prbs_set;
    assign prbs   = '0;
  end
  logic [1:0] unused_inject;
  prim_sync_setting #(
    .Width($bits(inject_cfg_t))
  ) u_inject_setting (
    .src_clk_i    (axil_clk_i),
    .src_rst_i    (axil_rst),
    .src_value_i  (inject_set),
    .dst_clk_i    (phy_tx_clk_i),
    .dst_valid_o  (unused_inject[0]),
    .dst_changed_o(unused_inject[1]),
    .dst_value_o  (inject)
  );
  prim_sync_reset u_link_in_reset (
    .clk_i (user_clk_i),
    .arst_i(link_arst),
    .rst_o (link_in_reset)
  );

  // ---- Test traffic ----
  logic [UserWidth-1:0] tx_tdata, rx_tdata;
  logic [UserWidth/8-1:0] tx_tkeep, rx_tkeep;
  logic tx_tlast, tx_tvalid, tx_tready, rx_tlast, rx_tuser, rx_tvalid, rx_tready;
  logic prbs_sync;
  logic [PrbsWidth-1:0] prbs_bytes, prbs_skipped, prbs_bit_errors, prbs_losses;

  if (TestTraffic) begin : gen_prbs
    logic sourcing, checking, unused;
    assign unused = ^{sourcing, checking};
    axis_prbs_port #(
      .Bytes       (UserWidth / 8),
      .CounterWidth(PrbsWidth)
    ) u_prbs (
      .clk_i             (user_clk_i),
      .rst_i             (observe_rst),
      .source_i          (prbs.source),
      .check_i           (prbs.check),
      .clear_i           (clear),
      .min_bytes_i       (prbs.shortest),
      .max_bytes_i       (prbs.longest),
      .gap_i             (prbs.gap),
      .seed_i            (prbs.seed),
      .s_axis_tdata      (s_axis_tdata),
      .s_axis_tkeep      (s_axis_tkeep),
      .s_axis_tlast      (s_axis_tlast),
      .s_axis_tvalid     (s_axis_tvalid),
      .s_axis_tready     (s_axis_tready),
      .m_link_axis_tdata (tx_tdata),
      .m_link_axis_tkeep (tx_tkeep),
      .m_link_axis_tlast (tx_tlast),
      .m_link_axis_tvalid(tx_tvalid),
      .m_link_axis_tready(tx_tready),
      .s_link_axis_tdata (rx_tdata),
      .s_link_axis_tkeep (rx_tkeep),
      .s_link_axis_tlast (rx_tlast),
      .s_link_axis_tuser (rx_tuser),
      .s_link_axis_tvalid(rx_tvalid),
      .s_link_axis_tready(rx_tready),
      .m_axis_tdata      (m_axis_tdata),
      .m_axis_tkeep      (m_axis_tkeep),
      .m_axis_tlast      (m_axis_tlast),
      .m_axis_tuser      (m_axis_tuser),
      .m_axis_tvalid     (m_axis_tvalid),
      .m_axis_tready     (m_axis_tready),
      .sourcing_o        (sourcing),
      .checking_o        (checking),
      .in_sync_o         (prbs_sync),
      .bytes_o           (prbs_bytes),
      .skipped_o         (prbs_skipped),
      .bit_errors_o      (prbs_bit_errors),
      .losses_o          (prbs_losses)
    );
  end else begin : gen_no_prbs
    logic unused;
    assign unused = ^prbs;
    assign tx_tdata = s_axis_tdata;
    assign tx_tkeep = s_axis_tkeep;
    assign tx_tlast = s_axis_tlast;
    assign tx_tvalid = s_axis_tvalid;
    assign s_axis_tready = tx_tready;
    assign m_axis_tdata = rx_tdata;
    assign m_axis_tkeep = rx_tkeep;
    assign m_axis_tlast = rx_tlast;
    assign m_axis_tuser = rx_tuser;
    assign m_axis_tvalid = rx_tvalid;
    assign rx_tready = m_axis_tready;
    assign prbs_sync = 1'b0;
    assign prbs_bytes = '0;
    assign prbs_skipped = '0;
    assign prbs_bit_errors = '0;
    assign prbs_losses = '0;
  end

  // ---- Extended mode: a change of the setting starts a new session, a reset of the bus does not ----
  logic extended, extended_q;
  prim_sync_bit #(
    .ResetValue(1'b1)
  ) u_extended (
    .clk_i(frame_clk_i),
    .rst_i(observe_rst),
    .d_i  (regs_out.control.extended.value),
    .q_o  (extended)
  );
  always_ff @(posedge frame_clk_i) extended_q <= extended;

  // ---- The link ----
  logic [Lanes*PhyWidth-1:0] link_tx_data;
  tx_state_e [Lanes-1:0] tx_state;
  logic [Lanes-1:0] rx_aligned, rx_up, rx_error, rx_pause_req, rx_retrans_req, local_fc, remote_fc;
  logic [Lanes-1:0] compensate, rx_overflow, rx_frame, rx_bad, tx_user, rx_user, injected;
  logic [Lanes-1:0][5:0] rx_slip;
  phase_e phase;
  reason_e reason, peer_reason, shown_reason;
  capabilities_t peer, peer_q;
  logic [15:0] session, peer_session;
  logic link_up, session_ended, tx_cut, rx_cut;
  logic [Lanes-1:0] served, incident;
  logic [Lanes-1:0][IdWidth-1:0] round_trip;
  logic [Lanes-1:0][15:0] round_trip_16;

  rifl_link #(
    .Lanes         (Lanes),
    .FrameWidth    (FrameWidth),
    .UserWidth     (UserWidth),
    .IdWidth       (IdWidth),
    .UpFrames      (UpFrames),
    .Extended      (Extended),
    .DelayedRelease(DelayedRelease),
    .LineRate      (LineRate)
  ) u_link (
    .phy_tx_clk_i     (phy_tx_clk_i),
    .frame_clk_i      (frame_clk_i),
    .user_clk_i       (user_clk_i),
    .phy_rx_clk_i     (phy_rx_clk_i),
    .arst_i           (link_arst),
    .user_arst_i      (user_arst_i),
    .phy_tx_data_o    (link_tx_data),
    .phy_rx_data_i    (phy_rx_data_i),
    .s_axis_tdata     (tx_tdata),
    .s_axis_tkeep     (tx_tkeep),
    .s_axis_tlast     (tx_tlast),
    .s_axis_tvalid    (tx_tvalid),
    .s_axis_tready    (tx_tready),
    .m_axis_tdata     (rx_tdata),
    .m_axis_tkeep     (rx_tkeep),
    .m_axis_tlast     (rx_tlast),
    .m_axis_tuser     (rx_tuser),
    .m_axis_tvalid    (rx_tvalid),
    .m_axis_tready    (rx_tready),
    .link_up_o        (link_up),
    .tx_state_o       (tx_state),
    .rx_aligned_o     (rx_aligned),
    .rx_up_o          (rx_up),
    .rx_error_o       (rx_error),
    .rx_pause_req_o   (rx_pause_req),
    .rx_retrans_req_o (rx_retrans_req),
    .local_fc_o       (local_fc),
    .remote_fc_o      (remote_fc),
    .compensate_o     (compensate),
    .rx_overflow_o    (rx_overflow),
    .rx_slip_o        (rx_slip),
    .rx_frame_o       (rx_frame),
    .rx_bad_o         (rx_bad),
    .tx_user_o        (tx_user),
    .rx_user_o        (rx_user),
    .extended_i       (extended),
    .delayed_release_i(regs_out.control.delayed_release.value),
    .restart_i        (extended != extended_q),
    .session_seed_i   (session_seed_i),
    .phase_o          (phase),
    .reason_o         (reason),
    .peer_reason_o    (peer_reason),
    .peer_o           (peer),
    .peer_session_o   (peer_session),
    .session_o        (session),
    .session_ended_o  (session_ended),
    .round_trip_o     (round_trip),
    .served_o         (served),
    .incident_o       (incident),
    .tx_cut_o         (tx_cut),
    .rx_cut_o         (rx_cut)
  );

  assign link_up_o = link_up && &rx_up;

  rifl_regs_pkg::session_state_e session_state;
  logic [63:0] peer_word;
  // A peer tells its capabilities until its session is up; a lane that loses its signal forgets them.
  always_ff @(posedge frame_clk_i) if (phase != PhaseUp || peer != '0) peer_q <= peer;
  always_comb begin
    if (!Extended || !extended) session_state = rifl_regs_pkg::SessionStateAbsent;
    else if (reason == ReasonPublished) session_state = rifl_regs_pkg::SessionStateCompatible;
    else session_state = rifl_regs_pkg::session_state_e'({1'b0, phase});
    // What was heard before does not matter any more.
    shown_reason = peer_reason;
    if (session_state inside {rifl_regs_pkg::SessionStateUp, rifl_regs_pkg::SessionStateCompatible})
      shown_reason = ReasonNone;
    peer_word = '0;
    if (peer_q != '0 && session_state != rifl_regs_pkg::SessionStateCompatible) begin
      peer_word[3:0]   = Version;
      peer_word[5:4]   = peer_q.lanes;
      peer_word[10:8]  = peer_q.frame_width;
      peer_word[13:12] = peer_q.groups;
      peer_word[19:16] = peer_q.id_width;
      peer_word[47:32] = peer_q.rate;
    end
    for (int unsigned i = 0; i < Lanes; i++) begin
      round_trip_16[i] = 16'(round_trip[i]);
      if (reason == ReasonPublished) round_trip_16[i] = '0;
    end
  end
  // Sessions are counted when they get up.
  logic unused;
  assign unused = session_ended;

  for (genvar i = 0; i < Lanes; i++) begin : gen_inject
    rifl_error_inject #(
      .Lane(i)
    ) u_inject (
      .clk_i     (phy_tx_clk_i),
      .rst_i     (observe_rst),
      .enable_i  (inject.enable),
      .mantissa_i(inject.mantissa),
      .shift_i   (inject.shift),
      .seed_i    (inject.seed),
      .data_i    (link_tx_data[PhyWidth*i+:PhyWidth]),
      .data_o    (phy_tx_data_o[PhyWidth*i+:PhyWidth]),
      .hit_o     (injected[i])
    );
  end

  // ---- Observation ----
  rifl_observe #(
    .Lanes       (Lanes),
    .FrameWidth  (FrameWidth),
    .UserWidth   (UserWidth),
    .OffsetWindow(OffsetWindow),
    .PrbsWidth   (PrbsWidth)
  ) u_observe (
    .user_clk_i       (user_clk_i),
    .frame_clk_i      (frame_clk_i),
    .phy_tx_clk_i     (phy_tx_clk_i),
    .phy_rx_clk_i     (phy_rx_clk_i),
    .rst_i            (observe_rst),
    .clear_i          (clear),
    .rd_req_i         (rd_req),
    .rd_addr_i        (rd_addr),
    .rd_ack_o         (rd_ack),
    .rd_data_o        (rd_data),
    .event_o          (events),
    .tx_tkeep_i       (tx_tkeep),
    .tx_tlast_i       (tx_tlast),
    .tx_tvalid_i      (tx_tvalid),
    .tx_tready_i      (tx_tready),
    .rx_tkeep_i       (rx_tkeep),
    .rx_tlast_i       (rx_tlast),
    .rx_tvalid_i      (rx_tvalid),
    .rx_tready_i      (rx_tready),
    .link_rst_i       (link_in_reset),
    .link_up_i        (link_up_o),
    .tx_state_i       (tx_state),
    .rx_aligned_i     (rx_aligned),
    .rx_up_i          (rx_up),
    .rx_error_i       (rx_error),
    .rx_pause_req_i   (rx_pause_req),
    .rx_retrans_req_i (rx_retrans_req),
    .local_fc_i       (local_fc),
    .remote_fc_i      (remote_fc),
    .compensate_i     (compensate),
    .rx_overflow_i    (rx_overflow),
    .rx_slip_i        (rx_slip),
    .rx_frame_i       (rx_frame),
    .rx_bad_i         (rx_bad),
    .tx_user_i        (tx_user),
    .rx_user_i        (rx_user),
    .injected_i       (injected),
    .served_i         (served),
    .incident_i       (incident),
    .session_state_i  (session_state),
    .session_reason_i (reason),
    .peer_reason_i    (shown_reason),
    .own_session_i    (session),
    .peer_session_i   (peer_session),
    .peer_i           (peer_word),
    .round_trip_i     (round_trip_16),
    .tx_abort_i       (tx_cut),
    .rx_abort_i       (rx_cut),
    .prbs_sync_i      (prbs_sync),
    .prbs_bytes_i     (prbs_bytes),
    .prbs_skipped_i   (prbs_skipped),
    .prbs_bit_errors_i(prbs_bit_errors),
    .prbs_losses_i    (prbs_losses)
  );

  assign regs_in.events.link_up.next = noticed[0];
  assign regs_in.events.link_down.next = noticed[1];
  assign regs_in.events.error.next = noticed[2];
  assign regs_in.events.alignment_lost.next = noticed[3];
  assign regs_in.events.overflow.next = noticed[4];
  assign regs_in.events.session.next = noticed[5];
  assign regs_in.events.abort.next = noticed[6];
  assign regs_in.events.prbs.next = noticed[7];

endmodule
