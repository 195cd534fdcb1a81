// SPDX-License-Identifier: Apache-2.0
//
// pcs_any_bench: two ends of pcs_any, A and B, whose lanes go to each other through a channel.
//
// What      Index 0 of the vectors is A and the line from A to B, index 1 is B and the line from B
//           to A. Physical lane p of a line has what lane from_i[p] sends, delay_i[p] bits later,
//           turned over with invert_i[p]; without signal_i[p] it has zeros.
//           Ports without a vector: words from the user of A to that of B; B sends idle.

module pcs_any_bench
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter  int unsigned FecA   = 2,
  parameter  int unsigned FecB   = 2,
  parameter  int unsigned Period = 64,
  localparam int unsigned Blocks = 8,
  localparam int unsigned Width  = $bits(fec_word_t)
) (
  input  logic                                    clk_i,
  input  logic [          1:0]                    rst_i,
  input  logic [          1:0][         1:0]      setting_i,
  input  logic [          1:0][FecLanes-1:0][1:0] from_i,
  input  logic [          1:0][FecLanes-1:0][9:0] delay_i,
  input  logic [          1:0][FecLanes-1:0]      invert_i,
  input  logic [          1:0][FecLanes-1:0]      signal_i,
  output logic [          1:0]                    coded_o,
  output logic [          1:0][         3:0]      state_o,
  output logic [          1:0][         4:0]      lane_o,
  input  logic [64*Blocks-1:0]                    tx_data_i,
  input  logic [ 8*Blocks-1:0]                    tx_ctrl_i,
  output logic                                    tx_ready_o,
  output logic                                    rx_valid_o,
  output logic [64*Blocks-1:0]                    rx_data_o,
  output logic [ 8*Blocks-1:0]                    rx_ctrl_o
);

  localparam int unsigned Keeps = 16;  // words of a channel

  fec_word_t [1:0][FecLanes-1:0] sent, heard;
  logic [1:0] ready, valid;
  logic [1:0][64*Blocks-1:0] data;
  logic [1:0][ 8*Blocks-1:0] ctrl;

  assign tx_ready_o = ready[0];
  assign rx_valid_o = valid[1];
  assign rx_data_o  = data[1];
  assign rx_ctrl_o  = ctrl[1];

  for (genvar e = 0; e < 2; e++) begin : gen_end
    // ---- The line from this end ----
    fec_word_t [FecLanes-1:0] past[Keeps];
    logic [3:0] now_q = '0;
    always_ff @(posedge clk_i) begin
      past[now_q] <= sent[e];
      now_q <= now_q + 1'b1;
    end
    for (genvar p = 0; p < FecLanes; p++) begin : gen_lane
      logic [3:0] at;
      logic [2*Width-1:0] two;
      assign at  = now_q - 4'd1 - 4'(delay_i[e][p] / Width);
      assign two = {past[at][from_i[e][p]], past[at-4'd1][from_i[e][p]]};
      always_ff @(posedge clk_i) begin
        heard[1-e][p] <= !signal_i[e][p] ? '0 :
            Width'(two >> (Width - 32'(delay_i[e][p]) % Width)) ^ {Width{invert_i[e][p]}};
      end
    end

    status_t status;
    logic unused_lost, unused_corrected, unused_uncorrectable, unused_error;
    logic [Lanes-1:0] unused_signal, unused_inverted, unused_parity;
    lane_t [Lanes-1:0] unused_number;
    logic [FecLanes-1:0][3:0] unused_errors;
    assign {state_o[e], lane_o[e]} = status;

    pcs_any #(
      .Blocks   (Blocks),
      .Fec      (e == 0 ? FecA : FecB),
      .Period   (Period),
      .BerWindow(2000)
    ) u_end (
      .tx_clk_i          (clk_i),
      .tx_rst_i          (rst_i[e]),
      .tx_cgmii_valid_i  (1'b1),
      .tx_cgmii_ready_o  (ready[e]),
      .tx_cgmii_data_i   (e == 0 ? tx_data_i : {8 * Blocks{8'h07}}),
      .tx_cgmii_ctrl_i   (e == 0 ? tx_ctrl_i : '1),
      .tx_lanes_o        (sent[e]),
      .tx_lost_o         (unused_lost),
      .rx_clk_i          (clk_i),
      .rx_rst_i          (rst_i[e]),
      .rx_mode_i         (2'd0),
      .rx_setting_i      (setting_i[e]),
      .rx_signal_i       (signal_i[1-e]),
      .rx_lanes_i        (heard[e]),
      .rx_cgmii_valid_o  (valid[e]),
      .rx_cgmii_data_o   (data[e]),
      .rx_cgmii_ctrl_o   (ctrl[e]),
      .rx_coded_o        (coded_o[e]),
      .rx_status_o       (status),
      .rx_signal_o       (unused_signal),
      .rx_number_o       (unused_number),
      .rx_inverted_o     (unused_inverted),
      .rx_corrected_o    (unused_corrected),
      .rx_uncorrectable_o(unused_uncorrectable),
      .rx_errors_o       (unused_errors),
      .rx_parity_error_o (unused_parity),
      .rx_block_error_o  (unused_error)
    );
  end

endmodule
