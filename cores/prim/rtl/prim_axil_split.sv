// SPDX-License-Identifier: Apache-2.0
//
// prim_axil_split: one AXI4-Lite bus for several slaves, each at addresses of its own.
//
// What      The bits of the address above those of a slave say which one it is.
//
//     address    AddrWidth + SelWidth - 1 ......... AddrWidth - 1 ........ 0
//                │ slave                           │ address in the slave  │
//
// Contract  One write and one read at a time, independent of each other; address and data of a
//           write may come in either order. A slave that there is not is answered with DECERR.
//           Index i of the m_axil_* vectors is slave i.
// Clock     clk_i; rst_i synchronous to it, the reset of the slaves, too.
// Latency   Each of address, data and answer: a cycle for the first two, none for the answer.
//
// Parameters
//   Slaves      2..16
//   AddrWidth   bits of an address in a slave, >= 1

module prim_axil_split #(
  parameter  int unsigned Slaves    = 2,
  parameter  int unsigned AddrWidth = 13,
  localparam int unsigned SelWidth  = $clog2(Slaves)
) (
  input logic clk_i,
  input logic rst_i,

  input  logic [AddrWidth+SelWidth-1:0] s_axil_awaddr,
  input  logic [                   2:0] s_axil_awprot,
  input  logic                          s_axil_awvalid,
  output logic                          s_axil_awready,
  input  logic [                  31:0] s_axil_wdata,
  input  logic [                   3:0] s_axil_wstrb,
  input  logic                          s_axil_wvalid,
  output logic                          s_axil_wready,
  output logic [                   1:0] s_axil_bresp,
  output logic                          s_axil_bvalid,
  input  logic                          s_axil_bready,
  input  logic [AddrWidth+SelWidth-1:0] s_axil_araddr,
  input  logic [                   2:0] s_axil_arprot,
  input  logic                          s_axil_arvalid,
  output logic                          s_axil_arready,
  output logic [                  31:0] s_axil_rdata,
  output logic [                   1:0] s_axil_rresp,
  output logic                          s_axil_rvalid,
  input  logic                          s_axil_rready,

  // Address, protection and data are those of the slave that has the valid signal.
  output logic [AddrWidth-1:0]       m_axil_awaddr,
  output logic [          2:0]       m_axil_awprot,
  output logic [   Slaves-1:0]       m_axil_awvalid,
  input  logic [   Slaves-1:0]       m_axil_awready,
  output logic [         31:0]       m_axil_wdata,
  output logic [          3:0]       m_axil_wstrb,
  output logic [   Slaves-1:0]       m_axil_wvalid,
  input  logic [   Slaves-1:0]       m_axil_wready,
  input  logic [   Slaves-1:0][ 1:0] m_axil_bresp,
  input  logic [   Slaves-1:0]       m_axil_bvalid,
  output logic [   Slaves-1:0]       m_axil_bready,
  output logic [AddrWidth-1:0]       m_axil_araddr,
  output logic [          2:0]       m_axil_arprot,
  output logic [   Slaves-1:0]       m_axil_arvalid,
  input  logic [   Slaves-1:0]       m_axil_arready,
  input  logic [   Slaves-1:0][31:0] m_axil_rdata,
  input  logic [   Slaves-1:0][ 1:0] m_axil_rresp,
  input  logic [   Slaves-1:0]       m_axil_rvalid,
  output logic [   Slaves-1:0]       m_axil_rready
);

  if (Slaves < 2 || Slaves > 16) begin : gen_bad_slaves
    $error("prim_axil_split %m: Slaves must be 2..16, got %0d", Slaves);
  end

  localparam logic [1:0] DecErr = 2'b11;

  // Full: what came from the bus is kept; gone: the slave has it.
  typedef struct packed {
    logic full;
    logic gone;
  } step_t;

  function automatic step_t moved(input step_t now, input logic taken, input logic given,
                                  input logic ends);
    return '{full: (now.full || taken) && !ends, gone: (now.gone || given) && !ends};
  endfunction

  // ---- Writes ----
  step_t aw_q, w_q;
  logic [SelWidth-1:0] w_sel_q;
  logic w_none, w_go, w_ends, aw_given, w_given;
  assign w_none = 5'(w_sel_q) >= 5'(Slaves);
  assign w_go = aw_q.full && w_q.full;  // the slave is known only with the address
  assign s_axil_awready = !aw_q.full && !rst_i;
  assign s_axil_wready = !w_q.full && !rst_i;

  always_comb begin
    m_axil_awvalid = '0;
    m_axil_wvalid  = '0;
    m_axil_bready  = '0;
    s_axil_bvalid  = w_go && w_none;
    s_axil_bresp   = DecErr;
    aw_given       = 1'b0;
    w_given        = 1'b0;
    if (!w_none) begin
      m_axil_awvalid[w_sel_q] = w_go && !aw_q.gone;
      m_axil_wvalid[w_sel_q]  = w_go && !w_q.gone;
      aw_given                = m_axil_awvalid[w_sel_q] && m_axil_awready[w_sel_q];
      w_given                 = m_axil_wvalid[w_sel_q] && m_axil_wready[w_sel_q];
      s_axil_bvalid           = m_axil_bvalid[w_sel_q];
      s_axil_bresp            = m_axil_bresp[w_sel_q];
      m_axil_bready[w_sel_q]  = s_axil_bready;
    end
    w_ends = s_axil_bvalid && s_axil_bready;
  end

  always_ff @(posedge clk_i) begin
    aw_q <= moved(aw_q, s_axil_awvalid && s_axil_awready, aw_given, w_ends);
    w_q  <= moved(w_q, s_axil_wvalid && s_axil_wready, w_given, w_ends);
    if (s_axil_awready) begin
      {w_sel_q, m_axil_awaddr} <= s_axil_awaddr;
      m_axil_awprot <= s_axil_awprot;
    end
    if (s_axil_wready) {m_axil_wdata, m_axil_wstrb} <= {s_axil_wdata, s_axil_wstrb};
    if (rst_i) {aw_q, w_q} <= '0;
  end

  // ---- Reads ----
  step_t ar_q;
  logic [SelWidth-1:0] r_sel_q;
  logic r_none, r_ends, ar_given;
  assign r_none = 5'(r_sel_q) >= 5'(Slaves);
  assign s_axil_arready = !ar_q.full && !rst_i;

  always_comb begin
    m_axil_arvalid = '0;
    m_axil_rready  = '0;
    s_axil_rvalid  = ar_q.full && r_none;
    s_axil_rresp   = DecErr;
    s_axil_rdata   = '0;
    ar_given       = 1'b0;
    if (!r_none) begin
      m_axil_arvalid[r_sel_q] = ar_q.full && !ar_q.gone;
      ar_given                = m_axil_arvalid[r_sel_q] && m_axil_arready[r_sel_q];
      s_axil_rvalid           = m_axil_rvalid[r_sel_q];
      s_axil_rresp            = m_axil_rresp[r_sel_q];
      s_axil_rdata            = m_axil_rdata[r_sel_q];
      m_axil_rready[r_sel_q]  = s_axil_rready;
    end
    r_ends = s_axil_rvalid && s_axil_rready;
  end

  always_ff @(posedge clk_i) begin
    ar_q <= moved(ar_q, s_axil_arvalid && s_axil_arready, ar_given, r_ends);
    if (s_axil_arready) begin
      {r_sel_q, m_axil_araddr} <= s_axil_araddr;
      m_axil_arprot <= s_axil_arprot;
    end
    if (rst_i) ar_q <= '0;
  end

endmodule
