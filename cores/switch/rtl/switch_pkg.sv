// SPDX-License-Identifier: Apache-2.0
//
// switch_pkg: the network's header, and what travels together between the modules of the switch.
//
// Layout and meaning
//           cores/switch/README.md, "What is on a link". A word is 64 bytes, byte 0 in the low
//           lane; the header is bytes 48 to 63 of the first word of a packet.

package switch_pkg;

  localparam int unsigned WordBits = 512;
  localparam int unsigned WordBytes = WordBits / 8;
  localparam int unsigned Classes = 4;
  localparam int unsigned ClassWidth = 2;
  localparam int unsigned LimitWidth = 12;  // words of a class since the hello, mod 4096
  localparam int unsigned NumberWidth = 12;  // packets on a link, mod 4096
  localparam int unsigned LengthWidth = 7;  // words of a packet
  localparam int unsigned LongestPacket = 64;  // words
  localparam int unsigned NodeWidth = 16;
  localparam int unsigned FlowWidth = 12;
  localparam int unsigned EpochWidth = 4;  // 0: none
  localparam int unsigned HeaderAt = 384;  // first bit of the header in a word

  typedef logic [ClassWidth-1:0] class_t;
  typedef logic [LimitWidth-1:0] limit_t;
  typedef limit_t [Classes-1:0] limits_t;
  typedef logic [NumberWidth-1:0] number_t;
  typedef logic [LengthWidth-1:0] length_t;
  typedef logic [NodeWidth-1:0] node_t;
  typedef logic [EpochWidth-1:0] epoch_t;
  typedef logic [2*NodeWidth+FlowWidth-1:0] key_t;  // what chooses a way: source, destination, flow

  typedef enum logic [3:0] {
    KindNone   = 4'd0,
    KindData   = 4'd1,
    KindCredit = 4'd2,
    KindNotice = 4'd3
  } kind_e;

  // Half 1 of the header in front, half 0 behind: the struct is the bits of the wire.
  typedef struct packed {
    number_t                    number;
    epoch_t                     epoch;
    limits_t                    limits;
    logic [3:0]                 hops;
    logic [FlowWidth-1:0] flow;               // of a hello: its own epoch in the low bits
    node_t                      source;
    node_t                      destination;  // of credits: received_t
    length_t                    words;
    logic                       hello;
    logic                       spread;
    logic                       mark;
    class_t                     cls;
    logic [3:0]                 kind;         // kind_e
  } header_t;

  typedef struct packed {
    header_t             header;  // in the first word of a packet; else the user's
    logic [HeaderAt-1:0] user;
  } word_t;

  // What an end has received: the number behind that of the last packet that came whole.
  typedef struct packed {
    logic       known;   // 0: none since the reset
    logic [2:0] zero;
    number_t    number;
  } received_t;

  // What a header says about the other direction.
  typedef struct packed {
    limits_t   limits;
    epoch_t    epoch;
    logic      credits;   // a word of credits: received is of it
    logic      hello;
    epoch_t    own;       // of a hello
    received_t received;
  } peer_t;

  // What an end says about what it receives.
  typedef struct packed {
    limits_t   limits;
    epoch_t    epoch;     // of the last hello, 0: none since link-up
    received_t received;
  } answer_t;

  // A word on its way through the switch, or between a user and the end of a link.
  typedef struct packed {
    word_t data;
    logic  first;
    logic  last;
    logic  aborted;  // with last: the packet is void
  } beat_t;

  typedef enum logic [1:0] {
    LinkDown,
    LinkHello,
    LinkOpen
  } link_e;

  // Pulses of the receiving end, for counters.
  typedef struct packed {
    logic packet;     // a packet came whole
    logic aborted;    // a packet ended too early or too late, or with the session
    logic malformed;  // kind, class or length is none; no header
    logic overrun;    // beyond the limit of its class
    logic gap;        // its number does not follow the one before
    logic stale;      // before a hello
  } rx_event_t;

  // What a port says about itself: its state, and pulses for counters.
  typedef struct packed {
    link_e state;
    logic  dead;
  } port_status_t;
  typedef struct packed {
    rx_event_t rx;
    logic      dropped;  // a packet that came in here has no way
    logic      notice;   // a notice was made here
    logic      untold;   // of something that was lost here its source is not told
    logic      sent;     // a packet was begun
    logic      credit;   // a word of credits was sent
  } port_event_t;

  // Words at the pins of a port in this cycle.
  typedef struct packed {
    logic received;
    logic sent;
    logic stalled;   // offered to the link and not taken
  } flow_t;

  // Whether the first class of two comes before the second one.
  typedef struct packed {
    logic one_two;
    logic one_three;
    logic two_three;
  } order_t;

  // The first class of several: class 0, else by the order. Class 3 of none.
  function automatic class_t first_class(logic [Classes-1:0] some, order_t order);
    if (some[0]) return 2'd0;
    if (some[1] && (order.one_two || !some[2]) && (order.one_three || !some[3])) return 2'd1;
    if (some[2] && (order.two_three || !some[3])) return 2'd2;
    return 2'd3;
  endfunction

  // What a notice says in byte 0 of its word.
  typedef enum logic [7:0] {
    LostNone  = 8'd0,
    LostLink  = 8'd1,  // sent, and not received when the link died
    LostDead  = 8'd2,  // waited for a link that stayed dead
    LostRoute = 8'd3,  // no route, or every port of it dead
    LostHops  = 8'd4   // no hops left
  } lost_e;

  // What is kept about a packet that may be lost.
  typedef struct packed {
    lost_e                      reason;
    node_t                      source;
    node_t                      destination;
    logic [FlowWidth-1:0] flow;
    class_t                     cls;
    length_t                    words;
    logic                       notice;       // it is a notice itself, and makes none
  } lost_t;

endpackage
