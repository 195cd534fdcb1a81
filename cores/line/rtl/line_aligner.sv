// SPDX-License-Identifier: Apache-2.0
//
// line_aligner: finds the frame boundary in a raw lane by its two sync bits.
//
// What      The transceiver hands over words of Width bits cut at an arbitrary place. Every frame
//           is WordsPerFrame * Width bits long and the two top bits of its first word (the last two
//           of that word in line time) are never equal: 01 or 10. This block tries one bit
//           position after the other until that holds, delivers aligned words with their index in
//           the frame, and tells when the position is lost.
// Why       No slip port of the transceiver, no gearbox: any raw parallel PHY will do.
//
// Contract  data_i is a word per clk_i cycle without gaps; bit 0 is first in line time.
//           data_o, index_o, first_o and last_o are flip-flops and belong together.
//           The outputs run on while the block searches: aligned_o = 0 says they mean nothing.
//           aligned_o = 1 says that sync bits were found, not that the data is right: a line that
//           carries a constant pattern with a 01 or 10 (for example ...1010...) aligns too. Use a
//           check code behind it.
//
// Cycle semantics, exact (registers change at the end of the cycle; N = WordsPerFrame)
//   State: prev, slip, idx, data_o, index_o (with first_o, last_o), aligned_o, count, bad.
//   In every cycle
//   1. word:  data_o  <= the low Width bits of {data_i, prev} >> (slip + 1);   prev <= data_i
//             index_o <= idx;  first_o <= (idx == 0);  last_o <= (idx == N-1)
//             idx     <= idx + 1 modulo N
//   2. check, when first_o = 1: legal = data_o[Width-1] != data_o[Width-2]
//      searching (aligned_o = 0)
//        legal:    count <= count + 1; if this was the LockFrames-th in a row:
//                  aligned_o <= 1, count <= 0 (bad is 0 during the search)
//        illegal:  count <= 0 and STEP: slip <= slip + 1 modulo Width; if slip was Width-1, idx
//                  keeps its value at this clock edge instead of going on (the boundary moves one
//                  word later; index_o then shows the same number in two words running)
//      aligned (aligned_o = 1), windows of LockFrames checked frames, the first one starting with
//      the first check after locking
//        illegal and bad = BadLimit-1: aligned_o <= 0, count <= 0, bad <= 0; no step
//        else at the last frame of the window: count <= 0, bad <= 0
//        else: count <= count + 1; illegal: bad <= bad + 1
//   Consequences
//   * Latency of a word is one cycle (data_i of cycle t completes the word in data_o in t + 1).
//   * A word with index 0 is checked in the cycle in which it stands in data_o. A step takes effect
//     in the next cycle, so the word with index 1 still has the old slip and every later one has
//     the new slip. After a step the next word with index 0 comes N words after the checked one,
//     or N + 1 when slip wrapped to 0 (indices 0, 1, 1, 2, .. N-1, 0).
//   * aligned_o changes at the end of the cycle in which the deciding header stands in data_o, so
//     the word with index 1 is the first one that comes with the new value. The slip does not
//     change at that moment: the rest of the frame is cut at the same place as its first word.
//   * After a reset edge no word stands in data_o, until the first edge without reset: index_o = 0,
//     first_o = last_o = aligned_o = 0, slip = Width-1, idx = 0. The data_i of the first cycle
//     without reset is the first word, index 0, as it is (a shift by Width).
//
// Parameters  Width          bits in a word, >= 2
//             WordsPerFrame  words in a frame, >= 2 (a step needs the second word to take effect)
//             LockFrames     legal headers in a row to align, and window length, >= 2
//             BadLimit       illegal headers in a window that lose alignment, 1 .. LockFrames
// Limits    Search time: there are Width * N positions and a wrong one survives 2 checks on average
//           if the payload looks random, so the search takes about 2 frames for each position that
//           lies before the right one (the furthest: 2 * Width * N frames on average) and then
//           LockFrames frames. A position with legal bits by chance in LockFrames frames in a row
//           (probability 2^-LockFrames each) would be taken for the right one.
//           A slip of the line is noticed by the BadLimit-th illegal header of a window, after
//           about 2 * BadLimit frames.
// Source    RIFL paper, alignment by the sync bits of the frame; the rule of windows and the
//           tolerated headers is ours (the paper drops the lane on any illegal header).

