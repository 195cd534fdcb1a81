// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_lane: transmitter and receiver of a lane side by side, not connected, for vectors.

module rifl_fec_lane
  import rifl_fec_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_i,
  input  index_t                   index_i,
  input  word_t                    data_i,
  output word_t                    sent_o,
  input  word_t                    line_i,
  output logic                     give_o,
  output word_t                    data_o,
  output logic                     bad_o,
  output logic                     heard_o,
  output logic                     corrected_o,
  output logic                     uncorrectable_o,
  output logic   [ErrorsWidth-1:0] errors_o
);

  rifl_fec_tx u_tx (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .index_i(index_i),
    .coded_i(1'b1),
    .data_i (data_i),
    .line_o (sent_o)
  );

  rifl_fec_rx u_rx (
    .clk_i          (clk_i),
    .rst_i          (rst_i),
    .use_i          (1'b1),
    .line_i         (line_i),
    .give_o         (give_o),
    .data_o         (data_o),
    .bad_o          (bad_o),
    .heard_o        (heard_o),
    .corrected_o    (corrected_o),
    .uncorrectable_o(uncorrectable_o),
    .errors_o       (errors_o)
  );

endmodule
