// SPDX-License-Identifier: Apache-2.0
//
// line_comma: finds and keeps the symbol boundary of an 8b/10b lane by its commas.
//
// What      Cuts a raw lane word of Symbols * 10 bits out of two, so that the comma character K28.5
//           stands in symbol 0. Looks at every bit position at once; needs no slip port and no
//           gearbox.
// Why       No two neighbours of the code make the bits of K28.5 between them, but for K28.7 with
//           some others: found in good symbols they are the boundary.
//
// Contract  In raw words bit 0 is first on the line. The sender puts K28.5 into symbol 0 of a word
//           only, and K28.7 nowhere.
//           data_o: bits slip_o + 1 .. slip_o + Width of the last two raw words, so Width-1 takes
//           them as they come. comma_o: K28.5, of either disparity, is symbol 0 of data_o.
//           bad_i: the decoder behind says, in the same cycle, that data_o holds an impossible
//           symbol. Not aligned: a comma at another place moves the cut there; LockCommas commas at
//           the cut without a bad word since the last move align it.
//           Aligned: the cut stays. A bad word costs a point, GoodRun good ones in a row give one
//           back. At BadLimit points, or when LockCommas commas in a row stood at other places (a
//           slip by whole symbols), aligned_o falls and the search begins.
// Latency   1 cycle.
//
// Parameters  Symbols     symbols in a word, >= 1
//             LockCommas  commas that align, or that end the alignment, >= 2
//             BadLimit    points that lose alignment, >= 2
//             GoodRun     good words that give a point back, >= 2
// Limits    A flipped bit may show twice (its symbol, and the disparity later): two points.
//           Aligned means "there are symbols here", not "the data is right".
// Source    The points follow the synchronisation state machine of IEEE Std 802.3, 36.2.5.2.6, with
//           limits as parameters; the parallel search is ours.

module line_comma #(
  parameter  int unsigned Symbols    = 2,
  parameter  int unsigned LockCommas = 4,
  parameter  int unsigned BadLimit   = 8,
  parameter  int unsigned GoodRun    = 4,
  // One symbol at least, so that an illegal parameter meets its rule below and nothing else.
  localparam int unsigned Width      = 10 * ((Symbols > 0) ? Symbols : 1),
  localparam int unsigned SlipWidth  = $clog2(Width)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic [    Width-1:0] data_i,
  input  logic                 bad_i,
  output logic [    Width-1:0] data_o,
  output logic                 comma_o,
  output logic                 aligned_o,
  output logic [SlipWidth-1:0] slip_o
);

  if (Symbols < 1) begin : gen_bad_symbols
    $error("line_comma %m: Symbols must be at least 1, got %0d", Symbols);
  end
  if (LockCommas < 2) begin : gen_bad_lock
    $error("line_comma %m: LockCommas must be at least 2, got %0d", LockCommas);
  end
  if (BadLimit < 2) begin : gen_bad_limit
    $error("line_comma %m: BadLimit must be at least 2, got %0d", BadLimit);
  end
  if (GoodRun < 2) begin : gen_bad_run
    $error("line_comma %m: GoodRun must be at least 2, got %0d", GoodRun);
  end

  localparam int unsigned LockWidth = (LockCommas > 2) ? $clog2(LockCommas) : 1;
  localparam int unsigned BadWidth = (BadLimit > 2) ? $clog2(BadLimit) : 1;
  localparam int unsigned RunWidth = (GoodRun > 2) ? $clog2(GoodRun) : 1;

  localparam logic [9:0] Comma = 10'b01_0111_1100;  // at negative disparity; inverted at positive

  logic [Width-1:0] prev_q, data_q;
  logic [2*Width-1:0] window;
  logic [SlipWidth-1:0] slip_q, place;
  logic [Width-1:0] hit;  // by slip: a comma stands there
  logic comma_q, stray, stray_q, aligned_q;

  assign window = {data_i, prev_q};

  always_comb begin
    place = '0;
    for (int i = int'(Width) - 1; i >= 0; i--) begin
      hit[i] = window[i+1+:10] == Comma || window[i+1+:10] == ~Comma;
      if (hit[i]) place = SlipWidth'(i);
    end
  end

  assign stray = |hit && !hit[slip_q];

  always_ff @(posedge clk_i) begin
    prev_q  <= data_i;
    data_q  <= Width'(window >> ((SlipWidth + 1)'(slip_q) + 1'b1));
    comma_q <= hit[slip_q];
    stray_q <= stray;
  end

  logic [LockWidth-1:0] commas_q;  // not aligned: at the cut; aligned: elsewhere, in a row
  logic [BadWidth-1:0] points_q;
  logic [RunWidth-1:0] run_q;
  logic lost;

  assign lost = (bad_i && points_q == BadWidth'(BadLimit - 1))
      || (stray_q && commas_q == LockWidth'(LockCommas - 1));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      aligned_q <= 1'b0;
      commas_q  <= '0;
      slip_q    <= SlipWidth'(Width - 1);
    end else if (!aligned_q) begin
      points_q <= '0;
      run_q    <= '0;
      if (stray) begin
        slip_q   <= place;
        commas_q <= '0;
      end else if (bad_i) begin
        commas_q <= '0;
      end else if (comma_q) begin
        aligned_q <= commas_q == LockWidth'(LockCommas - 1);
        commas_q  <= (commas_q == LockWidth'(LockCommas - 1)) ? '0 : commas_q + 1'b1;
      end
    end else begin
      aligned_q <= !lost;
      if (lost || comma_q) commas_q <= '0;
      else if (stray_q) commas_q <= commas_q + 1'b1;
      if (bad_i) begin
        run_q    <= '0;
        points_q <= points_q + 1'b1;
      end else begin
        run_q <= (run_q == RunWidth'(GoodRun - 1)) ? '0 : run_q + 1'b1;
        if (run_q == RunWidth'(GoodRun - 1) && points_q != '0) points_q <= points_q - 1'b1;
      end
    end
  end

  assign data_o    = data_q;
  assign comma_o   = comma_q;
  assign aligned_o = aligned_q;
  assign slip_o    = slip_q;

endmodule
