// SPDX-License-Identifier: Apache-2.0
//
// rdma_pkg: what the engine, the send unit and the receive unit hand to each other.
//
// Widths and layouts are those of cores/rdma/README.md, "Between engine and units", and of `crates/wire/src/rdma`.

package rdma_pkg;

  localparam int unsigned TidWidth = 10;
  localparam int unsigned SequenceWidth = 14;
  localparam int unsigned TransferWidth = 11;
  localparam int unsigned TriesWidth = 4;

  // Kind of a packet. An answer is one of the last three, or KindControl: a read of this node is over.
  localparam logic [3:0] KindData = 4'd0;
  localparam logic [3:0] KindMessage = 4'd1;
  localparam logic [3:0] KindControl = 4'd2;
  localparam logic [3:0] KindAck = 4'd3;
  localparam logic [3:0] KindNack = 4'd4;
  localparam logic [3:0] KindReadRequest = 4'd5;

  // First line of a descriptor.
  typedef struct packed {
    logic [63:0] notification;
    logic [63:0] source;
    logic [63:0] destination;
    logic [21:0] qos;
    logic read;
    logic long_;
    logic notify;
    logic inline_;
    logic [1:0] class_;
    logic [3:0] priority_;
    logic [31:0] size;
  } line_t;

  // A use of a transaction number.
  typedef struct packed {
    logic [TriesWidth-1:0] tries;  // how often the same was sent before
    logic [SequenceWidth-1:0] sequence_;
    logic [TidWidth-1:0] tid;
  } use_t;

  // Block descriptor: word of the Transaction Table. The engine leaves sent, initialised and done
  // zero: they are the send unit's.
  typedef struct packed {
    logic [24:0] zero;
    logic [21:0] qos;
    logic [TransferWidth-1:0] transfer;
    logic has_next;  // the transfer has blocks behind it
    logic [16:0] size;  // bytes, 1 to 65536
    logic chained;  // it has blocks in front of it
    logic notify;  // last block of a transfer with notification
    logic done;
    logic initialised;
    logic managed;  // it has a flow: TID / 4
    logic [16:0] sent;
    logic [SequenceWidth-1:0] sequence_;
    logic [15:0] domain;
    logic [63:0] destination;
    logic [63:0] source;
  } block_t;

  // What the packet creator makes: a whole packet but epoch, node and CRC.
  typedef struct packed {
    logic [21:0] qos;
    logic [TransferWidth-1:0] transfer;
    logic notify;
    logic [3:0] kind;  // KindMessage, KindControl or KindReadRequest
    logic [15:0] domain;
    logic [63:0] address;
    logic [6:0] size;  // bytes of the payload: 1 to 32, 16 or 32
    logic [255:0] payload;
  } packet_t;

  // What the receive unit has for the engine.
  typedef struct packed {
    logic failed;  // KindControl: the read ended with an error
    logic [TransferWidth-1:0] transfer;  // the channel that asked for a read
    logic [15:0] domain;
    logic [15:0] node;  // who sent it
    logic [3:0] epoch;  // KindAck, KindNack: of what is answered
    logic [SequenceWidth-1:0] sequence_;
    logic [TidWidth-1:0] tid;
    logic [3:0] kind;
    line_t line;  // KindReadRequest
  } answer_t;

endpackage
