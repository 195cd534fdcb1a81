// SPDX-License-Identifier: Apache-2.0
//
// slink_dma_write_proof: each beat that slink_store gives is written once, in order, at its place.
//
// What      With a bus of 64 bits. The bursts lie end to end from the address that was set, and
//           hold no beat that was not found good: so their addresses lie between that of the first
//           beat and that of the last one. The data are the beats in their order, one that is
//           chosen freely with its bytes, and WLAST ends each burst. With slink_peer_proof: no
//           address outside the window, no block twice.
// Around    good_i grows by any number of beats up to a store full of them; set_i only with
//           free_o; any memory.

module slink_dma_write_proof
  import slink_pkg::*;
#(
  parameter int unsigned CountBits = 6
) (
  input logic                 clk_i,
  input logic                 rst_i,
  input logic                 set_i,
  input logic [         28:0] address_i,
  input logic [CountBits-1:0] more_i,         // beats that are found good in this cycle
  input logic                 valid_i,
  input logic [ BeatBits-1:0] data_i,
  input logic                 mark_i,
  input logic                 m_axi_awready,
  input logic                 m_axi_wready,
  input logic [          1:0] m_axi_bresp,
  input logic                 m_axi_bvalid
);

  typedef logic [CountBits-1:0] count_t;

  logic ready, free, idle, error, m_axi_bready;
  logic m_axi_awvalid, m_axi_wvalid, m_axi_wlast;
  logic [31:0] m_axi_awaddr;
  logic [7:0] m_axi_awlen, m_axi_wstrb;
  logic [2:0] m_axi_awsize;
  logic [1:0] m_axi_awburst;
  logic [63:0] m_axi_wdata;
  count_t good_q;

  axi_write_req_t axi;
  assign {m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awvalid} = {
    axi.aw, axi.awvalid
  };
  assign {m_axi_wdata, m_axi_wstrb, m_axi_wlast, m_axi_wvalid, m_axi_bready} = {
    axi.wdata[63:0], axi.wstrb[7:0], axi.wlast, axi.wvalid, axi.bready
  };

  slink_dma_write #(
    .DataWidth(64),
    .CountBits(CountBits)
  ) u_dut (
    .clk_i,
    .rst_i,
    .set_i,
    .address_i,
    .good_i (good_q),
    .valid_i,
    .ready_o(ready),
    .data_i,
    .free_o (free),
    .idle_o (idle),
    .error_o(error),
    .axi_o  (axi),
    .axi_i  ('{m_axi_awready, m_axi_wready, m_axi_bresp, m_axi_bvalid})
  );

  axi_burst_rules #(
    .AddrWidth(32),
    .DataWidth(64),
    .Channel  ("AW")
  ) u_burst_rules (
    .clk_i,
    .rst_i,
    .valid_i(m_axi_awvalid),
    .addr_i (m_axi_awaddr),
    .len_i  (m_axi_awlen),
    .size_i (m_axi_awsize),
    .burst_i(m_axi_awburst)
  );
  handshake_rules #(
    .Width  (45),
    .Channel("AW")
  ) u_aw_rules (
    .clk_i,
    .rst_i,
    .valid_i  (m_axi_awvalid),
    .ready_i  (m_axi_awready),
    .payload_i({m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst})
  );
  handshake_rules #(
    .Width  (73),
    .Channel("W")
  ) u_w_rules (
    .clk_i,
    .rst_i,
    .valid_i  (m_axi_wvalid),
    .ready_i  (m_axi_wready),
    .payload_i({m_axi_wdata, m_axi_wstrb, m_axi_wlast})
  );

  // ---- Beats, counted modulo the width: found good, addressed, given, written ----
  count_t addressed_q, popped_q, written_q;
  logic [28:0] place_q;  // of the beat behind those that are addressed
  logic started_q = 1'b0;
  logic fresh, stalled_q, w, pop, set_q, chosen_q;  // fresh: a burst in its first cycle
  count_t chosen_idx_q;
  logic [63:0] chosen_data_q;
  assign fresh = m_axi_awvalid && !stalled_q;
  assign w     = m_axi_wvalid && m_axi_wready;
  assign pop   = valid_i && ready;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    stalled_q <= m_axi_awvalid && !m_axi_awready && !rst_i;
    if (rst_i) begin
      good_q      <= '0;
      addressed_q <= '0;
      popped_q    <= '0;
      written_q   <= '0;
      chosen_q    <= 1'b0;
      set_q       <= 1'b0;
    end else begin
      good_q    <= good_q + more_i;
      popped_q  <= popped_q + count_t'(pop);
      written_q <= written_q + count_t'(w);
      set_q     <= set_q || set_i;
      if (fresh) addressed_q <= addressed_q + count_t'(m_axi_awlen) + 1'b1;
      if (w && written_q == chosen_idx_q) chosen_q <= 1'b0;
      if (pop && mark_i && !chosen_q) begin
        chosen_q      <= 1'b1;
        chosen_idx_q  <= popped_q;
        chosen_data_q <= data_i;
      end
    end
    if (set_i) place_q <= address_i;
    else if (fresh) place_q <= place_q + 29'(m_axi_awlen) + 1'b1;
  end

  count_t stored;  // found good, and not written
  assign stored = good_q - written_q;
  always_comb begin
    assume (started_q || rst_i);
    assume (!set_i || free);
    // The store is not larger than half of what can be counted, and the first beat has an address.
    assume ({1'b0, stored} + {1'b0, more_i} <= (CountBits + 1)'(2 ** (CountBits - 1)));
    assume (more_i == '0 || set_q || set_i);
    assume (!m_axi_bvalid || u_dut.open_q > 4'(m_axi_awvalid));
  end

  count_t made;  // what bursts are made of
  assign made = addressed_q + (fresh ? count_t'(m_axi_awlen) + 1'b1 : '0);

  // Where the burst ends whose data are given, and the one behind it.
  count_t this_end_q, next_end_q, next_end;
  logic ends_q;
  assign next_end = fresh ? made : next_end_q;
  always_ff @(posedge clk_i) begin
    next_end_q <= next_end;
    if (u_dut.next_valid_q && (u_dut.left_q == '0 || (pop && popped_q + 1'b1 == this_end_q)))
      this_end_q <= next_end;
    if (pop) ends_q <= popped_q + 1'b1 == this_end_q;
  end

  // ---- What is promised ----
  always_comb begin
    if (started_q && !rst_i) begin
      if (fresh) begin
        a_place : assert (m_axi_awaddr == {place_q, 3'b000});
        a_good : assert (count_t'(good_q - addressed_q) > count_t'(m_axi_awlen));
      end
      if (m_axi_wvalid) begin
        a_whole : assert (m_axi_wstrb == '1);
        a_data : assert (!chosen_q || chosen_idx_q != written_q || m_axi_wdata == chosen_data_q);
        a_given : assert (popped_q - written_q == count_t'(1));
      end
      if (m_axi_wvalid) a_last : assert (m_axi_wlast == ends_q);
      c_bursts : cover (w && m_axi_wlast && written_q == count_t'(5) && place_q[3:0] == 4'd5);
      if (set_i) a_done : assert (made == good_q && popped_q == good_q);
    end
  end

  // ---- Why ----
  always_comb begin
    if (started_q && !rst_i) begin
      assert (u_dut.made_q == made);
      assert (!set_q || u_dut.address_q == place_q + (fresh ? 29'(m_axi_awlen) + 29'd1 : 29'd0));
      assert (made == popped_q + count_t'(u_dut.left_q) +
              (u_dut.next_valid_q ? count_t'(u_dut.next_q) : '0));
      assert (popped_q - written_q == count_t'(m_axi_wvalid));
      assert (count_t'(good_q - made) <= stored && stored <= count_t'(2 ** (CountBits - 1)));
      assert (count_t'(good_q - popped_q) <= stored);
      assert (count_t'(good_q - made) <= count_t'(good_q - popped_q));
      assert (u_dut.left_q <= 5'd16);
      assert (u_dut.left_q == '0 || this_end_q == popped_q + count_t'(u_dut.left_q));
      assert (!u_dut.next_valid_q || next_end == made);
      assert (!m_axi_wvalid || m_axi_wlast == ends_q);
      assert (!u_dut.next_valid_q || (u_dut.next_q != '0 && u_dut.next_q <= 5'd16));
      assert (!m_axi_awvalid || m_axi_awlen < 8'd16);
      assert (!m_axi_awvalid || 32'(m_axi_awaddr[6:3]) + 32'(m_axi_awlen) < 32'd16);
      assert (!set_q || u_dut.half_q == '0);
      assert (!fresh || (!set_i && u_dut.next_valid_q));
      assert (u_dut.fresh_q);
      assert (set_q || (good_q == '0 && made == '0 && popped_q == '0 && !m_axi_awvalid));
      assert (!m_axi_wvalid || u_dut.strobe_q == '1);
      if (chosen_q)
        assert (chosen_idx_q == written_q && m_axi_wvalid && m_axi_wdata == chosen_data_q);
      assert (u_dut.open_q >= 4'(m_axi_awvalid));
    end
  end

  logic unused;
  assign unused = ^{idle, error, m_axi_bready};

endmodule
