// SPDX-License-Identifier: Apache-2.0
//
// pcs_order: which blocks of a word follow each other as frames do; the others become error blocks.
//
// What      The transmit and receive state machines of the standard, which are one and the same if
//           a receiver calls "terminate" in front of anything but "start" or "control" an error.
// Contract  Combinational. place_i, place_o: before and behind the word. failed_o: this block is to
//           be replaced.
// Parameters
//   Blocks  of a word
// Source    IEEE Std 802.3 figures 82-16 and 82-17

module pcs_order
  import pcs_pkg::*;
#(
  parameter int unsigned Blocks = 8
) (
  input  place_e              place_i,
  input  type_e  [Blocks-1:0] type_i,
  output logic   [Blocks-1:0] failed_o,
  output place_e              place_o
);

  // Behind an error everything goes on but a start: what is open then is no whole frame.
  function automatic place_e behind(input place_e place, input type_e kind);
    case (kind)
      TypeControl: return (place == Inside) ? Failed : Outside;
      TypeStart: return (place == Outside) ? Inside : Failed;
      TypeData: return (place == Outside) ? Failed : Inside;
      TypeTerminate: return (place == Outside) ? Failed : Outside;
      default: return Failed;
    endcase
  endfunction

  always_comb begin
    place_o = place_i;
    for (int b = 0; b < int'(Blocks); b++) begin
      place_o = behind(place_o, type_i[b]);
      failed_o[b] = place_o == Failed;
    end
  end

endmodule
