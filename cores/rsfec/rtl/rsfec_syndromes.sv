// SPDX-License-Identifier: Apache-2.0
//
// rsfec_syndromes: the syndromes of codewords, as they end.
//
// What      Syndrome j of a codeword c is c(x^j), j = 0 .. Parity-1.
// Contract  Words as in rsfec_encoder; part_i says where their parts stand (rsfec_place), live_i
//           that they belong to a stream. done_o: a codeword has ended, syndromes_o are its own.
// Parameters
//   Width, Poly   the field, as in rsfec_mul
//   Parity        syndromes
//   Part, Parts   symbols of a part, parts of a word
//   Count         parts of a codeword
// Latency   1 cycle from the last word to syndromes_o, which come out of logic

module rsfec_syndromes #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned Parity = 14,
  parameter int unsigned Part = 16,
  parameter int unsigned Parts = 2,
  parameter int unsigned Count = 33,
  localparam int unsigned PartWidth = $clog2(Count)
) (
  input logic clk_i,
  input logic rst_i,
  input logic en_i,
  input logic live_i,
  input logic [Parts-1:0][PartWidth-1:0] part_i,
  input logic [Parts*Part-1:0][Width-1:0] data_i,
  output logic done_o,
  output logic [Parity-1:0][Width-1:0] syndromes_o
);

  typedef rsfec_pkg::element_t element_t;
  typedef logic [Width-1:0] symbol_t;
  typedef logic [Parity-1:0][Width-1:0] syndromes_t;
  localparam logic [PartWidth-1:0] Last = PartWidth'(Count - 1);

  // x^(j * (Part - 1 - i)) for symbol i of a part.
  function automatic logic [Part-1:0][Width-1:0] factors(input int unsigned j);
    element_t step, term;
    step = rsfec_pkg::power(j, Width, element_t'(Poly));
    term = element_t'(1);
    for (int unsigned i = Part; i > 0; i--) begin
      factors[i-1] = symbol_t'(term);
      term = rsfec_pkg::mul(term, step, Width, element_t'(Poly));
    end
  endfunction

  // ---- What each part adds ----
  syndromes_t [Parts-1:0] added_d, added_q;
  logic [Parts-1:0] begins_q, ends_q;
  logic live_q;

  for (genvar h = 0; h < Parts; h++) begin : gen_part
    for (genvar j = 0; j < Parity; j++) begin : gen_syndrome
      rsfec_dot #(
        .Width  (Width),
        .Poly   (Poly),
        .Count  (Part),
        .Factors(factors(j))
      ) u_dot (
        .data_i(data_i[Part*h+:Part]),
        .sum_o (added_d[h][j])
      );
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      added_q <= added_d;
      for (int unsigned h = 0; h < Parts; h++) begin
        begins_q[h] <= part_i[h] == '0;
        ends_q[h]   <= part_i[h] == Last;
      end
      live_q <= live_i;
    end
    if (rst_i) live_q <= 1'b0;
  end

  // ---- Sums, part after part ----
  syndromes_t sum_q;
  syndromes_t [Parts-1:0] sum;

  for (genvar h = 0; h < Parts; h++) begin : gen_sum
    syndromes_t from, moved;
    assign from = (h == 0) ? sum_q : sum[(h+Parts-1)%Parts];
    for (genvar j = 0; j < Parity; j++) begin : gen_syndrome
      rsfec_dot #(
        .Width  (Width),
        .Poly   (Poly),
        .Count  (1),
        .Factors(symbol_t'(rsfec_pkg::power(j * Part, Width, element_t'(Poly))))
      ) u_move (
        .data_i(from[j]),
        .sum_o (moved[j])
      );
    end
    assign sum[h] = added_q[h] ^ (begins_q[h] ? '0 : moved);
  end

  always_ff @(posedge clk_i) begin
    if (en_i) sum_q <= sum[Parts-1];
  end

  always_comb begin
    syndromes_o = sum[Parts-1];
    if (ends_q[0]) syndromes_o = sum[0];
  end

  assign done_o = live_q && ends_q != '0;

endmodule
