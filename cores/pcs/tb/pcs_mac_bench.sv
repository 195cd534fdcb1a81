// SPDX-License-Identifier: Apache-2.0
//
// pcs_mac_bench: a MAC over a PCS whose lanes go back to it, in one clock.
//
// What      Frames from s_axis come back at m_axis. signal_i: the lanes have a signal;
//           noise_i is added.

module pcs_mac_bench
  import pcs_pkg::*;
#(
  parameter  int unsigned Period = 128,
  localparam int unsigned Bytes  = 64
) (
  input  logic                                clk_i,
  input  logic                                rst_i,
  input  logic                                signal_i,
  input  logic    [  Lanes-1:0][RawWidth-1:0] noise_i,
  input  logic    [8*Bytes-1:0]               s_axis_tdata,
  input  logic    [  Bytes-1:0]               s_axis_tkeep,
  input  logic                                s_axis_tlast,
  input  logic                                s_axis_tvalid,
  output logic                                s_axis_tready,
  output logic    [8*Bytes-1:0]               m_axis_tdata,
  output logic    [  Bytes-1:0]               m_axis_tkeep,
  output logic                                m_axis_tlast,
  output logic                                m_axis_tuser,
  output logic                                m_axis_tvalid,
  output logic                                local_fault_o,
  output logic                                remote_fault_o,
  output logic                                lost_o,
  output status_t                             status_o
);

  logic tx_ready, rx_valid;
  logic [8*Bytes-1:0] tx_data, rx_data;
  logic [Bytes-1:0] tx_ctrl, rx_ctrl;
  logic [Lanes-1:0][RawWidth-1:0] lanes;

  eth_mac #(
    .Bytes(Bytes)
  ) u_mac (
    .tx_clk_i         (clk_i),
    .tx_rst_i         (rst_i),
    .rx_clk_i         (clk_i),
    .rx_rst_i         (rst_i),
    .tx_max_bytes_i   (16'd9600),
    .rx_max_bytes_i   (16'd9600),
    .s_axis_tdata     (s_axis_tdata),
    .s_axis_tkeep     (s_axis_tkeep),
    .s_axis_tlast     (s_axis_tlast),
    .s_axis_tuser     (1'b0),
    .s_axis_tvalid    (s_axis_tvalid),
    .s_axis_tready    (s_axis_tready),
    .phy_tx_ready_i   (tx_ready),
    .phy_tx_data_o    (tx_data),
    .phy_tx_ctrl_o    (tx_ctrl),
    .phy_rx_valid_i   (rx_valid),
    .phy_rx_data_i    (rx_data),
    .phy_rx_ctrl_i    (rx_ctrl),
    .m_axis_tdata     (m_axis_tdata),
    .m_axis_tkeep     (m_axis_tkeep),
    .m_axis_tlast     (m_axis_tlast),
    .m_axis_tuser     (m_axis_tuser),
    .m_axis_tvalid    (m_axis_tvalid),
    .tx_frame_o       (),
    .tx_frame_bytes_o (),
    .tx_abort_o       (),
    .tx_late_o        (),
    .tx_too_long_o    (),
    .tx_fault_o       (),
    .rx_local_fault_o (local_fault_o),
    .rx_remote_fault_o(remote_fault_o),
    .rx_frame_o       (),
    .rx_frame_bytes_o (),
    .rx_cut_o         (),
    .rx_too_long_o    (),
    .rx_too_short_o   (),
    .rx_bad_fcs_o     (),
    .rx_fragment_o    (),
    .rx_lost_o        (lost_o)
  );

  pcs #(
    .Period(Period)
  ) u_pcs (
    .tx_clk_i         (clk_i),
    .tx_rst_i         (rst_i),
    .tx_cgmii_valid_i (1'b1),
    .tx_cgmii_ready_o (tx_ready),
    .tx_cgmii_data_i  (tx_data),
    .tx_cgmii_ctrl_i  (tx_ctrl),
    .tx_lanes_o       (lanes),
    .tx_lost_o        (),
    .rx_clk_i         (clk_i),
    .rx_rst_i         (rst_i),
    .rx_signal_i      ({Lanes{signal_i}}),
    .rx_lanes_i       (lanes ^ noise_i),
    .rx_cgmii_valid_o (rx_valid),
    .rx_cgmii_data_o  (rx_data),
    .rx_cgmii_ctrl_o  (rx_ctrl),
    .rx_status_o      (status_o),
    .rx_number_o      (),
    .rx_inverted_o    (),
    .rx_parity_error_o(),
    .rx_block_error_o ()
  );

endmodule
