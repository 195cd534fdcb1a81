// SPDX-License-Identifier: Apache-2.0
//
// rdma_receive: the receive unit: packets from the network to memory, answers, and what is for the
// engine.
//
// What      Checks each packet (rdma_unframe), whether it may come and is wanted (rdma_admit,
//           rdma_windows), writes it to memory and answers (rdma_write). Says what it drops.
// Contract  Nothing is taken from the network until ready_o and enable_i are 1. s_axis: words of 64
//           bytes, see rdma_gather, and rdma_unpack with Packed; memory that does not keep up
//           lowers s_axis_ready_o, nothing is lost. own: packets of this node to itself, see
//           rdma_own; they and those of the network come in turn (rdma_turns). reply: for the send
//           unit; ones that do not leave are lost and counted, see rdma_write. answer: for the
//           engine, see rdma_pkg; one that is not taken holds up everything behind it. Of the
//           settings, those of the engine and the rates do not matter here. Memory: see rdma_write.
//           stray_o, bad_form_o, marked_o, events_o, packet_o (a packet came from the network):
//           pulses, see node_events_t.
// Latency   6 cycles from the footer of a packet to its first word of data, and of data that are
//           written as they arrive 6 from the first word; with Packed 8, and 7 from the last piece
//           of own; one packet of 1024 bytes in 18 cycles, with Packed 16.5, but 17 if its bytes
//           are not at the same places in the words of memory
// Source    own design; the division of work is the thesis's
//
// Parameters
//   Senders       nodes 0 to Senders - 1 may send, a power of two, 2 to 64
//   Domains       protection domains, a power of two >= 2
//   Windows       windows of each, a power of two, 2 to 16
//   AddrWidth     bits of an address within a node, 13 to 48
//   BufferWords   words of payload, a power of two, 64 to 4096
//   Tick          see rdma_admit
//   Packed        packed framing, else framing in words; both ends have the same
//   CutThrough    data are written as they arrive, in framing in words, if settings_i.cut_through

module rdma_receive
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
  import rdma_bus_pkg::*;
