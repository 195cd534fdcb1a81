// SPDX-License-Identifier: Apache-2.0
//
// rdma_contexts: what the receiver knows of each sender and TID, until it is forgotten.
//
// What      A memory of contexts with a scan that goes round: the scan takes the mark of each
//           context away, and forgets one that has none.
// Why       A TID that rests is used for other nodes meanwhile; its old number would look new
//           again.
// Contract  read_i = 1 reads context rd_number_i, which is at stored_o in the next cycle; write_i =
//           1 writes after_i to number_i. idle_i: neither happens in this cycle or the next, and no
//           packet has read what it will write; due_o: the scan needs such a cycle. clear_i = 1
//           from a cycle in which load_i names a sender clears its contexts, one a cycle, until
//           cleared_o; from rst_i on all contexts. ready_o = 0 while all are cleared. A context
//           without its mark for forget_i ticks is forgotten, one to two times forget_i ticks after
//           it got the mark; never if forget_i is 0. It may take longer with less than 8 cycles a
//           tick for each context, and while packets wait for their words.
// Latency   1 cycle
// Storage   block RAM
// Source    own design
//
// Parameters
//   Senders   nodes, a power of two, 2 to 64
//   Tick      cycles, a power of two, 1024 * Senders to 65536

module rdma_contexts
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter  int unsigned Senders      = 4,
  parameter  int unsigned Tick         = 65536,
  localparam int unsigned SenderWidth  = $clog2(Senders),
  localparam int unsigned ContextWidth = SenderWidth + TidWidth
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  output logic                        ready_o,
  input  logic     [            15:0] forget_i,
  input  logic                        load_i,
  input  logic     [ SenderWidth-1:0] sender_i,
  input  logic                        clear_i,
  output logic                        cleared_o,
  output logic                        due_o,
  input  logic                        idle_i,
  input  logic                        read_i,
  input  logic     [ContextWidth-1:0] rd_number_i,
  output context_t                    stored_o,
  input  logic                        write_i,
  input  logic     [ContextWidth-1:0] number_i,
  input  context_t                    after_i
);

  typedef logic [ContextWidth-1:0] number_t;

  // ---- Clearing ----
  number_t clear_q;
  logic clear_all_q;
  assign ready_o   = !clear_all_q;
  assign cleared_o = clear_all_q ? clear_q == '1 : clear_q[TidWidth-1:0] == '1;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= '0;
      clear_all_q <= 1'b1;
    end else if (load_i) begin
      clear_q <= {sender_i, TidWidth'(0)};
    end else if (clear_i) begin
      clear_q <= clear_q + number_t'(1);
      if (cleared_o) clear_all_q <= 1'b0;
    end
  end

  // ---- The scan: a step reads in a cycle in which no packet does, and writes in the next ----
  localparam int unsigned StepShift = $clog2(Tick) - ContextWidth;  // cycles of a step in a tick
  localparam int unsigned StepWidth = 16 + StepShift;
  logic [StepWidth-1:0] step_left_q;
  logic step_due_q, step, step_write_q;
  number_t  step_q;
  context_t step_after;
  assign due_o = step_due_q;
  assign step  = step_due_q && !step_write_q && idle_i;
  always_comb begin
    step_after = stored_o;
    step_after.valid = stored_o.valid && stored_o.fresh;
    step_after.fresh = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      step_q <= '0;
      step_left_q <= '0;
      step_due_q <= 1'b0;
      step_write_q <= 1'b0;
    end else begin
      step_write_q <= step;
      if (step_write_q) step_q <= step_q + number_t'(1);
      if (step_left_q != '0) step_left_q <= step_left_q - StepWidth'(1);
      else if (!step_due_q && forget_i != '0) begin
        step_left_q <= (StepWidth'(forget_i) << StepShift) - StepWidth'(1);
        step_due_q  <= 1'b1;
      end
      if (step) step_due_q <= 1'b0;
    end
  end

  prim_ram_1r1w #(
    .Width($bits(context_t)),
    .Depth(1 << ContextWidth)
  ) u_contexts (
    .clk_i    (clk_i),
    .wr_en_i  (clear_i || step_write_q || write_i),
    .wr_addr_i(clear_i ? clear_q : step_write_q ? step_q : number_i),
    .wr_data_i(clear_i ? '0 : step_write_q ? step_after : after_i),
    .rd_en_i  (read_i || step),
    .rd_addr_i(read_i ? rd_number_i : step_q),
    .rd_data_o(stored_o)
  );

  // A packet's write would be lost behind a step, or undone by one that has read the word before.
  prim_assert #(
    .Rule("rdma_contexts: no packet is in the way of a step of the scan")
  ) u_idle (
    .holds_i(!(step && (read_i || write_i || clear_i)) && !(step_write_q && (write_i || clear_i))),
    .*
  );

endmodule
