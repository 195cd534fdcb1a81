// SPDX-License-Identifier: Apache-2.0
//
// Proof of where and when line_aligner locks, at reduced parameters, from reset on.
//
// The monitor watches every position of the line by itself: word places against a free-running
// counter, bit places in a word, and the verdicts of the last frames on each. When the design
// locks, the place it has taken was legal in LockFrames frames in a row, and no other place was.
// With Repeat = 1 the line repeats itself every frame, whatever it carries; then the design never
// locks.

module line_aligner_lock_formal #(
  parameter int unsigned Width         = 3,
  parameter int unsigned WordsPerFrame = 2,
  parameter int unsigned LockFrames    = 3,
  parameter bit          Repeat        = 1'b0
) (
  input logic             clk_i,
  input logic [Width-1:0] data_i
);

  localparam int unsigned SlipWidth = $clog2(Width);
  localparam int unsigned IndexWidth = $clog2(WordsPerFrame);

  // One reset, in the first cycle.
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic [     Width-1:0] data;
  logic [IndexWidth-1:0] index;
  logic first, last, aligned;
  logic [SlipWidth-1:0] slip;

  line_aligner #(
    .Width        (Width),
    .WordsPerFrame(WordsPerFrame),
    .LockFrames   (LockFrames),
    .BadLimit     (1)
  ) u_aligner (
    .clk_i,
    .rst_i    (!started_q),
    .data_i,
    .data_o   (data),
    .index_o  (index),
    .first_o  (first),
    .last_o   (last),
    .aligned_o(aligned),
    .slip_o   (slip)
  );

  // Verdicts on each place, newest at bit 0; two more than a search has, because one or two more
  // frames come between its last one and the lock. clock_q numbers the words; raw_q are the last
  // ones.
  logic [IndexWidth-1:0] clock_q = '0;
  logic [Width-1:0] raw_q;
  logic [WordsPerFrame-1:0][Width-1:0] raw_frame_q;
  logic [WordsPerFrame-1:0][Width-1:0][LockFrames+1:0] legal_q;
  logic [Width-1:0] legal;
  logic [3:0] frames_q = '0;  // whole frames since reset, saturating
  assign legal = data_i ^ {data_i[Width-2:0], raw_q[Width-1]};

  always_ff @(posedge clk_i) begin
    clock_q <= (clock_q == IndexWidth'(WordsPerFrame - 1)) ? '0 : clock_q + 1'b1;
    raw_q <= data_i;
    raw_frame_q[clock_q] <= data_i;
    for (int unsigned s = 0; s < Width; s++) begin
      legal_q[clock_q][s] <= {legal_q[clock_q][s][LockFrames:0], legal[s]};
    end
    if (clock_q == IndexWidth'(WordsPerFrame - 1) && frames_q != '1) frames_q <= frames_q + 1'b1;
  end

  always_comb begin
    if (Repeat) assume (frames_q == '0 || data_i == raw_frame_q[clock_q]);
  end

  // The word with index 0 stands in data one cycle after it came.
  logic aligned_q = 1'b0;
  logic [IndexWidth-1:0] clock_qq;
  always_ff @(posedge clk_i) begin
    aligned_q <= aligned;
    clock_qq  <= clock_q;
  end

  logic lock;
  assign lock = started_q && aligned && !aligned_q;

  if (Repeat) begin : gen_repeat
    always_comb assert (!started_q || !aligned);
  end else begin : gen_lock
    for (genvar c = 0; c < WordsPerFrame; c++) begin : gen_word
      for (genvar s = 0; s < Width; s++) begin : gen_bit
        logic here, row, longer_row;
        assign here = c == 32'(clock_qq) && s == 32'(slip);
        assign row = &legal_q[c][s][LockFrames:1] || &legal_q[c][s][LockFrames+1:2];
        assign longer_row = &legal_q[c][s];
        always_comb begin
          assert (!lock || (here ? row : !longer_row));
          assert (!lock || !here || first);
        end
      end
    end
  end

endmodule
