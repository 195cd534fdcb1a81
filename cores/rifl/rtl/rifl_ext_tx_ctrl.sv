// SPDX-License-Identifier: Apache-2.0
//
// rifl_ext_tx_ctrl: decides, once per frame, what the transmitter of a lane sends in extended mode.
//
// What      control frame, old data frame or new one; answers the peer's asks by going back to the
//           frame that is wanted; and keeps `safe`, the id before which everything has arrived, so
//           that no frame that may still be asked for leaves the buffer. What the peer cannot want
//           (an id outside of what is kept) twice in a row ends the session: breach_o.
// Contract  one decision per clock, all inputs synchronous to clk_i. frame_o belongs to the frame
//           of this very cycle; its rd_addr is the address that the buffer (registered read) must
//           be given so that the entry `id` of the next frame is there in the next cycle.
//           frame_o.user_ready does not depend on user_valid_i. rst_i while no session is open;
//           then Pause requests are sent. flow_i: both ends are up, data may flow. st_*: an
//           announcement of this session has come from the peer. round_trip_i is the length of the
//           round trip in frames while round_trip_valid_i; measure_o asks for a new measurement,
//           which follows every incident in either direction, for the line may be another one
//           since.
// Invariant head - safe <= 2^IdWidth - 1 (modulo), so ids in the buffer are unambiguous.
// Source    docs/src/rifl-extended.md, "Transmitter of a lane".

