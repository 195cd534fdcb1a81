// SPDX-License-Identifier: Apache-2.0
//
// switch_ingress: an input of the switch: end of the link, route, memory with its queues.
//
// What      switch_link_rx ─► switch_route ─► switch_voq; switch_notice between the first two.
// Contract  s_axis_* as in switch_link_rx, table_*, masks_i, open_i, dead_i as in switch_route,
//           match_* and what belongs to it as r_* of switch_voq, lost_* as output_* and link_* of
//           switch_notice. request_o[j][c]: a packet for output j is here that may go in the next
//           match, if the one that stands ends now.
// Clock     clk_i; rst_i synchronous to it
// Latency   4 cycles, s_axis_tdata to request_o; 1 cycle, fire to m_beat_o
//
// Parameters
//   Ports, Nodes         as in switch_route
//   VcWords, MaxWords    as in switch_link_rx
//   Notices              as in switch_notice

module switch_ingress
  import switch_pkg::*;
#(
  parameter int unsigned Ports = 4,
  parameter int unsigned Nodes = 64,
  parameter int unsigned VcWords = 126,
  parameter int unsigned MaxWords = 64,
  parameter int unsigned Notices = 8,
  localparam int unsigned PortWidth = $clog2(Ports),
  localparam int unsigned Leaves = 1 << PortWidth,
  localparam int unsigned NodeBits = Nodes > 2 ? $clog2(Nodes) : 1,
  localparam int unsigned Depth = Classes * VcWords + Notices,
  localparam int unsigned LevelWidth = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_i,
  input logic link_up_i,

  input  word_t                 s_axis_tdata,
  input  logic  [WordBytes-1:0] s_axis_tkeep,
  input  logic                  s_axis_tlast,
  input  logic                  s_axis_tuser,
  input  logic                  s_axis_tvalid,
  output logic                  s_axis_tready,

  input  logic                  table_write_i,
  input  logic [  NodeBits-1:0] table_addr_i,
  input  logic [     Ports-1:0] table_data_i,
  output logic                  table_ready_o,
  input  logic [LevelWidth-1:0] mark_i,
  input  key_t [    Leaves-1:0] masks_i,
  input  logic [     Ports-1:0] open_i,
  input  logic [     Ports-1:0] dead_i,

  output logic   [    Ports-1:0][Classes-1:0] request_o,
  input  logic                                match_valid_i,
  input  logic   [PortWidth-1:0]              match_port_i,
  input  class_t                              match_class_i,
  input  logic                                match_ready_i,
  output logic                                fire_o,
  output logic                                finish_o,
  output beat_t                               m_beat_o,
  output logic                                m_mark_o,

  output logic    peer_valid_o,
  output peer_t   peer_o,
  output answer_t answer_o,

  input  logic  output_lost_valid_i,
  output logic  output_lost_ready_o,
  input  lost_t output_lost_i,
  input  logic  link_lost_valid_i,
  output logic  link_lost_ready_o,
  input  lost_t link_lost_i,

  output rx_event_t event_o,
  output logic      dropped_o,  // pulse: a packet without a way
  output logic      notice_o,   // pulse: a notice was made
  output logic      untold_o    // pulse: of something that is lost its source is not told
);

  // ---- End of the link ----
  logic   rx_valid;
  beat_t  rx_beat;
  class_t rx_class;
  logic free_valid, drop_valid;
  class_t free_class, drop_class;
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
    .m_valid_o    (rx_valid),
    .m_beat_o     (rx_beat),
    .m_class_o    (rx_class),
    .free_valid_i (free_valid),
    .free_class_i (free_class),
    .drop_valid_i (drop_valid),
    .drop_class_i (drop_class),
    .peer_valid_o (peer_valid_o),
    .peer_o       (peer_o),
    .answer_o     (answer_o),
    .event_o      (event_o)
  );

  // ---- Notices, in cycles without a word ----
  logic notice_valid, notice_free, notice_left, lost_valid;
  beat_t notice_beat;
  lost_t lost;
  switch_notice #(
    .Notices(Notices)
  ) u_notice (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .input_valid_i (lost_valid),
    .input_i       (lost),
    .output_valid_i(output_lost_valid_i),
    .output_ready_o(output_lost_ready_o),
    .output_i      (output_lost_i),
    .link_valid_i  (link_lost_valid_i),
    .link_ready_o  (link_lost_ready_o),
    .link_i        (link_lost_i),
    .m_valid_o     (notice_valid),
    .m_ready_i     (!rx_valid),
    .m_beat_o      (notice_beat),
    .notice_free_i (notice_left),
    .made_o        (notice_o),
    .untold_o      (untold_o)
  );

  // ---- Route ----
  logic [Ports-1:0][3:0] load;
  logic way_valid, way_notice, way_drop;
  beat_t way_beat;
  class_t way_class;
  logic [PortWidth-1:0] way_port;
  switch_route #(
    .Ports(Ports),
    .Nodes(Nodes)
  ) u_route (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .table_write_i(table_write_i),
    .table_addr_i (table_addr_i),
    .table_data_i (table_data_i),
    .table_ready_o(table_ready_o),
    .masks_i      (masks_i),
    .open_i       (open_i),
    .dead_i       (dead_i),
    .load_i       (load),
    .s_valid_i    (rx_valid || notice_valid),
    .s_beat_i     (rx_valid ? rx_beat : notice_beat),
    .s_class_i    (rx_valid ? rx_class : '0),
    .s_notice_i   (!rx_valid),
    .m_valid_o    (way_valid),
    .m_beat_o     (way_beat),
    .m_class_o    (way_class),
    .m_notice_o   (way_notice),
    .m_drop_o     (way_drop),
    .m_port_o     (way_port),
    .lost_valid_o (lost_valid),
    .lost_o       (lost)
  );
  assign drop_valid = way_valid && way_drop && !way_notice;
  assign drop_class = way_class;
  assign dropped_o  = lost_valid;

  // ---- Memory ----
  logic [Ports-1:0][Classes-1:0] some, more;
  switch_voq #(
    .Ports(Ports),
    .Depth(Depth)
  ) u_voq (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .w_valid_i    (way_valid && !way_drop),
    .w_beat_i     (way_beat),
    .w_port_i     (way_port),
    .w_class_i    (way_class),
    .w_notice_i   (way_notice),
    .some_o       (some),
    .more_o       (more),
    .load_o       (load),
    .mark_i       (mark_i),
    .r_valid_i    (match_valid_i),
    .r_port_i     (match_port_i),
    .r_class_i    (match_class_i),
    .r_ready_i    (match_ready_i),
    .fire_o       (fire_o),
    .finish_o     (finish_o),
    .m_beat_o     (m_beat_o),
    .m_mark_o     (m_mark_o),
    .free_valid_o (free_valid),
    .free_class_o (free_class),
    .notice_free_o(notice_free)
  );
  // Of the notices one may leave while another one is dropped: the second one waits a cycle.
  logic left_q;
  assign notice_left = notice_free || left_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) left_q <= 1'b0;
    else left_q <= (way_valid && way_drop && way_notice) || (notice_free && left_q);
  end

  // The word that may leave in this cycle is none of the next match.
  always_comb begin
    for (int unsigned j = 0; j < Ports; j++) begin
      for (int unsigned c = 0; c < Classes; c++) begin
        request_o[j][c] = match_valid_i && match_port_i == PortWidth'(j) &&
            match_class_i == class_t'(c) ? more[j][c] : some[j][c];
      end
    end
  end

endmodule
