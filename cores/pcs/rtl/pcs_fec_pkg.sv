// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_pkg: what the parts of the FEC sublayer share: blocks of 257 bits, rows of markers on FEC
// lanes.
//
// Words of this part: a long block is four blocks as 257 bits, a row five of them. Bit 0 is first.
// Source  IEEE Std 802.3 clause 91: 91.5.2.5 (transcoding), 91.5.2.6 (markers), 91.5.3.1 (lanes).

package pcs_fec_pkg;
  import pcs_pkg::*;
  import line_64b66b_pkg::*;

  localparam int unsigned FecLanes = 4;
  localparam int unsigned Fours = Lanes / 4;  // long blocks of a row
  localparam int unsigned LongWidth = 257;
  localparam int unsigned RowWidth = Fours * LongWidth;

  typedef logic [5*RawWidth-1:0] fec_word_t;  // of a FEC lane in a cycle: eight symbols
  typedef logic [LongWidth-1:0] long_t;
  typedef logic [RowWidth-1:0] bits_t;
  typedef logic [15:0] past_t;  // bits 32 to 25 and 13 to 6 of the payload before

  // Setting of an end that has both; Auto follows the peer and begins with codewords.
  typedef enum logic [1:0] {
    Off,
    On,
    Auto
  } setting_e;

  // What a peer sends, as far as it has been found.
  typedef struct packed {
    logic markers;  // of FEC lanes
    logic blocks;   // on a physical lane: no FEC
  } peer_t;

  // The upper half of a block type by the lower one: all lower ones differ.
  function automatic logic [3:0] upper_of(input logic [3:0] low);
    upper_of = '0;
    if (low == FieldControl[3:0]) upper_of = FieldControl[7:4];
    if (low == FieldStart[3:0]) upper_of = FieldStart[7:4];
    if (low == FieldOrdered[3:0]) upper_of = FieldOrdered[7:4];
    for (int t = 0; t < 8; t++) begin
      if (low == FieldTerminate[t][3:0]) upper_of = FieldTerminate[t][7:4];
    end
  endfunction

  // The marker that stands for one: the first and the last ones of all FEC lanes are the same.
  function automatic int unsigned stands_for(input int unsigned lane);
    if (lane < 4) return 0;
    if (lane >= 16) return 16;
    return lane;
  endfunction

  // Where bit i of the marker of a PCS lane stands in a row, symbols dealt out to FEC lanes.
  function automatic int unsigned bit_in_row(input int unsigned lane, input int unsigned i);
    int unsigned at;
    at = 64 * (lane / FecLanes) + i;
    return 10 * (FecLanes * (at / 10) + lane % FecLanes) + at % 10;
  endfunction

endpackage
