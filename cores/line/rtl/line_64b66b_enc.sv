// SPDX-License-Identifier: Apache-2.0
//
// line_64b66b_enc: four words of a lane become a block of 64b/66b, not scrambled yet.
//
// What      A word is 16 bits of data, or a control word: one of 16 kinds, whose meaning is the
//           protocol's.
// Why       Data words alone are a data block. With a control word among them the block names the
//           places of the control words and their kinds, each in a byte of a code of distance four;
//           any mixture of words has room, so that nothing has to begin or to end at the border of
//           a block.
// Contract  k_i: the word is a control word, and bits 3:0 of it are its kind; the other bits mean
//           nothing. Word 0 is first. header_o, payload_o: the block; bit 0 first on the line.
//           Layout: cores/line/README.md, "64b/66b".
// Latency   none (combinational).
// Source    Sync headers as in IEEE Std 802.3, clause 49; the control block is ours.

module line_64b66b_enc
  import line_64b66b_pkg::*;
(
  input  logic     [3:0] k_i,
  input  words_t         data_i,
  output header_e        header_o,
  output payload_t       payload_o
);

  logic placed;

  assign header_o = (k_i == '0) ? DataHeader : ControlHeader;

  always_comb begin
    payload_o = data_i;
    placed    = 1'b0;
    if (k_i != '0) begin
      for (int w = 0; w < 4; w++) begin
        if (k_i[w]) begin
          // Behind the first kind stands what gave way to the type.
          payload_o[16*w+:16] = {placed ? 8'h00 : data_i[0][7:0], protect(data_i[w][3:0])};
          placed = 1'b1;
        end
      end
      if (k_i[0]) payload_o[15:8] = payload_o[7:0];
      payload_o[7:0] = protect(k_i);
    end
  end

endmodule
