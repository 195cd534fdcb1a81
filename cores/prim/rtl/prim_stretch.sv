// SPDX-License-Identifier: Apache-2.0
//
// prim_stretch: makes a level last.
//
// What      q_o follows d_i, and stays high for at least Cycles cycles after d_i has fallen.
// Why       A reset that software gives by two writes must be long enough for every clock it goes
//           to.
// Contract  q_o is a register.
// Latency   rise: 1 cycle; fall: Cycles
//
// Parameters
//   Cycles   a power of two, >= 2

module prim_stretch #(
  parameter int unsigned Cycles = 1024
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic d_i,
  output logic q_o
);

  if (Cycles < 2 || 2 ** $clog2(Cycles) != Cycles) begin : gen_bad_cycles
    $error("prim_stretch %m: Cycles must be a power of two >= 2, got %0d", Cycles);
  end

  logic [$clog2(Cycles)-1:0] left_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      q_o    <= 1'b0;
      left_q <= '0;
    end else begin
      q_o <= d_i || left_q != '0;
      if (d_i) left_q <= '1;
      else if (left_q != '0) left_q <= left_q - 1'b1;
    end
  end

endmodule
