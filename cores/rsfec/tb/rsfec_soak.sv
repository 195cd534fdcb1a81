// SPDX-License-Identifier: Apache-2.0
//
// rsfec_soak: codewords with errors of all kinds through rsfec_bench, made and checked here, so
// that a million of them takes minutes.
//
// What      Errors of a kind and a number are added to each codeword of random symbols. Up to T of
//           them: every symbol right, nothing marked. More: as it arrived and marked as a whole, or
//           taken for another codeword, which differs from what arrived in at most T symbols. The
//           reports belong to it, and errors_o counts the symbols that were changed. Words come
//           with pauses. Random numbers are those of $urandom.
// Contract  done_o rises when count_i codewords have been looked at. seen_o and missed_o, by kind
//           and number: codewords, and those taken for others. faults_o: those that are not as said
//           above; first_o: the number of the first one.
// Numbers   of wrong symbols: 0 to T + 4, and behind them N. Kinds: anywhere, in a row anywhere, in
//           a row at the beginning, at the end, and across the border of message and parity.

module rsfec_soak #(
  parameter int unsigned N = 528,
  parameter int unsigned K = 514,
  parameter int unsigned Symbols = 32,
  parameter int unsigned Steps = 2,
  parameter int unsigned Scan = 8,
  parameter int unsigned Lanes = 4,
  localparam int unsigned T = (N - K) / 2,
  localparam int unsigned Kinds = 5,
  localparam int unsigned Numbers = T + 6
) (
  input logic clk_i,
  input logic rst_i,
  input logic [31:0] count_i,
  output logic done_o,
  output logic [Kinds-1:0][Numbers-1:0][31:0] seen_o,
  output logic [Kinds-1:0][Numbers-1:0][31:0] missed_o,
  output logic [31:0] faults_o,
  output logic [31:0] first_o
);

  localparam int unsigned Width = 10;
  localparam int unsigned Parts = (N % Symbols == 0) ? 1 : 2;
  localparam int unsigned Part = Symbols / Parts;
  localparam int unsigned Count = N / Part;  // parts of a codeword
  localparam int unsigned Period = Parts * N / Symbols;  // words of Parts codewords
  localparam int unsigned Kept = 256;  // words, more than are on their way
  localparam int unsigned LaneWidth = $clog2(Symbols / Lanes + 1);

  typedef logic [Width-1:0] symbol_t;
  typedef symbol_t [Symbols-1:0] word_t;
  typedef struct packed {
    int unsigned kind;
    int unsigned number;
    int unsigned wrong;
  } pattern_t;

  logic valid, first, coded_valid, out_valid, out_first, corrected, uncorrectable, unused_first;
  word_t message, noise, coded, out;
  logic [Parts-1:0] bad;
  logic [Lanes-1:0][LaneWidth-1:0] errors;
  logic [$clog2(T+2)-1:0] unused_weight;

  rsfec_bench #(
    .N      (N),
    .K      (K),
    .Symbols(Symbols),
    .Steps  (Steps),
    .Scan   (Scan),
    .Lanes  (Lanes)
  ) u_bench (
    .clk_i          (clk_i),
    .rst_i          (rst_i),
    .mode_i         (rsfec_pkg::Correct),
    .valid_i        (valid),
    .first_i        (first),
    .data_i         (message),
    .noise_i        (noise),
    .coded_valid_o  (coded_valid),
    .coded_first_o  (unused_first),
    .coded_o        (coded),
    .valid_o        (out_valid),
    .first_o        (out_first),
    .data_o         (out),
    .bad_o          (bad),
    .corrected_o    (corrected),
    .uncorrectable_o(uncorrectable),
    .errors_o       (errors),
    .weight_o       (unused_weight)
  );

  // ---- What is sent: words by number, modulo Kept ----
  word_t sent_noise[Kept], sent[Kept];
  pattern_t patterns[Kept];  // by codeword
  int unsigned sent_words, coded_words, made;

  function automatic int unsigned below(input int unsigned limit);
    return $urandom % limit;
  endfunction

  function automatic pattern_t chosen();
    pattern_t pattern;
    pattern.kind   = ($urandom & 1) != 0 ? 0 : 1 + below(Kinds - 1);
    pattern.number = below(Numbers);
    pattern.wrong  = (pattern.number == Numbers - 1) ? N : pattern.number;
    return pattern;
  endfunction

  // Where errors in a row begin.
  function automatic int unsigned place(input pattern_t pattern);
    if (pattern.wrong == N) return 0;
    unique case (pattern.kind)
      2: return 0;
      3: return N - pattern.wrong;
      4: return K - pattern.wrong / 2;
      default: return below(N + 1 - pattern.wrong);
    endcase
  endfunction

  // Errors of the codewords that begin in the next Period words.
  task automatic spoil();
    int unsigned begins, at, word;
    pattern_t pattern;
    for (int unsigned i = 0; i < Period; i++) sent_noise[(sent_words+i)%Kept] = '0;
    for (int unsigned p = 0; p < Parts; p++) begin
      pattern = chosen();
      begins  = place(pattern);
      for (int unsigned i = 0; i < pattern.wrong; i++) begin
        at   = p * N + begins + i;
        word = (sent_words + at / Symbols) % Kept;
        while (pattern.kind == 0 && pattern.wrong < N) begin
          at   = p * N + below(N);
          word = (sent_words + at / Symbols) % Kept;
          if (sent_noise[word][at%Symbols] == '0) break;
        end
        sent_noise[word][at%Symbols] = symbol_t'(1 + below(2 ** Width - 1));
      end
      patterns[made%Kept] = pattern;
      made = made + 1;
    end
  endtask

  always @(posedge clk_i) begin
    if (rst_i) begin
      {sent_words, coded_words, made} = '0;
      valid <= 1'b0;
    end else begin
      if (coded_valid) begin
        sent[coded_words%Kept] = coded;
        coded_words = coded_words + 1;
      end
      valid <= 1'b0;
      if (($urandom & 15) != 0) begin
        if (sent_words % Period == 0) spoil();
        valid <= 1'b1;
        first <= sent_words % Period == 0;
        noise <= sent_noise[sent_words%Kept];
        for (int unsigned i = 0; i < Symbols; i++) message[i] <= symbol_t'($urandom);
        sent_words = sent_words + 1;
      end
    end
  end

  // ---- What came of it ----
  // A codeword so far: parts that are marked, symbols that were changed, that are not those sent.
  typedef struct packed {
    int unsigned marked;
    int unsigned changed;
    logic        other;
    logic        corrected;
    logic        uncorrectable;
    logic        fault;
  } seen_t;

  int unsigned outs, looked;
  seen_t seen;
  word_t now_sent, now_arrived;
  logic stray;  // a report, or a count, that belongs to no codeword

  function automatic logic right(input seen_t seen, input int unsigned wrong);
    logic whole, reports;
    whole   = seen.marked == 0 || seen.marked == Count;
    reports = seen.uncorrectable == (seen.marked != 0) && seen.corrected == (seen.changed != 0);
    if (seen.fault || !whole || !reports) return 1'b0;
    if (wrong <= T) return seen.marked == 0 && !seen.other && seen.changed == wrong;
    return seen.other && ((seen.marked == 0) ? seen.changed <= T : seen.changed == 0);
  endfunction

  task automatic judge();
    pattern_t pattern;
    pattern = patterns[looked%Kept];
    seen_o[pattern.kind][pattern.number] = seen_o[pattern.kind][pattern.number] + 1;
    if (!right(seen, pattern.wrong)) begin
      if (faults_o == 0) first_o = looked;
      faults_o = faults_o + 1;
    end else if (pattern.wrong > T && seen.marked == 0) begin
      missed_o[pattern.kind][pattern.number] = missed_o[pattern.kind][pattern.number] + 1;
    end
    looked = looked + 1;
  endtask

  // One part of a word.
  task automatic look(input int unsigned h);
    symbol_t symbol;
    int unsigned part;
    part = (outs % Period) * Parts + h;
    if (part % Count == 0) begin
      seen = '0;
      {seen.corrected, seen.uncorrectable} = {corrected, uncorrectable};
    end
    if (stray) seen.fault = 1'b1;
    if (bad[h]) seen.marked = seen.marked + 1;
    for (int unsigned i = 0; i < Part; i++) begin
      symbol = out[h*Part+i];
      if (symbol != now_sent[h*Part+i]) seen.other = 1'b1;
      if (symbol != now_arrived[h*Part+i]) seen.changed = seen.changed + 1;
    end
    if (part % Count == Count - 1) judge();
  endtask

  // What is said of a word beside its symbols and marks.
  function automatic logic reported();
    logic [Lanes-1:0][LaneWidth-1:0] changed;
    logic begins;
    changed = '0;
    for (int unsigned i = 0; i < Symbols; i++) begin
      changed[i%Lanes] = changed[i%Lanes] + LaneWidth'(out[i] != now_arrived[i]);
    end
    begins = 1'b0;
    for (int unsigned h = 0; h < Parts; h++) begin
      if (((outs % Period) * Parts + h) % Count == 0) begins = 1'b1;
    end
    return changed == errors && (begins || !(corrected || uncorrectable)) &&
        out_first == (outs % Period == 0);
  endfunction

  always @(posedge clk_i) begin
    if (rst_i) begin
      {outs, looked, seen_o, missed_o, faults_o, first_o, done_o, stray} = '0;
    end else if (out_valid) begin
      now_sent = sent[outs%Kept];
      now_arrived = now_sent ^ sent_noise[outs%Kept];
      if (!reported()) stray = 1'b1;
      for (int unsigned h = 0; h < Parts; h++) look(h);
      stray  = 1'b0;
      outs   = outs + 1;
      done_o = looked >= count_i;
    end else if (corrected || uncorrectable) begin
      stray = 1'b1;
    end
  end

endmodule
