// SPDX-License-Identifier: Apache-2.0
//
// rifl_observe_session: the words `session` and `peer` of the page `observe`.
//
// What      names the state of the session, and keeps what the peer has announced: it announces its
//           capabilities until its session is up, and a lane that loses its signal forgets them.
// Contract  a core or a link without the extended mode shows the state absent; towards a published
//           peer the state is compatible and there is no word of a peer. A reason of the peer is
//           shown only while the link is down.
// Clocks and resets
//           clk_i is frame_clk_i of the link, status_i belongs to it; no reset.
// Latency   0, of the capabilities 1.
// Parameters
//           Extended as in rifl_link.

module rifl_observe_session
  import rifl_ext_pkg::*;
  import rifl_regs_pkg::*;
#(
  parameter bit Extended = 1'b1
) (
  input  logic                  clk_i,
  input  logic                  extended_i,  // the setting
  input  link_status_t          status_i,
  output session_state_e        state_o,
  output logic           [63:0] session_o,
  output logic           [63:0] peer_o
);

  capabilities_t peer_q;
  reason_e peer_reason;
  logic unused;
  assign unused = status_i.ended;  // sessions are counted when they come up

  always_ff @(posedge clk_i) begin
    if (status_i.phase != PhaseUp || status_i.peer != '0) peer_q <= status_i.peer;
  end

  always_comb begin
    if (!Extended || !extended_i) state_o = SessionStateAbsent;
    else if (status_i.reason == ReasonPublished) state_o = SessionStateCompatible;
    else state_o = session_state_e'({1'b0, status_i.phase});

    peer_reason = status_i.peer_reason;
    if (state_o inside {SessionStateUp, SessionStateCompatible}) peer_reason = ReasonNone;
    session_o = {
      16'd0,
      status_i.peer_session,
      status_i.session,
      4'd0,
      peer_reason,
      status_i.reason,
      1'b0,
      state_o
    };

    peer_o = '0;
    if (peer_q != '0 && state_o != SessionStateCompatible) begin
      peer_o[3:0]   = Version;
      peer_o[5:4]   = peer_q.lanes;
      peer_o[10:8]  = peer_q.frame_width;
      peer_o[13:12] = peer_q.groups;
      peer_o[19:16] = peer_q.id_width;
      peer_o[20]    = peer_q.strong_code;
      peer_o[47:32] = peer_q.rate;
    end
  end

endmodule
