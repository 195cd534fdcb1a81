// SPDX-License-Identifier: Apache-2.0
//
// rifl: the link with its registers, counters, error injection and test traffic.
//
// What      rifl_link, and around it what is needed to set it up, watch it and test it over
//           AXI4-Lite.
//
//             axil_clk_i                      user_clk_i                phy_tx_clk_i
//   s_axil ─► rifl_regs ──settings──► axis_prbs_port ─► rifl_link ─► rifl_error_inject ─► phy_tx
//                 ▲                        │                │
//                 └──── request, word ── rifl_observe ◄─────┴── state, pulses
//
// Clocks    those of rifl_link, and axil_clk_i for the bus, unrelated to them: the registers answer
//           while the transceiver's clocks stand still, which is when they are needed most, and the
//           bus keeps its own slow clock. Only one word at a time crosses from the user's clock
//           (prim_page_reader), so the counters cost no synchroniser each.
// Resets    asynchronous, any pulse that a flip-flop understands. axil_arst_i resets registers and
//           counters, and test traffic ends between packets; arst_i the link alone, as does the
//           register; see rifl_link for its contract, and for user_arst_i and user_rst_o.
//           What crosses between the bus and the user's clock is cleared on both sides
//           (prim_clear).
// Extended mode
//           as rifl_link; allowed by a register, a change of which starts a new session. link_up_o
//           is low while a receiver is not up, in extended mode as well, where the session lives
//           on.
// Contract  user side, PHY side: as rifl_link. m_axis_* is combinational behind the link's
//           register. phy_tx_data_o has one exclusive-or behind the link's register. phy_loopback_o
//           belongs to axil_clk_i and goes to the transceiver. irq_o (axil_clk_i): high while an
//           enabled event is set.
// Parameters beyond those of rifl_link
//           OffsetWindow, see rifl_clock_offset. TestTraffic = 0 leaves source and checker out,
//           which are the larger part of the shell.
// Map       docs/src/rifl-registers.md.

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
  parameter bit StrongCode = 1'b0,
  parameter int unsigned LineRate = 0,  // of one lane, units of 10 Mb/s, 0: not told
  parameter int unsigned OffsetWindow = 20,  // 6..24
  parameter bit TestTraffic = 1'b1
) (
  input  logic             phy_tx_clk_i,
  input  logic             frame_clk_i,
  input  logic             user_clk_i,
  input  logic [Lanes-1:0] phy_rx_clk_i,
  input  logic             arst_i,
  input  logic             user_arst_i,
  output logic             user_rst_o,
  input  logic [     15:0] session_seed_i, // frame_clk_i

  output logic [Lanes*PhyWidth-1:0] phy_tx_data_o,
  input  logic [Lanes*PhyWidth-1:0] phy_rx_data_i,
  input  logic [         Lanes-1:0] phy_rx_bad_i,
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

  localparam int unsigned ResetCycles = 1024;
  // The longest read takes 40 + 16 * Lanes cycles of the user's clock, which may be eight times
  // slower.
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
    .*
  );

  assign regs_in.parameters.lanes.next = 4'(Lanes);
  assign regs_in.parameters.id_width.next = 4'(IdWidth);
  assign regs_in.parameters.frame_width.next = 12'(FrameWidth);
  assign regs_in.parameters.offset_window.next = 5'(OffsetWindow);
  assign regs_in.parameters.test_traffic.next = TestTraffic;
  assign regs_in.parameters.extended.next = Extended;
  assign regs_in.parameters.strong_code.next = StrongCode;
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

  logic link_in_reset;
  prim_sync_reset u_link_in_reset (
    .clk_i (user_clk_i),
    .arst_i(link_arst),
    .rst_o (link_in_reset)
  );

  // ---- Settings in the clocks that use them ----
  prbs_cfg_t   prbs;
  inject_cfg_t inject;
  logic extended, restart;
  rifl_settings u_settings (
    .axil_rst_i(axil_rst),
    .regs_i    (regs_out),
    .rst_i     (observe_rst),
    .prbs_o    (prbs),
    .inject_o  (inject),
    .extended_o(extended),
    .restart_o (restart),
    .*
  );

  // ---- Test traffic ----
  // From here to the link, and from the link.
  logic [UserWidth-1:0] m_link_axis_tdata, s_link_axis_tdata;
  logic [UserWidth/8-1:0] m_link_axis_tkeep, s_link_axis_tkeep;
  logic m_link_axis_tlast, m_link_axis_tvalid, m_link_axis_tready;
  logic s_link_axis_tlast, s_link_axis_tuser, s_link_axis_tvalid, s_link_axis_tready;
  prbs_status_t prbs_status;

  if (TestTraffic) begin : gen_prbs
    logic [1:0] unused;
    axis_prbs_port #(
      .Bytes       (UserWidth / 8),
      .CounterWidth(PrbsWidth)
    ) u_prbs (
      .clk_i       (user_clk_i),
      .rst_i       (user_rst_o),
      .count_rst_i (observe_rst),
      .source_i    (prbs.source),
      .check_i     (prbs.check),
      .clear_i     (clear),
      .min_bytes_i (prbs.shortest),
      .max_bytes_i (prbs.longest),
      .gap_i       (prbs.gap),
      .seed_i      (prbs.seed),
      .sourcing_o  (unused[0]),
      .checking_o  (unused[1]),
      .in_sync_o   (prbs_status.sync),
      .bytes_o     (prbs_status.bytes),
      .skipped_o   (prbs_status.skipped),
      .bit_errors_o(prbs_status.bit_errors),
      .losses_o    (prbs_status.losses),
      .*
    );
  end else begin : gen_no_prbs
    logic unused;
    assign unused = ^{clear, prbs};
    assign m_link_axis_tdata = s_axis_tdata;
    assign m_link_axis_tkeep = s_axis_tkeep;
    assign m_link_axis_tlast = s_axis_tlast;
    assign m_link_axis_tvalid = s_axis_tvalid;
    assign s_axis_tready = m_link_axis_tready;
    assign m_axis_tdata = s_link_axis_tdata;
    assign m_axis_tkeep = s_link_axis_tkeep;
    assign m_axis_tlast = s_link_axis_tlast;
    assign m_axis_tuser = s_link_axis_tuser;
    assign m_axis_tvalid = s_link_axis_tvalid;
    assign s_link_axis_tready = m_axis_tready;
    assign prbs_status = '0;
  end

  // ---- The link ----
  logic [Lanes*PhyWidth-1:0] link_tx_data;
  logic [Lanes-1:0] rx_up, injected;
  logic link_up, tx_cut, rx_cut;
  link_status_t link_status;
  lane_status_t [Lanes-1:0] lane_status;
  rx_status_t [Lanes-1:0] rx_status;

  rifl_link #(
    .Lanes         (Lanes),
    .FrameWidth    (FrameWidth),
    .UserWidth     (UserWidth),
    .IdWidth       (IdWidth),
    .UpFrames      (UpFrames),
    .Extended      (Extended),
    .DelayedRelease(DelayedRelease),
    .StrongCode    (StrongCode),
    .LineRate      (LineRate)
  ) u_link (
    .arst_i           (link_arst),
    .phy_tx_data_o    (link_tx_data),
    .s_axis_tdata     (m_link_axis_tdata),
    .s_axis_tkeep     (m_link_axis_tkeep),
    .s_axis_tlast     (m_link_axis_tlast),
    .s_axis_tvalid    (m_link_axis_tvalid),
    .s_axis_tready    (m_link_axis_tready),
    .m_axis_tdata     (s_link_axis_tdata),
    .m_axis_tkeep     (s_link_axis_tkeep),
    .m_axis_tlast     (s_link_axis_tlast),
    .m_axis_tuser     (s_link_axis_tuser),
    .m_axis_tvalid    (s_link_axis_tvalid),
    .m_axis_tready    (s_link_axis_tready),
    .extended_i       (extended),
    .delayed_release_i(regs_out.control.delayed_release.value),
    .restart_i        (restart),
    .link_up_o        (link_up),
    .link_status_o    (link_status),
    .lane_status_o    (lane_status),
    .rx_status_o      (rx_status),
    .tx_cut_o         (tx_cut),
    .rx_cut_o         (rx_cut),
    .*
  );

  assign link_up_o = link_up && &rx_up;

  // ---- Error injection ----
  for (genvar i = 0; i < Lanes; i++) begin : gen_inject
    assign rx_up[i] = lane_status[i].up;
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
  stream_status_t tx_stream, rx_stream;
  rifl_observe_stream #(
    .Bytes(UserWidth / 8)
  ) u_observe_tx (
    .clk_i   (user_clk_i),
    .tkeep_i (m_link_axis_tkeep),
    .tlast_i (m_link_axis_tlast),
    .tvalid_i(m_link_axis_tvalid),
    .tready_i(m_link_axis_tready),
    .status_o(tx_stream)
  );
  rifl_observe_stream #(
    .Bytes(UserWidth / 8)
  ) u_observe_rx (
    .clk_i   (user_clk_i),
    .tkeep_i (s_link_axis_tkeep),
    .tlast_i (s_link_axis_tlast),
    .tvalid_i(s_link_axis_tvalid),
    .tready_i(s_link_axis_tready),
    .status_o(rx_stream)
  );

  rifl_observe #(
    .Lanes       (Lanes),
    .FrameWidth  (FrameWidth),
    .UserWidth   (UserWidth),
    .OffsetWindow(OffsetWindow),
    .Extended    (Extended)
  ) u_observe (
    .rst_i        (observe_rst),
    .clear_i      (clear),
    .rd_req_i     (rd_req),
    .rd_addr_i    (rd_addr),
    .rd_ack_o     (rd_ack),
    .rd_data_o    (rd_data),
    .event_o      (events),
    .link_rst_i   (link_in_reset),
    .link_up_i    (link_up_o),
    .lane_status_i(lane_status),
    .rx_status_i  (rx_status),
    .injected_i   (injected),
    .extended_i   (extended),
    .link_status_i(link_status),
    .tx_stream_i  (tx_stream),
    .rx_stream_i  (rx_stream),
    .tx_abort_i   (tx_cut),
    .rx_abort_i   (rx_cut),
    .prbs_i       (prbs_status),
    .*
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
