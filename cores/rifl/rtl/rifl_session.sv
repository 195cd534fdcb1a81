// SPDX-License-Identifier: Apache-2.0
//
// rifl_session: the session of one end of a link in extended mode, over all its lanes.
//
// What: HELLO, READY, UP as in docs/src/rifl-extended.md; refuses peers that do not fit; falls back to
// the compatible mode when all lanes see a published core; ends the session when the peer starts
// another one.
// Contract: frame clock. Per lane: what rifl_session_lane says, and whether its round trip is known.
// session_o changes only with clear_o; it is drawn until all lanes are up. partner_o is the peer's session,
// stable in UP. flow_o: both ends are in UP. data_rst_o (a register): neither mode runs, everything
// between the users is to be cleared. extended_i low: no sessions, the compatible mode runs; to be
// changed only together with restart_i or a reset. restart_i ends whatever stands. ended_o: one
// clock for each session that got up and ends. reason_o: why flow_o (or compatible_o) is low;
// ReasonPublished in the compatible mode.
// seed_i: any number that differs from reset to reset (a free running counter, for instance). A
// session is safe without it (its end is seen by the phases); it makes sessions tell apart sooner.
// Source: docs/src/rifl-extended.md, "Session".

module rifl_session
  import rifl_ext_pkg::*;
#(
  parameter int unsigned Lanes = 1
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  input  logic                    extended_i,
  input  logic                    restart_i,
  input  logic        [     15:0] seed_i,
  // Lanes.
  input  logic        [Lanes-1:0] up_i,
  input  logic        [Lanes-1:0] meets_i,
  input  logic        [Lanes-1:0] fits_i,
  input  logic        [Lanes-1:0] round_trip_valid_i,
  input  logic        [Lanes-1:0] round_trip_too_long_i,
  input  logic        [Lanes-1:0] foreign_i,
  input  logic        [Lanes-1:0] met_i,
  input  logic        [Lanes-1:0] plain_i,
  input  phase_e      [Lanes-1:0] peer_phase_i,
  input  reason_e     [Lanes-1:0] lane_reason_i,
  input  reason_e     [Lanes-1:0] lane_peer_reason_i,
  input  logic [Lanes-1:0] [15:0] peer_session_i,
  // Session.
  output phase_e                  phase_o,
  output logic        [     15:0] session_o,
  output logic        [     15:0] partner_o,
  output logic                    flow_o,
  output logic                    compatible_o,
  output logic                    clear_o,
  output logic                    data_rst_o,
  output logic                    ended_o,
  output reason_e                 reason_o,
  output reason_e                 peer_reason_o
);

  phase_e phase_q, phase_d;
  logic compatible_q, compatible_d, clear_q, drawing, open;
  logic [15:0] count_q, session_q, partner_q;
  assign phase_o      = phase_q;
  assign session_o    = session_q;
  assign partner_o    = partner_q;
  assign open         = phase_q == PhaseUp;
  assign compatible_o = compatible_q;
  assign drawing      = !(&up_i) && !compatible_q && phase_q inside {PhaseHello, PhaseRefused};
  assign clear_o      = clear_q || drawing;

  // --- the lanes taken together ---
  logic one_peer, all_early, all_late, all_up, refused;
  reason_e misfit;
  always_comb begin
    one_peer  = 1'b1;
    all_early = 1'b1;
    all_late  = 1'b1;
    all_up    = 1'b1;
    refused   = 1'b0;
    peer_reason_o = ReasonNone;
    misfit    = ReasonNone;
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (peer_session_i[i] != peer_session_i[0]) one_peer = 1'b0;
      if (!(peer_phase_i[i] inside {PhaseHello, PhaseReady})) all_early = 1'b0;
      if (!(peer_phase_i[i] inside {PhaseReady, PhaseUp})) all_late = 1'b0;
      if (peer_phase_i[i] != PhaseUp) all_up = 1'b0;
      if (peer_phase_i[i] == PhaseRefused && peer_session_i[i] != '0) refused = 1'b1;
      if (lane_reason_i[i] != ReasonNone) misfit = lane_reason_i[i];
      if (lane_peer_reason_i[i] != ReasonNone) peer_reason_o = lane_peer_reason_i[i];
    end
  end

  logic fits, agreed, ready, meeting;
  assign fits    = &fits_i && one_peer;
  assign meeting = &meets_i && fits;
  assign ready   = meeting && all_early && &round_trip_valid_i;
  // READY holds as long as every lane says the same as when it was reached.
  assign agreed  = &meets_i && one_peer && peer_session_i[0] == partner_q && !refused;
  assign flow_o  = open && all_up;

  always_comb begin
    if (compatible_q) reason_o = ReasonPublished;
    else if (flow_o) reason_o = ReasonNone;
    else if (!(&up_i)) reason_o = ReasonNoSignal;
    else if (misfit != ReasonNone) reason_o = misfit;
    else if (refused) reason_o = ReasonRefused;
    else if (!(&fits_i)) reason_o = ReasonNoPeer;
    else if (!one_peer) reason_o = ReasonPeers;
    else if (|round_trip_too_long_i && !open) reason_o = ReasonRoundTrip;
    else reason_o = ReasonNoPeer;
  end

  logic refuses, broken;
  assign refuses = misfit != ReasonNone || (&fits_i && !one_peer) || |round_trip_too_long_i;
  assign broken  = restart_i || (open && (|foreign_i || |plain_i)) || (compatible_q && extended_i && |met_i);

  always_comb begin
    phase_d = phase_q;
    compatible_d = compatible_q;
    unique case (phase_q)
      PhaseHello, PhaseRefused: begin
        if (&plain_i) compatible_d = 1'b1;
        if (refuses) phase_d = PhaseRefused;
        else phase_d = ready ? PhaseReady : PhaseHello;
      end
      PhaseReady: begin
        if (!agreed) phase_d = PhaseHello;
        else if (all_late) phase_d = PhaseUp;
      end
      default: ;
    endcase
    if (compatible_q) phase_d = PhaseHello;
    if (broken || clear_q) begin
      phase_d = PhaseHello;
      compatible_d = 1'b0;
    end else if (!extended_i) begin
      phase_d = PhaseHello;
      compatible_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    count_q <= count_q + 1'b1;
    if (rst_i) begin
      count_q <= '0;
      phase_q <= PhaseHello;
      compatible_q <= 1'b0;
      clear_q <= 1'b1;
      session_q <= '0;
      partner_q <= '0;
      data_rst_o <= 1'b1;
      ended_o <= 1'b0;
    end else begin
      phase_q <= phase_d;
      compatible_q <= compatible_d;
      clear_q <= broken;
      data_rst_o <= !(phase_d == PhaseUp || compatible_d);
      ended_o <= broken && open;
      if (clear_o) session_q <= {seed_i[15:1] ^ count_q[14:0], 1'b1};
      if (phase_q != PhaseReady && phase_d == PhaseReady) partner_q <= peer_session_i[0];
    end
  end

endmodule
