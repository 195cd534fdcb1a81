// SPDX-License-Identifier: Apache-2.0
//
// line_64b66b_pkg: what the two ends of a 64b/66b lane share: sync headers, and the code of types
// and kinds.
//
// A block is a sync header of two bits and 64 bits of payload. Bit 0 is first on the line, of the
// header and of the payload. Layout of the payload: cores/line/README.md, "64b/66b". The headers
// are those of IEEE Std 802.3, clause 49.

package line_64b66b_pkg;

  typedef logic [3:0][15:0] words_t;  // of a block
  typedef logic [63:0] payload_t;
  typedef logic [65:0] block_t;  // payload and header; the header is first on the line

  typedef enum logic [1:0] {
    ControlHeader = 2'b01,  // 1 is first on the line
    DataHeader    = 2'b10
  } header_e;

  // Four bits in a byte, any two bytes of which differ in four bits or more: the Hamming code (7,4)
  // and the parity of all.
  function automatic logic [7:0] protect(input logic [3:0] value);
    logic [6:0] code;
    code = {
      value[1] ^ value[2] ^ value[3],
      value[0] ^ value[2] ^ value[3],
      value[0] ^ value[1] ^ value[3],
      value
    };
    return {^code, code};
  endfunction

  function automatic logic intact(input logic [7:0] code);
    return code == protect(code[3:0]);
  endfunction

  // In the order of line_scrambler, which has the first bit on top, and back.
  function automatic payload_t reversed(input payload_t bits);
    for (int i = 0; i < 64; i++) reversed[i] = bits[63-i];
  endfunction

endpackage
