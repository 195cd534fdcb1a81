// SPDX-License-Identifier: Apache-2.0
//
// line_8b10b_rx: the receiver of an 8b/10b lane, from raw words to characters.
//
// What      line_comma and line_8b10b_dec with their registers.
// Why       The aligner is judged by the decoder behind it; together they are one lane.
//
// Contract  data_i: a raw word in every cycle, bit 0 first on the line; what the sender keeps is
//           line_comma's. data_o, k_o: characters, character 0 first. error_o of a character: its
//           symbol was impossible or of the wrong disparity. comma_o: character 0 is K28.5, without
//           error. aligned_o = 0: the characters of this word mean nothing. slip_o: where the cut
//           is, one cycle ahead.
// Latency   2 cycles from a word that stands at the boundary.
//
// Parameters  Symbols, LockCommas, BadLimit, GoodRun   those of line_comma

module line_8b10b_rx #(
  parameter int unsigned Symbols    = 2,
  parameter int unsigned LockCommas = 4,
  parameter int unsigned BadLimit   = 8,
  parameter int unsigned GoodRun    = 4,
  localparam int unsigned SlipWidth = $clog2(10 * ((Symbols > 0) ? Symbols : 1))
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [10*Symbols-1:0] data_i,
  output logic [ 8*Symbols-1:0] data_o,
  output logic [   Symbols-1:0] k_o,
  output logic [   Symbols-1:0] error_o,
  output logic                  comma_o,
  output logic                  aligned_o,
  output logic [ SlipWidth-1:0] slip_o
);

  logic [10*Symbols-1:0] word;
  logic [8*Symbols-1:0] data, data_q;
  logic [Symbols-1:0] k, k_q, code_error, disparity_error, error, error_q;
  logic comma, comma_q, aligned, aligned_q, rd, rd_q;

  line_comma #(
    .Symbols   (Symbols),
    .LockCommas(LockCommas),
    .BadLimit  (BadLimit),
    .GoodRun   (GoodRun)
  ) u_comma (
    .clk_i,
    .rst_i,
    .data_i,
    .bad_i    (|error),
    .data_o   (word),
    .comma_o  (comma),
    .aligned_o(aligned),
    .slip_o
  );

  line_8b10b_dec #(
    .Symbols(Symbols)
  ) u_dec (
    .rd_i             (rd_q),
    .data_i           (word),
    .data_o           (data),
    .k_o              (k),
    .code_error_o     (code_error),
    .disparity_error_o(disparity_error),
    .rd_o             (rd)
  );

  assign error = code_error | disparity_error;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rd_q      <= 1'b0;
      aligned_q <= 1'b0;
    end else begin
      rd_q      <= rd;
      aligned_q <= aligned;
    end
    data_q  <= data;
    k_q     <= k;
    error_q <= error;
    comma_q <= comma && !error[0];
  end

  assign data_o    = data_q;
  assign k_o       = k_q;
  assign error_o   = error_q;
  assign comma_o   = comma_q;
  assign aligned_o = aligned_q;

endmodule
