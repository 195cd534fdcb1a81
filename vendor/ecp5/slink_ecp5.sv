// SPDX-License-Identifier: Apache-2.0
//
// slink_ecp5: one end of an SLink of one lane, with a transceiver of an ECP5.
//
// NOT RUN ON HARDWARE. This is a template: it is placed and routed (`make board`), and that is all
// that is known of it. Before it is used, hold every parameter of the transceiver against the
// vendor's manual. Known to be open:
//   * analogue settings (amplitude, termination, equaliser, loop filters, calibration) are left to
//     the tools' defaults, where the vendor's generator would compute them for the speed and the
//     reference clock;
//   * the places of both symbols in the buses of 24 bits (9:0 and 21:12, the low one first on the
//     line) are assumed;
//   * the reset sequence (power-up, PLL lock, CDR lock, in this order) is one counter, without
//     supervision of loss of lock;
//   * speed_o is not connected: the speed is that of the reference clock times 20, and
//     `control.run` has to agree with it.
//
// What      slink, lane 0 of which goes to channel 0 of DCU 0: 8b/10b, comma alignment and clock
//           tolerance are those of the core, so that encoder, decoder, word aligner and elastic
//           buffer of the transceiver are passed by; gears of two make words of 20 bits.
// Contract  refclk_p_i, refclk_n_i: a twentieth of the line rate, 125 MHz for 2.5 Gb/s. clk_o: the
//           clock of all other ports. arst_i: asynchronous, free of glitches. rst_o, m_axi, s_axil,
//           irq_o: as in slink. Write 1 to the register `lanes`: one lane is wired.
//
// Parameters  as in slink

module slink_ecp5
  import slink_pkg::*;
