// SPDX-License-Identifier: Apache-2.0
//
// rdma_unpack_proof: the pieces that leave rdma_unpack are the packets that the words hold.
//
// What      Any words come, with any gaps. Each lane is given its meaning by rdma_packed_pkg as it
//           comes, and a number if it is part of a packet. Every such lane leaves in order, once,
//           as what it is; a lane that is chosen freely, with its bytes. A packet is cut exactly
//           if TLAST ends it too early. So nothing in front of a damage, and nothing behind the
//           next TLAST, depends on it.
// Progress  With three words stored a piece leaves if it can.

module rdma_unpack_proof
  import rdma_unit_pkg::*;
  import rdma_packed_pkg::*;
(
  input logic                        clk_i,
  input logic                        rst_i,
  input logic [WordLanes-1:0][127:0] s_axis_tdata,
  input logic                        s_axis_tlast,
  input logic                        s_axis_tvalid,
  input logic                        m_ready_i,
  input logic                        mark_i,
  input logic [          1:0]        lane_i          // the one that is chosen of this word
);

  localparam int unsigned Words = 3;
  localparam int unsigned Lanes = Words * WordLanes;
  typedef logic [4:0] idx_t;  // more than are inside

  logic s_axis_tready, m_valid, stray;
  piece_t m_piece;

  rdma_unpack u_dut (
    .clk_i,
    .rst_i,
    .s_axis_i      ({s_axis_tdata, s_axis_tlast, s_axis_tvalid}),
    .s_axis_ready_o(s_axis_tready),
    .m_valid_o     (m_valid),
    .m_ready_i,
    .m_piece_o     (m_piece),
    .stray_o       (stray)
  );

  // ---- The meaning of what comes ----
  tag_t [WordLanes-1:0] tags;
  idx_t [  WordLanes:0] idxs;
  tag_t expected_q, expected;
  idx_t idx_q;  // of the next lane of a packet
  always_comb begin
    expected = expected_q;
    idxs     = '0;
    idxs[0]  = idx_q;
    for (int l = 0; l < int'(WordLanes); l++) begin
      tags[l]   = tag_of(expected, s_axis_tdata[l], l == 0);
      idxs[l+1] = idxs[l] + idx_t'(is_packet(tags[l]));
      expected  = next_of(tags[l], l == int'(WordLanes) - 1, s_axis_tlast);
    end
  end

  // ---- The same beside the words that are stored ----
  tag_t [Lanes-1:0] tags_q;
  idx_t [Lanes-1:0] idxs_q;
  lane_t [Lanes-1:0] lanes;
  tag_t here;  // of the next lane
  idx_t here_idx;
  logic load;
  assign lanes    = u_dut.words_q;
  assign load     = s_axis_tvalid && s_axis_tready;
  assign here     = (u_dut.level_q == '0) ? expected_q : tags_q[u_dut.offset_q];
  assign here_idx = (u_dut.level_q == '0) ? idx_q : idxs_q[u_dut.offset_q];

  // ---- The piece that leaves, and the chosen lane ----
  tag_t piece_tag_q, chosen_tag_q;
  idx_t piece_idx_q, chosen_idx_q, first_idx;
  logic [3:0] piece_used_q;
  logic chosen_q, stray_q;
  lane_t chosen_lane_q;
  logic  started_q = 1'b0;
  assign first_idx = m_valid ? piece_idx_q : here_idx;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) begin
      expected_q <= Begin;
      idx_q      <= '0;
      chosen_q   <= 1'b0;
      stray_q    <= 1'b0;
    end else begin
      if (load) begin
        expected_q <= expected;
        idx_q      <= idxs[WordLanes];
      end
      if (m_valid && m_ready_i && chosen_idx_q - piece_idx_q < idx_t'(piece_used_q))
        chosen_q <= 1'b0;
      if (load && mark_i && !chosen_q && is_packet(tags[lane_i])) begin
        chosen_q      <= 1'b1;
        chosen_tag_q  <= tags[lane_i];
        chosen_idx_q  <= idxs[lane_i];
        chosen_lane_q <= s_axis_tdata[lane_i];
      end
      stray_q <= u_dut.strays;
    end
    if (u_dut.give) begin
      piece_tag_q  <= here;
      piece_idx_q  <= here_idx;
      piece_used_q <= u_dut.used;
    end
    for (int w = 0; w < int'(Words); w++) begin
      for (int l = 0; l < int'(WordLanes); l++) begin
        if (2'(w) >= u_dut.stay) begin
          tags_q[w*int'(WordLanes)+l] <= tags[l];
          idxs_q[w*int'(WordLanes)+l] <= idxs[l];
        end else if (u_dut.gone != '0) begin
          tags_q[w*int'(WordLanes)+l] <= tags_q[(w+int'(u_dut.gone))*int'(WordLanes)+l];
          idxs_q[w*int'(WordLanes)+l] <= idxs_q[(w+int'(u_dut.gone))*int'(WordLanes)+l];
        end
      end
    end
  end

  always_comb assume (started_q || rst_i);

  handshake_rules #(
    .Width  ($bits(piece_t)),
    .Channel("pieces")
  ) u_rules (
    .clk_i,
    .rst_i,
    .valid_i  (m_valid),
    .ready_i  (m_ready_i),
    .payload_i(m_piece)
  );

  // ---- What is promised ----
  logic [2:0] payload_lanes;
  idx_t at;  // place of the chosen lane in the piece
  assign payload_lanes = (piece_tag_q.rest > 7'(WordLanes)) ? 3'(WordLanes) : piece_tag_q.rest[2:0];
  assign at = chosen_idx_q - piece_idx_q;

  always_comb begin
    if (started_q && !rst_i) begin
      if (m_valid) begin
        a_begins : assert (m_piece.begins == (piece_tag_q.kind == Header));
        a_packet : assert (piece_tag_q.kind == Header || piece_tag_q.kind == Payload);
        a_payload : assert (m_piece.payload == (payload_lanes != '0));
        a_ends : assert (m_piece.ends == (m_piece.cut || piece_tag_q.rest <= 7'(WordLanes)));
        if (!m_piece.cut) begin
          a_count :
          assert (piece_used_q == 4'(m_piece.begins) + 4'(payload_lanes) + 4'(m_piece.ends));
          if (chosen_q && at < idx_t'(piece_used_q)) begin
            if (m_piece.begins && at == '0) begin
              a_header : assert (chosen_tag_q.kind == Header && m_piece.header == chosen_lane_q);
            end else if (at < idx_t'(m_piece.begins) + idx_t'(payload_lanes)) begin
              a_data :
              assert (chosen_tag_q.kind == Payload && chosen_tag_q.rest == piece_tag_q.rest -
                      7'(at) + 7'(m_piece.begins) && chosen_lane_q ==
                      m_piece.data[128*2'(at-idx_t'(m_piece.begins))+:128]);
            end else begin
              a_footer : assert (chosen_tag_q.kind == Footer && m_piece.footer == chosen_lane_q);
            end
          end
        end
        // Nothing is left out between two pieces.
        a_next : assert (here_idx == piece_idx_q + idx_t'(piece_used_q));
      end
      if (u_dut.give && u_dut.cut) begin
        a_cut : assert (tags_q[4'(u_dut.offset_q)+u_dut.used-4'd1].kind != Footer);
        a_cut_last : assert (u_dut.used + 4'(u_dut.offset_q) == (u_dut.last_q[0] ? 4'd4 : 4'd8));
      end
      // Only what begins no packet is dropped, and that is told.
      if (u_dut.strays) a_stray : assert (here.kind == Dropped);
      a_told : assert (stray == stray_q);
      a_progress :
      assert (u_dut.level_q != 2'(Words) || !u_dut.free || u_dut.used != '0 || u_dut.strays);
    end
  end

  // ---- Why ----
  always_comb begin
    if (started_q && !rst_i) begin
      assert (u_dut.state_q != 2'd3);
      if (u_dut.level_q == '0) assert (u_dut.offset_q == '0);
      unique case (u_dut.state_q)
        2'd0:
        assert (here == ((u_dut.level_q == '0) ? Begin : tag_of(
            Begin, lanes[u_dut.offset_q], u_dut.offset_q == '0
        )));
        2'd1: assert (here.kind == Payload && here.rest == u_dut.left_q && here.rest != '0);
        default: assert (here.kind == Dropped);
      endcase
      assert (expected_q.kind != Payload || (expected_q.rest != '0 && expected_q.rest <= 7'd64));
      assert (expected_q.kind != Zero);
      for (int i = 0; i < int'(Lanes); i++) begin
        if (i + 1 < 4 * int'(u_dut.level_q)) begin
          assert (tags_q[i+1] == tag_of(
              next_of(tags_q[i], i % 4 == 3, u_dut.last_q[i/4]), lanes[i+1], i % 4 == 3
          ));
          assert (idxs_q[i+1] == idxs_q[i] + idx_t'(is_packet(tags_q[i])));
        end
        if (i + 1 == 4 * int'(u_dut.level_q)) begin
          assert (expected_q == next_of(tags_q[i], 1'b1, u_dut.last_q[i/4]));
          assert (idx_q == idxs_q[i] + idx_t'(is_packet(tags_q[i])));
        end
        if (i < 4 * int'(u_dut.level_q)) begin
          assert (tags_q[i].kind != Payload || (tags_q[i].rest != '0 && tags_q[i].rest <= 7'd64));
          assert (tags_q[i].kind != Header || tags_q[i].rest <= 7'd64);
          assert (tags_q[i].kind <= Dropped);
          if (chosen_q && i >= int'(u_dut.offset_q) && is_packet(
                  tags_q[i]
              ) && idxs_q[i] == chosen_idx_q) begin
            assert (lanes[i] == chosen_lane_q && tags_q[i] == chosen_tag_q);
          end
        end
      end
      if (chosen_q) assert (chosen_idx_q - first_idx < idx_q - first_idx);
      assert (idx_q - first_idx <= idx_t'(Lanes + PieceLanes));
      if (m_valid) assert (piece_used_q <= 4'(PieceLanes) && piece_used_q != '0);
    end
  end

endmodule
