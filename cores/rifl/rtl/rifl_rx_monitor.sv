// SPDX-License-Identifier: Apache-2.0
//
// rifl_rx_monitor: recognises runs of Pause requests and Retransmit requests.
//
// What      eight equal requests in a row among the control frames raise their flag. A control
//           frame that is no request clears both flags; a run of the other request takes over only
//           when it is complete, so that a transmitter never sends new frames between the two
//           (these could push a frame that is still asked for out of its buffer). Data frames in
//           between neither count nor clear, but after 16 frames in a row that were data or Idle a
//           data frame clears both flags.
// Contract  frame_i marks the clock of the last word of a frame; control_i, is_data_i, plausible_i
//           and key_i (descrambled) belong to that frame, trusted_i says that the one before was
//           plausible. enable_i is "aligned"; without it everything is cleared. A control frame
//           counts only if it and the frame before it are plausible: a damaged key neither raises
//           nor clears a flag. (The published core believes every key; the wire is the same.)
// Source    RIFL paper, section 4.B; run rules of the published core.

module rifl_rx_monitor
  import rifl_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                enable_i,
  input  logic                frame_i,
  input  logic                control_i,
  input  logic                is_data_i,
  input  logic                plausible_i,  // this frame
  input  logic                trusted_i,    // the frame before
  input  logic [KeyWidth-1:0] key_i,
  output logic                key_known_o,  // key_i is one of ours
  output logic                pause_o,
  output logic                retrans_o
);

  localparam int unsigned RunWidth = 5;  // the top bit is there after 16 frames

  logic [RequestRun-2:0] equal_q;  // as many ones as equal requests, kind: counting_pause_q
  logic counting_pause_q;
  logic [RunWidth-1:0] run_q;
  logic believed, is_pause, is_retrans, is_idle, same, complete, quiet;

  assign believed = control_i && plausible_i && trusted_i;
  assign is_pause = key_i == KeyPause;
  assign is_retrans = key_i == KeyRetrans;
  assign is_idle = key_i == KeyIdle;
  assign key_known_o = is_pause || is_retrans || is_idle;
  assign same = equal_q[0] && counting_pause_q == is_pause;
  assign complete = same && equal_q[RequestRun-2];
  assign quiet = is_data_i && run_q[RunWidth-1];

  always_ff @(posedge clk_i) begin
    if (rst_i || !enable_i) begin
      equal_q <= '0;
      counting_pause_q <= 1'b0;
      pause_o <= 1'b0;
      retrans_o <= 1'b0;
      run_q <= '0;
    end else if (frame_i) begin
      if (quiet || (believed && !is_pause && !is_retrans)) begin
        equal_q   <= '0;
        pause_o   <= 1'b0;
        retrans_o <= 1'b0;
      end else if (believed) begin
        counting_pause_q <= is_pause;
        equal_q <= same ? {equal_q[RequestRun-3:0], 1'b1} : (RequestRun - 1)'(1);
        if (complete) begin
          pause_o   <= is_pause;
          retrans_o <= is_retrans;
        end
      end
      if (!(is_data_i || (believed && is_idle))) run_q <= '0;
      else if (!run_q[RunWidth-1]) run_q <= run_q + 1'b1;
    end
  end

endmodule
