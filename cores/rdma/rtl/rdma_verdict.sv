// SPDX-License-Identifier: Apache-2.0
//
// rdma_verdict: what is done about a packet, by what is known of it.
//
// What      The table of the README as one chain of conditions: the first that holds decides.
// Why       Each byte is written for the block that it belongs to, and never when that is over.
// Contract  Combinational. context_i is what is known of the packet's sender and TID. events_o:
//           what is counted of this packet.
// Latency   0
// Source    own design

module rdma_verdict
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
(
  input  frame_t    packet_i,
  input  named_t    named_i,     // of a control packet
  input  findings_t findings_i,
  input  context_t  context_i,
  output decision_t decision_o,
  output events_t   events_o
);

  logic renew, there, control, marked;
  logic [63:0] there_after;
  verdict_e verdict;
  context_t after;
  logic keeps, begins;

  assign control = packet_i.header.kind == KindControl;
  assign there = context_i.there[packet_i.footer.index];
  assign renew = !context_i.valid || findings_i.newer;
  assign marked = findings_i.marked || (!renew && context_i.marked);
  assign there_after = (renew ? '0 : context_i.there) | (64'd1 << packet_i.footer.index);
  assign decision_o = '{verdict: verdict, keeps: keeps, begins: begins, after: after};

  always_comb begin
    verdict = VerdictDrop;
    events_o = '0;
    keeps = 1'b0;
    begins = 1'b0;
    after = context_i;
    after.fresh = 1'b1;
    after.marked = marked;
    if (!findings_i.good) begin
      verdict = VerdictDrop;
    end else if (findings_i.forged) begin
      // No answer: it would come to this node's own transfers.
      events_o.foreign = 1'b1;
    end else if (findings_i.foreign) begin
      events_o.foreign = 1'b1;
      verdict = findings_i.answer ? VerdictDrop : VerdictNack;
    end else if (findings_i.answer) begin
      verdict = VerdictEngine;
    end else if (findings_i.unknown) begin
      events_o.foreign = 1'b1;
      verdict = VerdictNack;
    end else if (findings_i.epoch_old) begin
      events_o.epoch = 1'b1;
    end else if (findings_i.of_former) begin
      events_o.epoch = 1'b1;
      verdict = VerdictNack;
    end else if (context_i.valid && !findings_i.same && !findings_i.newer) begin
      events_o.old = 1'b1;
    end else if (context_i.valid && context_i.complete
        && (findings_i.same || findings_i.again)) begin
      events_o.repeated = 1'b1;
      verdict = VerdictAck;
      keeps = 1'b1;
      after.sequence_ = packet_i.header.sequence_;
    end else if (!renew && context_i.last != packet_i.footer.last) begin
      events_o.malformed = 1'b1;
    end else if (!renew && there) begin
      events_o.duplicate = 1'b1;
    end else if (!findings_i.allowed && !(control && named_i.nothing)) begin
      events_o.window = 1'b1;
      verdict = VerdictNack;
    end else if (control && (named_i.zero != '0 || packet_i.header.address[2:0] != '0)) begin
      events_o.malformed = 1'b1;
      verdict = VerdictNack;
    end else if (control && named_i.waits && !findings_i.named_there) begin
      events_o.early = 1'b1;
    end else if (control && named_i.over && findings_i.end_refused) begin
      events_o.early = 1'b1;
    end else begin
      verdict = (findings_i.request || (control && named_i.over)) ? VerdictEngine : VerdictWrite;
      keeps = 1'b1;
      after.valid = 1'b1;
      after.sequence_ = packet_i.header.sequence_;
      begins = renew;
      after.last = packet_i.footer.last;
      after.there = there_after;
      after.complete = there_after == {64{1'b1}} >> (6'd63 - packet_i.footer.last);
    end
  end

  logic unused_fields;
  assign unused_fields = ^{packet_i, named_i};

endmodule
