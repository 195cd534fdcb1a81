// SPDX-License-Identifier: Apache-2.0
//
// Proof of pcs_fec_encode and pcs_fec_decode, for all blocks, all long blocks and any past.
//
// What a block type is says line_descrambler, from the payload before, which is any.
//
// 1. Four blocks with legal headers, the first control block of a type that the standard has, come
//    back (a_round_trip).
// 2. Four blocks of which one has an illegal header come back with four illegal ones (a_illegal).
// 3. A long block comes back from its four blocks, if they have legal headers (a_one_long).
// 4. The first control block of any long block is of a type that the standard has, or of one whose
//    upper half is zero, which it has not (a_type).

module pcs_transcode_proof
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
  import line_64b66b_pkg::*;
(
  input block_t       before_i,
  input block_t [3:0] block_i,
  input long_t        long_i
);

  function automatic logic known(input logic [7:0] field);
    known = field == FieldControl || field == FieldStart || field == FieldOrdered;
    for (int t = 0; t < 8; t++) if (field == FieldTerminate[t]) known = 1'b1;
  endfunction

  function automatic logic legal(input block_t [3:0] four);
    legal = 1'b1;
    for (int j = 0; j < 4; j++) if (four[j][0] == four[j][1]) legal = 1'b0;
  endfunction

  long_t coded, again;
  block_t [3:0] back, four;

  pcs_fec_encode u_encode (
    .block_i(block_i),
    .long_o (coded)
  );
  pcs_fec_decode u_decode (
    .long_i (coded),
    .past_i ({before_i[34:27], before_i[15:8]}),
    .block_o(back)
  );

  pcs_fec_decode u_any (
    .long_i (long_i),
    .past_i ({before_i[34:27], before_i[15:8]}),
    .block_o(four)
  );
  pcs_fec_encode u_again (
    .block_i(four),
    .long_o (again)
  );

  // ---- Types, descrambled: of what is sent and of what any long block becomes ----
  logic [1:0][7:0] field;  // of the first control block
  logic [1:0] control;  // there is one
  for (genvar w = 0; w < 2; w++) begin : gen_type
    block_t [3:0] blocks;
    logic [255:0] line, plain;  // the first bit on top
    logic [57:0] state;
    assign blocks = (w == 0) ? block_i : four;
    for (genvar j = 0; j < 4; j++) begin : gen_turn
      assign line[64*(3-j)+:64] = reversed(blocks[j][65:2]);
    end

    line_descrambler #(
      .Width(256),
      .Order(58),
      .Tap  (39)
    ) u_descrambler (
      .state_i(58'(reversed(before_i[65:2]))),
      .data_i (line),
      .data_o (plain),
      .state_o(state)
    );

    always_comb begin
      field[w]   = '0;
      control[w] = 1'b0;
      for (int j = 3; j >= 0; j--) begin
        if (blocks[j][1:0] == ControlHeader) begin
          control[w] = 1'b1;
          for (int i = 0; i < 8; i++) field[w][i] = plain[64*(3-j)+63-i];
        end
      end
    end
  end

  always_comb begin
    a_round_trip : assert (!legal(block_i) || (control[0] && !known(field[0])) || back == block_i);

    a_illegal :
    assert (legal(
        block_i
    ) || (back[0][1:0] == 2'b11 && back[1][1:0] == 2'b11 && back[2][1:0] == 2'b11 &&
          back[3][1:0] == 2'b11));

    a_one_long : assert (!legal(four) || again == long_i);

    a_type : assert (!legal(four) || !control[1] || known(field[1]) || field[1][7:4] == '0);
  end

endmodule
