// SPDX-License-Identifier: Apache-2.0
//
// rdma_table: the Transfer Table: a line of 32 bytes for each channel.
//
// What      One write, one read. With the line of a channel comes that of the odd channel of its pair, the second line of a long descriptor.
// Why       Two banks, of even and of odd channels, so that a long message is issued in one cycle like a short one.
// Contract  Written on the edge with wr_en_i. rd_en_i reads the lines of rd_index_i as they are before that edge.
// Latency   1 cycle
//
// Parameters
//   Transfers   channels, a power of two >= 4

module rdma_table #(
  parameter  int unsigned Transfers  = 2048,
  localparam int unsigned IndexWidth = $clog2(Transfers)
) (
  input  logic                  clk_i,
  input  logic                  wr_en_i,
  input  logic [IndexWidth-1:0] wr_index_i,
  input  logic [         255:0] wr_line_i,
  input  logic                  rd_en_i,
  input  logic [IndexWidth-1:0] rd_index_i,
  output logic [         255:0] line_o,
  output logic [         255:0] second_o
);

  if (Transfers < 4 || (Transfers & (Transfers - 1)) != 0) begin : gen_bad_transfers
    $error("rdma_table %m: rule Transfers is a power of two >= 4, got %0d", Transfers);
  end

  logic odd_q;
  logic [255:0] even_line;

  prim_ram_1r1w #(
    .Width(256),
    .Depth(Transfers / 2)
  ) u_even (
    .clk_i    (clk_i),
    .wr_en_i  (wr_en_i && !wr_index_i[0]),
    .wr_addr_i(wr_index_i[IndexWidth-1:1]),
    .wr_data_i(wr_line_i),
    .rd_en_i  (rd_en_i),
    .rd_addr_i(rd_index_i[IndexWidth-1:1]),
    .rd_data_o(even_line)
  );

  prim_ram_1r1w #(
    .Width(256),
    .Depth(Transfers / 2)
  ) u_odd (
    .clk_i    (clk_i),
    .wr_en_i  (wr_en_i && wr_index_i[0]),
    .wr_addr_i(wr_index_i[IndexWidth-1:1]),
    .wr_data_i(wr_line_i),
    .rd_en_i  (rd_en_i),
    .rd_addr_i(rd_index_i[IndexWidth-1:1]),
    .rd_data_o(second_o)
  );

  always_ff @(posedge clk_i) begin
    if (rd_en_i) odd_q <= rd_index_i[0];
  end

  assign line_o = odd_q ? second_o : even_line;

endmodule
