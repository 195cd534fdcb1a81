// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_fifo_async with free clocks: no overflow, no underflow, every word comes out once,
// in order, unchanged, from a reset by the documented contract onwards.
//
// s_clk_i and m_sync_clk_i are free inputs: every interleaving, speed ratio and coincidence of
// edges is covered. The observer numbers the words in both domains and follows one word, chosen
// freely at its write.

module prim_fifo_async_proof #(
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

  // m_clk_i is any selection of the pulses of m_sync_clk_i, so each of its edges is an edge there;
  // the selection changes while the clock is low.
  logic gate_q;
  logic m_clk;
  always_ff @(negedge m_sync_clk_i) gate_q <= gate_i;
  assign m_clk = m_sync_clk_i && gate_q;

  logic s_ready;
  logic m_valid;
  logic [Width-1:0] m_data;

  prim_fifo_async #(
    .Width(Width),
    .Depth(Depth)
  ) u_dut (
    .s_clk_i     (s_clk_i),
    .s_rst_i     (s_rst_i),
    .s_valid_i   (s_valid_i),
    .s_ready_o   (s_ready),
    .s_data_i    (s_data_i),
    .m_clk_i     (m_clk),
    .m_sync_clk_i(m_sync_clk_i),
    .m_rst_i     (m_rst_i),
    .m_valid_o   (m_valid),
    .m_ready_i   (m_ready_i),
    .m_data_o    (m_data)
  );

  // Reset contract: both sides are asserted together, until every clock has had an edge; each is
  // then released when it likes. The phase register of a domain counts that edge.
  logic s_seen_q = 1'b0;
  logic m_seen_q = 1'b0;
  logic y_seen_q = 1'b0;
  always_ff @(posedge s_clk_i) s_seen_q <= 1'b1;
  always_ff @(posedge m_clk) m_seen_q <= 1'b1;
  always_ff @(posedge m_sync_clk_i) y_seen_q <= 1'b1;
  logic ready;
  assign ready = s_seen_q && m_seen_q && y_seen_q;
  always_comb assume (ready || (s_rst_i && m_rst_i));

  logic s_run_q = 1'b0;
  logic m_run_q = 1'b0;
  logic y_run_q = 1'b0;
  always_ff @(posedge s_clk_i) s_run_q <= !s_rst_i;
  always_ff @(posedge m_clk) m_run_q <= !m_rst_i;
  always_ff @(posedge m_sync_clk_i) y_run_q <= !m_rst_i;
  always_comb assume (!(s_run_q && s_rst_i) && !((m_run_q || y_run_q) && m_rst_i));

  // Observer: numbers of words written and read (wide enough not to repeat within a lap), and one
  // followed word.
  localparam int unsigned Wide = PtrWidth + 2;
  logic [Wide-1:0] written_q = '0;
  logic [Wide-1:0] read_q = '0;
  logic marked_q = 1'b0;
  logic [Wide-1:0] number_q;
  logic [Width-1:0] word_q;
  logic push;
  logic pop;
  assign push = s_valid_i && s_ready;
  assign pop  = m_valid && m_ready_i;

  // The followed word is inside from its write until it is read, offset words behind the head.
  logic done_q = 1'b0;
  logic followed;
  logic [Wide-1:0] fill;
  logic [Wide-1:0] offset;
  assign followed = marked_q && !done_q;
  assign fill = written_q - read_q;
  assign offset = number_q - read_q;

  always_ff @(posedge s_clk_i) begin
    if (!s_rst_i && push) begin
      written_q <= written_q + 1'b1;
      if (mark_i && !marked_q) begin
        marked_q <= 1'b1;
        number_q <= written_q;
        word_q   <= s_data_i;
      end
    end
  end

  always_ff @(posedge m_clk) begin
    if (!m_rst_i && pop) begin
      read_q <= read_q + 1'b1;
      if (followed && offset == '0) done_q <= 1'b1;
    end
  end

  function automatic logic [PtrWidth-1:0] binary(input logic [PtrWidth-1:0] gray);
    for (int i = 0; i < PtrWidth; i++) binary[i] = ^(gray >> i);
  endfunction

  // Distances of all pointers from the oldest one, the read pointer as the write side sees it.
  logic [PtrWidth-1:0] base;
  logic [PtrWidth-1:0] rd_meta;
  logic [PtrWidth-1:0] rd;
  logic [PtrWidth-1:0] wr_sync;
  logic [PtrWidth-1:0] wr_meta;
  logic [PtrWidth-1:0] wr;
  assign base = binary(u_dut.u_sync_rd.chain_q[1]);
  assign rd_meta = binary(u_dut.u_sync_rd.chain_q[0]) - base;
  assign rd = u_dut.rd_ptr_q - base;
  assign wr_sync = binary(u_dut.u_sync_wr.chain_q[1]) - base;
  assign wr_meta = binary(u_dut.u_sync_wr.chain_q[0]) - base;
  assign wr = u_dut.wr_ptr_q - base;

  always_comb begin
    if (ready) begin
      // The contract: never more than Depth inside, never a read of nothing, the right data.
      assert (fill <= Wide'(Depth));
      assert (!m_valid || fill != '0);
      assert (!(m_valid && followed && offset == '0) || m_data == word_q);
      assert (!(s_rst_i && s_ready) && !(m_rst_i && m_valid));
      // The write side never sees more room than there is.
      assert (!s_ready || fill < Wide'(Depth));
      assert (!followed || offset < fill);
      // Invariants.
      assert (u_dut.wr_ptr_q == written_q[PtrWidth-1:0]);
      assert (u_dut.rd_ptr_q == read_q[PtrWidth-1:0]);
      assert (binary(u_dut.wr_gray_q) == u_dut.wr_ptr_q);
      assert (binary(u_dut.rd_gray_q) == u_dut.rd_ptr_q);
      // Each stage lags behind the one it samples; nobody is more than Depth apart.
      assert (rd_meta <= rd && rd <= wr_sync && wr_sync <= wr_meta && wr_meta <= wr);
      assert (wr <= PtrWidth'(Depth));
      assert (!followed || u_dut.u_ram.mem[number_q[AddrWidth-1:0]] == word_q);
    end
    // A side that has not run yet has moved nothing, and one edge in reset clears its registers.
    assert (ready || !(s_run_q || m_run_q || y_run_q));
    assert (s_run_q || (written_q == '0 && !marked_q));
    assert (m_run_q || (read_q == '0 && !done_q));
    assert (marked_q || !done_q);
    if (!s_run_q && s_seen_q) begin
      assert (u_dut.wr_ptr_q == '0 && u_dut.wr_gray_q == '0);
      assert (u_dut.u_sync_rd.chain_q[0] == '0 && u_dut.u_sync_rd.chain_q[1] == '0);
    end
    if (!m_run_q && m_seen_q) assert (u_dut.rd_ptr_q == '0 && u_dut.rd_gray_q == '0);
    if (!y_run_q && y_seen_q) begin
      assert (u_dut.u_sync_wr.chain_q[0] == '0 && u_dut.u_sync_wr.chain_q[1] == '0);
    end
    // An m_clk_i edge is an m_sync_clk_i edge, so the synchroniser is never behind in running.
    assert (y_run_q || !m_run_q);
    assert (y_seen_q || !m_seen_q);
  end

endmodule
