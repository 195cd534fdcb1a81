// SPDX-License-Identifier: Apache-2.0
//
// Proof of line_aligner at reduced parameters, for every input and every reset pattern.
//
// What a word is, how the index runs, and when alignment is lost. Where and when it is found is
// proved by line_aligner_lock_formal. The monitor keeps its own count of the checked headers; it
// looks into the design only for the lemmas (l_*) that the induction needs.

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

  // ---- monitor
  // ------------------------------------------------------------------------------------

  logic started_q = 1'b0;  // a reset has been seen, all registers are known
  logic live_q = 1'b0;  // a word stands in data
  logic check, legal;

  assign check = live_q && index == '0;
  assign legal = data[Width-1] != data[Width-2];

  int unsigned window_q, wbad_q;  // aligned: checks and illegal ones in this window

  always_ff @(posedge clk_i) begin
    live_q <= started_q && !rst_i;
    if (rst_i) begin
      started_q <= 1'b1;
      window_q  <= 0;
      wbad_q    <= 0;
    end else if (check) begin
      if (!aligned) begin
        window_q <= 0;
        wbad_q   <= 0;
      end else begin
        window_q <= (window_q == LockFrames - 1) ? 0 : window_q + 1;
        wbad_q   <= (window_q == LockFrames - 1) ? 0 : wbad_q + 32'(!legal);
      end
    end
  end

  // What was true one clock ago.
  logic [Width-1:0] raw_q, raw_qq;
  logic [ SlipWidth-1:0] slip_q;
  logic [IndexWidth-1:0] index_q;
  logic aligned_q, rst_q, live_qq, enough_bad_q;

  always_ff @(posedge clk_i) begin
    raw_q        <= data_i;
    raw_qq       <= raw_q;
    slip_q       <= slip;
    index_q      <= index;
    aligned_q    <= aligned;
    rst_q        <= rst_i;
    live_qq      <= live_q;
    enough_bad_q <= check && !legal && wbad_q == BadLimit - 1;
  end

  logic rest, last_pass;
  assign rest = u_aligner.pass_q == u_aligner.PassRest;
  assign last_pass = 32'(u_aligner.pass_q) == LockFrames - 1;

  // ---- properties
  // ---------------------------------------------------------------------------------

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
      // Aligned rises with the first word of a frame.
      a_rise : assert (!aligned || aligned_q || first);
      // It falls exactly on the BadLimit-th illegal header of a window.
      a_fall : assert ((!aligned && aligned_q) == (aligned_q && enough_bad_q));
      // The cut moves only during the search.
      a_slip : assert (slip == slip_q || (!aligned && !aligned_q));
    end

    if (started_q && live_qq && live_q) begin
      // The index goes on by one, or starts at 0 with the lock.
      a_index :
      assert (index == ((index_q == IndexLast) ? '0 : index_q + 1'b1)
              || (index == '0 && aligned && !aligned_q));
    end

    // Lemmas for the induction: the design's state in terms of the monitor's.
    if (started_q) begin
      l_window :
      assert (!aligned || (32'(u_aligner.count_q) == window_q && window_q < LockFrames
                           && 32'(u_aligner.bad_q) == wbad_q && wbad_q < BadLimit));
      l_idx : assert (32'(u_aligner.idx_q) < WordsPerFrame);
      l_live : assert (live_q || rst_q);
      // The search: rest and passes, when its pipeline is busy, and that one hit is a place.
      l_pass :
      assert (32'(u_aligner.pass_q) <= LockFrames && !(aligned && u_aligner.found_q)
              && (!(aligned || u_aligner.found_q) || (u_aligner.pass_q == u_aligner.PassRest
                  && !u_aligner.hit && !u_aligner.many && !u_aligner.counting_q)));
      l_counting :
      assert (!u_aligner.counting_q || (32'(u_aligner.alive_index_q) < WordsPerFrame
              && (rest ? u_aligner.idx_q == '0 : last_pass && u_aligner.idx_q != '0)));
      l_counted :
      assert (!(u_aligner.one_q || u_aligner.more_q)
              || (rest ? 32'(u_aligner.idx_q) < 2 : last_pass && 32'(u_aligner.idx_q) > 1));
      l_hit :
      assert (!((u_aligner.hit && !u_aligner.many) || u_aligner.found_q)
              || (32'(u_aligner.hit_slip_q) < Width
                  && 32'(u_aligner.hit_index_q) < WordsPerFrame));
    end

    c_align : cover (started_q && aligned);
    c_loss : cover (started_q && !rst_q && aligned_q && !aligned);
    c_jump : cover (started_q && !rst_q && !aligned_q && aligned && index_q != IndexLast);
  end

endmodule
