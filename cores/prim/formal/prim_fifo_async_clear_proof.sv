// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_fifo_async_clear with free clocks, each of which may stand still for ever, and
// resets of either side in any cycle, again and again: no overflow, no underflow, every word comes
// out at most once, in order and unchanged, and none that was accepted before the last clear: what
// comes out was written after the write side was cleared, with the read side held.
//
// Clocks and observer are those of prim_fifo_async_proof; the counts of the observer begin anew
// when their side is cleared.

module prim_fifo_async_clear_proof #(
  parameter int unsigned Width = 2,
  parameter int unsigned Depth = 4
) (
  input logic             s_clk_i,
  input logic             m_sync_clk_i,
  input logic             s_rst_i,
  input logic             m_rst_i,
  input logic             s_valid_i,
  input logic [Width-1:0] s_data_i,
  input logic             m_ready_i,
  input logic             mark_i,
  input logic             gate_i
);

  localparam int unsigned AddrWidth = $clog2(Depth);
  localparam int unsigned PtrWidth = AddrWidth + 1;

  // m_clk_i is any selection of the pulses of m_sync_clk_i, changed while the clock is low.
  logic gate_q;
  logic m_clk;
  always_ff @(negedge m_sync_clk_i) gate_q <= gate_i;
  assign m_clk = m_sync_clk_i && gate_q;

  logic s_rst, m_rst, s_ready, m_valid;
  logic [Width-1:0] m_data;

  prim_fifo_async_clear #(
    .Width(Width),
    .Depth(Depth)
  ) u_dut (
    .s_clk_i     (s_clk_i),
    .s_rst_i     (s_rst_i),
    .s_rst_o     (s_rst),
    .s_valid_i   (s_valid_i),
    .s_ready_o   (s_ready),
    .s_data_i    (s_data_i),
    .m_clk_i     (m_clk),
    .m_sync_clk_i(m_sync_clk_i),
    .m_rst_i     (m_rst_i),
    .m_rst_o     (m_rst),
    .m_valid_o   (m_valid),
    .m_ready_i   (m_ready_i),
    .m_data_o    (m_data)
  );

  // Observer: numbers of words written and read since the clear of their side, wide enough not to
  // repeat within a lap, and one followed word. Inside the FIFO a word may be read in the one cycle
  // in which m_rst_i already hides it.
  localparam int unsigned Wide = PtrWidth + 2;
  logic [Wide-1:0] written_q, read_q, number_q;
  logic [Width-1:0] word_q;
  logic marked_q = 1'b0;
  logic done_q = 1'b0;
  logic push, pop, s_clear;
  assign push = s_valid_i && s_ready;
  assign pop = u_dut.u_fifo.m_valid_o && m_ready_i;
  assign s_clear = u_dut.s_clear;

  logic followed;
  logic [Wide-1:0] fill;
  logic [Wide-1:0] offset;
  assign followed = marked_q && !done_q;
  assign fill = written_q - read_q;
  assign offset = number_q - read_q;

  always_ff @(posedge s_clk_i) begin
    if (s_clear) begin
      written_q <= '0;
      marked_q  <= 1'b0;
    end else if (push) begin
      written_q <= written_q + 1'b1;
      if (mark_i && !marked_q) begin
        marked_q <= 1'b1;
        number_q <= written_q;
        word_q   <= s_data_i;
      end
    end
  end

  always_ff @(posedge m_clk) begin
    if (m_rst) begin
      read_q <= '0;
      done_q <= 1'b0;
    end else if (pop) begin
      read_q <= read_q + 1'b1;
      if (followed && offset == '0) done_q <= 1'b1;
    end
  end

  logic cleared, s_zero, m_zero, live;
  prim_clear_phase u_phase (
    .s_clk_i(s_clk_i),
    .s_rst_i(s_rst),
    .s_clear_i(s_clear),
    .s_want_i(u_dut.u_clear.u_a.want_q),
    .m_clk_i(m_clk),
    .m_rst_i(m_rst),
    .m_clear_i(u_dut.m_clear),
    .m_want_i(u_dut.u_clear.u_b.want_q),
    .m_begin_i(m_rst_i),
    .sm_i({
      u_dut.u_clear.u_a.req_q,
      u_dut.u_clear.u_b.u_sync_req.chain_q[0],
      u_dut.u_clear.u_b.u_sync_req.chain_q[1],
      u_dut.u_clear.u_b.ack_q,
      u_dut.u_clear.u_a.u_sync_ack.chain_q[0],
      u_dut.u_clear.u_a.u_sync_ack.chain_q[1]
    }),
    .ms_i({
      u_dut.u_clear.u_b.req_q,
      u_dut.u_clear.u_a.u_sync_req.chain_q[0],
      u_dut.u_clear.u_a.u_sync_req.chain_q[1],
      u_dut.u_clear.u_a.ack_q,
      u_dut.u_clear.u_b.u_sync_ack.chain_q[0],
      u_dut.u_clear.u_b.u_sync_ack.chain_q[1]
    }),
    .cleared_o(cleared),
    .s_zero_o(s_zero),
    .m_zero_o(m_zero),
    .live_o(live)
  );

  function automatic logic [PtrWidth-1:0] binary(input logic [PtrWidth-1:0] gray);
    for (int i = 0; i < PtrWidth; i++) binary[i] = ^(gray >> i);
  endfunction

  // Distances of all pointers from the oldest one, the read pointer as the write side sees it.
  logic [PtrWidth-1:0] base, rd_meta, rd, wr_sync, wr_meta, wr;
  assign base = binary(u_dut.u_fifo.u_sync_rd.chain_q[1]);
  assign rd_meta = binary(u_dut.u_fifo.u_sync_rd.chain_q[0]) - base;
  assign rd = u_dut.u_fifo.rd_ptr_q - base;
  assign wr_sync = binary(u_dut.u_fifo.u_sync_wr.chain_q[1]) - base;
  assign wr_meta = binary(u_dut.u_fifo.u_sync_wr.chain_q[0]) - base;
  assign wr = u_dut.u_fifo.wr_ptr_q - base;

  logic s_is_zero, m_is_zero;
  assign s_is_zero = u_dut.u_fifo.wr_ptr_q == '0 && u_dut.u_fifo.wr_gray_q == '0 &&
      written_q == '0 && !marked_q;
  assign m_is_zero = u_dut.u_fifo.rd_ptr_q == '0 && u_dut.u_fifo.rd_gray_q == '0 && read_q == '0 &&
      !done_q && u_dut.u_fifo.u_sync_wr.chain_q == '0;

  always_comb begin
    // The contract. Whenever m is not held:
    if (!m_rst) begin
      assert (fill <= Wide'(Depth));
      assert (!m_valid || fill != '0);
      assert (!(m_valid && followed && offset == '0) || m_data == word_q);
      assert (!s_ready || fill < Wide'(Depth));
      assert (!followed || offset < fill);
      assert (cleared);
    end
    assert (!((s_rst || s_rst_i) && s_ready) && !((m_rst || m_rst_i) && m_valid));

    // Registers of a side that has been cleared.
    if (s_zero) assert (s_is_zero);
    if (m_rst && m_zero) assert (m_is_zero);
    if (u_phase.s_was_q) assert (u_dut.u_fifo.u_sync_rd.chain_q == '0);
    if (live && s_zero) assert (m_is_zero && u_dut.u_fifo.u_sync_rd.chain_q == '0);

    // The order of the pointers, from the clear on.
    if (live) begin
      assert (rd_meta <= rd && rd <= wr_sync && wr_sync <= wr_meta && wr_meta <= wr);
      assert (wr <= PtrWidth'(Depth));
      assert (u_dut.u_fifo.wr_ptr_q == written_q[PtrWidth-1:0]);
      assert (u_dut.u_fifo.rd_ptr_q == read_q[PtrWidth-1:0]);
      assert (fill <= Wide'(Depth));
      assert (!followed || offset < fill);
      assert (marked_q || !done_q);
      assert (!followed || u_dut.u_fifo.u_ram.mem[number_q[AddrWidth-1:0]] == word_q);
      assert (binary(u_dut.u_fifo.wr_gray_q) == u_dut.u_fifo.wr_ptr_q);
      assert (binary(u_dut.u_fifo.rd_gray_q) == u_dut.u_fifo.rd_ptr_q);
    end
  end

endmodule
