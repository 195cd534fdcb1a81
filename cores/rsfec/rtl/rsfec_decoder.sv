// SPDX-License-Identifier: Apache-2.0
//
// rsfec_decoder: corrects the errors of a stream of Reed-Solomon codewords.
//
// What      Words as rsfec_encoder sends them. Up to T = (N - K) / 2 symbols of a codeword that are
//           wrong are corrected; a codeword with more is left as it came and marked, but for the
//           few that are as near to another codeword.
// Contract  As rsfec_encoder, a word in for a word out. mode_i (rsfec_pkg::mode_t) is taken during
//           reset.
//           bad_o: this part of the word belongs to a codeword with errors that are not corrected;
//           with BypassIndication it is always low. With the word that a codeword begins in:
//           corrected_o, it had errors and has none now; uncorrectable_o, it is bad. With each
//           word: errors_o, the symbols of each lane that were corrected; symbol i of a codeword
//           came over lane i mod Lanes. weight_o, with the word that a codeword begins in and with
//           BypassIndication, which leaves no better measure: symbols that seem to be wrong, T + 1
//           for more than T.
// Parameters
//   Width, Poly   the field, as in rsfec_invert
//   N, K          symbols of a codeword and of its message; N a multiple of Symbols / 2
//   Symbols       of a word
//   Steps         iterations of the key equation in a cycle, a divisor of N - K
//   Scan          cycles in which all places are looked at for the verdict, a divisor of N
//   Lanes         of the line
// Latency   in words, with A = ceil(N / Symbols) - 1 from the first word of a codeword to its last:
//           Correct A + (N - K) / Steps + Scan + 5, BypassIndication A + (N - K) / Steps + 7,
//           BypassCorrection A + 4. A word in every cycle: the same in cycles.
// Limits    One solver, one scan, one result that waits: with N / Symbols rounded down, (N - K) /
//           Steps and Scan are at most that, and it is at least 5.
// Source    IEEE Std 802.3 clause 91.5.3.3

