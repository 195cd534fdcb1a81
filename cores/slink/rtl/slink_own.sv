// SPDX-License-Identifier: Apache-2.0
//
// slink_own: an operation of this end on the memory of the other one, and how it went.
//
// What      Sends the request, waits for the answer, tries again. README.md, "Operations".
// Contract  start_i: begin, while busy_o is 0 and rst_i is 0. operation_i stays until busy_o is 0
//           again; busy_o is 1 from the next cycle on. It waits for the session.
//           number_i: the next one of its kind, used up with allot_o.
//           renew_o: this end gives up and wants another session.
//           begin_o, take_o: as begins and take of place_t; begin_o only while link_i.free.
//           m side: the request, taken with m_ready_i; sent_i says what becomes of it.
//           status_o holds from the end of an operation to the start of the next one; retries and
//           progress (beats of this try, modulo 65536) count all the time. Each Timeout without a
//           session counts as a retry, too. link_i.pause begins the timer anew.
// Clocks and resets  clk_i; rst_i synchronous.
// Latency   1 cycle from start_i to m_valid_o.
//
// Parameters  Several  another operation may be under way: a write that follows a damaged one
//                      comes again behind it
//             Timeout  cycles without an answer and without data until the request is sent again,
//                      >= 64; more than the round trip and both memories take
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
  input  link_t            link_i,
  output logic             renew_o,
  output logic             begin_o,
  output logic             take_o,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output header_t          m_header_o,
  input  sent_t            sent_i
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

  rx_t rx;
  header_t header;
  assign rx     = link_i.rx;
  assign header = rx.data;

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
  assign behind = number_q - {header.number_high, header.number_low};
  assign follows = Several && rx.header_valid && link_i.up && !header.read && !operation_i.read &&
      operation_i.crc && behind != '0 && !behind[3];
  assign mine = rx.header_valid && link_i.up && header.read == operation_i.read &&
      {header.number_high, header.number_low} == number_q;

  always_comb begin
    answer = answer_q;
    if (mine && header.kind == KindDone && !operation_i.read) answer = Done;
    if (follows && header.kind == KindNotice && header.address[4:0] == NoticeDamaged)
      answer = Damaged;
    if (mine && header.kind == KindNotice) begin
      if (header.address[4:0] == NoticeRefused) answer = Refused;
      if (header.address[4:0] == NoticeDamaged && !operation_i.read) answer = Damaged;
    end
  end

  assign begins = mine && header.kind == KindData && state_q == Waiting && operation_i.read &&
      header.beats == operation_i.beats && header.crc == operation_i.crc;
  assign begin_o = begins && link_i.free;
  assign take_o = open_q;

  // ---- What becomes of it ----
  assign late = timer_q == '0 && answer_q == None &&
      (state_q == Waiting || (state_q == Ready && !link_i.up));
  assign lost = (open_q && (rx.damaged || link_i.overflow)) || (begins && !link_i.free);
  assign again = state_q == Waiting && (answer_q == Damaged || lost) || late;
  assign fails = again && status_q.retries == 8'(Retries);
  assign renew_o = fails;

  always_comb begin
    finish = fails;
    unique case (state_q)
      Ready:    finish |= link_i.forget && (tried_q || m_ready_i);
      Sending:  finish |= link_i.forget || (sent_i.ends && !numbered);
      Waiting: begin
        finish |= link_i.forget || answer_q == Done || answer_q == Refused;
        finish |= open_q && rx.ends && !rx.clean;
      end
      Draining: finish |= link_i.idle;
      default:  ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q  <= Idle;
      open_q   <= 1'b0;
      status_q <= '0;
    end else begin
      if (rx.header_valid || rx.ends || rx.damaged || link_i.overflow) open_q <= 1'b0;
      if (begin_o) open_q <= 1'b1;
      if (sent_i.beat || (open_q && rx.data_valid)) status_q.progress <= status_q.progress + 1'b1;
      if (link_i.fault && operation_i.read && state_q != Idle) status_q.refused <= 1'b1;

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
        Sending: if (sent_i.ends) state_q <= Waiting;
        Waiting: if (open_q && rx.ends) state_q <= Draining;
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
          Draining: status_q.done <= !status_q.refused && !link_i.fault;
          Sending: begin
            status_q.done    <= !sent_i.spoilt && !link_i.forget;
            status_q.refused <= sent_i.spoilt;
            status_q.reset   <= link_i.forget;
          end
          default: begin
            status_q.done      <= state_q == Waiting && answer_q == Done && !link_i.forget;
            status_q.refused   <= answer_q == Refused && !link_i.forget;
            status_q.damaged   <= status_q.damaged || (fails && !late) || (open_q && rx.ends);
            status_q.exhausted <= fails && !late;
            status_q.silent    <= fails && late;
            status_q.reset     <= link_i.forget && !fails;
          end
        endcase
      end
    end

    if (state_q == Idle) tried_q <= 1'b0;
    else if (m_ready_i) tried_q <= 1'b1;
    if (m_ready_i) number_q <= number;

    answer_q <= (state_q == Sending || state_q == Waiting) ? answer : None;

    if (state_q == Idle || m_valid_o || state_q == Sending || late || rx.data_valid || link_i.pause)
      timer_q <= TimerWidth'(Timeout - 1);
    else if (timer_q != '0) timer_q <= timer_q - 1'b1;
  end

  assign busy_o    = state_q != Idle;
  assign m_valid_o = state_q == Ready && link_i.up;
  assign status_o  = status_q;

  logic unused;
  assign unused = &{header, rx, link_i};

endmodule
