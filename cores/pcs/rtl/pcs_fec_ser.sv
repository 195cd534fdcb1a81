// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_ser: are too many symbols wrong to go on without marks.
//
// Why       Where the decoder does not wait for its verdict, nothing else says that codewords are
//           not to be believed.
// Contract  en_i = 0: nothing counts. begins_i: a codeword, with weight_i wrong symbols. high_o:
//           more than Limit of them came in Window codewords, at most Hold cycles ago.
// Parameters
//   Window  codewords
//   Limit   wrong symbols of them that are not yet too many
//   Hold    cycles; 60 ms to 75 ms
// Source    IEEE Std 802.3 91.5.3.3: 417 in 8192

module pcs_fec_ser #(
  parameter int unsigned Window = 8192,
  parameter int unsigned Limit = 417,
  parameter int unsigned Hold = 20971520,
  parameter int unsigned WeightWidth = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   en_i,
  input  logic                   begins_i,
  input  logic [WeightWidth-1:0] weight_i,
  output logic                   high_o
);

  localparam int unsigned WindowWidth = $clog2(Window);
  localparam int unsigned SumWidth = $clog2(Limit + 2 ** WeightWidth);
  localparam int unsigned HoldWidth = $clog2(Hold + 1);

  logic [WindowWidth-1:0] count_q;
  logic [SumWidth-1:0] sum_q, sum;
  logic [HoldWidth-1:0] hold_q;
  logic over, ends;

  assign sum  = sum_q + SumWidth'(weight_i);
  assign over = begins_i && sum > SumWidth'(Limit);
  assign ends = count_q == WindowWidth'(Window - 1);

  always_ff @(posedge clk_i) begin
    if (rst_i || !en_i) begin
      count_q <= '0;
      sum_q   <= '0;
      hold_q  <= '0;
    end else begin
      if (begins_i) begin
        count_q <= (ends || over) ? '0 : count_q + 1'b1;
        sum_q   <= (ends || over) ? '0 : sum;
      end
      if (over) hold_q <= HoldWidth'(Hold);
      else if (hold_q != '0) hold_q <= hold_q - 1'b1;
    end
  end

  assign high_o = hold_q != '0;

endmodule
