// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_lane: transmitter and receiver of a lane, and the control of two, side by side and not
// connected: for vectors.

module rifl_fec_lane
  import rifl_fec_pkg::*;
#(
  parameter int unsigned Absent = 3
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  input  index_t                   index_i,
  input  word_t                    data_i,
  output word_t                    sent_o,
  input  logic                     use_i,
  input  word_t                    line_i,
  output logic                     give_o,
  output word_t                    data_o,
  output logic                     bad_o,
  output logic                     heard_o,
  output logic                     corrected_o,
  output logic                     uncorrectable_o,
  output logic   [ErrorsWidth-1:0] errors_o,

  input  mode_t        mode_i,
  input  logic   [1:0] heard_i,
  output index_t       index_o,
  output logic         coded_o,
  output state_t       state_o
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
    .use_i          (use_i),
    .line_i         (line_i),
    .give_o         (give_o),
    .data_o         (data_o),
    .bad_o          (bad_o),
    .heard_o        (heard_o),
    .corrected_o    (corrected_o),
    .uncorrectable_o(uncorrectable_o),
    .errors_o       (errors_o)
  );

  logic unused_take, unused_frame, unused_user;
  rifl_fec_control #(
    .Lanes (2),
    .Absent(Absent)
  ) u_control (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .mode_i (mode_i),
    .heard_i(heard_i),
    .index_o(index_o),
    .coded_o(coded_o),
    .take_o (unused_take),
    .frame_o(unused_frame),
    .user_o (unused_user),
    .state_o(state_o)
  );

endmodule
