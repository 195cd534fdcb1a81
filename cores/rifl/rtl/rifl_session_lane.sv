// SPDX-License-Identifier: Apache-2.0
//
// rifl_session_lane: what one lane knows of the peer: its session, phase and capabilities.
//
// What: keeps the last announcement's session, phase and ping, judges whether the capabilities fit,
// and counts announcements that do not belong to the session.
// Contract: st_* are announcements as they come out of the clock crossing, plain_i a pulse for each run
// of control frames without any. enable_i: the lane's receiver is up; without it nothing is known but
// session, phase and ping, which stay as they were last seen.
// st_belongs_i: st_i names the session of both ends and this lane. meets_o: an announcement has come
// whose echo is our session; fits_o: and its capabilities fit. foreign_o: two announcements in a row
// contradict the session. met_o: two announcements in a row, of whatever session.
// Source: docs/src/rifl-extended.md, "Session".

module rifl_session_lane
  import rifl_ext_pkg::*;
(
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 enable_i,
  input  logic                 st_valid_i,
  input  announcement_t        st_i,
  input  logic                 st_belongs_i,
  input  logic                 plain_i,
  input  session_t             session_i,
  input  logic          [ 2:0] lane_i,
  input  capabilities_t        own_i,           // of this lane
  output logic                 ping_o,
  output logic          [15:0] peer_o,
  output phase_e               phase_o,
  output reason_e              reason_o,
  output capabilities_t        capabilities_o,
  output logic                 meets_o,
  output logic                 fits_o,
  output logic                 foreign_o,
  output logic                 met_o,
  output logic                 plain_o
);

  capabilities_t peer;
  reason_e misfit;
  logic contradicts, contradicted_q, known_q;
  assign peer = st_i.detail;
  assign contradicts = !st_belongs_i || st_i.phase inside {PhaseHello, PhaseRefused};

  always_comb begin
    if (peer.frame_width != own_i.frame_width) misfit = ReasonFrameWidth;
    else if (peer.id_width != own_i.id_width) misfit = ReasonIdWidth;
    else if (peer.lanes != own_i.lanes) misfit = ReasonLanes;
    else if (st_i.lane != lane_i) misfit = ReasonLaneOrder;
    else if (peer.groups != own_i.groups) misfit = ReasonUserWidth;
    else if (peer.rate != own_i.rate && peer.rate != '0 && own_i.rate != '0) misfit = ReasonRate;
    else misfit = ReasonNone;
  end

  assign fits_o = known_q && reason_o == ReasonNone;

  always_ff @(posedge clk_i) begin
    foreign_o <= 1'b0;
    met_o <= 1'b0;
    if (rst_i) begin
      phase_o <= PhaseHello;
      ping_o  <= 1'b0;
    end else if (enable_i && st_valid_i) begin
      phase_o <= st_i.phase;
      ping_o  <= st_i.ping;
    end

    if (rst_i || session_i.clear) peer_o <= '0;
    else if (enable_i && st_valid_i) peer_o <= st_i.session;
    else if (enable_i && plain_i) peer_o <= '0;

    if (rst_i || session_i.clear || !enable_i) begin
      meets_o <= 1'b0;
      known_q <= 1'b0;
      reason_o <= ReasonNone;
      capabilities_o <= '0;
      contradicted_q <= 1'b0;
      plain_o <= 1'b0;
    end else begin
      if (st_valid_i) begin
        meets_o <= st_i.echo == session_i.session;
        contradicted_q <= contradicts;
        foreign_o <= contradicts && contradicted_q;
        met_o <= peer_o != '0;
        plain_o <= 1'b0;
        if (!st_i.sequence_not_capabilities) begin
          known_q <= 1'b1;
          reason_o <= misfit;
          capabilities_o <= peer;
        end
      end else if (plain_i) begin
        meets_o <= 1'b0;
        known_q <= 1'b0;
        plain_o <= 1'b1;
      end
    end
  end

  // What other parts of the lane look at, and what only tells.
  logic unused;
  assign unused = ^{
    st_i.version,
    st_i.pong,
    st_i.stop,
    st_i.stop_seen,
    own_i.reason,
    own_i.zero,
    session_i.extended,
    session_i.compatible,
    session_i.open,
    session_i.ends,
    session_i.flow,
    session_i.phase,
    session_i.partner
  };

endmodule
