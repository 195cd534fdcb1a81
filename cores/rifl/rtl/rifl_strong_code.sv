// SPDX-License-Identifier: Apache-2.0
//
// rifl_strong_code: the stronger code of a frame, as its words pass.
//
// What      the remainder of all bits of the frame above the stronger code (PhyWidth - 28 of its
//           last word), which starts at start_i: that stands at the top bits of the frame.
// Contract  one word per clock, most significant first; first_i marks the first one of a frame. In
//           the clock of the last word code_o is the code of the frame (combinational, from the
//           upper bits of word_i alone); start_i counts with first_i. The words are taken in pieces
//           that end where the code begins, so that each is one step of the CRC.
// Source    docs/src/rifl-extended.md, "The stronger code".

module rifl_strong_code
  import rifl_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   first_i,
  input  logic [   PhyWidth-1:0] word_i,
  input  logic [StrongWidth-1:0] start_i,
  output logic [StrongWidth-1:0] code_o
);

  localparam int unsigned Below = StrongWidth + CodeWidth;
  localparam int unsigned Above = PhyWidth - Below;

  logic [Below-1:0] carry_q;
  logic [StrongWidth-1:0] crc_q;
  logic [Above-1:0] upper;
  assign upper = word_i[PhyWidth-1-:Above] ^
                 {start_i & {StrongWidth{first_i}}, {(Above - StrongWidth) {1'b0}}};

  prim_crc #(
    .CrcWidth (StrongWidth),
    .Poly     (StrongPoly),
    .DataWidth(PhyWidth)
  ) u_crc (
    .crc_i (first_i ? '0 : crc_q),
    .data_i({first_i ? Below'(0) : carry_q, upper}),
    .crc_o (code_o)
  );

  always_ff @(posedge clk_i) begin
    carry_q <= word_i[Below-1:0];
    crc_q   <= code_o;
  end

endmodule
