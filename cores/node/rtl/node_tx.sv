// SPDX-License-Identifier: Apache-2.0
//
// node_tx: from the engine to the sending end of the link.
//
// What      makes the network's header from the first word of a packet of the engine, and says
//           which classes of packets may begin there.
//
//             s_axis ─► header ─► prim_skid ─► switch_link_gate ─► m_* (switch_link_tx)
//             room_o ◄─────────────────────── room_i ◄─┘
//
// Contract  s_axis: packets of `rdma` in framing in words. room_o, by class: a packet of it may
//           begin, see node_pkg; a packet whose class has no room for it in spite of that waits,
//           and all behind it. m side: into a switch_link_tx with Slack >= 1. After DeadCycles in
//           which the link was not open it counts as dead until it is: then packets are taken and
//           thrown away (dropped_o), so that the engine drains, and gives up what nobody will
//           answer.
// Clock     clk_i; rst_i synchronous to it
// Latency   1 cycle
//
// Parameters
//   DeadCycles   2 to 2^24
//   Hops         links that a packet may pass, 1 to 15
//
// Source    own design

module node_tx
  import switch_pkg::*;
  import node_pkg::*;
#(
  parameter int unsigned DeadCycles = 65536,
  parameter int unsigned Hops = 15
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic    [511:0] s_axis_tdata,
  input  logic            s_axis_tlast,
  input  logic            s_axis_tvalid,
  output logic            s_axis_tready,
  output logic    [  3:0] room_o,
  output logic            dropped_o,
  input  link_e           state_i,
  input  limits_t         room_i,
  output logic            m_valid_o,
  input  logic            m_ready_i,
  output beat_t           m_beat_o
);

  if (DeadCycles < 2 || DeadCycles > (1 << 24)) begin : gen_bad_dead
    $error("node_tx %m: DeadCycles must be 2..2^24, got %0d", DeadCycles);
  end
  if (Hops < 1 || Hops > 15) begin : gen_bad_hops
    $error("node_tx %m: Hops must be 1..15, got %0d", Hops);
  end

  // ---- Header ----
  rdma_unit_pkg::front_t  front;
  rdma_unit_pkg::footer_t footer;
  assign front  = rdma_unit_pkg::front_t'(s_axis_tdata[$bits(rdma_unit_pkg::front_t)-1:0]);
  assign footer = rdma_unit_pkg::footer_t'({64'd0, front.footer});

  header_t header;
  always_comb begin
    header = '0;
    header.kind = KindData;
    header.cls = rdma_unit_pkg::class_of(front.header.kind, front.header.tid[9:8]);
    header.words = length_t'(rdma_unit_pkg::words_of(footer.bytes)) + length_t'(2);
    if (footer.bytes == '0) header.words = length_t'(2);
    header.destination = front.header.address[63:48];
    header.source = front.header.node;
    // Blocks of a flow take its path, everything else that of its TID.
    header.flow = front.header.tid[9] ? FlowWidth'(front.header.tid[9:2])
                                      : FlowWidth'(front.header.tid);
    header.hops = 4'(Hops);
  end

  // ---- Words of the engine, with the header ----
  logic first_q, valid, ready;
  beat_t s_beat, beat;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (s_axis_tvalid && s_axis_tready) first_q <= s_axis_tlast;
  end
  always_comb begin
    s_beat = '{data: word_t'(s_axis_tdata), first: first_q, last: s_axis_tlast, aborted: 1'b0};
    if (first_q) s_beat.data.header = header;
  end
  prim_skid #(
    .Width($bits(beat_t))
  ) u_skid (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(s_axis_tvalid),
    .s_ready_o(s_axis_tready),
    .s_data_i (s_beat),
    .m_valid_o(valid),
    .m_ready_i(ready),
    .m_data_o (beat)
  );

  // ---- A link that stays down ----
  localparam int unsigned CountWidth = $clog2(DeadCycles + 1);
  logic [CountWidth-1:0] down_q;
  logic dead_q, drop_q, drops;
  assign drops = beat.first ? dead_q : drop_q;
  always_ff @(posedge clk_i) begin
    dead_q <= 1'b0;
    if (rst_i || state_i == LinkOpen) down_q <= '0;
    else if (down_q != CountWidth'(DeadCycles)) down_q <= down_q + 1'b1;
    else dead_q <= 1'b1;
    if (valid && ready) drop_q <= drops;
    dropped_o <= valid && ready && beat.last && drops && !rst_i;
  end

  // ---- To the link ----
  logic gate_ready;
  switch_link_gate u_gate (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(valid && !drops),
    .s_ready_o(gate_ready),
    .s_beat_i (beat),
    .room_i   (room_i),
    .m_valid_o(m_valid_o),
    .m_ready_i(m_ready_i),
    .m_beat_o (m_beat_o)
  );
  assign ready = drops ? !rst_i : gate_ready;

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Classes; c++) begin
      room_o[c] <= !rst_i && (dead_q || room_i[c] >= limit_t'(c == 0 ? AnswerRoom : PacketRoom));
    end
  end

  // What began before a session may wait for its first limits.
  logic settled_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || state_i != LinkOpen) settled_q <= 1'b0;
    else if (!valid) settled_q <= 1'b1;
  end
  prim_assert #(
    .Rule("a packet that begins has room")
  ) u_room (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .holds_i(!(valid && beat.first && state_i == LinkOpen && settled_q) ||
             room_i[beat.data.header.cls] >= limit_t'(beat.data.header.words))
  );

  logic unused;
  assign unused = ^{footer, front.crc};

endmodule