module line_aligner #(
  parameter  int unsigned Width         = 64,
  parameter  int unsigned WordsPerFrame = 4,
  parameter  int unsigned LockFrames    = 64,
  parameter  int unsigned BadLimit      = 4,
  // At least one bit each, so that an illegal parameter meets its rule below and nothing else.
  localparam int unsigned SlipWidth     = (Width > 2) ? $clog2(Width) : 1,
  localparam int unsigned IndexWidth    = (WordsPerFrame > 2) ? $clog2(WordsPerFrame) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic [     Width-1:0] data_i,
  output logic [     Width-1:0] data_o,
  output logic [IndexWidth-1:0] index_o,
  output logic                  first_o,
  output logic                  last_o,
  output logic                  aligned_o,
  output logic [ SlipWidth-1:0] slip_o
);

  if (Width < 2) begin : gen_bad_width
    $error("line_aligner %m: Width must be at least 2, got %0d", Width);
  end
  if (WordsPerFrame < 2) begin : gen_bad_words
    $error("line_aligner %m: WordsPerFrame must be at least 2, got %0d", WordsPerFrame);
  end
  if (LockFrames < 2) begin : gen_bad_lock
    $error("line_aligner %m: LockFrames must be at least 2, got %0d", LockFrames);
  end
  if (BadLimit < 1 || BadLimit > LockFrames) begin : gen_bad_limit
    $error(
        "line_aligner %m: BadLimit must be 1 .. LockFrames (%0d), got %0d", LockFrames, BadLimit
    );
  end

  localparam int unsigned CountWidth = (LockFrames > 2) ? $clog2(LockFrames) : 1;
  localparam int unsigned BadWidth = (BadLimit > 2) ? $clog2(BadLimit) : 1;
  localparam int unsigned Stages = (SlipWidth + 1) / 2;  // 4:1 multiplexer stages

  localparam logic [SlipWidth-1:0] SlipLast = SlipWidth'(Width - 1);
  localparam logic [IndexWidth-1:0] IndexLast = IndexWidth'(WordsPerFrame - 1);
  localparam logic [CountWidth-1:0] CountLast = CountWidth'(LockFrames - 1);
  localparam logic [BadWidth-1:0] BadLast = BadWidth'(BadLimit - 1);

  // ---- word: cut Width bits out of the last two raw words --------------------------------------

  // Bit 0 of the older word is never needed: the shift is at least 1.
  logic [Width-1:1] prev_q;
  logic [Width-1:0] data_q, data_d;
  logic [SlipWidth-1:0] slip_q, slip_d;
  logic [IndexWidth-1:0] idx_q, idx_d, index_q;
  logic first_q, last_q;

  // The shift by one is wiring. The shift by slip is cut into base-4 digits, the largest first,
  // so that each stage is one 4:1 multiplexer (one LUT6) a bit and the vector shrinks at once.
  function automatic logic [Width-1:0] cut(input logic [2*Width-2:0] window,
                                           input logic [SlipWidth-1:0] slip);
    logic [2*Width-2:0] rest;
    rest = window;
    for (int k = int'(Stages) - 1; k >= 0; k--) begin
      rest = rest >> (slip & (SlipWidth'(3) << (2 * k)));
    end
    return rest[Width-1:0];
  endfunction

  assign data_d = cut({data_i, prev_q}, slip_q);

  always_ff @(posedge clk_i) begin
    prev_q <= data_i[Width-1:1];
    data_q <= data_d;
  end

  // ---- check: once a frame, on the registered word ----------------------------------------------

  logic aligned_q, aligned_d;
  logic [CountWidth-1:0] count_q, count_d;  // searching: good headers in a row; aligned: window
  logic [BadWidth-1:0] bad_q, bad_d;
  logic legal, count_last, step;

  assign legal      = data_q[Width-1] ^ data_q[Width-2];
  assign count_last = count_q == CountLast;
  assign step       = first_q && !aligned_q && !legal;

  always_comb begin
    aligned_d = aligned_q;
    count_d   = count_q;
    bad_d     = bad_q;
    if (first_q) begin
      count_d = count_last ? '0 : count_q + 1'b1;
      if (!aligned_q) begin
        if (!legal) begin
          count_d = '0;
        end else if (count_last) begin
          aligned_d = 1'b1;
        end
      end else if (!legal && bad_q == BadLast) begin
        aligned_d = 1'b0;
        count_d   = '0;
        bad_d     = '0;
      end else if (count_last) begin
        bad_d = '0;
      end else if (!legal) begin
        bad_d = bad_q + 1'b1;
      end
    end
  end

  always_comb begin
    slip_d = slip_q;
    idx_d  = (idx_q == IndexLast) ? '0 : idx_q + 1'b1;
    if (step) begin
      slip_d = slip_q + 1'b1;
      if (slip_q == SlipLast) begin
        slip_d = '0;
        idx_d  = idx_q;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      slip_q    <= SlipLast;
      idx_q     <= '0;
      index_q   <= '0;
      first_q   <= 1'b0;
      last_q    <= 1'b0;
      aligned_q <= 1'b0;
      count_q   <= '0;
      bad_q     <= '0;
    end else begin
      slip_q    <= slip_d;
      idx_q     <= idx_d;
      index_q   <= idx_q;
      first_q   <= idx_q == '0;
      last_q    <= idx_q == IndexLast;
      aligned_q <= aligned_d;
      count_q   <= count_d;
      bad_q     <= bad_d;
    end
  end

  assign data_o    = data_q;
  assign index_o   = index_q;
  assign first_o   = first_q;
  assign last_o    = last_q;
  assign aligned_o = aligned_q;
  assign slip_o    = slip_q;

endmodule
