// SPDX-License-Identifier: Apache-2.0
//
// htsp_pkg: header and footer of an HTSP frame, and what travels together between the modules.
//
// Byte k of a 64-byte word is bits 8k+7..8k; multi-byte fields are little endian. Layout and
// meaning: docs/src/htsp-wire.md. A header is one word, a payload whole words, a footer the first
// six bytes of a word.

package htsp_pkg;

  localparam int unsigned WordBytes = 64;  // of a word: header, block of payload
  localparam int unsigned WordBits = 8 * WordBytes;
  localparam int unsigned FooterBytes = 6;
  localparam int unsigned MaxChannels = 16;
  localparam int unsigned CountWidth = 6;  // valid bytes of a word, less one
  localparam int unsigned BlocksWidth = 8;  // words in a burst: 1 .. 128
  localparam logic [7:0] Version = 8'h01;
  localparam logic [7:0] NullVc = 8'hff;  // channel of a frame without payload

  typedef struct packed {
    logic [127:0] user_data;
    logic [127:0] op_code;
    logic [15:0]  checksum;
    logic [47:0]  reserved;
    logic [7:0]   takes_tuser;  // bit 0: the sender takes TUSER of the last beat
    logic [7:0]   first_tuser;  // with sof: TUSER of the packet's first beat
    logic [7:0]   rx_ready;     // bit 0: the sender's receiver has link
    logic [7:0]   op_valid;     // bit 0
    logic [7:0]   sof;          // bit 0: first frame of a packet of the channel
    logic [7:0]   vc;
    logic [15:0]  pause;
    logic [7:0]   tid;
    logic [7:0]   version;
    logic [15:0]  ethertype;
    logic [47:0]  source;
    logic [47:0]  destination;
  } header_t;

  typedef struct packed {
    logic [15:0] size;        // payload bytes of the frame, modulo 2^16
    logic [15:0] pause;       // all that was paused since the header
    logic [5:0]  tuser_low;   // of the last beat, with last and towards an end that takes it
    logic        damaged;     // the packet is damaged
    logic        last;        // last frame of the packet
    logic        tuser_high;
    logic [6:0]  count;       // valid bytes of the last payload word: 1 .. 64
  } footer_t;

  // TUSER of a packet besides the error mark: tables 2 and 3 of the paper.
  typedef struct packed {
    logic [7:0] first;  // of the first beat; counts in the first word
    logic [6:0] last;   // of the last beat; 0 without last
  } tuser_t;
  localparam int unsigned TuserWidth = $bits(tuser_t) + 1;  // of a stream: first, last, error

  // A word of payload inside the core. Bytes above count + 1 are zero when sent. A core without
  // TUSER stores PlainBits of it.
  typedef struct packed {
    tuser_t                tuser;
    logic                  error;  // the packet is damaged; only with last
    logic                  last;   // of the packet
    logic [CountWidth-1:0] count;  // valid bytes less one; WordBytes - 1 unless last
    logic [WordBits-1:0]   data;
  } beat_t;
  localparam int unsigned PlainBits = $bits(beat_t) - $bits(tuser_t);

  // Settings of a link. Levels and bursts count words.
  typedef struct packed {
    logic [47:0]            local_mac;
    logic [47:0]            broadcast_mac;
    logic [15:0]            ethertype;
    logic [31:0]            null_interval;  // cycles without a frame until a header alone is sent
    logic [31:0]            alive;          // cycles without a good header until link-down, >= 1
    logic [BlocksWidth-1:0] burst;          // >= 1
    logic [7:0]             stall_limit;    // cycles for which a burst waits for its channel
    logic [15:0]            pause_level;
    logic [15:0]            resume_level;   // <= pause_level
    logic                   ignore_remote;  // send whatever the peer says
    logic                   tx_disable;
    logic [127:0]           user_data;
  } link_cfg_t;

  // What the receiver knows of the link and of the peer.
  typedef struct packed {
    logic         link_up;
    logic         remote_ready;
    logic         remote_tuser;  // it takes TUSER of the last beat
    logic [47:0]  remote_mac;
    logic [15:0]  remote_pause;
    logic [127:0] remote_data;
  } link_status_t;

  // What passed in either direction, one cycle each.
  typedef struct packed {
    logic         frame;        // a frame with payload
    logic [15:0]  frame_bytes;  // its payload
    logic         alone;        // a header alone
    logic         op_code;
    logic [127:0] op_data;      // with op_code
  } flow_t;

  // What else the receiver found, one cycle each.
  typedef struct packed {
    logic       foreign;     // not for this end: address, EtherType, or too short
    logic       version;     // of another version
    logic       checksum;    // header checksum wrong
    logic       damaged;     // marked by the MAC
    logic       footer_bad;  // footer and payload do not fit
    logic       channel;     // payload for a channel that this end does not have
    logic       orphan;      // a frame that goes on with a packet that is not open
    logic       stale;       // a frame that came before, by its TID
    logic [7:0] lost;        // frames missing before this good one, by TID
  } rx_faults_t;

  // What happened in a channel, a bit each, one cycle each.
  typedef struct packed {
    logic [MaxChannels-1:0] tx_cut;       // a packet was cut on its way out
    logic [MaxChannels-1:0] tx_bad;       // a word of the user broke the rules of TKEEP
    logic [MaxChannels-1:0] rx_overflow;
    logic [MaxChannels-1:0] rx_cut;       // an open packet was ended with an error mark
  } channel_events_t;

  // A stream without its data, as observation sees it. Of a narrow stream the upper bytes are 0.
  typedef struct packed {
    logic [WordBytes-1:0] keep;
    logic                 last;
    logic                 user;
    logic                 valid;
    logic                 ready;
  } tap_t;

  // What observation counts of it, one cycle each.
  typedef struct packed {
    logic       first;    // a packet begins
    logic       packet;   // a packet ends
    logic       error;    // with an error mark
    logic       stalled;
    logic [6:0] bytes;
  } meter_t;

  typedef struct packed {
    logic tx_ready;
    logic rx_ready;
    logic fec_corrected;    // one cycle for each code word
    logic fec_uncorrected;
  } phy_status_t;

  // Settings of the test traffic.
  typedef struct packed {
    logic        source;
    logic        check;
    logic [3:0]  channel;
    logic [15:0] shortest;  // bytes of a packet
    logic [15:0] longest;
    logic [15:0] gap;
    logic [30:0] seed;
  } test_cfg_t;

  localparam int unsigned PrbsWidth = 48;

  // What the checker of the test traffic counts.
  typedef struct packed {
    logic                 sync;
    logic [PrbsWidth-1:0] bytes;
    logic [PrbsWidth-1:0] skipped;
    logic [PrbsWidth-1:0] bit_errors;
    logic [PrbsWidth-1:0] losses;
  } test_status_t;

  // What crosses from the registers to the link, all together.
  typedef struct packed {
    logic      hold;  // the link is held down
    link_cfg_t link;
    test_cfg_t test;
  } settings_t;

  // Sum of the bytes of a field of up to 16 bytes.
  function automatic logic [11:0] byte_sum(input logic [127:0] field);
    byte_sum = '0;
    for (int unsigned i = 0; i < 16; i++) byte_sum = byte_sum + 12'(field[8*i+:8]);
  endfunction

endpackage
