// SPDX-License-Identifier: Apache-2.0
//
// axi_burst_rules: what an address of AXI4 keeps, of a read or of a write.
//
// What      INCR bursts of full words that do not cross a boundary of 4 KB.
// Contract  Bound to a port, or instantiated in a proof; see prim_assert for when it checks.
// Clock     clk_i; rst_i synchronous to it.
// Source    AMBA AXI and ACE protocol specification, A3.4.1.
//
// Parameters
//   AddrWidth   13..64
//   DataWidth   bits of a word, a power of two, 8..1024
//   Channel     name, for the messages

module axi_burst_rules #(
  parameter int unsigned AddrWidth = 32,
  parameter int unsigned DataWidth = 64,
  parameter string       Channel   = "axi"
) (
  input logic                 clk_i,
  input logic                 rst_i,
  input logic                 valid_i,
  input logic [AddrWidth-1:0] addr_i,
  input logic [          7:0] len_i,
  input logic [          2:0] size_i,
  input logic [          1:0] burst_i
);

  localparam int unsigned Size = $clog2(DataWidth / 8);
  localparam logic [1:0] Incr = 2'b01;

  // Last byte of the burst, counted from the beginning of its 4 KB.
  logic [15:0] last;
  assign last = (16'(addr_i[11:0]) >> Size << Size) + ((16'(len_i) + 1'b1) << Size) - 1'b1;

  prim_assert #(
    .Rule({Channel, ": a burst is INCR, of full words"})
  ) u_kind (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!valid_i || (burst_i == Incr && 32'(size_i) == Size))
  );
  prim_assert #(
    .Rule({Channel, ": a burst stays inside 4 KB"})
  ) u_boundary (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!valid_i || last < 16'd4096)
  );

  logic unused;
  assign unused = ^addr_i;

endmodule
