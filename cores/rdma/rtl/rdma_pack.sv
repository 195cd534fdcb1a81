// SPDX-License-Identifier: Apache-2.0
//
// rdma_pack: packed framing: packets back to back in lanes of 16 bytes, the next one begins in the
// word in which one ends.
//
// What      Puts header, payload and footer of each packet one behind the other; what is over of a
//           word waits for the next piece.
// Why       With a word each for header and footer 16 words of 18 are payload; packed, a packet of
//           1024 bytes takes 16.5 words.
// Contract  s side: pieces of rdma_frame with Packed, valid and ready. m_axis: words of 64 bytes,
//           without a gap as long as pieces come. A word is filled with zeros only if nothing comes
//           behind the packet that ends in it. TLAST: the last packet of the word ends with it, or
//           zeros follow. s_ready_o follows m_axis_ready_i.
// Latency   1 cycle; a word that is not full waits one more for the next packet. One word per
//           cycle.
// Source    own design

module rdma_pack
  import rdma_unit_pkg::*;
  import rdma_bus_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_i,
  input  logic   s_valid_i,
  output logic   s_ready_o,
  input  piece_t s_piece_i,
  output net_t   m_axis_o,
  input  logic   m_axis_ready_i
);

  localparam int unsigned Held = WordLanes - 1 + PieceLanes;
  typedef logic [127:0] lane_t;

  // The lanes of the piece, one behind the other; zeros behind them.
  logic [2:0] payload_lanes, footer_at, count;
  lane_t [WordLanes:0] front;  // header and payload
  lane_t [PieceLanes-1:0] lanes;
  always_comb begin
    if (!s_piece_i.payload) payload_lanes = '0;
    else if (!s_piece_i.ends) payload_lanes = 3'(WordLanes);
    else payload_lanes = lanes_of_end(s_piece_i.footer.bytes[5:0]);
    footer_at = payload_lanes + 3'(s_piece_i.begins);
    count = footer_at + 3'(s_piece_i.ends);
    front = s_piece_i.begins ? {s_piece_i.data, s_piece_i.header} : {lane_t'(0), s_piece_i.data};
    for (int unsigned i = 0; i < PieceLanes; i++) begin
      lanes[i] = '0;
      if (i <= WordLanes && 3'(i) < footer_at) lanes[i] = front[i];
      if (s_piece_i.ends && 3'(i) == footer_at) lanes[i] = s_piece_i.footer;
    end
  end

  // What waits; lanes that are not in use are zero.
  lane_t [Held-1:0] held_q, stays;
  logic [3:0] level_q, left;
  logic ended_q;  // the last lane is a footer
  logic give, take, fill;

  assign m_axis_o.tvalid = level_q >= 4'(WordLanes);
  assign m_axis_o.tdata = held_q[WordLanes-1:0];
  assign m_axis_o.tlast = level_q == 4'(WordLanes) && ended_q;
  assign give = m_axis_o.tvalid && m_axis_ready_i;
  assign left = give ? level_q - 4'(WordLanes) : level_q;
  assign stays = give ? held_q >> (128 * WordLanes) : held_q;
  assign s_ready_o = left < 4'(WordLanes);
  assign take = s_valid_i && s_ready_o;
  assign fill = !take && ended_q && left != '0 && left < 4'(WordLanes);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      level_q <= '0;
      held_q  <= '0;
    end else begin
      if (take) level_q <= left + 4'(count);
      else level_q <= fill ? 4'(WordLanes) : left;
      held_q <= take ? stays | ((128 * Held)'(lanes) << {left[1:0], 7'd0}) : stays;
    end
    if (take) ended_q <= s_piece_i.ends;
  end

  logic unused_piece;
  assign unused_piece = ^{s_piece_i.cut, s_piece_i.closes};

endmodule
