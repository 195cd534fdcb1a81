// SPDX-License-Identifier: Apache-2.0
//
// rifl_shell_pair: two ends with their registers for the tests: A's words go to B and B's to A. A
// lane can be broken (break_i: zeros in both directions) and slipped by some bits. The buses have
// one clock. The users' streams are reset by rst_i alone, so that they live on through a reset by
// register. The seeds differ in their top bit, so the ends' session numbers differ as long as
// neither has run for 2^14 frames.

module rifl_shell_pair #(
  parameter int unsigned Lanes = 1,
  parameter int unsigned FrameWidth = 256,
  parameter int unsigned UserWidth = FrameWidth,
  parameter int unsigned IdWidth = 6,
  parameter int unsigned UpFrames = 64,
  parameter int unsigned OffsetWindow = 8,
  parameter int unsigned RateA = 2800,
  parameter int unsigned RateB = 2800,
  parameter bit DelayedRelease = 1'b0
) (
  input  logic a_phy_clk_i,
  input  logic a_frame_clk_i,
  input  logic a_user_clk_i,
  input  logic b_phy_clk_i,
  input  logic b_frame_clk_i,
  input  logic b_user_clk_i,
  input  logic axil_clk_i,
  input  logic axil_rst_i,
  input  logic rst_i,
  output logic a_user_rst_o,
  output logic b_user_rst_o,

  input logic [Lanes-1:0]      break_i,
  input logic [Lanes-1:0][5:0] slip_i,

  output logic [Lanes-1:0][63:0] a_word_o,  // as A sends it
  output logic [Lanes-1:0][63:0] a_clean_o, // before error injection

  input  logic [  UserWidth-1:0] a_s_axis_tdata,
  input  logic [UserWidth/8-1:0] a_s_axis_tkeep,
  input  logic                   a_s_axis_tlast,
  input  logic                   a_s_axis_tvalid,
  output logic                   a_s_axis_tready,
  output logic [  UserWidth-1:0] a_m_axis_tdata,
  output logic [UserWidth/8-1:0] a_m_axis_tkeep,
  output logic                   a_m_axis_tlast,
  output logic                   a_m_axis_tuser,
  output logic                   a_m_axis_tvalid,
  input  logic                   a_m_axis_tready,

  input  logic [  UserWidth-1:0] b_s_axis_tdata,
  input  logic [UserWidth/8-1:0] b_s_axis_tkeep,
  input  logic                   b_s_axis_tlast,
  input  logic                   b_s_axis_tvalid,
  output logic                   b_s_axis_tready,
  output logic [  UserWidth-1:0] b_m_axis_tdata,
  output logic [UserWidth/8-1:0] b_m_axis_tkeep,
  output logic                   b_m_axis_tlast,
  output logic                   b_m_axis_tuser,
  output logic                   b_m_axis_tvalid,
  input  logic                   b_m_axis_tready,

  output logic       a_link_up_o,
  output logic       b_link_up_o,
  output logic       a_irq_o,
  output logic       b_irq_o,
  output logic [2:0] a_loopback_o,
  output logic [2:0] b_loopback_o,

  input  logic [11:0] a_s_axil_awaddr,
  input  logic [ 2:0] a_s_axil_awprot,
  input  logic        a_s_axil_awvalid,
  output logic        a_s_axil_awready,
  input  logic [31:0] a_s_axil_wdata,
  input  logic [ 3:0] a_s_axil_wstrb,
  input  logic        a_s_axil_wvalid,
  output logic        a_s_axil_wready,
  output logic [ 1:0] a_s_axil_bresp,
  output logic        a_s_axil_bvalid,
  input  logic        a_s_axil_bready,
  input  logic [11:0] a_s_axil_araddr,
  input  logic [ 2:0] a_s_axil_arprot,
  input  logic        a_s_axil_arvalid,
  output logic        a_s_axil_arready,
  output logic [31:0] a_s_axil_rdata,
  output logic [ 1:0] a_s_axil_rresp,
  output logic        a_s_axil_rvalid,
  input  logic        a_s_axil_rready,

  input  logic [11:0] b_s_axil_awaddr,
  input  logic [ 2:0] b_s_axil_awprot,
  input  logic        b_s_axil_awvalid,
  output logic        b_s_axil_awready,
  input  logic [31:0] b_s_axil_wdata,
  input  logic [ 3:0] b_s_axil_wstrb,
  input  logic        b_s_axil_wvalid,
  output logic        b_s_axil_wready,
  output logic [ 1:0] b_s_axil_bresp,
  output logic        b_s_axil_bvalid,
  input  logic        b_s_axil_bready,
  input  logic [11:0] b_s_axil_araddr,
  input  logic [ 2:0] b_s_axil_arprot,
  input  logic        b_s_axil_arvalid,
  output logic        b_s_axil_arready,
  output logic [31:0] b_s_axil_rdata,
  output logic [ 1:0] b_s_axil_rresp,
  output logic        b_s_axil_rvalid,
  input  logic        b_s_axil_rready
);

  logic [Lanes-1:0][63:0] a_tx, b_tx, a_rx, b_rx;
  assign a_word_o  = a_tx;
  assign a_clean_o = u_a.link_tx_data;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    logic [63:0] a_line, b_line, a_line_q, b_line_q;
    assign a_line = break_i[i] ? '0 : a_tx[i];
    assign b_line = break_i[i] ? '0 : b_tx[i];
    always_ff @(posedge a_phy_clk_i) a_line_q <= a_line;
    always_ff @(posedge b_phy_clk_i) b_line_q <= b_line;
    always_comb begin
      b_rx[i] = 64'({a_line, a_line_q} >> (7'd64 - 7'(slip_i[i])));
      a_rx[i] = 64'({b_line, b_line_q} >> (7'd64 - 7'(slip_i[i])));
    end
  end

  rifl #(
    .Lanes         (Lanes),
    .FrameWidth    (FrameWidth),
    .UserWidth     (UserWidth),
    .IdWidth       (IdWidth),
    .UpFrames      (UpFrames),
    .LineRate      (RateA),
    .OffsetWindow  (OffsetWindow),
    .DelayedRelease(DelayedRelease)
  ) u_a (
    .phy_tx_clk_i(a_phy_clk_i),
    .frame_clk_i(a_frame_clk_i),
    .user_clk_i(a_user_clk_i),
    .phy_rx_clk_i({Lanes{b_phy_clk_i}}),
    .arst_i(rst_i),
    .user_arst_i(rst_i),
    .user_rst_o(a_user_rst_o),
    .session_seed_i(16'h8001),
    .phy_tx_data_o(a_tx),
    .phy_rx_data_i(a_rx),
    .phy_rx_bad_i('0),
    .phy_loopback_o(a_loopback_o),
    .link_up_o(a_link_up_o),
    .axil_clk_i(axil_clk_i),
    .axil_arst_i(axil_rst_i),
    .irq_o(a_irq_o),
    .s_axis_tdata(a_s_axis_tdata),
    .m_axis_tdata(a_m_axis_tdata),
    .s_axis_tkeep(a_s_axis_tkeep),
    .m_axis_tkeep(a_m_axis_tkeep),
    .s_axis_tlast(a_s_axis_tlast),
    .m_axis_tlast(a_m_axis_tlast),
    .m_axis_tuser(a_m_axis_tuser),
    .s_axis_tvalid(a_s_axis_tvalid),
    .m_axis_tvalid(a_m_axis_tvalid),
    .s_axis_tready(a_s_axis_tready),
    .m_axis_tready(a_m_axis_tready),
    .s_axil_awaddr(a_s_axil_awaddr),
    .s_axil_awprot(a_s_axil_awprot),
    .s_axil_awvalid(a_s_axil_awvalid),
    .s_axil_awready(a_s_axil_awready),
    .s_axil_wdata(a_s_axil_wdata),
    .s_axil_wstrb(a_s_axil_wstrb),
    .s_axil_wvalid(a_s_axil_wvalid),
    .s_axil_wready(a_s_axil_wready),
    .s_axil_bresp(a_s_axil_bresp),
    .s_axil_bvalid(a_s_axil_bvalid),
    .s_axil_bready(a_s_axil_bready),
    .s_axil_araddr(a_s_axil_araddr),
    .s_axil_arprot(a_s_axil_arprot),
    .s_axil_arvalid(a_s_axil_arvalid),
    .s_axil_arready(a_s_axil_arready),
    .s_axil_rdata(a_s_axil_rdata),
    .s_axil_rresp(a_s_axil_rresp),
    .s_axil_rvalid(a_s_axil_rvalid),
    .s_axil_rready(a_s_axil_rready)
  );

  rifl #(
    .Lanes         (Lanes),
    .FrameWidth    (FrameWidth),
    .UserWidth     (UserWidth),
    .IdWidth       (IdWidth),
    .UpFrames      (UpFrames),
    .LineRate      (RateB),
    .OffsetWindow  (OffsetWindow),
    .DelayedRelease(DelayedRelease)
  ) u_b (
    .phy_tx_clk_i(b_phy_clk_i),
    .frame_clk_i(b_frame_clk_i),
    .user_clk_i(b_user_clk_i),
    .phy_rx_clk_i({Lanes{a_phy_clk_i}}),
    .arst_i(rst_i),
    .user_arst_i(rst_i),
    .user_rst_o(b_user_rst_o),
    .session_seed_i(16'h0002),
    .phy_tx_data_o(b_tx),
    .phy_rx_data_i(b_rx),
    .phy_rx_bad_i('0),
    .phy_loopback_o(b_loopback_o),
    .link_up_o(b_link_up_o),
    .axil_clk_i(axil_clk_i),
    .axil_arst_i(axil_rst_i),
    .irq_o(b_irq_o),
    .s_axis_tdata(b_s_axis_tdata),
    .m_axis_tdata(b_m_axis_tdata),
    .s_axis_tkeep(b_s_axis_tkeep),
    .m_axis_tkeep(b_m_axis_tkeep),
    .s_axis_tlast(b_s_axis_tlast),
    .m_axis_tlast(b_m_axis_tlast),
    .m_axis_tuser(b_m_axis_tuser),
    .s_axis_tvalid(b_s_axis_tvalid),
    .m_axis_tvalid(b_m_axis_tvalid),
    .s_axis_tready(b_s_axis_tready),
    .m_axis_tready(b_m_axis_tready),
    .s_axil_awaddr(b_s_axil_awaddr),
    .s_axil_awprot(b_s_axil_awprot),
    .s_axil_awvalid(b_s_axil_awvalid),
    .s_axil_awready(b_s_axil_awready),
    .s_axil_wdata(b_s_axil_wdata),
    .s_axil_wstrb(b_s_axil_wstrb),
    .s_axil_wvalid(b_s_axil_wvalid),
    .s_axil_wready(b_s_axil_wready),
    .s_axil_bresp(b_s_axil_bresp),
    .s_axil_bvalid(b_s_axil_bvalid),
    .s_axil_bready(b_s_axil_bready),
    .s_axil_araddr(b_s_axil_araddr),
    .s_axil_arprot(b_s_axil_arprot),
    .s_axil_arvalid(b_s_axil_arvalid),
    .s_axil_arready(b_s_axil_arready),
    .s_axil_rdata(b_s_axil_rdata),
    .s_axil_rresp(b_s_axil_rresp),
    .s_axil_rvalid(b_s_axil_rvalid),
    .s_axil_rready(b_s_axil_rready)
  );

endmodule
