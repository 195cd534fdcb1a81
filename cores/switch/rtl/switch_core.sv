// SPDX-License-Identifier: Apache-2.0
//
// switch_core: the switch as pure streams, with the port by which its tables are written.
//
// What      switch_ingress and switch_egress of each port, switch_scheduler and the crossbar
//           between them. Packets go in at one port and leave at another one, once, in order and
//           unchanged but for the header's marks, hops and what belongs to the link.
// Contract  port i has the bits [512*i +: 512] of s_axis_tdata and so on: s_axis_* is m_axis_* of
//           its RIFL (never stalled), m_axis_* goes into s_axis_* of it, link_up_i[i] is high while
//           its session is open. AXI-Stream with byte 0 in the low lane; TUSER is the error mark.
//           table_write_i[i] writes the ports by which a packet that came in at port i may go on to
//           the node table_addr_i. All tables are empty after a reset, and take writes from
//           table_ready_o on.
//           mark_words_i: a packet is marked that leaves a queue with that many words.
//           hash_salt_i as salt_i of switch_hash: it is changed while nothing is sent.
//           The peers' memory is MaxWords + 4 words of each class or more.
// Clock     clk_i; rst_i synchronous to it: what is in the switch is forgotten
// Latency   7 cycles, s_axis_tdata to m_axis_tdata, idle
//
// Parameters
//   Ports        2..16
//   Nodes        destinations, 2..65536
//   VcWords      words of memory of each class at each input, MaxWords + 4..2000
//   MaxWords     of a packet, 1..64
//   Notices      words of memory for notices at each input, 1..64
//   DeadCycles   a link that is not open for so many cycles is dead
//
// Source    cores/switch/README.md

module switch_core
  import switch_pkg::*;
