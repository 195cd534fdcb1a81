// SPDX-License-Identifier: Apache-2.0
//
// pcs_caui: 20 PCS lanes on physical lanes, bit by bit, both directions: CAUI-4, CAUI-10, or 20.
//
// What      Bit i of a raw word of physical lane p belongs to PCS lane Each * p + i mod Each, with
//           Each PCS lanes on a physical one. Wires.
// Contract  tx_lanes_i, rx_lanes_o: raw words of PCS lanes, as in pcs. tx_words_o, rx_words_i:
//           those of physical lanes, bit 0 first on the line. rx_signal_i: of physical lanes;
//           rx_signal_o: of the PCS lanes on them. A peer may put any PCS lanes together, in any
//           order: pcs_rx takes any PCS lane at any place.
// Clocks and resets
//           None: ports with tx_ and with rx_ have nothing in common.
// Parameters
//   Count  physical lanes: 4 of 25.78125 Gb/s, 10 of 10.3125, or 20 of 5.15625
// Source    IEEE Std 802.3 clauses 83.5.2, 83.5.3 (bit multiplexing)

module pcs_caui
  import pcs_pkg::*;
#(
  parameter  int unsigned Count = 4,
  localparam int unsigned Each  = Lanes / Count,
  localparam int unsigned Width = Each * RawWidth
) (
  input  logic [Lanes-1:0][RawWidth-1:0] tx_lanes_i,
  output logic [Count-1:0][   Width-1:0] tx_words_o,
  input  logic [Count-1:0]               rx_signal_i,
  input  logic [Count-1:0][   Width-1:0] rx_words_i,
  output logic [Lanes-1:0]               rx_signal_o,
  output logic [Lanes-1:0][RawWidth-1:0] rx_lanes_o
);

  if (!(Count inside {4, 10, 20})) begin : gen_bad_count
    $error("pcs_caui %m: rule Count is 4, 10 or 20, got %0d", Count);
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    assign rx_signal_o[l] = rx_signal_i[l/Each];
    for (genvar b = 0; b < RawWidth; b++) begin : gen_bit
      assign tx_words_o[l/Each][Each*b+l%Each] = tx_lanes_i[l][b];
      assign rx_lanes_o[l][b] = rx_words_i[l/Each][Each*b+l%Each];
    end
  end

endmodule
