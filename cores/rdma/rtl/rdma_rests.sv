// SPDX-License-Identifier: Apache-2.0
//
// rdma_rests: who rests after a block, and for how long.
//
// What      A time for each number, until which it rests.
// Contract  due_o: look_number_i does not rest, in the same cycle; it has to be left alone in a
//           cycle with scrub_i, where it belongs to another one. rests_i: number_i rests for cost_i
//           cycles from now on. now_i counts cycles; scrub_i is 1 in every 32nd one. clear_i makes
//           clear_number_i due; all are to be cleared after a reset.
// Why       The clock comes round: one number in 32 cycles is looked at, so that a rest that is
//           over does not seem to begin anew.
// Latency   due_o 0 cycles
// Storage   LUT memory
// Source    own design
//
// Parameters
//   Count       numbers, a power of two, 2 to 2^(CostWidth - 6)
//   CostWidth   bits of a rest

module rdma_rests #(
  parameter  int unsigned Count       = 128,
  parameter  int unsigned CostWidth   = 23,
  localparam int unsigned NumberWidth = $clog2(Count)
) (
  input  logic                   clk_i,
  input  logic [    CostWidth:0] now_i,
  input  logic                   scrub_i,
  input  logic                   clear_i,
  input  logic [NumberWidth-1:0] clear_number_i,
  input  logic [NumberWidth-1:0] look_number_i,
  output logic                   due_o,
  input  logic                   rests_i,
  input  logic [NumberWidth-1:0] number_i,
  input  logic [  CostWidth-1:0] cost_i
);

  if (Count < 2 || (Count & (Count - 1)) != 0 || NumberWidth + 6 > CostWidth) begin : gen_bad_count
    $error("rdma_rests %m: rule Count is a power of two, 2 to 2^(CostWidth - 6), got %0d", Count);
  end

  // Twice the longest rest: what is to come and what is over differ in the highest bit.
  typedef logic [CostWidth:0] time_t;

  logic  rests;
  time_t rest_until;

  prim_ram_lut #(
    .Width($bits(time_t) + 1),
    .Depth(Count)
  ) u_times (
    .clk_i    (clk_i),
    .wr_en_i  (clear_i || rests_i || (scrub_i && due_o)),
    .wr_addr_i(clear_i ? clear_number_i : rests_i ? number_i : now_i[5+:NumberWidth]),
    .wr_data_i({rests_i && !clear_i, now_i + time_t'(cost_i)}),
    .rd_addr_i(scrub_i ? now_i[5+:NumberWidth] : look_number_i),
    .rd_data_o({rests, rest_until})
  );

  // The highest bit of now less until, of which the low half is compared beside the high one: one
  // subtraction would be half of the way from the memory to the next flip-flop.
  localparam int unsigned Low = CostWidth / 2;
  localparam int unsigned High = CostWidth - Low;
  logic [High:0] high;
  logic borrows;
  assign high = now_i[CostWidth:Low] - rest_until[CostWidth:Low];
  assign borrows = now_i[CostWidth-1:Low] == rest_until[CostWidth-1:Low]
      && now_i[Low-1:0] < rest_until[Low-1:0];
  assign due_o = !rests || high[High] == borrows;

  logic unused_bits;
  assign unused_bits = ^high[High-1:0];

endmodule
