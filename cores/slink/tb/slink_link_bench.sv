// SPDX-License-Identifier: Apache-2.0
//
// slink_link_bench: one direction of a link, from the transmitter of one end to the receiver of the
// other.
//
// a_clk_i is the sender's clock and that of the line, b_clk_i the receiver's. Each lane is late by
// delay_i bits, up to 511 (in 64b/66b 415). flip_i turns raw bits over.

module slink_link_bench
  import slink_pkg::*;
(
  input  logic                                   a_clk_i,
  input  logic                                   a_rst_i,
  input  logic                                   b_clk_i,
  input  logic                                   b_rst_i,
  input  logic                                   coding_i,
  input  logic    [   Lanes-1:0]                 use_i,
  input  logic    [   Lanes-1:0][           8:0] delay_i,
  input  logic    [   Lanes-1:0][10*Symbols-1:0] flip_i,
  input  logic                                   s_valid_i,
  output logic                                   s_ready_o,
  input  header_t                                s_header_i,
  input  logic                                   d_valid_i,
  output logic                                   d_ready_o,
  input  logic    [BeatBits-1:0]                 d_data_i,
  output logic    [   Lanes-1:0][10*Symbols-1:0] raw_o,
  output logic                                   tx_idle_o,
  output logic                                   tx_ready_o,
  output logic                                   up_o,
  output logic                                   overflow_o,
  output logic                                   m_valid_o,
  output rx_t                                    rx_o
);

  localparam int unsigned Width = 10 * Symbols;
  localparam int unsigned History = 27;  // words: 511 bits and one word more

  logic [Lanes-1:0][Symbols-1:0][8:0] tx_word;
  logic [Lanes-1:0][Symbols-1:0][9:0] rx_word;
  logic [Lanes-1:0][Width-1:0] late;
  logic hold;

  slink_tx u_tx (
    .clk_i   (a_clk_i),
    .rst_i   (a_rst_i),
    .coding_i,
    .hold_i  (hold),
    .ask_i   (1'b0),
    .s_valid_i,
    .s_ready_o,
    .s_header_i,
    .d_valid_i,
    .d_ready_o,
    .d_data_i,
    .spoil_i (1'b0),
    .m_ready_i(tx_ready_o),
    .m_data_o(tx_word),
    .m_idle_o(tx_idle_o)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_line
    logic [Width*History-1:0] history_q;  // the newest word on top
    always_ff @(posedge a_clk_i) begin
      if (coding_i) begin
        history_q <= {raw_o[l][15:0], history_q[Width*History-1:16]};
        late[l]   <= Width'(history_q[Width*History-16-32'(delay_i[l])+:16]) ^ flip_i[l];
      end else begin
        history_q <= {raw_o[l], history_q[Width*History-1:Width]};
        late[l]   <= history_q[Width*(History-1)-32'(delay_i[l])+:Width] ^ flip_i[l];
      end
    end
  end

  // The same module at both ends: of each, the other half has nothing to do.
  slink_phy #(
    .Blocks(1'b1)
  ) u_a (
    .clk_i     (a_clk_i),
    .rst_i     (a_rst_i),
    .coding_i,
    .use_i,
    .s_data_i  (tx_word),
    .s_idle_i  (tx_idle_o),
    .s_ready_o (tx_ready_o),
    .hold_o    (hold),
    .tx_data_o (raw_o),
    .m_valid_o (),
    .m_data_o  (),
    .up_o      (),
    .rx_clk_i  (a_clk_i),
    .rx_data_i ('0),
    .overflow_o()
  );

  slink_phy #(
    .Blocks(1'b1)
  ) u_b (
    .clk_i    (b_clk_i),
    .rst_i    (b_rst_i),
    .coding_i,
    .use_i,
    .s_data_i ({Characters{Idl}}),
    .s_idle_i (1'b1),
    .s_ready_o(),
    .hold_o   (),
    .tx_data_o(),
    .m_valid_o,
    .m_data_o (rx_word),
    .up_o,
    .rx_clk_i (a_clk_i),
    .rx_data_i(late),
    .overflow_o
  );

  slink_rx u_rx (
    .clk_i    (b_clk_i),
    .rst_i    (b_rst_i),
    .coding_i,
    .s_valid_i(m_valid_o),
    .s_data_i (rx_word),
    .rx_o
  );

endmodule
