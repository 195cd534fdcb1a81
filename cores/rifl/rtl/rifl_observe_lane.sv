// SPDX-License-Identifier: Apache-2.0
//
// rifl_observe_lane: the words of one lane in the page `observe`: its state, and what its counters
// add.
//
// What      samples the lane's flags, takes its pulses out of four clocks as increments
//           (prim_sync_count), and compares the peer's clock with the own one (rifl_clock_offset).
// Contract  inc_o[k] belongs to word k of the lane (rifl_regs_pkg::observe_lane_offset_e), word_o
//           is word 0. Retransmissions are counted from the flags `error` and `tx_state` in the
//           compatible mode, from the pulses `incident` and `served` in a session. rx_status_i.slip
//           is not sampled as a whole: it means something while it stands still.
// Clocks and resets
//           everything in user_clk_i, except status_i (frame_clk_i), rx_status_i (phy_rx_clk_i) and
//           injected_i (phy_tx_clk_i). rst_i as in rifl_observe. Counts of the recovered clock are
//           never reset where they cross, for only their changes matter: so a clock that stands
//           still during a reset shows no event that never was.

module rifl_observe_lane
  import rifl_pkg::*;
  import rifl_regs_pkg::*;
#(
  parameter int unsigned OffsetWindow = 20,  // see rifl_clock_offset
  parameter int unsigned Words = 16,  // of the page
  parameter int unsigned FlipsWidth = 3,  // bits of the flips in a cycle of user_clk_i
  parameter int unsigned IncWidth = 3  // >= FlipsWidth
) (
  input logic user_clk_i,
  input logic frame_clk_i,
  input logic phy_tx_clk_i,
  input logic phy_rx_clk_i,
  input logic rst_i,

  input  lane_status_t                           status_i,
  input  rx_status_t                             rx_status_i,
  input  logic                                   injected_i,
  input  logic                                   in_session_i,
  input  logic         [      1:0]               own_frames_i,      // as increments
  output logic                                   pause_req_o,
  output logic                                   new_error_o,
  output logic                                   lost_alignment_o,
  output logic                                   new_overflow_o,
  output logic         [     63:0]               word_o,
  output logic         [Words-1:0][IncWidth-1:0] inc_o
);

  // Flags, and three of them in the cycle before.
  lane_status_t flags_q;
  logic aligned_q, overflow_q, compensate_q;
  always_ff @(posedge user_clk_i) begin
    flags_q <= status_i;
    {aligned_q, overflow_q, compensate_q} <= '0;
    if (!rst_i) begin
      {aligned_q, overflow_q, compensate_q} <= {
        flags_q.aligned, flags_q.overflow, flags_q.compensate
      };
    end
  end
  logic unused;
  assign unused = ^flags_q[31:12];  // round trip and pulses
  assign pause_req_o = flags_q.pause_req;
  assign lost_alignment_o = !flags_q.aligned && aligned_q;
  assign new_overflow_o = flags_q.overflow && !overflow_q;

  // ---- Pulses of the other clocks ----
  logic error_q, resending, resending_q, asks, serves;
  assign resending = status_i.tx_state == StRetrans;
  always_ff @(posedge frame_clk_i) begin
    error_q <= status_i.error && !rst_i;
    resending_q <= resending && !rst_i;
  end
  assign asks   = in_session_i ? status_i.incident : status_i.error && !error_q;
  assign serves = in_session_i ? status_i.served : resending && !resending_q;

  logic [1:0] frames, bad, asked, served, stopping, stopped, received, sent;
  logic [1:0][1:0] rx_counts;
  logic [5:0][1:0] frame_counts;
  logic [1:0] rx_events;
  logic [5:0] frame_events;
  assign rx_events = {rx_status_i.bad, rx_status_i.frame};
  assign {bad, frames} = rx_counts;
  assign frame_events = {
    asks, serves, status_i.local_fc, status_i.remote_fc, status_i.rx_user, status_i.tx_user
  };
  assign {asked, served, stopping, stopped, received, sent} = frame_counts;
  assign new_error_o = asked != 0;

  for (genvar i = 0; i < 2; i++) begin : gen_rx
    prim_sync_count #(
      .Width(2)
    ) u_count (
      .src_clk_i(phy_rx_clk_i),
      .src_rst_i(1'b0),
      .src_inc_i(rx_events[i]),
      .dst_clk_i(user_clk_i),
      .dst_rst_i(1'b0),
      .dst_inc_o(rx_counts[i])
    );
  end
  for (genvar i = 0; i < 6; i++) begin : gen_frame
    prim_sync_count #(
      .Width(2)
    ) u_count (
      .src_clk_i(frame_clk_i),
      .src_rst_i(rst_i),
      .src_inc_i(frame_events[i]),
      .dst_clk_i(user_clk_i),
      .dst_rst_i(rst_i),
      .dst_inc_o(frame_counts[i])
    );
  end
  logic [FlipsWidth-1:0] flips;
  prim_sync_count #(
    .Width(FlipsWidth)
  ) u_flips (
    .src_clk_i(phy_tx_clk_i),
    .src_rst_i(rst_i),
    .src_inc_i(injected_i),
    .dst_clk_i(user_clk_i),
    .dst_rst_i(rst_i),
    .dst_inc_o(flips)
  );

  // ---- What is shown ----
  logic [5:0] slip;
  for (genvar i = 0; i < 6; i++) begin : gen_slip
    prim_sync_bit u_sync (
      .clk_i(user_clk_i),
      .rst_i(rst_i),
      .d_i  (rx_status_i.slip[i]),
      .q_o  (slip[i])
    );
  end

  logic [15:0] clock_offset;
  rifl_clock_offset #(
    .Window(OffsetWindow)
  ) u_clock_offset (
    .clk_i     (user_clk_i),
    .rst_i     (rst_i),
    .aligned_i (flags_q.aligned),
    .own_i     (own_frames_i),
    .received_i(frames),
    .offset_o  (clock_offset)
  );

  always_comb begin
    word_o = '0;
    word_o[10:0] = 11'(flags_q);  // in the order of lane_status_t
    word_o[21:16] = slip;
    if (in_session_i) word_o[47:32] = status_i.round_trip;
    word_o[63:48] = clock_offset;
  end

  function automatic int unsigned at(observe_lane_offset_e offset);
    return 32'(offset) / 8;
  endfunction

  always_comb begin
    inc_o = '0;
    inc_o[at(ObserveLaneFrames)] = flags_q.up ? IncWidth'(frames) : '0;
    inc_o[at(ObserveLaneBadFrames)] = IncWidth'(bad);
    inc_o[at(ObserveLaneErrors)] = IncWidth'(asked);
    inc_o[at(ObserveLaneResends)] = IncWidth'(served);
    inc_o[at(ObserveLaneAlignmentLosses)] = IncWidth'(lost_alignment_o);
    inc_o[at(ObserveLaneUserFramesSent)] = IncWidth'(sent);
    inc_o[at(ObserveLaneUserFramesReceived)] = IncWidth'(received);
    inc_o[at(ObserveLaneCompensations)] = IncWidth'(flags_q.compensate && !compensate_q);
    inc_o[at(ObserveLaneStoppedFrames)] = IncWidth'(stopped);
    inc_o[at(ObserveLaneStoppingFrames)] = IncWidth'(stopping);
    inc_o[at(ObserveLaneInjectedErrors)] = IncWidth'(flips);
  end

endmodule
