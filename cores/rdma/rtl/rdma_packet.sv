// SPDX-License-Identifier: Apache-2.0
//
// rdma_packet: the packet creator: what is sent for a descriptor without the send unit reading
// memory.
//
// What      Message: the data of the descriptor, to its destination. Read request: the first line,
//           to the node of the source. Control packet: the value of the notification, to its
//           address at the node of the destination. That of a read channel says that the read is
//           over, or has failed: then nothing is written.
// Why       These go straight from the engine's tables into the network.
// Contract  Combinational. line_i and second_i are the lines of the descriptor, second_i only if it
//           is long; control_i asks for the control packet, failed_i is the transfer's; asked_i
//           means something for a read channel. Layout of the packets: README.
// Latency   0: with both lines at hand a long message takes no longer than a short one.

module rdma_packet
  import rdma_pkg::*;
(
  input  logic                              control_i,
  input  logic                              failed_i,
  input  logic    [TransferWidth-1:0]       transfer_i,
  input  logic    [             15:0]       node_i,
  input  line_t                             line_i,
  input  logic    [              3:0][63:0] second_i,
  input  asked_t                            asked_i,
  output packet_t                           packet_o
);

  logic   [             63:0] value;
  logic                       serves;
  logic   [TransferWidth-1:0] asker;
  named_t                     named;
  assign serves = transfer_i[6];
  assign asker  = {transfer_i[TransferWidth-1:7], asked_i.channel};

  always_comb begin
    value = serves ? {line_i.destination[63:48], 5'd0, asker, line_i.size}
        : {node_i, 5'd0, transfer_i, line_i.size};
    if (line_i.long_ && !line_i.inline_) value = second_i[0];

    named = '0;
    if (serves) begin
      named.over = 1'b1;
      named.failed = failed_i;
      named.nothing = failed_i || !line_i.notify;
      named.transfer = asker;
      named.tid = asked_i.tid;
      named.sequence_ = asked_i.sequence_;
      named.epoch = asked_i.epoch;
    end

    packet_o = '0;
    packet_o.qos = line_i.qos;
    packet_o.transfer = transfer_i;
    packet_o.notify = line_i.notify && !control_i;
    packet_o.domain = 16'(transfer_i[TransferWidth-1:7]);
    if (control_i) begin
      packet_o.kind = KindControl;
      packet_o.address = {line_i.destination[63:48], line_i.notification[47:0]};
      packet_o.size = 7'd16;
      packet_o.payload[127:0] = {named, value};
    end else if (line_i.read) begin
      packet_o.kind = KindReadRequest;
      packet_o.address = {line_i.source[63:48], 48'd0};
      packet_o.size = 7'd32;
      packet_o.payload = line_i;
    end else begin
      packet_o.kind = KindMessage;
      packet_o.address = line_i.destination;
      packet_o.size = line_i.size[6:0];
      packet_o.payload = line_i.long_ ? second_i : 256'(line_i.source);
    end
  end

  logic unused_fields;
  assign unused_fields = ^{line_i.class_, line_i.priority_, line_i.notification[63:48]};

endmodule
