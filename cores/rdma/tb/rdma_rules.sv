// SPDX-License-Identifier: Apache-2.0
//
// rdma_rules: the rules of cores/axis/rules at the ports of rdma, in every simulation of it.
//
// The memory port of both units, whose words are all of 64 bytes, and its pins, which may be
// narrower; their packets; the registers.
// From stop_i on rdma_drain takes the words of memory itself, and the engine is reset behind it.
bind rdma_drain axi_read_rules #(
  .AddrWidth($bits(e_memory_i.read.araddr)),
  .DataWidth(512),
  .HasLast  (1'b0),
  .Port     ("rdma_fetch")
) u_read_rules (
  .clk_i    (clk_i),
  .rst_i    (rst_i || stop_i),
  .araddr_i (e_memory_i.read.araddr),
  .arlen_i  (e_memory_i.read.arlen),
  .arsize_i (3'd6),
  .arburst_i(2'b01),
  .arvalid_i(e_memory_i.read.arvalid),
  .arready_i(e_memory_o.read.arready),
  .rdata_i  (e_memory_o.read.rdata),
  .rresp_i  (e_memory_o.read.rresp),
  .rlast_i  (1'b0),
  .rvalid_i (e_memory_o.read.rvalid),
  .rready_i (e_memory_i.read.rready)
);

bind rdma_write axi_write_rules #(
  .AddrWidth($bits(write_o.awaddr)),
  .DataWidth(512),
  .Port     ("rdma_write")
) u_write_rules (
  .clk_i    (clk_i),
  .rst_i    (rst_i),
  .awaddr_i (write_o.awaddr),
  .awlen_i  (write_o.awlen),
  .awsize_i (3'd6),
  .awburst_i(2'b01),
  .awvalid_i(write_o.awvalid),
  .awready_i(write_i.awready),
  .wdata_i  (write_o.wdata),
  .wstrb_i  (write_o.wstrb),
  .wlast_i  (write_o.wlast),
  .wvalid_i (write_o.wvalid),
  .wready_i (write_i.wready),
  .bresp_i  (write_i.bresp),
  .bvalid_i (write_i.bvalid),
  .bready_i (write_o.bready)
);

bind rdma_memory_pins axi_read_rules #(
  .AddrWidth(AddrWidth),
  .DataWidth(MemoryWidth),
  .Port     ("rdma m_axi")
) u_read_rules (
  .clk_i    (clk_i),
  .rst_i    (rst_i),
  .araddr_i (m_axi_araddr),
  .arlen_i  (m_axi_arlen),
  .arsize_i (m_axi_arsize),
  .arburst_i(m_axi_arburst),
  .arvalid_i(m_axi_arvalid),
  .arready_i(m_axi_arready),
  .rdata_i  (m_axi_rdata),
  .rresp_i  (m_axi_rresp),
  .rlast_i  (m_axi_rlast),
  .rvalid_i (m_axi_rvalid),
  .rready_i (m_axi_rready)
);

bind rdma_memory_pins axi_write_rules #(
  .AddrWidth(AddrWidth),
  .DataWidth(MemoryWidth),
  .Port     ("rdma m_axi")
) u_write_rules (
  .clk_i    (clk_i),
  .rst_i    (rst_i),
  .awaddr_i (m_axi_awaddr),
  .awlen_i  (m_axi_awlen),
  .awsize_i (m_axi_awsize),
  .awburst_i(m_axi_awburst),
  .awvalid_i(m_axi_awvalid),
  .awready_i(m_axi_awready),
  .wdata_i  (m_axi_wdata),
  .wstrb_i  (m_axi_wstrb),
  .wlast_i  (m_axi_wlast),
  .wvalid_i (m_axi_wvalid),
  .wready_i (m_axi_wready),
  .bresp_i  (m_axi_bresp),
  .bvalid_i (m_axi_bvalid),
  .bready_i (m_axi_bready)
);

bind rdma_send axis_rules #(
  .Bytes (64),
  .Stream("rdma_send m_axis")
) u_m_axis_rules (
  .clk_i   (clk_i),
  .rst_i   (rst_i),
  .tdata_i (m_axis_o.tdata),
  .tkeep_i ('1),
  .tlast_i (m_axis_o.tlast),
  .tuser_i (1'b0),
  .tvalid_i(m_axis_o.tvalid),
  .tready_i(m_axis_ready_i)
);

bind rdma_receive axis_rules #(
  .Bytes (64),
  .Stream("rdma_receive s_axis")
) u_s_axis_rules (
  .clk_i   (clk_i),
  .rst_i   (rst_i),
  .tdata_i (s_axis_i.tdata),
  .tkeep_i ('1),
  .tlast_i (s_axis_i.tlast),
  .tuser_i (1'b0),
  .tvalid_i(s_axis_i.tvalid),
  .tready_i(s_axis_ready_o)
);

bind rdma_regs axil_rules #(
  .AddrWidth($bits(s_axil_awaddr)),
  .Port     ("rdma_regs")
) u_axil_rules (
  .clk_i    (clk_i),
  .rst_i    (rst_i),
  .awaddr_i (s_axil_awaddr),
  .awvalid_i(s_axil_awvalid),
  .awready_i(s_axil_awready),
  .wdata_i  (s_axil_wdata),
  .wstrb_i  (s_axil_wstrb),
  .wvalid_i (s_axil_wvalid),
  .wready_i (s_axil_wready),
  .bresp_i  (s_axil_bresp),
  .bvalid_i (s_axil_bvalid),
  .bready_i (s_axil_bready),
  .araddr_i (s_axil_araddr),
  .arvalid_i(s_axil_arvalid),
  .arready_i(s_axil_arready),
  .rdata_i  (s_axil_rdata),
  .rresp_i  (s_axil_rresp),
  .rvalid_i (s_axil_rvalid),
  .rready_i (s_axil_rready)
);

// What is asked of the windows, and what is looked up, stands until the packet moves.
bind rdma_admit prim_assert #(
  .Rule("rdma_admit: a packet is offered until it moves")
) u_offered (
  .clk_i(clk_i),
  .rst_i(rst_i),
  .holds_i(s_valid_i || !(state_q == StateOpen || looked_q
      || (state_q inside {StateNamed, StateWait, StateDecide} && !judged_q)))
);

// Who waits for the last piece of a packet within a node (rdma_own) goes by `closes` alone.
bind rdma_frame prim_assert #(
  .Rule("rdma_frame: closes is the last piece, whole and not the first, as it moves")
) u_closes (
  .clk_i(clk_i),
  .rst_i(rst_i),
  .holds_i(own_piece_o.closes
      == (own_valid_o && own_piece_o.ends && !own_piece_o.begins && !own_piece_o.cut))
);

// Room is known a cycle later than the words that take it.
bind rdma_store prim_assert #(
  .Rule("rdma_store: no more words than there is room for")
) u_room (
  .clk_i  (clk_i),
  .rst_i  (rst_i),
  .holds_i(32'(used) <= BufferWords)
);
