// SPDX-License-Identifier: Apache-2.0
//
// line_64b66b_dec: a descrambled block of 64b/66b becomes four words, with a verdict on each; the
// inverse of line_64b66b_enc.
//
// Contract  header_i, payload_i: the block, bit 0 first on the line.
//           k_o, data_o: the words; of a control word bits 3:0 are its kind, and the others are 0.
//           error_o of a word: the block is none (a sync header of two equal bits, a type that is
//           none), so that all its words mean nothing; or the kind of this control word is none, or
//           its spare byte is not zero. Such a word has k_o = 0.
// Latency   none (combinational).
// Limits    The bits of data words are not checked. Of a block of control words alone every wrong
//           bit up to three in a byte is seen.

module line_64b66b_dec
  import line_64b66b_pkg::*;
(
  input  logic     [1:0] header_i,
  input  payload_t       payload_i,
  output logic     [3:0] k_o,
  output words_t         data_o,
  output logic     [3:0] error_o
);

  logic control, whole, placed;
  logic [3:0] mask;

  assign control = header_i == ControlHeader;
  assign mask    = control ? payload_i[3:0] : '0;
  assign whole   = control ? intact(payload_i[7:0]) && mask != '0 : header_i == DataHeader;

  always_comb begin
    logic [7:0] kind, spare, moved;
    data_o  = payload_i;
    k_o     = '0;
    error_o = {4{!whole}};
    placed  = 1'b0;
    kind    = '0;
    spare   = '0;
    moved   = '0;
    for (int w = 0; w < 4; w++) begin
      if (mask[w]) begin
        {spare, kind} = (w == 0) ? {8'h00, payload_i[15:8]} : payload_i[16*w+:16];
        if (!placed) moved = spare;
        k_o[w]     = whole && intact(kind) && (spare == '0 || (!placed && !mask[0]));
        error_o[w] = !k_o[w];
        data_o[w]  = 16'(kind[3:0]);
        placed     = 1'b1;
      end
    end
    if (control && !mask[0]) data_o[0][7:0] = moved;
  end

endmodule
