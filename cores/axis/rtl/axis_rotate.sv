// SPDX-License-Identifier: Apache-2.0
//
// axis_rotate: one base-4 digit of a logarithmic ring rotator.
//
// What    Item i of the input appears at item (i + digit_i * Step) mod Items of the output. A chain
//         with Step = 1, 4, 16, ... rotates by any amount.
// Why     Building block of axis_width. It is a module of its own, with its hierarchy kept in
//         synthesis, because the area depends on it: a digit is one 4:1 multiplexer, that is one
//         6-input LUT, a bit, but the LUT mapper of Yosys does not find that form by itself when it
//         sees the whole rotator (a third more LUTs).
//
// Contract    Pure function of the inputs, no state.
// Parameters
//   ItemWidth   bits of an item, >= 1
//   Items       items of the ring, >= 2
//   Step        items turned per unit of the digit, >= 1 (taken mod Items)
// Latency     combinational, one LUT level
// Limits      none beyond the parameters
// Source      The textbook logarithmic (barrel) shifter, in base 4.

(* keep_hierarchy = "yes" *)
module axis_rotate #(
  parameter int unsigned ItemWidth = 16,
  parameter int unsigned Items     = 16,
  parameter int unsigned Step      = 1
) (
  input  logic [                1:0] digit_i,
  input  logic [Items*ItemWidth-1:0] data_i,
  output logic [Items*ItemWidth-1:0] data_o
);

  if (ItemWidth < 1) begin : gen_bad_width
    $error("axis_rotate %m: rule ItemWidth >= 1, got %0d", ItemWidth);
  end else if (Items < 2) begin : gen_bad_items
    $error("axis_rotate %m: rule Items >= 2, got %0d", Items);
  end else if (Step < 1) begin : gen_bad_step
    $error("axis_rotate %m: rule Step >= 1, got %0d", Step);
  end else begin : gen_rotate
    localparam int unsigned W = Items * ItemWidth;
    localparam int unsigned B1 = (Step % Items) * ItemWidth;
    localparam int unsigned B2 = ((2 * Step) % Items) * ItemWidth;
    localparam int unsigned B3 = ((3 * Step) % Items) * ItemWidth;

    // Nested conditions, not a case: Yosys makes a decoder and AND-OR terms of a case.
    always_comb begin
      if (digit_i[0]) begin
        if (digit_i[1]) data_o = (data_i << B3) | (data_i >> (W - B3));
        else data_o = (data_i << B1) | (data_i >> (W - B1));
      end else begin
        if (digit_i[1]) data_o = (data_i << B2) | (data_i >> (W - B2));
        else data_o = data_i;
      end
    end
  end

endmodule
