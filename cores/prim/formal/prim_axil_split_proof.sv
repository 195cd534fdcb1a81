// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_axil_split: each access reaches the slave that its address names, once, with its
// address and data, and no other; its answer is that of the slave, or DECERR where there is none;
// every channel keeps its rules. The slaves take and answer when they like.

module prim_axil_split_proof #(
  parameter int unsigned Slaves = 3,
  parameter int unsigned AddrWidth = 2,
  localparam int unsigned SelWidth = $clog2(Slaves),
  localparam int unsigned Width = AddrWidth + SelWidth
) (
  input logic                    clk_i,
  input logic                    rst_i,
  input logic [ Width-1:0]       awaddr_i,
  input logic [       2:0]       awprot_i,
  input logic                    awvalid_i,
  input logic [      31:0]       wdata_i,
  input logic [       3:0]       wstrb_i,
  input logic                    wvalid_i,
  input logic                    bready_i,
  input logic [ Width-1:0]       araddr_i,
  input logic [       2:0]       arprot_i,
  input logic                    arvalid_i,
  input logic                    rready_i,
  // Of the slaves: takes, answers, with what.
  input logic [Slaves-1:0]       takes_aw_i,
  input logic [Slaves-1:0]       takes_w_i,
  input logic [Slaves-1:0]       takes_ar_i,
  input logic [Slaves-1:0]       answers_b_i,
  input logic [Slaves-1:0]       answers_r_i,
  input logic [Slaves-1:0][ 1:0] resp_i,
  input logic [Slaves-1:0][31:0] rdata_i
);

  logic awready, wready, bvalid, arready, rvalid;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata;
  logic [AddrWidth-1:0] m_awaddr, m_araddr;
  logic [2:0] m_awprot, m_arprot;
  logic [31:0] m_wdata;
  logic [ 3:0] m_wstrb;
  logic [Slaves-1:0] m_awvalid, m_wvalid, m_bvalid, m_bready, m_arvalid, m_rvalid, m_rready;
  logic [Slaves-1:0][ 1:0] m_resp_q;
  logic [Slaves-1:0][31:0] m_rdata_q;

  prim_axil_split #(
    .Slaves   (Slaves),
    .AddrWidth(AddrWidth)
  ) u_dut (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .s_axil_awaddr (awaddr_i),
    .s_axil_awprot (awprot_i),
    .s_axil_awvalid(awvalid_i),
    .s_axil_awready(awready),
    .s_axil_wdata  (wdata_i),
    .s_axil_wstrb  (wstrb_i),
    .s_axil_wvalid (wvalid_i),
    .s_axil_wready (wready),
    .s_axil_bresp  (bresp),
    .s_axil_bvalid (bvalid),
    .s_axil_bready (bready_i),
    .s_axil_araddr (araddr_i),
    .s_axil_arprot (arprot_i),
    .s_axil_arvalid(arvalid_i),
    .s_axil_arready(arready),
    .s_axil_rdata  (rdata),
    .s_axil_rresp  (rresp),
    .s_axil_rvalid (rvalid),
    .s_axil_rready (rready_i),
    .m_axil_awaddr (m_awaddr),
    .m_axil_awprot (m_awprot),
    .m_axil_awvalid(m_awvalid),
    .m_axil_awready(takes_aw_i),
    .m_axil_wdata  (m_wdata),
    .m_axil_wstrb  (m_wstrb),
    .m_axil_wvalid (m_wvalid),
    .m_axil_wready (takes_w_i),
    .m_axil_bresp  (m_resp_q),
    .m_axil_bvalid (m_bvalid),
    .m_axil_bready (m_bready),
    .m_axil_araddr (m_araddr),
    .m_axil_arprot (m_arprot),
    .m_axil_arvalid(m_arvalid),
    .m_axil_arready(takes_ar_i),
    .m_axil_rdata  (m_rdata_q),
    .m_axil_rresp  (m_resp_q),
    .m_axil_rvalid (m_rvalid),
    .m_axil_rready (m_rready)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  // ---- The master keeps its rules; what it has given, until it is answered ----
  logic aw_q, w_q, ar_q, aw_stalls_q, w_stalls_q, ar_stalls_q, b_stalls_q, r_stalls_q;
  logic [Width+2:0] aw_said_q, aw_kept_q, ar_said_q, ar_kept_q;
  logic [35:0] w_said_q, w_kept_q;
  logic [ 1:0] b_said_q;
  logic [33:0] r_said_q;
  logic aw_takes, w_takes, ar_takes, b_ends, r_ends;
  assign aw_takes = awvalid_i && awready;
  assign w_takes  = wvalid_i && wready;
  assign ar_takes = arvalid_i && arready;
  assign b_ends   = bvalid && bready_i;
  assign r_ends   = rvalid && rready_i;

  always_comb begin
    assume (!aw_stalls_q || (awvalid_i && {awaddr_i, awprot_i} == aw_kept_q));
    assume (!w_stalls_q || (wvalid_i && {wdata_i, wstrb_i} == w_kept_q));
    assume (!ar_stalls_q || (arvalid_i && {araddr_i, arprot_i} == ar_kept_q));
  end

  always_ff @(posedge clk_i) begin
    aw_kept_q   <= {awaddr_i, awprot_i};
    w_kept_q    <= {wdata_i, wstrb_i};
    ar_kept_q   <= {araddr_i, arprot_i};
    b_said_q    <= bresp;
    r_said_q    <= {rdata, rresp};
    aw_stalls_q <= awvalid_i && !awready && !rst_i;
    w_stalls_q  <= wvalid_i && !wready && !rst_i;
    ar_stalls_q <= arvalid_i && !arready && !rst_i;
    b_stalls_q  <= bvalid && !bready_i && !rst_i;
    r_stalls_q  <= rvalid && !rready_i && !rst_i;
    if (aw_takes) aw_said_q <= {awaddr_i, awprot_i};
    if (w_takes) w_said_q <= {wdata_i, wstrb_i};
    if (ar_takes) ar_said_q <= {araddr_i, arprot_i};
    aw_q <= (aw_q || aw_takes) && !b_ends && !rst_i;
    w_q  <= (w_q || w_takes) && !b_ends && !rst_i;
    ar_q <= (ar_q || ar_takes) && !r_ends && !rst_i;
  end

  // ---- Slaves: what each has taken and not answered ----
  logic [Slaves-1:0] has_aw_q, has_w_q, has_ar_q, b_q, r_q;
  assign m_bvalid = b_q;
  assign m_rvalid = r_q;

  for (genvar i = 0; i < Slaves; i++) begin : gen_slave
    logic aw, w, ar, aw_stalls_q, w_stalls_q, ar_stalls_q;
    logic mine_w, mine_r;
    assign aw     = m_awvalid[i] && takes_aw_i[i];
    assign w      = m_wvalid[i] && takes_w_i[i];
    assign ar     = m_arvalid[i] && takes_ar_i[i];
    assign mine_w = aw_q && aw_said_q[AddrWidth+3+:SelWidth] == SelWidth'(i);
    assign mine_r = ar_q && ar_said_q[AddrWidth+3+:SelWidth] == SelWidth'(i);
    always_ff @(posedge clk_i) begin
      has_aw_q[i] <= (has_aw_q[i] || aw) && !(b_q[i] && m_bready[i]) && !rst_i;
      has_w_q[i] <= (has_w_q[i] || w) && !(b_q[i] && m_bready[i]) && !rst_i;
      has_ar_q[i] <= (has_ar_q[i] || ar) && !(r_q[i] && m_rready[i]) && !rst_i;
      b_q[i] <= !rst_i && (b_q[i] ? !m_bready[i] : answers_b_i[i] && has_aw_q[i] && has_w_q[i]);
      r_q[i] <= !rst_i && (r_q[i] ? !m_rready[i] : answers_r_i[i] && has_ar_q[i]);
      if (!b_q[i] && !r_q[i]) m_resp_q[i] <= resp_i[i];
      if (!r_q[i]) m_rdata_q[i] <= rdata_i[i];
      aw_stalls_q <= m_awvalid[i] && !takes_aw_i[i] && !rst_i;
      w_stalls_q  <= m_wvalid[i] && !takes_w_i[i] && !rst_i;
      ar_stalls_q <= m_arvalid[i] && !takes_ar_i[i] && !rst_i;
    end
    always_comb begin
      if (started_q && !rst_i) begin
        assert (!m_awvalid[i] || (mine_w && !has_aw_q[i] && {m_awaddr, m_awprot} ==
            aw_said_q[AddrWidth+2:0]));
        assert (!m_wvalid[i] || (mine_w && w_q && !has_w_q[i] && {m_wdata, m_wstrb} == w_said_q));
        assert (!m_arvalid[i] || (mine_r && !has_ar_q[i] && {m_araddr, m_arprot} ==
            ar_said_q[AddrWidth+2:0]));
        assert (!aw_stalls_q || m_awvalid[i]);
        assert (!w_stalls_q || m_wvalid[i]);
        assert (!ar_stalls_q || m_arvalid[i]);
        // The answer is that of this slave, to what it was given.
        assert (!(bvalid && mine_w) || (b_q[i] && has_aw_q[i] && has_w_q[i] &&
            bresp == m_resp_q[i]));
        assert (!(rvalid && mine_r) || (r_q[i] && has_ar_q[i] &&
            {rdata, rresp} == {m_rdata_q[i], m_resp_q[i]}));
        // An answer of a slave is offered: nothing waits for ever.
        assert (!b_q[i] || (mine_w && bvalid));
        assert (!r_q[i] || (mine_r && rvalid));
        // Invariants.
        assert (!has_aw_q[i] || (mine_w && w_q));
        assert (!has_w_q[i] || (mine_w && w_q));
        assert (!has_ar_q[i] || mine_r);
        assert (!mine_w || (u_dut.aw_q.gone == has_aw_q[i] && u_dut.w_q.gone == has_w_q[i]));
        assert (!mine_r || u_dut.ar_q.gone == has_ar_q[i]);
        assert (!b_q[i] || (has_aw_q[i] && has_w_q[i]));
        assert (!r_q[i] || has_ar_q[i]);
        assert (!(aw_stalls_q || w_stalls_q) || (mine_w && w_q));
        assert (!aw_stalls_q || !has_aw_q[i]);
        assert (!w_stalls_q || !has_w_q[i]);
        assert (!ar_stalls_q || (mine_r && !has_ar_q[i]));
      end
    end
  end

  logic nowhere_w, nowhere_r;
  assign nowhere_w = 32'(aw_said_q[AddrWidth+3+:SelWidth]) >= Slaves;
  assign nowhere_r = 32'(ar_said_q[AddrWidth+3+:SelWidth]) >= Slaves;

  always_comb begin
    if (started_q && !rst_i) begin
      assert (!bvalid || (aw_q && w_q));
      assert (!rvalid || ar_q);
      assert (!b_stalls_q || (bvalid && bresp == b_said_q));
      assert (!r_stalls_q || (rvalid && {rdata, rresp} == r_said_q));
      assert (!(aw_q && w_q && nowhere_w) || (bvalid && bresp == 2'b11));
      assert (!(ar_q && nowhere_r) || (rvalid && rresp == 2'b11));
      assert (awready == !aw_q && wready == !w_q && arready == !ar_q);
      // Invariants.
      assert (u_dut.aw_q.full == aw_q && u_dut.w_q.full == w_q && u_dut.ar_q.full == ar_q);
      assert (!aw_q || {u_dut.w_sel_q, m_awaddr, m_awprot} == aw_said_q);
      assert (!w_q || {m_wdata, m_wstrb} == w_said_q);
      assert (!ar_q || {u_dut.r_sel_q, m_araddr, m_arprot} == ar_said_q);
      assert (!b_stalls_q || (aw_q && w_q));
      assert (!r_stalls_q || ar_q);
      assert (!u_dut.aw_q.gone || (aw_q && w_q && !nowhere_w));
      assert (!u_dut.w_q.gone || (aw_q && w_q && !nowhere_w));
      assert (!u_dut.ar_q.gone || (ar_q && !nowhere_r));
    end
  end

endmodule
