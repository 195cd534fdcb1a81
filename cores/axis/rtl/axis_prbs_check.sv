// SPDX-License-Identifier: Apache-2.0
//
// axis_prbs_check: compares a stream with PRBS-31 and counts what is wrong.
//
// What    Passive tap on a stream that carries the sequence of axis_prbs_source.
//         Self-synchronising: it needs no seed and may start anywhere. Once synchronised it runs
//         its own copy of the sequence, so that each wrong bit counts once.
// Why     Proof that a link delivers every byte once, in order, unchanged, at full rate.
//
// Contract
//   * Looks at beats with TVALID and TREADY; TKEEP contiguous from lane 0. Bit 0 of a byte comes
//     first. Packet ends do not matter for the sequence, they are only counted.
//   * Hunting: the 31 bits received before a beat predict it. 16 bytes in a row as predicted give
//     synchronisation, if the sequence is not the all-zero one. Bytes received until then count as
//     skipped and their errors do not count.
//   * Synchronised: every wrong bit counts in bit_errors_o. Bits and errors are summed over windows
//     of at least 256 bits; a window with 1/8 of its bits wrong or more loses synchronisation
//     (losses_o counts) and hunting starts again. A lost or doubled byte makes half of all bits
//     wrong, so it shows as some 128 bit errors or more and one loss; a run of zeros likewise.
//   * hunt_i gives up the synchronisation, without counting a loss. It stands while there is no
//     beat.
//   * clear_i starts all counters again (see axis_counter) and leaves the synchronisation alone.
//
// Parameters
//   Bytes          width of the stream, >= 1 and at most 4096
//   CounterWidth   bits of each counter, >= 16 and > clog2(8*Bytes+1); counters saturate
// Latency     frames_o, bytes_o, skipped_o: 2 cycles; bit_errors_o: 3; losses_o: 4. in_sync_o: 1
//             cycle after the byte that completes synchronisation
// Limits      error-free operation is `in_sync_o`, and since the last clear no bit errors, no
//             losses and skipped_o unchanged since the first synchronisation
// Source      PRBS-31: ITU-T O.150 section 5.8 (here not inverted)

