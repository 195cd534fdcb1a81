// SPDX-License-Identifier: Apache-2.0
//
// prim_crc: one parallel step of a CRC register over DataWidth bits, combinational.
//
// What      crc_o is the CRC register after the bits of data_i, most significant first, have been
//           shifted in, starting from crc_i.
// Why       Every CRC of the house, of any width and polynomial, from one proved module.
// Contract  Direct ("normal") form: the register is XORed at its top end, no bit reflection, no
//           final XOR; both are the caller's wires. Poly holds the coefficients below x^CrcWidth,
//           which is implied, bit i being that of x^i (0x02f: x^12+x^5+x^3+x^2+x+1 at width 12).
// Latency   0: one XOR tree per CRC bit, of about DataWidth/2 inputs.
// Source    With t = data XOR (crc shifted to its top), crc_o = sum of t[k] * x^(CrcWidth+k) mod P;
//           column k of that linear map is P's coefficients stepped k times, so each output bit is
//           the parity of t under a constant mask.
//
// Parameters
//   CrcWidth    degree of the polynomial, >= 2
//   Poly        coefficients below the leading one; bit 0 must be 1
//   DataWidth   bits per step, >= 1, smaller or larger than CrcWidth

module prim_crc #(
  parameter int unsigned CrcWidth = 32,
  parameter logic [CrcWidth-1:0] Poly = CrcWidth'(32'h04c1_1db7),
  parameter int unsigned DataWidth = 32
) (
  input  logic [ CrcWidth-1:0] crc_i,
  input  logic [DataWidth-1:0] data_i,
  output logic [ CrcWidth-1:0] crc_o
);

  if (CrcWidth < 2) begin : gen_bad_crc_width
    $error("prim_crc %m: CrcWidth must be >= 2, got %0d", CrcWidth);
  end
  if (DataWidth < 1) begin : gen_bad_data_width
    $error("prim_crc %m: DataWidth must be >= 1, got %0d", DataWidth);
  end
  if (!Poly[0]) begin : gen_bad_poly
    $error("prim_crc %m: Poly must have bit 0 set, got %0h", Poly);
  end

  // The data bits on which CRC bit `row` depends: bit k is that of x^row in x^(CrcWidth+k) mod P.
  function automatic logic [DataWidth-1:0] row_mask(input int unsigned row);
    logic [CrcWidth-1:0] column;
    column = Poly;
    for (int unsigned k = 0; k < DataWidth; k++) begin
      row_mask[k] = 1'(column >> row);
      column = (column << 1) ^ (column[CrcWidth-1] ? Poly : '0);
    end
  endfunction

  // The register bits that leave at the top during the step meet the data there; the others only
  // move up (a step narrower than the register).
  logic [DataWidth-1:0] feed;
  logic [ CrcWidth-1:0] stay;
  if (DataWidth >= CrcWidth) begin : gen_wide
    assign feed = data_i ^ (DataWidth'(crc_i) << (DataWidth - CrcWidth));
    assign stay = '0;
  end else begin : gen_narrow
    assign feed = data_i ^ crc_i[CrcWidth-1-:DataWidth];
    assign stay = crc_i << DataWidth;
  end

  for (genvar i = 0; i < CrcWidth; i++) begin : gen_row
    localparam logic [DataWidth-1:0] Mask = row_mask(i);
    assign crc_o[i] = stay[i] ^ (^(feed & Mask));
  end

endmodule
