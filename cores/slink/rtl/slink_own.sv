// SPDX-License-Identifier: Apache-2.0
//
// slink_own: an operation of this end on the memory of the other one, and how it went.
//
// What      Sends the request, waits for the answer, tries again. README.md, "Operations".
// Contract  start_i: begin, while busy_o is 0 and rst_i is 0. operation_i stays until busy_o is 0 again; busy_o is 1 from the next cycle
//           on. number_i: the next one of its kind, used up with allot_o. It waits for the session: up_i; forget_i: another one begins. renew_o: this end gives up and wants another one.
//           header_valid_i to damaged_i: as slink_rx tells them. beat_i: one of data. overflow_i: the beat of this cycle, that
//           take_o wanted, was lost.
//           begin_o: the beats that take_o chooses go to it; only while free_i, which is 1 when an address can be
//           taken. idle_i: all is written. fault_i: a write of this cycle has failed.
//           pause_i: data wait for one of both memories, and the timer begins anew.
//           m side: the request, taken with m_ready_i. sent_i: it has been sent; sent_beat_i: a beat of it; spoilt_i with sent_i:
//           the memory had no data for it.
//           status_o holds from the end of an operation to the start of the next one; retries and progress (beats of this try,
//           modulo 65536) count all the time. Each Timeout without a session counts as a retry, too.
// Latency   1 cycle from start_i to m_valid_o.
//
// Parameters  Timeout  cycles without an answer and without data until the request is sent again, >= 64; more than the round trip and
//                      both memories take
//             Several  another operation may be under way: a write that follows a damaged one comes again behind it
//             Retries  how often it is sent again, 1 .. 31

module slink_own
  import slink_pkg::*;
