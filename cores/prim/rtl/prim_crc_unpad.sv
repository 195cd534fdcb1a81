// SPDX-License-Identifier: Apache-2.0
//
// prim_crc_unpad: takes bytes of zero off a CRC register.
//
// What      crc_o followed by zeros_i * Unit bytes of zero gives crc_i.
// Why       A transmitter runs whole words through prim_crc, the last one filled up with zeros, and
//           then goes back to the end of the packet. Whether a bit of the register counts for a bit
//           of the result depends on zeros_i alone: one XOR over all of them, each with a table of
//           2^Width bits, which shares a LUT with its neighbours.
// Contract  Pure function. The register is in the direct form of prim_crc.
// Parameters
//   CrcWidth   degree of the polynomial, >= 2
//   Poly       coefficients below the leading one; bit 0 must be 1
//   Unit       bytes that bit 0 of zeros_i stands for, >= 1
//   Width      bits of zeros_i, >= 1
// Latency   combinational, one XOR of CrcWidth terms; two instances with a register between them
//           share the work: tables grow with every bit of zeros_i.
// Source    own design; zeros multiply the register by a power of x, which has an inverse.

module prim_crc_unpad #(
  parameter int unsigned CrcWidth = 32,
  parameter logic [CrcWidth-1:0] Poly = CrcWidth'(32'h04c1_1db7),
  parameter int unsigned Unit = 1,
  parameter int unsigned Width = 3
) (
  input  logic [CrcWidth-1:0] crc_i,
  input  logic [   Width-1:0] zeros_i,
  output logic [CrcWidth-1:0] crc_o
);

  if (CrcWidth < 2 || !Poly[0]) begin : gen_bad_crc
    $error(
        "prim_crc_unpad %m: rule CrcWidth >= 2 and Poly has bit 0 set, got %0d and %0h",
        CrcWidth,
        Poly
    );
  end
  if (Unit < 1 || Width < 1) begin : gen_bad
    $error("prim_crc_unpad %m: rule Unit >= 1 and Width >= 1, got %0d and %0d", Unit, Width);
  end

  // Row i after z units of zeros: the bits of the old register that count for bit i of the new one.
  typedef logic [CrcWidth-1:0][(1 << Width)-1:0][CrcWidth-1:0] tables_t;
  function automatic tables_t tables();
    logic [CrcWidth-1:0] start;
    logic [CrcWidth-1:0] column;
    start = CrcWidth'(1);
    for (int unsigned z = 0; z < 1 << Width; z++) begin
      column = start;
      for (int unsigned c = 0; c < CrcWidth; c++) begin
        for (int unsigned i = 0; i < CrcWidth; i++) tables[i][z][c] = column[i];
        column = (column << 1) ^ (column[CrcWidth-1] ? Poly : '0);
      end
      // Back over one unit. Bit 0 of the polynomial tells what left at the top.
      for (int unsigned k = 0; k < 8 * Unit; k++) begin
        start = start[0] ? {1'b1, (CrcWidth - 1)'((start ^ Poly) >> 1)} : start >> 1;
      end
    end
  endfunction
  localparam tables_t Tables = tables();

  always_comb begin
    for (int unsigned i = 0; i < CrcWidth; i++) crc_o[i] = ^(crc_i & Tables[i][zeros_i]);
  end

endmodule
