// SPDX-License-Identifier: Apache-2.0
//
// switch_hash: the masks of the hash by which flows are shared out among ports.
//
// What      Bit k of the hash of a packet is the parity of its key, {source, destination, flow},
//           under mask k. Masks are states of a xorshift generator (13, 7, 17) that begins with the
//           salt, one after the other, behind Skip others in which the salt reaches all bits.
// Why       Where all switches have the same hash, those that a packet meets one after the other
//           choose alike, and some ways are not used: each has a salt of its own.
// Contract  masks_o are those of salt_i, Skip + Leaves + 1 cycles after a reset or another salt;
//           before that they are any, and so are the ways of flows, among those that are allowed.
// Clock     clk_i; rst_i synchronous to it
//
// Parameters
//   Leaves   masks, a power of two, 2..16
//
// Source    cores/switch/README.md, "Routing"

module switch_hash
  import switch_pkg::*;
#(
  parameter int unsigned Leaves = 4
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic [      15:0] salt_i,
  output key_t [Leaves-1:0] masks_o
);

  localparam int unsigned Skip = 8;
  localparam int unsigned StepWidth = $clog2(Skip + Leaves);
  localparam logic [63:0] First = 64'h9e37_79b9_7f4a_7c15;

  if (Leaves < 2 || Leaves > 16 || Leaves != 1 << $clog2(Leaves)) begin : gen_bad_leaves
    $error("switch_hash %m: Leaves must be 2, 4, 8 or 16, got %0d", Leaves);
  end

  logic [15:0] salt_q;
  logic [63:0] state_q, next;
  logic [StepWidth-1:0] step_q;
  logic running_q;
  always_comb begin
    next = state_q ^ (state_q << 13);
    next = next ^ (next >> 7);
    next = next ^ (next << 17);
  end

  always_ff @(posedge clk_i) begin
    salt_q <= salt_i;
    if (rst_i || salt_i != salt_q) begin
      state_q   <= First ^ {8'd0, salt_i, 40'd0};
      step_q    <= '0;
      running_q <= 1'b1;
    end else if (running_q) begin
      state_q   <= next;
      step_q    <= step_q + 1'b1;
      running_q <= step_q != StepWidth'(Skip + Leaves - 1);
      masks_o   <= {key_t'(next), masks_o[Leaves-1:1]};
    end
  end

endmodule
