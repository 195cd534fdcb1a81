// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_crc_unpad: zeros run through the CRC, byte by byte, bring its result back to where
// it came from. Both are linear in the register, so its 32 single bits stand for all values.

module prim_crc_unpad_proof #(
  parameter int unsigned Unit  = 1,
  parameter int unsigned Width = 3
) (
  input logic             clk_i,
  input logic [      4:0] bit_i,
  input logic [Width-1:0] zeros_i
);

  localparam logic [31:0] Poly = 32'h04c1_1db7;

  logic [31:0] unpadded, again, crc;
  assign crc = 32'd1 << bit_i;

  prim_crc_unpad #(
    .CrcWidth(32),
    .Poly    (Poly),
    .Unit    (Unit),
    .Width   (Width)
  ) u_dut (
    .crc_i  (crc),
    .zeros_i(zeros_i),
    .crc_o  (unpadded)
  );

  always_comb begin
    again = unpadded;
    for (int unsigned n = 1; n < (1 << Width); n++) begin
      if (Width'(n) <= zeros_i) begin
        for (int unsigned i = 0; i < 8 * Unit; i++) begin
          again = (again << 1) ^ (again[31] ? Poly : '0);
        end
      end
    end
  end

  always_comb begin
    a_undone : assert (again == crc);
  end

endmodule
