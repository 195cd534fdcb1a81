// SPDX-License-Identifier: Apache-2.0
//
// traffic_link_bench: a player sends through a RIFL link, and the capture of the same core takes
// what comes out at its other end. error_i flips bits of the line towards that end.

module traffic_link_bench #(
  parameter int unsigned PlayDepth = 64,
  parameter int unsigned CaptureDepth = 64
) (
  input  logic        phy_clk_i,
  input  logic        user_clk_i,
  input  logic        arst_i,
  input  logic [63:0] error_i,
  output logic        link_up_o,
  output logic        rx_error_o,

  input  logic        axil_clk_i,
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
  input  logic        s_axil_rready
);

  localparam int unsigned Bytes = 32;

  logic [1:0] up;
  logic unused_rst, unused_irq;
  logic [Bytes*8-1:0] m_axis_tdata, s_axis_tdata;
  logic [Bytes-1:0] m_axis_tkeep, s_axis_tkeep;
  logic m_axis_tlast, m_axis_tvalid, m_axis_tready;
  logic s_axis_tlast, s_axis_tuser, s_axis_tvalid, s_axis_tready;
  assign link_up_o = &up;

  traffic #(
    .Bytes       (Bytes),
    .PlayDepth   (PlayDepth),
    .CaptureDepth(CaptureDepth)
  ) u_traffic (
    .clk_i      (user_clk_i),
    .axil_arst_i(arst_i),
    .rst_o      (unused_rst),
    .irq_o      (unused_irq),
    .*
  );

  rifl_pair u_link (
    .a_phy_clk_i    (phy_clk_i),
    .a_frame_clk_i  (user_clk_i),
    .a_user_clk_i   (user_clk_i),
    .b_phy_clk_i    (phy_clk_i),
    .b_frame_clk_i  (user_clk_i),
    .b_user_clk_i   (user_clk_i),
    .rst_i          (arst_i),
    .a_user_rst_o   (),
    .b_user_rst_o   (),
    .a_error_i      (error_i),
    .b_error_i      (64'd0),
    .known_i        (1'b0),
    .slip_i         (6'd5),
    .skew_i         (4'd0),
    .a_s_axis_tdata (m_axis_tdata),
    .a_s_axis_tkeep (m_axis_tkeep),
    .a_s_axis_tlast (m_axis_tlast),
    .a_s_axis_tvalid(m_axis_tvalid),
    .a_s_axis_tready(m_axis_tready),
    .a_m_axis_tdata (),
    .a_m_axis_tkeep (),
    .a_m_axis_tlast (),
    .a_m_axis_tuser (),
    .a_m_axis_tvalid(),
    .a_m_axis_tready(1'b1),
    .b_s_axis_tdata ('0),
    .b_s_axis_tkeep ('0),
    .b_s_axis_tlast (1'b0),
    .b_s_axis_tvalid(1'b0),
    .b_s_axis_tready(),
    .b_m_axis_tdata (s_axis_tdata),
    .b_m_axis_tkeep (s_axis_tkeep),
    .b_m_axis_tlast (s_axis_tlast),
    .b_m_axis_tuser (s_axis_tuser),
    .b_m_axis_tvalid(s_axis_tvalid),
    .b_m_axis_tready(s_axis_tready),
    .a_word_o       (),
    .a_link_up_o    (up[0]),
    .b_link_up_o    (up[1]),
    .a_tx_state_o   (),
    .b_tx_state_o   (),
    .a_rx_error_o   (),
    .b_rx_error_o   (rx_error_o),
    .a_remote_fc_o  (),
    .b_remote_fc_o  (),
    .a_rx_overflow_o(),
    .b_rx_overflow_o(),
    .a_compensate_o (),
    .b_compensate_o ()
  );

endmodule
