// SPDX-License-Identifier: Apache-2.0
//
// rdma_smoke: the target sim of this core. Two engines with a memory each and a network between
// them that loses a packet. Node 0 writes to the memory of node 1 and reads from it: both memories
// are what the descriptors say, every byte of them.
//
// The modules have their default parameters. Written so that Icarus Verilog reads it, too.

module rdma_smoke;

  localparam integer Words = 512;  // of a memory, 64 bytes each
  localparam integer WriteSize = 3000, WriteFrom = 200, WriteTo = 'h4048;
  localparam integer ReadSize = 1500, ReadFrom = 1000, ReadTo = 'h6018;

  logic clk, rst;
  initial begin
    clk = 1'b0;
    rst = 1'b1;
    #3000 rst = 1'b0;
  end
  always #50 clk = !clk;
  logic [  31:0] peek;

  logic [1023:0] line_tdata;
  logic [1:0] line_tlast, line_tvalid, line_tready;

  for (genvar e = 0; e < 2; e++) begin : gen_end
    // ---- Set-up, see tb_axil: who this is, limits, one window for reads and one for writes ----
    logic quiet;
    logic [511:0] peeked;
    logic [55:0] order;
    logic [7:0] step;
    always_comb begin
      case (step)
        0: order = {24'h80_0030, 32'(32'h3_0000 + e)};  // identity
        1: order = {24'h80_0034, 32'd300};  // timeout
        2: order = {24'h80_0010, 32'd1};  // enable
        3: order = {24'h01_0018, 32'd0};  // until it is ready
        4: order = {24'h80_0040, 32'h0001_0000};  // window 0 of domain 0: may be read
        5: order = {24'h80_0048, 32'h0000_0000};
        6: order = {24'h80_0050, 32'h0000_3fff};
        8: order = {24'h80_0040, 32'h0002_0100};  // window 1: may be written
        9: order = {24'h80_0048, 32'h0000_4000};
        10: order = {24'h80_0050, 32'h0000_7fff};
        default: order = {24'h80_0014, 32'd2};  // take it
      endcase
    end

    logic [15:0] awaddr, araddr;
    logic [31:0] wdata, rdata;
    logic [1:0] bresp, rresp;
    logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    tb_axil u_axil (
      .clk_i(clk),
      .rst_i(rst),
      .order_i(order),
      .steps_i(8'd12),
      .step_o(step),
      .m_axil_awaddr(awaddr),
      .m_axil_awvalid(awvalid),
      .m_axil_awready(awready),
      .m_axil_wdata(wdata),
      .m_axil_wvalid(wvalid),
      .m_axil_wready(wready),
      .m_axil_bresp(bresp),
      .m_axil_bvalid(bvalid),
      .m_axil_bready(bready),
      .m_axil_araddr(araddr),
      .m_axil_arvalid(arvalid),
      .m_axil_arready(arready),
      .m_axil_rdata(rdata),
      .m_axil_rresp(rresp),
      .m_axil_rvalid(rvalid),
      .m_axil_rready(rready)
    );

    logic [47:0] m_awaddr, m_araddr;
    logic [511:0] m_wdata, m_rdata;
    logic [63:0] m_wstrb;
    logic [ 7:0] m_arlen;
    logic m_awvalid, m_awready, m_wlast, m_wvalid, m_wready, m_bvalid, m_bready;
    logic m_arvalid, m_arready, m_rlast, m_rvalid, m_rready;
    tb_memory #(
      .Bytes(64),
      .Words(Words)
    ) u_memory (
      .clk_i(clk),
      .rst_i(rst),
      .first_i(8'(e * 99)),
      .peek_i(peek),
      .peek_data_o(peeked),
      .quiet_o(quiet),
      .s_axi_awaddr(m_awaddr[31:0]),
      .s_axi_awvalid(m_awvalid),
      .s_axi_awready(m_awready),
      .s_axi_wdata(m_wdata),
      .s_axi_wstrb(m_wstrb),
      .s_axi_wlast(m_wlast),
      .s_axi_wvalid(m_wvalid),
      .s_axi_wready(m_wready),
      .s_axi_bvalid(m_bvalid),
      .s_axi_bready(m_bready),
      .s_axi_araddr(m_araddr[31:0]),
      .s_axi_arlen(m_arlen),
      .s_axi_arvalid(m_arvalid),
      .s_axi_arready(m_arready),
      .s_axi_rdata(m_rdata),
      .s_axi_rlast(m_rlast),
      .s_axi_rvalid(m_rvalid),
      .s_axi_rready(m_rready)
    );

    // ---- Descriptors of node 0, two words of 16 bytes each, then their states until both are done
    // ----
    logic [127:0] post_data, state;
    logic [16:0] post_addr;
    logic post_awvalid, post_awready, post_wvalid, post_wready, post_bvalid;
    logic poll_valid, poll_ready, state_valid, busy;
    logic [1:0] post_bresp, done;
    logic [2:0] turn;  // {descriptor, word}, 4: all are posted
    always_comb begin
      case (turn)
        0: post_data = {64'h1_0000_0000_0000 | 64'(WriteTo), 64'(WriteSize)};
        1: post_data = {64'd0, 64'(WriteFrom)};
        2: post_data = {64'(ReadTo), 64'd1 << 41 | 64'(ReadSize)};
        default: post_data = {64'd0, 64'h1_0000_0000_0000 | 64'(ReadFrom)};
      endcase
    end
    assign post_addr = turn[1] ? 17'd32 : 17'd0;

    always @(posedge clk) begin
      if (rst || e == 1) begin
        turn         <= 3'd0;
        busy         <= 1'b0;
        done         <= 2'b00;
        post_awvalid <= 1'b0;
        post_wvalid  <= 1'b0;
        poll_valid   <= 1'b0;
      end else begin
        if (post_awready) post_awvalid <= 1'b0;
        if (poll_ready) poll_valid <= 1'b0;
        if (post_wvalid && post_wready) begin
          turn <= turn + 3'd1;
          if (turn[0]) post_wvalid <= 1'b0;
        end
        if (!busy && gen_end[0].step == 8'd12 && gen_end[1].step == 8'd12 && done != 2'b11) begin
          busy         <= 1'b1;
          post_awvalid <= !turn[2];
          post_wvalid  <= !turn[2];
          poll_valid   <= turn[2];
        end
        if (post_bvalid !== 1'b0 || state_valid !== 1'b0) busy <= 1'b0;
        if (post_bvalid && post_bresp !== 2'd0) $fatal(1, "FAIL: a descriptor is refused");
        if (state_valid) begin
          // Of each channel 2: done, 3: ended with an error; told once.
          if (state[1:0] === 2'd3 || state[3:2] === 2'd3) $fatal(1, "FAIL: state %h", state[3:0]);
          done <= done | {state[3:2] == 2'd2, state[1:0] == 2'd2};
        end
      end
    end

    // ---- The network: of node 0 the fourth packet is lost ----
    logic [511:0] net_tdata;
    logic net_tlast, net_tvalid, net_tready, taken, lose;
    integer packets;
    assign lose                   = e == 0 && packets == 3;
    assign line_tdata[512*e+:512] = net_tdata;
    assign line_tlast[e]          = net_tlast;
    assign line_tvalid[e]         = net_tvalid && !lose;
    assign line_tready[e]         = taken;
    assign net_tready             = lose || line_tready[1-e];
    always @(posedge clk) begin
      if (rst) packets <= 0;
      else if (net_tvalid && net_tready && net_tlast) packets <= packets + 1;
    end

    rdma u_rdma (
      .clk_i(clk),
      .rst_i(rst),
      .s_axi_awid(4'd0),
      .s_axi_awaddr(post_addr),
      .s_axi_awlen(8'd1),
      .s_axi_awsize(3'd4),
      .s_axi_awburst(2'd1),
      .s_axi_awvalid(post_awvalid),
      .s_axi_awready(post_awready),
      .s_axi_wdata(post_data),
      .s_axi_wstrb(16'hffff),
      .s_axi_wlast(turn[0]),
      .s_axi_wvalid(post_wvalid),
      .s_axi_wready(post_wready),
      .s_axi_bid(),
      .s_axi_bresp(post_bresp),
      .s_axi_bvalid(post_bvalid),
      .s_axi_bready(1'b1),
      .s_axi_arid(4'd0),
      .s_axi_araddr(17'h1_0400),
      .s_axi_arlen(8'd0),
      .s_axi_arsize(3'd4),
      .s_axi_arburst(2'd1),
      .s_axi_arvalid(poll_valid),
      .s_axi_arready(poll_ready),
      .s_axi_rid(),
      .s_axi_rdata(state),
      .s_axi_rresp(),
      .s_axi_rlast(),
      .s_axi_rvalid(state_valid),
      .s_axi_rready(1'b1),
      .m_axi_arid(),
      .m_axi_araddr(m_araddr),
      .m_axi_arlen(m_arlen),
      .m_axi_arsize(),
      .m_axi_arburst(),
      .m_axi_arcache(),
      .m_axi_arprot(),
      .m_axi_aruser(),
      .m_axi_arvalid(m_arvalid),
      .m_axi_arready(m_arready),
      .m_axi_rid(1'b0),
      .m_axi_rdata(m_rdata),
      .m_axi_rresp(2'd0),
      .m_axi_rlast(m_rlast),
      .m_axi_rvalid(m_rvalid),
      .m_axi_rready(m_rready),
      .m_axi_awid(),
      .m_axi_awaddr(m_awaddr),
      .m_axi_awlen(),
      .m_axi_awsize(),
      .m_axi_awburst(),
      .m_axi_awcache(),
      .m_axi_awprot(),
      .m_axi_awuser(),
      .m_axi_awvalid(m_awvalid),
      .m_axi_awready(m_awready),
      .m_axi_wdata(m_wdata),
      .m_axi_wstrb(m_wstrb),
      .m_axi_wlast(m_wlast),
      .m_axi_wvalid(m_wvalid),
      .m_axi_wready(m_wready),
      .m_axi_bid(1'b0),
      .m_axi_bresp(2'd0),
      .m_axi_bvalid(m_bvalid),
      .m_axi_bready(m_bready),
      .m_axis_tdata(net_tdata),
      .m_axis_tlast(net_tlast),
      .m_axis_tvalid(net_tvalid),
      .m_axis_tready(net_tready),
      .net_room_i(4'b1111),
      .s_axis_tdata(line_tdata[512*(1-e)+:512]),
      .s_axis_tlast(line_tlast[1-e]),
      .s_axis_tvalid(line_tvalid[1-e]),
      .s_axis_tready(taken),
      .s_axil_awaddr(awaddr[12:0]),
      .s_axil_awprot(3'd0),
      .s_axil_awvalid(awvalid),
      .s_axil_awready(awready),
      .s_axil_wdata(wdata),
      .s_axil_wstrb(4'hf),
      .s_axil_wvalid(wvalid),
      .s_axil_wready(wready),
      .s_axil_bresp(bresp),
      .s_axil_bvalid(bvalid),
      .s_axil_bready(bready),
      .s_axil_araddr(araddr[12:0]),
      .s_axil_arprot(3'd0),
      .s_axil_arvalid(arvalid),
      .s_axil_arready(arready),
      .s_axil_rdata(rdata),
      .s_axil_rresp(rresp),
      .s_axil_rvalid(rvalid),
      .s_axil_rready(rready),
      .irq_o()
    );
  end

  // ---- Every byte of both memories ----
  function automatic [7:0] initially(input integer e, input integer k);
    initially = 8'(e * 99 + k * 37 + k / 256 * 11);
  endfunction

  logic [511:0] wanted_0, wanted_1;
  integer b, k, still;
  always_comb begin
    for (b = 0; b < 64; b = b + 1) begin
      k                = 64 * peek + b;
      wanted_0[8*b+:8] = initially(0, k);
      wanted_1[8*b+:8] = initially(1, k);
      if (k >= ReadTo && k < ReadTo + ReadSize)
        wanted_0[8*b+:8] = initially(1, ReadFrom + k - ReadTo);
      if (k >= WriteTo && k < WriteTo + WriteSize)
        wanted_1[8*b+:8] = initially(0, WriteFrom + k - WriteTo);
    end
  end

  always @(posedge clk) begin
    if (rst || gen_end[0].done !== 2'b11 || {gen_end[0].quiet, gen_end[1].quiet} !== 2'b11) begin
      still <= 0;
      peek  <= 32'd0;
    end else begin
      still <= still + 1;
      if (still > 50) begin
        peek <= peek + 32'd1;
        if (gen_end[0].peeked !== wanted_0 || gen_end[1].peeked !== wanted_1)
          $fatal(1, "FAIL: word %0d is %h and %h", peek, gen_end[0].peeked, gen_end[1].peeked);
        if (peek == Words - 1) begin
          if (gen_end[0].packets < 5) $fatal(1, "FAIL: no packet was lost");
          $display("PASS: %0d bytes written, %0d read", WriteSize, ReadSize);
          $finish;
        end
      end
    end
  end

  initial
    #4_000_000
      $fatal(
          1, "FAIL: steps %0d %0d, %b", gen_end[0].step, gen_end[1].step, gen_end[0].done
      );

endmodule
