// SPDX-License-Identifier: Apache-2.0
//
// prim_clear_side: one of the two equal sides of prim_clear, which see.
//
// What      Begins a four-phase handshake (req_o, ack_i) when rst_i comes, and answers the other
//           side's (req_i, ack_o). Four registers cross: both requests, both acknowledges.
// Contract  req_o rises only when the acknowledge of the request before has gone, and falls only
//           when ack_i has come, rst_i has gone and a clk_i edge has seen clear_o. ack_o follows
//           req_i together with rst_o and clear_o.
// Clocks and resets
//           All but req_i and ack_i belong to clk_i. rst_i does not reset the handshake: that would
//           break what the other side sees of it. The registers start with a request.

module prim_clear_side (
  input  logic clk_i,
  input  logic rst_i,
  output logic rst_o,
  output logic clear_o,
  output logic req_o,
  input  logic ack_i,
  input  logic req_i,
  output logic ack_o
);

  logic want_q;  // a reset waits until the old acknowledge has gone
  logic req_q, ack_q, rst_q, clear_q;
  logic acked, asked, req_d;

  initial {want_q, req_q, ack_q, rst_q, clear_q} = 5'b01010;

  prim_sync_flop u_sync_ack (
    .clk_i(clk_i),
    .rst_i(1'b0),
    .d_i  (ack_i),
    .q_o  (acked)
  );
  prim_sync_flop u_sync_req (
    .clk_i(clk_i),
    .rst_i(1'b0),
    .d_i  (req_i),
    .q_o  (asked)
  );

  assign req_d = req_q ? (rst_i || !acked || !clear_q) : ((rst_i || want_q) && !acked);

  always_ff @(posedge clk_i) begin
    req_q   <= req_d;
    want_q  <= (rst_i || want_q) && !req_d;
    ack_q   <= asked;
    rst_q   <= rst_i || want_q || req_q || acked || asked;
    clear_q <= acked || asked;
  end

  assign req_o   = req_q;
  assign ack_o   = ack_q;
  assign rst_o   = rst_q;
  assign clear_o = clear_q;

endmodule
