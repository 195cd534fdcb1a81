// SPDX-License-Identifier: Apache-2.0
//
// node: RDMA engine and RIFL link in one: a node of a lossless network.
//
// What      rdma, node_port and rifl_link.
//
//             s_axi   users ─► ┌──────┐ m_axis ┌───────────┐ tx_axis ┌───────────┐
//             s_axil  regs  ─► │ rdma │ ─────► │ node_port │ ──────► │ rifl_link │ ─► phy_tx_data_o
//             m_axi   memory ◄─│      │ ◄───── │           │ ◄────── │           │ ◄─ phy_rx_data_i
//                              └──────┘ s_axis └───────────┘ rx_axis └───────────┘
//
// Why       Packets of the engine over links that lose nothing: its retransmission sleeps unless a
//           link dies.
// Contract  s_axi, m_axi, s_axil, irq_o: see rdma; phy: see rifl_link. Answers, small transfers,
//           transfers with one path and with four have a class of the network each, see node_tx:
//           one that is blocked blocks no answer and no message. state_o: link_e of switch_pkg.
//           event_o, notice_*: see node_port. link_up_o, link_status_o, lane_status_o: see
//           rifl_link.
// Clocks    clk_i = phy_tx_clk_i / 2 with aligned edges: clock of the engine, of its buses, of the
//           frames and of the link's user side. phy_rx_clk_i[i]: recovered from lane i.
// Resets    arst_i: everything; rst_o, a register of clk_i, is what becomes of it and the reset for
//           whatever is at the buses. link_arst_i: the link alone; packets that it has under way
//           are lost, and the engine repeats them.
// Latency   m_axis of the engine to s_axis of that of the peer: README, "Latency"
// Source    own design
//
// Parameters
//   VcWords, DeadCycles, Hops   see node_port
//   IdWidth                     of s_axi
//   LinkIdWidth                 IdWidth of rifl_link: it bounds the length of the cable
//   UpFrames                    see rifl_link
//   others                      see rdma

