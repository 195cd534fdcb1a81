// SPDX-License-Identifier: Apache-2.0
//
// slink_pkg: the characters and the header of SLink, and what travels together between its modules.
//
// Layout and meaning
//           cores/slink/README.md, "Characters", "Packets" and "Header". A beat is eight bytes of a
//           packet: byte k is bits 8k+7..8k, byte 0 is first on the lanes. A character is {k,
//           byte}.

package slink_pkg;

  localparam int unsigned Lanes = 4;  // of a lane word; how many are in use is said at run time
  localparam int unsigned Symbols = 2;  // in a word of a lane
  localparam int unsigned Characters = Lanes * Symbols;  // in a word of all lanes, bytes in a beat
  localparam int unsigned BeatBits = 8 * Characters;
  localparam int unsigned CountWidth = 16;  // beats of a packet; zero means all 65 536

  // A word of all lanes, of a lane the symbol that is first on the line in front.
  typedef logic [Lanes-1:0][Symbols-1:0][8:0] tx_word_t;
  typedef logic [Lanes-1:0][Symbols-1:0][9:0] rx_word_t;  // of a character {error, k, byte}
  typedef logic [Lanes-1:0][10*Symbols-1:0] raw_t;  // bit 0 first on the line

  typedef logic [BeatBits-1:0] beat_t;
  typedef logic [28:0] address_t;  // bits 31:3 of it
  typedef logic [7:0] block_t;  // beats of a block under one check code: as many as it counts

  typedef enum logic [8:0] {
    Idl = 9'h17c,  // K28.3: between packets
    Hld = 9'h15c,  // K28.2: the sender's memory is behind; in all lanes at once
    Com = 9'h1bc,  // K28.5: the comma, in all lanes at once
    Pad = 9'h1f7,  // K23.7
    Stp = 9'h1fb,  // K27.7
    End = 9'h1fd   // K29.7
  } control_e;

  // In 64b/66b a word of a lane that is not data is one of these pairs of characters, the first one
  // in the low bits; its number is the kind of its control word.
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
    address_t              address;      // or what a notice says
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

  // What an operation of this end is made of.
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

  localparam int unsigned MaxOutstanding = 4;  // operations of an end that are under way

  // The operations of this end. slink_issue.
  typedef struct packed {
    logic                          full;      // none can be started
    logic                          busy;      // any is under way
    logic                          ended;     // pulse: one has
    logic [3:0]                    started;   // how many, modulo 16
    outcome_e [MaxOutstanding-1:0] outcomes;  // by the number of the start
    status_t                       status;    // of the one that was started last
  } operations_t;

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

  // Of a change: what this end can, and what it wants. slink_switch.
  typedef struct packed {
    line_t      start;        // the mode behind a reset
    logic [2:0] able_lanes;   // log2
    logic       able_fast;
    logic       able_coding;
    logic       ask;          // pulse: change to wanted
    line_t      wanted;
  } line_cfg_t;

  typedef struct packed {
    logic    busy;
    change_e result;   // of the last change
    logic    changed;  // pulse: there is a new result
    line_t   line;     // in use
    logic    silent;   // nothing is sent, and the physical layer is in reset
  } line_status_t;

  // Of the memory, bits 31:12 of the first and the last address that the other end may use.
  typedef struct packed {
    logic [19:0] first;
    logic [19:0] last;
  } window_t;

  // What arrives in a cycle, in this order: header or beat, good, end or damaged. slink_rx.
  typedef struct packed {
    beat_t data;          // a beat, or the header
    logic  header_valid;
    logic  data_valid;
    logic  good;          // all beats so far may be used
    logic  ends;
    logic  clean;         // with ends: no symbol was impossible
    logic  damaged;       // what came since the last good means nothing
    logic  known;         // with damaged: the header was good
    logic  hold;          // a word of HLD
  } rx_t;

  // What an end's operations, and those of its peer, depend on.
  typedef struct packed {
    logic up;        // the session is
    logic forget;    // another one begins
    rx_t  rx;
    logic pause;     // data wait for one of both memories
    logic overflow;  // the beat of this cycle, that was taken, was lost
    logic free;      // the memory takes an address
    logic idle;      // all is written
    logic fault;     // a write of this cycle has failed
  } link_t;

  // Where data go that arrive.
  typedef struct packed {
    logic     begins;   // the beats that take chooses go to this address and those behind it
    address_t address;
    logic     take;
  } place_t;

  // The request of this end that is sent.
  typedef struct packed {
    logic ends;    // it has been sent
    logic beat;    // a beat of it has
    logic spoilt;  // with ends: the memory had no data for it
  } sent_t;

  // The memory's bus, AXI4. With 64 bits of data the upper ones are unused.
  localparam int unsigned MaxDataWidth = 128;

  typedef struct packed {
    logic [31:0] addr;
    logic [7:0]  len;
    logic [2:0]  size;
    logic [1:0]  burst;
  } axi_address_t;

  typedef struct packed {
    axi_address_t              aw;
    logic                      awvalid;
    logic [MaxDataWidth-1:0]   wdata;
    logic [MaxDataWidth/8-1:0] wstrb;
    logic                      wlast;
    logic                      wvalid;
    logic                      bready;
  } axi_write_req_t;

  typedef struct packed {
    logic       awready;
    logic       wready;
    logic [1:0] bresp;
    logic       bvalid;
  } axi_write_rsp_t;

  typedef struct packed {
    axi_address_t ar;
    logic         arvalid;
    logic         rready;
  } axi_read_req_t;

  typedef struct packed {
    logic                    arready;
    logic [MaxDataWidth-1:0] rdata;
    logic [1:0]              rresp;
    logic                    rlast;
    logic                    rvalid;
  } axi_read_rsp_t;

  // Data follow the header.
  function automatic logic has_data(input kind_e kind, input logic read);
    return kind == KindData || (kind == KindRequest && !read);
  endfunction

  // The bytes of a beat, the first one in front, as a check code takes them.
  function automatic beat_t in_order(input beat_t beat);
    for (int i = 0; i < int'(Characters); i++) begin
      in_order[8*(int'(Characters)-1-i)+:8] = beat[8*i+:8];
    end
  endfunction

endpackage
