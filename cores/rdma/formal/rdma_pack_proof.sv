// SPDX-License-Identifier: Apache-2.0
//
// rdma_pack_proof: the words that leave rdma_pack hold the packets that came, and nothing else.
//
// What      Packets of any length come in pieces as rdma_frame makes them, with any gaps. Each
//           lane of a piece is given its meaning and a number as it comes. The words, read by
//           rdma_packed_pkg, have the same lanes in the same order; a lane that is chosen freely,
//           its bytes. A word is filled with zeros only behind a footer, and TLAST is where a
//           footer or zeros end the word. With rdma_unpack_proof: what goes into packed framing
//           comes out of it.

module rdma_pack_proof
  import rdma_unit_pkg::*;
  import rdma_packed_pkg::*;
  import rdma_bus_pkg::*;
(
  input logic         clk_i,
  input logic         rst_i,
  input logic         s_valid_i,
  input piece_t       s_piece_i,
  input logic         m_axis_tready,
  input logic         mark_i,
  input logic   [2:0] lane_i          // the one that is chosen of this piece
);

  localparam int unsigned Held = WordLanes - 1 + PieceLanes;
  typedef logic [5:0] idx_t;

  logic s_ready, m_axis_tlast, m_axis_tvalid;
  lane_t [WordLanes-1:0] m_axis_tdata;

  net_t m_axis;
  assign {m_axis_tdata, m_axis_tlast, m_axis_tvalid} = m_axis;

  rdma_pack u_dut (
    .clk_i,
    .rst_i,
    .s_valid_i,
    .s_ready_o     (s_ready),
    .s_piece_i,
    .m_axis_o      (m_axis),
    .m_axis_ready_i(m_axis_tready)
  );

  // ---- What comes: the pieces of packets, one behind the other ----
  logic started_q = 1'b0;
  logic open_q;  // a packet has begun
  logic [6:0] rest_q, rest;  // lanes of its payload that are to come
  logic [10:0] bytes_q, bytes;
  logic [2:0] payload_lanes, count;
  logic take;
  assign take = s_valid_i && s_ready;
  assign bytes = open_q ? bytes_q : s_piece_i.header.domain[10:0];
  assign rest = open_q ? rest_q : lanes_of(bytes);
  assign payload_lanes = (rest > 7'(WordLanes)) ? 3'(WordLanes) : rest[2:0];
  assign count = 3'(s_piece_i.begins) + payload_lanes + 3'(s_piece_i.ends);

  always_comb begin
    assume (started_q || rst_i);
    if (s_valid_i) begin
      assume (s_piece_i.begins == !open_q);
      assume (s_piece_i.payload == (rest != '0));
      assume (s_piece_i.ends == (rest <= 7'(WordLanes)));
      assume (!s_piece_i.ends || s_piece_i.footer.bytes == bytes);
      if (s_piece_i.begins) begin
        assume (s_piece_i.header.domain[15:11] == PackedMark && bytes <= 11'(PayloadBytes));
      end
    end
  end

  handshake_rules #(
    .Width  ($bits(piece_t)),
    .Channel("pieces"),
    .Assume (1'b1)
  ) u_s_rules (
    .clk_i,
    .rst_i,
    .valid_i  (s_valid_i),
    .ready_i  (s_ready),
    .payload_i(s_piece_i)
  );
  axis_rules #(
    .Bytes (WordBytes),
    .Stream("words")
  ) u_m_rules (
    .clk_i,
    .rst_i,
    .tdata_i (m_axis_tdata),
    .tkeep_i ('1),
    .tlast_i (m_axis_tlast),
    .tuser_i (1'b0),
    .tvalid_i(m_axis_tvalid),
    .tready_i(m_axis_tready)
  );

  // ---- The meaning of its lanes, and of those that wait ----
  tag_t  [PieceLanes-1:0] tags;
  lane_t [PieceLanes-1:0] lanes;
  lane_t [ WordLanes-1:0] data;
  assign data = s_piece_i.data;
  always_comb begin
    for (int i = 0; i < int'(PieceLanes); i++) begin
      tags[i]  = '{kind: Payload, rest: rest - 7'(i) + 7'(s_piece_i.begins)};
      lanes[i] = data[2'(3'(i)-3'(s_piece_i.begins))];
      if (s_piece_i.ends && 3'(i) + 3'd1 == count) begin
        tags[i]  = '{kind: Footer, rest: '0};
        lanes[i] = s_piece_i.footer;
      end
      if (s_piece_i.begins && i == 0) begin
        tags[i]  = '{kind: Header, rest: rest};
        lanes[i] = s_piece_i.header;
      end
    end
  end

  tag_t [Held-1:0] tags_q;
  lane_t [Held-1:0] held;
  idx_t first_q;  // number of the first lane that waits
  logic [3:0] real_q, real_left;  // lanes that wait: u_dut.level_q but for zeros
  assign held = u_dut.held_q;
  assign real_left = !u_dut.give ? real_q : (real_q > 4'(WordLanes)) ? real_q - 4'(WordLanes) : '0;

  logic chosen_q;
  idx_t chosen_idx_q;
  lane_t chosen_lane_q;
  tag_t expected_q;  // by who reads the words
  tag_t [WordLanes-1:0] read;
  tag_t expected;

  always_comb begin
    expected = expected_q;
    for (int l = 0; l < int'(WordLanes); l++) begin
      read[l]  = tag_of(expected, m_axis_tdata[l], l == 0);
      expected = next_of(read[l], l == int'(WordLanes) - 1, m_axis_tlast);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) begin
      open_q     <= 1'b0;
      first_q    <= '0;
      real_q     <= '0;
      chosen_q   <= 1'b0;
      expected_q <= Begin;
    end else begin
      if (take) begin
        open_q  <= !s_piece_i.ends;
        rest_q  <= rest - 7'(payload_lanes);
        bytes_q <= bytes;
      end
      real_q <= real_left + (take ? 4'(count) : '0);
      if (u_dut.give) begin
        expected_q <= expected;
        first_q    <= first_q + idx_t'(real_q - real_left);
        if (chosen_idx_q - first_q < idx_t'(WordLanes)) chosen_q <= 1'b0;
      end
      if (take && mark_i && !chosen_q && lane_i < count) begin
        chosen_q      <= 1'b1;
        chosen_idx_q  <= first_q + idx_t'(real_q) + idx_t'(lane_i);
        chosen_lane_q <= lanes[lane_i];
      end
    end
    for (int i = 0; i < int'(Held); i++) begin
      if (u_dut.give) tags_q[i] <= (i + 4 < int'(Held)) ? tags_q[(i+4)%int'(Held)] : '0;
      for (int j = 0; j < int'(PieceLanes); j++) begin
        if (take && i == int'(real_left) + j) tags_q[i] <= tags[j];
      end
    end
  end

  // ---- What is promised ----
  always_comb begin
    if (started_q && !rst_i && m_axis_tvalid) begin
      for (int l = 0; l < int'(WordLanes); l++) begin
        if (l < int'(real_q)) begin
          assert (read[l] == tags_q[l]);
          assert (!chosen_q || chosen_idx_q - first_q != idx_t'(l) ||
                  m_axis_tdata[l] == chosen_lane_q);
        end else begin
          assert (read[l].kind == Zero && m_axis_tdata[l] == '0 && m_axis_tlast);
        end
      end
      a_some : assert (real_q != '0);
      a_last :
      assert (m_axis_tlast == (real_q <= 4'(WordLanes) && tags_q[real_q-4'd1].kind == Footer));
      a_zeros : assert (real_q >= 4'(WordLanes) || tags_q[real_q-4'd1].kind == Footer);
    end
  end

  // ---- Why ----
  tag_t behind;  // what comes behind the lanes that wait
  assign behind = open_q ? '{kind: (rest_q == '0) ? Footer : Payload, rest: rest_q} : Begin;

  always_comb begin
    if (started_q && !rst_i) begin
      assert (u_dut.level_q <= 4'(Held));
      assert (real_q == u_dut.level_q || (u_dut.level_q == 4'(WordLanes) && u_dut.ended_q &&
              real_q != '0 && real_q < 4'(WordLanes)));
      assert (!open_q || (rest_q != '0 && rest_q <= 7'd64));
      assert (!open_q || 2'(rest_q) == 2'(lanes_of(bytes_q)));
      assert (real_q != '0 || expected_q == behind);
      assert (expected_q.kind != Zero && expected_q.kind != Dropped);
      assert (expected_q.kind != Header || expected_q.rest == '0);
      for (int i = 0; i < int'(Held); i++) begin
        if (i >= int'(real_q))
          assert (held[i] == '0);
          else begin
            assert (tags_q[i] == tag_of(
                (i == 0) ? expected_q : next_of(
                    tags_q[(i+int'(Held)-1)%int'(Held)], 1'b0, 1'b0
                ),
                held[i],
                1'b1
            ));
            assert (is_packet(tags_q[i]) && tags_q[i].rest <= 7'd64);
            assert (tags_q[i].kind != Payload || tags_q[i].rest != '0);
            if (chosen_q && chosen_idx_q - first_q == idx_t'(i)) assert (held[i] == chosen_lane_q);
          end
        if (i + 1 == int'(real_q)) begin
          assert (u_dut.ended_q == (tags_q[i].kind == Footer));
          assert (next_of(tags_q[i], 1'b0, 1'b0) == behind);
        end
      end
      if (chosen_q) assert (chosen_idx_q - first_q < idx_t'(real_q));
    end
  end

endmodule
