// SPDX-License-Identifier: Apache-2.0
//
// Proof of line_aligner at reduced parameters, for every input and every reset pattern.
//
// The monitor keeps its own history of the checked headers. It looks into the design only for the
// word counter (to tell at which place of the line the search stands) and for the lemmas (l_*) that
// the induction needs.

module line_aligner_formal #(
  parameter int unsigned Width         = 4,
  parameter int unsigned WordsPerFrame = 3,
  parameter int unsigned LockFrames    = 4,
  parameter int unsigned BadLimit      = 2
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic [Width-1:0] data_i
);

  localparam int unsigned SlipWidth = $clog2(Width);
  localparam int unsigned IndexWidth = $clog2(WordsPerFrame);
  localparam int unsigned Positions = Width * WordsPerFrame;

  localparam logic [SlipWidth-1:0] SlipLast = SlipWidth'(Width - 1);
  localparam logic [IndexWidth-1:0] IndexLast = IndexWidth'(WordsPerFrame - 1);

  logic [     Width-1:0] data;
  logic [IndexWidth-1:0] index;
  logic first, last, aligned;
  logic [SlipWidth-1:0] slip;

  line_aligner #(
    .Width        (Width),
    .WordsPerFrame(WordsPerFrame),
    .LockFrames   (LockFrames),
    .BadLimit     (BadLimit)
  ) u_aligner (
    .clk_i,
    .rst_i,
    .data_i,
    .data_o   (data),
    .index_o  (index),
    .first_o  (first),
    .last_o   (last),
    .aligned_o(aligned),
    .slip_o   (slip)
  );

  // ---- monitor ------------------------------------------------------------------------------------

  logic started_q = 1'b0;  // a reset has been seen, all registers are known
  logic live_q = 1'b0;  // a word stands in data
  logic check, legal;

  assign check = live_q && index == '0;
  assign legal = data[Width-1] != data[Width-2];

  logic [LockFrames-1:0] legal_q;  // verdicts of the search, newest at bit 0
  int unsigned window_q, wbad_q;  // aligned: checks and illegal ones in this window

  // The place in the line at which the search stands, word phase and bit slip as one number. The
  // phase is that of the word that goes into data next, against a free-running word counter.
  logic [IndexWidth-1:0] clock_q;
  int unsigned phase, place;

  always_comb begin
    phase = (32'(clock_q) + WordsPerFrame - 32'(u_aligner.idx_q)) % WordsPerFrame;
    place = phase * Width + 32'(slip);
  end

  always_ff @(posedge clk_i) begin
    clock_q <= (rst_i || clock_q == IndexWidth'(WordsPerFrame - 1)) ? '0 : clock_q + 1'b1;
    live_q  <= started_q && !rst_i;
    if (rst_i) begin
      started_q <= 1'b1;
      legal_q   <= '0;
      window_q  <= 0;
      wbad_q    <= 0;
    end else if (check) begin
      if (!aligned) begin
        legal_q  <= {legal_q[LockFrames-2:0], legal};
        window_q <= 0;
        wbad_q   <= 0;
      end else begin
        legal_q  <= '0;
        window_q <= (window_q == LockFrames - 1) ? 0 : window_q + 1;
        wbad_q   <= (window_q == LockFrames - 1) ? 0 : wbad_q + 32'(!legal);
      end
    end
  end

  // What was true one clock ago.
  logic [Width-1:0] raw_q, raw_qq;
  logic [ SlipWidth-1:0] slip_q;
  logic [IndexWidth-1:0] index_q;
  logic aligned_q, rst_q, live_qq, illegal_q, all_legal_q, enough_bad_q;
  int unsigned place_q;

  always_ff @(posedge clk_i) begin
    raw_q        <= data_i;
    raw_qq       <= raw_q;
    slip_q       <= slip;
    index_q      <= index;
    aligned_q    <= aligned;
    rst_q        <= rst_i;
    live_qq      <= live_q;
    illegal_q    <= check && !legal;
    all_legal_q  <= check && legal && (&legal_q[LockFrames-2:0]);
    enough_bad_q <= check && !legal && wbad_q == BadLimit - 1;
    place_q      <= place;
  end

  // ---- properties ---------------------------------------------------------------------------------

  always_comb begin
    if (started_q) begin
      a_reset : assert (!rst_q || (!aligned && !first && !last && index == '0 && slip == SlipLast));
      a_first : assert (first == check);
      a_last : assert (last == (live_q && index == IndexLast));
      a_range : assert (32'(index) < WordsPerFrame && 32'(slip) < Width);
      // The word register: bits slip + 1 .. slip + Width of the last two raw words.
      a_data : assert (!live_qq || rst_q || data == Width'({raw_q, raw_qq} >> (32'(slip_q) + 1)));
      // The first word after reset is a raw word as it is, whatever came before, and has index 0.
      a_first_word : assert (!live_q || live_qq || (data == raw_q && index == '0));
    end

    if (started_q && !rst_q) begin
      // Aligned rises exactly on LockFrames legal headers in a row since reset or the last loss.
      a_rise : assert ((aligned && !aligned_q) == (!aligned_q && all_legal_q));
      // It falls exactly on the BadLimit-th illegal header of a window.
      a_fall : assert ((!aligned && aligned_q) == (aligned_q && enough_bad_q));
      // The place moves on by exactly one bit with each illegal header of the search, else never:
      // no position is left out.
      a_search :
      assert (place == ((!aligned_q && illegal_q) ? (place_q + 1) % Positions : place_q));
    end

    if (started_q && live_qq && live_q) begin
      // The index goes on by one, or stays at 1 just after the slip wrapped.
      a_index :
      assert (index == ((index_q == IndexLast) ? '0 : index_q + 1'b1)
              || (slip_q == '0 && index_q == IndexWidth'(1) && index == index_q && !aligned));
    end

    // Lemmas for the induction: the design's state in terms of the monitor's.
    if (started_q) begin
      l_search :
      assert (aligned || (u_aligner.bad_q == '0 && 32'(u_aligner.count_q) < LockFrames
                          && !legal_q[u_aligner.count_q]));
      l_row : assert (aligned || (legal_q | ({LockFrames{1'b1}} << u_aligner.count_q)) == '1);
      l_window :
      assert (!aligned || (32'(u_aligner.count_q) == window_q && window_q < LockFrames
                           && 32'(u_aligner.bad_q) == wbad_q && wbad_q < BadLimit));
      l_idx : assert (32'(u_aligner.idx_q) < WordsPerFrame && 32'(clock_q) < WordsPerFrame);
      l_live : assert (live_q || rst_q);
    end

    c_align : cover (started_q && aligned);
    c_loss : cover (started_q && !rst_q && aligned_q && !aligned);
    c_wrap : cover (started_q && !rst_q && slip == '0 && slip_q != '0);
    c_stay : cover (started_q && live_qq && live_q && index == index_q);
  end

endmodule
