// SPDX-License-Identifier: Apache-2.0
//
// rifl_ext_pkg: the announcement that an extended end puts into its control frames.
//
// Layout and meaning
//           docs/src/rifl-extended.md. The announcement stands directly below the key of a control
//           frame, in bits that the published format leaves zero.

package rifl_ext_pkg;

  import rifl_pkg::MaxIdWidth;

  localparam logic [3:0] Version = 4'd3;

  // CRC-16 over key and announcement: x^16 + x^12 + x^5 + 1, start value all ones.
  localparam int unsigned CheckWidth = 16;
  localparam logic [CheckWidth-1:0] CheckPoly = 16'h1021;

  // A status that the peer has not confirmed is repeated in every fourth frame.
  localparam int unsigned SayPeriod = 4;
  // Frames that have to follow each other before silence means consent. One more: a damaged frame
  // that passes by chance for data, in place of a repeated ask, is betrayed by the frame behind it.
  localparam int unsigned FreshRun = SayPeriod + 1;
  // Frames added to a measured round trip: SayPeriod, what crossings between clocks may take, and
  // the frame that a receiver with delayed release keeps.
  localparam int unsigned RoundTripMargin = SayPeriod + 4 + 1;
  // Control frames without announcement in a row that tell a published peer.
  localparam int unsigned PlainRun = 8;

  typedef enum logic [1:0] {
    PhaseHello,
    PhaseReady,
    PhaseUp,
    PhaseRefused
  } phase_e;

  // Why the link is not up.
  typedef enum logic [3:0] {
    ReasonNone,
    ReasonNoSignal,  // a lane is not aligned
    ReasonNoPeer,  // no announcement yet
    ReasonFrameWidth,
    ReasonIdWidth,
    ReasonLanes,  // number of lanes
    ReasonLaneOrder,  // a lane is connected to another one
    ReasonUserWidth,
    ReasonRate,
    ReasonRoundTrip,  // longer than the retransmission buffer can cover
    ReasonPeers,  // lanes lead to different peers
    ReasonRefused,  // the peer refuses; its own reason is in its announcement
    ReasonPublished,  // the peer is a published core: compatible mode
    ReasonStrongCode  // one end has the stronger code, its peer has not
  } reason_e;

  typedef struct packed {
    logic [1:0]  lanes;        // log2
    logic [2:0]  frame_width;  // log2 of FrameWidth / 128
    logic [1:0]  groups;       // log2 of FrameWidth * lanes / UserWidth
    logic [3:0]  id_width;
    logic [15:0] rate;         // units of 10 Mb/s, 0: not told
    reason_e     reason;
    logic        strong_code;  // frames have it
    logic [1:0]  zero;
  } capabilities_t;

  typedef struct packed {
    logic        ask;
    logic [3:0]  ask_n;
    logic [11:0] wanted;
    logic [3:0]  answered;
    logic [11:0] next;      // id that the code of this frame names
    logic        zero;
  } sequence_t;

  localparam int unsigned DetailWidth = 34;
  localparam int unsigned AskBit = DetailWidth - 1;  // of sequence_t
  localparam int unsigned AnsweredBit = 13;
  localparam int unsigned NextBit = 1;

  typedef struct packed {
    logic [3:0]             version;
    phase_e                 phase;
    logic [15:0]            session;
    logic [15:0]            echo;
    logic [2:0]             lane;
    logic                   ping;
    logic                   pong;
    logic                   stop;
    logic                   stop_seen;
    logic                   sequence_not_capabilities;
    logic [DetailWidth-1:0] detail;
  } announcement_t;

  // What the session tells its lanes (frame clock).
  typedef struct packed {
    logic        extended;    // announce this end
    logic        compatible;  // the compatible mode runs
    logic        open;        // phase is UP
    logic flow;               // both ends are in UP
    logic        clear;       // the session number changes
    logic        ends;        // pulse: what was between the users is void
    phase_e      phase;
    logic [15:0] session;
    logic [15:0] partner;
  } session_t;

  // What a lane tells the session (frame clock).
  typedef struct packed {
    logic [15:0]   peer;                 // session of the peer, 0: none seen
    phase_e        phase;
    reason_e       reason;               // why the peer does not fit
    capabilities_t capabilities;         // of the peer, as last announced
    logic          meets;                // the peer answers to our session
    logic          fits;
    logic          foreign;              // the session is contradicted, or its rules are broken
    logic          met;                  // two announcements in a row
    logic          plain;                // no announcements
    logic          round_trip_valid;
    logic          round_trip_too_long;
  } lane_report_t;

  // Status of the link (frame clock).
  typedef struct packed {
    phase_e        phase;
    reason_e       reason;
    reason_e       peer_reason;
    capabilities_t peer;
    logic [15:0]   peer_session;
    logic [15:0]   session;
    logic          ended;         // pulse: a session that was up has ended
  } link_status_t;

  // What the receiver of a lane tells its transmitter (clock of the received words).
  typedef struct packed {
    logic                  announced;
    announcement_t         announcement;
    logic                  plain;
    logic                  error;
    logic                  ask_toggle;
    logic [3:0]            ask_n;
    logic [MaxIdWidth-1:0] wanted;
    logic                  fresh;
    logic                  steady;
  } ext_rx_t;

  // Where an announcement comes from and to whom it answers, and whether that is this session and
  // lane.
  typedef struct packed {
    logic [15:0] session;
    logic [15:0] echo;
    logic [2:0]  lane;
  } address_t;
  function automatic logic belongs(address_t said, logic [15:0] own, logic [15:0] partner,
                                   logic [2:0] lane);
    return said.session == partner && said.echo == own && said.lane == lane;
  endfunction

  localparam int unsigned AnnouncementWidth = $bits(announcement_t);
  localparam int unsigned WireWidth = AnnouncementWidth + CheckWidth;

endpackage
