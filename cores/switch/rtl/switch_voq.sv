// SPDX-License-Identifier: Apache-2.0
//
// switch_voq: the memory of an input and its queues, one for each output and class.
//
// What      one memory of words; a queue is a list in it. A list of what is free and the links of
//           the queues lie in look-up tables beside it.
//
//             w_* ──► free list ──► memory ──► m_beat_o
//                        ▲            │
//                        └── r_* ◄── queue: head, tail, count
//
// Contract  w_*: a word goes to the end of a queue; there is always memory for it (the credits see
//           to that: Depth words at most are in the queues). r_*: the match that stands, by output
//           and class; with r_ready_i and a word there, fire_o says that the head leaves, and
//           finish_o that it was the last of its packet: in the same cycle, behind an aborted
//           packet 4 cycles later. m_beat_o follows one cycle behind fire_o.
//           some_o, more_o: queue with one word, two words or more, in front of this cycle's fire.
//           free_*: a word has left that is none of this switch's own notices; notice_free_o: one
//           that is.
//           mark_i is met by a queue of that many words.
// Clock     clk_i; rst_i synchronous to it, empties all queues
// Latency   1 cycle, w_* to some_o, and fire_o to m_beat_o
//
// Parameters
//   Ports   of the switch, 2..16
//   Depth   words of memory, 4..8192
//
// Source    cores/switch/README.md, "Scheduling"

module switch_voq
  import switch_pkg::*;
