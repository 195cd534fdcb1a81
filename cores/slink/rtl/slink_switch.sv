// SPDX-License-Identifier: Apache-2.0
//
// slink_switch: both ends change the mode of the line together: speed, lanes in use, line code.
//
// What      Asks the other end for a mode, or answers it; when both have no operation under way,
//           falls silent, changes, and waits for a new session as the proof that the mode works in
//           both directions; else goes back. README.md, "Change of the line's mode".
// Why       The word that says "now" cannot be known to have arrived. Silence is that word: the end
//           that asked is silent when the other one has agreed, and that one changes when it hears
//           nothing more. Whoever was mistaken finds no session, and goes back.
// Contract  cfg_i: start is taken while rst_i stands; ask is passed over while busy. status_o: a
//           result is also that of a change which the other end wanted; line changes with the
//           begin of silent.
//           operating_i: an operation of this end is under way; none is started while busy, so it
//           stays 0 as soon as those under way have ended.
//           up_i, session_i, peer_i: of slink_session; renew_o: a new session begins. aligned_i:
//           the receiver has all its lanes. alive_i: data arrive or wait for a memory, so that
//           questions and answers may be late.
//           header_valid_i, header_i, m side: as in slink_session.
// Clocks and resets  clk_i; rst_i synchronous.
// Latency   a change takes the end of the operations, the way there and back, Gap cycles, and the
//           start of the lanes and of a session.
// Limits    The other end answers within 2 Tries periods, or the change ends as silent. Data that
//           keep its answer waiting count for 32 Tries periods at most. A mode
//           comes up within Tries periods, or it is left again; a mode that is not that of the
//           start and has no session for 2 Tries periods is left for that of the start.
//
// Parameters  Period  cycles from one question to the next, as in slink_session; at least Gap
//             Tries   periods, see above; 2 .. 64
//             Gap     cycles of silence, in which the other end's receiver loses its lanes also if
//                     they begin again in the same mode where they would have gone on: 16 wrong
//                     headers in a window of 64 blocks, half of which noise gets right

module slink_switch
  import slink_pkg::*;
