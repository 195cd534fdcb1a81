// SPDX-License-Identifier: Apache-2.0
//
// slink_ecp5_fit: slink_ecp5 between shift registers, so that it can be placed and timed without
// the pins and the memory of a board.
//
// What      All inputs of slink_ecp5 come from one shift register, all outputs go to another one.
//           It does nothing useful; its flip-flops (133 and 210) are in the utilisation that `make
//           board` prints.
// Contract  scan_i: shifts in in every cycle. load_i: the outputs are taken over, else they are
//           shifted out to scan_o. The other ports: slink_ecp5.

module slink_ecp5_fit (
  input  logic refclk_p_i,
  input  logic refclk_n_i,
  input  logic arst_i,
  input  logic rx_p_i,
  input  logic rx_n_i,
  output logic tx_p_o,
  output logic tx_n_o,
  input  logic scan_i,
  input  logic load_i,
  output logic scan_o
);

  localparam int unsigned InBits = 133;
  localparam int unsigned OutBits = 211;

  logic clk;
  logic [InBits-1:0] in_q;
  logic [OutBits-1:0] out, out_q;

  logic m_axi_awready;
  logic m_axi_wready;
  logic [1:0] m_axi_bresp;
  logic m_axi_bvalid;
  logic m_axi_arready;
  logic [63:0] m_axi_rdata;
  logic [1:0] m_axi_rresp;
  logic m_axi_rlast;
  logic m_axi_rvalid;
  logic [5:0] s_axil_awaddr;
  logic [2:0] s_axil_awprot;
  logic s_axil_awvalid;
  logic [31:0] s_axil_wdata;
  logic [3:0] s_axil_wstrb;
  logic s_axil_wvalid;
  logic s_axil_bready;
  logic [5:0] s_axil_araddr;
  logic [2:0] s_axil_arprot;
  logic s_axil_arvalid;
  logic s_axil_rready;
  logic [31:0] m_axi_awaddr;
  logic [7:0] m_axi_awlen;
  logic [2:0] m_axi_awsize;
  logic [1:0] m_axi_awburst;
  logic m_axi_awvalid;
  logic [63:0] m_axi_wdata;
  logic [7:0] m_axi_wstrb;
  logic m_axi_wlast;
  logic m_axi_wvalid;
  logic m_axi_bready;
  logic [31:0] m_axi_araddr;
  logic [7:0] m_axi_arlen;
  logic [2:0] m_axi_arsize;
  logic [1:0] m_axi_arburst;
  logic m_axi_arvalid;
  logic m_axi_rready;
  logic s_axil_awready;
  logic s_axil_wready;
  logic [1:0] s_axil_bresp;
  logic s_axil_bvalid;
  logic s_axil_arready;
  logic [31:0] s_axil_rdata;
  logic [1:0] s_axil_rresp;
  logic s_axil_rvalid;
  logic irq_o;
  logic rst_o;

  always_ff @(posedge clk) begin
    in_q  <= {in_q[InBits-2:0], scan_i};
    out_q <= load_i ? out : {1'b0, out_q[OutBits-1:1]};
  end

  assign scan_o = out_q[0];
  assign {
    m_axi_awready, m_axi_wready, m_axi_bresp, m_axi_bvalid, m_axi_arready,
    m_axi_rdata, m_axi_rresp, m_axi_rlast, m_axi_rvalid, s_axil_awaddr,
    s_axil_awprot, s_axil_awvalid, s_axil_wdata, s_axil_wstrb, s_axil_wvalid,
    s_axil_bready, s_axil_araddr, s_axil_arprot, s_axil_arvalid, s_axil_rready
  } = in_q;
  assign out = {
    m_axi_awaddr,
    m_axi_awlen,
    m_axi_awsize,
    m_axi_awburst,
    m_axi_awvalid,
    m_axi_wdata,
    m_axi_wstrb,
    m_axi_wlast,
    m_axi_wvalid,
    m_axi_bready,
    m_axi_araddr,
    m_axi_arlen,
    m_axi_arsize,
    m_axi_arburst,
    m_axi_arvalid,
    m_axi_rready,
    s_axil_awready,
    s_axil_wready,
    s_axil_bresp,
    s_axil_bvalid,
    s_axil_arready,
    s_axil_rdata,
    s_axil_rresp,
    s_axil_rvalid,
    irq_o,
    rst_o
  };

  slink_ecp5 u_slink (
    .refclk_p_i,
    .refclk_n_i,
    .arst_i,
    .rst_o,
    .rx_p_i,
    .rx_n_i,
    .tx_p_o,
    .tx_n_o,
    .clk_o(clk),
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

endmodule
