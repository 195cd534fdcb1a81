// SPDX-License-Identifier: Apache-2.0
//
// rifl_ext_lane_end: rifl_ext_lane in an open session, with pins for what its receiver says, one
// clock for everything.
//
// announcement_i with announced_i: of the peer. sent_*: the frame of this clock; said_o: the own
// announcement in it, if it is a control frame.

module rifl_ext_lane_end
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned IdWidth = 6
) (
  input  logic                             clk_i,
  input  logic                             rst_i,
  input  logic                             open_i,
  input  logic [                     15:0] session_i,
  input  logic [                     15:0] partner_i,
  input  logic                             announced_i,
  input  logic [$bits(announcement_t)-1:0] announcement_i,
  input  logic                             err_i,
  input  logic                             alive_i,
  input  logic                             ask_toggle_i,
  input  logic [                      3:0] ask_n_i,
  input  logic [                     11:0] wanted_i,
  input  logic                             fresh_i,
  input  logic                             steady_i,
  input  logic                             stop_i,
  input  logic                             user_valid_i,
  output logic                             sent_control_o,
  output logic                             sent_user_o,     // a new frame
  output logic [                     11:0] sent_id_o,
  output logic [$bits(announcement_t)-1:0] said_o,
  output logic                             peer_stop_o,
  output logic                             served_o,
  output logic                             incident_o,
  output logic                             foreign_o
);

  session_t session;
  ext_rx_t rx;
  lane_report_t report;
  tx_frame_t frame;
  logic [WireWidth-1:0] wire_bits;
  logic [IdWidth-1:0] round_trip;
  logic rx_ready;

  assign session = '{
          extended: 1'b1,
          compatible: 1'b0,
          open: open_i,
          flow : open_i,
          clear: 1'b0,
          ends: 1'b0,
          phase: open_i ? PhaseUp : PhaseHello,
          session: session_i,
          partner: partner_i
      };
  assign rx = '{
          announced: announced_i,
          announcement: announcement_i,
          plain: 1'b0,
          error: err_i,
          ask_toggle: ask_toggle_i,
          ask_n: ask_n_i,
          wanted: wanted_i,
          fresh: fresh_i,
          steady: steady_i
      };

  rifl_ext_lane #(
    .IdWidth(IdWidth)
  ) u_lane (
    .frame_clk_i   (clk_i),
    .frame_rst_i   (rst_i),
    .phy_tx_clk_i  (clk_i),
    .rx_clk_i      (clk_i),
    .rx_clear_i    (rst_i),
    .cross_rst_i   (rst_i),
    .rx_i          (rx),
    .rx_ready_o    (rx_ready),
    .up_i          (1'b1),
    .err_i         (err_i),
    .alive_i       (alive_i),
    .fresh_i       (fresh_i),
    .steady_i      (steady_i),
    .ask_toggle_i  (ask_toggle_i),
    .lane_i        (3'd0),
    .session_i     (session),
    .own_i         ('0),
    .report_o      (report),
    .round_trip_o  (round_trip),
    .stop_i        (stop_i),
    .peer_stop_o   (peer_stop_o),
    .compensate_i  (1'b0),
    .user_valid_i  (user_valid_i),
    .frame_o       (frame),
    .sent_kind_i   (frame.kind),
    .announcement_o(wire_bits),
    .served_o      (served_o),
    .incident_o    (incident_o)
  );

  assign sent_control_o = frame.slack;
  assign sent_user_o    = frame.wr_en;
  assign sent_id_o      = frame.id;
  assign said_o         = wire_bits[WireWidth-1-:$bits(announcement_t)];
  assign foreign_o      = report.foreign;

  logic unused;
  assign unused = ^{report, frame, wire_bits, round_trip, rx_ready};

endmodule