#(
  parameter int unsigned Period = 4096,
  parameter int unsigned Tries  = 8,
  parameter int unsigned Gap    = 512
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  line_cfg_t           cfg_i,
  output line_status_t        status_o,
  input  logic                operating_i,
  input  logic                up_i,
  input  logic         [11:0] session_i,
  input  logic         [11:0] peer_i,
  output logic                renew_o,
  input  logic                aligned_i,
  input  logic                alive_i,
  input  logic                header_valid_i,
  input  header_t             header_i,
  output logic                m_valid_o,
  input  logic                m_ready_i,
  output header_t             m_header_o
);

  if (Period < Gap) begin : gen_bad_period
    $error("slink_switch %m: Period must be at least %0d, got %0d", Gap, Period);
  end
  if (Tries < 2 || Tries > 64) begin : gen_bad_tries
    $error("slink_switch %m: Tries must be 2 to 64, got %0d", Tries);
  end

  localparam int unsigned TimerWidth = $clog2(Period);
  localparam int unsigned TriesWidth = $clog2(2 * Tries);
  // Periods for which data may keep messages waiting: not for ever, where an end that knows no
  // changes never stops sending.
  localparam int unsigned Held = 32 * Tries;
  localparam int unsigned HeldWidth = $clog2(Held);

  localparam logic [4:0] Ask = 5'd16;
  localparam logic [4:0] Wait = 5'd17;  // heard; operations of this end are under way
  localparam logic [4:0] Agree = 5'd18;
  localparam logic [4:0] Refuse = 5'd19;

  typedef enum logic [2:0] {
    Rest,
    Ending,   // operations of this end, which wants a change
    Asking,
    Waiting,  // for the end of operations of this end, which was asked
    Agreed,
    Silent,
    Proving   // waits for a session
  } state_e;

  // What a message is about.
  typedef struct packed {
    logic [3:0] number;
    line_t      line;
  } matter_t;

  function automatic logic possible(input line_t line);
    return line.lanes <= cfg_i.able_lanes && (!line.coding || cfg_i.able_coding) &&
        (line.speed == 2'd1 || (line.speed == 2'd2 && cfg_i.able_fast));
  endfunction

  state_e state_q, state_d;
  line_t start_q, now_q, last_q, next;  // of the reset; in use; the one before; to be used
  matter_t matter_q, heard, refused_q;  // under way; of this message; impossible here
  logic [4:0] code;
  logic [11:0] own, echo;
  logic due_q, refuse_q;  // a message is to be sent
  logic
      mine_q,
      overruled_q,
      back_q;  // wanted by this end, which did not get it; this is the way back
  logic
      message,
      asked,
      answered,
      able,
      able_wanted,
      same,
      first,
      equal,
      takes,
      tick,
      last_tick,
      good,
      calm;
  logic [TimerWidth-1:0] clock_q;
  logic [TriesWidth-1:0] left_q;  // periods
  logic [HeldWidth-1:0] held_q;  // periods
  logic renewed;
  change_e result_d, result_q;
  logic changed, changed_q;

  // ---- What is heard ----
  assign {echo, own, code} = header_i.address;
  assign heard = '{
          number: header_i.beats[CountWidth-1-:4],
          line: header_i.beats[$bits(line_t)-1:0]
      };
  assign message = header_valid_i && up_i && header_i.kind == KindNotice && own == peer_i &&
      echo == session_i && state_q != Silent && state_q != Proving;
  assign asked = message && code == Ask && !(state_q == Rest && cfg_i.ask);
  assign answered = message && state_q == Asking && heard == matter_q &&
      (code == Wait || code == Agree || code == Refuse);

  always_comb begin
    able        = possible(heard.line);
    able_wanted = possible(cfg_i.wanted);
  end

  // Both ask at once: the greater one is first, and both know which that is, also if both want
  // the same: whoever hears the other one does not know whether its own question has left, or
  // arrived. Only with equal sessions there is no greater one.
  assign same = heard.line == matter_q.line;
  assign first = {peer_i, heard.line} > {session_i, matter_q.line};
  assign equal = {peer_i, heard.line} == {session_i, matter_q.line};
  assign takes = asked && able && (state_q != Asking || first);

  // ---- Time ----
  assign tick = clock_q == '0;
  assign last_tick = tick && left_q == '0;
  assign good = (aligned_i && up_i) || now_q == start_q;
  assign calm = state_q == Rest || state_q == Ending;  // no change has begun on the lanes

  assign renewed = state_d != state_q || takes || answered || (calm && good);

  // ---- What becomes of it ----
  always_comb begin
    state_d  = state_q;
    next     = now_q;
    result_d = result_q;
    changed  = 1'b0;
    unique case (state_q)
      Rest: begin
        if (cfg_i.ask) begin
          changed  = !able_wanted || cfg_i.wanted == now_q;
          result_d = able_wanted ? ChangeDone : ChangeRefused;
          if (!changed) state_d = Ending;
        end else if (takes) begin
          state_d = Waiting;
        end else if (last_tick && !good) begin
          state_d  = Silent;
          next     = start_q;
          result_d = ChangeLost;
        end
      end
      Ending: begin
        if (takes) begin
          state_d = Waiting;
        end else if (!operating_i) begin
          state_d = Asking;
        end else if (last_tick && !good) begin
          // An operation that waits for a session would wait for ever.
          state_d  = Silent;
          next     = start_q;
          result_d = ChangeLost;
        end
      end
      Asking: begin
        if (takes) begin
          state_d = Agreed;
        end else if ((asked && able && equal) || (answered && code == Agree)) begin
          state_d  = Silent;
          next     = matter_q.line;
          result_d = ChangeDone;
        end else if ((answered && code == Refuse) || (last_tick && !answered)) begin
          state_d  = Rest;
          result_d = answered ? ChangeRefused : ChangeSilent;
          changed  = 1'b1;
        end
      end
      Waiting, Agreed: begin
        if (state_q == Agreed && !aligned_i) begin
          state_d  = Silent;
          next     = matter_q.line;
          result_d = overruled_q ? ChangeOverruled : ChangeDone;
        end else if (state_q == Waiting && !operating_i) begin
          state_d = Agreed;
        end else if (last_tick && !asked) begin
          state_d  = Rest;
          result_d = overruled_q ? ChangeOverruled : mine_q ? ChangeSilent : result_q;
          changed  = mine_q;
        end
      end
      Silent:  if (tick) state_d = Proving;
      Proving: begin
        if (up_i || (last_tick && back_q)) begin
          state_d = Rest;
          changed = 1'b1;
        end else if (last_tick) begin
          state_d = Silent;
          next    = last_q;
          if (!overruled_q) result_d = ChangeFellBack;
        end
      end
      default: state_d = Rest;
    endcase
  end

  always_ff @(posedge clk_i) begin
    changed_q <= changed;
    result_q  <= result_d;
    state_q   <= state_d;
    now_q     <= next;

    if (state_d == Silent && state_q != Silent) clock_q <= TimerWidth'(Gap - 1);
    else if (tick || state_d != state_q) clock_q <= TimerWidth'(Period - 1);
    else clock_q <= clock_q - 1'b1;

    if (state_d == Proving && state_q != Proving) left_q <= TriesWidth'(Tries - 1);
    else if (renewed || (alive_i && state_q != Proving && held_q != '0))
      left_q <= TriesWidth'(2 * Tries - 1);
    else if (tick && left_q != '0) left_q <= left_q - 1'b1;
    if (renewed) held_q <= HeldWidth'(Held - 1);
    else if (tick && held_q != '0) held_q <= held_q - 1'b1;

    if (takes) begin
      matter_q    <= heard;
      overruled_q <= state_q != Rest && (overruled_q || (mine_q && !same));
      mine_q      <= state_q != Rest && mine_q;
    end else if (state_q == Rest) begin
      overruled_q <= 1'b0;
      mine_q      <= state_d == Ending;
      if (cfg_i.ask) matter_q <= '{number: matter_q.number + 1'b1, line: cfg_i.wanted};
    end

    back_q <= state_q != Rest && (back_q || (state_q == Proving && state_d == Silent)) ||
        (calm && state_d == Silent);
    if (state_q == Proving && up_i) last_q <= now_q;
    if (calm && state_d == Silent) last_q <= start_q;

    // An answer to each question; a question in each period.
    if (takes || (state_d != state_q && (state_d == Asking || state_d == Agreed)) ||
        (state_d == Asking && tick))
      due_q <= 1'b1;
    else if ((m_ready_i && !refuse_q) || state_d == Silent || state_d == Rest) due_q <= 1'b0;
    if (asked && !able) begin
      refuse_q  <= 1'b1;
      refused_q <= heard;
    end else if (m_ready_i) begin
      refuse_q <= 1'b0;
    end

    if (rst_i) begin
      state_q   <= Rest;
      start_q   <= cfg_i.start;
      now_q     <= cfg_i.start;
      last_q    <= cfg_i.start;
      back_q    <= 1'b0;
      due_q     <= 1'b0;
      refuse_q  <= 1'b0;
      matter_q  <= '0;
      changed_q <= 1'b0;
      result_q  <= ChangeNone;
    end
  end

  // ---- What is said ----
  always_comb begin
    m_header_o       = '0;
    m_header_o.crc   = 1'b1;
    m_header_o.kind  = KindNotice;
    m_header_o.beats = CountWidth'(matter_q.line);
    unique case (state_q)
      Asking:  m_header_o.address[4:0] = Ask;
      Agreed:  m_header_o.address[4:0] = Agree;
      default: m_header_o.address[4:0] = Wait;
    endcase
    m_header_o.beats[CountWidth-1-:4] = matter_q.number;
    if (refuse_q) begin
      m_header_o.address[4:0]           = Refuse;
      m_header_o.beats                  = CountWidth'(refused_q.line);
      m_header_o.beats[CountWidth-1-:4] = refused_q.number;
    end
    m_header_o.address[28:5] = {peer_i, session_i};
  end

  assign m_valid_o = due_q || refuse_q;
  assign renew_o   = state_q == Silent && tick;

  always_comb begin
    status_o.busy    = state_q != Rest;
    status_o.result  = (state_q != Rest) ? ChangeNone : result_q;
    status_o.changed = changed_q;
    status_o.line    = now_q;
    status_o.silent  = state_q == Silent;
  end

  logic unused;
  assign unused = &header_i;

endmodule
