// SPDX-License-Identifier: Apache-2.0
//
// tb_axil: AXI4-Lite master of a testbench, which carries out a list of orders and then rests.
//
// Contract    order_i is the order of number step_o, combinationally: {write, bit, value, address,
//             data}. With write, data are written to the address; else it is read until that bit of
//             the register has that value. step_o goes from 0 to steps_i, the number of orders. An
//             error in an answer ends the simulation. The first order waits 64 cycles behind the
//             reset: a core may hold its own for longer than rst_i.
// Written so that Icarus Verilog reads it, too.

module tb_axil (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [55:0] order_i,
  input  logic [ 7:0] steps_i,
  output logic [ 7:0] step_o,

  output logic [15:0] m_axil_awaddr,
  output logic        m_axil_awvalid,
  input  logic        m_axil_awready,
  output logic [31:0] m_axil_wdata,
  output logic        m_axil_wvalid,
  input  logic        m_axil_wready,
  input  logic [ 1:0] m_axil_bresp,
  input  logic        m_axil_bvalid,
  output logic        m_axil_bready,
  output logic [15:0] m_axil_araddr,
  output logic        m_axil_arvalid,
  input  logic        m_axil_arready,
  input  logic [31:0] m_axil_rdata,
  input  logic [ 1:0] m_axil_rresp,
  input  logic        m_axil_rvalid,
  output logic        m_axil_rready
);

  logic busy_q, write, value;
  logic [ 6:0] wait_q;
  logic [ 5:0] index;
  logic [15:0] address;
  logic [31:0] data;
  assign {write, index, value, address, data} = order_i;
  assign m_axil_awaddr = address;
  assign m_axil_araddr = address;
  assign m_axil_wdata = data;
  assign m_axil_bready = 1'b1;
  assign m_axil_rready = 1'b1;

  always @(posedge clk_i) begin
    if (rst_i) begin
      busy_q         <= 1'b0;
      wait_q         <= 7'd64;
      step_o         <= 8'd0;
      m_axil_awvalid <= 1'b0;
      m_axil_wvalid  <= 1'b0;
      m_axil_arvalid <= 1'b0;
    end else if (wait_q != 7'd0) begin
      wait_q <= wait_q - 7'd1;
    end else if (!busy_q) begin
      busy_q         <= step_o < steps_i;
      m_axil_awvalid <= step_o < steps_i && write;
      m_axil_wvalid  <= step_o < steps_i && write;
      m_axil_arvalid <= step_o < steps_i && !write;
    end else begin
      if (m_axil_awready) m_axil_awvalid <= 1'b0;
      if (m_axil_wready) m_axil_wvalid <= 1'b0;
      if (m_axil_arready) m_axil_arvalid <= 1'b0;
      if (write ? m_axil_bvalid !== 1'b0 : m_axil_rvalid !== 1'b0) begin
        if ((write ? m_axil_bresp : m_axil_rresp) !== 2'd0)
          $fatal(1, "FAIL: access %0d to register %h ends with an error", step_o, address);
        busy_q <= 1'b0;
        if (write || m_axil_rdata[index[4:0]] === value) step_o <= step_o + 8'd1;
      end
    end
  end

endmodule
