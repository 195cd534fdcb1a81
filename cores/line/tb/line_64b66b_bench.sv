// SPDX-License-Identifier: Apache-2.0
//
// line_64b66b_bench: line_64b66b_enc and line_64b66b_dec side by side.

module line_64b66b_bench
  import line_64b66b_pkg::*;
(
  input  logic   [ 3:0] k_i,
  input  words_t        data_i,
  output logic   [ 1:0] header_o,
  output logic   [63:0] payload_o,
  input  logic   [ 1:0] header_i,
  input  logic   [63:0] payload_i,
  output logic   [ 3:0] k_o,
  output words_t        data_o,
  output logic   [ 3:0] error_o
);

  line_64b66b_enc u_enc (
    .k_i,
    .data_i,
    .header_o,
    .payload_o
  );

  line_64b66b_dec u_dec (
    .header_i,
    .payload_i,
    .k_o,
    .data_o,
    .error_o
  );

endmodule
