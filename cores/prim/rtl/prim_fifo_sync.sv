// SPDX-License-Identifier: Apache-2.0
//
// prim_fifo_sync: single-clock FIFO with fall-through.
//
// What      Valid/ready FIFO of any depth. When it is empty the input word appears at the output
//           in the same cycle; if it is taken there it is never stored. With FallThrough = 0 it
//           appears one cycle later, and no path leads from the inputs to the outputs.
// Why       Elastic buffer that costs no latency while nobody waits (flow-control buffer).
// Contract  s side: a word moves when s_valid_i and s_ready_o; m side likewise. m_data_o is
//           meaningful only with m_valid_o. Once m_valid_o is 1 because of a stored word it stays
//           until taken; if the FIFO is empty m_valid_o is s_valid_i itself (FallThrough = 1), so
//           s_valid_i must not be withdrawn unless the reader tolerates that.
//           s_ready_o depends on registers only (level_o < Depth and not in reset), never on
//           s_valid_i or m_ready_i: a full FIFO accepts again one cycle after the first read.
//           rst_i empties the FIFO; while it is 1 nothing is accepted and nothing is offered.
// Latency   0 cycles when empty (FallThrough = 0: 1), throughput one word per cycle at any level
//           below full.
// Level     level_o: words stored, registered (0..Depth). Capacity is exactly Depth.
// Storage   Depth <= LutDepth: look-up-table RAM read asynchronously, no data flip-flops at all.
//           Above: block RAM (prim_ram_1r1w); its read register holds the head word, prefetched
//           when the previous head leaves, and one side register holds a head that did not come
//           out of the RAM because the RAM was empty when it arrived.
//
// Parameters
//   Width   bits of a word, >= 1
//   Depth   capacity in words, >= 2, any value
//   FallThrough   1: an empty FIFO shows the input word at once, 0: one cycle later
//   LutDepth   deepest FIFO in look-up tables: a narrow one may be worth more of them than a
//              block RAM
//   Ultra   1: above LutDepth UltraRAM instead of block RAM

module prim_fifo_sync #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16,
  parameter bit FallThrough = 1'b1,
  parameter int unsigned LutDepth = 128,
  parameter bit Ultra = 1'b0,
  localparam int unsigned LevelWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  s_valid_i,
  output logic                  s_ready_o,
  input  logic [     Width-1:0] s_data_i,
  output logic                  m_valid_o,
  input  logic                  m_ready_i,
  output logic [     Width-1:0] m_data_o,
  output logic [LevelWidth-1:0] level_o
);

  localparam int unsigned AddrWidth = (Depth > 2) ? $clog2(Depth) : 1;
  localparam logic [AddrWidth-1:0] LastAddr = AddrWidth'(Depth - 1);

  if (Width < 1) begin : gen_bad_width
    $error("prim_fifo_sync %m: Width must be >= 1, got %0d", Width);
  end
  if (Depth < 2) begin : gen_bad_depth
    $error("prim_fifo_sync %m: Depth must be >= 2, got %0d", Depth);
  end

  logic [LevelWidth-1:0] level_q;
  logic full_q;
  logic empty_q;

  // push/pop: a word enters/leaves at the ports. Both are 1 for a word that falls through.
  logic push;
  logic pop;
  // store: the incoming word stays behind. take: a stored word leaves. bypass: none is stored.
  logic store;
  logic take;
  logic bypass;

  assign s_ready_o = !full_q && !rst_i;
  // Without fall-through there is no path from one side to the other, not even in structure.
  if (FallThrough) begin : gen_bypass
    assign bypass = empty_q;
    assign m_valid_o = (!empty_q || s_valid_i) && !rst_i;
  end else begin : gen_stored
    assign bypass = 1'b0;
    assign m_valid_o = !empty_q && !rst_i;
  end
  assign push = s_valid_i && s_ready_o;
  assign pop = m_valid_o && m_ready_i;
  assign take = pop && !empty_q;
  assign store = push && !(bypass && m_ready_i);
  assign level_o = level_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      level_q <= '0;
      full_q  <= 1'b0;
      empty_q <= 1'b1;
    end else if (store && !take) begin
      level_q <= level_q + 1'b1;
      full_q  <= level_q == LevelWidth'(Depth - 1);
      empty_q <= 1'b0;
    end else if (take && !store) begin
      level_q <= level_q - 1'b1;
      full_q  <= 1'b0;
      empty_q <= level_q == LevelWidth'(1);
    end
  end

  // Pointers of the memory: wr_en/rd_en say when a word goes in or out of it.
  logic wr_en;
  logic rd_en;
  logic [AddrWidth-1:0] wr_addr_q;
  logic [AddrWidth-1:0] rd_addr_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wr_addr_q <= '0;
      rd_addr_q <= '0;
    end else begin
      if (wr_en) wr_addr_q <= (wr_addr_q == LastAddr) ? '0 : wr_addr_q + 1'b1;
      if (rd_en) rd_addr_q <= (rd_addr_q == LastAddr) ? '0 : rd_addr_q + 1'b1;
    end
  end

  if (Depth <= LutDepth) begin : gen_lut
    logic [Width-1:0] head;

    assign wr_en = store;
    assign rd_en = take;

    prim_ram_lut #(
      .Width(Width),
      .Depth(Depth)
    ) u_ram (
      .clk_i    (clk_i),
      .wr_en_i  (wr_en),
      .wr_addr_i(wr_addr_q),
      .wr_data_i(s_data_i),
      .rd_addr_i(rd_addr_q),
      .rd_data_o(head)
    );

    assign m_data_o = bypass ? s_data_i : head;
  end else begin : gen_block
    logic [Width-1:0] head;
    logic [Width-1:0] side_q;
    logic in_side_q;
    logic to_side;
    logic one;

    // The RAM holds all words but the head, so it is empty at level 0 and 1. A word that becomes
    // the head at once goes to the side register: the RAM could show it only a cycle later.
    assign one = level_q == LevelWidth'(1);
    assign to_side = store && (empty_q || (one && take));
    assign wr_en = store && !to_side;
    assign rd_en = take && !one;

    always_ff @(posedge clk_i) begin
      if (to_side) side_q <= s_data_i;
      if (to_side) in_side_q <= 1'b1;
      else if (rd_en) in_side_q <= 1'b0;
    end

    prim_ram_1r1w #(
      .Width(Width),
      .Depth(Depth),
      .Ultra(Ultra)
    ) u_ram (
      .clk_i    (clk_i),
      .wr_en_i  (wr_en),
      .wr_addr_i(wr_addr_q),
      .wr_data_i(s_data_i),
      .rd_en_i  (rd_en),
      .rd_addr_i(rd_addr_q),
      .rd_data_o(head)
    );

    assign m_data_o = bypass ? s_data_i : in_side_q ? side_q : head;
  end

endmodule
