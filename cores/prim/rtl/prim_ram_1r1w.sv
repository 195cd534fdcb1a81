// SPDX-License-Identifier: Apache-2.0
//
// prim_ram_1r1w: single-clock dual-port RAM, one write port, one registered read port.
//
// What      Simple dual-port memory. rd_data_o is loaded on the clock edge where rd_en_i = 1 and
//           holds its value otherwise.
// Why       The one place that decides between look-up-table RAM (Depth <= 128), block RAM (above)
//           and UltraRAM (Ultra), by inference only, so that no vendor primitive is needed. The
//           attributes are for Xilinx (ram_style) and Intel (ramstyle); Intel has no UltraRAM and
//           takes M20K.
// Contract  wr_addr_i < Depth and rd_addr_i < Depth. Read and write of the same address on the
//           same edge: rd_data_o gets the OLD word. No reset: content and rd_data_o are undefined
//           until the first write and read.
// Latency   Read 1 cycle (registered), write 1 cycle.
//
// Parameters
//   Width   bits of a word, >= 1
//   Depth   number of words, >= 2
//   Ultra   1: UltraRAM instead of block RAM, for memories of thousands of words

module prim_ram_1r1w #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16,
  parameter bit Ultra = 1'b0,
  localparam int unsigned AddrWidth = (Depth > 2) ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,
  input  logic                 wr_en_i,
  input  logic [AddrWidth-1:0] wr_addr_i,
  input  logic [    Width-1:0] wr_data_i,
  input  logic                 rd_en_i,
  input  logic [AddrWidth-1:0] rd_addr_i,
  output logic [    Width-1:0] rd_data_o
);

  // Deepest memory for which look-up tables are cheaper than a block RAM.
  localparam int unsigned MaxLutDepth = 128;

  if (Width < 1) begin : gen_bad_width
    $error("prim_ram_1r1w %m: Width must be >= 1, got %0d", Width);
  end
  if (Depth < 2) begin : gen_bad_depth
    $error("prim_ram_1r1w %m: Depth must be >= 2, got %0d", Depth);
  end

  logic [Width-1:0] rd_data_q;
  assign rd_data_o = rd_data_q;

  if (Depth <= MaxLutDepth) begin : gen_lut
    logic [Width-1:0] word;

    prim_ram_lut #(
      .Width(Width),
      .Depth(Depth)
    ) u_ram (
      .clk_i    (clk_i),
      .wr_en_i  (wr_en_i),
      .wr_addr_i(wr_addr_i),
      .wr_data_i(wr_data_i),
      .rd_addr_i(rd_addr_i),
      .rd_data_o(word)
    );

    always_ff @(posedge clk_i) begin
      if (rd_en_i) rd_data_q <= word;
    end
  end else if (Ultra) begin : gen_ultra
    (* ram_style = "ultra", ramstyle = "M20K" *) logic [Width-1:0] mem[Depth];

    always_ff @(posedge clk_i) begin
      if (wr_en_i) mem[wr_addr_i] <= wr_data_i;
      if (rd_en_i) rd_data_q <= mem[rd_addr_i];
    end
  end else begin : gen_block
    (* ram_style = "block", ramstyle = "M20K" *) logic [Width-1:0] mem[Depth];

    always_ff @(posedge clk_i) begin
      if (wr_en_i) mem[wr_addr_i] <= wr_data_i;
      if (rd_en_i) rd_data_q <= mem[rd_addr_i];
    end
  end

endmodule
