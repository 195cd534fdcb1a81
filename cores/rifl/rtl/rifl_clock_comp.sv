// SPDX-License-Identifier: Apache-2.0
//
// rifl_clock_comp: keeps a transmitter from being faster than the peer's.
//
// What      counts own frames and received frames. Each time the own count has gained one more on
//           the other, one frame without data is asked for; receivers drop such frames at their
//           clock crossing, so the peer's slower user side never falls behind. The slower end asks
//           for nothing.
// Contract  compensate_o stays up until a clock with slack_i (the frame sent in it carries no
//           data). Without enable_i (receiver up) nothing is asked for and counting starts afresh.
//           The counts are four bits wide, so the clocks may differ by a few frames per
//           synchroniser delay: far more than any crystal. Two steps of hysteresis keep
//           clocks of one rate from asking: one frame is the sampling of the synchroniser, one is
//           how far clocks with left-out edges run ahead of each other (cores/rifl_fec). alive_o:
//           a frame has been received within the last SilentFrames own ones. Without the recovered
//           clock no flag of the receiver moves, so nothing else tells that it has stopped.
// Resets    frame_rst_i only. The count of received frames is never reset, for only its changes
//           matter: so a reset of one side cannot be taken for a frame.
// Source    RIFL paper, section 4.E and 5.B.

module rifl_clock_comp (
  input  logic frame_clk_i,
  input  logic frame_rst_i,
  input  logic enable_i,
  input  logic slack_i,
  output logic compensate_o,
  output logic alive_o,

  input logic rx_clk_i,
  input logic rx_frame_i  // one pulse per received frame
);

  localparam int unsigned Width = 4;
  localparam int unsigned SilentFrames = 3;

  logic [Width-1:0] rx_count, tx_count_q, peak_q, lead;

  prim_sync_gray #(
    .Width(Width)
  ) u_rx_count (
    .src_clk_i  (rx_clk_i),
    .src_rst_i  (1'b0),
    .src_inc_i  (rx_frame_i),
    .dst_clk_i  (frame_clk_i),
    .dst_rst_i  (1'b0),
    .dst_count_o(rx_count)
  );

  // Lead of the own frames over the largest seen so far, as a signed number.
  assign lead = tx_count_q - rx_count - peak_q;

  logic gained, fallen;
  assign gained = !lead[Width-1] && lead != 0;
  assign fallen = lead[Width-1] && !(&lead[Width-1:1]);  // by three or more

  logic [Width-1:0] rx_count_q;
  logic [SilentFrames-1:0] heard_q;  // as many ones as own frames are left
  assign alive_o = heard_q[0];
  always_ff @(posedge frame_clk_i) begin
    rx_count_q <= rx_count;
    if (frame_rst_i) heard_q <= '0;
    else if (rx_count != rx_count_q) heard_q <= '1;
    else heard_q <= {1'b0, heard_q[SilentFrames-1:1]};
  end

  always_ff @(posedge frame_clk_i) begin
    if (frame_rst_i) begin
      tx_count_q   <= '0;
      peak_q       <= '0;
      compensate_o <= 1'b0;
    end else begin
      tx_count_q <= tx_count_q + 1'b1;
      if (!enable_i) begin
        peak_q <= tx_count_q - rx_count;
        compensate_o <= 1'b0;
      end else begin
        if (gained) peak_q <= peak_q + 1'b1;
        else if (fallen) peak_q <= peak_q - 1'b1;
        if (gained) compensate_o <= 1'b1;
        else if (slack_i) compensate_o <= 1'b0;
      end
    end
  end

endmodule
