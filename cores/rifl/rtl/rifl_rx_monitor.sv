// SPDX-License-Identifier: Apache-2.0
//
// rifl_rx_monitor: recognises runs of Pause requests and Retransmit requests.
//
// What: eight equal requests in a row among the control frames raise their flag; a control frame with
// another key clears it. Data frames in between neither count nor clear, but after 16 frames in a row
// that were data or Idle a data frame clears both flags.
// Contract: frame_i marks the clock of the last word of a frame; control_i, is_data_i, plausible_i and
// key_i (descrambled) belong to that frame. enable_i is "aligned"; without it everything is cleared.
// A control frame counts only if it and the frame before it are plausible: a damaged key neither
// raises nor clears a flag. (The published core believes every key; the wire is the same.)
// Source: RIFL paper, section 4.B; run rules of the published core.

module rifl_rx_monitor
  import rifl_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_i,
    input  logic                enable_i,
    input  logic                frame_i,
    input  logic                control_i,
    input  logic                is_data_i,
    input  logic                plausible_i,
    input  logic [KeyWidth-1:0] key_i,
    output logic                pause_o,
    output logic                retrans_o
);

  localparam int unsigned CountWidth = $clog2(RequestRun + 1);
  localparam int unsigned RegularRun = 16;
  localparam int unsigned RunWidth = $clog2(RegularRun + 1);

  logic [CountWidth-1:0] pause_count_q, retrans_count_q;
  logic [RunWidth-1:0] run_q;
  logic plausible_q;  // of the frame before
  logic believed, is_pause, is_retrans, is_idle, quiet;

  assign believed = control_i && plausible_i && plausible_q;
  assign is_pause = key_i == KeyPause;
  assign is_retrans = key_i == KeyRetrans;
  assign is_idle = key_i == KeyIdle;
  assign quiet = is_data_i && run_q == RunWidth'(RegularRun);

  assign pause_o = pause_count_q == CountWidth'(RequestRun);
  assign retrans_o = retrans_count_q == CountWidth'(RequestRun);

  always_ff @(posedge clk_i) begin
    if (rst_i || !enable_i) begin
      pause_count_q <= '0;
      retrans_count_q <= '0;
      run_q <= '0;
      plausible_q <= 1'b0;
    end else if (frame_i) begin
      plausible_q <= plausible_i;
      if (quiet) begin
        pause_count_q   <= '0;
        retrans_count_q <= '0;
      end else if (believed) begin
        if (!is_pause) pause_count_q <= '0;
        else if (!pause_o) pause_count_q <= pause_count_q + 1'b1;
        if (!is_retrans) retrans_count_q <= '0;
        else if (!retrans_o) retrans_count_q <= retrans_count_q + 1'b1;
      end
      if (!(is_data_i || (believed && is_idle))) run_q <= '0;
      else if (run_q != RunWidth'(RegularRun)) run_q <= run_q + 1'b1;
    end
  end

endmodule
