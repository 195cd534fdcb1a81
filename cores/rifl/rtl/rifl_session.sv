// SPDX-License-Identifier: Apache-2.0
//
// rifl_session: the session of one end of a link in extended mode, over all its lanes.
//
// What      HELLO, READY, UP as in docs/src/rifl-extended.md; refuses peers that do not fit; falls
//           back to the compatible mode when all lanes see a published core; ends the session when
//           the peer starts another one.
// Contract  frame clock. up_i: the lanes' receivers are up; lane_i: what rifl_ext_lane says. The
//           session number changes only with `clear`; it is drawn until all lanes are up. `partner`
//           is the peer's, stable in UP. data_rst_o (a register): neither mode runs, everything
//           between the users is to be cleared. extended_i low: no sessions, the compatible mode
//           runs; to be changed only together with restart_i or a reset. restart_i ends whatever
//           stands. ended_o: one clock for each session that got up and ends. reason_o: why neither
//           `flow` nor `compatible` is set; ReasonPublished in the compatible mode. seed_i: any
//           number that differs from reset to reset (a free running counter, for instance). A
//           number that returns while frames of its session are still on the line lets the peer's
//           answers to the pings of that session count in this one, so the round trip is taken too
//           short. Without it that is excluded only if UpFrames is as long as a round trip, for
//           until then numbers are drawn. StrongCode: there is no compatible mode, whose frames do
//           not have that code; a published peer is refused.
// Source    docs/src/rifl-extended.md, "Session".

module rifl_session
  import rifl_ext_pkg::*;
#(
  parameter int unsigned Lanes = 1,
  parameter bit StrongCode = 1'b0
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  input  logic                     extended_i,
  input  logic                     restart_i,
  input  logic         [     15:0] seed_i,
  // Lanes.
  input  logic         [Lanes-1:0] up_i,
  input  lane_report_t [Lanes-1:0] lane_i,
  // Session.
  output session_t                 session_o,
  output logic                     data_rst_o,
  output logic                     ended_o,
  output reason_e                  reason_o,
  output reason_e                  peer_reason_o
);

  phase_e phase_q, phase_d;
  logic compatible_q, compatible_d, clear_q, drawing, open_q, flow;
  logic [15:0] count_q, session_q, partner_q;
  assign session_o = '{
          extended: extended_i,
          compatible: compatible_q,
          open: open_q,
          flow : flow,
          clear: clear_q || drawing,
          ends: clear_q,
          phase: phase_q,
          session: session_q,
          partner: partner_q
      };
  assign drawing = !(&up_i) && !compatible_q && phase_q inside {PhaseHello, PhaseRefused};

  // --- the lanes taken together ---
  logic all_meet, all_fit, all_measured, all_plain, all_early, all_late, all_up, one_peer;
  logic too_long, refused, foreign, plain, met;
  reason_e misfit;
  always_comb begin
    {all_meet, all_fit, all_measured, all_plain, all_early, all_late, all_up, one_peer} = '1;
    {too_long, refused, foreign, plain, met} = '0;
    misfit = ReasonNone;
    peer_reason_o = ReasonNone;
    for (int unsigned i = 0; i < Lanes; i++) begin
      all_meet &= lane_i[i].meets;
      all_fit &= lane_i[i].fits;
      all_measured &= lane_i[i].round_trip_valid;
      all_plain &= lane_i[i].plain;
      all_early &= lane_i[i].phase inside {PhaseHello, PhaseReady};
      all_late &= lane_i[i].phase inside {PhaseReady, PhaseUp};
      all_up &= lane_i[i].phase == PhaseUp;
      one_peer &= lane_i[i].peer == lane_i[0].peer;
      too_long |= lane_i[i].round_trip_too_long;
      refused |= lane_i[i].phase == PhaseRefused && lane_i[i].peer != '0;
      foreign |= lane_i[i].foreign;
      plain |= lane_i[i].plain;
      met |= lane_i[i].met;
      if (lane_i[i].reason != ReasonNone) misfit = lane_i[i].reason;
      if (lane_i[i].capabilities.reason != ReasonNone) begin
        peer_reason_o = lane_i[i].capabilities.reason;
      end
    end
  end

  // What would be the compatible mode.
  logic published;
  assign published = StrongCode && (all_plain || !extended_i);

  logic ready, agreed;
  assign ready  = all_meet && all_fit && one_peer && all_early && all_measured;
  // READY holds as long as every lane says the same as when it was reached.
  assign agreed = all_meet && one_peer && lane_i[0].peer == partner_q && !refused;
  assign flow   = open_q && all_up;

  always_comb begin
    if (compatible_q) reason_o = ReasonPublished;
    else if (flow) reason_o = ReasonNone;
    else if (!(&up_i)) reason_o = ReasonNoSignal;
    else if (published) reason_o = ReasonStrongCode;
    else if (misfit != ReasonNone) reason_o = misfit;
    else if (!all_fit) reason_o = ReasonNoPeer;
    else if (!one_peer) reason_o = ReasonPeers;
    else if (too_long && !open_q) reason_o = ReasonRoundTrip;
    else if (refused) reason_o = ReasonRefused;
    else reason_o = ReasonNoPeer;
  end

  logic refuses, broken;
  assign refuses = published || misfit != ReasonNone || (all_fit && !one_peer) || too_long;
  assign broken  = restart_i || (open_q && (foreign || plain || too_long)) ||
                   (compatible_q && extended_i && met);

  always_comb begin
    phase_d = phase_q;
    compatible_d = compatible_q;
    unique case (phase_q)
      PhaseHello, PhaseRefused: begin
        if (all_plain) compatible_d = !StrongCode;
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
      compatible_d = !StrongCode;
    end
  end

  always_ff @(posedge clk_i) begin
    count_q <= count_q + 1'b1;
    if (rst_i) begin
      count_q <= '0;
      phase_q <= PhaseHello;
      open_q <= 1'b0;
      compatible_q <= 1'b0;
      clear_q <= 1'b1;
      session_q <= '0;
      partner_q <= '0;
      data_rst_o <= 1'b1;
      ended_o <= 1'b0;
    end else begin
      phase_q <= phase_d;
      open_q <= phase_d == PhaseUp;
      compatible_q <= compatible_d;
      clear_q <= broken;
      data_rst_o <= !(phase_d == PhaseUp || compatible_d);
      ended_o <= broken && open_q;
      if (clear_q || drawing) session_q <= seed_i ^ {count_q[14:0], 1'b1} ^ {15'b0, seed_i[0]};
      if (phase_q != PhaseReady && phase_d == PhaseReady) partner_q <= lane_i[0].peer;
    end
  end

endmodule
