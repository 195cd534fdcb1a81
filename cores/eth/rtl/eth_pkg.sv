// SPDX-License-Identifier: Apache-2.0
//
// eth_pkg: sizes of Ethernet at the line side of the MAC, and arithmetic of its CRC.
//
// What    Bytes and lengths of a frame, and constant functions that move a CRC register over bytes
//         of zero, both ways.
// Source  IEEE Std 802.3: clause 81 (gap, link faults), clause 3 (frame, CRC-32).

package eth_pkg;

  // Constants as enumerations: lint does not call those unused of which another library uses none.
  typedef enum logic [7:0] {
    RemoteFault = 8'h02,  // byte 3 of a sequence ordered set, as LocalFault
    Preamble = 8'h55,
    StartOfFrame = 8'hd5
  } character_e;

  typedef enum int unsigned {
    FcsBytes  = 4,
    SlotBytes = 8,   // a frame starts at a multiple of this
    GapBytes  = 12,  // on average, terminate character included
    MinBytes  = 60   // without FCS
  } size_e;

  // CRC-32. The register is in the direct form of prim_crc: x^31 at the top, no reflection.
  localparam logic [31:0] CrcPoly = 32'h04c1_1db7;
  typedef enum logic [31:0] {
    CrcInit = 32'hffff_ffff,
    CrcResidue = 32'hc704_dd7b  // after a good frame and its FCS
  } register_e;

  // The register after that many bits of zero.
  function automatic logic [31:0] crc_forward(input logic [31:0] crc, input int unsigned bits);
    crc_forward = crc;
    for (int unsigned i = 0; i < bits; i++) begin
      crc_forward = (crc_forward << 1) ^ (crc_forward[31] ? CrcPoly : '0);
    end
  endfunction

  // The register before that many bits of zero. Bit 0 of the polynomial tells what left at the top.
  function automatic logic [31:0] crc_back(input logic [31:0] crc, input int unsigned bits);
    crc_back = crc;
    for (int unsigned i = 0; i < bits; i++) begin
      crc_back = crc_back[0] ? {1'b1, 31'((crc_back ^ CrcPoly) >> 1)} : crc_back >> 1;
    end
  endfunction

  // What the receiver knows of a frame when it ends.
  typedef struct packed {
    logic        cut;        // ended by something else than a terminate character
    logic        too_long;
    logic        too_short;
    logic [15:0] seen;       // bytes in the words before its last one
    logic [6:0]  place;      // and in that one; together from the address through the FCS
  } rx_status_t;

endpackage
