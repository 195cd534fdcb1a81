// SPDX-License-Identifier: Apache-2.0
//
// htsp_100g: HTSP down to the raw words of four lanes of 25.78125 Gb/s: htsp, eth_mac and pcs_any,
// with the user's clock apart from those of the lanes.
//
//                 clk_i            │ phy_tx_clk_i, phy_rx_clk_i
//     s_axis ─► htsp ─► clock FIFO ┼─► eth_mac_tx ─► pcs_fec_tx ─► phy_tx_data
//     m_axis ◄─  "   ◄─ clock FIFO ┼── eth_mac_rx ◄─ pcs_fec_rx ◄─ phy_rx_data
//
// Contract  User's streams, registers and pins that are not named here: as htsp.
//           phy_tx_data_o, phy_rx_data_i: 80 bits of each lane and cycle, bit 0 first on the line.
//           Received lanes may come in any order, polarity and slip, with skew as pcs_fec or pcs
//           allow. phy_rx_signal_i: the lane has a signal.
//           s_axil_*: the registers of htsp, and from 0x2000 on those of the PCS
//           (docs/src/htsp-registers.md, pcs-registers.md); irq_o is of both.
//           pcs_state_o, pcs_lane_o: status_t of pcs_pkg, for a lamp.
//           Pulses: tx_late_o, a frame of the MAC had a gap, because clk_i is too slow for
//           StartWords; rx_lost_o, a frame found no room in a FIFO, because clk_i is too slow for
//           what comes. Each such frame is a damaged one for the receiver of HTSP.
// Clocks and resets
//           clk_i: the user's streams, htsp. 195.3125 MHz give 64 bytes for each word of the line;
//           from 237.4 MHz on everything that an HTSP peer can send is taken, with less as much as
//           a peer of the same clock sends. cores/htsp/README.md, "Clocks of htsp_100g".
//           phy_tx_clk_i, phy_rx_clk_i: 322.265625 MHz, that of the receiver recovered from a lane.
//           phy_tx_data_o and tx_late_o belong to the first, phy_rx_*, pcs_* and rx_lost_o to the
//           second. axil_clk_i: as htsp. All are unrelated, and each may stop.
//           arst_i, axil_arst_i: as htsp. phy_arst_i: MAC and PCS, both directions. All are
//           asynchronous. The register control.reset_rx resets MAC and PCS of the receiver, too.
//           A reset of one side ends frames under way with an error mark on the other.
//
// Parameters
//   Fec          1: with RS(528,514); 0: without; 2: both, as control.fec of the PCS says (pcs_any)
//   StartWords   words of a frame that are in the FIFO before the MAC begins, or the whole frame
//   Period, BerWindow, SerWindow, SerLimit, SerHold   of pcs_fec and pcs
//   the others   of htsp

