// SPDX-License-Identifier: Apache-2.0
//
// switch_ledger: what is on a link and not yet acknowledged, and what of it was lost.
//
// What      keeps source, destination, flow, class and length of each packet that was sent, in a
//           ring of 256, until the peer says that it has received it. When a session has ended the
//           first thing that the peer says of the next one settles which packets arrived; the rest
//           is reported, one by one. So is everything when the link is given up (dead_i).
// Contract  sent_*: one a cycle at most, in the order of their numbers, from number 0 at the reset
//           on. received_*: what the peer says, at any time. settle_i: what was sent and is not
//           received by now is lost (with received_valid_i: after what that says). room_o: a packet
//           may be started; 31 more may follow. busy_o: lost packets are being reported; no
//           settle_i and no packet in that time.
// Clock     clk_i; rst_i synchronous to it, forgets everything
// Latency   lost_* 3 cycles behind settle_i

module switch_ledger
  import switch_pkg::*;
(
  input logic clk_i,
  input logic rst_i,

  input  logic  sent_valid_i,
  input  lost_t sent_i,
  output logic  room_o,

  input  logic      received_valid_i,
  input  received_t received_i,
  input  logic      settle_i,
  output logic      busy_o,

  output logic  lost_valid_o,
  input  logic  lost_ready_i,
  output lost_t lost_o
);

  localparam int unsigned Depth = 256;
  localparam int unsigned Slack = 32;
  localparam int unsigned AddrWidth = $clog2(Depth);

  // Numbers: [tail, head) is not acknowledged; [report, report_end) is lost and to be reported.
  number_t head_q, tail_q, tail_d, report_q, end_q;
  logic known, unused;
  assign unused = ^received_i.zero;
  assign known = received_valid_i && received_i.known &&
                 (received_i.number - tail_q) <= (head_q - tail_q);
  assign tail_d = known ? received_i.number : tail_q;

  logic fetch, fetched_q;
  prim_ram_1r1w #(
    .Width($bits(lost_t)),
    .Depth(Depth)
  ) u_ring (
    .clk_i    (clk_i),
    .wr_en_i  (sent_valid_i),
    .wr_addr_i(head_q[AddrWidth-1:0]),
    .wr_data_i(sent_i),
    .rd_en_i  (fetch),
    .rd_addr_i(report_q[AddrWidth-1:0]),
    .rd_data_o(lost_o)
  );

  assign fetch = report_q != end_q && (!fetched_q || lost_ready_i);
  assign busy_o = report_q != end_q || fetched_q;
  assign lost_valid_o = fetched_q;

  always_ff @(posedge clk_i) begin
    room_o <= (head_q - tail_q) < number_t'(Depth - Slack);
    if (fetch) report_q <= report_q + 1'b1;
    if (fetch) fetched_q <= 1'b1;
    else if (lost_ready_i) fetched_q <= 1'b0;
    tail_q <= tail_d;
    if (sent_valid_i) head_q <= head_q + 1'b1;
    if (settle_i) begin
      tail_q   <= head_q;
      report_q <= tail_d;
      end_q    <= head_q;
    end
    if (rst_i) begin
      head_q <= '0;
      tail_q <= '0;
      report_q <= '0;
      end_q <= '0;
      fetched_q <= 1'b0;
    end
  end

  prim_assert #(
    .Rule("nothing is settled or sent while lost packets are reported")
  ) u_order (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!busy_o || (!settle_i && !sent_valid_i))
  );

endmodule
