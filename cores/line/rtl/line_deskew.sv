// SPDX-License-Identifier: Apache-2.0
//
// line_deskew: takes the skew between lanes away, by a marker that the sender puts into all of them at once.
//
// What      Delays each lane's words by so much that markers stand in the same cycle.
// Why       Lanes of one link arrive at different times: traces, cables, the places where the aligners locked.
//
// Contract  A word of each lane in every cycle. use_i: lanes that count; the others' words go through with some delay.
//           It may change at any time and begins a new search. aligned_i of a lane: its words mean something; a lane
//           in use without it ends the deskew.
//           The sender puts markers into all lanes at once, at least 2 * Depth words apart.
//           deskewed_o = 1: words that were sent at once leave at once.
//           Search: the first marker opens a window of Depth cycles; if each lane in use shows one in it,
//           their ages become the delays. Else it begins again with the next marker.
//           Afterwards every cycle with markers in some lanes in use but not in all is a point; a cycle with
//           all clears them. BadLimit points end the deskew (one damaged marker must not).
// Latency   1 cycle for the latest lane.
//
// Parameters  Lanes     >= 1
//             Width     bits of a word, >= 1
//             Depth     most skew plus one, in words; a power of two >= 2
//             BadLimit  >= 2
// Limits    Skew that changes while deskewed is found by the next BadLimit markers; until then words of different
//           times leave together, which the packets' check has to notice.

module line_deskew #(
  parameter int unsigned Lanes    = 4,
  parameter int unsigned Width    = 20,
  parameter int unsigned Depth    = 16,
  parameter int unsigned BadLimit = 4
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  input  logic [Lanes-1:0]            use_i,
  input  logic [Lanes-1:0]            aligned_i,
  input  logic [Lanes-1:0]            marker_i,
  input  logic [Lanes-1:0][Width-1:0] data_i,
  output logic [Lanes-1:0]            marker_o,
  output logic [Lanes-1:0][Width-1:0] data_o,
  output logic                        deskewed_o
);

  localparam int unsigned AgeWidth = (Depth > 2) ? $clog2(Depth) : 1;
  localparam int unsigned BadWidth = (BadLimit > 2) ? $clog2(BadLimit) : 1;

  if (Lanes < 1) begin : gen_bad_lanes
    $error("line_deskew %m: Lanes must be at least 1, got %0d", Lanes);
  end
  if (Width < 1) begin : gen_bad_width
    $error("line_deskew %m: Width must be at least 1, got %0d", Width);
  end
  if (Depth < 2 || 2 ** $clog2(Depth) != Depth) begin : gen_bad_depth
    $error("line_deskew %m: Depth must be a power of two >= 2, got %0d", Depth);
  end
  if (BadLimit < 2) begin : gen_bad_limit
    $error("line_deskew %m: BadLimit must be at least 2, got %0d", BadLimit);
  end

  logic [AgeWidth-1:0] wr_addr_q;
  logic [Lanes-1:0] use_q, seen_q, seen, late;
  logic [Lanes-1:0][AgeWidth-1:0] age, age_q, delay_q;  // cycles since a lane's marker
  logic deskewed_q, found, restart;
  logic [BadWidth-1:0] points_q;

  assign restart = use_i != use_q || (use_i & ~aligned_i) != '0;
  assign seen = (seen_q | marker_i) & use_i;
  assign found = seen == use_i && seen != '0;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    assign age[l]  = marker_i[l] ? '0 : age_q[l];
    assign late[l] = seen_q[l] && age_q[l] == AgeWidth'(Depth - 1);

    prim_ram_lut #(
      .Width(Width + 1),
      .Depth(Depth)
    ) u_ram (
      .clk_i    (clk_i),
      .wr_en_i  (1'b1),
      .wr_addr_i(wr_addr_q),
      .wr_data_i({marker_i[l], data_i[l]}),
      .rd_addr_i(wr_addr_q - 1'b1 - delay_q[l]),
      .rd_data_o({marker_o[l], data_o[l]})
    );
  end

  always_ff @(posedge clk_i) begin
    use_q     <= use_i;
    wr_addr_q <= rst_i ? '0 : wr_addr_q + 1'b1;
    if (rst_i || restart) begin
      deskewed_q <= 1'b0;
      seen_q     <= '0;
    end else if (!deskewed_q) begin
      points_q <= '0;
      if (found) begin
        deskewed_q <= 1'b1;
        delay_q    <= age;
      end
      // A lane that has waited for the whole window: all that was seen is of the past.
      seen_q <= found ? '0 : (late != '0) ? marker_i & use_i : seen;
    end else if ((marker_o & use_i) == use_i) begin
      points_q <= '0;
    end else if ((marker_o & use_i) != '0) begin
      points_q <= points_q + 1'b1;
      if (points_q == BadWidth'(BadLimit - 1)) deskewed_q <= 1'b0;
    end
    for (int l = 0; l < int'(Lanes); l++) age_q[l] <= age[l] + 1'b1;
  end

  assign deskewed_o = deskewed_q;

endmodule
