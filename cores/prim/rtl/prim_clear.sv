// SPDX-License-Identifier: Apache-2.0
//
// prim_clear: a reset of either side of a clock crossing becomes a reset of both.
//
// What      Two sides, a and b. After a reset of either one both are held in reset, and what
//           crosses between them is cleared, before either goes on. One serves all crossings
//           between its two clocks.
// Why       A side whose clock stands still during a common reset, or that is not reset at all,
//           keeps its pointers and toggles: after the reset they mean words that were never sent.
//           And a pointer that jumps to zero is read by the other side as words, unless that one is
//           held.
// Contract  For x and y, the sides in either order:
//           x_rst_o    resets the logic of x and RECEIVING ends of crossings (m_rst_i, dst_rst_i).
//                      It rises one x_clk_i edge after x_rst_i, or when y was reset.
//           x_clear_o  resets the SENDING ends of crossings (s_rst_i, src_rst_i). It rises only
//                      while y_rst_o stands, so that y does not see registers of x jump; x_rst_o
//                      stands as long as it does and longer.
//           After each x_rst_i both x_clear_o and y_clear_o stand, together and each for an edge of
//           its clock at least, before x_rst_o falls, or y_rst_o if it rose after it. The side that
//           was reset goes on last: y may begin to send while x is still held; that waits in the
//           crossing. So what was sent before a reset of either side never comes out after it.
//           Logic that must live on while the other side is reset neither sends nor takes anything
//           while x_rst_o stands; what comes out of a crossing then means nothing.
// Clocks and resets
//           x_rst_i is synchronous to x_clk_i, one cycle or longer, at any time (of an asynchronous
//           reset: prim_sync_reset). All outputs are registers of their x_clk_i. Either clock may
//           stand still at any time: the other side then stays in reset until it runs again.
//           After configuration both sides clear each other once, without a reset. Without initial
//           values of registers, give both resets together for 8 cycles of the slower clock first.
// Latency   From x_rst_i to the fall of x_rst_o at most 11 x_clk_i and 9 y_clk_i edges, if y is at
//           rest.
//
//   x_rst_i    __/~\_____________________________________
//   x_rst_o    ____/~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\_
//   request    ____/~~~~~~~~~~~~~~~~~~~~\_________________   x to y
//   y_rst_o    __________/~~~~~~~~~~~~~~~~~~~~\___________   with y_clear_o and the acknowledge
//   x_clear_o  ________________/~~~~~~~~~~~~~~~~~~~~~~~~\_   one edge of it, then the request falls

module prim_clear (
  input  logic a_clk_i,
  input  logic a_rst_i,
  output logic a_rst_o,
  output logic a_clear_o,
  input  logic b_clk_i,
  input  logic b_rst_i,
  output logic b_rst_o,
  output logic b_clear_o
);

  logic a_req, a_ack, b_req, b_ack;

  prim_clear_side u_a (
    .clk_i  (a_clk_i),
    .rst_i  (a_rst_i),
    .rst_o  (a_rst_o),
    .clear_o(a_clear_o),
    .req_o  (a_req),
    .ack_i  (b_ack),
    .req_i  (b_req),
    .ack_o  (a_ack)
  );

  prim_clear_side u_b (
    .clk_i  (b_clk_i),
    .rst_i  (b_rst_i),
    .rst_o  (b_rst_o),
    .clear_o(b_clear_o),
    .req_o  (b_req),
    .ack_i  (a_ack),
    .req_i  (a_req),
    .ack_o  (b_ack)
  );

endmodule
