// SPDX-License-Identifier: Apache-2.0
//
// switch_notice: makes notices of what was lost at a port, for the sources of it.
//
// What      queues what was lost (by priority: dropped at the input, discarded at the output, lost
//           on the link) and offers one notice at a time: a packet of one word of class 0 from the
//           destination of what was lost to its source, that says in byte 0 why (lost_e), in byte 1
//           the class, in byte 2 the words.
// Contract  input_*: a pulse, and cannot wait: if the queue is full it is counted only (untold_o).
//           output_* and link_*: valid and ready. A notice that is lost makes none, and is counted
//           in the same way. m_valid_o only while fewer than Notices of them are in the memory
//           (notice_free_i: one has left it).
// Clock     clk_i; rst_i synchronous to it
// Latency   1 cycle
//
// Parameters
//   Notices   words of memory for notices, 1..64

module switch_notice
  import switch_pkg::*;
#(
  parameter int unsigned Notices = 8
) (
  input logic clk_i,
  input logic rst_i,

  input  logic  input_valid_i,
  input  lost_t input_i,
  input  logic  output_valid_i,
  output logic  output_ready_o,
  input  lost_t output_i,
  input  logic  link_valid_i,
  output logic  link_ready_o,
  input  lost_t link_i,

  output logic  m_valid_o,
  input  logic  m_ready_i,
  output beat_t m_beat_o,
  input  logic  notice_free_i,

  output logic made_o,   // pulse: a notice leaves
  output logic untold_o  // pulse: of something that is lost its source is not told
);

  localparam int unsigned Depth = 32;
  localparam int unsigned CountWidth = $clog2(Notices + 1);

  if (Notices < 1 || Notices > 64) begin : gen_bad_notices
    $error("switch_notice %m: Notices must be 1..64, got %0d", Notices);
  end

  lost_t lost, head;
  logic put, ready, some, unused;
  logic [$clog2(Depth+1)-1:0] unused_level;
  assign unused = ^{unused_level, head.notice};
  assign output_ready_o = ready && !input_valid_i;
  assign link_ready_o = ready && !input_valid_i && !output_valid_i;
  always_comb begin
    lost = link_i;
    put  = link_valid_i;
    if (input_valid_i) begin
      lost = input_i;
      put  = 1'b1;
    end else if (output_valid_i) begin
      lost = output_i;
      put  = 1'b1;
    end
  end

  prim_fifo_sync #(
    .Width($bits(lost_t)),
    .Depth(Depth),
    .FallThrough(1'b0)
  ) u_fifo (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(put && !lost.notice),
    .s_ready_o(ready),
    .s_data_i (lost),
    .m_valid_o(some),
    .m_ready_i(m_valid_o && m_ready_i),
    .m_data_o (head),
    .level_o  (unused_level)
  );

  logic [CountWidth-1:0] inside_q;
  logic leaves;
  assign m_valid_o = some && inside_q != CountWidth'(Notices);
  assign leaves = m_valid_o && m_ready_i;
  always_ff @(posedge clk_i) begin
    inside_q <= rst_i ? '0 : inside_q + CountWidth'(leaves) - CountWidth'(notice_free_i);
    made_o   <= leaves && !rst_i;
    untold_o <= put && (ready ? lost.notice : input_valid_i) && !rst_i;
  end

  header_t header;
  always_comb begin
    header = '0;
    header.kind = KindNotice;
    header.words = length_t'(1);
    header.hops = '1;
    header.source = head.destination;
    header.destination = head.source;
    header.flow = head.flow;
    m_beat_o = '{data: '0, first: 1'b1, last: 1'b1, aborted: 1'b0};
    m_beat_o.data.header = header;
    m_beat_o.data.user[23:0] = {8'(head.words), 8'(head.cls), head.reason};
  end

endmodule
