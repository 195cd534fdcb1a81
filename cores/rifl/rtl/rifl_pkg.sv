// SPDX-License-Identifier: Apache-2.0
//
// rifl_pkg: names and numbers of the RIFL wire format and of the transmitter's decisions.
//
// Source    RIFL paper, sections 3 (frames) and 4 (protocol); where the paper and the published
//           core differ (meta codes, verification code), the published core is followed, because
//           the wire is shared with it. See cores/rifl/README.md for the layout of a frame.

package rifl_pkg;

  // Bits of a word between a lane and its transceiver.
  localparam int unsigned PhyWidth = 64;

  localparam int unsigned MaxIdWidth = 12;

  // Frames whose codes must match in a row before the next one is delivered (paper, 4.C).
  localparam int unsigned Rollback = 16;

  // Equal requests in a row that raise a request flag (paper, 4.B).
  localparam int unsigned RequestRun = 8;

  // Sync header, never scrambled. 00 and 11 are illegal.
  localparam logic [1:0] SyncData = 2'b01;
  localparam logic [1:0] SyncControl = 2'b10;

  // Meta code. Bit 1: end of packet. Bit 0: all bytes valid.
  localparam logic [1:0] MetaNone = 2'b00;
  localparam logic [1:0] MetaFull = 2'b01;
  localparam logic [1:0] MetaEndPartial = 2'b10;
  localparam logic [1:0] MetaEndFull = 2'b11;

  // Last payload byte of a data frame without user data; anything else means nothing.
  localparam logic [7:0] FcStop = 8'h01;
  localparam logic [7:0] FcResume = 8'h02;

  // Key of a control frame, directly behind its sync header.
  localparam int unsigned KeyWidth = 16;
  localparam logic [KeyWidth-1:0] KeyIdle = 16'h0001;
  localparam logic [KeyWidth-1:0] KeyPause = 16'h0010;
  localparam logic [KeyWidth-1:0] KeyRetrans = 16'h1000;

  // Verification code: x^12 + x^5 + x^3 + x^2 + x + 1, most significant bit first, initial value 0.
  localparam int unsigned CodeWidth = 12;
  localparam logic [CodeWidth-1:0] CodePoly = 12'h02f;

  // Stronger code in front of it, an option of the extended mode: most significant bit first, not
  // scrambled, over all bits in front of it.
  localparam int unsigned StrongWidth = 16;
  localparam logic [StrongWidth-1:0] StrongPoly = 16'h14bb;

  // Scrambler 1 + x^13 + x^33.
  localparam int unsigned ScramblerOrder = 33;
  localparam int unsigned ScramblerTap = 13;

  // State of the transmitter in the order of priority, highest first.
  typedef enum logic [2:0] {
    StInit,
    StSendPause,
    StPause,
    StRetrans,
    StSendRetrans,
    StNormal
  } tx_state_e;

  // What the transmitter puts into one frame.
  typedef enum logic [2:0] {
    FrPause,
    FrIdle,
    FrRetrans,
    FrReplay,
    FrFcStop,
    FrFcResume,
    FrUser
  } frame_kind_e;

  // What the controller of either mode decides for one frame.
  typedef struct packed {
    logic link_up;  // the lane takes user data whenever its turn comes
    tx_state_e state;
    frame_kind_e kind;
    logic slack;  // a control frame, as clock compensation wants it
    logic bound;  // its code holds for the place behind the frame before only
    logic user_ready;  // takes a segment of the user
    logic [MaxIdWidth-1:0] id;
    logic wr_en;  // of the retransmission buffer, at this id but while it is cleared
    logic [MaxIdWidth-1:0] wr_addr;
    logic [MaxIdWidth-1:0] rd_addr;  // for the next frame
  } tx_frame_t;

  // Status of a lane as its transmitter acts on it (frame clock).
  typedef struct packed {
    logic [15:0] round_trip;
    logic        incident;     // pulse, extended mode: the own receiver requests a retransmission
    logic        served;       // pulse, extended mode: a request of the peer is answered
    logic        rx_user;      // pulse: a frame with user data is taken from the lane
    logic        tx_user;      // pulse: a frame with user data is sent for the first time
    logic        compensate;
    tx_state_e   tx_state;
    logic        overflow;     // sticky: a frame found no room and comes again
    logic        remote_fc;
    logic        local_fc;
    logic        retrans_req;
    logic        pause_req;
    logic        error;
    logic        up;
    logic        aligned;
  } lane_status_t;

  // Status of a lane in its recovered clock.
  typedef struct packed {
    logic       bad;    // pulse: that frame was damaged (fits no frame; only while up)
    logic       frame;  // pulse: a frame period has passed
    logic [5:0] slip;
  } rx_status_t;

  // What a stream did in a cycle.
  typedef struct packed {
    logic [12:0] bytes;    // taken
    logic        packet;   // its end was taken
    logic        stalled;  // a beat waits
  } stream_status_t;

  // Test traffic (axis_prbs_port): what is set, what it has counted.
  typedef struct packed {
    logic        source;
    logic        check;
    logic [15:0] shortest;
    logic [15:0] longest;
    logic [15:0] gap;
    logic [30:0] seed;
  } prbs_cfg_t;
  localparam int unsigned PrbsWidth = 48;
  typedef struct packed {
    logic                 sync;
    logic [PrbsWidth-1:0] bytes;
    logic [PrbsWidth-1:0] skipped;
    logic [PrbsWidth-1:0] bit_errors;
    logic [PrbsWidth-1:0] losses;
  } prbs_status_t;

  // Error injection (rifl_error_inject).
  typedef struct packed {
    logic        enable;
    logic [31:0] mantissa;
    logic [4:0]  shift;
    logic [31:0] seed;
  } inject_cfg_t;

  // Bits of a frame that are scrambled: meta code and payload, or key and zeros.
  function automatic int unsigned body_width(int unsigned frame_width, bit strong_code);
    return frame_width - 2 - CodeWidth - (strong_code ? StrongWidth : 0);
  endfunction

  // Key of a control frame; zero for data frames.
  function automatic logic [KeyWidth-1:0] key_of(frame_kind_e kind);
    unique case (kind)
      FrPause: return KeyPause;
      FrIdle: return KeyIdle;
      FrRetrans: return KeyRetrans;
      default: return '0;
    endcase
  endfunction

  // Frame-ID width that the published core derives, so that both ends agree:
  // clog2(16 + 16 + round(RTT * rate / frame_width)), RTT = 2 * (80 ns + 3.34 ns/m * cable).
  // frame_width: bits; line_rate_mbps: Mb/s of one lane; cable_cm: cm.
  function automatic int unsigned id_width(int unsigned frame_width, int unsigned line_rate_mbps,
                                           int unsigned cable_cm);
    // In femtoseconds: 80 ns = 80_000_000 fs, 3.34 ns/m = 33_400 fs/cm. fs * Mb/s = 1e-9 bit.
    longint unsigned rtt_fs = 2 * (64'd80_000_000 + 64'd33_400 * cable_cm);
    longint unsigned frame = 64'd1_000_000_000 * frame_width;
    longint unsigned frames = (rtt_fs * line_rate_mbps + frame / 2) / frame;
    return $clog2(32 + frames);
  endfunction

endpackage
