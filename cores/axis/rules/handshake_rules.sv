// SPDX-License-Identifier: Apache-2.0
//
// handshake_rules: what every valid/ready channel keeps (AXI4, AXI4-Lite, AXI4-Stream).
//
// What      Once valid_i stands it stays, with the same payload, until the edge with ready_i.
// Contract  Bound to a channel, or instantiated in a proof; see prim_assert for when it checks.
// Clock     clk_i; rst_i synchronous to it, the reset of the side that drives valid_i.
// Source    AMBA AXI and ACE protocol specification, A3.2.1.
//
// Parameters
//   Width     bits of the payload, >= 1
//   Channel   name, for the messages
//   Assume    in a proof: the environment drives the channel

module handshake_rules #(
  parameter int unsigned Width   = 1,
  parameter string       Channel = "channel",
  parameter bit          Assume  = 1'b0
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] payload_i
);

  logic stalled_q;
  logic [Width-1:0] payload_q;
  always_ff @(posedge clk_i) begin
    stalled_q <= valid_i && !ready_i && !rst_i;
    payload_q <= payload_i;
  end

  prim_assert #(
    .Rule  ({Channel, ": valid stays until ready"}),
    .Assume(Assume)
  ) u_stays (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!stalled_q || valid_i)
  );
  prim_assert #(
    .Rule  ({Channel, ": the payload does not change before ready"}),
    .Assume(Assume)
  ) u_stable (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!stalled_q || !valid_i || payload_i == payload_q)
  );

endmodule
