// SPDX-License-Identifier: Apache-2.0
//
// line_8b10b_pkg: the two tables of the 8b/10b code, which encoder and decoder share.
//
// What      Sub-blocks as they are sent at negative running disparity. A byte HGFEDCBA is sent as a
//           block of six bits for EDCBA (`x`, 0 .. 31) and one of four bits for HGF (`y`, 0 .. 7).
// Contract  Bit 0 of a block is sent first: it is `a` of abcdei and `f` of fghj. The tables are
//           written in the order of the standard, first bit on the left.
// Source    IEEE Std 802.3, tables 36-1 and 36-2; A. X. Widmer, P. A. Franaszek, "A DC-balanced,
//           partitioned-block, 8B/10B transmission code", IBM J. Res. Dev. 27(5), 1983.

package line_8b10b_pkg;

  function automatic logic [5:0] flip6(input logic [5:0] bits);
    return {bits[0], bits[1], bits[2], bits[3], bits[4], bits[5]};
  endfunction

  function automatic logic [3:0] flip4(input logic [3:0] bits);
    return {bits[0], bits[1], bits[2], bits[3]};
  endfunction

  // The block of six bits. Control characters differ from data in K.28 only.
  function automatic logic [5:0] six(input logic [4:0] x, input logic k);
    unique case (x)
      5'd0:  return flip6(6'b100111);
      5'd1:  return flip6(6'b011101);
      5'd2:  return flip6(6'b101101);
      5'd3:  return flip6(6'b110001);
      5'd4:  return flip6(6'b110101);
      5'd5:  return flip6(6'b101001);
      5'd6:  return flip6(6'b011001);
      5'd7:  return flip6(6'b111000);
      5'd8:  return flip6(6'b111001);
      5'd9:  return flip6(6'b100101);
      5'd10: return flip6(6'b010101);
      5'd11: return flip6(6'b110100);
      5'd12: return flip6(6'b001101);
      5'd13: return flip6(6'b101100);
      5'd14: return flip6(6'b011100);
      5'd15: return flip6(6'b010111);
      5'd16: return flip6(6'b011011);
      5'd17: return flip6(6'b100011);
      5'd18: return flip6(6'b010011);
      5'd19: return flip6(6'b110010);
      5'd20: return flip6(6'b001011);
      5'd21: return flip6(6'b101010);
      5'd22: return flip6(6'b011010);
      5'd23: return flip6(6'b111010);
      5'd24: return flip6(6'b110011);
      5'd25: return flip6(6'b100110);
      5'd26: return flip6(6'b010110);
      5'd27: return flip6(6'b110110);
      5'd28: return flip6(k ? 6'b001111 : 6'b001110);
      5'd29: return flip6(6'b101110);
      5'd30: return flip6(6'b011110);
      5'd31: return flip6(6'b101011);
    endcase
  endfunction

  // The block of four bits; of data with y = 7 the primary one, of control characters the only one.
  function automatic logic [3:0] four(input logic [2:0] y, input logic k);
    unique case (y)
      3'd0: return flip4(4'b1011);
      3'd1: return flip4(k ? 4'b0110 : 4'b1001);
      3'd2: return flip4(k ? 4'b1010 : 4'b0101);
      3'd3: return flip4(4'b1100);
      3'd4: return flip4(4'b1101);
      3'd5: return flip4(k ? 4'b0101 : 4'b1010);
      3'd6: return flip4(k ? 4'b1001 : 4'b0110);
      3'd7: return flip4(k ? 4'b0111 : 4'b1110);
    endcase
  endfunction

  // More ones than zeros.
  function automatic logic heavy6(input logic [5:0] bits);
    return $countones(bits) > 3;
  endfunction

  function automatic logic heavy4(input logic [3:0] bits);
    return $countones(bits) > 2;
  endfunction

  // There is such a block: all with two to four ones, but for abcdei = 111100 and 000011.
  function automatic logic legal6(input logic [5:0] bits);
    return heavy6(bits) ? $countones(bits) == 4 && bits != flip6(6'b111100) :
        $countones(bits) > 1 && bits != flip6(6'b000011);
  endfunction

  function automatic logic legal4(input logic [3:0] bits);
    return bits != '0 && bits != '1;
  endfunction

  // A block that stands only where the disparity is negative: more ones than zeros, or one of the
  // two balanced blocks with two forms (D.7, D.x.3). Its complement stands only where it is
  // positive; all others anywhere.
  function automatic logic positive6(input logic [5:0] bits);
    return heavy6(bits) || bits == six(5'd7, 1'b0);
  endfunction

  function automatic logic positive4(input logic [3:0] bits);
    return heavy4(bits) || bits == four(3'd3, 1'b0);
  endfunction

endpackage
