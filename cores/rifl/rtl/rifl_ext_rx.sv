// SPDX-License-Identifier: Apache-2.0
//
// rifl_ext_rx: order and errors of one lane in extended mode, and the peer's announcements.
//
// What      while a session is open, delivers data frames that verify against the awaited id, and
//           after an error nothing until a control frame answers the incident and names the awaited
//           frame. Valid announcements go out, in and out of sessions. Runs of control frames
//           without announcement are recognised: a published peer.
// Contract  clock of the received words. The frame_* inputs belong to the clock of the last word of
//           a frame; frames are two words or longer. deliver_o and keep_o belong to the same clock.
//           Control frames are judged one clock later. Without frame_strong_i only capabilities are
//           heard, and not as part of the session. Delayed release (delayed_i, which may change
//           at any time): a data frame is kept (keep_o) until the frame behind it is good as well,
//           which releases it (release_o, before what keep_o may say in the same clock); if that
//           one is an error, the kept frame is forgotten and requested again. What would be
//           delivered without room_i is an error, too, and comes again. deliver_o: this data
//           frame is delivered at once. deliver_o and release_o exclude each other. open_i,
//           session_i and peer_session_i are quasi-static: they change only while nothing is
//           received that depends on them (session numbers before open_i rises). enable_i: the lane
//           is up (aligned for long enough). ext_o:
//   announced, announcement  a valid one has come; it stands until ready_i or until a newer one
//                            comes, so that the newest is never lost
//   plain                    one clock for each run of control frames without any
//   error                    the lane is in error
//   ask_toggle, ask_n, wanted  ask_n and wanted stand still behind each change of ask_toggle for
//                            long enough to be sampled in another clock behind the synchronised
//                            toggle
//   fresh                    the last FreshRun frames followed each other and none of them asked
//   steady                   the same, asks or not, and the answer to the own ask is no gap
// Limits    a damaged frame verifies by chance once in 2^12 (see the limits page).
// Source    docs/src/rifl-extended.md, "Receiver of a lane".