#(
  parameter bit Several = 1'b0,
  parameter int unsigned Timeout = 4096,
  parameter int unsigned Retries = 16
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             start_i,
  input  operation_t       operation_i,
  input  logic       [3:0] number_i,
  output logic             allot_o,
  output logic             busy_o,
  output status_t          status_o,
  input  logic             up_i,
  input  logic             forget_i,
  output logic             renew_o,
  input  logic             header_valid_i,
  input  header_t          header_i,
  input  logic             beat_i,
  input  logic             pause_i,
  input  logic             end_i,
  input  logic             clean_i,
  input  logic             damaged_i,
  input  logic             overflow_i,
  input  logic             free_i,
  input  logic             idle_i,
  input  logic             fault_i,
  output logic             begin_o,
  output logic             take_o,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output header_t          m_header_o,
  input  logic             sent_i,
  input  logic             sent_beat_i,
  input  logic             spoilt_i
);

  if (Timeout < 64) begin : gen_bad_timeout
    $error("slink_own %m: Timeout must be at least 64, got %0d", Timeout);
  end
  if (Retries < 1 || Retries > 31) begin : gen_bad_retries
    $error("slink_own %m: Retries must be 1 to 31, got %0d", Retries);
  end

  localparam int unsigned TimerWidth = $clog2(Timeout);

  typedef enum logic [2:0] {
    Idle,
    Ready,    // to be sent
    Sending,
    Waiting,  // for the answer
    Draining  // read data are here
  } state_e;

  typedef enum logic [1:0] {
    None,
    Done,
    Refused,
    Damaged
  } answer_e;

  state_e state_q;
  answer_e answer, answer_q;
  logic [3:0] number_q, number, behind;
  logic follows;  // this is an answer to an older write
  logic [TimerWidth-1:0] timer_q;
  logic tried_q;  // it has been sent
  logic open_q, bad, mine, numbered, late, lost, again, fails, finish, begins;
  status_t status_q;

  assign numbered = operation_i.read || operation_i.crc;
  assign bad = operation_i.lanes > 3'd2 || operation_i.remote_address[2:0] != '0 ||
      operation_i.local_address[2:0] != '0;
  assign number = tried_q ? number_q : number_i;
  assign allot_o = m_ready_i && numbered && !tried_q;

  always_comb begin
    m_header_o                                      = '0;
    m_header_o.read                                 = operation_i.read;
    m_header_o.kind                                 = KindRequest;
    m_header_o.crc                                  = operation_i.crc;
    m_header_o.lanes                                = operation_i.lanes;
    m_header_o.beats                                = operation_i.beats;
    m_header_o.address                              = operation_i.remote_address[31:3];
    {m_header_o.number_high, m_header_o.number_low} = number;
  end

  // ---- Answers ----
  assign behind = number_q - {header_i.number_high, header_i.number_low};
  assign follows = Several && header_valid_i && up_i && !header_i.read && !operation_i.read &&
      operation_i.crc && behind != '0 && !behind[3];
  assign mine = header_valid_i && up_i && header_i.read == operation_i.read &&
      {header_i.number_high, header_i.number_low} == number_q;

  always_comb begin
    answer = answer_q;
    if (mine && header_i.kind == KindDone && !operation_i.read) answer = Done;
    if (follows && header_i.kind == KindNotice && header_i.address[4:0] == NoticeDamaged)
      answer = Damaged;
    if (mine && header_i.kind == KindNotice) begin
      if (header_i.address[4:0] == NoticeRefused) answer = Refused;
      if (header_i.address[4:0] == NoticeDamaged && !operation_i.read) answer = Damaged;
    end
  end

  assign begins = mine && header_i.kind == KindData && state_q == Waiting && operation_i.read &&
      header_i.beats == operation_i.beats && header_i.crc == operation_i.crc;
  assign begin_o = begins && free_i;
  assign take_o = open_q;

  // ---- What becomes of it ----
  assign late = timer_q == '0 && answer_q == None &&
      (state_q == Waiting || (state_q == Ready && !up_i));
  assign lost = (open_q && (damaged_i || overflow_i)) || (begins && !free_i);
  assign again = state_q == Waiting && (answer_q == Damaged || lost) || late;
  assign fails = again && status_q.retries == 8'(Retries);
  assign renew_o = fails;

  always_comb begin
    finish = fails;
    unique case (state_q)
      Ready:    finish |= forget_i && (tried_q || m_ready_i);
      Sending:  finish |= forget_i || (sent_i && !numbered);
      Waiting: begin
        finish |= forget_i || answer_q == Done || answer_q == Refused;
        finish |= open_q && end_i && !clean_i;
      end
      Draining: finish |= idle_i;
      default:  ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q  <= Idle;
      open_q   <= 1'b0;
      status_q <= '0;
    end else begin
      if (header_valid_i || end_i || damaged_i || overflow_i) open_q <= 1'b0;
      if (begin_o) open_q <= 1'b1;
      if (sent_beat_i || (open_q && beat_i)) status_q.progress <= status_q.progress + 1'b1;
      if (fault_i && operation_i.read && state_q != Idle) status_q.refused <= 1'b1;

      unique case (state_q)
        Idle: begin
          if (start_i) begin
            status_q         <= '0;
            status_q.refused <= bad;
            if (!bad) state_q <= Ready;
          end
        end
        Ready: begin
          if (m_ready_i) begin
            state_q           <= Sending;
            status_q.progress <= '0;
          end
        end
        Sending: if (sent_i) state_q <= Waiting;
        Waiting: if (open_q && end_i) state_q <= Draining;
        default: ;
      endcase

      if (again) begin
        state_q          <= Ready;
        open_q           <= 1'b0;
        status_q.damaged <= status_q.damaged || !late;
        if (!fails) status_q.retries <= status_q.retries + 1'b1;
      end

      if (finish) begin
        state_q <= Idle;
        open_q  <= 1'b0;
        unique case (state_q)
          Draining: status_q.done <= !status_q.refused && !fault_i;
          Sending: begin
            status_q.done    <= !spoilt_i && !forget_i;
            status_q.refused <= spoilt_i;
            status_q.reset   <= forget_i;
          end
          default: begin
            status_q.done      <= state_q == Waiting && answer_q == Done && !forget_i;
            status_q.refused   <= answer_q == Refused && !forget_i;
            status_q.damaged   <= status_q.damaged || (fails && !late) || (open_q && end_i);
            status_q.exhausted <= fails && !late;
            status_q.silent    <= fails && late;
            status_q.reset     <= forget_i && !fails;
          end
        endcase
      end
    end

    if (state_q == Idle) tried_q <= 1'b0;
    else if (m_ready_i) tried_q <= 1'b1;
    if (m_ready_i) number_q <= number;

    answer_q <= (state_q == Sending || state_q == Waiting) ? answer : None;

    if (state_q == Idle || m_valid_o || state_q == Sending || late || beat_i || pause_i)
      timer_q <= TimerWidth'(Timeout - 1);
    else if (timer_q != '0) timer_q <= timer_q - 1'b1;
  end

  assign busy_o    = state_q != Idle;
  assign m_valid_o = state_q == Ready && up_i;
  assign status_o  = status_q;

  logic unused;
  assign unused = &{header_i.lanes, header_i.code, header_i.address[28:5]};

endmodule
