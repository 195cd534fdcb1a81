// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_fifo_sync: what goes in comes out once, in order; level, flags and fall-through.
//
// An observer counts words by itself and follows one word, chosen freely at any push, from its
// entry to the head of the queue. Everything is proved by induction for an unbounded run; the
// invariants below tie the observer to the pointers and the memory.

module prim_fifo_sync_proof #(
  parameter int unsigned Width = 4,
  parameter int unsigned Depth = 5,
  parameter bit FallThrough = 1'b1,
  localparam int unsigned LevelWidth = $clog2(Depth + 1)
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic             s_valid_i,
  input logic [Width-1:0] s_data_i,
  input logic             m_ready_i,
  input logic             mark_i
);

  logic s_ready;
  logic m_valid;
  logic [Width-1:0] m_data;
  logic [LevelWidth-1:0] level;

  prim_fifo_sync #(
    .Width(Width),
    .Depth(Depth),
    .FallThrough(FallThrough)
  ) u_dut (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(s_valid_i),
    .s_ready_o(s_ready),
    .s_data_i (s_data_i),
    .m_valid_o(m_valid),
    .m_ready_i(m_ready_i),
    .m_data_o (m_data),
    .level_o  (level)
  );

  // The run starts with a reset; later resets come at any time.
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  // Observer: words inside, and one followed word with the number of words ahead of it.
  logic [LevelWidth-1:0] count_q;
  logic marked_q;
  logic [LevelWidth-1:0] ahead_q;
  logic [Width-1:0] word_q;
  logic push;
  logic pop;
  logic follow;

  assign push = s_valid_i && s_ready;
  assign pop = m_valid && m_ready_i;
  // A word that falls through is checked at once, below, so only stored ones are followed.
  assign follow = push && mark_i && !marked_q && !(FallThrough && count_q == '0 && m_ready_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q  <= '0;
      marked_q <= 1'b0;
    end else begin
      count_q <= count_q + LevelWidth'(push) - LevelWidth'(pop);
      if (follow) begin
        marked_q <= 1'b1;
        ahead_q  <= count_q - LevelWidth'(pop);
        word_q   <= s_data_i;
      end else if (marked_q && pop) begin
        marked_q <= ahead_q != '0;
        ahead_q  <= ahead_q - 1'b1;
      end
    end
  end

  // The contract.
  always_comb begin
    if (started_q && !rst_i) begin
      assert (level == count_q);
      assert (count_q <= LevelWidth'(Depth));
      assert (s_ready == (count_q != LevelWidth'(Depth)));
      assert (m_valid == (count_q != '0 || (FallThrough && s_valid_i)));
      assert (!(m_valid && count_q == '0) || m_data == s_data_i);
      assert (!marked_q || ahead_q < count_q);
      assert (!(marked_q && ahead_q == '0) || m_data == word_q);
    end
    if (rst_i) assert (!s_ready && !m_valid);
  end

  // Invariants: where the memory holds what.
  localparam int unsigned SumWidth = LevelWidth + 2;
  localparam logic [SumWidth-1:0] DepthWide = SumWidth'(Depth);
  logic [SumWidth-1:0] wr_addr;
  logic [SumWidth-1:0] rd_addr;
  logic [SumWidth-1:0] stored;
  logic [SumWidth-1:0] end_addr;
  logic [SumWidth-1:0] place;
  logic [SumWidth-1:0] skip;

  assign wr_addr = SumWidth'(u_dut.wr_addr_q);
  assign rd_addr = SumWidth'(u_dut.rd_addr_q);
  // Words in the memory: all of them, or all but the head.
  assign stored = (Depth <= 128 || count_q == '0) ? SumWidth'(count_q) : SumWidth'(count_q) - 1'b1;
  assign skip = (Depth <= 128) ? SumWidth'(ahead_q) : SumWidth'(ahead_q) - 1'b1;
  assign end_addr = (rd_addr + stored >= DepthWide) ? rd_addr + stored - DepthWide
                                                    : rd_addr + stored;
  assign place = (rd_addr + skip >= DepthWide) ? rd_addr + skip - DepthWide : rd_addr + skip;

  always_comb begin
    if (started_q) begin
      assert (u_dut.full_q == (count_q == LevelWidth'(Depth)));
      assert (u_dut.empty_q == (count_q == '0));
      assert (u_dut.level_q == count_q);
      assert (wr_addr < DepthWide && rd_addr < DepthWide);
      assert (wr_addr == end_addr);
    end
  end

  if (Depth <= 128) begin : gen_lut
    always_comb begin
      if (started_q && marked_q)
        assert (u_dut.gen_lut.u_ram.mem[place[$clog2(Depth)-1:0]] == word_q);
    end
  end else begin : gen_block
    always_comb begin
      if (started_q && marked_q && ahead_q != '0)
        assert (u_dut.gen_block.u_ram.gen_block.mem[place[$clog2(Depth)-1:0]] == word_q);
    end
  end

endmodule