module node
  import switch_pkg::*;
  import node_pkg::*;
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned DataWidth = 128,
  parameter int unsigned IdWidth = 4,
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  parameter int unsigned Outstanding = 2,
  parameter int unsigned Reserve = 32,
  parameter int unsigned Senders = 4,
  parameter int unsigned Windows = 4,
  parameter int unsigned AddrWidth = 48,
  parameter int unsigned BufferWords = 512,
  parameter int unsigned BurstWords = 64,
  parameter int unsigned MemoryWidth = 512,
  parameter int unsigned VcWords = 256,
  parameter int unsigned DeadCycles = 65536,
  parameter int unsigned Hops = 15,
  parameter int unsigned LinkIdWidth = 8,
  parameter int unsigned UpFrames = 128,
  localparam int unsigned Lanes = 4,
  localparam int unsigned MemoryUserWidth = 1,
  localparam int unsigned PortWidth = $clog2(Pages) + 13
) (
  input  logic             clk_i,
  input  logic             arst_i,
  input  logic             link_arst_i,
  output logic             rst_o,
  input  logic             phy_tx_clk_i,
  input  logic [Lanes-1:0] phy_rx_clk_i,
  input  logic [     15:0] session_seed_i,

  output logic [Lanes*PhyWidth-1:0] phy_tx_data_o,
  input  logic [Lanes*PhyWidth-1:0] phy_rx_data_i,
  input  logic [         Lanes-1:0] phy_rx_bad_i,

  input  logic [    IdWidth-1:0] s_axi_awid,
  input  logic [  PortWidth-1:0] s_axi_awaddr,
  input  logic [            7:0] s_axi_awlen,
  input  logic [            2:0] s_axi_awsize,
  input  logic [            1:0] s_axi_awburst,
  input  logic                   s_axi_awvalid,
  output logic                   s_axi_awready,
  input  logic [  DataWidth-1:0] s_axi_wdata,
  input  logic [DataWidth/8-1:0] s_axi_wstrb,
  input  logic                   s_axi_wlast,
  input  logic                   s_axi_wvalid,
  output logic                   s_axi_wready,
  output logic [    IdWidth-1:0] s_axi_bid,
  output logic [            1:0] s_axi_bresp,
  output logic                   s_axi_bvalid,
  input  logic                   s_axi_bready,
  input  logic [    IdWidth-1:0] s_axi_arid,
  input  logic [  PortWidth-1:0] s_axi_araddr,
  input  logic [            7:0] s_axi_arlen,
  input  logic [            2:0] s_axi_arsize,
  input  logic [            1:0] s_axi_arburst,
  input  logic                   s_axi_arvalid,
  output logic                   s_axi_arready,
  output logic [    IdWidth-1:0] s_axi_rid,
  output logic [  DataWidth-1:0] s_axi_rdata,
  output logic [            1:0] s_axi_rresp,
  output logic                   s_axi_rlast,
  output logic                   s_axi_rvalid,
  input  logic                   s_axi_rready,

  output logic                       m_axi_arid,
  output logic [      AddrWidth-1:0] m_axi_araddr,
  output logic [                7:0] m_axi_arlen,
  output logic [                2:0] m_axi_arsize,
  output logic [                1:0] m_axi_arburst,
  output logic [                3:0] m_axi_arcache,
  output logic [                2:0] m_axi_arprot,
  output logic [MemoryUserWidth-1:0] m_axi_aruser,
  output logic                       m_axi_arvalid,
  input  logic                       m_axi_arready,
  input  logic                       m_axi_rid,
  input  logic [    MemoryWidth-1:0] m_axi_rdata,
  input  logic [                1:0] m_axi_rresp,
  input  logic                       m_axi_rlast,
  input  logic                       m_axi_rvalid,
  output logic                       m_axi_rready,
  output logic                       m_axi_awid,
  output logic [      AddrWidth-1:0] m_axi_awaddr,
  output logic [                7:0] m_axi_awlen,
  output logic [                2:0] m_axi_awsize,
  output logic [                1:0] m_axi_awburst,
  output logic [                3:0] m_axi_awcache,
  output logic [                2:0] m_axi_awprot,
  output logic [MemoryUserWidth-1:0] m_axi_awuser,
  output logic                       m_axi_awvalid,
  input  logic                       m_axi_awready,
  output logic [    MemoryWidth-1:0] m_axi_wdata,
  output logic [  MemoryWidth/8-1:0] m_axi_wstrb,
  output logic                       m_axi_wlast,
  output logic                       m_axi_wvalid,
  input  logic                       m_axi_wready,
  input  logic                       m_axi_bid,
  input  logic [                1:0] m_axi_bresp,
  input  logic                       m_axi_bvalid,
  output logic                       m_axi_bready,


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
  output logic        irq_o,

  output logic [1:0] state_o,
  output node_event_t event_o,
  output logic notice_valid_o,
  output header_t notice_o,
  output logic link_up_o,
  output link_status_t link_status_o,
  output lane_status_t [Lanes-1:0] lane_status_o
);

  logic [511:0] out_data, in_data, tx_data, rx_data;
  logic [63:0] tx_keep, rx_keep;
  logic out_last, out_valid, out_ready, in_last, in_valid, in_ready;
  logic tx_last, tx_valid, tx_ready, rx_last, rx_user, rx_valid, rx_ready;
  logic [3:0] room;
  logic session;

  rdma #(
    .DataWidth  (DataWidth),
    .IdWidth    (IdWidth),
    .Pages      (Pages),
    .Priorities (Priorities),
    .Outstanding(Outstanding),
    .Reserve    (Reserve),
    .Senders    (Senders),
    .Windows    (Windows),
    .AddrWidth  (AddrWidth),
    .BufferWords(BufferWords),
    .BurstWords (BurstWords),
    .MemoryWidth(MemoryWidth)
  ) u_rdma (
    .rst_i        (rst_o),
    .net_room_i   (room),
    .m_axis_tdata (out_data),
    .m_axis_tlast (out_last),
    .m_axis_tvalid(out_valid),
    .m_axis_tready(out_ready),
    .s_axis_tdata (in_data),
    .s_axis_tlast (in_last),
    .s_axis_tvalid(in_valid),
    .s_axis_tready(in_ready),
    .*
  );

  node_port #(
    .VcWords   (VcWords),
    .DeadCycles(DeadCycles),
    .Hops      (Hops)
  ) u_port (
    .clk_i         (clk_i),
    .rst_i         (rst_o),
    .link_up_i     (session),
    .s_axis_tdata  (out_data),
    .s_axis_tlast  (out_last),
    .s_axis_tvalid (out_valid),
    .s_axis_tready (out_ready),
    .room_o        (room),
    .m_axis_tdata  (in_data),
    .m_axis_tlast  (in_last),
    .m_axis_tvalid (in_valid),
    .m_axis_tready (in_ready),
    .tx_axis_tdata (tx_data),
    .tx_axis_tkeep (tx_keep),
    .tx_axis_tlast (tx_last),
    .tx_axis_tvalid(tx_valid),
    .tx_axis_tready(tx_ready),
    .rx_axis_tdata (rx_data),
    .rx_axis_tkeep (rx_keep),
    .rx_axis_tlast (rx_last),
    .rx_axis_tuser (rx_user),
    .rx_axis_tvalid(rx_valid),
    .rx_axis_tready(rx_ready),
    .state_o       (state_o),
    .event_o       (event_o),
    .notice_valid_o(notice_valid_o),
    .notice_o      (notice_o)
  );

  assign session = link_status_o.phase == PhaseUp;

  rx_status_t [Lanes-1:0] unused_rx_status;
  logic unused_tx_cut, unused_rx_cut;
  rifl_link #(
    .Lanes     (Lanes),
    .FrameWidth(128),
    .UserWidth (512),
    .IdWidth   (LinkIdWidth),
    .UpFrames  (UpFrames)
  ) u_link (
    .phy_tx_clk_i     (phy_tx_clk_i),
    .frame_clk_i      (clk_i),
    .user_clk_i       (clk_i),
    .phy_rx_clk_i     (phy_rx_clk_i),
    .arst_i           (link_arst_i),
    .user_arst_i      (arst_i),
    .phy_tx_data_o    (phy_tx_data_o),
    .phy_rx_data_i    (phy_rx_data_i),
    .phy_rx_bad_i     (phy_rx_bad_i),
    .s_axis_tdata     (tx_data),
    .s_axis_tkeep     (tx_keep),
    .s_axis_tlast     (tx_last),
    .s_axis_tvalid    (tx_valid),
    .s_axis_tready    (tx_ready),
    .m_axis_tdata     (rx_data),
    .m_axis_tkeep     (rx_keep),
    .m_axis_tlast     (rx_last),
    .m_axis_tuser     (rx_user),
    .m_axis_tvalid    (rx_valid),
    .m_axis_tready    (rx_ready),
    .extended_i       (1'b1),
    .delayed_release_i(1'b0),
    .restart_i        (1'b0),
    .session_seed_i   (session_seed_i),
    .link_up_o        (link_up_o),
    .link_status_o    (link_status_o),
    .lane_status_o    (lane_status_o),
    .rx_status_o      (unused_rx_status),
    .user_rst_o       (rst_o),
    .tx_cut_o         (unused_tx_cut),
    .rx_cut_o         (unused_rx_cut)
  );

endmodule
