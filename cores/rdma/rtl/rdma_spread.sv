// SPDX-License-Identifier: Apache-2.0
//
// rdma_spread: framing in words: header and footer of a packet have a word of the network each.
//
// What      Gives the parts of a piece one after the other: header, word of the payload, footer.
//           Behind the header are the first word of the footer once more and a CRC of both.
// Why       Needs no knowledge of lengths at either end; rdma_pack saves the lanes that this leaves
//           empty.
// Contract  s side: pieces of rdma_frame, valid and ready; a piece is taken with its last word.
//           m_axis: words of 64 bytes, TLAST with the footer, unused lanes zero. s_ready_o follows
//           m_axis_ready_i.
// Latency   0 cycles; one word per cycle, so 18 cycles for a packet of 1024 bytes
// Source    own design

module rdma_spread
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

  typedef enum logic [1:0] {
    PartHeader,
    PartPayload,
    PartFooter
  } part_e;

  front_t front;
  logic [31:0] front_crc;
  rdma_front u_front (
    .front_i(front),
    .crc_o  (front_crc)
  );
  assign front = '{crc: '0, footer: s_piece_i.footer[63:0], header: s_piece_i.header};

  part_e next_q, part, next;
  logic done;
  assign part = (next_q == PartHeader && !s_piece_i.begins) ? PartPayload : next_q;
  assign done = part == PartFooter || (part == PartPayload && !s_piece_i.ends);

  always_comb begin
    if (done) next = PartHeader;
    else if (part == PartHeader && s_piece_i.payload) next = PartPayload;
    else next = PartFooter;
    unique case (part)
      PartHeader: m_axis_o.tdata = 512'({front_crc, front[FrontBits-1:0]});
      PartPayload: m_axis_o.tdata = s_piece_i.data;
      default: m_axis_o.tdata = 512'(s_piece_i.footer);
    endcase
  end

  assign m_axis_o.tvalid = s_valid_i;
  assign m_axis_o.tlast = part == PartFooter;
  assign s_ready_o = m_axis_ready_i && done;

  always_ff @(posedge clk_i) begin
    if (rst_i) next_q <= PartHeader;
    else if (m_axis_o.tvalid && m_axis_ready_i) next_q <= next;
  end

  logic unused_piece;
  assign unused_piece = ^{s_piece_i.cut, s_piece_i.closes};

endmodule
