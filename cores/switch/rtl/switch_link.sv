// SPDX-License-Identifier: Apache-2.0
//
// switch_link: both ends of a link for a node: switch_link_rx, switch_link_tx, switch_link_gate.
//
// What      what stands between a user with packets and its RIFL.
//
//             s_* ──► switch_link_gate ──► switch_link_tx ──► m_axis_*   to s_axis of RIFL
//                           ▲ room              ▲ peer, answer
//             m_* ◄──────────────────── switch_link_rx ◄─── s_axis_*     from m_axis of RIFL
//
// Contract  s_*: packets of all classes, one behind the other; one that does not fit keeps those
//           behind it waiting. A user that must not be blocked so looks at room_o and chooses. m_*,
//           free_*, drop_*: as in switch_link_rx. lost_*: a packet that was taken while no session
//           was open; sent_*, peer_* and answered_o: for a switch_ledger, where losses on the link
//           matter.
// Clock     clk_i; rst_i synchronous to it
// Latency   1 cycle in each direction
//
// Parameters
//   VcWords, MaxWords   as in switch_link_rx

module switch_link
  import switch_pkg::*;
#(
  parameter int unsigned VcWords  = 128,
  parameter int unsigned MaxWords = 64
) (
  input logic clk_i,
  input logic rst_i,
  input logic link_up_i,

  input  logic    s_valid_i,
  output logic    s_ready_o,
  input  beat_t   s_beat_i,
  output limits_t room_o,
  output link_e   state_o,

  output logic   m_valid_o,
  output beat_t  m_beat_o,
  output class_t m_class_o,
  input  logic   free_valid_i,
  input  class_t free_class_i,
  input  logic   drop_valid_i,
  input  class_t drop_class_i,

  output logic      peer_valid_o,
  output peer_t     peer_o,
  output logic      answered_o,
  output rx_event_t event_o,
  input  logic      hold_i,
  output logic      sent_valid_o,
  output lost_t     sent_o,
  output logic      lost_valid_o,
  output lost_t     lost_o,
  input  logic      lost_ready_i,
  output logic      credit_o,

  input  word_t                 s_axis_tdata,
  input  logic  [WordBytes-1:0] s_axis_tkeep,
  input  logic                  s_axis_tlast,
  input  logic                  s_axis_tuser,
  input  logic                  s_axis_tvalid,
  output logic                  s_axis_tready,

  output word_t                 m_axis_tdata,
  output logic  [WordBytes-1:0] m_axis_tkeep,
  output logic                  m_axis_tlast,
  output logic                  m_axis_tvalid,
  input  logic                  m_axis_tready
);

  answer_t answer;
  logic tx_valid, tx_ready;
  beat_t tx_beat;

  switch_link_rx #(
    .VcWords (VcWords),
    .MaxWords(MaxWords)
  ) u_rx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .link_up_i    (link_up_i),
    .s_axis_tdata (s_axis_tdata),
    .s_axis_tkeep (s_axis_tkeep),
    .s_axis_tlast (s_axis_tlast),
    .s_axis_tuser (s_axis_tuser),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .m_valid_o    (m_valid_o),
    .m_beat_o     (m_beat_o),
    .m_class_o    (m_class_o),
    .free_valid_i (free_valid_i),
    .free_class_i (free_class_i),
    .drop_valid_i (drop_valid_i),
    .drop_class_i (drop_class_i),
    .peer_valid_o (peer_valid_o),
    .peer_o       (peer_o),
    .answer_o     (answer),
    .event_o      (event_o)
  );

  switch_link_gate u_gate (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(s_valid_i),
    .s_ready_o(s_ready_o),
    .s_beat_i (s_beat_i),
    .room_i   (room_o),
    .m_valid_o(tx_valid),
    .m_ready_i(tx_ready),
    .m_beat_o (tx_beat)
  );

  switch_link_tx #(
    .VcWords(VcWords)
  ) u_tx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .link_up_i    (link_up_i),
    .s_valid_i    (tx_valid),
    .s_ready_o    (tx_ready),
    .s_beat_i     (tx_beat),
    .s_mark_i     (1'b0),
    .room_o       (room_o),
    .state_o      (state_o),
    .peer_valid_i (peer_valid_o),
    .peer_i       (peer_o),
    .answered_o   (answered_o),
    .answer_i     (answer),
    .hold_i       (hold_i),
    .sent_valid_o (sent_valid_o),
    .sent_o       (sent_o),
    .lost_valid_o (lost_valid_o),
    .lost_o       (lost_o),
    .lost_ready_i (lost_ready_i),
    .credit_o     (credit_o),
    .m_axis_tdata (m_axis_tdata),
    .m_axis_tkeep (m_axis_tkeep),
    .m_axis_tlast (m_axis_tlast),
    .m_axis_tvalid(m_axis_tvalid),
    .m_axis_tready(m_axis_tready)
  );

endmodule
