// SPDX-License-Identifier: Apache-2.0
//
// rifl_error_inject: flips bits of the words that a lane sends, at a programmed rate.
//
// What      in each word of 64 bits one bit, at a random place, is flipped with the probability
//           mantissa_i * 2^-(32 + shift_i); that is mantissa_i * 2^-(38 + shift_i) for each bit.
// Why       shows on a real link, and in every simulation, that errors are repaired and counted.
// Contract  all inputs belong to clk_i. enable_i off: the words pass untouched, bit for bit.
//           Switching it on starts the random sequence from seed_i, so that a run can be repeated;
//           the other settings are constant while it is on. Lanes with different Lane use different
//           sequences. A mantissa of 0 flips nothing. hit_o: a bit of this word is flipped.
// Random    a 64-bit xorshift generator (shifts 13, 7, 17) gives 32 bits to compare with the
//           mantissa, 26 of which the lowest shift_i must be zero, and 6 for the place. The rate is
//           exact over the period of 2^64 - 1 words. Whether two words near each other are hit is
//           independent for bit error rates down to 2^-30, if the mantissa is 2^26 or more (scale
//           with shift_i); a test proves it by the rank of the bits used. Within a word there is at
//           most one flip: with independent bits two would come about once in 0.016 / p words with
//           an error, p being the probability of a bit. So keep p below 10^-3.
// Latency   0; one exclusive-or behind phy_tx_data.
// Limits    p at most 2^-6 (mantissa 2^32 - 1, shift 0); at least 2^-64.
// Source    G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (14), 2003.

module rifl_error_inject
  import rifl_pkg::*;
#(
  parameter int unsigned Lane = 0  // 0..7
) (
  input logic clk_i,
  input logic rst_i,

  input logic        enable_i,
  input logic [31:0] mantissa_i,
  input logic [ 4:0] shift_i,     // 0..26; more counts as 26
  input logic [31:0] seed_i,

  input  logic [PhyWidth-1:0] data_i,
  output logic [PhyWidth-1:0] data_o,
  output logic                hit_o
);

  localparam int unsigned ScaleWidth = 26;
  localparam int unsigned PlaceWidth = $clog2(PhyWidth);

  // Never zero: the upper half is a constant that no lane makes zero.
  localparam logic [31:0] Golden = 32'h9e37_79b9;
  localparam logic [31:0] LaneHigh = Golden * (2 * Lane + 1);
  localparam logic [31:0] LaneLow = Golden * (2 * Lane + 2);

  logic [63:0] state_q, step1, step2, step3;
  assign step1 = state_q ^ (state_q << 13);
  assign step2 = step1 ^ (step1 >> 7);
  assign step3 = step2 ^ (step2 << 17);

  // As many ones as the shift says.
  logic [ScaleWidth-1:0] scale;
  for (genvar i = 0; i < ScaleWidth; i++) begin : gen_scale
    assign scale[i] = shift_i > 5'(i);
  end

  logic below_q, zero_q;
  logic [PlaceWidth-1:0] place_q;
  logic [  PhyWidth-1:0] flip_q;

  always_ff @(posedge clk_i) begin
    if (rst_i || !enable_i) begin
      state_q <= {LaneHigh, seed_i ^ LaneLow};
      below_q <= 1'b0;
      zero_q  <= 1'b0;
      flip_q  <= '0;
      hit_o   <= 1'b0;
    end else begin
      state_q <= step3;
      below_q <= state_q[31:0] < mantissa_i;
      zero_q  <= (state_q[32+:ScaleWidth] & scale) == '0;
      flip_q  <= (below_q && zero_q) ? PhyWidth'(1) << place_q : '0;
      hit_o   <= below_q && zero_q;
    end
    place_q <= state_q[63-:PlaceWidth];
  end

  assign data_o = data_i ^ flip_q;

endmodule
