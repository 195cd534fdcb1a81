// SPDX-License-Identifier: Apache-2.0
//
// prim_fifo_async: dual-clock FIFO with Gray-coded pointers.
//
// What      Moves words from s_clk_i to m_clk_i. First-word fall-through: m_data_o is valid with
//           m_valid_o, read asynchronously from look-up-table RAM.
// Why       The clock-domain crossing of a link, with the smallest latency two flip-flops allow.
// Contract  A word moves on the s_clk_i edge with s_valid_i and s_ready_o, and on the m_clk_i edge
//           with m_valid_o and m_ready_i. s_ready_o depends on registers and s_rst_i only.
//           m_sync_clk_i is m_clk_i itself or a faster clock synchronous to it: every m_clk_i edge
//           is an m_sync_clk_i edge (integer multiple, aligned). m_valid_o may therefore rise at
//           any m_sync_clk_i edge; it falls only at an m_clk_i edge or with m_rst_i. Both clocks
//           are timed as one group; logic behind m_valid_o has one m_sync_clk_i period.
// Latency   The write pointer's Gray register changes on the s_clk_i edge of the write. The word
//           is visible 2 m_sync_clk_i edges later (3 if the first one samples the change too
//           late) and is taken at the next m_clk_i edge. The space of a word read is seen by the
//           s side 2 (3) s_clk_i edges after the m_clk_i edge that took it.
// Resets    One prim_clear resets both sides, a being the s side: s_rst_i is its a_clear_o, m_rst_i
//           its b_rst_o. Then no word accepted before a reset of either side is offered after it,
//           whatever clock stands still. Two resets of one source do NOT suffice: the side that is
//           reset first shows the other a pointer that has jumped, and stale words are offered.
//           s_rst_i and m_rst_i are synchronous to their clocks. Nothing is accepted in s_rst_i,
//           nothing offered in m_rst_i; words inside are lost. Before s_rst_i rises the logic in
//           front is held by a_rst_o. A FIFO that stands alone: prim_fifo_async_clear.
// Crossing  Only Gray pointers cross, one bit changes at a time: constraints/ keep each bus to a
//           skew below one period of the faster clock. Data crosses through the memory, stable
//           since at least one m_sync_clk_i period when it is read. m_data_o means nothing, and may
//           be changing, while m_valid_o is 0.
//
// Parameters
//   Width   bits of a word, >= 1
//   Depth   capacity in words, a power of two, >= 4

module prim_fifo_async #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16
) (
  input  logic             s_clk_i,
  input  logic             s_rst_i,
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  input  logic             m_clk_i,
  input  logic             m_sync_clk_i,
  input  logic             m_rst_i,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o
);

  localparam int unsigned AddrWidth = (Depth > 2) ? $clog2(Depth) : 1;
  // One bit more than an address: it tells a full FIFO from an empty one.
  localparam int unsigned PtrWidth = AddrWidth + 1;
  // Full: the pointers differ by Depth, which in Gray code inverts exactly the two top bits.
  localparam logic [PtrWidth-1:0] TopTwo = PtrWidth'(3) << (PtrWidth - 2);

  if (Width < 1) begin : gen_bad_width
    $error("prim_fifo_async %m: Width must be >= 1, got %0d", Width);
  end
  if (Depth < 4 || 2 ** $clog2(Depth) != Depth) begin : gen_bad_depth
    $error("prim_fifo_async %m: Depth must be a power of two >= 4, got %0d", Depth);
  end

  // Write side (s_clk_i)
  logic [PtrWidth-1:0] wr_ptr_q;
  logic [PtrWidth-1:0] wr_ptr_d;
  logic [PtrWidth-1:0] wr_gray_q;
  logic [PtrWidth-1:0] rd_gray;  // rd_gray_q as this side sees it
  logic wr_en;

  // Read side (m_clk_i, its synchroniser on m_sync_clk_i)
  logic [PtrWidth-1:0] rd_ptr_q;
  logic [PtrWidth-1:0] rd_ptr_d;
  logic [PtrWidth-1:0] rd_gray_q;
  logic [PtrWidth-1:0] wr_gray;  // wr_gray_q as this side sees it

  assign s_ready_o = (wr_gray_q != (rd_gray ^ TopTwo)) && !s_rst_i;
  assign wr_en = s_valid_i && s_ready_o;
  assign wr_ptr_d = wr_ptr_q + 1'b1;

  always_ff @(posedge s_clk_i) begin
    if (s_rst_i) begin
      wr_ptr_q  <= '0;
      wr_gray_q <= '0;
    end else if (wr_en) begin
      wr_ptr_q  <= wr_ptr_d;
      wr_gray_q <= wr_ptr_d ^ (wr_ptr_d >> 1);
    end
  end

  prim_sync_flop #(
    .Width(PtrWidth)
  ) u_sync_rd (
    .clk_i(s_clk_i),
    .rst_i(s_rst_i),
    .d_i  (rd_gray_q),
    .q_o  (rd_gray)
  );

  assign m_valid_o = (rd_gray_q != wr_gray) && !m_rst_i;
  assign rd_ptr_d  = rd_ptr_q + 1'b1;

  always_ff @(posedge m_clk_i) begin
    if (m_rst_i) begin
      rd_ptr_q  <= '0;
      rd_gray_q <= '0;
    end else if (m_valid_o && m_ready_i) begin
      rd_ptr_q  <= rd_ptr_d;
      rd_gray_q <= rd_ptr_d ^ (rd_ptr_d >> 1);
    end
  end

  prim_sync_flop #(
    .Width(PtrWidth)
  ) u_sync_wr (
    .clk_i(m_sync_clk_i),
    .rst_i(m_rst_i),
    .d_i  (wr_gray_q),
    .q_o  (wr_gray)
  );

  prim_ram_lut #(
    .Width(Width),
    .Depth(Depth)
  ) u_ram (
    .clk_i    (s_clk_i),
    .wr_en_i  (wr_en),
    .wr_addr_i(wr_ptr_q[AddrWidth-1:0]),
    .wr_data_i(s_data_i),
    .rd_addr_i(rd_ptr_q[AddrWidth-1:0]),
    .rd_data_o(m_data_o)
  );

endmodule
