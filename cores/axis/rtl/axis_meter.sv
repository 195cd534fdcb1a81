// SPDX-License-Identifier: Apache-2.0
//
// axis_meter: passive traffic and latency meter of a stream.
//
// What    Counts frames, bytes, cycles, stalled and idle cycles of one stream (the tap), measures
//         its rate over a programmable window, and the latency of marked packets from an earlier
//         stream (the reference, e.g. the ingress of a link) to the tap (its egress).
// Why     Throughput and latency must come from the hardware that is measured, not from its test
//         bench.
//
// Contract
//   * Both streams belong to clk_i. Nothing is driven; all stream ports are inputs.
//   * Every cycle outside reset is one of: a beat (TVALID and TREADY), stalled (TVALID without
//     TREADY), idle (no TVALID). cycles = beats + stalled + idle.
//   * rate_bytes_o: bytes taken in the last complete window of window_i cycles; rate_valid_o pulses
//     when a new one stands there. window_i = 0 switches the rate off. A change takes effect at
//     once: a window that is already longer than the new value ends with that cycle.
//   * mark_i high: the next packet whose first beat passes the reference is timed, one packet at a
//     time (held high, it times as many packets as possible). Latency counts cycles from the one in
//     which its first beat passes the reference to the one in which its first beat passes the tap;
//     0 if it is the same one. Packets are matched by their order, so the path between must neither
//     lose nor add packets nor change their order. latency_valid_o pulses with each result.
//   * clear_i starts all counters again (see axis_counter), forgets the latency results, drops a
//     measurement that is under way, and starts a new rate window.
//   * Reset when both streams are between packets and nothing is in between (with the link).
//
// Parameters
//   Bytes          width of the tap, >= 1
//   CounterWidth   bits of each counter, >= 8 and > clog2(Bytes+1); counters and latencies saturate
// Latency     counters and results: 1 cycle
// Limits      at most 2^16-1 packets between the reference and the tap
// Source      own design

