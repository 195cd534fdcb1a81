// SPDX-License-Identifier: Apache-2.0
//
// prim_ram_lut: small memory with one write port and one asynchronous read port.
//
// What      Write on the clock edge, read without a clock: rd_data_o follows rd_addr_i (and the
//           stored word) combinationally.
// Why       Look-up-table RAM gives first-word fall-through FIFOs their head word for free: no
//           prefetch register, no bypass. The attributes (Xilinx: ram_style, Intel: ramstyle) and
//           the array live here only.
// Contract  wr_addr_i < Depth and rd_addr_i < Depth whenever the result matters. A read of the
//           address being written gives the old word until the edge, the new one after it.
//           The content is undefined until written, or with Zeroed zero; there is no reset.
// Latency   Write 1 cycle, read 0.
//
// Parameters
//   Width   bits of a word, >= 1
//   Depth   number of words, >= 2 (meant for <= 128; larger ones are legal but wasteful)
//   Zeroed  1: the words are zero at power-up, where any number would do but X is none

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

  if (Width < 1) begin : gen_bad_width
    $error("prim_ram_lut %m: Width must be >= 1, got %0d", Width);
  end
  if (Depth < 2) begin : gen_bad_depth
    $error("prim_ram_lut %m: Depth must be >= 2, got %0d", Depth);
  end

  (* ram_style = "distributed", ramstyle = "MLAB" *) logic [Width-1:0] mem[Depth];

  if (Zeroed) begin : gen_zeroed
    initial for (int unsigned i = 0; i < Depth; i++) mem[i] = '0;
  end

  always_ff @(posedge clk_i) begin
    if (wr_en_i) mem[wr_addr_i] <= wr_data_i;
  end

  assign rd_data_o = mem[rd_addr_i];

endmodule
