// SPDX-License-Identifier: Apache-2.0
//
// slink_pair: two ends with registers and memories, A and B, joined by lanes that turn bits over.
//
// Index 0 is A, and the way from A to B. Each end is the transmitter's clock of its way. A word on
// a way is late by Way words, so that a test bench that has seen its header can still do something
// to it: flip_i turns raw bits over of the word that was in word_o Way + 1 cycles before. fail_i
// makes errors of the answers of a memory. cut_i silences lanes of a way, slow_i one that cannot
// carry 5 Gb/s. line_run_i of an end, changed while the clock of the other one is low: its receiver
// has a clock. With Switch a way carries only what its transmitter sends in the mode of its
// receiver.

module slink_pair
  import slink_pkg::*;
#(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Timeout = 1024,
  parameter int unsigned Outstanding = 1,
  parameter bit Switch = 1'b0,
  parameter bit BSwitch = Switch,
  parameter int unsigned Tries = 4,
  parameter int unsigned Way = 8
) (
  input logic a_clk_i,
  input logic b_clk_i,
  input logic a_arst_i,
  input logic b_arst_i,
  input logic [1:0] line_run_i,
  output logic a_rst_o,
  output logic b_rst_o,
  input logic [Lanes-1:0][10*Symbols-1:0] a_flip_i,
  input logic [Lanes-1:0][10*Symbols-1:0] b_flip_i,
  input logic [1:0] fail_i,
  input logic [1:0][Lanes-1:0] cut_i,
  input logic [1:0] slow_i,
  input logic [1:0] able_fast_i,
  input logic [1:0] able_coding_i,
  output logic [Lanes-1:0][Symbols-1:0][8:0] a_word_o,
  output logic [Lanes-1:0][Symbols-1:0][8:0] b_word_o,
  output logic [1:0][1:0] speed_o,
  output logic [1:0][Lanes-1:0] lanes_o,
  output logic [1:0] coding_o,
  output logic [1:0] irq_o,

  output logic [31:0] a_m_axi_awaddr,
  output logic [7:0] a_m_axi_awlen,
  output logic [2:0] a_m_axi_awsize,
  output logic [1:0] a_m_axi_awburst,
  output logic a_m_axi_awvalid,
  input logic a_m_axi_awready,
  output logic [DataWidth-1:0] a_m_axi_wdata,
  output logic [DataWidth/8-1:0] a_m_axi_wstrb,
  output logic a_m_axi_wlast,
  output logic a_m_axi_wvalid,
  input logic a_m_axi_wready,
  input logic [1:0] a_m_axi_bresp,
  input logic a_m_axi_bvalid,
  output logic a_m_axi_bready,
  output logic [31:0] a_m_axi_araddr,
  output logic [7:0] a_m_axi_arlen,
  output logic [2:0] a_m_axi_arsize,
  output logic [1:0] a_m_axi_arburst,
  output logic a_m_axi_arvalid,
  input logic a_m_axi_arready,
  input logic [DataWidth-1:0] a_m_axi_rdata,
  input logic [1:0] a_m_axi_rresp,
  input logic a_m_axi_rlast,
  input logic a_m_axi_rvalid,
  output logic a_m_axi_rready,
  output logic a_m_axi_awid,
  input logic a_m_axi_bid,
  output logic a_m_axi_arid,
  input logic a_m_axi_rid,
  input logic [5:0] a_s_axil_awaddr,
  input logic [2:0] a_s_axil_awprot,
  input logic a_s_axil_awvalid,
  output logic a_s_axil_awready,
  input logic [31:0] a_s_axil_wdata,
  input logic [3:0] a_s_axil_wstrb,
  input logic a_s_axil_wvalid,
  output logic a_s_axil_wready,
  output logic [1:0] a_s_axil_bresp,
  output logic a_s_axil_bvalid,
  input logic a_s_axil_bready,
  input logic [5:0] a_s_axil_araddr,
  input logic [2:0] a_s_axil_arprot,
  input logic a_s_axil_arvalid,
  output logic a_s_axil_arready,
  output logic [31:0] a_s_axil_rdata,
  output logic [1:0] a_s_axil_rresp,
  output logic a_s_axil_rvalid,
  input logic a_s_axil_rready,
  output logic [31:0] b_m_axi_awaddr,
  output logic [7:0] b_m_axi_awlen,
  output logic [2:0] b_m_axi_awsize,
  output logic [1:0] b_m_axi_awburst,
  output logic b_m_axi_awvalid,
  input logic b_m_axi_awready,
  output logic [DataWidth-1:0] b_m_axi_wdata,
  output logic [DataWidth/8-1:0] b_m_axi_wstrb,
  output logic b_m_axi_wlast,
  output logic b_m_axi_wvalid,
  input logic b_m_axi_wready,
  input logic [1:0] b_m_axi_bresp,
  input logic b_m_axi_bvalid,
  output logic b_m_axi_bready,
  output logic [31:0] b_m_axi_araddr,
  output logic [7:0] b_m_axi_arlen,
  output logic [2:0] b_m_axi_arsize,
  output logic [1:0] b_m_axi_arburst,
  output logic b_m_axi_arvalid,
  input logic b_m_axi_arready,
  input logic [DataWidth-1:0] b_m_axi_rdata,
  input logic [1:0] b_m_axi_rresp,
  input logic b_m_axi_rlast,
  input logic b_m_axi_rvalid,
  output logic b_m_axi_rready,
  output logic b_m_axi_awid,
  input logic b_m_axi_bid,
  output logic b_m_axi_arid,
  input logic b_m_axi_rid,
  input logic [5:0] b_s_axil_awaddr,
  input logic [2:0] b_s_axil_awprot,
  input logic b_s_axil_awvalid,
  output logic b_s_axil_awready,
  input logic [31:0] b_s_axil_wdata,
  input logic [3:0] b_s_axil_wstrb,
  input logic b_s_axil_wvalid,
  output logic b_s_axil_wready,
  output logic [1:0] b_s_axil_bresp,
  output logic b_s_axil_bvalid,
  input logic b_s_axil_bready,
  input logic [5:0] b_s_axil_araddr,
  input logic [2:0] b_s_axil_arprot,
  input logic b_s_axil_arvalid,
  output logic b_s_axil_arready,
  output logic [31:0] b_s_axil_rdata,
  output logic [1:0] b_s_axil_rresp,
  output logic b_s_axil_rvalid,
  input logic b_s_axil_rready
);

  logic [1:0][Lanes-1:0][10*Symbols-1:0] raw, late;
  logic [Way-1:0][Lanes-1:0][10*Symbols-1:0] a_way_q, b_way_q;

  always_ff @(posedge a_clk_i) a_way_q <= {a_way_q[Way-2:0], raw[0]};
  always_ff @(posedge b_clk_i) b_way_q <= {b_way_q[Way-2:0], raw[1]};

  // What an end sends means nothing to one whose transceiver runs otherwise.
  logic [10*Symbols-1:0] noise_q = 1;

  always_ff @(posedge a_clk_i)
    noise_q <= {
      noise_q[10*Symbols-2:0], noise_q[10*Symbols-1] ^ noise_q[2]
    };

  always_comb begin
    late = {b_way_q[Way-1] ^ b_flip_i, a_way_q[Way-1] ^ a_flip_i};
    for (int i = 0; i < 2; i++) begin
      for (int l = 0; l < int'(Lanes); l++) begin
        if (Switch && (speed_o[0] != speed_o[1] || coding_o[0] != coding_o[1] ||
                       (slow_i[i] && speed_o[i] == 2'd2)))
          late[i][l] = noise_q;
        if (cut_i[i][l] || (Switch && !lanes_o[i][l])) late[i][l] = '0;
      end
    end
  end

  // The line's clock is that of its transmitter, as long as the receiver recovers it.
  logic [1:0] rx_clk;
  assign rx_clk = {a_clk_i && line_run_i[1], b_clk_i && line_run_i[0]};

  assign a_word_o = u_a.tx_word;
  assign b_word_o = u_b.tx_word;

  assign a_m_axi_awid = 1'b0;
  assign a_m_axi_arid = 1'b0;

  slink #(
    .DataWidth(DataWidth),
    .Outstanding(Outstanding),
    .Timeout(Timeout),
    .Period(Timeout),
    .Blocks(Switch),
    .Switch(Switch),
    .Tries(Tries)
  ) u_a (
    .clk_i(a_clk_i),
    .arst_i(a_arst_i),
    .rst_o(a_rst_o),
    .speed_o(speed_o[0]),
    .lanes_o(lanes_o[0]),
    .coding_o(coding_o[0]),
    .able_fast_i(able_fast_i[0]),
    .able_coding_i(able_coding_i[0]),
    .tx_data_o(raw[0]),
    .rx_clk_i(rx_clk[0]),
    .rx_data_i(late[1]),
    .irq_o(irq_o[0]),
    .m_axi_awaddr(a_m_axi_awaddr),
    .m_axi_awlen(a_m_axi_awlen),
    .m_axi_awsize(a_m_axi_awsize),
    .m_axi_awburst(a_m_axi_awburst),
    .m_axi_awvalid(a_m_axi_awvalid),
    .m_axi_awready(a_m_axi_awready),
    .m_axi_wdata(a_m_axi_wdata),
    .m_axi_wstrb(a_m_axi_wstrb),
    .m_axi_wlast(a_m_axi_wlast),
    .m_axi_wvalid(a_m_axi_wvalid),
    .m_axi_wready(a_m_axi_wready),
    .m_axi_bresp(a_m_axi_bresp | {fail_i[0], 1'b0}),
    .m_axi_bvalid(a_m_axi_bvalid),
    .m_axi_bready(a_m_axi_bready),
    .m_axi_araddr(a_m_axi_araddr),
    .m_axi_arlen(a_m_axi_arlen),
    .m_axi_arsize(a_m_axi_arsize),
    .m_axi_arburst(a_m_axi_arburst),
    .m_axi_arvalid(a_m_axi_arvalid),
    .m_axi_arready(a_m_axi_arready),
    .m_axi_rdata(a_m_axi_rdata),
    .m_axi_rresp(a_m_axi_rresp | {fail_i[0], 1'b0}),
    .m_axi_rlast(a_m_axi_rlast),
    .m_axi_rvalid(a_m_axi_rvalid),
    .m_axi_rready(a_m_axi_rready),
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

  assign b_m_axi_awid = 1'b0;
  assign b_m_axi_arid = 1'b0;

  slink #(
    .DataWidth(DataWidth),
    .Outstanding(Outstanding),
    .Timeout(Timeout),
    .Period(Timeout),
    .Blocks(BSwitch),
    .Switch(BSwitch),
    .Tries(Tries)
  ) u_b (
    .clk_i(b_clk_i),
    .arst_i(b_arst_i),
    .rst_o(b_rst_o),
    .speed_o(speed_o[1]),
    .lanes_o(lanes_o[1]),
    .coding_o(coding_o[1]),
    .able_fast_i(able_fast_i[1]),
    .able_coding_i(able_coding_i[1]),
    .tx_data_o(raw[1]),
    .rx_clk_i(rx_clk[1]),
    .rx_data_i(late[0]),
    .irq_o(irq_o[1]),
    .m_axi_awaddr(b_m_axi_awaddr),
    .m_axi_awlen(b_m_axi_awlen),
    .m_axi_awsize(b_m_axi_awsize),
    .m_axi_awburst(b_m_axi_awburst),
    .m_axi_awvalid(b_m_axi_awvalid),
    .m_axi_awready(b_m_axi_awready),
    .m_axi_wdata(b_m_axi_wdata),
    .m_axi_wstrb(b_m_axi_wstrb),
    .m_axi_wlast(b_m_axi_wlast),
    .m_axi_wvalid(b_m_axi_wvalid),
    .m_axi_wready(b_m_axi_wready),
    .m_axi_bresp(b_m_axi_bresp | {fail_i[1], 1'b0}),
    .m_axi_bvalid(b_m_axi_bvalid),
    .m_axi_bready(b_m_axi_bready),
    .m_axi_araddr(b_m_axi_araddr),
    .m_axi_arlen(b_m_axi_arlen),
    .m_axi_arsize(b_m_axi_arsize),
    .m_axi_arburst(b_m_axi_arburst),
    .m_axi_arvalid(b_m_axi_arvalid),
    .m_axi_arready(b_m_axi_arready),
    .m_axi_rdata(b_m_axi_rdata),
    .m_axi_rresp(b_m_axi_rresp | {fail_i[1], 1'b0}),
    .m_axi_rlast(b_m_axi_rlast),
    .m_axi_rvalid(b_m_axi_rvalid),
    .m_axi_rready(b_m_axi_rready),
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

  // Of one ID.
  logic unused;
  assign unused = &{a_m_axi_bid, a_m_axi_rid, b_m_axi_bid, b_m_axi_rid};

endmodule
