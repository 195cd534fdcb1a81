// SPDX-License-Identifier: Apache-2.0
//
// line_64b66b_tx: the transmitter of the lanes of a 64b/66b link, from words to raw words.
//
// What      Four words of a lane are encoded, scrambled and sent as a block; all lanes are in step.
// Why       A raw word has as many bits as a word, and a block two bits more than its four words:
//           32 words take 33 cycles.
// Contract  s_k_i, s_data_i: a word of each lane, taken in each cycle with s_ready_o, which is 0 in
//           one of 33; as in line_64b66b_enc. data_o: a raw word of each lane in every cycle, bit 0
//           first on the line.
// Latency   from the first word of a block to the raw word with the block's first bit 5 cycles.
//
// Parameters  Lanes  >= 1

module line_64b66b_tx
  import line_64b66b_pkg::*;
#(
  parameter int unsigned Lanes = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  output logic                   s_ready_o,
  input  logic [Lanes-1:0]       s_k_i,
  input  logic [Lanes-1:0][15:0] s_data_i,
  output logic [Lanes-1:0][15:0] data_o
);

  if (Lanes < 1) begin : gen_bad_lanes
    $error("line_64b66b_tx %m: Lanes must be at least 1, got %0d", Lanes);
  end

  localparam int unsigned Cycles = 33;  // in which 8 blocks are sent

  logic [5:0] cycle_q;
  logic load_q;
  logic [2:0] place_q;

  assign s_ready_o = cycle_q != 6'(Cycles - 1);

  always_ff @(posedge clk_i) begin
    cycle_q <= (rst_i || !s_ready_o) ? '0 : cycle_q + 1'b1;
    load_q  <= !rst_i && &cycle_q[1:0];
    place_q <= cycle_q[4:2];
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [2:0] k_q;  // the words before this one, the last one on top
    logic [2:0][15:0] data_q;
    header_e header, header_q;
    payload_t payload, payload_q, scrambled;
    logic [57:0] state_q, state;

    line_64b66b_enc u_enc (
      .k_i      ({s_k_i[l], k_q}),
      .data_i   ({s_data_i[l], data_q}),
      .header_o (header),
      .payload_o(payload)
    );

    line_scrambler #(
      .Width(64),
      .Order(58),
      .Tap  (39)
    ) u_scrambler (
      .state_i(state_q),
      .data_i (reversed(payload_q)),
      .data_o (scrambled),
      .state_o(state)
    );

    line_gearbox_tx u_gearbox (
      .clk_i,
      .rst_i,
      .s_valid_i(load_q),
      .place_i  (place_q),
      .s_data_i ({reversed(scrambled), header_q}),
      .data_o   (data_o[l])
    );

    always_ff @(posedge clk_i) begin
      // What comes in the cycle that takes no word is between two blocks, and gone when four words
      // are there.
      k_q       <= {s_k_i[l], k_q[2:1]};
      data_q    <= {s_data_i[l], data_q[2:1]};
      header_q  <= header;
      payload_q <= payload;
      if (rst_i) state_q <= '1;
      else if (load_q) state_q <= state;
    end
  end

endmodule
