// SPDX-License-Identifier: Apache-2.0
//
// eth_pair_bench: two MACs and the two lines between them, word for word, with ways to do harm.
//
// The packets go from the near to the far one. flip_i: bits of that line that are wrong.
// near_cut_i, far_cut_i: the line that this MAC receives has no signal; its PHY then sends
// local-fault sequences.

module eth_pair_bench #(
  parameter int unsigned Bytes = 64
) (
  input logic clk_i,
  input logic rst_i,

  input logic [8*Bytes-1:0] s_axis_tdata,
  input logic [Bytes-1:0] s_axis_tkeep,
  input logic s_axis_tlast,
  input logic s_axis_tuser,
  input logic s_axis_tvalid,
  output logic s_axis_tready,

  input logic phy_tx_ready_i,
  input logic [8*Bytes-1:0] flip_i,
  input logic near_cut_i,
  input logic far_cut_i,

  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [Bytes-1:0] m_axis_tkeep,
  output logic m_axis_tlast,
  output logic m_axis_tuser,
  output logic m_axis_tvalid,

  output logic sent_o,
  output logic sent_cut_o,
  output logic near_remote_fault_o,
  output logic far_local_fault_o,
  output logic frame_o,
  output logic [15:0] frame_bytes_o,
  output logic lost_o
);

  localparam logic [63:0] FaultData = 64'h0000_0000_0100_009c;

  logic [8*Bytes-1:0] to_far, to_near;
  logic [Bytes-1:0] to_far_ctrl, to_near_ctrl;

  eth_mac #(
    .Bytes(Bytes)
  ) u_near (
    .tx_clk_i         (clk_i),
    .tx_rst_i         (rst_i),
    .rx_clk_i         (clk_i),
    .rx_rst_i         (rst_i),
    .tx_max_bytes_i   (16'd9600),
    .rx_max_bytes_i   (16'd9600),
    .s_axis_tdata     (s_axis_tdata),
    .s_axis_tkeep     (s_axis_tkeep),
    .s_axis_tlast     (s_axis_tlast),
    .s_axis_tuser     (s_axis_tuser),
    .s_axis_tvalid    (s_axis_tvalid),
    .s_axis_tready    (s_axis_tready),
    .phy_tx_ready_i   (phy_tx_ready_i),
    .phy_tx_data_o    (to_far),
    .phy_tx_ctrl_o    (to_far_ctrl),
    .phy_rx_valid_i   (phy_tx_ready_i),
    .phy_rx_data_i    (near_cut_i ? {(Bytes / 8) {FaultData}} : to_near),
    .phy_rx_ctrl_i    (near_cut_i ? {(Bytes / 8) {8'h01}} : to_near_ctrl),
    .m_axis_tdata     (),
    .m_axis_tkeep     (),
    .m_axis_tlast     (),
    .m_axis_tuser     (),
    .m_axis_tvalid    (),
    .tx_frame_o       (sent_o),
    .tx_frame_bytes_o (),
    .tx_abort_o       (),
    .tx_late_o        (),
    .tx_too_long_o    (),
    .tx_fault_o       (sent_cut_o),
    .rx_local_fault_o (),
    .rx_remote_fault_o(near_remote_fault_o),
    .rx_frame_o       (),
    .rx_frame_bytes_o (),
    .rx_cut_o         (),
    .rx_too_long_o    (),
    .rx_too_short_o   (),
    .rx_bad_fcs_o     (),
    .rx_fragment_o    (),
    .rx_lost_o        ()
  );

  eth_mac #(
    .Bytes(Bytes)
  ) u_far (
    .tx_clk_i         (clk_i),
    .tx_rst_i         (rst_i),
    .rx_clk_i         (clk_i),
    .rx_rst_i         (rst_i),
    .tx_max_bytes_i   (16'd9600),
    .rx_max_bytes_i   (16'd9600),
    .s_axis_tdata     ('0),
    .s_axis_tkeep     ('0),
    .s_axis_tlast     (1'b0),
    .s_axis_tuser     (1'b0),
    .s_axis_tvalid    (1'b0),
    .s_axis_tready    (),
    .phy_tx_ready_i   (phy_tx_ready_i),
    .phy_tx_data_o    (to_near),
    .phy_tx_ctrl_o    (to_near_ctrl),
    .phy_rx_valid_i   (phy_tx_ready_i),
    .phy_rx_data_i    (far_cut_i ? {(Bytes / 8) {FaultData}} : to_far ^ flip_i),
    .phy_rx_ctrl_i    (far_cut_i ? {(Bytes / 8) {8'h01}} : to_far_ctrl),
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
    .rx_local_fault_o (far_local_fault_o),
    .rx_remote_fault_o(),
    .rx_frame_o       (frame_o),
    .rx_frame_bytes_o (frame_bytes_o),
    .rx_cut_o         (),
    .rx_too_long_o    (),
    .rx_too_short_o   (),
    .rx_bad_fcs_o     (),
    .rx_fragment_o    (),
    .rx_lost_o        (lost_o)
  );

endmodule
