// SPDX-License-Identifier: Apache-2.0
//
// Proof of rifl_abort_tx and rifl_abort_rx: whatever the cuts, both users see packets.
//
// What: the beats of each source are numbered inside their packet, so an observer at the other end
// sees whether a packet is whole. The link is nothing but a cut that comes at any time and for any
// number of clocks: it clears what the transmitting observer has got of a packet, and the receiving
// source begins a new packet behind it. The receiver is followed by the output register that the
// core puts behind it.
// Transmitter: the link gets a packet from its first beat on, in order, up to its last beat or to a
// cut; no beat of the rest of a cut packet; the user is never kept waiting by the dropping.
// Receiver: the user gets whole packets, and parts of a packet that end with TUSER and TLAST, one
// for each cut_o; TVALID, once high, stays with its beat until TREADY. By induction, for ever.
// Mutants that it refutes: cores/rifl/mutants.py, for instance `drop_q` cleared without TLAST,
// `end_q` cleared without `taken`, m_axis_tlast without `end_q`.

module rifl_abort_proof #(
  parameter int unsigned IndexWidth = 3
) (
  input logic clk_i,
  input logic rst_i,
  input logic cut_i,
  // The user of the transmitter.
  input logic user_valid_i,
  input logic user_last_i,
  input logic link_ready_i,
  // The source of the receiver.
  input logic link_valid_i,
  input logic link_last_i,
  input logic user_ready_i
);

  // A beat: number inside its packet, and whether it is the first.
  typedef struct packed {
    logic                  first;
    logic [IndexWidth-1:0] index;
  } beat_t;
  localparam int unsigned Pad = 8 - $bits(beat_t);

  // ---- Reset once ----
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (rst_i == !started_q);

  // ---- Transmitter ----
  // The user keeps the rules: a beat stands until it is taken.
  logic user_open_q, user_waits_q, user_last_q;
  logic [IndexWidth-1:0] user_index_q;
  logic user_tready, in_tvalid, in_tlast, tx_cut;
  logic [7:0] in_tdata;
  beat_t user_beat, in_beat;
  assign user_beat = '{first: !user_open_q, index: user_index_q};
  assign in_tdata  = {Pad'(0), user_beat};
  assign in_tlast  = user_last_i;
  assign in_beat   = user_beat;

  rifl_abort_tx u_tx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .cut_i        (cut_i),
    .cut_o        (tx_cut),
    .s_axis_tlast (user_last_i),
    .s_axis_tvalid(user_valid_i),
    .s_axis_tready(user_tready),
    .m_axis_tvalid(in_tvalid),
    .m_axis_tready(link_ready_i)
  );

  logic user_taken, in_taken, in_open_q, in_stalled_q;
  logic [IndexWidth-1:0] in_index_q;
  logic [8:0] in_kept_q;
  assign user_taken = user_valid_i && user_tready;
  assign in_taken   = in_tvalid && link_ready_i;

  always_comb begin
    if (user_waits_q) assume (user_valid_i && user_last_i == user_last_q);
  end

  // Cut packets, as the user sees them and as they are counted.
  logic part_q, counted_q;
  always_ff @(posedge clk_i) begin
    user_waits_q <= !rst_i && user_valid_i && !user_tready;
    user_last_q  <= user_last_i;
    in_stalled_q <= !rst_i && in_tvalid && !link_ready_i;
    in_kept_q    <= {in_tlast, in_tdata};
    if (rst_i) begin
      user_open_q <= 1'b0;
      user_index_q <= '0;
      in_open_q <= 1'b0;
      in_index_q <= '0;
      part_q <= 1'b0;
      counted_q <= 1'b0;
    end else begin
      if (user_taken) begin
        user_open_q  <= !user_last_i;
        user_index_q <= user_last_i ? '0 : user_index_q + 1'b1;
      end
      if (cut_i) in_open_q <= 1'b0;
      else if (in_taken) begin
        in_open_q  <= !in_tlast;
        in_index_q <= in_tlast ? '0 : in_beat.index + 1'b1;
      end
      if (cut_i) in_index_q <= '0;
      // A packet is cut when the link has lost it and the user is still inside.
      part_q <= user_taken && user_last_i ? 1'b0 : part_q || (cut_i && user_open_q);
      counted_q <= part_q && !(user_taken && user_last_i);
    end
  end

  always_comb begin
    if (started_q) begin
      if (in_tvalid) begin
        assert (!cut_i);
        assert (in_beat.first == !in_open_q);
        assert (in_beat.index == in_index_q);
      end
      if (in_stalled_q && !cut_i) assert (in_tvalid && in_kept_q == {in_tlast, in_tdata});
      assert (user_tready || cut_i || !link_ready_i);
      assert (tx_cut == (part_q && !counted_q));
      // Invariants.
      assert (u_tx.drop_q == part_q);
      assert (u_tx.open_q == user_open_q);
      assert (part_q || in_open_q == user_open_q);
      assert (!part_q || (user_open_q && !in_open_q));
      assert (in_index_q == (part_q ? '0 : user_index_q));
      assert (user_open_q || user_index_q == '0);
      assert (!in_stalled_q || (user_waits_q && !part_q));
      assert (!in_stalled_q || in_kept_q == {user_last_q, Pad'(0), user_beat});
    end
  end

  // ---- Receiver ----
  logic link_open_q, link_tready, end_tvalid, end_tready, end_tlast, end_tuser, rx_cut;
  logic out_tvalid, out_tlast, out_tuser;
  logic [IndexWidth-1:0] link_index_q;
  logic [7:0] end_tdata, out_tdata;
  beat_t link_beat, end_beat;
  assign link_beat = '{first: !link_open_q, index: link_index_q};
  assign end_beat  = beat_t'(end_tdata[$bits(beat_t)-1:0]);

  rifl_abort_rx #(
    .Bytes(1)
  ) u_rx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .cut_i        (cut_i),
    .cut_o        (rx_cut),
    .s_axis_tdata ({Pad'(0), link_beat}),
    .s_axis_tkeep (1'b1),
    .s_axis_tlast (link_last_i),
    .s_axis_tvalid(link_valid_i),
    .s_axis_tready(link_tready),
    .m_axis_tdata (end_tdata),
    .m_axis_tkeep (),
    .m_axis_tlast (end_tlast),
    .m_axis_tuser (end_tuser),
    .m_axis_tvalid(end_tvalid),
    .m_axis_tready(end_tready)
  );

  prim_skid #(
    .Width(10)
  ) u_out (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(end_tvalid),
    .s_ready_o(end_tready),
    .s_data_i ({end_tuser, end_tlast, end_tdata}),
    .m_valid_o(out_tvalid),
    .m_ready_i(user_ready_i),
    .m_data_o ({out_tuser, out_tlast, out_tdata})
  );

  logic link_taken, end_taken, end_open_q, owed_q, out_stalled_q;
  logic [IndexWidth-1:0] end_index_q;
  logic [9:0] out_kept_q;
  assign link_taken = link_valid_i && link_tready;
  assign end_taken  = end_tvalid && end_tready;

  always_ff @(posedge clk_i) begin
    out_stalled_q <= !rst_i && out_tvalid && !user_ready_i;
    out_kept_q    <= {out_tuser, out_tlast, out_tdata};
    if (rst_i) begin
      link_open_q <= 1'b0;
      link_index_q <= '0;
      end_open_q <= 1'b0;
      end_index_q <= '0;
      owed_q <= 1'b0;
    end else begin
      // A cut clears the source even if it takes a beat in the same clock.
      if (cut_i || (link_taken && link_last_i)) begin
        link_open_q  <= 1'b0;
        link_index_q <= '0;
      end else if (link_taken) begin
        link_open_q  <= 1'b1;
        link_index_q <= link_index_q + 1'b1;
      end
      if (end_taken) begin
        end_open_q  <= !end_tlast;
        end_index_q <= end_tlast ? '0 : end_beat.index + 1'b1;
      end
      // The packet that is open when a cut comes has to be ended.
      owed_q <= (owed_q || (cut_i && end_open_q)) && !(end_taken && end_tuser);
    end
  end

  always_comb begin
    if (started_q) begin
      if (end_tvalid) begin
        assert (end_tuser == owed_q);
        assert (!end_tuser || (end_tlast && end_open_q));
        assert (end_tuser || end_beat.first == !end_open_q);
        assert (end_tuser || end_beat.index == end_index_q);
      end
      assert (!link_taken || (end_taken && !end_tuser));
      assert (!end_taken || end_tuser || link_taken);
      assert (!owed_q || end_tvalid);
      if (out_stalled_q) assert (out_tvalid && out_kept_q == {out_tuser, out_tlast, out_tdata});
      // Invariants.
      assert (u_rx.open_q == end_open_q);
      assert (u_rx.end_q == owed_q);
      assert (!owed_q || (end_open_q && !link_open_q));
      assert (owed_q || end_open_q == link_open_q);
      assert (owed_q || end_index_q == link_index_q);
      assert (link_open_q || link_index_q == '0);
      assert (!u_out.side_valid_q || (u_out.m_valid_q && !u_out.s_ready_q));
    end
  end

  // cut_o: one clock for each packet that is ended so.
  logic owed_before_q;
  always_ff @(posedge clk_i) owed_before_q <= !rst_i && owed_q;
  always_comb begin
    if (started_q && !rst_i) assert (rx_cut == (owed_q && !owed_before_q));
  end

endmodule
