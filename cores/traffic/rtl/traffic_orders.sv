// SPDX-License-Identifier: Apache-2.0
//
// traffic_orders: carries out what the bus has ordered, in the clock of the streams.
//
// What      Puts the words of a beat together, keeps the settings, and makes pulses of actions.
// Contract  An order is taken in each cycle with order_valid_i. In the cycle after it the pulse
//           that it means stands, with everything ordered before it in the registers. play_o and
//           capture_o are zero but for that cycle; an order with more than one action becomes none,
//           and refused_o instead (pulse). count_o: orders taken, also those in rst_i, which have
//           no effect.
// Clocks and resets
//           clk_i; rst_i forgets all settings. count_rst_i resets the count alone.
// Latency   1
//
// Parameters
//   Bytes   of a beat, 1..1024

module traffic_orders
  import traffic_pkg::*;
#(
  parameter  int unsigned Bytes = 32,
  localparam int unsigned Words = (Bytes + 3) / 4
) (
  input logic   clk_i,
  input logic   rst_i,
  input logic   count_rst_i,
  input logic   order_valid_i,
  input order_t order_i,

  output logic            [       31:0] count_o,
  output logic            [Bytes*8-1:0] data_o,
  output logic            [       31:0] cycles_o,
  output beat_head_t                    head_o,
  output logic                          play_beat_o,
  output logic                          capture_beat_o,
  output logic            [       31:0] play_runs_o,
  output logic            [       31:0] expect_runs_o,
  output logic            [       31:0] window_o,
  output play_action_t                  play_o,
  output capture_action_t               capture_o,
  output logic                          refused_o
);

  logic [Words*32-1:0] words_q;
  play_action_t play;
  capture_action_t capture;
  assign play = play_action_t'(order_i.value[2:0]);
  assign capture = capture_action_t'(order_i.value[4:0]);

  // Several actions at once: then there is a bit left when the lowest one is taken away.
  logic play_many, capture_many;
  assign play_many = (play & (play - 1'b1)) != '0;
  assign capture_many = (order_i.value[3:0] & (order_i.value[3:0] - 1'b1)) != '0;

  always_ff @(posedge clk_i) begin
    play_beat_o    <= 1'b0;
    capture_beat_o <= 1'b0;
    play_o         <= '0;
    capture_o      <= '0;
    refused_o      <= 1'b0;
    if (order_valid_i) begin
      unique case (order_i.kind)
        OrderWord:       words_q <= (Words * 32)'({order_i.value, words_q} >> 32);
        OrderCycles:     cycles_o <= order_i.value;
        OrderPlayRuns:   play_runs_o <= order_i.value;
        OrderExpectRuns: expect_runs_o <= order_i.value;
        OrderWindow:     window_o <= order_i.value;
        OrderPlayBeat: begin
          head_o      <= beat_head_t'(order_i.value[13:0]);
          play_beat_o <= 1'b1;
        end
        OrderExpect: begin
          head_o         <= beat_head_t'(order_i.value[13:0]);
          capture_beat_o <= 1'b1;
        end
        OrderPlay: begin
          refused_o <= play_many;
          if (!play_many) play_o <= play;
        end
        OrderCapture: begin
          refused_o <= capture_many;
          if (!capture_many) capture_o <= capture;
        end
        default:         refused_o <= 1'b1;
      endcase
    end
    if (rst_i) begin
      play_beat_o    <= 1'b0;
      capture_beat_o <= 1'b0;
      play_o         <= '0;
      capture_o      <= '0;
      refused_o      <= 1'b0;
      cycles_o       <= '0;
      play_runs_o    <= '0;
      expect_runs_o  <= '0;
      window_o       <= '0;
    end

    count_o <= count_rst_i ? '0 : count_o + 32'(order_valid_i);
  end

  assign data_o = words_q[Bytes*8-1:0];

  if (Words * 4 != Bytes) begin : gen_rest
    logic unused;
    assign unused = ^words_q[Words*32-1:Bytes*8];
  end

endmodule
