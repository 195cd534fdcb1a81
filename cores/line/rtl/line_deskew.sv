// SPDX-License-Identifier: Apache-2.0
//
// line_deskew: takes the skew between lanes away, by a marker that the sender puts into all of them
// at once.
//
// What      Keeps each lane's words until those of the other lanes that were sent at the same time
//           are there.
// Why       Lanes of one link arrive at different times: traces, cables, the places where the
//           aligners locked.
//
// Contract  valid_i of a lane: a word of it; in every cycle, or with gaps, which may differ between
//           the lanes if all of them have as many words in the long run. use_i: lanes that count;
//           the others' words mean nothing behind it. It may change at any time and begins a new
//           search. aligned_i of a lane: its words mean something; a lane in use without it ends
//           the deskew. The sender puts markers into all lanes at once, at least 2 * Depth words
//           apart. deskewed_o = 1: words that were sent at once leave at once, in cycles with
//           valid_o (all, if words come in every cycle). Search: the first marker opens a window of
//           Depth words of its lane; if each lane in use shows one in it, those leave first,
//           together. Else it begins again with the next marker. Afterwards every word with markers
//           in some lanes in use but not in all is a point; a word with all clears them. BadLimit
//           points end the deskew (one damaged marker must not), and so does a lane of which more
//           than Depth words wait.
// Clocks and resets
//           All ports belong to clk_i; rst_i is synchronous to it. use_i is compared with what it
//           was, so from another clock it has to come as whole values, by prim_sync_setting.
// Latency   1 cycle for the latest lane.
//
// Parameters  Lanes     >= 1
//             Width     bits of a word, >= 1
//             Depth     most skew plus one, in words; a power of two >= 2
//             BadLimit  >= 2
// Limits    Skew that changes while deskewed is found by the next BadLimit markers; until then
//           words of different times leave together, which the packets' check has to notice.
//           With gaps a word of skew less may be what fits: they are not in all lanes at the same
//           time.

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
  input  logic [Lanes-1:0]            valid_i,
  input  logic [Lanes-1:0]            marker_i,
  input  logic [Lanes-1:0][Width-1:0] data_i,
  output logic                        valid_o,
  output logic [Lanes-1:0]            marker_o,
  output logic [Lanes-1:0][Width-1:0] data_o,
  output logic                        deskewed_o
);

  localparam int unsigned AddrWidth = (Depth > 2) ? $clog2(Depth) : 1;
  localparam int unsigned FillWidth = $clog2(Depth + 1);
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

  logic [Lanes-1:0] use_q, seen_q, seen, marker, late, empty, over;
  logic [Lanes-1:0][FillWidth-1:0] fill_q;  // words of a lane that wait, from its marker on
  logic deskewed_q, found, restart;
  logic [BadWidth-1:0] points_q;

  assign marker = valid_i & marker_i;
  assign restart = use_i != use_q || (use_i & ~aligned_i) != '0 || (use_i & over) != '0;
  assign seen = (seen_q | marker) & use_i;
  assign found = seen == use_i && seen != '0;
  assign valid_o = deskewed_q && (use_i & empty) == '0;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [AddrWidth-1:0] wr_addr_q;

    assign empty[l] = fill_q[l] == '0;
    assign over[l]  = deskewed_q && valid_i[l] && !valid_o && fill_q[l] == FillWidth'(Depth);
    assign late[l]  = seen_q[l] && valid_i[l] && fill_q[l] == FillWidth'(Depth - 1);

    prim_ram_lut #(
      .Width(Width + 1),
      .Depth(Depth)
    ) u_ram (
      .clk_i    (clk_i),
      .wr_en_i  (valid_i[l]),
      .wr_addr_i(wr_addr_q),
      .wr_data_i({marker_i[l], data_i[l]}),
      .rd_addr_i(wr_addr_q - AddrWidth'(fill_q[l])),
      .rd_data_o({marker_o[l], data_o[l]})
    );

    always_ff @(posedge clk_i) begin
      if (rst_i) wr_addr_q <= '0;
      else if (valid_i[l]) wr_addr_q <= wr_addr_q + 1'b1;
      if (!deskewed_q && marker[l]) fill_q[l] <= FillWidth'(1);
      else fill_q[l] <= fill_q[l] + FillWidth'(valid_i[l]) - FillWidth'(valid_o);
    end
  end

  always_ff @(posedge clk_i) begin
    use_q <= use_i;
    if (rst_i || restart) begin
      deskewed_q <= 1'b0;
      seen_q     <= '0;
    end else if (!deskewed_q) begin
      points_q <= '0;
      if (found) deskewed_q <= 1'b1;
      // A lane that has waited for the whole window: all that was seen is of the past.
      seen_q <= found ? '0 : (late != '0) ? marker & use_i : seen;
    end else if (valid_o) begin
      if ((marker_o & use_i) == use_i) begin
        points_q <= '0;
      end else if ((marker_o & use_i) != '0) begin
        points_q <= points_q + 1'b1;
        if (points_q == BadWidth'(BadLimit - 1)) deskewed_q <= 1'b0;
      end
    end
  end

  assign deskewed_o = deskewed_q;

endmodule
