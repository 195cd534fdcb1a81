// SPDX-License-Identifier: Apache-2.0
//
// Proof of rifl_fec_widen and rifl_fec_narrow: words go through both once, in order, unchanged. A
// coder between them delays by Delay < 4 words and a cycle. Codewords of two groups.

module rifl_fec_words_proof
  import rifl_fec_pkg::*;
#(
  parameter int unsigned Delay = 0
) (
  input logic  clk_i,
  input word_t data_i
);

  localparam int unsigned Gap = 3 - Delay % 4;
  localparam int unsigned Latency = 4 + Delay + ((Gap < 3) ? 1 : 0);

  logic [3:0] count_q = '0;
  always_ff @(posedge clk_i) count_q <= (count_q == 4'd9) ? '0 : count_q + 1'b1;

  logic wide_valid, wide_first, valid_q, first;
  wide_t wide;
  rifl_fec_widen u_widen (
    .clk_i  (clk_i),
    .first_i(count_q == '0),
    .data_i (data_i),
    .valid_o(wide_valid),
    .first_o(wide_first),
    .data_o (wide)
  );

  logic  [Delay:0] first_q;
  wide_t [Delay:0] data_q;
  always_ff @(posedge clk_i) begin
    valid_q <= wide_valid;
    if (wide_valid) begin
      data_q[0]  <= wide;
      first_q[0] <= wide_first;
      for (int unsigned i = 1; i <= Delay; i++) begin
        data_q[i]  <= data_q[i-1];
        first_q[i] <= first_q[i-1];
      end
    end
  end

  word_t data;
  rifl_fec_narrow #(
    .Gap(Gap)
  ) u_narrow (
    .clk_i  (clk_i),
    .valid_i(valid_q),
    .first_i(first_q[Delay]),
    .data_i (data_q[Delay]),
    .first_o(first),
    .data_o (data)
  );

  word_t [Latency:1] old_q;  // word i is i cycles old
  logic [Latency:1] begin_q = '0;
  logic [5:0] age_q = '0;
  always_ff @(posedge clk_i) begin
    old_q   <= {old_q[Latency-1:1], data_i};
    begin_q <= {begin_q[Latency-1:1], count_q == '0};
    if (age_q != '1) age_q <= age_q + 1'b1;
  end

  // From the first word that was sent on.
  always_comb begin
    if (age_q >= 6'(Latency)) begin
      assert (data == old_q[Latency]);
      assert (age_q < 6'(Latency + 10) || first == begin_q[Latency]);
    end
  end

endmodule
