// SPDX-License-Identifier: Apache-2.0
//
// rifl_session_end: the session of one end, of what its lanes receive: rifl_session and a
// rifl_session_lane each, as rifl_ext_lane joins them, without frames and clock crossings.
//
// announcement_i of a lane counts with its bit of announced_i, pulses are one clock. plain_i,
// valid_i, too_long_i and breach_i are what the rest of a lane says to the session. The
// lanes are numbers 2 and 7, so that each bit of a number counts.

module rifl_session_end
  import rifl_ext_pkg::*;
#(
  parameter int unsigned Lanes = 2
) (
  input  logic                                         clk_i,
  input  logic                                         rst_i,
  input  logic                                         extended_i,
  input  logic                                         restart_i,
  input  logic [                           15:0]       seed_i,
  input  logic [                           33:0]       own_i,           // capabilities
  input  logic [                      Lanes-1:0]       up_i,
  input  logic [                      Lanes-1:0]       announced_i,
  input  logic [                      Lanes-1:0]       plain_i,
  input  logic [                      Lanes-1:0]       valid_i,         // round trip
  input  logic [                      Lanes-1:0]       too_long_i,
  input  logic [                      Lanes-1:0]       breach_i,
  input  logic [Lanes*$bits(announcement_t)-1:0]       announcement_i,
  output logic [                            1:0]       phase_o,
  output logic [                           15:0]       session_o,
  output logic [                           15:0]       partner_o,
  output logic                                         compatible_o,
  output logic                                         open_o,
  output logic                                         flow_o,
  output logic                                         clear_o,
  output logic                                         ends_o,
  output logic                                         data_rst_o,
  output logic                                         ended_o,
  output logic [                            3:0]       reason_o,
  output logic [                            3:0]       peer_reason_o,
  output logic [                      Lanes-1:0]       ping_o,
  output logic [                      Lanes-1:0][15:0] peer_o
);

  session_t session;
  lane_report_t [Lanes-1:0] said, report;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    announcement_t st;
    logic st_belongs;
    assign st = announcement_i[i*$bits(announcement_t)+:$bits(announcement_t)];
    assign st_belongs = belongs(
        {st.session, st.echo, st.lane}, session.session, session.partner, 3'(5 * i + 2)
    );

    rifl_session_lane u_lane (
      .clk_i       (clk_i),
      .rst_i       (rst_i),
      .enable_i    (up_i[i]),
      .st_valid_i  (announced_i[i]),
      .st_i        (st),
      .st_belongs_i(st_belongs),
      .plain_i     (plain_i[i]),
      .session_i   (session),
      .lane_i      (3'(5 * i + 2)),
      .own_i       (own_i),
      .ping_o      (ping_o[i]),
      .report_o    (said[i])
    );

    always_comb begin
      report[i] = said[i];
      report[i].foreign |= breach_i[i];
      report[i].round_trip_valid = valid_i[i];
      report[i].round_trip_too_long = too_long_i[i];
    end
    assign peer_o[i] = report[i].peer;
  end

  rifl_session #(
    .Lanes(Lanes)
  ) u_session (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .extended_i   (extended_i),
    .restart_i    (restart_i),
    .seed_i       (seed_i),
    .up_i         (up_i),
    .lane_i       (report),
    .session_o    (session),
    .data_rst_o   (data_rst_o),
    .ended_o      (ended_o),
    .reason_o     (reason_o),
    .peer_reason_o(peer_reason_o)
  );

  assign phase_o      = session.phase;
  assign session_o    = session.session;
  assign partner_o    = session.partner;
  assign compatible_o = session.compatible;
  assign open_o       = session.open;
  assign flow_o       = session.flow;
  assign clear_o      = session.clear;
  assign ends_o       = session.ends;

  logic unused;
  assign unused = session.extended;

endmodule
