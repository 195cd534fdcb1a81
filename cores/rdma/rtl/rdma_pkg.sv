// SPDX-License-Identifier: Apache-2.0
//
// rdma_pkg: what the engine, the send unit and the receive unit hand to each other, and the words
// of the engine's tables.
//
// Widths and layouts are those of cores/rdma/README.md and of `crates/wire/src/rdma`.

package rdma_pkg;

  localparam int unsigned TidWidth = 10;
  localparam int unsigned SequenceWidth = 14;
  localparam int unsigned TransferWidth = 11;
  localparam int unsigned TriesWidth = 4;
  localparam int unsigned NumberWidth = 18;  // blocks of a transfer, up to 65537
  localparam int unsigned FlowWidth = 8;
  localparam int unsigned FlowBlocks = 4;  // TIDs of a flow
  localparam int unsigned Places = 4 * FlowBlocks;  // of four flows
  localparam int unsigned RingWidth = $clog2(Places);
  localparam int unsigned QueueWidth = 7;  // of 66 queues

  typedef logic [TidWidth-1:0] tid_t;
  typedef logic [SequenceWidth-1:0] sequence_t;
  typedef logic [TransferWidth-1:0] transfer_t;  // {page, served for another node, channel}
  typedef logic [FlowWidth-1:0] flow_t;
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [3:0] page_t;

  // Who this node is; steady while it works.
  typedef struct packed {
    logic [15:0] node;
    logic [3:0]  epoch;  // another one in each session
  } identity_t;

  // When the engine repeats and gives up; steady too.
  typedef struct packed {
    logic [31:0] timeout;  // cycles from the last word of a block to its answer
    logic [TriesWidth-1:0] retries;  // so often a block is repeated before its transfer has failed
    logic [17:0] read_timeout;  // of a read, in 16384 cycles
  } limits_t;

  // How classes share the line: small, one path, four paths.
  typedef struct packed {
    logic weighted;  // else a lower class goes first in any case
    logic [2:0][3:0] weights;  // 0: 16
  } service_t;

  // Kind of a packet. An answer is one of the last three, or KindControl: a read of this node is
  // over.
  typedef enum logic [3:0] {
    KindData = 4'd0,
    KindMessage = 4'd1,
    KindControl = 4'd2,
    KindAck = 4'd3,
    KindNack = 4'd4,
    KindReadRequest = 4'd5
  } kind_e;

  // First line of a descriptor.
  typedef struct packed {
    logic [63:0] notification, source, destination;
    logic [21:0] qos;
    logic read, long_, notify, inline_;
    logic [1:0] class_;
    logic [3:0] priority_;
    logic [31:0] size;
  } line_t;

  // How a transfer is scheduled, as rdma_check finds it in the line.
  typedef struct packed {
    logic packet;  // sent by the packet creator: a message or a read request
    logic [1:0] class_;
    logic [3:0] priority_;
  } schedule_t;

  // A use of a transaction number.
  typedef struct packed {
    logic [TriesWidth-1:0] tries;  // how often the same was sent before
    logic [SequenceWidth-1:0] sequence_;
    logic [TidWidth-1:0] tid;
  } use_t;

  // Block descriptor: word of the Transaction Table. The engine leaves sent, initialised and done
  // zero: they are the send unit's.
  typedef struct packed {
    logic [19:0] zero;
    logic [3:0] epoch;  // of who asked, if it did
    logic asked;  // data of a read of another node
    logic [21:0] qos;
    logic [TransferWidth-1:0] transfer;
    logic has_next;  // the transfer has blocks behind it
    logic [16:0] size;  // bytes, 1 to 65536
    logic chained;  // it has blocks in front of it
    logic notify;  // last block of a transfer with notification
    logic done, initialised;
    logic managed;  // it has a flow: TID / 4
    logic [16:0] sent;
    logic [SequenceWidth-1:0] sequence_;
    logic [15:0] domain;
    logic [63:0] destination, source;
  } block_t;

  // What is issued, for weighted service.
  typedef struct packed {
    logic [1:0]  class_;
    logic [16:0] bytes;
  } block_class_t;

  // What the packet creator makes: a whole packet but epoch, node and CRC.
  typedef struct packed {
    logic [21:0] qos;
    logic [TransferWidth-1:0] transfer;
    logic notify;
    kind_e kind;  // KindMessage, KindControl or KindReadRequest
    logic [15:0] domain;
    logic [63:0] address;
    logic [6:0] size;  // bytes of the payload: 1 to 32, 16 or 32
    logic [255:0] payload;
  } packet_t;

  // Block or packet with its use: what the engine hands to the send unit.
  typedef struct packed {
    use_t   use_;
    block_t block;
  } block_job_t;

  typedef struct packed {
    use_t use_;
    packet_t packet;
  } packet_job_t;

  // What the receive unit has for the engine.
  typedef struct packed {
    logic echo;  // KindAck: a packet of what is answered had a mark of the network
    logic failed;  // KindControl: the read ended with an error
    logic [TransferWidth-1:0] transfer;  // the channel that asked for a read
    logic [15:0] domain;
    logic [15:0] node;  // who sent it
    logic [3:0] epoch;  // of what is answered; KindControl: of the request that is over
    logic [SequenceWidth-1:0] sequence_;  // the same
    logic [TidWidth-1:0] tid;
    kind_e kind;
    line_t line;  // KindReadRequest
  } answer_t;

  // A block with a flow has been answered; see rdma_congestion.
  typedef struct packed {
    logic valid;
    logic echo;
    logic [15:0] node;
    logic [TidWidth-2:0] place;  // TID, less 512
  } answered_t;

  // What is known of the request that a read channel serves.
  typedef struct packed {
    logic [3:0] epoch;  // of the node that asked
    logic [6:0] channel;  // that asked, of the same page as this one
    logic [SequenceWidth-1:0] sequence_;
    logic [TidWidth-1:0] tid;
  } asked_t;

  // A use of a transaction number that has left, or could not.
  typedef struct packed {
    logic failed;
    logic [TidWidth-1:0] tid;
  } sent_t;

  // Entry of a queue beside the transfer.
  typedef struct packed {
    logic control;  // the control packet is due
    logic issued;   // something was issued before: the metadata are this transfer's
  } tag_t;

  // A transfer in a queue, and one that enters it.
  typedef struct packed {
    transfer_t transfer;
    tag_t tag;
  } entry_t;

  typedef struct packed {
    queue_t queue_;
    entry_t entry;
  } put_t;

  // A line for the Transfer Table; of a channel that serves a read also the request.
  typedef struct packed {
    transfer_t transfer;
    line_t line;
    asked_t asked;
  } table_t;

  // What the Transfer Table has of a transfer.
  typedef struct packed {
    line_t line;
    logic [3:0][63:0] second;  // line of a long descriptor
    asked_t asked;
  } row_t;

  // Second word of the payload of a control packet.
  typedef struct packed {
    logic [20:0] zero;
    logic [3:0] epoch;  // of the request that is over
    logic nothing;  // is to be written
    logic failed;
    logic [TransferWidth-1:0] transfer;  // the channel that asked
    logic over;  // a read of the receiver
    logic waits;  // for the block that is named
    logic [SequenceWidth-1:0] sequence_;  // of that block, or of the request that is over
    logic [TidWidth-1:0] tid;  // the same
  } named_t;

  // A read has no flow here, a transfer with flows has no request: so both stand in the same bits
  // of the metadata.
  typedef struct packed {
    logic [FlowWidth-1:0] flow;
    logic [Places-1:0] map;  // places of the ring under way
  } flows_t;
  typedef struct packed {
    logic [TidWidth-1:0] tid;  // of the read request when it was first sent
    logic [SequenceWidth-1:0] sequence_;  // the same
  } request_t;
  typedef union packed {
    flows_t   flows;
    request_t request;
  } ways_t;

  // Metadata of a transfer: word that segmenter and handler read and write in two cycles that
  // nobody comes between.
  typedef struct packed {
    logic over;  // the other node says that the read is over
    logic reading;  // a read request was issued
    logic failed;  // a block is given up
    logic control;  // the control packet was issued
    logic queued;  // it has an entry in a queue, or on the way there
    logic more;  // blocks are left to be issued
    logic [3:0] under_way;  // issued and not answered, blocks or packets
    logic [NumberWidth-1:0] issued;  // blocks; of a read when its request was answered
    ways_t ways;
  } metadata_t;

  // Place in the ring of block `number` of a transfer, low bits of both.
  function automatic logic [RingWidth-1:0] ring_place(input logic four,
                                                      input logic [RingWidth-1:0] number);
    return four ? number : RingWidth'(number[$clog2(FlowBlocks)-1:0]);
  endfunction

  // Whether a + b has a carry: found in a tree, where a chain has more levels.
  function automatic logic carry_of(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] carries, passes;
    carries = a & b;
    passes  = a | b;
    for (int unsigned span = 1; span < 32; span *= 2) begin
      for (int unsigned i = 31; i >= span; i--) begin
        carries[i] = carries[i] || (passes[i] && carries[i-span]);
        passes[i]  = passes[i] && passes[i-span];
      end
    end
    return carries[31];
  endfunction

  // The first flag that is set, if there is one: found in a tree.
  function automatic logic [5:0] first_of(input logic [63:0] flags);
    logic [63:0] some;
    logic [63:0][5:0] first;
    some  = flags;
    first = '0;
    for (int unsigned step = 0; step < 6; step++) begin
      for (int unsigned i = 0; i < (32 >> step); i++) begin
        first[i] = some[2*i] ? first[2*i] : first[2*i+1] | (6'd1 << step);
        some[i]  = some[2*i] || some[2*i+1];
      end
    end
    return first[0];
  endfunction

  // Pending: what was issued under a TID.
  typedef struct packed {
    logic [15:0] node;  // that answers
    logic [NumberWidth-1:0] number;  // block
    logic notify;
    logic [3:0] priority_;
    logic [1:0] class_;  // 0: the transfer has no flow
    logic control, packet;
    logic [TransferWidth-1:0] transfer;
    logic [TriesWidth-1:0] tries;
    logic [SequenceWidth-1:0] sequence_;
  } pending_t;

  // What the segmenter issues.
  typedef struct packed {
    logic first;  // the TID is under way from here on
    logic read;  // a read request, for the first time
    tid_t tid;
    pending_t pending;
  } issue_t;

  // A failed transfer that waited in a queue until nothing of it was under way.
  typedef struct packed {
    transfer_t  transfer;
    logic [1:0] class_;
  } reap_t;

  // Free numbers: how many, and the next one. Which are taken; which come back.
  typedef struct packed {
    logic [9:0] tids;
    tid_t tid;
    logic [6:0] singles;
    flow_t single;
    logic [4:0] groups;
    flow_t group;
  } free_t;

  typedef struct packed {logic tid, single, group;} taken_t;

  typedef struct packed {
    taken_t valid;
    tid_t tid;
    flow_t flow;
  } returned_t;

  // A user of the metadata; see rdma_metadata.
  typedef struct packed {
    logic want;
    transfer_t transfer;
    metadata_t word;
  } metadata_req_t;

  // A transfer is over.
  typedef struct packed {
    transfer_t transfer;
    logic error;
  } finish_t;

  // What is counted of the engine, one pulse each.
  typedef struct packed {
    logic refused;  // a beat of a user, for this page
    page_t refused_page;
    logic finish;  // a transfer is over
    logic finish_error;
    logic finish_read;  // it was a read that another node asked for
    logic dropped;  // an answer that fits nothing
    logic repeated, gave_up;
    logic fault;  // never: a transfer, a number or an end was accounted for twice
  } engine_events_t;

  // What the handler is about.
  typedef enum logic [3:0] {
    JobScan,
    JobAck,
    JobNack,
    JobReap,
    JobServe,  // a read request has its channel
    JobOver,   // is this the end of a read?
    JobEnd,    // it is
    JobRead,   // has a read been going on for too long?
    JobExpire  // it has
  } job_e;

  typedef struct packed {
    job_e kind;
    tid_t tid;
    sequence_t sequence_;
    logic [3:0] epoch;
    logic [15:0] node;
    logic echo;  // JobAck: of the answer
    logic known;  // JobOver: of a read of this session and of the domain that says so
    logic over_failed;  // JobOver, JobEnd: the read has
    logic give_up, notify;
    transfer_t transfer;
    logic [1:0] class_;
    logic [3:0] priority_;
  } job_t;

  // What is to be sent again.
  typedef struct packed {
    logic [NumberWidth-1:0] number;
    logic control, packet;
    logic [TransferWidth-1:0] transfer;
    logic [TriesWidth-1:0] tries;  // this time
    logic [TidWidth-1:0] tid;
  } again_t;

endpackage