module rifl_ext_rx
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned IdWidth = 6  // 6..12
) (
  input logic clk_i,
  input logic rst_i,
  input logic enable_i,
  input logic open_i,
  input logic [2:0] lane_i,
  input logic [15:0] session_i,
  input logic [15:0] peer_session_i,

  input logic frame_i,
  input logic frame_control_i,
  input logic frame_data_i,
  input logic frame_plausible_i,  // the code belongs to some id
  input logic frame_strong_i,  // the stronger code fits, too, or there is none
  input logic [IdWidth-1:0] frame_id_i,  // this one
  input logic frame_key_known_i,
  input logic [KeyWidth-1:0] frame_key_i,
  input logic [WireWidth-1:0] frame_announcement_i,

  input logic room_i,  // for a frame that is delivered or released in this clock
  input logic delayed_i,
  output logic deliver_o,
  output logic keep_o,
  output logic release_o,

  output ext_rx_t ext_o,
  input  logic    ready_i
);

  // --- one clock behind the frame: is there a valid announcement? ---
  logic frame_q, control_q, data_q, plausible_q, strong_q, key_known_q, matches_q;
  logic [IdWidth-1:0] id_q;
  logic [KeyWidth-1:0] key_q;
  logic [WireWidth-1:0] wire_q;
  logic [CheckWidth-1:0] check;
  logic [IdWidth-1:0] awaited_q, wanted_q;  // T; T of the last incident
  logic err_q, lost_q, ask_toggle_q;
  logic [3:0] ask_n_q;

  prim_crc #(
    .CrcWidth (CheckWidth),
    .Poly     (CheckPoly),
    .DataWidth(KeyWidth + AnnouncementWidth)
  ) u_check (
    .crc_i ('1),
    .data_i({key_q, wire_q[WireWidth-1:CheckWidth]}),
    .crc_o (check)
  );

  announcement_t announcement;
  logic control_plausible, named_twice, announced, plain, of_session, taken, asks, answers;
  assign announcement = wire_q[WireWidth-1:CheckWidth];
  assign control_plausible = frame_q && enable_i && control_q && plausible_q && key_known_q;
  // A sequence names the data frame behind once more: one flipped bit of the code names another
  // one.
  assign named_twice       = !announcement.sequence_not_capabilities ||
                             (announcement.detail[NextBit+:MaxIdWidth] == MaxIdWidth'(id_q) &&
                              strong_q);
  assign announced         = control_plausible && check == wire_q[CheckWidth-1:0] &&
                             announcement.version == Version && named_twice;
  assign plain = control_plausible && wire_q == '0;
  assign of_session = belongs(
      {
        announcement.session, announcement.echo, announcement.lane
      },
      session_i,
      peer_session_i,
      lane_i
  );
  assign taken = announced && of_session && strong_q;
  assign answers = announcement.sequence_not_capabilities &&
                   announcement.detail[AnsweredBit+:4] == ask_n_q;
  assign asks = announcement.sequence_not_capabilities && announcement.detail[AskBit];

  logic waiting_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || (frame_i && frame_control_i)) waiting_q <= 1'b0;
    else if (announced || waiting_q) waiting_q <= !ready_i;
  end

  // --- order ---
  logic [IdWidth-1:0] err_left_q, missed;
  logic data_good, data_bad, control_good, control_bad, bad, over, expired, back;
  logic accept, kept_q;

  assign data_good    = frame_data_i && frame_plausible_i && frame_id_i == awaited_q && room_i;
  assign data_bad     = frame_i && !err_q && !frame_control_i && !data_good;
  assign control_good = taken && matches_q && (room_i || !kept_q);
  assign control_bad  = frame_q && !err_q && control_q && !control_good;
  assign bad          = open_i && (data_bad || control_bad || (!enable_i && !err_q));
  assign over         = err_q && control_good && answers;
  assign expired      = err_q && frame_i && enable_i && err_left_q == '0;
  assign back         = lost_q && enable_i;
  assign accept       = frame_i && enable_i && open_i && !err_q && data_good;
  // One frame at a time: what follows a kept one is kept, too, until a control frame comes.
  assign keep_o       = accept && (delayed_i || kept_q);
  assign deliver_o    = accept && !keep_o;
  assign release_o    = kept_q && open_i && (accept || control_good);
  assign missed       = awaited_q - IdWidth'(kept_q);

  always_ff @(posedge clk_i) begin
    frame_q <= frame_i;
    if (frame_i) begin
      control_q   <= frame_control_i;
      data_q      <= frame_data_i;
      plausible_q <= frame_plausible_i;
      strong_q    <= frame_strong_i;
      key_known_q <= frame_key_known_i;
      id_q        <= frame_id_i;
      key_q       <= frame_key_i;
      if (frame_control_i) wire_q <= frame_announcement_i;
      matches_q <= frame_id_i == awaited_q;
    end

    if (rst_i || !open_i) begin
      awaited_q <= '0;
      kept_q <= 1'b0;
      err_q <= 1'b0;
      lost_q <= 1'b0;
      err_left_q <= '1;
      ask_toggle_q <= 1'b0;
      ask_n_q <= '0;
      wanted_q <= '0;
    end else begin
      if (accept) awaited_q <= awaited_q + 1'b1;
      if (keep_o) kept_q <= 1'b1;
      else if (release_o) kept_q <= 1'b0;
      lost_q <= !enable_i;
      if (bad || expired || back) begin
        err_q <= 1'b1;
        err_left_q <= '1;
        ask_toggle_q <= !ask_toggle_q;
        ask_n_q <= ask_n_q + 1'b1;
        wanted_q <= missed;
        awaited_q <= missed;
        kept_q <= 1'b0;
      end else if (over) begin
        err_q <= 1'b0;
      end else if (err_q && frame_i) begin
        err_left_q <= err_left_q - 1'b1;
      end
    end
  end

  // --- do the peer's frames follow each other? ---
  logic [IdWidth-1:0] promised_q;  // id that the next frame has to name
  // As many ones as frames; the last one is a register that another clock may look at.
  logic [FreshRun-1:0] run_q, steady_run_q;
  logic follows;
  assign follows = plausible_q && id_q == promised_q && (data_q || taken);

  always_ff @(posedge clk_i) begin
    if (rst_i || !open_i || !enable_i) begin
      run_q <= '0;
      steady_run_q <= '0;
      promised_q <= '0;
    end else if (frame_q) begin
      if (!follows && !over) steady_run_q <= '0;
      else steady_run_q <= {steady_run_q[FreshRun-2:0], 1'b1};
      if (!follows || (control_q && asks)) run_q <= '0;
      else run_q <= {run_q[FreshRun-2:0], 1'b1};
      if (plausible_q) promised_q <= id_q + IdWidth'(data_q);
    end
  end

  // --- a published peer ---
  logic plain_run;
  logic [PlainRun-2:0] plain_q;  // as many ones as frames
  assign plain_run = plain && plain_q[PlainRun-2];
  always_ff @(posedge clk_i) begin
    if (rst_i || !enable_i || announced || plain_run) plain_q <= '0;
    else if (plain) plain_q <= {plain_q[PlainRun-3:0], 1'b1};
  end

  assign ext_o = '{
          announced: announced || waiting_q,
          announcement: announcement,
          plain: plain_run,
          error: err_q,
          ask_toggle: ask_toggle_q,
          ask_n: ask_n_q,
          wanted: MaxIdWidth'(wanted_q),
          fresh: run_q[FreshRun-1],
          steady: steady_run_q[FreshRun-1]
      };

endmodule
