// SPDX-License-Identifier: Apache-2.0
//
// eth_crc_unpad: takes bytes of zero off a CRC-32 register.
//
// What      crc_o followed by zeros_i * Unit bytes of zero gives crc_i.
// Why       The transmitter runs whole beats through eth_crc, the last one filled up with zeros, and
//           then goes back to the end of the frame. Bit j of the number of zeros is one constant
//           matrix of 32 by 32, used or not: log2 steps instead of one CRC for every length.
// Contract  Pure function.
// Parameters
//   Unit    bytes that bit 0 of zeros_i stands for, >= 1
//   Width   bits of zeros_i, >= 1
// Latency   combinational, about two levels of XOR for each bit of zeros_i; two instances with a
//           register between them share the work.
// Source    own design; zeros multiply the register by a power of x, which has an inverse.

module eth_crc_unpad #(
  parameter int unsigned Unit  = 1,
  parameter int unsigned Width = 3
) (
  input  logic [     31:0] crc_i,
  input  logic [Width-1:0] zeros_i,
  output logic [     31:0] crc_o
);

  if (Unit < 1 || Width < 1) begin : gen_bad
    $error("eth_crc_unpad %m: rule Unit >= 1 and Width >= 1, got %0d and %0d", Unit, Width);
  end

  // Row i of matrix j: the bits of the old register that make bit i of the new one.
  typedef logic [Width-1:0][31:0][31:0] matrices_t;
  function automatic matrices_t inverses();
    for (int unsigned j = 0; j < Width; j++) begin
      logic [31:0] column;
      column = eth_pkg::crc_back(32'd1, 8 * Unit << j);
      for (int unsigned c = 0; c < 32; c++) begin
        for (int unsigned i = 0; i < 32; i++) inverses[j][i][c] = column[i];
        column = eth_pkg::crc_forward(column, 1);
      end
    end
  endfunction
  localparam matrices_t Inverses = inverses();

  always_comb begin
    crc_o = crc_i;
    for (int unsigned j = 0; j < Width; j++) begin
      logic [31:0] moved;
      for (int unsigned i = 0; i < 32; i++) moved[i] = ^(crc_o & Inverses[j][i]);
      if (zeros_i[j]) crc_o = moved;
    end
  end

endmodule
