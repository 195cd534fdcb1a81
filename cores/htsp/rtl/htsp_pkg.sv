// SPDX-License-Identifier: Apache-2.0
//
// htsp_pkg: header and footer of an HTSP frame.
//
// Byte k of a 64-byte word is bits 8k+7..8k; multi-byte fields are little endian. Layout and meaning:
// docs/src/htsp-wire.md. A header is one word, a payload whole words, a footer the first six bytes of a word.

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
    logic [63:0]  reserved;
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
    logic [15:0] size;   // payload bytes of the frame, modulo 2^16
    logic [15:0] pause;  // all that was paused since the header
    logic [7:0]  flags;  // bit 0: last frame of the packet, bit 1: the packet is damaged
    logic [7:0]  count;  // valid bytes of the last payload word: 1 .. 64
  } footer_t;

  // A word of payload inside the core. Bytes above count + 1 are zero when sent.
  typedef struct packed {
    logic                  error;  // the packet is damaged; only with last
    logic                  last;   // of the packet
    logic [CountWidth-1:0] count;  // valid bytes less one; WordBytes - 1 unless last
    logic [WordBits-1:0]   data;
  } beat_t;

  // Sum of the bytes of a field of up to 16 bytes.
  function automatic logic [11:0] byte_sum(input logic [127:0] field);
    byte_sum = '0;
    for (int unsigned i = 0; i < 16; i++) byte_sum = byte_sum + 12'(field[8*i+:8]);
  endfunction

endpackage
