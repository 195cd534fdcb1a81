// SPDX-License-Identifier: Apache-2.0
//
// line_aligner: finds the frame boundary in a raw lane by its two sync bits.
//
// What      The transceiver hands over words of Width bits cut at an arbitrary place. Every frame
//           is WordsPerFrame * Width bits long and the two top bits of its first word (the last two
//           of that word in line time) are never equal: 01 or 10. This block watches all bit
//           positions of a frame at once, takes the one at which that has held for LockFrames
//           frames if there is exactly one, delivers aligned words with their index in the frame,
//           and tells when the position is lost.
// Why       No slip port of the transceiver, no gearbox: any raw parallel PHY will do. All
//           positions at once, because one after the other takes thousands of frames.
//
// Contract  data_i is a word per clk_i cycle without gaps; bit 0 is first in line time.
//           data_o, index_o, first_o and last_o are flip-flops and belong together. aligned_o rises
//           with the first word of a frame.
//           The outputs run on while the block searches: aligned_o = 0 says they mean nothing.
//           aligned_o = 1 says that sync bits were found, not that the data is right: use a check
//           code behind it.
//           A line that repeats itself every frame (a constant word, ...1010..., one and the same
//           frame for ever) never aligns: round a cycle of bits the number of places where two
//           neighbours differ is even, so it is never the one place asked for.
//
// Cycle semantics, exact (registers change at the end of the cycle; N = WordsPerFrame)
//   State: prev, slip, idx, data_o, index_o (with first_o, last_o), aligned_o, count, bad; of the
//   search: pass, mask[N], hits with the place of the last one, found.
//   In every cycle
//   1. word:  data_o  <= the low Width bits of {data_i, prev} >> (slip + 1);   prev <= data_i
//             i       =  0 if found = 1 and idx is the index of the hit (LOCK), else idx
//             index_o <= i;  first_o <= (i == 0);  last_o <= (i == N-1);  idx <= i + 1 modulo N
//             LOCK: aligned_o <= 1, found <= 0, count <= 0, bad <= 0
//   2. search, when aligned_o = 0 and found = 0. A pass is the N cycles from idx = 0 to idx = N-1.
//        bit s of `legal` says that a word cut here with slip s would have a legal header:
//        legal = data_i ^ {data_i[Width-2:0], prev[Width-1]}
//        pass 0 .. LockFrames-1:  mask[idx] <= legal in pass 0, mask[idx] & legal in the others.
//          In the last of them each bit set of that is a hit, at slip s and index idx.
//        pass LockFrames (rest):  at idx = 1, if there was exactly one hit: slip <= its slip,
//          found <= 1, hits <= 0.
//        at idx = N-1, if found stays 0: pass <= pass + 1, or 0 after the rest.
//        pass 0 forgets the hits. (Hits are counted two cycles late, which nobody can see.)
//   3. check, when first_o = 1 and aligned_o = 1: legal = data_o[Width-1] != data_o[Width-2]
//      windows of LockFrames checked frames, the first one starting with LOCK
//        illegal and bad = BadLimit-1: aligned_o <= 0 (pass is LockFrames, so the search begins
//        with
//                  the next idx = 0)
//        else at the last frame of the window: count <= 0, bad <= 0
//        else: count <= count + 1; illegal: bad <= bad + 1
//   Consequences
//   * Latency of a word is one cycle (data_i of cycle t completes the word in data_o in t + 1).
//   * From a reset or a loss to LOCK: LockFrames frames and at most two more, wherever the
//     boundary is, if no header was damaged and no wrong position survived; else as long again.
//   * After a reset edge no word stands in data_o, until the first edge without reset: index_o = 0,
//     first_o = last_o = aligned_o = 0, slip = Width-1, idx = 0, pass = LockFrames. The data_i of
//     the first cycle without reset is the first word, index 0, as it is (a shift by Width).
//
// Parameters  Width          bits in a word, >= 2
//             WordsPerFrame  words in a frame, >= 2
//             LockFrames     frames of a search, and window length, >= 2
//             BadLimit       illegal headers in a window that lose alignment, 1 .. LockFrames
// Limits    A wrong position survives a search with probability 2^-LockFrames if the payload looks
//           random; one survivor of Width * N positions costs a second search.
//           A slip of the line is noticed by the BadLimit-th illegal header of a window, after
//           about 2 * BadLimit frames.
// Source    RIFL paper, alignment by the sync bits of the frame; the parallel search and the rule
//           of windows and tolerated headers are ours (the paper drops the lane on any illegal
//           header).

