// SPDX-License-Identifier: Apache-2.0
//
// eth_crc_unpad: takes bytes of zero off a CRC-32 register.
//
// What      crc_o followed by zeros_i * Unit bytes of zero gives crc_i.
// Why       The transmitter runs whole beats through eth_crc, the last one filled up with zeros, and
//           then goes back to the end of the frame. Whether a bit of the register counts for a bit of the
//           result depends on zeros_i alone: one XOR over all of them, each with a table of 2^Width
//           bits, which shares a LUT with its neighbours.
// Contract  Pure function.
// Parameters
//   Unit    bytes that bit 0 of zeros_i stands for, >= 1
//   Width   bits of zeros_i, >= 1
// Latency   combinational, one XOR of 32 terms; two instances with a register between them share the work:
//           tables grow with every bit of zeros_i.
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

  // Bit z of entry [i][c]: with z units of zeros, bit c of the old register counts for bit i of the new one.
  typedef logic [31:0][31:0][(1 << Width)-1:0] tables_t;
  function automatic tables_t tables();
    for (int unsigned z = 0; z < 1 << Width; z++) begin
      logic [31:0] column;
      column = eth_pkg::crc_back(32'd1, 8 * Unit * z);
      for (int unsigned c = 0; c < 32; c++) begin
        for (int unsigned i = 0; i < 32; i++) tables[i][c][z] = column[i];
        column = eth_pkg::crc_forward(column, 1);
      end
    end
  endfunction
  localparam tables_t Tables = tables();

  always_comb begin
    crc_o = '0;
    for (int unsigned i = 0; i < 32; i++) begin
      for (int unsigned c = 0; c < 32; c++) crc_o[i] ^= crc_i[c] & Tables[i][c][zeros_i];
    end
  end

endmodule
