// SPDX-License-Identifier: Apache-2.0
//
// axis_rules: what every AXI4-Stream of the cores keeps.
//
// What      A beat stays until it is taken. TKEEP is all ones, but in a beat with TLAST, where it
//           is contiguous from byte 0. TUSER marks a packet only with TLAST. Bytes outside TKEEP
//           mean nothing, and may change while the beat waits.
// Contract  Bound to a stream, or instantiated in a proof; see prim_assert for when it checks.
// Clock     clk_i; rst_i synchronous to it, the reset of the side that drives the stream.
// Source    AMBA AXI-Stream protocol specification, and the house's vocabulary of streams.
//
// Parameters
//   Bytes    of a beat, >= 1
//   Stream   name, for the messages
//   Assume   in a proof: the environment drives the stream

module axis_rules #(
  parameter int unsigned Bytes  = 32,
  parameter string       Stream = "stream",
  parameter bit          Assume = 1'b0
) (
  input logic               clk_i,
  input logic               rst_i,
  input logic [8*Bytes-1:0] tdata_i,
  input logic [  Bytes-1:0] tkeep_i,
  input logic               tlast_i,
  input logic               tuser_i,
  input logic               tvalid_i,
  input logic               tready_i
);

  logic [8*Bytes-1:0] kept;
  always_comb begin
    for (int unsigned j = 0; j < Bytes; j++) kept[8*j+:8] = tdata_i[8*j+:8] & {8{tkeep_i[j]}};
  end

  handshake_rules #(
    .Width  (9 * Bytes + 2),
    .Channel(Stream),
    .Assume (Assume)
  ) u_beat (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (tvalid_i),
    .ready_i  (tready_i),
    .payload_i({tuser_i, tlast_i, tkeep_i, kept})
  );

  // TKEEP + 1 has no bit in common with TKEEP exactly if TKEEP is contiguous from byte 0.
  prim_assert #(
    .Rule  ({Stream, ": tkeep is contiguous from byte 0"}),
    .Assume(Assume)
  ) u_contiguous (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!tvalid_i || (tkeep_i & (tkeep_i + 1'b1)) == '0)
  );
  prim_assert #(
    .Rule  ({Stream, ": tkeep is all ones without tlast"}),
    .Assume(Assume)
  ) u_full (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!tvalid_i || tlast_i || (&tkeep_i))
  );
  prim_assert #(
    .Rule  ({Stream, ": tuser only with tlast"}),
    .Assume(Assume)
  ) u_mark (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!tvalid_i || tlast_i || !tuser_i)
  );

endmodule
