// SPDX-License-Identifier: Apache-2.0
//
// prim_arb_rr: round-robin arbiter.
//
// What      Grants one of N requests, combinationally, starting the search behind the requester
//           that was granted and acknowledged last.
// Why       Fair sharing: a standing request is granted after at most N-1 acknowledged grants of
//           others.
// Contract  gnt_o is one-hot when any request stands, else 0 (work conserving: gnt_valid_o is the
//           OR of req_i). gnt_idx_o is the number of the granted one, 0 when there is none.
//           ack_i = 1 with gnt_valid_o = 1 on a clock edge means that the grant was used; the
//           search then starts behind it. Without ack_i the start point stays, but the grant may
//           still change when an earlier requester joins. ack_i without a grant has no effect.
// Latency   0 cycles from req_i to gnt_o. Reset: the search starts at requester 0.
//
// Parameters
//   N   number of requesters, >= 1

module prim_arb_rr #(
  parameter int unsigned N = 4,
  localparam int unsigned IdxWidth = (N > 1) ? $clog2(N) : 1
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic [       N-1:0] req_i,
  input  logic                ack_i,
  output logic [       N-1:0] gnt_o,
  output logic [IdxWidth-1:0] gnt_idx_o,
  output logic                gnt_valid_o
);

  if (N < 1) begin : gen_bad_n
    $error("prim_arb_rr %m: N must be >= 1, got %0d", N);
  end

  // behind_q marks the requesters behind the last acknowledged one; they come first.
  logic [N-1:0] behind_q;
  logic [N-1:0] first;

  // The lowest bit that is set. A comparison for each bit instead of x & -x: its carry chain is
  // longer than a few look-up tables, and both arbiters of a switch stand in one path.
  function automatic logic [N-1:0] lowest(logic [N-1:0] x);
    for (int unsigned i = 0; i < N; i++) lowest[i] = x[i] && (x & N'((1 << i) - 1)) == '0;
  endfunction

  assign first = req_i & behind_q;
  assign gnt_o = (first != '0) ? lowest(first) : lowest(req_i);
  assign gnt_valid_o = req_i != '0;

  always_comb begin
    gnt_idx_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (gnt_o[i]) gnt_idx_o |= IdxWidth'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) behind_q <= '0;
    else if (ack_i && gnt_valid_o) behind_q <= ~(gnt_o | (gnt_o - 1'b1));
  end

endmodule
