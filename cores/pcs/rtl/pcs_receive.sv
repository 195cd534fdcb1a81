// SPDX-License-Identifier: Apache-2.0
//
// pcs_receive: words of blocks become words of CGMII: descrambled, decoded, in order.
//
// What      A block that may not stand where it does becomes eight error characters. While the link
//           is down every cycle has a word of local fault.
// Contract  valid_i, block_i: a word. up_i = 0: it means nothing. valid_o, slot_o: a word of CGMII,
//           when the next one has come, since a frame's end is good only in front of a gap.
//           error_o: a block of it was replaced.
// Parameters
//   Blocks  of a word
// Latency   2 cycles behind the next word; the first word behind up_i fills the descrambler and is
//           left out
// Source    IEEE Std 802.3 82.2.16 to 82.2.18, figure 82-17

module pcs_receive
  import pcs_pkg::*;
  import line_64b66b_pkg::*;
#(
  parameter int unsigned Blocks = 8
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                up_i,
  input  logic                valid_i,
  input  block_t [Blocks-1:0] block_i,
  output logic                valid_o,
  output slot_t  [Blocks-1:0] slot_o,
  output logic                error_o
);

  // ---- Descrambled ----
  logic [57:0] state_q, state;
  logic [Blocks-1:0][63:0] line, plain;  // the first bit on top
  block_t [Blocks-1:0] block_q;
  logic filled_q, valid_q;

  for (genvar b = 0; b < Blocks; b++) begin : gen_turn
    assign line[Blocks-1-b] = reversed(block_i[b][65:2]);
  end

  line_descrambler #(
    .Width(64 * Blocks),
    .Order(58),
    .Tap  (39)
  ) u_descrambler (
    .state_i(state_q),
    .data_i (line),
    .data_o (plain),
    .state_o(state)
  );

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      state_q <= state;
      for (int b = 0; b < int'(Blocks); b++) begin
        block_q[b] <= {reversed(plain[int'(Blocks)-1-b]), block_i[b][1:0]};
      end
    end
    filled_q <= up_i && !rst_i && (filled_q || valid_i);
    valid_q  <= up_i && !rst_i && filled_q && valid_i;
  end

  // ---- Decoded; what follows a word is known when the next one is here ----
  type_e [Blocks-1:0] kind, kind_q, checked;
  slot_t [Blocks-1:0] slot, slot_q;
  logic held_q;

  for (genvar b = 0; b < Blocks; b++) begin : gen_decode
    pcs_decode u_decode (
      .block_i(block_q[b]),
      .type_o (kind[b]),
      .slot_o (slot[b])
    );

    type_e follows;
    if (b == Blocks - 1) begin : gen_last
      assign follows = kind[0];
    end else begin : gen_inner
      assign follows = kind_q[b+1];
    end
    always_comb begin
      checked[b] = kind_q[b];
      if (kind_q[b] == TypeTerminate && follows != TypeStart && follows != TypeControl) begin
        checked[b] = TypeError;
      end
    end
  end

  logic [Blocks-1:0] failed;
  place_e place, place_q;
  pcs_order #(
    .Blocks(Blocks)
  ) u_order (
    .place_i (place_q),
    .type_i  (checked),
    .failed_o(failed),
    .place_o (place)
  );

  always_ff @(posedge clk_i) begin
    if (valid_q) begin
      kind_q <= kind;
      slot_q <= slot;
    end
    for (int b = 0; b < int'(Blocks); b++) begin
      slot_o[b] <= !up_i ? LocalFaultSlot : failed[b] ? ErrorSlot : slot_q[b];
    end
    if (rst_i || !up_i) begin
      held_q  <= 1'b0;
      place_q <= Outside;
      valid_o <= !rst_i;
      error_o <= 1'b0;
    end else begin
      held_q  <= held_q || valid_q;
      valid_o <= held_q && valid_q;
      error_o <= held_q && valid_q && failed != '0;
      if (held_q && valid_q) place_q <= place;
    end
  end

endmodule
