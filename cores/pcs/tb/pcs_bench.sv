// SPDX-License-Identifier: Apache-2.0
//
// pcs_bench: a PCS whose lanes go back to it through a channel.
//
// What      At place p stands PCS lane from_i[p], delay_i[p] bits later. As caui_i says, 1, 2 or 5
//           places are a physical lane, bit by bit, which comes shift_i[p] of its bits later,
//           turned over with invert_i[p]. noise_i is added to what the receiver takes apart.

module pcs_bench
  import pcs_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Period = 128,
  parameter int unsigned Depth = 32,
  parameter int unsigned BerWindow = 20000,
  parameter bit Hold = 1'b1
) (
  input logic clk_i,
  input logic rst_i,
  input logic tx_rst_i,
  input logic tx_valid_i,
  output logic tx_ready_o,
  output logic tx_lost_o,
  input logic [64*Blocks-1:0] tx_data_i,
  input logic [8*Blocks-1:0] tx_ctrl_i,
  output logic [Lanes-1:0][RawWidth-1:0] lanes_o,
  input lane_t [Lanes-1:0] from_i,
  input logic [Lanes-1:0][11:0] delay_i,
  input logic [1:0] caui_i,  // 0: 20 physical lanes, 1: 10, 2: 4
  input logic [Lanes-1:0][6:0] shift_i,
  input logic [Lanes-1:0] invert_i,
  input logic [Lanes-1:0] signal_i,
  input logic [Lanes-1:0][RawWidth-1:0] noise_i,
  output logic rx_valid_o,
  output logic [64*Blocks-1:0] rx_data_o,
  output logic [8*Blocks-1:0] rx_ctrl_o,
  output status_t status_o,
  output lane_t [Lanes-1:0] number_o,
  output logic [Lanes-1:0] inverted_o,
  output logic [Lanes-1:0] parity_error_o,
  output logic block_error_o
);

  logic [Lanes-1:0][RawWidth-1:0] past[256];
  logic [Lanes-1:0][RawWidth-1:0] channel;
  logic [7:0] now_q;

  always_ff @(posedge clk_i) begin
    past[now_q] <= lanes_o;
    now_q <= rst_i ? '0 : now_q + 1'b1;
  end

  for (genvar p = 0; p < Lanes; p++) begin : gen_lane
    logic [7:0] at;
    logic [4:0] shift;
    logic [2*RawWidth-1:0] two;
    assign at = now_q - 8'd1 - delay_i[p][11:4];
    assign shift = 5'(RawWidth) - 5'(delay_i[p][3:0]);
    assign two = {past[at][from_i[p]], past[at-8'd1][from_i[p]]};
    always_ff @(posedge clk_i) channel[p] <= RawWidth'(two >> shift);
  end

  // ---- Physical lanes ----
  localparam int unsigned Kinds = 3;
  logic [Kinds-1:0][Lanes-1:0] signal;
  logic [Kinds-1:0][Lanes-1:0][RawWidth-1:0] heard;

  for (genvar k = 0; k < Kinds; k++) begin : gen_caui
    localparam int unsigned Count = (k == 0) ? 20 : (k == 1) ? 10 : 4;
    localparam int unsigned Width = Lanes / Count * RawWidth;
    logic [Count-1:0][Width-1:0] sent, sent_q, late;

    always_ff @(posedge clk_i) sent_q <= sent;
    for (genvar p = 0; p < Count; p++) begin : gen_late
      assign late[p] = Width'({sent[p], sent_q[p]} >> (Width - 32'(shift_i[p]))) ^
          {Width{invert_i[p]}};
    end

    pcs_caui #(
      .Count(Count)
    ) u_caui (
      .tx_lanes_i (channel),
      .tx_words_o (sent),
      .rx_signal_i(signal_i[Count-1:0]),
      .rx_words_i (late),
      .rx_signal_o(signal[k]),
      .rx_lanes_o (heard[k])
    );
  end

  pcs #(
    .Blocks   (Blocks),
    .Period   (Period),
    .Depth    (Depth),
    .BerWindow(BerWindow),
    .Hold     (Hold)
  ) u_pcs (
    .tx_clk_i         (clk_i),
    .tx_rst_i         (tx_rst_i),
    .tx_cgmii_valid_i (tx_valid_i),
    .tx_cgmii_ready_o (tx_ready_o),
    .tx_cgmii_data_i  (tx_data_i),
    .tx_cgmii_ctrl_i  (tx_ctrl_i),
    .tx_lanes_o       (lanes_o),
    .tx_lost_o        (tx_lost_o),
    .rx_clk_i         (clk_i),
    .rx_rst_i         (rst_i),
    .rx_signal_i      (signal[caui_i]),
    .rx_lanes_i       (heard[caui_i] ^ noise_i),
    .rx_cgmii_valid_o (rx_valid_o),
    .rx_cgmii_data_o  (rx_data_o),
    .rx_cgmii_ctrl_o  (rx_ctrl_o),
    .rx_status_o      (status_o),
    .rx_number_o      (number_o),
    .rx_inverted_o    (inverted_o),
    .rx_parity_error_o(parity_error_o),
    .rx_block_error_o (block_error_o)
  );

endmodule
