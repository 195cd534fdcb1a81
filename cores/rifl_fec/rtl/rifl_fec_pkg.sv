// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_pkg: the layout of a codeword, settings and states.

package rifl_fec_pkg;

  // ---- Codeword: words of the lane, bit 0 of a word first on the line ----
  localparam int unsigned WordWidth = 64;
  localparam int unsigned Words = 40;
  localparam int unsigned Payload = 38;  // words of RIFL; the marker is the first byte behind them
  localparam int unsigned Half = Payload / 2;
  localparam logic [7:0] Marker = 8'h47;

  // ---- Code: RS(256,244) over GF(2^10), as the decoder takes it ----
  localparam int unsigned SymbolWidth = 10;
  localparam int unsigned Symbols = 8;  // of a word
  localparam int unsigned WideWidth = Symbols * SymbolWidth;
  localparam int unsigned N = Words * WordWidth / SymbolWidth;
  localparam int unsigned K = N - 12;
  localparam int unsigned ErrorsWidth = $clog2(Symbols + 1);

  localparam int unsigned IndexWidth = $clog2(Words);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [WordWidth-1:0] word_t;
  typedef logic [WideWidth-1:0] wide_t;
  localparam index_t Last = index_t'(Words - 1);

  // RIFL stands still in two cycles of forty, as far apart as can be, so that its clocks hurry
  // ahead and fall behind by a word and no more.
  function automatic logic moves(input index_t index);
    return index != index_t'(Half) && index != Last;
  endfunction

  typedef enum logic [1:0] {
    Off,  // plain words
    On,   // codewords
    Auto  // what the peer sends
  } mode_t;

  typedef enum logic [2:0] {
    Plain,     // codewords are neither sent nor heard
    Coded,     // sent, and heard on all lanes
    PeerOnly,  // heard, not sent
    OwnOnly,   // sent, and heard on no lane
    Partial    // sent, and heard on some lanes
  } state_t;

endpackage
