// SPDX-License-Identifier: Apache-2.0
//
// rdma_gather: the pieces of packets from framing in words; undoes rdma_spread.
//
// What      Puts the header in front of the first word of the payload, and the footer behind the
//           last one.
// Why       A word of the payload waits for the next word, which may be the footer: only that tells
//           its length.
// Contract  s_axis: words of 64 bytes, header, payload, footer with TLAST; unused lanes are not
//           looked at. s_axis_ready_o follows m_ready_i. m side: valid and ready, pieces in order.
//           A packet that has only one word is a piece that is cut. One without the mark of this
//           framing is not taken apart: all up to TLAST is dropped. stray_o: a pulse for it.
//           opens_o: the first word of a packet is taken, and front_o is what it says; it is not
//           the last word.
// Latency   0 cycles from the footer to the last piece
// Source    own design

module rdma_gather
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
  output logic   opens_o,
  output front_t front_o,
  output logic   stray_o
);

  typedef enum logic [1:0] {
    StateBegin,
    StateRest,
    StateSkip
  } state_e;

  state_e state_q;
  header_t header, header_q;
  logic header_due_q;  // no piece has it yet
  logic held_q;
  logic [511:0] word_q;  // the one in front
  logic take, begins, alone;

  assign front_o = front_t'(s_axis_i.tdata[$bits(front_t)-1:0]);
  assign header = front_o.header;
  assign s_axis_ready_o = m_ready_i;
  assign take = s_axis_i.tvalid && s_axis_ready_o;
  assign begins = state_q == StateBegin && header.domain[15:11] == WordsMark;
  assign alone = begins && s_axis_i.tlast;
  assign opens_o = take && begins && !s_axis_i.tlast;
  assign stray_o = take && state_q == StateBegin && !begins;
  assign m_valid_o = s_axis_i.tvalid
      && (alone || (state_q == StateRest && (held_q || s_axis_i.tlast)));
  assign m_piece_o = '{
          begins: alone || header_due_q,
          payload: held_q,
          ends: s_axis_i.tlast,
          cut: alone,
          closes: 1'b0,
          header: header_q,
          data: word_q,
          footer: footer_t'(s_axis_i.tdata[127:0])
      };

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateBegin;
      header_due_q <= 1'b0;
      held_q <= 1'b0;
    end else if (take) begin
      if (s_axis_i.tlast) state_q <= StateBegin;
      else if (state_q == StateBegin) state_q <= begins ? StateRest : StateSkip;
      header_due_q <= !held_q && !s_axis_i.tlast;
      held_q <= state_q == StateRest && !s_axis_i.tlast;
    end
    if (take) begin
      if (state_q == StateBegin) header_q <= header;
      word_q <= s_axis_i.tdata;
    end
  end

endmodule
