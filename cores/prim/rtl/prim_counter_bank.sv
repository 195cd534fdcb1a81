// SPDX-License-Identifier: Apache-2.0
//
// prim_counter_bank: many wide counters for the price of a small memory.
//
// What      Count counters of Width bits. Increments are collected in short sums beside the events;
//           in turn, one a cycle, each sum is added to its counter in look-up-table RAM and starts
//           anew.
// Why       Wide counters as registers cost flip-flops, carry chains and a wide read multiplexer
//           each.
// Contract  inc_i[i] is added to counter i in every cycle, nothing is lost. A counter wraps. One
//           round takes Count + 1 cycles: each counter has its turn, then a read.
//           rd_req_i is held high with rd_addr_i (below Count) until rd_ack_o, a pulse; from that
//           cycle on rd_data_o shows the whole counter, until the next one. What is shown lacks at
//           most the increments of the last two rounds.
//           clear_i, a pulse: one after the other, within two rounds, all counters start from 0;
//           what was counted up to that turn is forgotten. So does rst_i.
// Latency   rd_ack_o at most Count + 3 cycles after rd_req_i.
//
// Parameters
//   Count      counters, >= 2
//   Width      bits of each, > clog2((2^IncWidth - 1) * (Count + 1) + 1)
//   IncWidth   bits of the widest increment, 1..16
//   IncWidths  bits of each increment, in bytes, counter 0 in the low one; 0: the counter does not
//              exist and reads as 0. Bits of inc_i above are ignored.

module prim_counter_bank #(
  parameter int unsigned Count = 8,
  parameter int unsigned Width = 64,
  parameter int unsigned IncWidth = 1,
  parameter logic [Count-1:0][7:0] IncWidths = {Count{8'd1}},
  localparam int unsigned AddrWidth = $clog2(Count)
) (
  input  logic                               clk_i,
  input  logic                               rst_i,
  input  logic                               clear_i,
  input  logic [    Count-1:0][IncWidth-1:0] inc_i,
  input  logic                               rd_req_i,
  input  logic [AddrWidth-1:0]               rd_addr_i,
  output logic                               rd_ack_o,
  output logic [    Width-1:0]               rd_data_o
);

  // A sum holds the increments of one round.
  localparam int unsigned SumWidth = $clog2((2 ** IncWidth - 1) * (Count + 1) + 1);
  localparam int unsigned SlotWidth = $clog2(Count + 1);

  if (Count < 2) begin : gen_bad_count
    $error("prim_counter_bank %m: Count must be >= 2, got %0d", Count);
  end
  if (IncWidth < 1 || IncWidth > 16) begin : gen_bad_inc
    $error("prim_counter_bank %m: IncWidth must be 1..16, got %0d", IncWidth);
  end
  if (Width <= SumWidth) begin : gen_bad_width
    $error("prim_counter_bank %m: Width must be > %0d, got %0d", SumWidth, Width);
  end

  // ---- Whose turn it is ----
  logic [SlotWidth-1:0] slot_q;  // Count: the read
  logic last_slot, clearing_q, clear_next_q;
  assign last_slot = slot_q == SlotWidth'(Count);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      slot_q <= '0;
      clearing_q <= 1'b1;
      clear_next_q <= 1'b0;
    end else begin
      slot_q <= last_slot ? '0 : slot_q + 1'b1;
      if (last_slot) begin
        clearing_q   <= clear_next_q || clear_i;
        clear_next_q <= 1'b0;
      end else if (clear_i) begin
        clear_next_q <= 1'b1;
      end
    end
  end

  // ---- Sums ----
  logic [Count-1:0][SumWidth-1:0] sums;
  for (genvar i = 0; i < Count; i++) begin : gen_sum
    localparam int unsigned OwnInc = 32'(IncWidths[i]);
    localparam int unsigned OwnSum = $clog2((2 ** OwnInc - 1) * (Count + 1) + 1);
    if (OwnInc > IncWidth) begin : gen_bad_widths
      $error("prim_counter_bank %m: IncWidths must be <= IncWidth, got %0d", OwnInc);
    end else if (OwnInc == 0) begin : gen_absent
      logic unused;
      assign unused  = ^inc_i[i];
      assign sums[i] = '0;
    end else begin : gen_present
      logic [OwnSum-1:0] sum_q;
      logic turn;
      assign turn = slot_q == SlotWidth'(i);
      always_ff @(posedge clk_i) begin
        if (rst_i) sum_q <= '0;
        else sum_q <= (turn ? '0 : sum_q) + OwnSum'(inc_i[i][OwnInc-1:0]);
      end
      assign sums[i] = SumWidth'(sum_q);
      if (OwnInc < IncWidth) begin : gen_unused
        logic unused;
        assign unused = ^inc_i[i][IncWidth-1:OwnInc];
      end
    end
  end

  // ---- Stage 1: the sum of the turn ----
  logic [SumWidth-1:0] sum1_q;
  logic [AddrWidth-1:0] addr1_q, addr1_d;
  logic write1_q, read1_q, clearing1_q;
  assign addr1_d = last_slot ? rd_addr_i : slot_q[AddrWidth-1:0];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write1_q <= 1'b0;
      read1_q  <= 1'b0;
    end else begin
      write1_q <= !last_slot;
      read1_q  <= last_slot && rd_req_i;
    end
    clearing1_q <= clearing_q;
    addr1_q <= addr1_d;
    sum1_q <= (last_slot || clearing_q) ? '0 : sums[addr1_d];
  end

  // ---- Stage 2: the counter; stages 3 and 4: the sum is added, the lower half first ----
  localparam int unsigned LowWidth = (2 * SumWidth > Width) ? SumWidth : Width / 2;

  logic [Width-1:0] stored, stored2_q;
  logic [SumWidth-1:0] sum2_q;
  logic [LowWidth:0] low3_q;
  logic [Width-1:LowWidth] high3_q;
  logic [AddrWidth-1:0] addr2_q, addr3_q;
  logic write2_q, write3_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write2_q <= 1'b0;
      write3_q <= 1'b0;
      rd_ack_o <= 1'b0;
    end else begin
      write2_q <= write1_q;
      write3_q <= write2_q;
      rd_ack_o <= read1_q;
    end
    stored2_q <= clearing1_q ? '0 : stored;
    sum2_q <= sum1_q;
    addr2_q <= addr1_q;
    low3_q <= (LowWidth + 1)'(stored2_q[LowWidth-1:0]) + (LowWidth + 1)'(sum2_q);
    high3_q <= stored2_q[Width-1:LowWidth];
    addr3_q <= addr2_q;
    if (read1_q) rd_data_o <= stored;
  end

  prim_ram_lut #(
    .Width(Width),
    .Depth(Count)
  ) u_counters (
    .clk_i    (clk_i),
    .wr_en_i  (write3_q),
    .wr_addr_i(addr3_q),
    .wr_data_i({high3_q + (Width - LowWidth)'(low3_q[LowWidth]), low3_q[LowWidth-1:0]}),
    .rd_addr_i(addr1_q),
    .rd_data_o(stored)
  );

endmodule
