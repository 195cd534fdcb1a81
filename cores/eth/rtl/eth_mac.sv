// SPDX-License-Identifier: Apache-2.0
//
// eth_mac: Ethernet MAC for 100 Gb/s, both directions and the link faults between them.
//
// What      eth_mac_tx and eth_mac_rx, each in its own clock; what the receiver knows of faults
//           crosses to the transmitter.
// Contract  Ports as in the two modules, with tx_ or rx_ in front of the reports.
// Clocks and resets
//           s_axis and ports with tx_ belong to tx_clk_i, m_axis and those with rx_ to rx_clk_i.
//           tx_rst_i and rx_rst_i are synchronous to them; each may come alone, at any time:
//           nothing crosses but the two levels of faults, out of registers, which stay as they are
//           while rx_clk_i stands still.
// Parameters
//   Bytes   of a beat and of a word, 16, 32 or 64
//   Depth   words of the receiver that may wait, >= 2
// Latency   of the two modules; a fault takes two cycles of tx_clk_i more

module eth_mac #(
  parameter int unsigned Bytes = 64,
  parameter int unsigned Depth = 16
) (
  input logic tx_clk_i,
  input logic tx_rst_i,
  input logic rx_clk_i,
  input logic rx_rst_i,

  input logic [15:0] tx_max_bytes_i,
  input logic [15:0] rx_max_bytes_i,

  input  logic [8*Bytes-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tuser,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,

  input  logic               phy_tx_ready_i,
  output logic [8*Bytes-1:0] phy_tx_data_o,
  output logic [  Bytes-1:0] phy_tx_ctrl_o,

  input logic               phy_rx_valid_i,
  input logic [8*Bytes-1:0] phy_rx_data_i,
  input logic [  Bytes-1:0] phy_rx_ctrl_i,

  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tuser,
  output logic               m_axis_tvalid,

  output logic        tx_frame_o,
  output logic [15:0] tx_frame_bytes_o,
  output logic        tx_abort_o,
  output logic        tx_late_o,
  output logic        tx_too_long_o,
  output logic        tx_fault_o,

  output logic        rx_local_fault_o,
  output logic        rx_remote_fault_o,
  output logic        rx_frame_o,
  output logic [15:0] rx_frame_bytes_o,
  output logic        rx_cut_o,
  output logic        rx_too_long_o,
  output logic        rx_too_short_o,
  output logic        rx_bad_fcs_o,
  output logic        rx_fragment_o,
  output logic        rx_lost_o
);

  if (!(Bytes inside {16, 32, 64})) begin : gen_bad_bytes
    $error("eth_mac %m: rule Bytes is 16, 32 or 64, got %0d", Bytes);
  end

  logic local_fault, remote_fault;  // in tx_clk_i

  prim_sync_bit u_local (
    .clk_i(tx_clk_i),
    .rst_i(tx_rst_i),
    .d_i  (rx_local_fault_o),
    .q_o  (local_fault)
  );
  prim_sync_bit u_remote (
    .clk_i(tx_clk_i),
    .rst_i(tx_rst_i),
    .d_i  (rx_remote_fault_o),
    .q_o  (remote_fault)
  );

  eth_mac_tx #(
    .Bytes(Bytes)
  ) u_tx (
    .clk_i         (tx_clk_i),
    .rst_i         (tx_rst_i),
    .s_axis_tdata  (s_axis_tdata),
    .s_axis_tkeep  (s_axis_tkeep),
    .s_axis_tlast  (s_axis_tlast),
    .s_axis_tuser  (s_axis_tuser),
    .s_axis_tvalid (s_axis_tvalid),
    .s_axis_tready (s_axis_tready),
    .max_bytes_i   (tx_max_bytes_i),
    .local_fault_i (local_fault),
    .remote_fault_i(remote_fault),
    .phy_tx_ready_i(phy_tx_ready_i),
    .phy_tx_data_o (phy_tx_data_o),
    .phy_tx_ctrl_o (phy_tx_ctrl_o),
    .frame_o       (tx_frame_o),
    .frame_bytes_o (tx_frame_bytes_o),
    .abort_o       (tx_abort_o),
    .late_o        (tx_late_o),
    .too_long_o    (tx_too_long_o),
    .fault_o       (tx_fault_o)
  );

  eth_mac_rx #(
    .Bytes(Bytes),
    .Depth(Depth)
  ) u_rx (
    .clk_i         (rx_clk_i),
    .rst_i         (rx_rst_i),
    .phy_rx_valid_i(phy_rx_valid_i),
    .phy_rx_data_i (phy_rx_data_i),
    .phy_rx_ctrl_i (phy_rx_ctrl_i),
    .max_bytes_i   (rx_max_bytes_i),
    .local_fault_o (rx_local_fault_o),
    .remote_fault_o(rx_remote_fault_o),
    .m_axis_tdata  (m_axis_tdata),
    .m_axis_tkeep  (m_axis_tkeep),
    .m_axis_tlast  (m_axis_tlast),
    .m_axis_tuser  (m_axis_tuser),
    .m_axis_tvalid (m_axis_tvalid),
    .frame_o       (rx_frame_o),
    .frame_bytes_o (rx_frame_bytes_o),
    .cut_o         (rx_cut_o),
    .too_long_o    (rx_too_long_o),
    .too_short_o   (rx_too_short_o),
    .bad_fcs_o     (rx_bad_fcs_o),
    .fragment_o    (rx_fragment_o),
    .lost_o        (rx_lost_o)
  );

endmodule