module axis_prbs_check #(
  parameter int unsigned Bytes        = 32,
  parameter int unsigned CounterWidth = 48
) (
  input logic clk_i,
  input logic rst_i,
  input logic clear_i,
  input logic hunt_i,

  input logic [Bytes*8-1:0] tap_tdata_i,
  input logic [  Bytes-1:0] tap_tkeep_i,
  input logic               tap_tlast_i,
  input logic               tap_tvalid_i,
  input logic               tap_tready_i,

  output logic                    in_sync_o,
  output logic [CounterWidth-1:0] frames_o,
  output logic [CounterWidth-1:0] bytes_o,
  output logic [CounterWidth-1:0] skipped_o,
  output logic [CounterWidth-1:0] bit_errors_o,
  output logic [CounterWidth-1:0] losses_o
);

  if (Bytes < 1 || Bytes > 4096) begin : gen_bad_bytes
    $error("axis_prbs_check %m: rule 1 <= Bytes <= 4096, got %0d", Bytes);
  end
  if (CounterWidth < 16 || CounterWidth <= $clog2(8 * Bytes + 1)) begin : gen_bad_counter
    $error(
        "axis_prbs_check %m: rule CounterWidth >= 16 and > clog2(8*Bytes+1), got %0d", CounterWidth
    );
  end

  localparam int unsigned CountW = $clog2(Bytes + 1);
  localparam int unsigned ErrorsW = $clog2(Bytes * 8 + 1);
  localparam int unsigned SyncBytes = 16;
  localparam int unsigned RunW = 5;  // run_q: 0 .. SyncBytes
  localparam int unsigned Window = 256;  // bits
  localparam int unsigned WindowW = $clog2(Window + Bytes * 8 + 1) + 3;

  logic beat;
  assign beat = tap_tvalid_i && tap_tready_i;

  logic [CountW-1:0] count;
  axis_keep_count #(
    .Bytes(Bytes)
  ) u_count (
    .keep_i (tap_tkeep_i),
    .count_o(count)
  );

  // ---- Compare ----
  logic [30:0] state_q, state_d;
  logic [Bytes*8-1:0] wrong;
  logic [Bytes*8+31-1:0] own, received;
  logic sync_q;
  axis_prbs_step #(
    .Bits(Bytes * 8)
  ) u_step (
    .state_i   (state_q),
    .sequence_o(own)
  );
  always_comb begin
    for (int unsigned j = 0; j < Bytes; j++) begin
      wrong[8*j+:8] = (own[31+8*j+:8] ^ tap_tdata_i[8*j+:8]) & {8{tap_tkeep_i[j]}};
    end
  end
  assign received = {tap_tdata_i, state_q};
  assign state_d  = sync_q ? own[8*count+:31] : received[8*count+:31];

  // ---- Synchronisation ----
  logic lose;
  logic [RunW-1:0] run_q, run_d;  // bytes as predicted, up to SyncBytes
  always_comb begin
    run_d = run_q;
    if (|wrong || state_d == '0) run_d = '0;
    else if (32'(run_q) + 32'(count) >= SyncBytes) run_d = RunW'(SyncBytes);
    else run_d = run_q + RunW'(count);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      sync_q  <= 1'b0;
      run_q   <= '0;
      state_q <= '0;
    end else begin
      if (beat) state_q <= state_d;
      if (lose || hunt_i) begin
        sync_q <= 1'b0;
        run_q  <= '0;
      end else if (beat && !sync_q) begin
        run_q  <= run_d;
        sync_q <= run_d == RunW'(SyncBytes);
      end
    end
  end
  assign in_sync_o = sync_q;

  // ---- Errors: of each byte, then their sum, then counters and window, one stage each ----
  logic [Bytes-1:0][3:0] byte_errors, byte_errors_q;
  logic compared_q, summed_q;
  logic [CountW-1:0] compared_bytes_q, summed_bytes_q;
  logic [ErrorsW-1:0] sum, errors_q;
  always_comb begin
    byte_errors = '0;
    sum         = '0;
    for (int unsigned j = 0; j < Bytes; j++) begin
      for (int unsigned i = 0; i < 8; i++) byte_errors[j] = byte_errors[j] + 4'(wrong[8*j+i]);
      sum = sum + ErrorsW'(byte_errors_q[j]);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      compared_q <= 1'b0;
      summed_q   <= 1'b0;
    end else begin
      compared_q <= beat && sync_q;
      summed_q   <= compared_q;
    end
    byte_errors_q    <= byte_errors;
    compared_bytes_q <= count;
    errors_q         <= sum;
    summed_bytes_q   <= compared_bytes_q;
  end

  logic [ErrorsW-1:0] new_errors;
  logic [WindowW-1:0] bits_q, bits_sum, wrong_bits_q, wrong_bits_sum;
  logic window_end;
  assign new_errors     = summed_q ? errors_q : '0;
  assign bits_sum       = bits_q + (summed_q ? (WindowW'(summed_bytes_q) << 3) : '0);
  assign wrong_bits_sum = wrong_bits_q + WindowW'(new_errors);
  assign window_end     = bits_sum >= WindowW'(Window);
  assign lose           = sync_q && window_end && ((wrong_bits_sum << 3) >= bits_sum);
  always_ff @(posedge clk_i) begin
    if (rst_i || window_end || !sync_q) begin
      bits_q       <= '0;
      wrong_bits_q <= '0;
    end else begin
      bits_q       <= bits_sum;
      wrong_bits_q <= wrong_bits_sum;
    end
  end

  // ---- Counters ----
  // One register keeps comparisons and counts of lanes out of the counters' carry chains.
  logic lose_q, frame_q;
  logic [CountW-1:0] new_bytes_q, new_skipped_q;
  always_ff @(posedge clk_i) begin
    lose_q        <= lose && !rst_i;
    frame_q       <= beat && tap_tlast_i && !rst_i;
    new_bytes_q   <= (beat && !rst_i) ? count : '0;
    new_skipped_q <= (beat && !sync_q && !rst_i) ? count : '0;
  end

  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(1)
  ) u_frames (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (frame_q),
    .count_o(frames_o)
  );
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(CountW)
  ) u_bytes (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (new_bytes_q),
    .count_o(bytes_o)
  );
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(CountW)
  ) u_skipped (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (new_skipped_q),
    .count_o(skipped_o)
  );
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(ErrorsW)
  ) u_bit_errors (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (new_errors),
    .count_o(bit_errors_o)
  );
  axis_counter #(
    .Width(CounterWidth),
    .IncWidth(1)
  ) u_losses (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i  (lose_q),
    .count_o(losses_o)
  );

endmodule