#(
  parameter int unsigned StoreDepth = 512
) (
  input  logic refclk_p_i,
  input  logic refclk_n_i,
  input  logic arst_i,
  output logic rst_o,
  input  logic rx_p_i,
  input  logic rx_n_i,
  output logic tx_p_o,
  output logic tx_n_o,
  output logic clk_o,

  output logic [31:0] m_axi_awaddr,
  output logic [ 7:0] m_axi_awlen,
  output logic [ 2:0] m_axi_awsize,
  output logic [ 1:0] m_axi_awburst,
  output logic        m_axi_awvalid,
  input  logic        m_axi_awready,
  output logic [63:0] m_axi_wdata,
  output logic [ 7:0] m_axi_wstrb,
  output logic        m_axi_wlast,
  output logic        m_axi_wvalid,
  input  logic        m_axi_wready,
  input  logic [ 1:0] m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,
  output logic [31:0] m_axi_araddr,
  output logic [ 7:0] m_axi_arlen,
  output logic [ 2:0] m_axi_arsize,
  output logic [ 1:0] m_axi_arburst,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [63:0] m_axi_rdata,
  input  logic [ 1:0] m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready,

  input  logic [ 5:0] s_axil_awaddr,
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
  input  logic [ 5:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic        irq_o
);

  logic refclk, rx_clk, rx_lost, tx_unlocked;
  logic [9:0] tx_first, tx_second, rx_first, rx_second;
  logic [Lanes-1:0][10*Symbols-1:0] tx_data;
  logic [1:0] speed;
  logic [Lanes-1:0] lanes;
  logic coding;

  assign {tx_second, tx_first} = tx_data[0];

  // ---- Reset: all of the transceiver, then the core once its clock runs ----
  logic [7:0] wait_q;
  logic core_rst_q, unlocked;

  prim_sync_reset u_unlocked (
    .clk_i (clk_o),
    .arst_i(tx_unlocked),
    .rst_o (unlocked)
  );

  always_ff @(posedge clk_o) begin
    if (unlocked) begin
      wait_q     <= '0;
      core_rst_q <= 1'b1;
    end else begin
      if (!(&wait_q)) wait_q <= wait_q + 1'b1;
      core_rst_q <= !(&wait_q);
    end
  end

  slink #(
    .DataWidth (64),
    .StoreDepth(StoreDepth)
  ) u_slink (
    .clk_i        (clk_o),
    .arst_i       (core_rst_q || arst_i),
    .rst_o,
    .speed_o      (speed),
    .lanes_o      (lanes),
    .coding_o     (coding),
    .able_fast_i  (1'b0),
    .able_coding_i(1'b0),
    .tx_data_o    (tx_data),
    .rx_clk_i     (rx_clk),
    .rx_data_i    ({{3 * 10 * Symbols{1'b0}}, rx_second, rx_first}),
    .m_axi_awaddr,
    .m_axi_awlen,
    .m_axi_awsize,
    .m_axi_awburst,
    .m_axi_awvalid,
    .m_axi_awready,
    .m_axi_wdata,
    .m_axi_wstrb,
    .m_axi_wlast,
    .m_axi_wvalid,
    .m_axi_wready,
    .m_axi_bresp,
    .m_axi_bvalid,
    .m_axi_bready,
    .m_axi_araddr,
    .m_axi_arlen,
    .m_axi_arsize,
    .m_axi_arburst,
    .m_axi_arvalid,
    .m_axi_arready,
    .m_axi_rdata,
    .m_axi_rresp,
    .m_axi_rlast,
    .m_axi_rvalid,
    .m_axi_rready,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_bresp,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_rdata,
    .s_axil_rresp,
    .s_axil_rvalid,
    .s_axil_rready,
    .irq_o
  );

  // ---- Transceiver ----
  (* LOC = "EXTREF0" *)
  EXTREFB #(
    .REFCK_PWDNB    ("0b1"),
    .REFCK_RTERM    ("0b1"),
    .REFCK_DCBIAS_EN("0b0")
  ) u_reference (
    .REFCLKP(refclk_p_i),
    .REFCLKN(refclk_n_i),
    .REFCLKO(refclk)
  );

  (* LOC = "DCU0", CHAN = "CH0" *)
  DCUA #(
    .D_MACROPDB         ("0b1"),
    .D_IB_PWDNB         ("0b1"),
    .D_TXPLL_PWDNB      ("0b1"),
    .D_REFCK_MODE       ("0b000"),
    .D_BITCLK_LOCAL_EN  ("0b1"),
    .D_SYNC_LOCAL_EN    ("0b1"),
    .D_BUS8BIT_SEL      ("0b0"),
    .CH0_PROTOCOL       ("10BSER"),
    .CH0_UC_MODE        ("0b1"),
    .CH0_ENC_BYPASS     ("0b1"),
    .CH0_DEC_BYPASS     ("0b1"),
    .CH0_WA_BYPASS      ("0b1"),
    .CH0_CTC_BYPASS     ("0b1"),
    .CH0_LSM_DISABLE    ("0b1"),
    .CH0_SB_BYPASS      ("0b0"),
    .CH0_RX_SB_BYPASS   ("0b0"),
    .CH0_TX_GEAR_MODE   ("0b1"),
    .CH0_RX_GEAR_MODE   ("0b1"),
    .CH0_TX_GEAR_BYPASS ("0b0"),
    .CH0_RX_GEAR_BYPASS ("0b0"),
    .CH0_FF_TX_H_CLK_EN ("0b1"),
    .CH0_FF_RX_H_CLK_EN ("0b1"),
    .CH0_FF_TX_F_CLK_DIS("0b1"),
    .CH0_FF_RX_F_CLK_DIS("0b1"),
    .CH0_RATE_MODE_TX   ("0b0"),
    .CH0_RATE_MODE_RX   ("0b0"),
    .CH0_TPWDNB         ("0b1"),
    .CH0_RPWDNB         ("0b1")
  ) u_transceiver (
    .D_REFCLKI            (refclk),
    .D_FFC_MACROPDB       (1'b1),
    .D_FFC_MACRO_RST      (1'b0),
    .D_FFC_DUAL_RST       (arst_i),
    .D_FFC_TRST           (arst_i),
    .D_FFC_SYNC_TOGGLE    (1'b0),
    .D_FFS_PLOL           (tx_unlocked),
    .CH0_RX_REFCLK        (refclk),
    .CH0_HDINP            (rx_p_i),
    .CH0_HDINN            (rx_n_i),
    .CH0_HDOUTP           (tx_p_o),
    .CH0_HDOUTN           (tx_n_o),
    .CH0_FFC_TXPWDNB      (1'b1),
    .CH0_FFC_RXPWDNB      (1'b1),
    .CH0_FFC_LANE_TX_RST  (tx_unlocked),
    .CH0_FFC_LANE_RX_RST  (tx_unlocked),
    .CH0_FFC_RRST         (arst_i),
    .CH0_FFC_RX_GEAR_MODE (1'b1),
    .CH0_FFC_TX_GEAR_MODE (1'b1),
    .CH0_FFC_SIGNAL_DETECT(1'b1),
    .CH0_FFS_RLOL         (rx_lost),
    .CH0_FF_TXI_CLK       (clk_o),
    .CH0_FF_RXI_CLK       (rx_clk),
    .CH0_FF_EBRD_CLK      (1'b0),
    .CH0_FF_TX_PCLK       (clk_o),
    .CH0_FF_RX_PCLK       (rx_clk),
    .CH0_FF_TX_D_0        (tx_first[0]),
    .CH0_FF_TX_D_1        (tx_first[1]),
    .CH0_FF_TX_D_2        (tx_first[2]),
    .CH0_FF_TX_D_3        (tx_first[3]),
    .CH0_FF_TX_D_4        (tx_first[4]),
    .CH0_FF_TX_D_5        (tx_first[5]),
    .CH0_FF_TX_D_6        (tx_first[6]),
    .CH0_FF_TX_D_7        (tx_first[7]),
    .CH0_FF_TX_D_8        (tx_first[8]),
    .CH0_FF_TX_D_9        (tx_first[9]),
    .CH0_FF_TX_D_12       (tx_second[0]),
    .CH0_FF_TX_D_13       (tx_second[1]),
    .CH0_FF_TX_D_14       (tx_second[2]),
    .CH0_FF_TX_D_15       (tx_second[3]),
    .CH0_FF_TX_D_16       (tx_second[4]),
    .CH0_FF_TX_D_17       (tx_second[5]),
    .CH0_FF_TX_D_18       (tx_second[6]),
    .CH0_FF_TX_D_19       (tx_second[7]),
    .CH0_FF_TX_D_20       (tx_second[8]),
    .CH0_FF_TX_D_21       (tx_second[9]),
    .CH0_FF_RX_D_0        (rx_first[0]),
    .CH0_FF_RX_D_1        (rx_first[1]),
    .CH0_FF_RX_D_2        (rx_first[2]),
    .CH0_FF_RX_D_3        (rx_first[3]),
    .CH0_FF_RX_D_4        (rx_first[4]),
    .CH0_FF_RX_D_5        (rx_first[5]),
    .CH0_FF_RX_D_6        (rx_first[6]),
    .CH0_FF_RX_D_7        (rx_first[7]),
    .CH0_FF_RX_D_8        (rx_first[8]),
    .CH0_FF_RX_D_9        (rx_first[9]),
    .CH0_FF_RX_D_12       (rx_second[0]),
    .CH0_FF_RX_D_13       (rx_second[1]),
    .CH0_FF_RX_D_14       (rx_second[2]),
    .CH0_FF_RX_D_15       (rx_second[3]),
    .CH0_FF_RX_D_16       (rx_second[4]),
    .CH0_FF_RX_D_17       (rx_second[5]),
    .CH0_FF_RX_D_18       (rx_second[6]),
    .CH0_FF_RX_D_19       (rx_second[7]),
    .CH0_FF_RX_D_20       (rx_second[8]),
    .CH0_FF_RX_D_21       (rx_second[9])
  );

  logic unused;
  assign unused = ^{speed, lanes, coding, tx_data[Lanes-1:1], rx_lost};

endmodule
