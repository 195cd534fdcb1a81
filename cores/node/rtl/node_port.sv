// SPDX-License-Identifier: Apache-2.0
//
// node_port: between the network side of an engine and a RIFL link.
//
// What      the two ends of the link (switch_link_tx, switch_link_rx), node_tx in front of the one
//           and node_rx behind the other.
// Why       The engine has packets, the network has classes with credits: here they meet.
// Contract  s_axis, m_axis, room_o: to and from `rdma` with Packed = 0, whose net_room_i is room_o.
//           tx_axis, rx_axis: the user side of rifl_link; rx_axis_tready is always 1. link_up_i: a
//           session of the link is open, that is phase PhaseUp of its link_status_o, not link_up_o,
//           which also falls when a lane is cut for a while. event_o: pulses. notice_*: the header
//           of a notice, whose source is the switch and whose flow is that of what was lost.
// Deadlock  Class 0 leaves node_rx first, and the engine takes it without sending anything for it.
//           The engine takes all other classes too, whatever it can send: an answer that does not
//           leave waits in its queue of answers, and is dropped and counted there if that is full
//           (`lost_reply`), after which its packet is repeated. So what a link brings is taken as
//           long as the memory of the node answers.
// Clock     clk_i; rst_i synchronous to it
// Latency   2 cycles, s_axis to tx_axis; 3 cycles, rx_axis to m_axis, idle
//
// Parameters
//   VcWords      words of memory of each class, 36 to 2047; a round trip of the link in words and
//                36 more for the full rate
//   DeadCycles, Hops   see node_tx
//
// Source    cores/switch/README.md, "What is on a link"

module node_port
  import switch_pkg::*;
  import node_pkg::*;
#(
  parameter int unsigned VcWords = 256,
  parameter int unsigned DeadCycles = 65536,
  parameter int unsigned Hops = 15
) (
  input logic clk_i,
  input logic rst_i,
  input logic link_up_i,

  input  logic [511:0] s_axis_tdata,
  input  logic         s_axis_tlast,
  input  logic         s_axis_tvalid,
  output logic         s_axis_tready,
  output logic [  3:0] room_o,
  output logic [511:0] m_axis_tdata,
  output logic         m_axis_tlast,
  output logic         m_axis_tvalid,
  input  logic         m_axis_tready,

  output logic [511:0] tx_axis_tdata,
  output logic [ 63:0] tx_axis_tkeep,
  output logic         tx_axis_tlast,
  output logic         tx_axis_tvalid,
  input  logic         tx_axis_tready,
  input  logic [511:0] rx_axis_tdata,
  input  logic [ 63:0] rx_axis_tkeep,
  input  logic         rx_axis_tlast,
  input  logic         rx_axis_tuser,
  input  logic         rx_axis_tvalid,
  output logic         rx_axis_tready,

  output logic        [1:0] state_o,
  output node_event_t       event_o,
  output logic              notice_valid_o,
  output header_t           notice_o
);

  if (VcWords < PacketRoom || VcWords > 2047) begin : gen_bad_vc_words
    $error("node_port %m: VcWords must be %0d..2047, got %0d", PacketRoom, VcWords);
  end

  link_e   state;
  limits_t room;
  logic tx_valid, tx_ready, rx_valid, free_valid, peer_valid;
  beat_t tx_beat, rx_beat;
  class_t rx_class, free_class;
  peer_t   peer;
  answer_t answer;
  lost_t unused_sent, unused_lost;
  logic unused_answered;
  assign state_o = state;

  node_tx #(
    .DeadCycles(DeadCycles),
    .Hops      (Hops)
  ) u_tx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .s_axis_tdata (s_axis_tdata),
    .s_axis_tlast (s_axis_tlast),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .room_o       (room_o),
    .dropped_o    (event_o.dropped),
    .state_i      (state),
    .room_i       (room),
    .m_valid_o    (tx_valid),
    .m_ready_i    (tx_ready),
    .m_beat_o     (tx_beat)
  );

  switch_link_tx #(
    .VcWords(VcWords)
  ) u_link_tx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .link_up_i    (link_up_i),
    .s_valid_i    (tx_valid),
    .s_ready_o    (tx_ready),
    .s_beat_i     (tx_beat),
    .s_mark_i     (1'b0),
    .room_o       (room),
    .state_o      (state),
    .peer_valid_i (peer_valid),
    .peer_i       (peer),
    .answered_o   (unused_answered),
    .answer_i     (answer),
    .hold_i       (1'b0),
    .sent_valid_o (event_o.sent),
    .sent_o       (unused_sent),
    .lost_valid_o (event_o.lost),
    .lost_o       (unused_lost),
    .lost_ready_i (1'b1),
    .credit_o     (event_o.credit),
    .m_axis_tdata (tx_axis_tdata),
    .m_axis_tkeep (tx_axis_tkeep),
    .m_axis_tlast (tx_axis_tlast),
    .m_axis_tvalid(tx_axis_tvalid),
    .m_axis_tready(tx_axis_tready)
  );

  switch_link_rx #(
    .VcWords (VcWords),
    .MaxWords(EngineWords)
  ) u_link_rx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .link_up_i    (link_up_i),
    .s_axis_tdata (rx_axis_tdata),
    .s_axis_tkeep (rx_axis_tkeep),
    .s_axis_tlast (rx_axis_tlast),
    .s_axis_tuser (rx_axis_tuser),
    .s_axis_tvalid(rx_axis_tvalid),
    .s_axis_tready(rx_axis_tready),
    .m_valid_o    (rx_valid),
    .m_beat_o     (rx_beat),
    .m_class_o    (rx_class),
    .free_valid_i (free_valid),
    .free_class_i (free_class),
    .drop_valid_i (1'b0),
    .drop_class_i ('0),
    .peer_valid_o (peer_valid),
    .peer_o       (peer),
    .answer_o     (answer),
    .event_o      (event_o.rx)
  );

  node_rx #(
    .VcWords(VcWords)
  ) u_rx (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .s_valid_i     (rx_valid),
    .s_beat_i      (rx_beat),
    .s_class_i     (rx_class),
    .free_valid_o  (free_valid),
    .free_class_o  (free_class),
    .m_axis_tdata  (m_axis_tdata),
    .m_axis_tlast  (m_axis_tlast),
    .m_axis_tvalid (m_axis_tvalid),
    .m_axis_tready (m_axis_tready),
    .marked_o      (event_o.marked),
    .notice_valid_o(event_o.notice),
    .notice_o      (notice_o)
  );
  assign notice_valid_o = event_o.notice;

  logic unused;
  assign unused = ^{unused_sent, unused_lost, unused_answered};

endmodule
