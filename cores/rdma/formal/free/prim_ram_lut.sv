// SPDX-License-Identifier: Apache-2.0
//
// A memory that may return anything in every cycle, with the ports and parameters of the real
// prim_ram_lut: it stands in its place in proofs of what holds whatever was stored. Every run with
// the real one is among those with this, and a solver has nothing to remember.

module prim_ram_lut #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16,
  parameter bit Zeroed = 1'b0,
  localparam int unsigned AddrWidth = (Depth > 2) ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,
  input  logic                 wr_en_i,
  input  logic [AddrWidth-1:0] wr_addr_i,
  input  logic [    Width-1:0] wr_data_i,
  input  logic [AddrWidth-1:0] rd_addr_i,
  output logic [    Width-1:0] rd_data_o
);

  // What nobody drives is anything, for each of its readers: a register, so that all who read in a
  // cycle see the same.
  logic [Width-1:0] anything, anything_q;
  always_ff @(posedge clk_i) anything_q <= anything;
  assign rd_data_o = anything_q;

endmodule
