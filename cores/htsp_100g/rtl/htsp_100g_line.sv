// SPDX-License-Identifier: Apache-2.0
//
// htsp_100g_line: what htsp_100g has below the clock FIFOs: MAC, PCS with RS-FEC, without it or
// both, and the registers of the PCS.
//
// Contract  s_axis_*, m_axis_*, tx_late_o, rx_lost_o: as eth_mac. tx_data_o, rx_data_i,
//           rx_signal_i: of four lanes, as in pcs_any. tx_ready_o: frames can be sent, rx_ready_o:
//           they are received. status_o: as in pcs_pkg, with RemoteFault. events_o: a codeword was
//           corrected (0), was uncorrectable (1).
//           Registers: as pcs_csr.
// Clocks and resets
//           tx_clk_i, rx_clk_i: 322.265625 MHz; tx_rst_i, rx_rst_i synchronous to them. s_axis_*
//           and tx_* belong to the first, but tx_ready_o with m_axis_*, rx_*, status_o and events_o
//           to the second. axil_clk_i, axil_arst_i: as pcs_csr.
// Parameters
//   MaxFrame   bytes of a frame with its FCS that are passed on
//   the others are those of htsp_100g

module htsp_100g_line
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter  logic        [15:0] MaxFrame  = 16'd9600,
  parameter  int unsigned        Fec       = 1,
  parameter  int unsigned        Period    = 16384,
  parameter  int unsigned        BerWindow = 161133,
  parameter  int unsigned        SerWindow = 8192,
  parameter  int unsigned        SerLimit  = 417,
  parameter  int unsigned        SerHold   = 20971520,
  localparam int unsigned        Bytes     = 64,
  localparam int unsigned        Blocks    = Bytes / 8
) (
  input  logic                     tx_clk_i,
  input  logic                     tx_rst_i,
  input  logic      [ 8*Bytes-1:0] s_axis_tdata,
  input  logic      [   Bytes-1:0] s_axis_tkeep,
  input  logic                     s_axis_tlast,
  input  logic                     s_axis_tuser,
  input  logic                     s_axis_tvalid,
  output logic                     s_axis_tready,
  output logic                     tx_late_o,
  output fec_word_t [FecLanes-1:0] tx_data_o,

  input  logic                     rx_clk_i,
  input  logic                     rx_rst_i,
  input  logic      [FecLanes-1:0] rx_signal_i,
  input  fec_word_t [FecLanes-1:0] rx_data_i,
  output logic      [ 8*Bytes-1:0] m_axis_tdata,
  output logic      [   Bytes-1:0] m_axis_tkeep,
  output logic                     m_axis_tlast,
  output logic                     m_axis_tuser,
  output logic                     m_axis_tvalid,
  output logic                     rx_lost_o,
  output logic                     tx_ready_o,
  output logic                     rx_ready_o,
  output status_t                  status_o,
  output logic      [         1:0] events_o,

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

  // ---- MAC ----
  logic cgmii_tx_ready, cgmii_rx_valid, local_fault, remote_fault;
  logic [9:0] unused_mac;
  logic [1:0][15:0] unused_bytes;
  logic [8*Bytes-1:0] cgmii_tx_data, cgmii_rx_data;
  logic [Bytes-1:0] cgmii_tx_ctrl, cgmii_rx_ctrl;

  eth_mac #(
    .Bytes(Bytes)
  ) u_mac (
    .tx_clk_i         (tx_clk_i),
    .tx_rst_i         (tx_rst_i),
    .rx_clk_i         (rx_clk_i),
    .rx_rst_i         (rx_rst_i),
    .tx_max_bytes_i   (MaxFrame),
    .rx_max_bytes_i   (MaxFrame),
    .s_axis_tdata     (s_axis_tdata),
    .s_axis_tkeep     (s_axis_tkeep),
    .s_axis_tlast     (s_axis_tlast),
    .s_axis_tuser     (s_axis_tuser),
    .s_axis_tvalid    (s_axis_tvalid),
    .s_axis_tready    (s_axis_tready),
    .phy_tx_ready_i   (cgmii_tx_ready),
    .phy_tx_data_o    (cgmii_tx_data),
    .phy_tx_ctrl_o    (cgmii_tx_ctrl),
    .phy_rx_valid_i   (cgmii_rx_valid),
    .phy_rx_data_i    (cgmii_rx_data),
    .phy_rx_ctrl_i    (cgmii_rx_ctrl),
    .m_axis_tdata     (m_axis_tdata),
    .m_axis_tkeep     (m_axis_tkeep),
    .m_axis_tlast     (m_axis_tlast),
    .m_axis_tuser     (m_axis_tuser),
    .m_axis_tvalid    (m_axis_tvalid),
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
    .rx_lost_o        (rx_lost_o)
  );
  always_ff @(posedge rx_clk_i) begin
    tx_ready_o <= !rx_rst_i && !local_fault && !remote_fault;
    rx_ready_o <= !rx_rst_i && !local_fault;
  end

  // ---- PCS, and what the MAC hears of the peer's ----
  status_t pcs_status;
  always_comb begin
    status_o = pcs_status;
    if (pcs_status.state == Up && remote_fault) status_o.state = RemoteFault;
  end

  logic [1:0] mode, setting;
  logic unused_lost, coded, block_error;
  logic [FecLanes-1:0][3:0] errors;
  logic [Lanes-1:0] signal, inverted, parity_error;
  lane_t [Lanes-1:0] number;

  pcs_any #(
    .Blocks   (Blocks),
    .Fec      (Fec),
    .Period   (Period),
    .BerWindow(BerWindow),
    .SerWindow(SerWindow),
    .SerLimit (SerLimit),
    .SerHold  (SerHold)
  ) u_pcs (
    .tx_clk_i,
    .tx_rst_i,
    .tx_cgmii_valid_i  (1'b1),
    .tx_cgmii_ready_o  (cgmii_tx_ready),
    .tx_cgmii_data_i   (cgmii_tx_data),
    .tx_cgmii_ctrl_i   (cgmii_tx_ctrl),
    .tx_lanes_o        (tx_data_o),
    .tx_lost_o         (unused_lost),
    .rx_clk_i,
    .rx_rst_i,
    .rx_mode_i         (mode),
    .rx_setting_i      (setting),
    .rx_signal_i,
    .rx_lanes_i        (rx_data_i),
    .rx_cgmii_valid_o  (cgmii_rx_valid),
    .rx_cgmii_data_o   (cgmii_rx_data),
    .rx_cgmii_ctrl_o   (cgmii_rx_ctrl),
    .rx_coded_o        (coded),
    .rx_status_o       (pcs_status),
    .rx_signal_o       (signal),
    .rx_number_o       (number),
    .rx_inverted_o     (inverted),
    .rx_corrected_o    (events_o[0]),
    .rx_uncorrectable_o(events_o[1]),
    .rx_errors_o       (errors),
    .rx_parity_error_o (parity_error),
    .rx_block_error_o  (block_error)
  );

  pcs_csr #(
    .Fec   (Fec),
    .Period(Period)
  ) u_csr (
    .rx_clk_i,
    .state_i        (status_o.state),
    .lane_i         (status_o.lane),
    .coded_i        (coded),
    .signal_i       (signal),
    .number_i       (number),
    .inverted_i     (inverted),
    .corrected_i    (events_o[0]),
    .uncorrectable_i(events_o[1]),
    .errors_i       (errors),
    .parity_error_i (parity_error),
    .block_error_i  (block_error),
    .mode_o         (mode),
    .setting_o      (setting),
    .*
  );

endmodule