#(
  parameter int unsigned Ports = 4,
  parameter int unsigned Nodes = 64,
  parameter int unsigned VcWords = 126,
  parameter int unsigned MaxWords = 64,
  parameter int unsigned Notices = 8,
  parameter int unsigned DeadCycles = 65536,
  localparam int unsigned NodeBits = Nodes > 2 ? $clog2(Nodes) : 1,
  localparam int unsigned MarkBits = $clog2(Classes * VcWords + Notices + 1)
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic [Ports-1:0] link_up_i,

  input  logic [ Ports*WordBits-1:0] s_axis_tdata,
  input  logic [Ports*WordBytes-1:0] s_axis_tkeep,
  input  logic [          Ports-1:0] s_axis_tlast,
  input  logic [          Ports-1:0] s_axis_tuser,
  input  logic [          Ports-1:0] s_axis_tvalid,
  output logic [          Ports-1:0] s_axis_tready,

  output logic [ Ports*WordBits-1:0] m_axis_tdata,
  output logic [Ports*WordBytes-1:0] m_axis_tkeep,
  output logic [          Ports-1:0] m_axis_tlast,
  output logic [          Ports-1:0] m_axis_tvalid,
  input  logic [          Ports-1:0] m_axis_tready,

  input  logic [   Ports-1:0] table_write_i,
  input  logic [NodeBits-1:0] table_addr_i,
  input  logic [   Ports-1:0] table_data_i,
  output logic                table_ready_o,
  input  logic [MarkBits-1:0] mark_words_i,
  input  logic [        15:0] hash_salt_i,

  output port_status_t [Ports-1:0] status_o,
  output port_event_t  [Ports-1:0] event_o
);

  localparam int unsigned PortWidth = $clog2(Ports);

  if (Ports < 2 || Ports > 16) begin : gen_bad_ports
    $error("switch_core %m: Ports must be 2..16, got %0d", Ports);
  end
  if (Nodes < 2 || Nodes > 65536) begin : gen_bad_nodes
    $error("switch_core %m: Nodes must be 2..65536, got %0d", Nodes);
  end
  if (VcWords < MaxWords + 4 || VcWords > 2000) begin : gen_bad_vc_words
    $error(
        "switch_core %m: VcWords must be MaxWords + 4..2000 (%0d..2000), got %0d",
        MaxWords + 4,
        VcWords
    );
  end

  logic [Ports-1:0] is_open, dead, table_ready, ready, fire, finish, match_valid;
  logic [Ports-1:0][PortWidth-1:0] match_port;
  class_t [Ports-1:0] match_class;
  logic [Ports-1:0][Ports-1:0][Classes-1:0] waits, request;  // of input, of output
  logic [Ports-1:0][Classes-1:0] may;
  beat_t [Ports-1:0] beat;
  logic [Ports-1:0] mark;
  key_t [(1<<PortWidth)-1:0] masks;
  assign table_ready_o = &table_ready;

  switch_scheduler #(
    .Ports(Ports)
  ) u_scheduler (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .req_i        (request),
    .finish_i     (finish),
    .match_valid_o(match_valid),
    .match_port_o (match_port),
    .match_class_o(match_class)
  );
  switch_hash #(
    .Leaves(1 << PortWidth)
  ) u_hash (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .salt_i (hash_salt_i),
    .masks_o(masks)
  );
  for (genvar i = 0; i < Ports; i++) begin : gen_request
    assign request[i] = waits[i] & may;
  end

  // ---- Crossbar: which input's word comes to an output, one cycle behind the match ----
  logic [Ports-1:0] from_valid_q;
  logic [Ports-1:0][PortWidth-1:0] from_q;
  always_ff @(posedge clk_i) begin
    from_valid_q <= '0;
    for (int unsigned i = 0; i < Ports; i++) begin
      if (match_valid[i]) from_q[match_port[i]] <= PortWidth'(i);
      if (fire[i] && !rst_i) from_valid_q[match_port[i]] <= 1'b1;
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic peer_valid, output_lost_valid, output_lost_ready, link_lost_valid, link_lost_ready;
    peer_t   peer;
    answer_t answer;
    lost_t output_lost, link_lost;
    rx_event_t rx_event;
    logic dropped, notice, untold, sent, credit;
    link_e state;

    switch_ingress #(
      .Ports   (Ports),
      .Nodes   (Nodes),
      .VcWords (VcWords),
      .MaxWords(MaxWords),
      .Notices (Notices)
    ) u_ingress (
      .clk_i              (clk_i),
      .rst_i              (rst_i),
      .link_up_i          (link_up_i[p]),
      .s_axis_tdata       (s_axis_tdata[WordBits*p+:WordBits]),
      .s_axis_tkeep       (s_axis_tkeep[WordBytes*p+:WordBytes]),
      .s_axis_tlast       (s_axis_tlast[p]),
      .s_axis_tuser       (s_axis_tuser[p]),
      .s_axis_tvalid      (s_axis_tvalid[p]),
      .s_axis_tready      (s_axis_tready[p]),
      .table_write_i      (table_write_i[p]),
      .table_addr_i       (table_addr_i),
      .table_data_i       (table_data_i),
      .table_ready_o      (table_ready[p]),
      .mark_i             (mark_words_i),
      .masks_i            (masks),
      .open_i             (is_open),
      .dead_i             (dead),
      .request_o          (waits[p]),
      .match_valid_i      (match_valid[p]),
      .match_port_i       (match_port[p]),
      .match_class_i      (match_class[p]),
      .match_ready_i      (ready[match_port[p]]),
      .fire_o             (fire[p]),
      .finish_o           (finish[p]),
      .m_beat_o           (beat[p]),
      .m_mark_o           (mark[p]),
      .peer_valid_o       (peer_valid),
      .peer_o             (peer),
      .answer_o           (answer),
      .output_lost_valid_i(output_lost_valid),
      .output_lost_ready_o(output_lost_ready),
      .output_lost_i      (output_lost),
      .link_lost_valid_i  (link_lost_valid),
      .link_lost_ready_o  (link_lost_ready),
      .link_lost_i        (link_lost),
      .event_o            (rx_event),
      .dropped_o          (dropped),
      .notice_o           (notice),
      .untold_o           (untold)
    );

    switch_egress #(
      .VcWords   (VcWords),
      .MaxWords  (MaxWords),
      .DeadCycles(DeadCycles)
    ) u_egress (
      .clk_i              (clk_i),
      .rst_i              (rst_i),
      .link_up_i          (link_up_i[p]),
      .s_valid_i          (from_valid_q[p]),
      .s_ready_o          (ready[p]),
      .s_beat_i           (beat[from_q[p]]),
      .s_mark_i           (mark[from_q[p]]),
      .request_open_o     (may[p]),
      .state_o            (state),
      .dead_o             (dead[p]),
      .peer_valid_i       (peer_valid),
      .peer_i             (peer),
      .answer_i           (answer),
      .output_lost_valid_o(output_lost_valid),
      .output_lost_ready_i(output_lost_ready),
      .output_lost_o      (output_lost),
      .link_lost_valid_o  (link_lost_valid),
      .link_lost_ready_i  (link_lost_ready),
      .link_lost_o        (link_lost),
      .sent_o             (sent),
      .credit_o           (credit),
      .m_axis_tdata       (m_axis_tdata[WordBits*p+:WordBits]),
      .m_axis_tkeep       (m_axis_tkeep[WordBytes*p+:WordBytes]),
      .m_axis_tlast       (m_axis_tlast[p]),
      .m_axis_tvalid      (m_axis_tvalid[p]),
      .m_axis_tready      (m_axis_tready[p])
    );

    assign is_open[p] = state == LinkOpen;
    assign status_o[p] = '{state: state, dead: dead[p]};
    assign event_o[p] = '{
            rx: rx_event,
            dropped: dropped,
            notice: notice,
            untold: untold,
            sent: sent,
            credit: credit
        };
  end

endmodule
