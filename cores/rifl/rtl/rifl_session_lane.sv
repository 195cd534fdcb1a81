// SPDX-License-Identifier: Apache-2.0
//
// rifl_session_lane: what one lane knows of the peer: its session, phase and capabilities.
//
// What      keeps the last announcement's session, phase and ping, judges whether the capabilities
//           fit, and counts announcements that do not belong to the session.
// Contract  st_* are announcements as they come out of the clock crossing, plain_i a pulse for each
//           run of control frames without any. enable_i: the lane's receiver is up; without it
//           nothing is known but session, phase and ping, which stay as they were last seen.
//           st_belongs_i: st_i names the session of both ends and this lane. meets: an announcement
//           has come whose echo is our session; fits: and its capabilities fit. foreign: two
//           announcements in a row contradict the session. met: two announcements in a row, of
//           whatever session.
// Source    docs/src/rifl-extended.md, "Session".

module rifl_session_lane
  import rifl_ext_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                enable_i,
  input  logic                st_valid_i,
  input  announcement_t       st_i,
  input  logic                st_belongs_i,
  input  logic                plain_i,
  input  session_t            session_i,
  input  logic          [2:0] lane_i,
  input  capabilities_t       own_i,         // of this lane
  output logic                ping_o,
  output lane_report_t        report_o       // without the round trip
);

  capabilities_t peer;
  reason_e misfit;
  logic contradicts, contradicted_q, known_q;
  assign peer = st_i.detail;
  assign contradicts = !st_belongs_i || st_i.phase inside {PhaseHello, PhaseRefused};

  always_comb begin
    if (peer.frame_width != own_i.frame_width) misfit = ReasonFrameWidth;
    else if (peer.strong_code != own_i.strong_code) misfit = ReasonStrongCode;
    else if (peer.id_width != own_i.id_width) misfit = ReasonIdWidth;
    else if (peer.lanes != own_i.lanes) misfit = ReasonLanes;
    else if (st_i.lane != lane_i) misfit = ReasonLaneOrder;
    else if (peer.groups != own_i.groups) misfit = ReasonUserWidth;
    else if (peer.rate != own_i.rate && peer.rate != '0 && own_i.rate != '0) misfit = ReasonRate;
    else misfit = ReasonNone;
  end

  lane_report_t report_q;
  always_comb begin
    report_o = report_q;
    report_o.fits = known_q && report_q.reason == ReasonNone;
  end

  always_ff @(posedge clk_i) begin
    report_q.fits <= 1'b0;
    report_q.round_trip_valid <= 1'b0;
    report_q.round_trip_too_long <= 1'b0;
    report_q.foreign <= 1'b0;
    report_q.met <= 1'b0;
    if (rst_i) begin
      report_q.phase <= PhaseHello;
      ping_o <= 1'b0;
    end else if (enable_i && st_valid_i) begin
      report_q.phase <= st_i.phase;
      ping_o <= st_i.ping;
    end

    if (rst_i || session_i.clear) report_q.peer <= '0;
    else if (enable_i && st_valid_i) report_q.peer <= st_i.session;
    else if (enable_i && plain_i) report_q.peer <= '0;

    if (rst_i || session_i.clear || !enable_i) begin
      report_q.meets <= 1'b0;
      known_q <= 1'b0;
      report_q.reason <= ReasonNone;
      report_q.capabilities <= '0;
      contradicted_q <= 1'b0;
      report_q.plain <= 1'b0;
    end else begin
      if (st_valid_i) begin
        report_q.meets <= st_i.echo == session_i.session;
        contradicted_q <= contradicts;
        report_q.foreign <= contradicts && contradicted_q;
        report_q.met <= report_q.peer != '0;
        report_q.plain <= 1'b0;
        if (!st_i.sequence_not_capabilities) begin
          known_q <= 1'b1;
          report_q.reason <= misfit;
          report_q.capabilities <= peer;
        end
      end else if (plain_i) begin
        report_q.meets <= 1'b0;
        known_q <= 1'b0;
        report_q.plain <= 1'b1;
      end
    end
  end

  // What other parts of the lane look at, and what only tells.
  logic unused;
  assign unused = ^{st_i, own_i, session_i};

endmodule
