// SPDX-License-Identifier: Apache-2.0
//
// rifl_tx_ctrl: decides, once per frame, what the transmitter of a lane sends.
//
// What      the six states of RIFL in order of priority (a higher one interrupts a lower one, and a
//           retransmission goes on where it was interrupted), the frame id, and the procedure that
//           sends the retransmission buffer again. The state diagram is in cores/rifl/README.md.
// Contract  one decision per clock. All inputs are synchronous to clk_i. frame_o belongs to the
//           frame of this very cycle; its rd_addr is the address that the buffer (registered read)
//           must be given so that the entry `id` of the next frame is there in the next cycle. Ids
//           count data frames; a control frame carries the id of the next data frame.
//
// Repairs of the published protocol that do not change the wire format:
// * Once the buffer holds 2^IdWidth sent frames the oldest is never sent again: its id equals that
//   of the next new frame, and a receiver that is up to date would take it for that frame. Before,
//   every entry is a frame without user data, and all are sent, so that a receiver that waits for
//   id 0 finds it.
// * Resend is back to back unless the local receiver is in error (then every other frame is a
//   Retransmit request), and the tail ends as soon as the peer has stopped asking, not after a
//   fixed time. If the peer still asks after TailFrames, which exceed any permitted round trip, the
//   procedure starts again.
// * User data waits for 2^IdWidth data frames really sent, not for as many cycles; stop and resume
//   wait for 16, because a published receiver never delivers these.
// * When the own error has cleared in the middle of a resend, two Idles say so: a published peer
//   would need a run of data to stop believing in the request, longer than its tail may leave it.
//   One alone may come with a damaged header, which looks like data.
// * A Retransmit request is sent in PAUSE too, so that a peer which asked for the pause and has
//   since come up learns of it before it has sent a buffer full of new frames.
// * The Idle frames before new data follow every interruption, not only the receiver's own error.
// Limits    round trip (frames, pipelines included) <= 2^IdWidth - 32 if the peer is this core,
//           too; towards a published one <= 2^(IdWidth-1) - 2, for its tail has a fixed length.
// Source    RIFL paper, section 4.A, 4.C; published core for the windows of 2^IdWidth frames.

module rifl_tx_ctrl
  import rifl_pkg::*;