module axis_meter #(
  parameter int unsigned Bytes        = 32,
  parameter int unsigned CounterWidth = 48
) (
  input logic        clk_i,
  input logic        rst_i,
  input logic        clear_i,
  input logic [31:0] window_i,
  input logic        mark_i,

  input logic [Bytes-1:0] tap_tkeep_i,
  input logic             tap_tlast_i,
  input logic             tap_tvalid_i,
  input logic             tap_tready_i,

  input logic ref_tlast_i,
  input logic ref_tvalid_i,
  input logic ref_tready_i,

  output logic [CounterWidth-1:0] frames_o,
  output logic [CounterWidth-1:0] bytes_o,
  output logic [CounterWidth-1:0] cycles_o,
  output logic [CounterWidth-1:0] stalled_o,
  output logic [CounterWidth-1:0] idle_o,

  output logic                    rate_valid_o,
  output logic [CounterWidth-1:0] rate_bytes_o,

  output logic                    latency_valid_o,
  output logic [CounterWidth-1:0] latency_last_o,
  output logic [CounterWidth-1:0] latency_min_o,
  output logic [CounterWidth-1:0] latency_max_o,
  output logic [CounterWidth-1:0] latency_count_o
);

  localparam int unsigned CountW = $clog2(Bytes + 1);

  if (Bytes < 1) begin : gen_bad_bytes
    $error("axis_meter %m: rule Bytes >= 1, got %0d", Bytes);
  end
  if (CounterWidth < 8 || CounterWidth <= CountW) begin : gen_bad_counter
    $error("axis_meter %m: rule CounterWidth >= 8 and > clog2(Bytes+1), got %0d", CounterWidth);
  end

  // ---- Traffic ----
  logic beat;
  logic [CountW-1:0] count, new_bytes;
  assign beat = tap_tvalid_i && tap_tready_i;
  axis_keep_count #(
    .Bytes(Bytes)
  ) u_count (
    .keep_i (tap_tkeep_i),
    .count_o(count)
  );
  assign new_bytes = beat ? count : '0;

  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(1)
  ) u_frames (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (beat && tap_tlast_i),
    .count_o(frames_o)
  );
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(CountW)
  ) u_bytes (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (new_bytes),
    .count_o(bytes_o)
  );
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(1)
  ) u_cycles (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (1'b1),
    .count_o(cycles_o)
  );
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(1)
  ) u_stalled (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (tap_tvalid_i && !tap_tready_i),
    .count_o(stalled_o)
  );
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(1)
  ) u_idle (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (!tap_tvalid_i),
    .count_o(idle_o)
  );

  // ---- Rate: the window's bytes are counted like the others, and cleared when it ends ----
  logic [            31:0] window_q;  // cycles of this window before the present one
  logic [CounterWidth-1:0] window_bytes;
  logic                    window_end_q;  // the cycle before was the last of its window
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(CountW)
  ) u_window (
    .clk_i,
    .rst_i,
    .clear_i(clear_i || window_end_q),
    .inc_i  (new_bytes),
    .count_o(window_bytes)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      window_q     <= '0;
      window_end_q <= 1'b0;
    end else if (clear_i) begin
      window_q     <= 32'd1;
      window_end_q <= window_i == 32'd1;
    end else if (window_q + 32'd1 >= window_i) begin
      window_q     <= '0;
      window_end_q <= window_i != '0;
    end else begin
      window_q     <= window_q + 32'd1;
      window_end_q <= 1'b0;
    end
  end

  logic rate_valid_q;
  logic [CounterWidth-1:0] rate_bytes_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rate_valid_q <= 1'b0;
      rate_bytes_q <= '0;
    end else begin
      rate_valid_q <= window_end_q;
      if (window_end_q) rate_bytes_q <= window_bytes;
    end
  end
  assign rate_valid_o = rate_valid_q;
  assign rate_bytes_o = rate_bytes_q;

  // ---- Latency ----
  logic ref_beat, ref_first, ref_open_q, tap_first, tap_open_q;
  assign ref_beat  = ref_tvalid_i && ref_tready_i;
  assign ref_first = ref_beat && !ref_open_q;
  assign tap_first = beat && !tap_open_q;

  logic [15:0] between_q;  // packets that passed the reference and not yet the tap
  logic        timing_q;  // a marked packet is under way
  logic [15:0] ahead_q;  // packets that pass the tap before it
  logic [CounterWidth-1:0] timer_q, elapsed;
  logic start, done;
  logic [15:0] ahead;
  assign start   = mark_i && ref_first && !clear_i;
  assign ahead   = timing_q ? ahead_q : between_q;
  assign elapsed = timing_q ? timer_q : '0;
  assign done    = (timing_q || start) && !clear_i && tap_first && (ahead == '0);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ref_open_q <= 1'b0;
      tap_open_q <= 1'b0;
      between_q  <= '0;
      timing_q   <= 1'b0;
    end else begin
      if (ref_beat) ref_open_q <= !ref_tlast_i;
      if (beat) tap_open_q <= !tap_tlast_i;
      between_q <= between_q + 16'(ref_first) - 16'(tap_first);
      timing_q  <= (timing_q || start) && !done && !clear_i;
    end
    ahead_q <= ahead - 16'(tap_first);
    timer_q <= (&elapsed) ? elapsed : elapsed + 1'b1;
  end

  logic [CounterWidth-1:0] last_q, min_q, max_q;
  logic valid_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i) begin
      valid_q <= 1'b0;
      last_q  <= '0;
      min_q   <= '1;
      max_q   <= '0;
    end else begin
      valid_q <= done;
      if (done) begin
        last_q <= elapsed;
        if (elapsed < min_q) min_q <= elapsed;
        if (elapsed > max_q) max_q <= elapsed;
      end
    end
  end
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(1)
  ) u_latencies (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (done),
    .count_o(latency_count_o)
  );
  assign latency_valid_o = valid_q;
  assign latency_last_o  = last_q;
  assign latency_min_o   = min_q;
  assign latency_max_o   = max_q;

endmodule
