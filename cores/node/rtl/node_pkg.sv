// SPDX-License-Identifier: Apache-2.0
//
// node_pkg: what the node counts, and how much of a class must be free before a packet may begin.

package node_pkg;

  import switch_pkg::*;

  // Words of the longest packet of the engine: header, 16 of payload, footer.
  localparam int unsigned EngineWords = 18;

  // A packet may begin while the peer takes so many words of its class. Of the words of packets
  // that have begun and are not counted yet, at most 17 are between rdma_frame and
  // switch_link_tx: three pieces in the pipeline of the former, two words in node_tx, and two that
  // were counted in the last two cycles; each belongs to a packet with two words more. Answers have
  // two words.
  localparam int unsigned AnswerRoom = 16;
  localparam int unsigned PacketRoom = 36;

  // Pulses, to be counted.
  typedef struct packed {
    rx_event_t rx;
    logic      marked;   // a packet with the mark of the network came
    logic      notice;   // a notice came: a packet of this node was lost at a dead link
    logic      sent;     // a packet is on the link
    logic      credit;   // a word of credits was sent
    logic      lost;     // a packet was not sent whole, as the session ended
    logic      dropped;  // a packet of the engine was thrown away: the link stays down
  } node_event_t;

endpackage
