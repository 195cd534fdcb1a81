// SPDX-License-Identifier: Apache-2.0
//
// slink_pkg: the characters and the header of SLink.
//
// Layout and meaning: cores/slink/README.md, "Characters", "Packets" and "Header". A beat is eight bytes of a packet: byte
// k is bits 8k+7..8k, byte 0 is first on the lanes. A character is {k, byte}.

package slink_pkg;

  localparam int unsigned Lanes = 4;  // of a lane word; how many are in use is said at run time
  localparam int unsigned Symbols = 2;  // in a word of a lane
  localparam int unsigned Characters = Lanes * Symbols;  // in a word of all lanes, bytes in a beat
  localparam int unsigned BeatBits = 8 * Characters;
  localparam int unsigned CountWidth = 16;  // beats of a packet; zero means all 65 536

  typedef logic [7:0] block_t;  // beats of a block under one check code: as many as it counts

  typedef enum logic [8:0] {
    Idl = 9'h17c,  // K28.3: between packets
    Hld = 9'h15c,  // K28.2: the sender's memory is behind; in all lanes at once
    Com = 9'h1bc,  // K28.5: the comma, in all lanes at once
    Pad = 9'h1f7,  // K23.7
    Stp = 9'h1fb,  // K27.7
    End = 9'h1fd   // K29.7
  } control_e;

  // In 64b/66b a word of a lane that is not data is one of these pairs of characters, the first one in the low bits; its number
  // is the kind of its control word.
  typedef logic [Symbols-1:0][8:0] pair_t;
  localparam int unsigned Pairs = 8;
  localparam pair_t [Pairs-1:0] PairOf = {
    {Pad, Idl}, {End, Idl}, {Pad, End}, {Pad, Pad}, {Hld, Hld}, {Idl, Com}, {Stp, Idl}, {Idl, Idl}
  };
  localparam logic [3:0] KindNone = 4'd15;  // of a pair that is none of them

  typedef enum logic [1:0] {
    KindRequest,
    KindData,
    KindDone,
    KindNotice
  } kind_e;

  typedef struct packed {
    logic [28:0]           address;      // bits 31:3 of it, or what a notice says
    logic [2:0]            number_low;   // of the operation
    logic [7:0]            code;         // CRC-8 of the other bytes
    logic [CountWidth-1:0] beats;
    logic [2:0]            lanes;        // log2
    logic                  crc;
    kind_e                 kind;
    logic                  number_high;
    logic                  read;
  } header_t;

  // Of a notice, the low bits of the address field. The others are those of slink_session.
  localparam logic [4:0] NoticeDamaged = 5'd0;
  localparam logic [4:0] NoticeRefused = 5'd1;

  // How the last operation of this end went. README.md, "Registers".
  typedef struct packed {
    logic [15:0] progress;
    logic [7:0]  retries;
    logic        reset;
    logic        refused;
    logic        silent;
    logic        exhausted;
    logic        damaged;
    logic        done;
  } status_t;

  // What an operation is made of.
  typedef struct packed {
    logic [31:0]           local_address;
    logic [31:0]           remote_address;
    logic [CountWidth-1:0] beats;
    logic [2:0]            lanes;           // log2
    logic                  crc;
    logic                  read;
  } operation_t;

  // How it ended, in short.
  typedef enum logic [2:0] {
    OutcomeNone,       // under way, or never begun
    OutcomeDone,
    OutcomeRefused,
    OutcomeDamaged,
    OutcomeSilent,
    OutcomeExhausted,
    OutcomeReset
  } outcome_e;

  // What both ends have to agree on: the mode of the line.
  typedef struct packed {
    logic       coding;  // 0: 8b/10b, 1: 64b/66b
    logic [2:0] lanes;   // log2
    logic [1:0] speed;   // 1: 2.5 Gb/s, 2: 5 Gb/s a lane
  } line_t;

  // How the last change of it went. README.md, "Change of the line's mode".
  typedef enum logic [2:0] {
    ChangeNone,
    ChangeDone,
    ChangeRefused,
    ChangeSilent,
    ChangeFellBack,
    ChangeOverruled,
    ChangeLost
  } change_e;

  localparam int unsigned MaxOutstanding = 4;  // operations of an end that are under way

  // Data follow the header.
  function automatic logic has_data(input kind_e kind, input logic read);
    return kind == KindData || (kind == KindRequest && !read);
  endfunction

  // The bytes of a beat, the first one in front, as a check code takes them.
  function automatic logic [BeatBits-1:0] in_order(input logic [BeatBits-1:0] beat);
    for (int i = 0; i < int'(Characters); i++) begin
      in_order[8*(int'(Characters)-1-i)+:8] = beat[8*i+:8];
    end
  endfunction

endpackage
