// SPDX-License-Identifier: Apache-2.0
//
// htsp_shell_pair: two ends with their registers, A and B, joined by two lines that lose and damage
// frames on demand.
//
// Index 0 of the vectors is A and the line from A to B, index 1 is B and the line from B to A.
// inject_i: B hears the frames of the test bench in place of A's. phy_tx_off_i, phy_rx_off_i: of an
// end, its ready levels fall, and frames come all the same.

module htsp_shell_pair
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 2,
  parameter int unsigned Bytes = WordBytes,
  parameter int unsigned TxDepth = 8,
  parameter int unsigned RxDepth = 64
) (
  input logic clk_i,
  input logic axil_clk_i,
  input logic axil_arst_i,

  input logic [1:0]      arst_i,
  input logic [1:0]      phy_tx_off_i,
  input logic [1:0]      phy_rx_off_i,
  input logic [1:0]      ready_i,           // the line takes words
  input logic [1:0]      drop_i,
  input logic [1:0]      arm_i,
  input logic [1:0]      deaf_i,
  input logic [1:0][7:0] skip_i,
  input logic [1:0]      told_i,
  input logic [1:0]      cut_i,
  input logic [1:0][7:0] flip_word_i,
  input logic [1:0][8:0] flip_bit_i,
  input logic [1:0]      fec_corrected_i,
  input logic [1:0]      fec_uncorrected_i,

  input logic               inject_i,
  input logic [8*Bytes-1:0] inject_tdata,
  input logic [  Bytes-1:0] inject_tkeep,
  input logic               inject_tlast,
  input logic               inject_tuser,
  input logic               inject_tvalid,

  input  logic [2*Channels-1:0][8*Bytes-1:0] s_axis_tdata,
  input  logic [2*Channels-1:0][  Bytes-1:0] s_axis_tkeep,
  input  logic [2*Channels-1:0]              s_axis_tlast,
  input  logic [2*Channels-1:0]              s_axis_tuser,
  input  logic [2*Channels-1:0]              s_axis_tvalid,
  output logic [2*Channels-1:0]              s_axis_tready,
  output logic [2*Channels-1:0][8*Bytes-1:0] m_axis_tdata,
  output logic [2*Channels-1:0][  Bytes-1:0] m_axis_tkeep,
  output logic [2*Channels-1:0]              m_axis_tlast,
  output logic [2*Channels-1:0]              m_axis_tuser,
  output logic [2*Channels-1:0]              m_axis_tvalid,
  input  logic [2*Channels-1:0]              m_axis_tready,

  input  logic [1:0][127:0] s_opcode_tdata,
  input  logic [1:0]        s_opcode_tvalid,
  output logic [1:0]        s_opcode_tready,
  output logic [1:0][127:0] m_opcode_tdata,
  output logic [1:0]        m_opcode_tvalid,

  // What the transmitters put on the lines.
  output logic [1:0][8*Bytes-1:0] phy_tdata,
  output logic [1:0][  Bytes-1:0] phy_tkeep,
  output logic [1:0]              phy_tlast,
  output logic [1:0]              phy_tvalid,

  output logic [1:0]                    rst_o,
  output logic [1:0]                    link_up_o,
  output logic [1:0]                    remote_ready_o,
  output logic [1:0][       127:0]      remote_data_o,
  output logic [1:0][        15:0]      remote_pause_o,
  output logic [1:0][Channels-1:0]      local_pause_o,
  output logic [1:0]                    irq_o,
  output logic [1:0][         2:0]      loopback_o,
  output logic [1:0]                    reset_rx_o,
  output logic [1:0][         3:0]      rx_polarity_o,
  output logic [1:0][         3:0]      tx_polarity_o,
  output logic [1:0][         3:0][4:0] lane_diff_o,
  output logic [1:0][         3:0][4:0] lane_pre_o,
  output logic [1:0][         3:0][4:0] lane_post_o,

  input logic [12:0] a_s_axil_awaddr,
  input logic [12:0] b_s_axil_awaddr,
  input logic [2:0] a_s_axil_awprot,
  input logic [2:0] b_s_axil_awprot,
  input logic a_s_axil_awvalid,
  input logic b_s_axil_awvalid,
  output logic a_s_axil_awready,
  output logic b_s_axil_awready,
  input logic [31:0] a_s_axil_wdata,
  input logic [31:0] b_s_axil_wdata,
  input logic [3:0] a_s_axil_wstrb,
  input logic [3:0] b_s_axil_wstrb,
  input logic a_s_axil_wvalid,
  input logic b_s_axil_wvalid,
  output logic a_s_axil_wready,
  output logic b_s_axil_wready,
  output logic [1:0] a_s_axil_bresp,
  output logic [1:0] b_s_axil_bresp,
  output logic a_s_axil_bvalid,
  output logic b_s_axil_bvalid,
  input logic a_s_axil_bready,
  input logic b_s_axil_bready,
  input logic [12:0] a_s_axil_araddr,
  input logic [12:0] b_s_axil_araddr,
  input logic [2:0] a_s_axil_arprot,
  input logic [2:0] b_s_axil_arprot,
  input logic a_s_axil_arvalid,
  input logic b_s_axil_arvalid,
  output logic a_s_axil_arready,
  output logic b_s_axil_arready,
  output logic [31:0] a_s_axil_rdata,
  output logic [31:0] b_s_axil_rdata,
  output logic [1:0] a_s_axil_rresp,
  output logic [1:0] b_s_axil_rresp,
  output logic a_s_axil_rvalid,
  output logic b_s_axil_rvalid,
  input logic a_s_axil_rready,
  input logic b_s_axil_rready
);

  localparam int unsigned N = Channels;

  logic [1:0][12:0] awaddr;
  logic [1:0][2:0] awprot;
  logic [1:0] awvalid;
  logic [1:0] awready;
  logic [1:0][31:0] wdata;
  logic [1:0][3:0] wstrb;
  logic [1:0] wvalid;
  logic [1:0] wready;
  logic [1:0][1:0] bresp;
  logic [1:0] bvalid;
  logic [1:0] bready;
  logic [1:0][12:0] araddr;
  logic [1:0][2:0] arprot;
  logic [1:0] arvalid;
  logic [1:0] arready;
  logic [1:0][31:0] rdata;
  logic [1:0][1:0] rresp;
  logic [1:0] rvalid;
  logic [1:0] rready;
  assign awaddr = {b_s_axil_awaddr, a_s_axil_awaddr};
  assign awprot = {b_s_axil_awprot, a_s_axil_awprot};
  assign awvalid = {b_s_axil_awvalid, a_s_axil_awvalid};
  assign {b_s_axil_awready, a_s_axil_awready} = awready;
  assign wdata = {b_s_axil_wdata, a_s_axil_wdata};
  assign wstrb = {b_s_axil_wstrb, a_s_axil_wstrb};
  assign wvalid = {b_s_axil_wvalid, a_s_axil_wvalid};
  assign {b_s_axil_wready, a_s_axil_wready} = wready;
  assign {b_s_axil_bresp, a_s_axil_bresp} = bresp;
  assign {b_s_axil_bvalid, a_s_axil_bvalid} = bvalid;
  assign bready = {b_s_axil_bready, a_s_axil_bready};
  assign araddr = {b_s_axil_araddr, a_s_axil_araddr};
  assign arprot = {b_s_axil_arprot, a_s_axil_arprot};
  assign arvalid = {b_s_axil_arvalid, a_s_axil_arvalid};
  assign {b_s_axil_arready, a_s_axil_arready} = arready;
  assign {b_s_axil_rdata, a_s_axil_rdata} = rdata;
  assign {b_s_axil_rresp, a_s_axil_rresp} = rresp;
  assign {b_s_axil_rvalid, a_s_axil_rvalid} = rvalid;
  assign rready = {b_s_axil_rready, a_s_axil_rready};

  logic [1:0][8*Bytes-1:0] wire_tdata, line_tdata;
  logic [1:0][Bytes-1:0] wire_tkeep, line_tkeep;
  logic [1:0] wire_tlast, wire_tuser, wire_tvalid, line_tlast, line_tuser, line_tvalid, taken;
  assign taken = phy_tvalid & ready_i;
  always_comb begin
    line_tdata  = wire_tdata;
    line_tkeep  = wire_tkeep;
    line_tlast  = wire_tlast;
    line_tuser  = wire_tuser;
    line_tvalid = wire_tvalid;
    if (inject_i) begin
      line_tdata[0]  = inject_tdata;
      line_tkeep[0]  = inject_tkeep;
      line_tlast[0]  = inject_tlast;
      line_tuser[0]  = inject_tuser;
      line_tvalid[0] = inject_tvalid;
    end
  end

  for (genvar e = 0; e < 2; e++) begin : gen_end
    htsp_wire #(
      .Bytes(Bytes)
    ) u_wire (
      .clk_i,
      .rst_i        (arst_i[e]),
      .drop_i       (drop_i[e]),
      .arm_i        (arm_i[e]),
      .skip_i       (skip_i[e]),
      .deaf_i       (deaf_i[e]),
      .told_i       (told_i[e]),
      .flip_word_i  (flip_word_i[e]),
      .flip_bit_i   (flip_bit_i[e]),
      .cut_i        (cut_i[e]),
      .s_axis_tdata (phy_tdata[e]),
      .s_axis_tkeep (phy_tkeep[e]),
      .s_axis_tlast (phy_tlast[e]),
      .s_axis_tvalid(taken[e]),
      .m_axis_tdata (wire_tdata[e]),
      .m_axis_tkeep (wire_tkeep[e]),
      .m_axis_tlast (wire_tlast[e]),
      .m_axis_tuser (wire_tuser[e]),
      .m_axis_tvalid(wire_tvalid[e])
    );

    htsp #(
      .Channels(N),
      .Bytes   (Bytes),
      .TxDepth (TxDepth),
      .RxDepth (RxDepth),
      .Headroom(RxDepth / 2),  // short bursts, short wires
      .LocalMac(48'h0102_0356_4400 + 48'(e))
    ) u_end (
      .clk_i,
      .arst_i           (arst_i[e]),
      .rst_o            (rst_o[e]),
      .s_axis_tdata     (s_axis_tdata[N*e+:N]),
      .s_axis_tkeep     (s_axis_tkeep[N*e+:N]),
      .s_axis_tlast     (s_axis_tlast[N*e+:N]),
      .s_axis_tuser     (s_axis_tuser[N*e+:N]),
      .s_axis_tvalid    (s_axis_tvalid[N*e+:N]),
      .s_axis_tready    (s_axis_tready[N*e+:N]),
      .m_axis_tdata     (m_axis_tdata[N*e+:N]),
      .m_axis_tkeep     (m_axis_tkeep[N*e+:N]),
      .m_axis_tlast     (m_axis_tlast[N*e+:N]),
      .m_axis_tuser     (m_axis_tuser[N*e+:N]),
      .m_axis_tvalid    (m_axis_tvalid[N*e+:N]),
      .m_axis_tready    (m_axis_tready[N*e+:N]),
      .s_opcode_tdata   (s_opcode_tdata[e]),
      .s_opcode_tvalid  (s_opcode_tvalid[e]),
      .s_opcode_tready  (s_opcode_tready[e]),
      .m_opcode_tdata   (m_opcode_tdata[e]),
      .m_opcode_tvalid  (m_opcode_tvalid[e]),
      .link_up_o        (link_up_o[e]),
      .remote_ready_o   (remote_ready_o[e]),
      .remote_data_o    (remote_data_o[e]),
      .remote_pause_o   (remote_pause_o[e]),
      .local_pause_o    (local_pause_o[e]),
      .phy_tx_ready_i   (!cut_i[e] && !phy_tx_off_i[e]),
      .m_phy_axis_tdata (phy_tdata[e]),
      .m_phy_axis_tkeep (phy_tkeep[e]),
      .m_phy_axis_tlast (phy_tlast[e]),
      .m_phy_axis_tvalid(phy_tvalid[e]),
      .m_phy_axis_tready(ready_i[e]),
      .phy_rx_ready_i   (!cut_i[1-e] && !phy_rx_off_i[e]),
      .s_phy_axis_tdata (line_tdata[1-e]),
      .s_phy_axis_tkeep (line_tkeep[1-e]),
      .s_phy_axis_tlast (line_tlast[1-e]),
      .s_phy_axis_tuser (line_tuser[1-e]),
      .s_phy_axis_tvalid(line_tvalid[1-e]),
      .fec_corrected_i  (fec_corrected_i[e]),
      .fec_uncorrected_i(fec_uncorrected_i[e]),
      .phy_loopback_o   (loopback_o[e]),
      .phy_reset_rx_o   (reset_rx_o[e]),
      .phy_rx_polarity_o(rx_polarity_o[e]),
      .phy_tx_polarity_o(tx_polarity_o[e]),
      .phy_lane_diff_o  (lane_diff_o[e]),
      .phy_lane_pre_o   (lane_pre_o[e]),
      .phy_lane_post_o  (lane_post_o[e]),
      .axil_clk_i,
      .axil_arst_i,
      .s_axil_awaddr    (awaddr[e]),
      .s_axil_awprot    (awprot[e]),
      .s_axil_awvalid   (awvalid[e]),
      .s_axil_awready   (awready[e]),
      .s_axil_wdata     (wdata[e]),
      .s_axil_wstrb     (wstrb[e]),
      .s_axil_wvalid    (wvalid[e]),
      .s_axil_wready    (wready[e]),
      .s_axil_bresp     (bresp[e]),
      .s_axil_bvalid    (bvalid[e]),
      .s_axil_bready    (bready[e]),
      .s_axil_araddr    (araddr[e]),
      .s_axil_arprot    (arprot[e]),
      .s_axil_arvalid   (arvalid[e]),
      .s_axil_arready   (arready[e]),
      .s_axil_rdata     (rdata[e]),
      .s_axil_rresp     (rresp[e]),
      .s_axil_rvalid    (rvalid[e]),
      .s_axil_rready    (rready[e]),
      .irq_o            (irq_o[e])
    );
  end

endmodule
