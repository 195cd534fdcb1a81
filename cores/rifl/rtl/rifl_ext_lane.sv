// SPDX-License-Identifier: Apache-2.0
//
// rifl_ext_lane: one lane's part of the extended mode, in the transmitter's clock.
//
// What      takes the peer's announcements and the receiver's incidents into frame_clk_i, measures
//           the round trip, decides the frames of a session (rifl_ext_tx_ctrl) and composes the own
//           announcement.
// Contract  rx_i belongs to rx_clk_i, everything else to frame_clk_i. fresh_i, steady_i, err_i and
//           ask_toggle_i are those of rx_i, synchronised; its ask_n and wanted stand still for long
//           before and after a change of ask_toggle_i (rifl_ext_rx). Session inputs come from
//           rifl_session, outputs go there. rx_clear_i and cross_rst_i are a_clear_o and b_rst_o of
//           one prim_clear. An announcement that finds the crossing full waits there or gives way
//           to a newer one: each of them says the whole state.
// Source    docs/src/rifl-extended.md.

module rifl_ext_lane
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned IdWidth = 6  // 6..12
) (
  input logic frame_clk_i,
  input logic frame_rst_i,
  input logic phy_tx_clk_i,

  // Receiver.
  input  logic    rx_clk_i,
  input  logic    rx_clear_i,
  input  logic    cross_rst_i,
  input  ext_rx_t rx_i,         // in rx_clk_i
  output logic    rx_ready_o,
  input  logic    up_i,
  input  logic    err_i,
  input  logic    alive_i,      // frames come
  input  logic    fresh_i,
  input  logic    steady_i,
  input  logic    ask_toggle_i,

  // Session.
  input  logic          [        2:0] lane_i,
  input  session_t                    session_i,
  input  capabilities_t               own_i,
  output lane_report_t                report_o,
  output logic          [IdWidth-1:0] round_trip_o,

  // Transmitter.
  input  logic                        stop_i,
  output logic                        peer_stop_o,
  input  logic                        compensate_i,
  input  logic                        user_valid_i,
  output tx_frame_t                   frame_o,
  input  frame_kind_e                 sent_kind_i,     // what is sent, in either mode
  output logic        [WireWidth-1:0] announcement_o,
  output logic                        served_o,
  output logic                        incident_o
);

  localparam int unsigned CrossingDepth = 4;

  // --- announcements of the peer ---
  logic st_valid, st_of_session, plain, open, plain_busy;
  announcement_t st;
  sequence_t st_sequence;
  assign open = session_i.open;

  prim_fifo_async #(
    .Width(AnnouncementWidth),
    .Depth(CrossingDepth)
  ) u_crossing (
    .s_clk_i     (rx_clk_i),
    .s_rst_i     (rx_clear_i),
    .s_valid_i   (rx_i.announced),
    .s_ready_o   (rx_ready_o),
    .s_data_i    (rx_i.announcement),
    .m_clk_i     (frame_clk_i),
    .m_sync_clk_i(phy_tx_clk_i),
    .m_rst_i     (cross_rst_i),
    .m_valid_o   (st_valid),
    .m_ready_i   (1'b1),
    .m_data_o    (st)
  );

  prim_sync_pulse u_plain (
    .src_clk_i  (rx_clk_i),
    .src_rst_i  (rx_clear_i),
    .src_pulse_i(rx_i.plain),
    .src_busy_o (plain_busy),
    .dst_clk_i  (frame_clk_i),
    .dst_rst_i  (cross_rst_i),
    .dst_pulse_o(plain)
  );

  logic pong, breach, st_belongs, round_trip_valid, round_trip_too_long;
  lane_report_t seen;
  assign st_belongs = belongs(
      {st.session, st.echo, st.lane}, session_i.session, session_i.partner, lane_i
  );
  rifl_session_lane u_session_lane (
    .clk_i       (frame_clk_i),
    .rst_i       (frame_rst_i),
    .enable_i    (up_i),
    .st_valid_i  (st_valid),
    .st_i        (st),
    .st_belongs_i(st_belongs),
    .plain_i     (plain),
    .session_i   (session_i),
    .own_i       (own_i),
    .lane_i      (lane_i),
    .ping_o      (pong),
    .report_o    (seen)
  );

  // --- round trip ---
  logic ping, pinging, measure, ping_with_echo;
  assign ping_with_echo = st_valid && st.echo == session_i.session;
  rifl_round_trip #(
    .IdWidth(IdWidth)
  ) u_round_trip (
    .clk_i       (frame_clk_i),
    .rst_i       (frame_rst_i),
    .enable_i    (seen.meets),
    .start_i     (measure),
    .sent_i      (frame_o.slack),
    .pong_valid_i(ping_with_echo),
    .pong_i      (st.pong),
    .ping_o      (ping),
    .busy_o      (pinging),
    .valid_o     (round_trip_valid),
    .too_long_o  (round_trip_too_long),
    .frames_o    (round_trip_o)
  );

  // --- incidents of the own receiver ---
  // The flag is taken one frame late: the bits of one change may arrive a frame apart, and no ask
  // may go out with the number and place of the incident before.
  logic [3:0] ask_n;
  logic [MaxIdWidth-1:0] wanted;
  logic [MaxIdWidth+3:0] asked, asked_here;
  assign asked = {rx_i.ask_n, rx_i.wanted};
  assign {ask_n, wanted} = asked_here;
  for (genvar i = 0; i < $bits(asked); i++) begin : gen_asked
    prim_sync_bit u_sync (
      .clk_i(phy_tx_clk_i),
      .rst_i(frame_rst_i),
      .d_i  (asked[i]),
      .q_o  (asked_here[i])
    );
  end

  // A receiver whose clock stands still can tell nothing: its ask of before is repeated. It has
  // been served, but the peer hears that not everything arrives, and keeps what is on its way.
  logic toggle_q, incident_q, err_q, silent_q, silent_now;
  logic [3:0] ask_n_q;
  logic [MaxIdWidth-1:0] wanted_q;
  assign incident_o = incident_q;
  assign silent_now = !alive_i && !silent_q;
  always_ff @(posedge frame_clk_i) begin
    if (frame_rst_i || !open) begin
      toggle_q <= 1'b0;
      incident_q <= 1'b0;
      err_q <= 1'b0;
      silent_q <= 1'b0;
      ask_n_q <= '0;
      wanted_q <= '0;
    end else begin
      err_q      <= err_i || !alive_i;
      silent_q   <= !alive_i;
      toggle_q   <= ask_toggle_i;
      incident_q <= ask_toggle_i != toggle_q;
      if (ask_toggle_i != toggle_q) begin
        ask_n_q  <= ask_n;
        wanted_q <= wanted;
      end
    end
  end

  // --- transmitter ---
  assign st_of_session = st_valid && open && st_belongs;
  assign st_sequence   = st.sequence_not_capabilities ? sequence_t'(st.detail) : '0;

  logic stop_seen;
  logic [3:0] answered;
  rifl_ext_tx_ctrl #(
    .IdWidth(IdWidth)
  ) u_ctrl (
    .clk_i             (frame_clk_i),
    .rst_i             (frame_rst_i || !open),
    .flow_i            (session_i.flow),
    .err_i             (err_q),
    .incident_i        (incident_q || silent_now),
    .fresh_i           (fresh_i),
    .steady_i          (steady_i),
    .stop_i            (stop_i),
    .st_valid_i        (st_of_session),
    .st_stop_i         (st.stop),
    .st_stop_seen_i    (st.stop_seen),
    .st_ping_i         (st.ping != pong),
    .st_sequence_i     (st_sequence),
    .round_trip_valid_i(round_trip_valid),
    .round_trip_busy_i (pinging),
    .round_trip_i      (round_trip_o),
    .measure_o         (measure),
    .compensate_i      (compensate_i),
    .user_valid_i      (user_valid_i),
    .frame_o           (frame_o),
    .stop_seen_o       (stop_seen),
    .answered_o        (answered),
    .served_o          (served_o),
    .breach_o          (breach)
  );
  assign peer_stop_o = stop_seen;
  always_comb begin
    report_o = seen;
    report_o.foreign |= breach;
    report_o.round_trip_valid = round_trip_valid;
    report_o.round_trip_too_long = round_trip_too_long;
  end

  // --- own announcement ---
  announcement_t own;
  sequence_t own_sequence;
  logic [CheckWidth-1:0] check;
  assign own_sequence = '{
          ask: err_q,
          ask_n: ask_n_q,
          wanted: wanted_q,
          answered: answered,
          next: frame_o.id,
          zero: '0
      };
  assign own = '{
          version: Version,
          phase: session_i.phase,
          session: session_i.session,
          lane: lane_i,
          echo: open ? session_i.partner : seen.peer,
          ping: ping,
          pong: pong,
          stop: stop_i,
          stop_seen: stop_seen,
          sequence_not_capabilities: open,
          detail: open ? DetailWidth'(own_sequence) : DetailWidth'(own_i)
      };
  prim_crc #(
    .CrcWidth (CheckWidth),
    .Poly     (CheckPoly),
    .DataWidth(KeyWidth + AnnouncementWidth)
  ) u_check (
    .crc_i ('1),
    .data_i({key_of(sent_kind_i), own}),
    .crc_o (check)
  );
  assign announcement_o = {own, check} & {WireWidth{session_i.extended}};

  // A run of plain control frames is told again with the next run.
  logic unused;
  assign unused = ^{plain_busy, rx_i.error, rx_i.ask_toggle, rx_i.fresh, rx_i.steady};

endmodule
