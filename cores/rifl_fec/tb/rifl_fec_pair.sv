// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_pair: two ends of one lane with words instead of RIFL.
//
// What      Each end sends a sequence in which every word follows from the one before, and counts
//           the words that arrive and follow from the one before, and those that do not. Between
//           them one exclusive-or a direction (the test's errors), a bit slip, and recovered clocks
//           that stop. Element 0 of what is doubled belongs to end A.

module rifl_fec_pair
  import rifl_fec_pkg::*;
#(
  parameter int unsigned FrameWords = 4,
  parameter int unsigned UserWords = 2,
  parameter int unsigned Lose = 4,
  parameter int unsigned Steps = 1,
  parameter int unsigned Scan = 16,
  parameter int unsigned Absent = 32
) (
  input logic a_clk_i,
  input logic b_clk_i,
  input logic [1:0] arst_i,
  input logic [1:0][1:0] mode_i,
  input logic [1:0][63:0] error_i,  // on what the end sends
  input logic [1:0] mute_i,  // it sends nothing but error_i
  input logic [1:0][5:0] slip_i,  // of what the end receives
  input logic [1:0] rx_run_i,  // its recovered clock

  output logic [1:0] phy_tx_clk_o,
  output logic [1:0] frame_clk_o,
  output logic [1:0] user_clk_o,
  output logic [1:0] phy_rx_clk_o,
  output logic [1:0][63:0] sent_o,
  output logic [1:0][63:0] line_o,
  output logic [1:0][63:0] received_o,
  output logic [1:0] bad_o,
  output logic [1:0][31:0] right_o,
  output logic [1:0][31:0] wrong_o,
  output logic [1:0][2:0] state_o,
  output logic [1:0] coded_o,
  output logic [1:0] heard_o,
  output logic [1:0] corrected_o,
  output logic [1:0] uncorrectable_o,
  output logic [1:0][ErrorsWidth-1:0] errors_o
);

  logic [1:0] clk, rx_clk;
  logic [1:0][63:0] arrives;
  assign clk = {b_clk_i, a_clk_i};

  function automatic word_t follows(input word_t word);
    word_t next;
    next = word ^ (word << 13);
    next = next ^ (next >> 7);
    return next ^ (next << 17);
  endfunction

  for (genvar e = 0; e < 2; e++) begin : gen_end
    localparam int unsigned Peer = 1 - e;

    prim_clock_gate u_rx_clk (
      .clk_i(clk[Peer]),
      .en_i (rx_run_i[e]),
      .clk_o(rx_clk[e])
    );

    word_t line, line_q, before_q;
    assign line = (mute_i[Peer] ? '0 : line_o[Peer]) ^ error_i[Peer];
    always_ff @(posedge clk[Peer]) line_q <= line;
    assign arrives[e] = word_t'({line, line_q} >> (7'd64 - 7'(slip_i[e])));

    word_t word_q;
    initial word_q = 64'h9e3779b97f4a7c15 + 64'(e);
    always_ff @(posedge phy_tx_clk_o[e]) word_q <= follows(word_q);
    assign sent_o[e] = word_q;

    logic [31:0] right_q, wrong_q;
    initial {right_q, wrong_q} = '0;
    always_ff @(posedge phy_rx_clk_o[e]) begin
      before_q <= received_o[e];
      if (received_o[e] == follows(before_q)) right_q <= right_q + 1'b1;
      else wrong_q <= wrong_q + 1'b1;
    end
    assign right_o[e] = right_q;
    assign wrong_o[e] = wrong_q;

    rifl_fec #(
      .FrameWords(FrameWords),
      .UserWords (UserWords),
      .Lose      (Lose),
      .Steps     (Steps),
      .Scan      (Scan),
      .Absent    (Absent)
    ) u_fec (
      .tx_clk_i       (clk[e]),
      .rx_clk_i       (rx_clk[e]),
      .arst_i         (arst_i[e]),
      .phy_tx_clk_o   (phy_tx_clk_o[e]),
      .frame_clk_o    (frame_clk_o[e]),
      .user_clk_o     (user_clk_o[e]),
      .phy_rx_clk_o   (phy_rx_clk_o[e]),
      .phy_tx_data_i  (sent_o[e]),
      .phy_rx_data_o  (received_o[e]),
      .phy_rx_bad_o   (bad_o[e]),
      .line_tx_data_o (line_o[e]),
      .line_rx_data_i (arrives[e]),
      .mode_i         (mode_i[e]),
      .state_o        (state_o[e]),
      .coded_o        (coded_o[e]),
      .heard_o        (heard_o[e]),
      .corrected_o    (corrected_o[e]),
      .uncorrectable_o(uncorrectable_o[e]),
      .errors_o       (errors_o[e])
    );
  end

endmodule