module line_aligner #(
  parameter  int unsigned Width         = 64,
  parameter  int unsigned WordsPerFrame = 4,
  parameter  int unsigned LockFrames    = 32,
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
  localparam int unsigned PassWidth = $clog2(LockFrames + 1);
  localparam int unsigned BadWidth = (BadLimit > 2) ? $clog2(BadLimit) : 1;
  localparam int unsigned Stages = (SlipWidth + 1) / 2;  // 4:1 multiplexer stages

  localparam logic [SlipWidth-1:0] SlipLast = SlipWidth'(Width - 1);
  localparam logic [IndexWidth-1:0] IndexLast = IndexWidth'(WordsPerFrame - 1);
  localparam logic [CountWidth-1:0] CountLast = CountWidth'(LockFrames - 1);
  localparam logic [PassWidth-1:0] PassRest = PassWidth'(LockFrames);
  localparam logic [BadWidth-1:0] BadLast = BadWidth'(BadLimit - 1);

  // ---- word: cut Width bits out of the last two raw words --------------------------------------

  // Bit 0 of the older word is never needed: the shift is at least 1.
  logic [Width-1:1] prev_q;
  logic [Width-1:0] data_q, data_d;
  logic [SlipWidth-1:0] slip_q;
  logic [IndexWidth-1:0] idx_q, index_d, index_q;
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

  // ---- search: all positions of a frame, one word of them per cycle -----------------------------

  logic aligned_q, found_q, lock, settle;
  logic [PassWidth-1:0] pass_q;
  logic [Width-1:0] legal_here, alive_before, alive, alive_q;
  logic [IndexWidth-1:0] alive_index_q, hit_index_q;
  logic [SlipWidth-1:0] hit_slip_q;
  logic counting_q;  // alive_q is of the last pass
  logic one_q, more_q;  // of the word before alive_q: at least one hit; more than one
  logic hit_q, hit, many_q, many;  // the same of all words before, and with that one

  assign legal_here = data_i ^ {data_i[Width-2:0], prev_q[Width-1]};
  assign alive = legal_here & (alive_before | {Width{pass_q == '0}});

  prim_ram_lut #(
    .Width(Width),
    .Depth(WordsPerFrame)
  ) u_mask (
    .clk_i    (clk_i),
    .wr_en_i  (pass_q != PassRest),
    .wr_addr_i(idx_q),
    .wr_data_i(alive),
    .rd_addr_i(idx_q),
    .rd_data_o(alive_before)
  );

  // {more than one, at least one} bit is set: a tree over pairs.
  function automatic logic [1:0] survivors(input logic [Width-1:0] bits);
    logic [2**SlipWidth-1:0] one, more;
    one  = (2 ** SlipWidth)'(bits);
    more = '0;
    for (int n = 2 ** SlipWidth / 2; n > 0; n = n / 2) begin
      for (int i = 0; i < n; i++) begin
        more[i] = more[2*i] | more[2*i+1] | (one[2*i] & one[2*i+1]);
        one[i]  = one[2*i] | one[2*i+1];
      end
    end
    return {more[0], one[0]};
  endfunction

  // Number of the bit that is set, if it is one.
  function automatic logic [SlipWidth-1:0] place(input logic [Width-1:0] bits);
    place = '0;
    for (int i = 0; i < int'(Width); i++) place |= {SlipWidth{bits[i]}} & SlipWidth'(i);
  endfunction

  assign lock   = found_q && idx_q == hit_index_q;
  assign hit    = hit_q || one_q;
  assign many   = many_q || more_q || (hit_q && one_q);
  assign settle = pass_q == PassRest && idx_q == IndexWidth'(1) && hit && !many;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pass_q     <= PassRest;
      counting_q <= 1'b0;
      one_q      <= 1'b0;
      more_q     <= 1'b0;
      found_q    <= 1'b0;
      hit_q      <= 1'b0;
      many_q     <= 1'b0;
      slip_q     <= SlipLast;
    end else begin
      counting_q <= pass_q == PassWidth'(LockFrames - 1);
      if (counting_q) {more_q, one_q} <= survivors(alive_q);
      else {more_q, one_q} <= '0;
      hit_q  <= hit && !settle && pass_q != '0;
      many_q <= many && pass_q != '0;

      if (settle) begin
        found_q <= 1'b1;
        slip_q  <= hit_slip_q;
      end else if (lock) begin
        found_q <= 1'b0;
      end
      if (idx_q == IndexLast && !aligned_q && !found_q && !settle) begin
        pass_q <= (pass_q == PassRest) ? '0 : pass_q + 1'b1;
      end
    end

    if (pass_q != PassRest) begin
      alive_q <= alive;
      alive_index_q <= idx_q;
    end
    if (counting_q && |alive_q) begin
      hit_slip_q  <= place(alive_q);
      hit_index_q <= alive_index_q;
    end
  end

  // ---- check: once a frame, on the registered word ----------------------------------------------

  logic [CountWidth-1:0] count_q;  // checked frames of the window
  logic [  BadWidth-1:0] bad_q;  // illegal headers among them
  logic legal, count_last;

  assign legal      = data_q[Width-1] ^ data_q[Width-2];
  assign count_last = count_q == CountLast;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      aligned_q <= 1'b0;
    end else if (lock) begin
      aligned_q <= 1'b1;
      count_q   <= '0;
      bad_q     <= '0;
    end else if (first_q && aligned_q) begin
      count_q <= count_last ? '0 : count_q + 1'b1;
      if (!legal && bad_q == BadLast) aligned_q <= 1'b0;
      else if (count_last) bad_q <= '0;
      else if (!legal) bad_q <= bad_q + 1'b1;
    end
  end

  assign index_d = lock ? '0 : idx_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      idx_q   <= '0;
      index_q <= '0;
      first_q <= 1'b0;
      last_q  <= 1'b0;
    end else begin
      idx_q   <= (index_d == IndexLast) ? '0 : index_d + 1'b1;
      index_q <= index_d;
      first_q <= index_d == '0;
      last_q  <= index_d == IndexLast;
    end
  end

  assign data_o    = data_q;
  assign index_o   = index_q;
  assign first_o   = first_q;
  assign last_o    = last_q;
  assign aligned_o = aligned_q;
  assign slip_o    = slip_q;

endmodule
