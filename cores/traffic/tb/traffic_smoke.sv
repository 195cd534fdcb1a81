// SPDX-License-Identifier: Apache-2.0
//
// traffic_smoke: the target sim of this core. The player plays two packets three times, its stream
// goes straight to the capture, and that finds no difference; then it expects something else, and
// finds that.
//
// The core has its default parameters. Written so that Icarus Verilog reads it, too.

module traffic_smoke;

  localparam integer Bytes = 32;

  logic clk, axil_clk, rst;
  initial clk = 1'b0;
  initial axil_clk = 1'b0;
  always #50 clk = !clk;
  always #170 axil_clk = !axil_clk;
  initial begin
    rst = 1'b1;
    #5000 rst = 1'b0;
  end

  // ---- Orders: two beats into each memory, then play and compare; then one wrong beat more ----
  localparam logic [15:0] Word = 16'h0030;
  localparam logic [15:0] Cycles = 16'h0034;
  localparam logic [15:0] PlayBeat = 16'h0038;
  localparam logic [15:0] PlayTimes = 16'h003c;
  localparam logic [15:0] Play = 16'h0040;
  localparam logic [15:0] Expect = 16'h0044;
  localparam logic [15:0] ExpectRuns = 16'h0048;
  localparam logic [15:0] Capture = 16'h004c;
  localparam logic [15:0] Events = 16'h0020;
  localparam logic [15:0] State = 16'h1000;
  localparam integer Steps = 46;

  function automatic logic [55:0] write(input logic [15:0] address, input logic [31:0] data);
    write = {1'b1, 6'd0, 1'b0, address, data};
  endfunction
  function automatic logic [55:0] wait_for(input logic [5:0] bit_index, input logic value,
                                           input logic [15:0] address);
    wait_for = {1'b0, bit_index, value, address, 32'd0};
  endfunction

  logic [ 7:0] step;
  logic [55:0] order;
  // A beat is as many words, its cycles and its head; `step` counts through it.
  always_comb begin
    order = write(Word, 32'h0101_0101 * 32'(step));
    case (step)
      8'd0:    order = write(Play, 32'd1);
      8'd9:    order = write(Cycles, 32'd5);
      8'd10:   order = write(PlayBeat, 32'd32);
      8'd19:   order = write(Cycles, 32'd2);
      8'd20:   order = write(PlayBeat, 32'h1000 | 32'd30);
      8'd21:   order = write(PlayTimes, 32'd3);
      8'd22:   order = write(Capture, 32'd2);
      8'd23:   order = write(Play, 32'd2);
      8'd24:   order = wait_for(6'd0, 1'b1, Events);
      8'd25:   order = write(Capture, 32'd8);
      8'd26:   order = write(Events, 32'h7f);
      8'd27:   order = write(ExpectRuns, 32'd0);
      // What was recorded is expected; the same again makes no difference.
      8'd28:   order = write(Capture, 32'd4);
      8'd29:   order = write(Play, 32'd2);
      8'd30:   order = wait_for(6'd0, 1'b1, Events);
      8'd31:   order = wait_for(6'd5, 1'b0, State);
      8'd32:   order = write(Events, 32'h7f);
      8'd33:   order = write(Play, 32'd1);
      8'd42:   order = write(PlayBeat, 32'h1000 | 32'd32);
      8'd43:   order = write(Play, 32'd2);
      8'd44:   order = wait_for(6'd0, 1'b1, Events);
      8'd45:   order = wait_for(6'd2, 1'b1, Events);
      default: order = write(Word, 32'h0101_0101 * 32'(step));
    endcase
  end

  logic [15:0] awaddr, araddr;
  logic [31:0] wdata, rdata;
  logic [1:0] bresp, rresp;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  tb_axil u_master (
    .clk_i         (axil_clk),
    .rst_i         (rst),
    .order_i       (order),
    .steps_i       (8'(Steps)),
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

  logic core_rst, tlast, tvalid, tready, irq;
  // Users are in reset before there was a clock.
  initial #1 if (core_rst !== 1'b1) $fatal(1, "FAIL: users start without a reset");
  logic [8*Bytes-1:0] tdata;
  logic [  Bytes-1:0] tkeep;
  traffic u_traffic (
    .clk_i         (clk),
    .arst_i        (rst),
    .rst_o         (core_rst),
    .m_axis_tdata  (tdata),
    .m_axis_tkeep  (tkeep),
    .m_axis_tlast  (tlast),
    .m_axis_tvalid (tvalid),
    .m_axis_tready (tready),
    .s_axis_tdata  (tdata),
    .s_axis_tkeep  (tkeep),
    .s_axis_tlast  (tlast),
    .s_axis_tuser  (1'b0),
    .s_axis_tvalid (tvalid),
    .s_axis_tready (tready),
    .axil_clk_i    (axil_clk),
    .axil_arst_i   (rst),
    .s_axil_awaddr (awaddr[12:0]),
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
    .s_axil_araddr (araddr[12:0]),
    .s_axil_arprot (3'd0),
    .s_axil_arvalid(arvalid),
    .s_axil_arready(arready),
    .s_axil_rdata  (rdata),
    .s_axil_rresp  (rresp),
    .s_axil_rvalid (rvalid),
    .s_axil_rready (rready),
    .irq_o         (irq)
  );

  // ---- What is played: beats of known length and content, with known gaps ----
  integer taken, gap;
  always @(posedge clk) begin
    if (rst) begin
      taken = 0;
      gap   = 0;
    end else if (!core_rst) begin
      if ((tvalid ^ tvalid) !== 1'b0) $fatal(1, "FAIL: TVALID is undefined");
      if (tvalid && tready) begin
        // From word 0 on: the number of the step that wrote it, in each byte.
        if (taken < 12) begin
          if (tlast !== taken[0] || tkeep !== (taken[0] ? 32'h3fff_ffff : 32'hffff_ffff))
            $fatal(1, "FAIL: beat %0d ends with %b, has %h", taken, tlast, tkeep);
          if (tdata[31:0] !== (taken[0] ? 32'h0b0b_0b0b : 32'h0101_0101))
            $fatal(1, "FAIL: beat %0d begins with %h", taken, tdata[31:0]);
          // But for the first beat of a run, which comes when it is started.
          if (taken % 6 != 0 && gap != (taken[0] ? 2 : 5))
            $fatal(1, "FAIL: %0d cycles in front of beat %0d", gap, taken);
        end
        taken = taken + 1;
        gap   = 0;
      end else begin
        gap = gap + 1;
      end
    end
    if (!rst && step == 8'(Steps)) begin
      if (taken != 15) $fatal(1, "FAIL: %0d beats, not 15", taken);
      $display("PASS: %0d beats, a difference found where there is one", taken);
      $finish;
    end
  end

  logic unused;
  assign unused = ^{awaddr[15:13], araddr[15:13], irq};

  initial #3_000_000 $fatal(1, "FAIL: step %0d, %0d beats in all the time", step, taken);

endmodule