module rsfec_decoder #(
  parameter int unsigned Width = 10,
  parameter logic [Width-1:0] Poly = Width'(9),
  parameter int unsigned N = 528,
  parameter int unsigned K = 514,
  parameter int unsigned Symbols = 32,
  parameter int unsigned Steps = 2,
  parameter int unsigned Scan = 8,
  parameter int unsigned Lanes = 4,
  localparam int unsigned Parts = (N % Symbols == 0) ? 1 : 2,
  localparam int unsigned LaneWidth = $clog2(Symbols / Lanes + 1),
  localparam int unsigned WeightWidth = $clog2((N - K) / 2 + 2)
) (
  input logic clk_i,
  input logic rst_i,
  input logic [1:0] mode_i,
  input logic valid_i,
  input logic first_i,
  input logic [Symbols-1:0][Width-1:0] data_i,
  output logic valid_o,
  output logic first_o,
  output logic [Symbols-1:0][Width-1:0] data_o,
  output logic [Parts-1:0] bad_o,
  output logic corrected_o,
  output logic uncorrectable_o,
  output logic [Lanes-1:0][LaneWidth-1:0] errors_o,
  output logic [WeightWidth-1:0] weight_o
);

  import rsfec_pkg::*;

  localparam int unsigned Parity = N - K;
  localparam int unsigned T = Parity / 2;
  localparam int unsigned Part = Symbols / Parts;
  localparam int unsigned Count = N / Part;
  localparam int unsigned PartWidth = $clog2(Count);
  localparam int unsigned ErrorWidth = $clog2(T + 1);

  localparam int unsigned Arrival = (N + Symbols - 1) / Symbols - 1;
  localparam int unsigned Solved = Arrival + 2 + Parity / Steps;
  localparam int unsigned LatencyCorrect = Solved + Scan + 3;
  localparam int unsigned LatencyNoIndication = Solved + 5;
  localparam int unsigned LatencyNoCorrection = Arrival + 4;

  if (N % Part != 0 || Symbols % Parts != 0 || Part % Lanes != 0) begin : gen_bad_parts
    $error(
        "rsfec_decoder %m: rule Lanes | Symbols / 2 | N, got %0d, %0d and %0d", Lanes, Symbols, N
    );
  end
  if (Parity / Steps > N / Symbols || Scan > N / Symbols || N / Symbols < 5) begin : gen_bad_rate
    $error(
        "rsfec_decoder %m: rule solving, Scan and 5 at most N / Symbols, got %0d, %0d and %0d",
        Parity / Steps,
        Scan,
        N / Symbols
    );
  end

  typedef logic [PartWidth-1:0] part_t;

  logic en;
  assign en = valid_i;

  mode_t mode_q;
  always_ff @(posedge clk_i) if (rst_i) mode_q <= mode_t'(mode_i);

  // ---- Where words are: bit i is the word that came i + 1 words ago ----
  logic [LatencyCorrect-1:0] live_q, first_q;
  logic live;
  assign live = first_i || live_q[0];
  always_ff @(posedge clk_i) begin
    if (rst_i) live_q <= '0;
    else if (en) live_q <= {live_q[LatencyCorrect-2:0], live};
    if (en) first_q <= {first_q[LatencyCorrect-2:0], first_i};
  end

  logic search_first, leave_first, leave_live;
  always_comb begin
    unique case (mode_q)
      BypassIndication: begin
        search_first = first_q[LatencyNoIndication-6];
        leave_first  = first_q[LatencyNoIndication-2];
        leave_live   = live_q[LatencyNoIndication-2];
      end
      BypassCorrection: begin
        search_first = first_q[0];
        leave_first  = first_q[LatencyNoCorrection-2];
        leave_live   = live_q[LatencyNoCorrection-2];
      end
      default: begin
        search_first = first_q[LatencyCorrect-6];
        leave_first  = first_q[LatencyCorrect-2];
        leave_live   = live_q[LatencyCorrect-2];
      end
    endcase
  end

  part_t [Parts-1:0] part, search_part, leave_part;
  rsfec_place #(
    .Parts(Parts),
    .Count(Count)
  ) u_place (
    .clk_i  (clk_i),
    .en_i   (en),
    .first_i(first_i),
    .part_o (part)
  );
  rsfec_place #(
    .Parts(Parts),
    .Count(Count)
  ) u_place_search (
    .clk_i  (clk_i),
    .en_i   (en),
    .first_i(search_first),
    .part_o (search_part)
  );
  rsfec_place #(
    .Parts(Parts),
    .Count(Count)
  ) u_place_leave (
    .clk_i  (clk_i),
    .en_i   (en),
    .first_i(leave_first),
    .part_o (leave_part)
  );

  // ---- Syndromes, key equation, verdict, errors ----
  logic ended, solved, dirty, good, good_corrected, beyond, beyond_d;
  logic [Parity-1:0][Width-1:0] syndromes;
  logic [T:0][Width-1:0] locator, locator_d;
  logic [T-1:0][Width-1:0] evaluator;
  logic [ErrorWidth-1:0] errors, errors_d;
  logic [Symbols-1:0][Width-1:0] error;

  rsfec_syndromes #(
    .Width (Width),
    .Poly  (Poly),
    .Parity(Parity),
    .Part  (Part),
    .Parts (Parts),
    .Count (Count)
  ) u_syndromes (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .en_i       (en),
    .live_i     (live),
    .part_i     (part),
    .data_i     (data_i),
    .done_o     (ended),
    .syndromes_o(syndromes)
  );

  rsfec_key #(
    .Width (Width),
    .Poly  (Poly),
    .N     (N),
    .Parity(Parity),
    .Steps (Steps)
  ) u_key (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .en_i       (en),
    .start_i    (ended),
    .syndromes_i(syndromes),
    .dirty_o    (dirty),
    .done_o     (solved),
    .locator_d_o(locator_d),
    .beyond_d_o (beyond_d),
    .errors_d_o (errors_d),
    .locator_o  (locator),
    .evaluator_o(evaluator),
    .beyond_o   (beyond),
    .errors_o   (errors)
  );

  rsfec_scan #(
    .Width (Width),
    .Poly  (Poly),
    .N     (N),
    .T     (T),
    .Cycles(Scan)
  ) u_scan (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .en_i       (en),
    .start_i    (solved),
    .locator_i  (locator_d),
    .beyond_i   (beyond_d),
    .errors_i   (errors_d),
    .good_o     (good),
    .corrected_o(good_corrected)
  );

  rsfec_search #(
    .Width(Width),
    .Poly (Poly),
    .T    (T),
    .Part (Part),
    .Parts(Parts),
    .Count(Count)
  ) u_search (
    .clk_i      (clk_i),
    .en_i       (en),
    .part_i     (search_part),
    .locator_i  (locator),
    .evaluator_i(evaluator),
    .errors_o   (error)
  );

  // ---- The words wait ----
  localparam int unsigned Depth = LatencyCorrect;
  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef logic [AddrWidth-1:0] addr_t;

  function automatic addr_t next(input addr_t addr);
    next = (addr == addr_t'(Depth - 1)) ? '0 : addr + 1'b1;
  endfunction

  addr_t write_q, read_q, read_begin;
  logic [Symbols-1:0][Width-1:0] waited;

  always_comb begin
    unique case (mode_t'(mode_i))
      BypassIndication: read_begin = addr_t'(Depth - (LatencyNoIndication - 1));
      BypassCorrection: read_begin = addr_t'(Depth - (LatencyNoCorrection - 1));
      default: read_begin = addr_t'(Depth - (LatencyCorrect - 1));
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q  <= read_begin;
    end else if (en) begin
      write_q <= next(write_q);
      read_q  <= next(read_q);
    end
  end

  prim_ram_lut #(
    .Width(Symbols * Width),
    .Depth(Depth)
  ) u_words (
    .clk_i    (clk_i),
    .wr_en_i  (en),
    .wr_addr_i(write_q),
    .wr_data_i(data_i),
    .rd_addr_i(read_q),
    .rd_data_o(waited)
  );

  // ---- And leave ----
  typedef struct packed {
    logic bad;        // to be marked
    logic correct;    // the errors found are to be taken away
    logic corrected;  // and there are some
  } verdict_t;
  verdict_t verdict, verdict_q;
  verdict_t [Parts-1:0] of_part;

  // The solver still has the result when a codeword leaves that does not wait for the scan.
  always_comb begin
    unique case (mode_q)
      BypassIndication:
      verdict = '{bad: 1'b0, correct: !beyond, corrected: !beyond && errors != '0};
      BypassCorrection: verdict = '{bad: dirty, correct: 1'b0, corrected: 1'b0};
      default: verdict = '{bad: !good, correct: good, corrected: good_corrected};
    endcase
  end

  logic begins;  // one codeword in a word at most
  always_comb begin
    begins = 1'b0;
    for (int unsigned h = 0; h < Parts; h++) begin
      if (leave_part[h] == '0) begins = 1'b1;
      of_part[h] = begins ? verdict : verdict_q;
    end
  end

  logic [Symbols-1:0] wrong;
  always_comb begin
    for (int unsigned i = 0; i < Symbols; i++) begin
      wrong[i] = of_part[i/Part].correct && error[i] != '0;
    end
  end

  logic [Lanes-1:0][LaneWidth-1:0] lane_errors;
  always_comb begin
    lane_errors = '0;
    for (int unsigned i = 0; i < Symbols; i++) begin
      lane_errors[i%Lanes] = lane_errors[i%Lanes] + LaneWidth'(wrong[i]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (en) begin
      verdict_q <= of_part[Parts-1];
      weight_o  <= beyond ? WeightWidth'(T + 1) : WeightWidth'(errors);
      first_o   <= leave_first;
      errors_o  <= lane_errors;
      for (int unsigned h = 0; h < Parts; h++) bad_o[h] <= of_part[h].bad;
      for (int unsigned i = 0; i < Symbols; i++) begin
        data_o[i] <= waited[i] ^ (of_part[i/Part].correct ? error[i] : '0);
      end
    end
    valid_o         <= en && leave_live && !rst_i;
    corrected_o     <= en && leave_live && begins && verdict.corrected;
    uncorrectable_o <= en && leave_live && begins && verdict.bad;
  end

endmodule