#(
  parameter int unsigned IdWidth = 6  // 6..12
) (
  input  logic      clk_i,
  input  logic      rst_i,
  // Receiver flags.
  input  logic      rx_up_i,
  input  logic      rx_error_i,
  input  logic      pause_req_i,
  input  logic      retrans_req_i,
  // Flow control: the local buffer wants the peer to stop; the peer wants us to stop.
  input  logic      local_fc_i,
  input  logic      remote_fc_i,
  input  logic      compensate_i,   // clock compensation wants one control frame
  output tx_frame_t frame_o
);

  localparam int unsigned Frames = 1 << IdWidth;
  localparam int unsigned TailFrames = Frames - 16;
  localparam int unsigned RequestEnds = 2;

  // Procedure of a retransmission.
  typedef enum logic [1:0] {
    PhOff,
    PhReplay,
    PhTail
  } phase_e;

  logic [IdWidth:0] init_left_q;  // entries of the buffer still to be cleared
  logic [IdWidth-1:0] id_q, id_d;
  logic filled_q;  // 2^IdWidth data frames have been sent
  phase_e phase_q, phase_d;
  logic [IdWidth:0] left_q, left_d;  // frames left of the phase
  logic request_sent_q, request_sent_d;  // the last frame of the replay was a request
  logic [IdWidth:0] resume_left_q;  // Idle frames left before user data after a local error
  // A one for each Idle that is still to say that own requests have ended.
  logic [RequestEnds-1:0] ends_q;
  logic fc_sent_q;  // flow-control state the peer was told

  tx_state_e state;
  frame_kind_e kind;
  logic user_ready;
  logic initialising, start, data_frame, new_data, fc_pending, settled;

  assign initialising = init_left_q != 0;
  assign fc_pending   = local_fc_i != fc_sent_q;
  // A published receiver never delivers the first frames after a reset: nothing that matters may be
  // one.
  assign settled      = filled_q || id_q >= IdWidth'(Rollback);

  always_comb begin
    if (initialising) state = StInit;
    else if (!rx_up_i) state = StSendPause;
    else if (pause_req_i) state = StPause;
    else if (retrans_req_i || phase_q != PhOff) state = StRetrans;
    else if (rx_error_i) state = StSendRetrans;
    else state = StNormal;
  end

  // Retransmission: the start is taken from idle and, if the peer goes on asking, from the tail.
  assign start = (state == StRetrans) &&
                 (phase_q == PhOff || (phase_q == PhTail && retrans_req_i && left_q == 0));

  // With an own error every other frame is a request; without one Idles come first, if what the
  // peer has heard last was a request, so that it does not go on believing in it.
  logic replay_frame;
  assign replay_frame = (state == StRetrans) && (phase_q == PhReplay) && !compensate_i &&
      ((rx_error_i && request_sent_q) || (!rx_error_i && !ends_q[0]));

  always_comb begin
    phase_d = phase_q;
    left_d = left_q;
    request_sent_d = request_sent_q;
    if (state == StRetrans) begin
      unique case (phase_q)
        PhReplay: begin
          if (replay_frame) request_sent_d = 1'b0;
          else if (rx_error_i && !compensate_i) request_sent_d = 1'b1;
          if (replay_frame) begin
            left_d = left_q - 1'b1;
            if (left_q == 1) begin
              phase_d = PhTail;
              left_d  = (IdWidth + 1)'(TailFrames);
            end
          end
        end
        PhTail: begin
          if (!retrans_req_i) phase_d = PhOff;
          else left_d = left_q - 1'b1;
        end
        default: ;
      endcase
      if (start) begin
        phase_d = PhReplay;
        left_d = (IdWidth + 1)'(Frames) - (IdWidth + 1)'(filled_q);
        request_sent_d = 1'b0;
      end
    end
  end

  // After any of these the peer may be busy resending, or still ask for a resend that is not yet
  // seen.
  logic interrupted, window_idle;
  assign interrupted = state == StSendPause || state == StPause || (rx_error_i && state != StInit);

  // What stands in for data: our own request, if there is one, is never held back.
  frame_kind_e quiet_kind;
  assign quiet_kind = rx_error_i ? FrRetrans : FrIdle;

  always_comb begin
    new_data = 1'b0;
    window_idle = 1'b0;
    user_ready = 1'b0;
    unique case (state)
      StInit, StSendPause: kind = FrPause;
      StPause: kind = quiet_kind;
      StRetrans: kind = replay_frame ? FrReplay : quiet_kind;
      StSendRetrans: kind = FrRetrans;
      default: begin
        new_data = 1'b1;
        if (compensate_i) begin
          kind = FrIdle;
          new_data = 1'b0;
        end else if (!settled) begin
          kind = FrUser;
        end else if (fc_pending) begin
          kind = local_fc_i ? FrFcStop : FrFcResume;
        end else if (remote_fc_i || resume_left_q != 0) begin
          kind = FrIdle;
          new_data = 1'b0;
          window_idle = 1'b1;
        end else begin
          kind = FrUser;
          user_ready = filled_q;
        end
      end
    endcase
  end

  logic [IdWidth-1:0] id_step;
  assign data_frame = new_data || replay_frame;
  assign id_step = IdWidth'(start ? filled_q : data_frame);
  assign id_d = id_q + id_step;

  assign frame_o = '{
          link_up: rx_up_i && filled_q,
          state: state,
          kind: kind,
          slack: !data_frame,
          bound: 1'b0,
          user_ready: user_ready,
          id: MaxIdWidth'(id_q),
          wr_en: initialising || new_data,
          wr_addr: MaxIdWidth'(initialising ? init_left_q[IdWidth-1:0] : id_q),
          rd_addr: MaxIdWidth'(id_d)
      };

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      init_left_q <= (IdWidth + 1)'(Frames);
      id_q <= '0;
      filled_q <= 1'b0;
      phase_q <= PhOff;
      left_q <= '0;
      request_sent_q <= 1'b0;
      resume_left_q <= '0;
      ends_q <= '0;
      fc_sent_q <= 1'b0;
    end else begin
      if (initialising) init_left_q <= init_left_q - 1'b1;
      id_q <= id_d;
      if (new_data && &id_q) filled_q <= 1'b1;
      phase_q <= phase_d;
      left_q <= left_d;
      request_sent_q <= request_sent_d;
      if (interrupted) begin
        resume_left_q <= (IdWidth + 1)'(Frames);
      end else if (window_idle && resume_left_q != 0) begin
        resume_left_q <= resume_left_q - 1'b1;
      end
      if (kind == FrRetrans) ends_q <= '1;
      else if (kind == FrIdle) ends_q <= ends_q >> 1;
      if (kind == FrFcStop || kind == FrFcResume) fc_sent_q <= local_fc_i;
    end
  end

endmodule
