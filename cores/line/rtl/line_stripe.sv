// SPDX-License-Identifier: Apache-2.0
//
// line_stripe: deals the characters of a stream out to lanes, over as many lanes as are in use at
// the time.
//
// What      A beat of Lanes * Symbols characters in; a word of Symbols characters for each lane
//           out. Over fewer lanes a beat takes several words.
// Why       Byte striping: character i of what is sent goes to lane i mod L, so that the first of L
//           characters are on all lanes at the same time and latency does not depend on the lane.
//
// Contract  size_i: log2 of the lanes in use (L = 2^size_i <= Lanes). It is constant from the first
//           beat of a packet to its last word; lanes L and above are sent Idle.
//           A piece is what L lanes take at once, L * Symbols characters. Piece p of a beat:
//           character s of lane l is the beat's character p * L * Symbols + s * L + l.
//           s_pieces_i: pieces of the beat that are sent, less one; the rest of the beat means
//           nothing. A beat of the whole width has Lanes / L of them. s_ready_o: this is the last
//           one, and it is taken. Each cycle with m_ready_i takes a word of every lane; without a
//           beat it is Idle.
// Latency   0: the outputs are a multiplexer behind the beat.
//
// Parameters  Lanes    a power of two, >= 1
//             Symbols  characters in a word of a lane, >= 1
//             Idle     {k, byte} of the character that is sent when there is nothing to send

module line_stripe #(
  parameter  int unsigned       Lanes      = 4,
  parameter  int unsigned       Symbols    = 2,
  parameter  logic        [8:0] Idle       = 9'h17c,
  localparam int unsigned       Characters = Lanes * Symbols,
  localparam int unsigned       SizeWidth  = (Lanes > 1) ? $clog2($clog2(Lanes) + 1) : 1,
  localparam int unsigned       PieceWidth = (Lanes > 2) ? $clog2(Lanes) : 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_i,
  input  logic [ SizeWidth-1:0]                   size_i,
  input  logic                                    s_valid_i,
  output logic                                    s_ready_o,
  input  logic [PieceWidth-1:0]                   s_pieces_i,
  input  logic [Characters-1:0][        8:0]      s_data_i,
  input  logic                                    m_ready_i,
  output logic [     Lanes-1:0][Symbols-1:0][8:0] m_data_o
);

  if (Lanes < 1 || 2 ** $clog2(Lanes) != Lanes) begin : gen_bad_lanes
    $error("line_stripe %m: Lanes must be a power of two >= 1, got %0d", Lanes);
  end
  if (Symbols < 1) begin : gen_bad_symbols
    $error("line_stripe %m: Symbols must be at least 1, got %0d", Symbols);
  end

  localparam int unsigned Sizes = $clog2(Lanes) + 1;

  logic [PieceWidth-1:0] piece_q;
  logic last;

  assign last = piece_q == s_pieces_i;
  assign s_ready_o = m_ready_i && last;

  always_ff @(posedge clk_i) begin
    if (rst_i) piece_q <= '0;
    else if (s_valid_i && m_ready_i) piece_q <= last ? '0 : piece_q + 1'b1;
  end

  always_comb begin
    m_data_o = {Characters{Idle}};
    for (int g = 0; g < int'(Sizes); g++) begin
      for (int p = 0; p < int'(Lanes) >> g; p++) begin
        if (s_valid_i && size_i == SizeWidth'(g) && piece_q == PieceWidth'(p)) begin
          for (int l = 0; l < 1 << g; l++) begin
            for (int s = 0; s < int'(Symbols); s++) begin
              m_data_o[l][s] = s_data_i[((p*int'(Symbols)+s)<<g)+l];
            end
          end
        end
      end
    end
  end

endmodule
