// SPDX-License-Identifier: Apache-2.0
//
// rdma_unpack: the pieces of packets from packed framing; undoes rdma_pack.
//
// What      Finds the packets by the lengths in their headers, and gives header, payload and footer
//           as pieces.
// Why       See rdma_pack. Nothing but the words says where packets are, so any link that loses
//           nothing carries them.
// Contract  s_axis: words of 64 bytes. A packet begins in the first lane behind the one before, or,
//           if that is zero, with the next word. m side: valid and ready, pieces in order; a packet
//           that TLAST ends too early ends with a piece that is cut. Where no packet begins that
//           has to, all up to TLAST is dropped; stray_o: a pulse for it.
// Latency   2 cycles from the footer to the last piece. One word per cycle with packets of 1024
//           bytes; one packet in each cycle, and one cycle where zeros fill a word
// Source    own design

module rdma_unpack
  import rdma_unit_pkg::*;
  import rdma_bus_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_i,
  input  net_t   s_axis_i,
  output logic   s_axis_ready_o,
  output logic   m_valid_o,
  input  logic   m_ready_i,
  output piece_t m_piece_o,
  output logic   stray_o
);

  // A piece may begin in the last lane of a word and end in the first of the second behind it.
  localparam int unsigned Words = 3;
  typedef logic [127:0] lane_t;
  typedef logic [511:0] word_t;

  typedef enum logic [1:0] {
    StateBegin,
    StateRest,
    StateSkip
  } state_e;

  state_e state_q;
  word_t [Words-1:0] words_q;  // the oldest first
  logic [Words-1:0] last_q;
  logic [1:0] level_q;
  logic [1:0] offset_q;  // lane of the oldest word that is next
  logic [6:0] left_q;  // lanes of payload that are to come

  // Lanes from there on, and how many of them are there, up to the end of the packets that are
  // joined.
  lane_t [Words*WordLanes-1:0] lanes;
  lane_t [PieceLanes-1:0] ahead;
  logic closed;
  logic [3:0] there;
  always_comb begin
    lanes = words_q;
    for (int unsigned i = 0; i < PieceLanes; i++) ahead[i] = lanes[4'(offset_q)+4'(i)];
    closed = 1'b1;
    if (level_q > 2'd0 && last_q[0]) there = 4'(WordLanes) - 4'(offset_q);
    else if (level_q > 2'd1 && last_q[1]) there = 4'(2 * WordLanes) - 4'(offset_q);
    else begin
      there  = {level_q, 2'd0} - 4'(offset_q);
      closed = 1'b0;
    end
  end

  // The next piece.
  header_t header;
  logic begins, is_header;
  logic [6:0] payload;  // lanes
  logic [2:0] now;  // of these in this piece
  logic ends;
  logic [2:0] footer_at, needed;
  assign header = header_t'(ahead[0]);
  assign begins = state_q == StateBegin;
  assign is_header = header.domain[15:11] == PackedMark && header.domain[10:0] <= 11'(PayloadBytes);
  assign payload = begins ? 7'((header.domain[10:0] + 11'(LaneBytes - 1)) >> $clog2(
      LaneBytes
  )) : left_q;
  assign ends = payload <= 7'(WordLanes);
  assign now = ends ? payload[2:0] : 3'(WordLanes);
  assign footer_at = now + 3'(begins);
  assign needed = footer_at + 3'(ends);

  piece_t piece;
  logic   cut;
  assign piece = '{
          begins: begins,
          payload: now != '0,
          ends: ends || cut,
          cut: cut,
          closes: 1'b0,
          header: header,
          data: begins ? ahead[WordLanes:1] : ahead[WordLanes-1:0],
          footer: footer_t'(ahead[footer_at])
      };

  // What becomes of the lanes.
  logic free, give, fills, strays;
  logic [3:0] used;
  assign free = !m_valid_o || m_ready_i;
  always_comb begin
    give   = 1'b0;
    cut    = 1'b0;
    fills  = 1'b0;
    strays = 1'b0;
    used   = '0;
    if (free && level_q != '0) begin
      if (state_q == StateSkip) begin
        used = 4'(WordLanes) - 4'(offset_q);
      end else if (begins && !is_header) begin
        fills  = offset_q != '0 && ahead[0] == '0;
        strays = !fills;
        if (fills) used = 4'(WordLanes) - 4'(offset_q);
      end else begin
        // Too few lanes for this piece, or none for the next one.
        cut  = closed && there <= 4'(footer_at);
        give = there >= 4'(needed) || cut;
        if (give) used = cut ? there : 4'(needed);
      end
    end
  end

  logic [3:0] next_lane;
  logic [1:0] gone;  // words
  logic [1:0] stay;
  logic load;
  assign next_lane = 4'(offset_q) + used;
  assign gone = next_lane[3:2];
  assign stay = level_q - gone;
  assign s_axis_ready_o = level_q != 2'(Words);
  assign load = s_axis_i.tvalid && s_axis_ready_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q   <= StateBegin;
      level_q   <= '0;
      offset_q  <= '0;
      m_valid_o <= 1'b0;
      stray_o   <= 1'b0;
    end else begin
      if (give) state_q <= piece.ends ? StateBegin : StateRest;
      else if (strays) state_q <= StateSkip;
      else if (state_q == StateSkip && gone != '0 && last_q[0]) state_q <= StateBegin;
      level_q  <= stay + 2'(load);
      offset_q <= next_lane[1:0];
      if (free) m_valid_o <= give;
      stray_o <= strays;
    end
    if (give) left_q <= payload - 7'(now);
    if (free) m_piece_o <= piece;
    for (int unsigned i = 0; i < Words; i++) begin
      if (2'(i) >= stay) begin
        words_q[i] <= s_axis_i.tdata;
        last_q[i]  <= s_axis_i.tlast;
      end else if (gone != '0) begin
        words_q[i] <= words_q[2'(i)+gone];
        last_q[i]  <= last_q[2'(i)+gone];
      end
    end
  end

endmodule
