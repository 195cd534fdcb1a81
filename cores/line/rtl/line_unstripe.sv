// SPDX-License-Identifier: Apache-2.0
//
// line_unstripe: collects the characters of lanes into a stream again, the inverse of line_stripe.
//
// What      A word of Symbols entries for each lane in; beats of Lanes * Symbols entries out. An
//           entry is a character with whatever belongs to it.
// Contract  size_i as in line_stripe, constant within a packet.
//           s_valid_i: words of all lanes. s_first_i: this word begins a beat, whatever was before.
//           s_last_i: this word ends its beat, full or not.
//           m_valid_o: a beat is complete; m_pieces_o: pieces in it, less one. Entries behind those
//           pieces are of older beats. There is no ready: beats come at most as fast as words.
// Latency   1 cycle from the word that completes a beat.
//
// Parameters  Lanes    a power of two, >= 1
//             Symbols  entries in a word of a lane, >= 1
//             Width    bits of an entry, >= 1: a character of 9 bits and its error

module line_unstripe #(
  parameter  int unsigned Lanes      = 4,
  parameter  int unsigned Symbols    = 2,
  parameter  int unsigned Width      = 10,
  localparam int unsigned Characters = Lanes * Symbols,
  localparam int unsigned SizeWidth  = (Lanes > 1) ? $clog2($clog2(Lanes) + 1) : 1,
  localparam int unsigned PieceWidth = (Lanes > 2) ? $clog2(Lanes) : 1
) (
  input  logic                                          clk_i,
  input  logic                                          rst_i,
  input  logic [ SizeWidth-1:0]                         size_i,
  input  logic                                          s_valid_i,
  input  logic                                          s_first_i,
  input  logic                                          s_last_i,
  input  logic [     Lanes-1:0][Symbols-1:0][Width-1:0] s_data_i,
  output logic                                          m_valid_o,
  output logic [PieceWidth-1:0]                         m_pieces_o,
  output logic [Characters-1:0][  Width-1:0]            m_data_o
);

  if (Lanes < 1 || 2 ** $clog2(Lanes) != Lanes) begin : gen_bad_lanes
    $error("line_unstripe %m: Lanes must be a power of two >= 1, got %0d", Lanes);
  end
  if (Symbols < 1) begin : gen_bad_symbols
    $error("line_unstripe %m: Symbols must be at least 1, got %0d", Symbols);
  end
  if (Width < 1) begin : gen_bad_width
    $error("line_unstripe %m: Width must be at least 1, got %0d", Width);
  end

  localparam int unsigned Sizes = $clog2(Lanes) + 1;

  logic [PieceWidth-1:0] piece_q, piece;
  logic done;

  assign piece = s_first_i ? '0 : piece_q;

  always_comb begin
    done = s_last_i;
    for (int g = 0; g < int'(Sizes); g++) begin
      if (size_i == SizeWidth'(g)) done |= piece == PieceWidth'((int'(Lanes) >> g) - 1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      piece_q   <= '0;
      m_valid_o <= 1'b0;
    end else begin
      m_valid_o <= s_valid_i && done;
      if (s_valid_i) piece_q <= done ? '0 : piece + 1'b1;
    end
    m_pieces_o <= piece;
    for (int g = 0; g < int'(Sizes); g++) begin
      for (int p = 0; p < int'(Lanes) >> g; p++) begin
        if (s_valid_i && size_i == SizeWidth'(g) && piece == PieceWidth'(p)) begin
          for (int l = 0; l < 1 << g; l++) begin
            for (int s = 0; s < int'(Symbols); s++) begin
              m_data_o[((p*int'(Symbols)+s)<<g)+l] <= s_data_i[l][s];
            end
          end
        end
      end
    end
  end

endmodule
