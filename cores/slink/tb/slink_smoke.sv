// SPDX-License-Identifier: Apache-2.0
//
// slink_smoke: the target sim of this core. Two ends with a memory each, back to back, whose clocks
// differ by 200 ppm. End 0 writes words from its memory to that of end 1 and then reads others from
// there, with check codes, while now and then a bit on the lanes is wrong: both memories are what
// the operations say, every word of them.
//
// The modules have their default parameters. Written so that Icarus Verilog reads it, too.

module slink_smoke;

  localparam integer Words = 512;  // of a memory
  localparam integer Length = 50;  // of an operation
  localparam integer WriteFrom = 16, WriteTo = 200, ReadFrom = 300, ReadTo = 100;

  logic rst;
  initial begin
    rst = 1'b1;
    #400_000 rst = 1'b0;
  end

  logic [  1:0] clk;
  logic [ 31:0] peek;

  logic [159:0] line;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    initial clk[e] = 1'b0;
    always #(4000 + e) clk[e] = !clk[e];

    // ---- What this end does, see tb_axil; end 1 only listens ----
    logic ended, quiet;
    logic [63:0] peeked;
    logic [55:0] order;
    logic [ 7:0] step;
    always_comb begin
      case (step)
        0: order = {1'b1, 6'd0, 1'b0, 16'h00, 32'h1};  // run
        1: order = {1'b0, 6'd7, 1'b1, 16'h10, 32'h0};  // the session is up
        2: order = {1'b1, 6'd0, 1'b0, 16'h04, 32'(Length << 8 | 'h50)};  // write, four lanes, CRC
        3: order = {1'b1, 6'd0, 1'b0, 16'h08, 32'(8 * WriteTo)};
        4: order = {1'b1, 6'd0, 1'b0, 16'h0c, 32'(8 * WriteFrom)};
        5, 11: order = {1'b1, 6'd0, 1'b0, 16'h00, 32'h11};  // start
        6, 12: order = {1'b0, 6'd0, 1'b0, 16'h10, 32'h0};  // not busy
        7, 13: order = {1'b0, 6'd1, 1'b1, 16'h10, 32'h0};  // done
        8: order = {1'b1, 6'd0, 1'b0, 16'h04, 32'(Length << 8 | 'h51)};  // read
        9: order = {1'b1, 6'd0, 1'b0, 16'h08, 32'(8 * ReadFrom)};
        default: order = {1'b1, 6'd0, 1'b0, 16'h0c, 32'(8 * ReadTo)};
      endcase
    end
    // Icarus Verilog takes a loop variable on the right of an assignment for a wire.
    localparam integer Orders = e == 0 ? 14 : 2;
    assign ended = step == 8'(Orders);

    logic [15:0] awaddr, araddr;
    logic [31:0] wdata, rdata;
    logic [1:0] bresp, rresp;
    logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    tb_axil u_axil (
      .clk_i         (clk[e]),
      .rst_i         (rst),
      .order_i       (order),
      .steps_i       (8'(Orders)),
      .step_o        (step),
      .m_axil_awaddr (awaddr),
      .m_axil_awvalid(awvalid),
      .m_axil_awready(awready),
      .m_axil_wdata  (wdata),
      .m_axil_wvalid (wvalid),
      .m_axil_wready (wready),
      .m_axil_bresp  (bresp),
      .m_axil_bvalid (bvalid),
      .m_axil_bready (bready),
      .m_axil_araddr (araddr),
      .m_axil_arvalid(arvalid),
      .m_axil_arready(arready),
      .m_axil_rdata  (rdata),
      .m_axil_rresp  (rresp),
      .m_axil_rvalid (rvalid),
      .m_axil_rready (rready)
    );

    logic [31:0] m_awaddr, m_araddr;
    logic [63:0] m_wdata, m_rdata;
    logic [7:0] m_wstrb, m_arlen;
    logic m_awvalid, m_awready, m_wlast, m_wvalid, m_wready, m_bvalid, m_bready;
    logic m_arvalid, m_arready, m_rlast, m_rvalid, m_rready;
    tb_memory #(
      .Bytes(8),
      .Words(Words)
    ) u_memory (
      .clk_i        (clk[e]),
      .rst_i        (rst),
      .first_i      (8'(e * 99)),
      .peek_i       (peek),
      .peek_data_o  (peeked),
      .quiet_o      (quiet),
      .s_axi_awaddr (m_awaddr),
      .s_axi_awvalid(m_awvalid),
      .s_axi_awready(m_awready),
      .s_axi_wdata  (m_wdata),
      .s_axi_wstrb  (m_wstrb),
      .s_axi_wlast  (m_wlast),
      .s_axi_wvalid (m_wvalid),
      .s_axi_wready (m_wready),
      .s_axi_bvalid (m_bvalid),
      .s_axi_bready (m_bready),
      .s_axi_araddr (m_araddr),
      .s_axi_arlen  (m_arlen),
      .s_axi_arvalid(m_arvalid),
      .s_axi_arready(m_arready),
      .s_axi_rdata  (m_rdata),
      .s_axi_rlast  (m_rlast),
      .s_axi_rvalid (m_rvalid),
      .s_axi_rready (m_rready)
    );

    logic [79:0] tx_data, sent;
    integer flipped;
    slink u_slink (
      .clk_i         (clk[e]),
      .arst_i        (rst),
      .rst_o         (),
      .speed_o       (),
      .lanes_o       (),
      .coding_o      (),
      .able_fast_i   (1'b1),
      .able_coding_i (1'b0),
      .tx_data_o     (tx_data),
      .rx_clk_i      (clk[1-e]),
      .rx_data_i     (line[80*(1-e)+:80]),
      .m_axi_awaddr  (m_awaddr),
      .m_axi_awlen   (),
      .m_axi_awsize  (),
      .m_axi_awburst (),
      .m_axi_awvalid (m_awvalid),
      .m_axi_awready (m_awready),
      .m_axi_wdata   (m_wdata),
      .m_axi_wstrb   (m_wstrb),
      .m_axi_wlast   (m_wlast),
      .m_axi_wvalid  (m_wvalid),
      .m_axi_wready  (m_wready),
      .m_axi_bresp   (2'd0),
      .m_axi_bvalid  (m_bvalid),
      .m_axi_bready  (m_bready),
      .m_axi_araddr  (m_araddr),
      .m_axi_arlen   (m_arlen),
      .m_axi_arsize  (),
      .m_axi_arburst (),
      .m_axi_arvalid (m_arvalid),
      .m_axi_arready (m_arready),
      .m_axi_rdata   (m_rdata),
      .m_axi_rresp   (2'd0),
      .m_axi_rlast   (m_rlast),
      .m_axi_rvalid  (m_rvalid),
      .m_axi_rready  (m_rready),
      .s_axil_awaddr (awaddr[5:0]),
      .s_axil_awprot (3'd0),
      .s_axil_awvalid(awvalid),
      .s_axil_awready(awready),
      .s_axil_wdata  (wdata),
      .s_axil_wstrb  (4'hf),
      .s_axil_wvalid (wvalid),
      .s_axil_wready (wready),
      .s_axil_bresp  (bresp),
      .s_axil_bvalid (bvalid),
      .s_axil_bready (bready),
      .s_axil_araddr (araddr[5:0]),
      .s_axil_arprot (3'd0),
      .s_axil_arvalid(arvalid),
      .s_axil_arready(arready),
      .s_axil_rdata  (rdata),
      .s_axil_rresp  (rresp),
      .s_axil_rvalid (rvalid),
      .s_axil_rready (rready),
      .irq_o         ()
    );

    // ---- The lanes to the other end ----
    assign line[80*e+:80] = sent;
    always @(posedge clk[e]) begin
      sent <= tx_data;
      if (rst) flipped <= 0;
      else if (gen_end[0].step > 5 && $urandom % 300 == 0) begin
        sent <= tx_data ^ (80'd1 << $urandom % 80);
        flipped <= flipped + 1;
      end
    end
  end

  // ---- Both have ended and nothing is written any more: every word of both memories ----
  function automatic [63:0] initially(input integer e, input integer word);
    integer b;
    for (b = 0; b < 8; b = b + 1)
    initially[8*b+:8] = 8'(e * 99 + (8 * word + b) * 37 + (8 * word + b) / 256 * 11);
  endfunction

  logic [63:0] wanted_0, wanted_1;
  integer still;
  always_comb begin
    wanted_0 = initially(0, peek);
    wanted_1 = initially(1, peek);
    if (peek >= ReadTo && peek < ReadTo + Length) wanted_0 = initially(1, ReadFrom + peek - ReadTo);
    if (peek >= WriteTo && peek < WriteTo + Length)
      wanted_1 = initially(0, WriteFrom + peek - WriteTo);
  end

  always @(posedge clk[0]) begin
    if (rst || {gen_end[0].ended, gen_end[1].ended} !== 2'b11 ||
        {gen_end[0].quiet, gen_end[1].quiet} !== 2'b11) begin
      still <= 0;
      peek  <= 32'd0;
    end else begin
      still <= still + 1;
      if (still > 50) begin
        peek <= peek + 32'd1;
        if (gen_end[0].peeked !== wanted_0 || gen_end[1].peeked !== wanted_1)
          $fatal(1, "FAIL: word %0d is %h and %h", peek, gen_end[0].peeked, gen_end[1].peeked);
        if (peek == Words - 1) begin
          if (gen_end[0].flipped + gen_end[1].flipped == 0)
            $fatal(1, "FAIL: there was no wrong bit");
          $display("PASS: %0d words written, as many read", Length);
          $finish;
        end
      end
    end
  end

  initial #400_000_000 $fatal(1, "FAIL: steps %0d, %0d", gen_end[0].step, gen_end[1].step);

endmodule