#(
  parameter int unsigned Ports = 4,
  parameter int unsigned Depth = 512,
  localparam int unsigned PortWidth = $clog2(Ports),
  localparam int unsigned AddrWidth = $clog2(Depth),
  localparam int unsigned LevelWidth = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_i,

  input logic                   w_valid_i,
  input beat_t                  w_beat_i,
  input logic   [PortWidth-1:0] w_port_i,
  input class_t                 w_class_i,
  input logic                   w_notice_i,

  output logic [     Ports-1:0][Classes-1:0] some_o,
  output logic [     Ports-1:0][Classes-1:0] more_o,
  output logic [     Ports-1:0][        3:0] load_o,
  input  logic [LevelWidth-1:0]              mark_i,

  input  logic                   r_valid_i,
  input  logic   [PortWidth-1:0] r_port_i,
  input  class_t                 r_class_i,
  input  logic                   r_ready_i,
  output logic                   fire_o,
  output logic                   finish_o,

  output beat_t m_beat_o,
  output logic  m_mark_o,

  output logic   free_valid_o,
  output class_t free_class_o,
  output logic   notice_free_o
);

  localparam int unsigned Queues = Ports * Classes;
  localparam int unsigned QueueWidth = PortWidth + ClassWidth;
  localparam int unsigned Cool = 4;  // cycles

  typedef logic [AddrWidth-1:0] addr_t;
  typedef logic [LevelWidth-1:0] level_t;
  // A place in a list with what has to be known of its word before it is read.
  typedef struct packed {
    addr_t addr;
    logic  last;
    logic  aborted;
    logic  notice;
  } link_t;

  // ---- Which words ----
  logic [QueueWidth-1:0] w_queue, r_queue;
  logic some;
  link_t head, next, stored;
  logic [Queues-1:0] some_q, more_q, deep_q;
  link_t [Queues-1:0] head_q;
  addr_t [Queues-1:0] tail_q;
  assign w_queue = {w_port_i, w_class_i};
  assign r_queue = {r_port_i, r_class_i};
  assign some = some_q[r_queue];
  assign head = head_q[r_queue];
  assign some_o = some_q;
  assign more_o = more_q;

  // Behind an aborted packet the match stands until the room of the output is known again: its
  // header said more words than came.
  logic [Cool-1:0] rest_q;
  assign fire_o   = r_valid_i && r_ready_i && some && rest_q == '0;
  assign finish_o = (fire_o && head.last && !head.aborted) || rest_q[0];
  always_ff @(posedge clk_i) begin
    if (rst_i) rest_q <= '0;
    else rest_q <= {fire_o && head.aborted, rest_q[Cool-1:1]};
  end

  // ---- Free list: a ring, behind all addresses once in order ----
  addr_t fresh_q, free_rd_q, free_wr_q, recycled;
  logic used_q;  // every address was given once
  assign stored = '{
          addr: used_q ? recycled : fresh_q,
          last: w_beat_i.last,
          aborted: w_beat_i.last && w_beat_i.aborted,
          notice: w_notice_i
      };
  prim_ram_lut #(
    .Width(AddrWidth),
    .Depth(Depth)
  ) u_free (
    .clk_i    (clk_i),
    .wr_en_i  (fire_o),
    .wr_addr_i(free_wr_q),
    .wr_data_i(head.addr),
    .rd_addr_i(free_rd_q),
    .rd_data_o(recycled)
  );
  function automatic addr_t after(input addr_t addr);
    return addr == addr_t'(Depth - 1) ? '0 : addr + 1'b1;
  endfunction
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fresh_q <= '0;
      used_q <= 1'b0;
      free_rd_q <= '0;
      free_wr_q <= '0;
    end else begin
      if (w_valid_i && !used_q) begin
        fresh_q <= after(fresh_q);
        used_q  <= fresh_q == addr_t'(Depth - 1);
      end
      if (w_valid_i && used_q) free_rd_q <= after(free_rd_q);
      if (fire_o) free_wr_q <= after(free_wr_q);
    end
  end

  // ---- Links and words ----
  prim_ram_lut #(
    .Width($bits(link_t)),
    .Depth(Depth)
  ) u_links (
    .clk_i    (clk_i),
    .wr_en_i  (w_valid_i && some_q[w_queue]),
    .wr_addr_i(tail_q[w_queue]),
    .wr_data_i(stored),
    .rd_addr_i(head.addr),
    .rd_data_o(next)
  );
  prim_ram_1r1w #(
    .Width($bits(beat_t)),
    .Depth(Depth)
  ) u_words (
    .clk_i    (clk_i),
    .wr_en_i  (w_valid_i),
    .wr_addr_i(stored.addr),
    .wr_data_i(w_beat_i),
    .rd_en_i  (fire_o),
    .rd_addr_i(head.addr),
    .rd_data_o(m_beat_o)
  );

  // ---- Queues ----
  for (genvar v = 0; v < Queues; v++) begin : gen_queue
    logic push, pop;
    level_t count_q, count_d;
    assign push = w_valid_i && w_queue == QueueWidth'(v);
    assign pop = fire_o && r_queue == QueueWidth'(v);
    assign count_d = count_q + level_t'(push) - level_t'(pop);
    always_ff @(posedge clk_i) begin
      count_q   <= rst_i ? '0 : count_d;
      some_q[v] <= !rst_i && count_d != '0;
      more_q[v] <= !rst_i && count_d > level_t'(1);
      deep_q[v] <= count_d >= mark_i;
      if (push) tail_q[v] <= stored.addr;
      if (pop && more_q[v]) head_q[v] <= next;
      else if (push && (pop || !some_q[v])) head_q[v] <= stored;
    end
  end

  // ---- Load of an output: words that wait for it, in sixteenths of the memory ----
  for (genvar j = 0; j < Ports; j++) begin : gen_load
    level_t count_q;
    logic push, pop;
    assign push = w_valid_i && w_port_i == PortWidth'(j);
    assign pop  = fire_o && r_port_i == PortWidth'(j);
    always_ff @(posedge clk_i) begin
      count_q <= rst_i ? '0 : count_q + level_t'(push) - level_t'(pop);
    end
    logic [LevelWidth+3:0] scaled;
    assign scaled = {count_q, 4'd0} >> (LevelWidth - 1);
    assign load_o[j] = scaled > (LevelWidth + 4)'(15) ? '1 : scaled[3:0];
  end

  always_ff @(posedge clk_i) m_mark_o <= deep_q[r_queue];
  assign free_valid_o  = fire_o && !head.notice;
  assign free_class_o  = r_class_i;
  assign notice_free_o = fire_o && head.notice;

  // ---- No address is given twice: what is in use never exceeds the memory ----
  level_t used_count_q;
  always_ff @(posedge clk_i) begin
    used_count_q <= rst_i ? '0 : used_count_q + level_t'(w_valid_i) - level_t'(fire_o);
  end
  prim_assert #(
    .Rule("there is memory for a word that comes")
  ) u_room (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!w_valid_i || used_count_q != level_t'(Depth))
  );

endmodule
