// SPDX-License-Identifier: Apache-2.0
//
// rsfec_bench: encoder and decoder with a line between them, to which noise is added.
//
// What      noise_i comes with the word that it is to be added to, behind the encoder.

module rsfec_bench #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned N = 528,
  parameter int unsigned K = 514,
  parameter int unsigned Symbols = 32,
  parameter int unsigned Steps = 2,
  parameter int unsigned Scan = 8,
  parameter int unsigned Lanes = 4,
  localparam int unsigned Parts = (N % Symbols == 0) ? 1 : 2,
  localparam int unsigned LaneWidth = $clog2(Symbols / Lanes + 1),
  localparam int unsigned WeightWidth = $clog2((N - K) / 2 + 2)
) (
  input logic clk_i,
  input logic rst_i,
  input logic [1:0] mode_i,
  input logic valid_i,
  input logic first_i,
  input logic [Symbols-1:0][Width-1:0] data_i,
  input logic [Symbols-1:0][Width-1:0] noise_i,
  output logic coded_valid_o,
  output logic coded_first_o,
  output logic [Symbols-1:0][Width-1:0] coded_o,
  output logic valid_o,
  output logic first_o,
  output logic [Symbols-1:0][Width-1:0] data_o,
  output logic [Parts-1:0] bad_o,
  output logic corrected_o,
  output logic uncorrectable_o,
  output logic [Lanes-1:0][LaneWidth-1:0] errors_o,
  output logic [WeightWidth-1:0] weight_o
);

  rsfec_encoder #(
    .Width  (Width),
    .Poly   (Poly),
    .N      (N),
    .K      (K),
    .Symbols(Symbols)
  ) u_encoder (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(valid_i),
    .first_i(first_i),
    .data_i (data_i),
    .valid_o(coded_valid_o),
    .first_o(coded_first_o),
    .data_o (coded_o)
  );

  logic [Symbols-1:0][Width-1:0] noise_q, noise_qq;
  always_ff @(posedge clk_i) begin
    if (valid_i) {noise_qq, noise_q} <= {noise_q, noise_i};
  end

  rsfec_decoder #(
    .Width  (Width),
    .Poly   (Poly),
    .N      (N),
    .K      (K),
    .Symbols(Symbols),
    .Steps  (Steps),
    .Scan   (Scan),
    .Lanes  (Lanes)
  ) u_decoder (
    .clk_i          (clk_i),
    .rst_i          (rst_i),
    .mode_i         (mode_i),
    .valid_i        (coded_valid_o),
    .first_i        (coded_first_o),
    .data_i         (coded_o ^ noise_qq),
    .valid_o        (valid_o),
    .first_o        (first_o),
    .data_o         (data_o),
    .bad_o          (bad_o),
    .corrected_o    (corrected_o),
    .uncorrectable_o(uncorrectable_o),
    .errors_o       (errors_o),
    .weight_o       (weight_o)
  );

endmodule
