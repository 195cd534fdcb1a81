// SPDX-License-Identifier: Apache-2.0
//
// rsfec_encoder: puts the parity of a Reed-Solomon code into its place in a stream of codewords.
//
// What      Words of Symbols symbols. A codeword is K symbols of message, then N - K of parity,
//           whatever stood there. Codewords follow each other without a gap; where N is no multiple
//           of Symbols, every second one begins in the middle of a word.
// Why       The line has no gaps: 528 symbols are 16.5 words of 32, so a word may end one codeword
//           and begin the next. Each part of a word is a step of division of its own.
// Contract  Symbol 0 of a word is first on the line, bit 0 of a symbol is first in it. valid_i: a
//           word is there, and all moves by one word. first_i: this word begins with a codeword;
//           required on the first word after a reset that is to come out, allowed where a codeword
//           begins with a word, and nowhere else.
// Parameters
//   Width, Poly   the field, as in rsfec_mul
//   N, K          symbols of a codeword and of its message; N a multiple of Symbols / 2
//   Symbols       of a word
// Latency   2 cycles; words that wait count for nothing
// Source    IEEE Std 802.3 clause 91.5.2.7; 25G/50G Ethernet Consortium, low-latency FEC

module rsfec_encoder #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned N = 528,
  parameter int unsigned K = 514,
  parameter int unsigned Symbols = 32
) (
  input logic clk_i,
  input logic rst_i,
  input logic valid_i,
  input logic first_i,
  input logic [Symbols-1:0][Width-1:0] data_i,
  output logic valid_o,
  output logic first_o,
  output logic [Symbols-1:0][Width-1:0] data_o
);

  localparam int unsigned Parity = N - K;
  localparam int unsigned Parts = (N % Symbols == 0) ? 1 : 2;
  localparam int unsigned Part = Symbols / Parts;
  localparam int unsigned Count = N / Part;
  localparam int unsigned PartWidth = $clog2(Count);
  localparam int unsigned LastPart = (K - 1) / Part;  // of the message
  localparam int unsigned LastCount = K - LastPart * Part;

  if (K >= N || N % Part != 0 || Symbols % Parts != 0) begin : gen_bad
    $error(
        "rsfec_encoder %m: rule K < N and N a multiple of Symbols / 2, got %0d, %0d and %0d",
        K,
        N,
        Symbols
    );
  end

  typedef logic [PartWidth-1:0] part_t;
  typedef logic [Parity-1:0][Width-1:0] remainder_t;

  part_t [Parts-1:0] part, part_q;
  rsfec_place #(
    .Parts(Parts),
    .Count(Count)
  ) u_place (
    .clk_i  (clk_i),
    .en_i   (valid_i),
    .first_i(first_i),
    .part_o (part)
  );

  // ---- The remainder, part after part; behind the message it stays ----
  remainder_t [Parts-1:0] rem_d, rem_q;
  logic [Symbols-1:0][Width-1:0] data_q;
  logic live_q, first_q;

  for (genvar h = 0; h < Parts; h++) begin : gen_part
    remainder_t from, whole, last;
    assign from = (part[h] == '0) ? '0 : (h == 0) ? rem_q[Parts-1] : rem_d[(h+Parts-1)%Parts];

    rsfec_divide #(
      .Width (Width),
      .Poly  (Poly),
      .Parity(Parity),
      .Count (Part)
    ) u_whole (
      .rem_i (from),
      .data_i(data_i[Part*h+:Part]),
      .rem_o (whole)
    );

    rsfec_divide #(
      .Width (Width),
      .Poly  (Poly),
      .Parity(Parity),
      .Count (LastCount)
    ) u_last (
      .rem_i (from),
      .data_i(data_i[Part*h+:LastCount]),
      .rem_o (last)
    );

    assign rem_d[h] = (part[h] < part_t'(LastPart)) ? whole :
                      (part[h] == part_t'(LastPart)) ? last : from;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      rem_q   <= rem_d;
      part_q  <= part;
      data_q  <= data_i;
      first_q <= first_i;
    end
    if (rst_i) live_q <= 1'b0;
    else if (valid_i && first_i) live_q <= 1'b1;
  end

  // ---- Parity into its places ----
  logic [Symbols-1:0][Width-1:0] data_d;
  always_comb begin
    data_d = data_q;
    for (int unsigned h = 0; h < Parts; h++) begin
      for (int unsigned at = K; at < N; at++) begin
        if (part_q[h] == part_t'(at / Part)) data_d[Part*h+at%Part] = rem_q[h][N-1-at];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      data_o  <= data_d;
      first_o <= first_q;
    end
    valid_o <= valid_i && live_q && !rst_i;
  end

endmodule