#(
  parameter int unsigned Senders = 4,
  parameter int unsigned Domains = 16,
  parameter int unsigned Windows = 4,
  parameter int unsigned AddrWidth = 48,
  parameter int unsigned BufferWords = 512,
  parameter int unsigned Tick = 65536,
  parameter bit Packed = 1'b0,
  parameter bit CutThrough = 1'b1,
  localparam int unsigned PlaceWidth = $clog2(BufferWords)
) (
  input  logic       clk_i,
  input  logic       rst_i,
  output logic       ready_o,
  input  logic       enable_i,
  input  settings_t  settings_i,
  output logic       stray_o,
  output logic       bad_form_o,
  output logic       marked_o,
  output events_t    events_o,
  output logic       packet_o,
  input  net_t       s_axis_i,
  output logic       s_axis_ready_o,
  input  logic       own_valid_i,
  output logic       own_ready_o,
  input  piece_t     own_piece_i,
  output write_req_t write_o,
  input  write_rsp_t write_i,
  output logic       reply_valid_o,
  input  logic       reply_ready_i,
  output reply_t     reply_o,
  output logic       answer_valid_o,
  input  logic       answer_ready_i,
  output answer_t    answer_o,
  input  logic       answer_refused_i
);

  // ---- Pieces of packets ----
  logic admit_ready, windows_ready, link_ready;
  net_t link;
  logic piece_valid, piece_ready, opens;
  front_t front;
  piece_t piece;

  assign ready_o = admit_ready && windows_ready;
  assign s_axis_ready_o = link_ready && ready_o && enable_i;
  assign packet_o = piece_valid && piece_ready && piece.ends;
  always_comb begin
    link = s_axis_i;
    link.tvalid = s_axis_i.tvalid && ready_o && enable_i;
  end

  if (Packed) begin : gen_packed
    rdma_unpack u_unpack (
      .s_axis_i      (link),
      .s_axis_ready_o(link_ready),
      .m_valid_o     (piece_valid),
      .m_ready_i     (piece_ready),
      .m_piece_o     (piece),
      .*
    );
    assign opens = 1'b0;
    assign front = '0;
  end else begin : gen_words
    rdma_gather u_gather (
      .s_axis_i      (link),
      .s_axis_ready_o(link_ready),
      .m_valid_o     (piece_valid),
      .m_ready_i     (piece_ready),
      .m_piece_o     (piece),
      .opens_o       (opens),
      .front_o       (front),
      .*
    );
  end

  // ---- Packets, and what is done about them ----
  logic net_valid, net_judged, net_ready, own_valid, own_judged, own_ready;
  logic packet_valid, packet_judged, packet_ready;
  judgement_t net_judgement, own_judgement, judgement;
  logic early, own_comes, comes, answers, stopped, cut_room;
  fate_t fate;
  logic [PlaceWidth-1:0] next;
  arrival_t net, own, packet;
  buffer_req_t buffer;
  logic [511:0] net_word, own_word, word;
  logic damaged;

  rdma_unframe #(
    .BufferWords(BufferWords),
    .Packed     (Packed)
  ) u_unframe (
    .s_valid_i     (piece_valid),
    .s_ready_o     (piece_ready),
    .s_piece_i     (piece),
    .opens_i       (opens),
    .front_i       (front),
    .cut_through_i (CutThrough && settings_i.cut_through),
    .stopped_i     (stopped && !packet.own),
    .packet_valid_o(net_valid),
    .judged_o      (net_judged),
    .judgement_o   (net_judgement),
    .early_o       (early),
    .packet_ready_i(net_ready),
    .packet_o      (net),
    .buffer_i      (buffer),
    .word_o        (net_word),
    .next_o        (next),
    .damaged_o     (damaged),
    .malformed_o   (bad_form_o),
    .*
  );

  rdma_own u_own (
    .s_valid_i     (own_valid_i),
    .s_ready_o     (own_ready_o),
    .s_piece_i     (own_piece_i),
    .stopped_i     (stopped && packet.own),
    .packet_valid_o(own_valid),
    .judged_o      (own_judged),
    .judgement_o   (own_judgement),
    .comes_o       (own_comes),
    .packet_ready_i(own_ready),
    .packet_o      (own),
    .buffer_i      (buffer),
    .word_o        (own_word),
    .*
  );

  rdma_turns u_turns (
    .net_valid_i    (net_valid),
    .net_judged_i   (net_judged),
    .net_judgement_i(net_judgement),
    .net_ready_o    (net_ready),
    .net_packet_i   (net),
    .own_valid_i    (own_valid),
    .own_judged_i   (own_judged),
    .own_judgement_i(own_judgement),
    .own_comes_i    (own_comes),
    .own_ready_o    (own_ready),
    .own_packet_i   (own),
    .m_valid_o      (packet_valid),
    .judged_o       (packet_judged),
    .judgement_o    (judgement),
    .comes_o        (comes),
    .answers_o      (answers),
    .m_ready_i      (packet_ready),
    .m_packet_o     (packet),
    .buffer_i       (buffer),
    .net_word_i     (net_word),
    .own_word_i     (own_word),
    .word_o         (word),
    .*
  );

  query_t query;
  logic   query_allowed;

  rdma_windows #(
    .Domains(Domains),
    .Windows(Windows)
  ) u_windows (
    .ready_o    (windows_ready),
    .set_valid_i(settings_i.window_valid),
    .set_i      (settings_i.window),
    .query_i    (query),
    .allowed_o  (query_allowed),
    .*
  );

  logic work_valid, work_ready;
  work_t work;
  logic write_idle, write_refused, lost, memory_error;
  events_t seen;

  rdma_admit #(
    .Senders(Senders),
    .Tick   (Tick)
  ) u_admit (
    .ready_o        (admit_ready),
    .identity_i     (settings_i.identity),
    .forget_i       (settings_i.forget),
    .s_valid_i      (packet_valid),
    .s_judged_i     (packet_judged),
    .s_judgement_i  (judgement),
    .s_early_i      (early),
    .s_comes_i      (comes),
    .s_answers_i    (answers),
    .s_answer_i     (own.frame),
    .s_ready_o      (packet_ready),
    .s_packet_i     (packet),
    .query_o        (query),
    .query_allowed_i(query_allowed),
    .work_valid_o   (work_valid),
    .work_ready_i   (work_ready),
    .work_o         (work),
    .fate_o         (fate),
    .stopped_o      (stopped),
    .cut_room_i     (cut_room),
    .write_idle_i   (write_idle),
    .write_refused_i(write_refused),
    .events_o       (seen),
    .*
  );

  rdma_write #(
    .AddrWidth (AddrWidth),
    .PlaceWidth(PlaceWidth),
    .Contexts  (Senders << TidWidth)
  ) u_write (
    .idle_o        (write_idle),
    .refused_o     (write_refused),
    .s_valid_i     (work_valid),
    .s_ready_o     (work_ready),
    .s_work_i      (work),
    .fate_i        (fate),
    .next_i        (next),
    .cut_room_o    (cut_room),
    .buffer_o      (buffer),
    .word_i        (word),
    .lost_o        (lost),
    .memory_error_o(memory_error),
    .*
  );

  always_comb begin
    events_o = seen;
    events_o.lost_reply = lost;
    events_o.memory_error = memory_error;
    events_o.damaged = damaged;
  end

  logic unused_settings;
  assign unused_settings = ^settings_i;

endmodule
