// SPDX-License-Identifier: Apache-2.0
//
// htsp_100g: HTSP down to the raw words of four lanes of 25.78125 Gb/s: htsp, eth_mac, and pcs_fec
// or pcs, with the user's clock apart from those of the lanes.
//
//                 clk_i            │ phy_tx_clk_i, phy_rx_clk_i
//     s_axis ─► htsp ─► clock FIFO ┼─► eth_mac_tx ─► pcs_fec_tx ─► phy_tx_data
//     m_axis ◄─  "   ◄─ clock FIFO ┼── eth_mac_rx ◄─ pcs_fec_rx ◄─ phy_rx_data
//
// Contract  User's streams, registers and pins that are not named here: as htsp.
//           phy_tx_data_o, phy_rx_data_i: 80 bits of each lane and cycle, bit 0 first on the line.
//           Received lanes may come in any order, polarity and slip, with skew as pcs_fec or pcs
//           allow. phy_rx_signal_i: the lane has a signal.
//           fec_mode_i: as rx_mode_i of pcs_fec. pcs_state_o, pcs_lane_o: fec_state_e of
//           pcs_fec_pkg or state_e of pcs_pkg, and the first lane that it is true of;
//           pcs_number_o, pcs_inverted_o: of the PCS lanes, with FEC of the FEC lanes, the others
//           being 0.
//           pcs_rd_*, pcs_clear_i: counters as pcs_fec_counters, without FEC too.
//           Pulses: tx_late_o, a frame of the MAC had a gap, because clk_i is too slow for
//           StartWords; rx_lost_o, a frame found no room in a FIFO, because clk_i is too slow for
//           what comes. Each such frame is a damaged one for the receiver of HTSP.
// Clocks and resets
//           clk_i: the user's streams, htsp. 195.3125 MHz give 64 bytes for each word of the line;
//           from 237.4 MHz on everything that an HTSP peer can send is taken, with less as much as
//           a peer of the same clock sends. cores/htsp/README.md, "Clocks of htsp_100g".
//           phy_tx_clk_i, phy_rx_clk_i: 322.265625 MHz, that of the receiver recovered from a lane.
//           phy_tx_data_o and tx_late_o belong to the first, phy_rx_*, fec_mode_i, pcs_* and
//           rx_lost_o to the second. axil_clk_i: as htsp. All are unrelated, and each may stop.
//           arst_i, axil_arst_i: as htsp. phy_arst_i: MAC and PCS, both directions. All are
//           asynchronous. The register control.reset_rx resets MAC and PCS of the receiver, too.
//           A reset of one side ends frames under way with an error mark on the other.
//
// Parameters
//   Fec          1: RS(528,514), pcs_fec; 0: pcs, bit i of a lane's word of PCS lane i mod 5
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
  parameter bit Fec = 1'b1,
  parameter int unsigned StartWords = 8,
  parameter int unsigned Period = 16384,
  parameter int unsigned BerWindow = 161133,
  parameter int unsigned SerWindow = 8192,
  parameter int unsigned SerLimit = 417,
  parameter int unsigned SerHold = 20971520,
  localparam int unsigned Bytes = WordBytes
) (
  input  logic                             clk_i,
  input  logic                             arst_i,
  output logic                             rst_o,
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
  input  logic [       127:0]              s_opcode_tdata,
  input  logic                             s_opcode_tvalid,
  output logic                             s_opcode_tready,
  output logic [       127:0]              m_opcode_tdata,
  output logic                             m_opcode_tvalid,
  output logic                             link_up_o,
  output logic                             remote_ready_o,
  output logic [       127:0]              remote_data_o,
  output logic [        15:0]              remote_pause_o,
  output logic [Channels-1:0]              local_pause_o,

  input  logic                                phy_arst_i,
  input  logic                                phy_tx_clk_i,
  output logic [FecLanes-1:0][5*RawWidth-1:0] phy_tx_data_o,
  output logic                                tx_late_o,
  input  logic                                phy_rx_clk_i,
  input  logic [FecLanes-1:0]                 phy_rx_signal_i,
  input  logic [FecLanes-1:0][5*RawWidth-1:0] phy_rx_data_i,
  input  logic [         1:0]                 fec_mode_i,
  output logic [         3:0]                 pcs_state_o,
  output logic [         4:0]                 pcs_lane_o,
  output logic [   Lanes-1:0][           4:0] pcs_number_o,
  output logic [   Lanes-1:0]                 pcs_inverted_o,
  input  logic                                pcs_clear_i,
  input  logic                                pcs_rd_req_i,
  input  logic [         4:0]                 pcs_rd_addr_i,
  output logic                                pcs_rd_ack_o,
  output logic [        63:0]                 pcs_rd_data_o,
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

  // Header, the longest burst, footer and FCS.
  localparam logic [15:0] MaxFrame = 16'((1 + 128) * WordBytes + FooterBytes + eth_pkg::FcsBytes);
  localparam int unsigned FifoDepth = (StartWords > 16) ? 2 ** $clog2(StartWords + 16) : 32;

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
  logic tx_ready_q, rx_ready_q;  // of phy_rx_clk_i
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
    .TestTraffic(TestTraffic)
  ) u_htsp (
    .phy_tx_ready_i   (tx_ready_q),
    .m_phy_axis_tdata (user_tx_tdata),
    .m_phy_axis_tkeep (user_tx_tkeep),
    .m_phy_axis_tlast (user_tx_tlast),
    .m_phy_axis_tvalid(user_tx_tvalid),
    .m_phy_axis_tready(user_tx_tready),
    .phy_rx_ready_i   (rx_ready_q),
    .s_phy_axis_tdata (user_rx_tdata),
    .s_phy_axis_tkeep (user_rx_tkeep),
    .s_phy_axis_tlast (user_rx_tlast),
    .s_phy_axis_tuser (user_rx_tuser),
    .s_phy_axis_tvalid(user_rx_tvalid),
    .fec_corrected_i  (fec_events[0]),
    .fec_uncorrected_i(fec_events[1]),
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

  // ---- MAC ----
  logic cgmii_tx_ready, cgmii_rx_valid, local_fault, remote_fault, mac_lost;
  logic [9:0] unused_mac;
  logic [1:0][15:0] unused_bytes;
  logic [8*Bytes-1:0] cgmii_tx_data, cgmii_rx_data;
  logic [Bytes-1:0] cgmii_tx_ctrl, cgmii_rx_ctrl;

  eth_mac #(
    .Bytes(Bytes)
  ) u_mac (
    .tx_clk_i         (phy_tx_clk_i),
    .tx_rst_i         (tx_rst),
    .rx_clk_i         (phy_rx_clk_i),
    .rx_rst_i         (rx_rst),
    .tx_max_bytes_i   (MaxFrame),
    .rx_max_bytes_i   (MaxFrame),
    .s_axis_tdata     (tx_tdata),
    .s_axis_tkeep     (tx_tkeep),
    .s_axis_tlast     (tx_tlast),
    .s_axis_tuser     (tx_tuser),
    .s_axis_tvalid    (tx_tvalid),
    .s_axis_tready    (tx_tready),
    .phy_tx_ready_i   (cgmii_tx_ready),
    .phy_tx_data_o    (cgmii_tx_data),
    .phy_tx_ctrl_o    (cgmii_tx_ctrl),
    .phy_rx_valid_i   (cgmii_rx_valid),
    .phy_rx_data_i    (cgmii_rx_data),
    .phy_rx_ctrl_i    (cgmii_rx_ctrl),
    .m_axis_tdata     (rx_tdata),
    .m_axis_tkeep     (rx_tkeep),
    .m_axis_tlast     (rx_tlast),
    .m_axis_tuser     (rx_tuser),
    .m_axis_tvalid    (rx_tvalid),
    .tx_frame_o       (unused_mac[0]),
    .tx_frame_bytes_o (unused_bytes[0]),
    .tx_abort_o       (unused_mac[1]),
    .tx_late_o        (tx_late_o),
    .tx_too_long_o    (unused_mac[2]),
    .tx_fault_o       (unused_mac[3]),
    .rx_local_fault_o (local_fault),
    .rx_remote_fault_o(remote_fault),
    .rx_frame_o       (unused_mac[4]),
    .rx_frame_bytes_o (unused_bytes[1]),
    .rx_cut_o         (unused_mac[5]),
    .rx_too_long_o    (unused_mac[6]),
    .rx_too_short_o   (unused_mac[7]),
    .rx_bad_fcs_o     (unused_mac[8]),
    .rx_fragment_o    (unused_mac[9]),
    .rx_lost_o        (mac_lost)
  );

  always_ff @(posedge phy_rx_clk_i) begin
    tx_ready_q <= !local_fault && !remote_fault && !rx_rst;
    rx_ready_q <= !local_fault && !rx_rst;
    rx_lost_o  <= mac_lost || fifo_lost;
  end

  // ---- PCS ----
  htsp_100g_pcs #(
    .Fec      (Fec),
    .Period   (Period),
    .BerWindow(BerWindow),
    .SerWindow(SerWindow),
    .SerLimit (SerLimit),
    .SerHold  (SerHold)
  ) u_pcs (
    .tx_clk_i        (phy_tx_clk_i),
    .tx_rst_i        (tx_rst),
    .tx_cgmii_ready_o(cgmii_tx_ready),
    .tx_cgmii_data_i (cgmii_tx_data),
    .tx_cgmii_ctrl_i (cgmii_tx_ctrl),
    .tx_data_o       (phy_tx_data_o),
    .rx_clk_i        (phy_rx_clk_i),
    .rx_rst_i        (rx_rst),
    .rx_mode_i       (fec_mode_i),
    .rx_signal_i     (phy_rx_signal_i),
    .rx_data_i       (phy_rx_data_i),
    .rx_cgmii_valid_o(cgmii_rx_valid),
    .rx_cgmii_data_o (cgmii_rx_data),
    .rx_cgmii_ctrl_o (cgmii_rx_ctrl),
    .state_o         (pcs_state_o),
    .lane_o          (pcs_lane_o),
    .number_o        (pcs_number_o),
    .inverted_o      (pcs_inverted_o),
    .events_o        (rx_events),
    .clear_i         (pcs_clear_i),
    .rd_req_i        (pcs_rd_req_i),
    .rd_addr_i       (pcs_rd_addr_i),
    .rd_ack_o        (pcs_rd_ack_o),
    .rd_data_o       (pcs_rd_data_o)
  );

endmodule
