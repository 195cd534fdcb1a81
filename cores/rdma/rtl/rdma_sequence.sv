// SPDX-License-Identifier: Apache-2.0
//
// rdma_sequence: the next sequence number of each transaction number (TID).
//
// What      A counter for each TID, one step for every use of it, first or repeated.
// Why       With one counter for all, a pair of TID and number comes again after few uses of the
//           TID, and an answer that was held up that long is taken for a new one. With a counter
//           for each it comes again after all numbers.
// Contract  number_o is the number for the next use of tid_i, in the same cycle; use_i = 1 uses it.
//           There is no reset, on purpose: a life of the engine goes on behind the numbers of the
//           one before, so that nothing late matches. What the memory holds at power-up is as good
//           a beginning as any other: a receiver that does not know the epoch takes any number.
// Latency   0. One use per cycle.

module rdma_sequence
  import rdma_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     use_i,
  input  logic [     TidWidth-1:0] tid_i,
  output logic [SequenceWidth-1:0] number_o
);

  // Banks of the depth that look-up-table RAM is meant for.
  localparam int unsigned BankShift = 7;
  localparam int unsigned Banks = 1 << (TidWidth - BankShift);

  logic [Banks-1:0][SequenceWidth-1:0] next;
  logic [SequenceWidth-1:0] behind;
  logic [TidWidth-BankShift-1:0] bank;
  assign bank = tid_i[TidWidth-1:BankShift];

  for (genvar b = 0; b < int'(Banks); b++) begin : gen_bank
    prim_ram_lut #(
      .Width (SequenceWidth),
      .Depth (1 << BankShift),
      .Zeroed(1'b1)
    ) u_next (
      .clk_i    (clk_i),
      .wr_en_i  (use_i && 32'(bank) == b),
      .wr_addr_i(tid_i[BankShift-1:0]),
      .wr_data_i(behind),
      .rd_addr_i(tid_i[BankShift-1:0]),
      .rd_data_o(next[b])
    );
  end

  assign number_o = next[bank];
  assign behind   = number_o + 1'b1;

endmodule
