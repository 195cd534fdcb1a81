// SPDX-License-Identifier: Apache-2.0
//
// Proof of rsfec_encoder: what comes out is the message that went in, and behind it what makes the
// whole a multiple of the generator polynomial: each of its roots is a root of the codeword. The
// stream begins in the first cycle; words wait as they like. All that is done with the data is
// linear, so one bit anywhere in the stream stands for all messages.

module rsfec_encoder_proof #(
  parameter int unsigned N = 6,
  parameter int unsigned K = 4,
  parameter int unsigned Symbols = 4
) (
  input logic clk_i,
  input logic valid_i,
  input logic [Symbols-1:0][3:0] data_i
);

  localparam int unsigned Width = 4;
  localparam logic [Width-1:0] Poly = 4'b0011;
  localparam int unsigned Parity = N - K;

  logic started_q = 1'b0, fed_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q && valid_i) fed_q <= 1'b1;
  end

  logic [4*Symbols-1:0] bits;
  logic any_q = 1'b0;
  assign bits = data_i;
  always_ff @(posedge clk_i) if (valid_i && started_q && bits != '0) any_q <= 1'b1;
  always_comb begin
    assume ((bits & (bits - 1'b1)) == '0);
    assume (!any_q || bits == '0);
  end

  logic valid, first;
  logic [Symbols-1:0][Width-1:0] data;
  rsfec_encoder #(
    .Width  (Width),
    .Poly   (Poly),
    .N      (N),
    .K      (K),
    .Symbols(Symbols)
  ) u_dut (
    .clk_i  (clk_i),
    .rst_i  (!started_q),
    .valid_i(valid_i && started_q),
    .first_i(!fed_q),
    .data_i (data_i),
    .valid_o(valid),
    .first_o(first),
    .data_o (data)
  );

  function automatic logic [Width-1:0] times(input logic [Width-1:0] a, input logic [Width-1:0] b);
    times = '0;
    for (int unsigned i = Width; i > 0; i--) begin
      times = {times[Width-2:0], 1'b0} ^ (times[Width-1] ? Poly : '0) ^ (b[i-1] ? a : '0);
    end
  endfunction

  // ---- Observer: Horner's rule at each root, symbol after symbol; what went in two words ago ----
  logic [$clog2(N)-1:0] index_q = '0, index;
  logic [Parity-1:0][Width-1:0] value_q, value;
  logic [Symbols-1:0][Width-1:0] in_q, in_qq;
  logic right;
  always_comb begin
    logic [Width-1:0] root;
    index = index_q;
    value = value_q;
    right = 1'b1;
    for (int unsigned i = 0; i < Symbols; i++) begin
      if (index == '0) value = '0;
      root = Width'(1);
      for (int unsigned j = 0; j < Parity; j++) begin
        value[j] = times(value[j], root) ^ data[i];
        root = times(root, Width'(2));
      end
      if (index < $bits(index)'(K)) right = right && data[i] == in_qq[i];
      if (index == $bits(index)'(N - 1)) begin
        right = right && value == '0;
        index = '0;
      end else begin
        index = index + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && started_q) {in_qq, in_q} <= {in_q, data_i};
    if (valid && started_q) begin
      index_q <= index;
      value_q <= value;
    end
  end

  always_comb begin
    if (started_q) begin
      a_codeword : assert (!valid || right);
      c_two : cover (valid && !first && index == '0);
    end
  end

endmodule
