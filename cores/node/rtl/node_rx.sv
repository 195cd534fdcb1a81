// SPDX-License-Identifier: Apache-2.0
//
// node_rx: from the receiving end of the link to the engine.
//
// What      memory of VcWords words for each class, and one packet after the other from it to the
//           engine: class 0 first, the others in turns.
//
//             s_* (switch_link_rx) ─┬► FIFO of class 0 ─┐
//                                   ├► FIFO of class 1 ─┤ one whole packet ─► header off, ─► m_axis
//                                   ├► FIFO of class 2 ─┤   at a time          mark in
//                                   └► FIFO of class 3 ─┘         │
//                                  free_* ◄───────────────────────┘
//
// Contract  s side: as switch_link_rx gives it, at most VcWords words of a class without a free_*.
//           m_axis: packets of the engine, bytes 48 to 63 of the first word zero. The mark of the
//           network's header becomes that of the packet's footer, which the CRC leaves out. A
//           packet begins before it is whole; one that was aborted ends early, with TLAST, and its
//           CRC is wrong. Notices do not go to the engine: notice_valid_o, notice_o.
// Clock     clk_i; rst_i synchronous to it
// Latency   2 cycles, s_beat_i to m_axis_tdata, idle
//
// Parameters
//   VcWords   words of memory of each class
//
// Source    own design

module node_rx
  import switch_pkg::*;
#(
  parameter int unsigned VcWords = 128
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            s_valid_i,
  input  beat_t           s_beat_i,
  input  class_t          s_class_i,
  output logic            free_valid_o,
  output class_t          free_class_o,
  output logic    [511:0] m_axis_tdata,
  output logic            m_axis_tlast,
  output logic            m_axis_tvalid,
  input  logic            m_axis_tready,
  output logic            marked_o,
  output logic            notice_valid_o,
  output header_t         notice_o
);

  // Bit of the last word that is the mark of a packet of the engine.
  localparam int unsigned MarkBit = 86;

  // ---- Memory ----
  logic [Classes-1:0] there, take, room;
  beat_t [Classes-1:0] head;
  for (genvar c = 0; c < Classes; c++) begin : gen_class
    logic [$clog2(VcWords+1)-1:0] unused_level;
    prim_fifo_sync #(
      .Width      ($bits(beat_t)),
      .Depth      (VcWords),
      .FallThrough(1'b0),
      .LutDepth   (64)
    ) u_fifo (
      .clk_i    (clk_i),
      .rst_i    (rst_i),
      .s_valid_i(s_valid_i && s_class_i == class_t'(c)),
      .s_ready_o(room[c]),
      .s_data_i (s_beat_i),
      .m_valid_o(there[c]),
      .m_ready_i(take[c]),
      .m_data_o (head[c]),
      .level_o  (unused_level)
    );
  end

  prim_assert #(
    .Rule("credits cover the memory")
  ) u_room (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!s_valid_i || room[s_class_i])
  );

  // ---- Whose packet is next ----
  logic inside_q;
  class_t class_q, last_q, chosen, class_now;
  always_comb begin
    // The first class behind the one that was served last, but class 0.
    chosen = last_q;
    for (int unsigned i = Classes; i > 0; i--) begin
      class_t candidate;
      candidate = last_q + class_t'(i);
      if (candidate != '0 && there[candidate]) chosen = candidate;
    end
    if (there[0]) chosen = '0;
  end
  assign class_now = inside_q ? class_q : chosen;

  beat_t word;
  logic valid, ready, pass, notice, notice_q;
  assign word   = head[class_now];
  assign valid  = there[class_now];
  assign notice = word.first ? word.data.header.kind == KindNotice : notice_q;
  assign pass   = valid && (ready || notice);
  always_comb begin
    take = '0;
    take[class_now] = pass;
  end

  logic mark, mark_q;
  assign mark = word.first ? word.data.header.mark : mark_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      inside_q <= 1'b0;
      last_q   <= '0;
    end else if (pass) begin
      inside_q <= !word.last;
      if (class_now != '0) last_q <= class_now;
    end
    if (pass) begin
      class_q  <= class_now;
      mark_q   <= mark;
      notice_q <= notice;
    end
    free_valid_o   <= pass && !rst_i;
    free_class_o   <= class_now;
    marked_o       <= pass && word.last && !word.aborted && mark && !notice && !rst_i;
    notice_valid_o <= pass && word.first && notice && !rst_i;
    notice_o       <= word.data.header;
  end

  // ---- To the engine ----
  logic [511:0] data;
  always_comb begin
    data = word.data;
    if (word.first) data[WordBits-1:HeaderAt] = '0;
    if (word.last) data[MarkBit] = data[MarkBit] || (mark && !word.aborted);
  end
  prim_skid #(
    .Width(513)
  ) u_skid (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(valid && !notice),
    .s_ready_o(ready),
    .s_data_i ({word.last, data}),
    .m_valid_o(m_axis_tvalid),
    .m_ready_i(m_axis_tready),
    .m_data_o ({m_axis_tlast, m_axis_tdata})
  );

endmodule
