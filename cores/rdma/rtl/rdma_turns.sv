// SPDX-License-Identifier: Apache-2.0
//
// rdma_turns: packets from the network and packets of this node to itself, one of either in turn.
//
// What      Offers the packets of both stores at one side. Both read a word whenever one is read:
//           gives the one that is meant.
// Why       Neither of them waits for more than one packet of the other, however many there are.
// Contract  net, own: packets of rdma_unframe and rdma_own, valid and ready. m side: as they have
//           it: what is offered stays until it moves, with judged_o and m_ready_i, or is taken
//           back. net_word_i, own_word_i: what both have read; word_o: what the last buffer_i.read
//           meant.
// Latency   0 cycles
// Source    own design

module rdma_turns
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                net_valid_i,
  input  logic                net_judged_i,
  input  judgement_t          net_judgement_i,
  output logic                net_ready_o,
  input  arrival_t            net_packet_i,
  input  logic                own_valid_i,
  input  logic                own_judged_i,
  input  judgement_t          own_judgement_i,
  input  logic                own_comes_i,
  output logic                own_ready_o,
  input  arrival_t            own_packet_i,
  output logic                m_valid_o,
  output logic                judged_o,
  output judgement_t          judgement_o,
  output logic                comes_o,
  output logic                answers_o,
  input  logic                m_ready_i,
  output arrival_t            m_packet_o,
  input  buffer_req_t         buffer_i,
  input  logic        [511:0] net_word_i,
  input  logic        [511:0] own_word_i,
  output logic        [511:0] word_o
);

  // Which one is offered does not depend on what comes from the network in this cycle.
  logic net_next_q;  // it was offered before, or a packet of own has moved in front of it
  logic own, moves;
  logic read_own_q;
  assign own = own_valid_i && !net_next_q;
  assign m_valid_o = own || net_valid_i;
  assign judged_o = own ? own_judged_i : net_judged_i;
  assign judgement_o = own ? own_judgement_i : net_judgement_i;
  assign comes_o = own && own_comes_i;
  assign answers_o = own && own_packet_i.frame.header.kind inside {KindAck, KindNack};
  assign m_packet_o = own ? own_packet_i : net_packet_i;
  assign own_ready_o = m_ready_i && own;
  assign net_ready_o = m_ready_i && !own;
  assign moves = judged_o && m_ready_i;
  assign word_o = read_own_q ? own_word_i : net_word_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) net_next_q <= 1'b0;
    else net_next_q <= net_valid_i && (own == moves);
    if (buffer_i.read) read_own_q <= buffer_i.read_own;
  end

  logic unused_buffer;
  assign unused_buffer = ^buffer_i;

endmodule
