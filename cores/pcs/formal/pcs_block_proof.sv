// SPDX-License-Identifier: Apache-2.0
//
// Proof of pcs_encode, pcs_decode and the parity of markers, for all slots and all blocks.
//
// 1. A slot that has a block comes back from it, and its block is of the same type (a_round_trip).
// 2. A block that is accepted is the one of its slot, but for the padding in front of the codes of
//    a terminate block (a_one_block); everything else is an error (decoding is total).
// 3. A slot that has no block gives the error block, which is none that is accepted (a_error).
// 4. Exactly one bit of the parity belongs to each bit of a block (a_parity).

module pcs_block_proof
  import pcs_pkg::*;
  import line_64b66b_pkg::*;
(
  input slot_t        slot_i,
  input block_t       block_i,
  input logic   [6:0] bit_i
);

  type_e encoded, decoded, kind, again;
  block_t block, back;
  slot_t slot, returned;

  pcs_encode u_encode (
    .slot_i (slot_i),
    .type_o (encoded),
    .block_o(block)
  );
  pcs_decode u_decode (
    .block_i(block),
    .type_o (decoded),
    .slot_o (returned)
  );

  pcs_decode u_any (
    .block_i(block_i),
    .type_o (kind),
    .slot_o (slot)
  );
  pcs_encode u_again (
    .slot_i (slot),
    .type_o (again),
    .block_o(back)
  );

  // Behind the bytes of a terminate block, seven bits less one for each of them.
  block_t padding;
  always_comb begin
    padding = '0;
    for (int t = 0; t < 8; t++) begin
      if (kind == TypeTerminate && block_i[9:2] == FieldTerminate[t]) begin
        for (int i = 0; i < 7 - t; i++) padding[10+8*t+i] = 1'b1;
      end
    end
  end

  block_t one;
  assign one = block_t'(1) << bit_i;

  always_comb begin
    a_round_trip : assert (encoded == TypeError || (decoded == encoded && returned == slot_i));

    a_one_block :
    assert (kind == TypeError || (again == kind && ((back ^ block_i) & ~padding) == '0));

    a_error : assert (encoded != TypeError || (block == ErrorBlock && decoded == TypeError));

    a_parity : assert (bit_i > 7'd65 || $onehot(parity(one)));
  end

endmodule
