// SPDX-License-Identifier: Apache-2.0
//
// pcs_pkg: what the parts of the PCS share: blocks and their types, alignment markers, the order of
// blocks in rows, reasons why a link is down.
//
// Words of this core: a slot is eight characters of CGMII, a block its 66 bits, a row one block of
// each of the 20 PCS lanes. Bit 0 of a block is first on the line.
// Source  IEEE Std 802.3 clause 82: figure 82-5 (blocks), tables 82-1 (control codes), 82-2
//         (markers), 82-4 (BIP). The markers are printed in ITU-T G.709 annex E, table E.2, too.

package pcs_pkg;
  import eth_cgmii_pkg::*;
  import line_64b66b_pkg::*;

  localparam int unsigned Lanes = 20;
  localparam int unsigned RawWidth = 16;  // bits of a lane and a cycle
  localparam int unsigned RowCycles = 4;  // between two rows; every eighth has one more

  typedef logic [4:0] lane_t;
  typedef block_t [Lanes-1:0] row_t;

  typedef struct packed {
    logic [7:0]      control;
    logic [7:0][7:0] data;
  } slot_t;

  // ---- Blocks ----
  typedef enum logic [2:0] {
    TypeControl,  // idle or an ordered set
    TypeStart,
    TypeData,
    TypeTerminate,
    TypeError  // no block that the standard knows
  } type_e;

  // Where a stream of blocks is: the states of figures 82-16 and 82-17, which differ no further.
  typedef enum logic [1:0] {
    Outside,  // of a frame: INIT, C, T
    Inside,   // D
    Failed    // E
  } place_e;

  localparam logic [7:0] FieldControl = 8'h1e;
  localparam logic [7:0] FieldStart = 8'h78;
  localparam logic [7:0] FieldOrdered = 8'h4b;
  // By the lane of the terminate character.
  localparam logic [7:0][7:0] FieldTerminate = {
    8'hff, 8'he1, 8'hd2, 8'hcc, 8'hb4, 8'haa, 8'h99, 8'h87
  };

  localparam logic [6:0] CodeIdle = 7'h00;
  localparam logic [6:0] CodeError = 7'h1e;
  localparam logic [3:0] CodeSequence = 4'h0;
  localparam logic [3:0] CodeSignal = 4'hf;
  localparam logic [7:0] Signal = 8'h5c;  // ordered set of Fibre Channel

  localparam block_t ErrorBlock = {{8{CodeError}}, FieldControl, ControlHeader};
  localparam slot_t ErrorSlot = {8'hff, {8{Error}}};
  localparam slot_t LocalFaultSlot = {8'h01, 32'h0, LocalFault, 16'h0, Sequence};

  // ---- Markers ----
  // M0 to M2 of each lane, M0 in the low byte. M4 to M6 are their complement.
  localparam logic [Lanes-1:0][23:0] Markers = {
    24'he5f0c0,
    24'h2a665f,
    24'hb7d6ad,
    24'h4c31c4,
    24'hcd3635,
    24'hcac783,
    24'hbdf81a,
    24'hb2b95c,
    24'h5591b9,
    24'h996cfd,
    24'hfbc968,
    24'h7624a0,
    24'h66457b,
    24'h264a9a,
    24'hc214dd,
    24'h0907f5,
    24'h7b954d,
    24'he84b59,
    24'h8e719d,
    24'h2168c1
  };

  function automatic block_t marker_block(input int unsigned lane, input logic [7:0] bip);
    return {~bip, ~Markers[lane], bip, Markers[lane], ControlHeader};
  endfunction

  // What a block adds to the parity of its lane. The header is in the bits 3 and 4.
  function automatic logic [7:0] parity(input block_t block);
    parity = {3'b000, block[1:0], 3'b000};
    for (int i = 2; i < 66; i++) parity[(i-2)%8] ^= block[i];
  endfunction

  // ---- Words of Blocks blocks and rows ----
  // A transmitter takes a word in cycle step of a row, if this is not negative, and its block 0 is
  // this one of the row. With 8 blocks five words are two rows, the first of them with 4 blocks
  // left over.
  function automatic int tx_base(input int blocks, input bit odd, input int step);
    if (blocks == 5) return 5 * step;
    else return 8 * step - (odd ? 12 : 8);
  endfunction

  // The same for a receiver, in the first cycles of a row: what is negative is left over from the
  // row before, and a word that reaches beyond this one waits.
  function automatic int rx_base(input int blocks, input bit odd, input int step);
    if (blocks == 5) return 5 * step;
    else return 8 * step - (odd ? 4 : 0);
  endfunction

  // What lanes become in a receiver, with FEC or without.
  typedef struct packed {
    logic              step;    // the lanes are in step: rows mean something
    logic              up;      // and are to be believed
    logic              valid;   // a row of data
    row_t              row;     // in the order of the physical lanes
    lane_t [Lanes-1:0] source;  // the physical lane of each number
  } rows_t;

  // ---- State of a receiver ----
  // In the order of what has to be there first.
  typedef enum logic [3:0] {
    NoSignal,      // of a lane
    NoBlockLock,   // of a lane; not with FEC
    NoMarker,      // of a lane
    SameNumber,    // a lane has the number of one before it
    Aligning,      // all lanes are there
    SkewExceeded,  // and do not meet
    NoCodeword,    // they do, and what they have is no code of ours
    HighSer,       // too many wrong symbols
    HighBer,       // too many illegal headers
    Up,
    PeerMode,      // of the FEC: that of the peer differs; in place of NoBlockLock and NoMarker
    RemoteFault    // said by a MAC above: the peer has a fault, which is why nothing may be sent
  } state_e;

  typedef struct packed {
    state_e state;
    lane_t  lane;   // the first one that the reason is true of
  } status_t;

endpackage