module rifl_ext_tx_ctrl
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned IdWidth = 6  // 6..12
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  input  logic                    flow_i,
  // Own receiver: an error stands; a new incident; frames follow each other.
  input  logic                    err_i,
  input  logic                    incident_i,
  input  logic                    fresh_i,
  input  logic                    steady_i,
  // Own buffer wants the peer to stop.
  input  logic                    stop_i,
  // The peer's announcement.
  input  logic                    st_valid_i,
  input  logic                    st_stop_i,
  input  logic                    st_stop_seen_i,
  input  logic                    st_ping_i,           // a new one
  input  sequence_t               st_sequence_i,       // zero if it has none
  // Round trip.
  input  logic                    round_trip_valid_i,
  input  logic                    round_trip_busy_i,
  input  logic      [IdWidth-1:0] round_trip_i,
  output logic                    measure_o,
  input  logic                    compensate_i,        // clock compensation wants one control frame
  input  logic                    user_valid_i,
  output tx_frame_t               frame_o,
  output logic                    stop_seen_o,
  output logic      [        3:0] answered_o,
  output logic                    served_o,            // an ask is answered from now on
  output logic                    breach_o
);

  localparam int unsigned SinceWidth = $clog2(SayPeriod);

  logic [IdWidth-1:0] head_q, next_q, next_d, safe_q;
  logic [3:0] served_q;
  logic peer_stop_q, peer_stop_seen_q, stop_q, urgent_q, busy_q, doubtful_q, steady_q, flow_q;
  logic [SinceWidth-1:0] since_q;

  // --- what the peer says ---
  logic new_ask, serve, in_window;
  logic [IdWidth-1:0] wanted;
  assign wanted = st_sequence_i.wanted[IdWidth-1:0];
  assign in_window = (wanted - safe_q) <= (head_q - safe_q) &&
                     st_sequence_i.wanted == MaxIdWidth'(wanted) && st_sequence_i.zero == '0;
  assign new_ask = flow_i && st_valid_i && st_sequence_i.ask && st_sequence_i.ask_n != served_q;
  assign serve = new_ask && in_window;
  assign served_o = serve;
  assign breach_o = new_ask && !in_window && doubtful_q;
  // After everything that may have another cable behind it; once more when data begin to flow, for
  // before that the peer's receiver tells no incidents. A ping that is under way when the own
  // stream breaks can only come back late.
  assign measure_o = serve || (flow_i && !flow_q) || (steady_i && !steady_q && !round_trip_busy_i);

  // --- this frame ---
  tx_state_e   state;
  frame_kind_e kind;
  logic user_ready, unconfirmed, control, resending, room, old_data, new_data;
  // Everything else is said once: a lost control frame is an error at the peer, which ends with
  // another.
  assign unconfirmed = err_i || stop_i != peer_stop_seen_q;
  assign control = !flow_i || urgent_q || compensate_i ||
                   (unconfirmed && since_q == SinceWidth'(SayPeriod - 1));
  assign resending = next_q != head_q;
  assign room = (head_q - safe_q) != '1;
  assign old_data = !control && resending;
  assign user_ready = !control && !resending && room && !peer_stop_q;
  assign new_data = user_ready && user_valid_i;

  always_comb begin
    if (rst_i) kind = FrPause;
    else if (old_data) kind = FrReplay;
    else if (new_data) kind = FrUser;
    else if (err_i) kind = FrRetrans;
    else kind = FrIdle;
  end
  always_comb begin
    if (rst_i) state = StSendPause;
    else if (!flow_i) state = StPause;
    else if (resending) state = StRetrans;
    else if (err_i) state = StSendRetrans;
    else state = StNormal;
  end

  logic data_frame;
  assign data_frame = old_data || new_data;
  assign stop_seen_o = peer_stop_q;
  assign answered_o = served_q;
  assign next_d = serve ? wanted : next_q + IdWidth'(data_frame);
  assign frame_o = '{
          link_up: flow_i,
          state: state,
          kind: kind,
          slack: !data_frame,
          bound: data_frame,
          user_ready: user_ready,
          id: MaxIdWidth'(next_q),
          wr_en: new_data,
          wr_addr: MaxIdWidth'(next_q),
          rd_addr: MaxIdWidth'(next_d)
      };

  // --- where the line stood one round trip ago ---
  logic [IdWidth-1:0] now_q, unbroken_q, line_then;
  prim_ram_1r1w #(
    .Width(IdWidth),
    .Depth(1 << IdWidth)
  ) u_line (
    .clk_i    (clk_i),
    .wr_en_i  (1'b1),
    .wr_addr_i(now_q),
    .wr_data_i(next_q),
    .rd_en_i  (1'b1),
    .rd_addr_i(now_q - round_trip_i),
    .rd_data_o(line_then)
  );

  // Positions from before the line jumped back say nothing about what is there now, and the memory
  // was read with the length of the cycle before.
  logic known, measured_q;
  assign known = fresh_i && steady_q && flow_q && round_trip_valid_i && measured_q &&
                 unbroken_q > round_trip_i;

  always_ff @(posedge clk_i) begin
    now_q <= now_q + 1'b1;
    stop_q <= stop_i;
    busy_q <= round_trip_busy_i;
    measured_q <= round_trip_valid_i;
    steady_q <= steady_i;
    if (rst_i) begin
      now_q <= '0;
      head_q <= '0;
      next_q <= '0;
      safe_q <= '0;
      unbroken_q <= '0;
      served_q <= '0;
      doubtful_q <= 1'b0;
      flow_q <= 1'b0;
      peer_stop_q <= 1'b0;
      peer_stop_seen_q <= 1'b0;
      urgent_q <= 1'b1;  // the peer has to hear that this end is up
      since_q <= '0;
    end else begin
      next_q <= next_d;
      flow_q <= flow_i;
      if (new_data) head_q <= head_q + 1'b1;

      if (serve) unbroken_q <= '0;
      else if (unbroken_q != '1) unbroken_q <= unbroken_q + 1'b1;

      if (serve) begin
        safe_q   <= wanted;
        served_q <= st_sequence_i.ask_n;
      end else if (known) begin
        safe_q <= line_then;
      end

      if (st_valid_i) begin
        doubtful_q <= new_ask && !in_window;
        peer_stop_q <= st_stop_i;
        peer_stop_seen_q <= st_stop_seen_i;
      end

      if (incident_i || serve || stop_i != stop_q || (round_trip_busy_i && !busy_q) ||
          (st_valid_i && (st_ping_i || st_stop_i != peer_stop_q))) begin
        urgent_q <= 1'b1;
      end else if (control) begin
        urgent_q <= 1'b0;
      end

      if (control) since_q <= '0;
      else if (since_q != '1) since_q <= since_q + 1'b1;
    end
  end

  // Looked at by the receiver.
  logic unused;
  assign unused = ^{st_sequence_i.answered, st_sequence_i.next};

endmodule
