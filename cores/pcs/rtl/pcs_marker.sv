// SPDX-License-Identifier: Apache-2.0
//
// pcs_marker: finds and keeps the alignment markers of four lanes, by turns.
//
// What      A lane has a block in four or five cycles, so one machine serves four of them, each in
//           every fourth cycle. It finds the number of a lane, whether it is inverted, where its
//           markers are, and compares the parity.
// Contract  valid_i, block_i: a block of a lane, at least four cycles after the one before.
//           lock_i = 0: its blocks mean nothing, and the search of the lane begins again.
//           valid_o: of one lane, for which block_o (turned over if the lane is inverted), marker_o
//           (by place) and illegal_o (its header) are. locked_o, number_o, inverted_o of each lane.
//           parity_error_o: the parity in a marker is not that of the blocks.
// Lock      A second marker with the number of the first, Period blocks behind it, locks; four that
//           do not come in a row lose the lock.
// Polarity  A marker upside down has the header of data, and turned over it is a marker.
// Parameters
//   Period  blocks from marker to marker
// Latency   2 to 5 cycles, by the turn
// Source    IEEE Std 802.3 figures 82-11 and 82-12 (lock), 82.2.8 (parity)

module pcs_marker
  import pcs_pkg::*;
  import line_64b66b_pkg::*;
#(
  parameter  int unsigned Period = 16384,
  localparam int unsigned Turns  = RowCycles
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic   [Turns-1:0] lock_i,
  input  logic   [Turns-1:0] valid_i,
  input  block_t [Turns-1:0] block_i,
  output logic   [Turns-1:0] valid_o,
  output block_t             block_o,
  output logic               marker_o,
  output logic               illegal_o,
  output logic   [Turns-1:0] locked_o,
  output lane_t  [Turns-1:0] number_o,
  output logic   [Turns-1:0] inverted_o,
  output logic   [Turns-1:0] parity_error_o
);

  localparam int unsigned CountWidth = $clog2(Period);
  localparam logic [1:0] Misses = 2'd3;  // one more loses the lock

  typedef struct packed {
    logic                  found;     // a marker
    logic                  locked;    // a second one
    logic                  inverted;
    lane_t                 number;
    logic [1:0]            missed;
    logic [CountWidth-1:0] count;     // blocks since a marker
    logic [7:0]            parity;    // of them and the marker
  } lane_state_t;

  // ---- Blocks wait for their turn ----
  block_t [Turns-1:0] block_q;
  logic [Turns-1:0] waits_q, turn_q;  // one bit of turn_q

  always_ff @(posedge clk_i) begin
    for (int l = 0; l < int'(Turns); l++) if (valid_i[l]) block_q[l] <= block_i[l];
    if (rst_i) begin
      turn_q  <= Turns'(1);
      waits_q <= '0;
    end else begin
      turn_q  <= {turn_q[Turns-2:0], turn_q[Turns-1]};
      waits_q <= valid_i | (waits_q & ~turn_q);
    end
  end

  lane_state_t [Turns-1:0] state_q;
  lane_state_t state, next;
  block_t raw, block;
  logic run, lock;

  always_comb begin
    state = '0;
    raw   = '0;
    run   = 1'b0;
    lock  = 1'b0;
    for (int l = 0; l < int'(Turns); l++) begin
      if (turn_q[l]) begin
        state = state_q[l];
        raw   = block_q[l];
        run   = waits_q[l];
        lock  = lock_i[l];
      end
    end
  end

  // ---- Is it a marker, and whose ----
  logic inverted, complement, match, due, hit, wrong;
  lane_t number;

  assign inverted   = state.found ? state.inverted : raw[1:0] == DataHeader;
  assign block      = raw ^ {66{inverted}};
  assign complement = block[57:34] == ~block[25:2] && block[1:0] == ControlHeader;

  always_comb begin
    match  = 1'b0;
    number = '0;
    for (int l = 0; l < int'(Lanes); l++) begin
      if (block[25:2] == Markers[l]) begin
        match = complement;
        number |= lane_t'(l);
      end
    end
  end

  assign due   = state.found && state.count == CountWidth'(Period - 1);
  assign hit   = match && number == state.number;
  assign wrong = run && due && hit && state.locked && block[33:26] != state.parity;

  always_comb begin
    next = state;
    next.count = due ? '0 : state.count + 1'b1;
    next.parity = (due ? '0 : state.parity) ^ parity(block);
    if (!state.found) begin
      next = '0;
      next.found = match;
      next.inverted = inverted;
      next.number = number;
      next.parity = parity(block);
    end else if (due && hit) begin
      next.locked = 1'b1;
      next.missed = '0;
    end else if (due) begin
      next.missed = state.missed + 1'b1;
      if (!state.locked || state.missed == Misses) next = '0;
    end
    if (!lock) next = '0;
  end

  always_ff @(posedge clk_i) begin
    for (int l = 0; l < int'(Turns); l++) begin
      if (turn_q[l] && (run || !lock)) state_q[l] <= next;
      if (rst_i) state_q[l] <= '0;
    end
    valid_o <= (run && !rst_i) ? turn_q : '0;
    block_o <= block;
    marker_o <= due || (!state.found && match);
    illegal_o <= run && block[0] == block[1];
    parity_error_o <= wrong ? turn_q : '0;
  end

  for (genvar l = 0; l < Turns; l++) begin : gen_state
    assign locked_o[l]   = state_q[l].locked;
    assign number_o[l]   = state_q[l].number;
    assign inverted_o[l] = state_q[l].inverted;
  end

endmodule