module htsp_100g
  import htsp_pkg::*;
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter int unsigned TxDepth = 32,
  parameter int unsigned RxDepth = 4096,
  parameter int unsigned PauseLevel = RxDepth / 4,
  parameter int unsigned Headroom = 2 * 128 + 256,
  parameter int unsigned ResumeLevel = RxDepth / 8,
  parameter logic [47:0] LocalMac = 48'h0102_0356_4400,
  parameter bit TestTraffic = 1'b1,
  parameter bit Tuser = 1'b0,
  parameter int unsigned Fec = 1,
  parameter int unsigned StartWords = 8,
  parameter int unsigned Period = 16384,
  parameter int unsigned BerWindow = 161133,
  parameter int unsigned SerWindow = 8192,
  parameter int unsigned SerLimit = 417,
  parameter int unsigned SerHold = 20971520,
  localparam int unsigned Bytes = WordBytes,
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

  input  logic                                phy_arst_i,
  input  logic                                phy_tx_clk_i,
  output logic [FecLanes-1:0][5*RawWidth-1:0] phy_tx_data_o,
  output logic                                tx_late_o,
  input  logic                                phy_rx_clk_i,
  input  logic [FecLanes-1:0]                 phy_rx_signal_i,
  input  logic [FecLanes-1:0][5*RawWidth-1:0] phy_rx_data_i,
  output logic [         3:0]                 pcs_state_o,
  output logic [         4:0]                 pcs_lane_o,
  output logic                                rx_lost_o,
  output logic [         2:0]                 phy_loopback_o,
  output logic                                phy_reset_rx_o,
  output logic [         3:0]                 phy_rx_polarity_o,
  output logic [         3:0]                 phy_tx_polarity_o,
  output logic [         3:0][           4:0] phy_lane_diff_o,
  output logic [         3:0][           4:0] phy_lane_pre_o,
  output logic [         3:0][           4:0] phy_lane_post_o,

  input  logic        axil_clk_i,
  input  logic        axil_arst_i,
  input  logic [13:0] s_axil_awaddr,
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
  input  logic [13:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic        irq_o
);

  // Header, the longest burst, footer and FCS.
  localparam logic [15:0] MaxFrame = 16'((1 + 128) * WordBytes + FooterBytes + eth_pkg::FcsBytes);
  localparam int unsigned FifoDepth = (StartWords > 16) ? 2 ** $clog2(StartWords + 16) : 32;

  // ---- Registers: slave 0 is htsp, slave 1 the PCS ----
  logic axil_rst;
  logic [12:0] m_axil_awaddr, m_axil_araddr;
  logic [2:0] m_axil_awprot, m_axil_arprot;
  logic [31:0] m_axil_wdata;
  logic [ 3:0] m_axil_wstrb;
  logic [1:0] m_axil_awvalid, m_axil_awready, m_axil_wvalid, m_axil_wready, m_axil_bvalid;
  logic [1:0] m_axil_bready, m_axil_arvalid, m_axil_arready, m_axil_rvalid, m_axil_rready, irq;
  logic [1:0][1:0] m_axil_bresp, m_axil_rresp;
  logic [1:0][31:0] m_axil_rdata;
  assign irq_o = irq != '0;

  prim_sync_reset u_axil_rst (
    .clk_i (axil_clk_i),
    .arst_i(axil_arst_i),
    .rst_o (axil_rst)
  );
  prim_axil_split u_split (
    .clk_i(axil_clk_i),
    .rst_i(axil_rst),
    .*
  );

  // ---- Resets of MAC and PCS ----
  logic tx_rst, rx_rst;
  prim_sync_reset u_tx_rst (
    .clk_i (phy_tx_clk_i),
    .arst_i(phy_arst_i),
    .rst_o (tx_rst)
  );
  prim_sync_reset u_rx_rst (
    .clk_i (phy_rx_clk_i),
    .arst_i(phy_arst_i || phy_reset_rx_o),
    .rst_o (rx_rst)
  );

  // ---- The link, in clk_i ----
  logic [8*Bytes-1:0] user_tx_tdata, user_rx_tdata;
  logic [Bytes-1:0] user_tx_tkeep, user_rx_tkeep;
  logic user_tx_tlast, user_tx_tvalid, user_tx_tready;
  logic user_rx_tlast, user_rx_tuser, user_rx_tvalid;
  logic tx_ready, rx_ready;  // of phy_rx_clk_i
  logic [1:0] fec_events;  // corrected, uncorrectable

  htsp #(
    .Channels   (Channels),
    .Bytes      (Bytes),
    .TxDepth    (TxDepth),
    .RxDepth    (RxDepth),
    .PauseLevel (PauseLevel),
    .Headroom   (Headroom),
    .ResumeLevel(ResumeLevel),
    .LocalMac   (LocalMac),
    .TestTraffic(TestTraffic),
    .Tuser      (Tuser)
  ) u_htsp (
    .phy_tx_ready_i   (tx_ready),
    .m_phy_axis_tdata (user_tx_tdata),
    .m_phy_axis_tkeep (user_tx_tkeep),
    .m_phy_axis_tlast (user_tx_tlast),
    .m_phy_axis_tvalid(user_tx_tvalid),
    .m_phy_axis_tready(user_tx_tready),
    .phy_rx_ready_i   (rx_ready),
    .s_phy_axis_tdata (user_rx_tdata),
    .s_phy_axis_tkeep (user_rx_tkeep),
    .s_phy_axis_tlast (user_rx_tlast),
    .s_phy_axis_tuser (user_rx_tuser),
    .s_phy_axis_tvalid(user_rx_tvalid),
    .fec_corrected_i  (fec_events[0]),
    .fec_uncorrected_i(fec_events[1]),
    .s_axil_awaddr    (m_axil_awaddr),
    .s_axil_awprot    (m_axil_awprot),
    .s_axil_awvalid   (m_axil_awvalid[0]),
    .s_axil_awready   (m_axil_awready[0]),
    .s_axil_wdata     (m_axil_wdata),
    .s_axil_wstrb     (m_axil_wstrb),
    .s_axil_wvalid    (m_axil_wvalid[0]),
    .s_axil_wready    (m_axil_wready[0]),
    .s_axil_bresp     (m_axil_bresp[0]),
    .s_axil_bvalid    (m_axil_bvalid[0]),
    .s_axil_bready    (m_axil_bready[0]),
    .s_axil_araddr    (m_axil_araddr),
    .s_axil_arprot    (m_axil_arprot),
    .s_axil_arvalid   (m_axil_arvalid[0]),
    .s_axil_arready   (m_axil_arready[0]),
    .s_axil_rdata     (m_axil_rdata[0]),
    .s_axil_rresp     (m_axil_rresp[0]),
    .s_axil_rvalid    (m_axil_rvalid[0]),
    .s_axil_rready    (m_axil_rready[0]),
    .irq_o            (irq[0]),
    .*
  );

  // ---- To the transmitter's clock ----
  logic tx_user_held, tx_user_clear, tx_held, tx_clear, unused_tx, unused_lost;
  logic [8*Bytes-1:0] tx_tdata, rx_tdata;
  logic [Bytes-1:0] tx_tkeep, rx_tkeep;
  logic tx_tlast, tx_tuser, tx_tvalid, tx_tready;
  assign unused_tx = tx_clear;

  prim_clear u_tx_clear (
    .a_clk_i  (clk_i),
    .a_rst_i  (rst_o),
    .a_rst_o  (tx_user_held),
    .a_clear_o(tx_user_clear),
    .b_clk_i  (phy_tx_clk_i),
    .b_rst_i  (tx_rst),
    .b_rst_o  (tx_held),
    .b_clear_o(tx_clear)
  );

  htsp_100g_fifo #(
    .Bytes     (Bytes),
    .Depth     (FifoDepth),
    .StartWords(StartWords)
  ) u_tx_fifo (
    .s_clk_i      (clk_i),
    .s_rst_i      (rst_o),
    .s_held_i     (tx_user_held),
    .s_clear_i    (tx_user_clear),
    .s_axis_tdata (user_tx_tdata),
    .s_axis_tkeep (user_tx_tkeep),
    .s_axis_tlast (user_tx_tlast),
    .s_axis_tuser (1'b0),
    .s_axis_tvalid(user_tx_tvalid),
    .s_axis_tready(user_tx_tready),
    .s_lost_o     (unused_lost),
    .m_clk_i      (phy_tx_clk_i),
    .m_rst_i      (tx_rst),
    .m_held_i     (tx_held),
    .m_axis_tdata (tx_tdata),
    .m_axis_tkeep (tx_tkeep),
    .m_axis_tlast (tx_tlast),
    .m_axis_tuser (tx_tuser),
    .m_axis_tvalid(tx_tvalid),
    .m_axis_tready(tx_tready)
  );

  // ---- From the receiver's clock ----
  logic rx_user_held, rx_user_clear, rx_held, rx_clear, unused_rx, unused_ready;
  logic rx_tlast, rx_tuser, rx_tvalid, fifo_lost;
  logic [1:0] rx_events, unused_busy;
  assign unused_rx = rx_user_clear;

  prim_clear u_rx_clear (
    .a_clk_i  (phy_rx_clk_i),
    .a_rst_i  (rx_rst),
    .a_rst_o  (rx_held),
    .a_clear_o(rx_clear),
    .b_clk_i  (clk_i),
    .b_rst_i  (rst_o),
    .b_rst_o  (rx_user_held),
    .b_clear_o(rx_user_clear)
  );

  htsp_100g_fifo #(
    .Bytes(Bytes),
    .Held (1'b0)
  ) u_rx_fifo (
    .s_clk_i      (phy_rx_clk_i),
    .s_rst_i      (rx_rst),
    .s_held_i     (rx_held),
    .s_clear_i    (rx_clear),
    .s_axis_tdata (rx_tdata),
    .s_axis_tkeep (rx_tkeep),
    .s_axis_tlast (rx_tlast),
    .s_axis_tuser (rx_tuser),
    .s_axis_tvalid(rx_tvalid),
    .s_axis_tready(unused_ready),
    .s_lost_o     (fifo_lost),
    .m_clk_i      (clk_i),
    .m_rst_i      (rst_o),
    .m_held_i     (rx_user_held),
    .m_axis_tdata (user_rx_tdata),
    .m_axis_tkeep (user_rx_tkeep),
    .m_axis_tlast (user_rx_tlast),
    .m_axis_tuser (user_rx_tuser),
    .m_axis_tvalid(user_rx_tvalid),
    .m_axis_tready(1'b1)
  );

  // A codeword takes 16 cycles: the handshake has come back by then.
  for (genvar i = 0; i < 2; i++) begin : gen_event
    prim_sync_pulse u_event (
      .src_clk_i  (phy_rx_clk_i),
      .src_rst_i  (rx_clear),
      .src_pulse_i(rx_events[i]),
      .src_busy_o (unused_busy[i]),
      .dst_clk_i  (clk_i),
      .dst_rst_i  (rx_user_held),
      .dst_pulse_o(fec_events[i])
    );
  end

  // ---- MAC and PCS ----
  logic line_lost;

  htsp_100g_line #(
    .MaxFrame (MaxFrame),
    .Fec      (Fec),
    .Period   (Period),
    .BerWindow(BerWindow),
    .SerWindow(SerWindow),
    .SerLimit (SerLimit),
    .SerHold  (SerHold)
  ) u_line (
    .tx_clk_i      (phy_tx_clk_i),
    .tx_rst_i      (tx_rst),
    .s_axis_tdata  (tx_tdata),
    .s_axis_tkeep  (tx_tkeep),
    .s_axis_tlast  (tx_tlast),
    .s_axis_tuser  (tx_tuser),
    .s_axis_tvalid (tx_tvalid),
    .s_axis_tready (tx_tready),
    .tx_late_o     (tx_late_o),
    .tx_data_o     (phy_tx_data_o),
    .rx_clk_i      (phy_rx_clk_i),
    .rx_rst_i      (rx_rst),
    .rx_signal_i   (phy_rx_signal_i),
    .rx_data_i     (phy_rx_data_i),
    .m_axis_tdata  (rx_tdata),
    .m_axis_tkeep  (rx_tkeep),
    .m_axis_tlast  (rx_tlast),
    .m_axis_tuser  (rx_tuser),
    .m_axis_tvalid (rx_tvalid),
    .rx_lost_o     (line_lost),
    .tx_ready_o    (tx_ready),
    .rx_ready_o    (rx_ready),
    .status_o      ({pcs_state_o, pcs_lane_o}),
    .events_o      (rx_events),
    .axil_clk_i    (axil_clk_i),
    .axil_arst_i   (axil_arst_i),
    .s_axil_awaddr (m_axil_awaddr),
    .s_axil_awprot (m_axil_awprot),
    .s_axil_awvalid(m_axil_awvalid[1]),
    .s_axil_awready(m_axil_awready[1]),
    .s_axil_wdata  (m_axil_wdata),
    .s_axil_wstrb  (m_axil_wstrb),
    .s_axil_wvalid (m_axil_wvalid[1]),
    .s_axil_wready (m_axil_wready[1]),
    .s_axil_bresp  (m_axil_bresp[1]),
    .s_axil_bvalid (m_axil_bvalid[1]),
    .s_axil_bready (m_axil_bready[1]),
    .s_axil_araddr (m_axil_araddr),
    .s_axil_arprot (m_axil_arprot),
    .s_axil_arvalid(m_axil_arvalid[1]),
    .s_axil_arready(m_axil_arready[1]),
    .s_axil_rdata  (m_axil_rdata[1]),
    .s_axil_rresp  (m_axil_rresp[1]),
    .s_axil_rvalid (m_axil_rvalid[1]),
    .s_axil_rready (m_axil_rready[1]),
    .irq_o         (irq[1])
  );

  always_ff @(posedge phy_rx_clk_i) rx_lost_o <= line_lost || fifo_lost;

endmodule
