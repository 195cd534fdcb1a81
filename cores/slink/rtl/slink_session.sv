// SPDX-License-Identifier: Apache-2.0
//
// slink_session: both ends agree that they know each other, before anything else counts.
//
// What      Says hello with a number of its own until it has come back. A new number of the other
//           end ends what was under way. README.md, "Operations".
// Contract  session_i: number of the first session, taken while rst_i stands; another one after
//           each reset (time, a counter). The same one does no harm to an end that was up. renew_i:
//           this end has given up and begins a new session. hello_valid_i: a notice has arrived;
//           hello_i is its header. Notices that are no hello are passed over. m_valid_o: a hello
//           wants to be sent, m_header_o; taken with m_ready_i. Its fields are those of that cycle.
//           Until up_o one is sent every Period cycles, at once for each hello that lacks this
//           end's number. up_o: this end has seen its own number come back. Nothing but notices is
//           to be taken or sent before. session_o, peer_o: while up_o, the numbers of both ends.
//           forget_o: pulse, with up_o = 0 from the next cycle on unless the same hello raises it:
//           answers, numbers of operations and whatever is under way are of the past.
// Latency   1 cycle.
//
// Parameters  Period  cycles between two hellos without an answer, >= 2; more than the round trip

module slink_session
  import slink_pkg::*;
#(
  parameter int unsigned Period = 4096
) (
  input  logic           clk_i,
  input  logic           rst_i,
  input  logic    [11:0] session_i,
  input  logic           renew_i,
  input  logic           hello_valid_i,
  input  header_t        hello_i,
  output logic           m_valid_o,
  input  logic           m_ready_i,
  output header_t        m_header_o,
  output logic           up_o,
  output logic    [11:0] session_o,
  output logic    [11:0] peer_o,
  output logic           forget_o
);

  if (Period < 2) begin : gen_bad_period
    $error("slink_session %m: Period must be at least 2, got %0d", Period);
  end

  localparam int unsigned TimerWidth = $clog2(Period);
  localparam logic [4:0] First = 5'd8;  // the sender has not heard the other end in its session
  localparam logic [4:0] Heard = 5'd9;
  localparam logic [4:0] Up = 5'd10;  // and has seen its own number

  logic [11:0] session_q, peer_q, own, echo;
  logic [4:0] code;
  logic known_q, fresh_q, up_q, due_q, is_hello, news, heard;
  logic [TimerWidth-1:0] timer_q;

  assign {echo, own, code} = hello_i.address;
  assign is_hello = hello_valid_i && hello_i.kind == KindNotice &&
      (code == First || code == Heard || code == Up);
  // Who has been heard and has not heard was reset, whatever number it took.
  assign news = is_hello && (!known_q || peer_q != own || (up_q && code == First));
  assign heard = code != First && echo == session_q;

  assign forget_o = news || renew_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      session_q <= session_i;
      known_q   <= 1'b0;
      fresh_q   <= 1'b0;
      peer_q    <= '0;
      up_q      <= 1'b0;
      due_q     <= 1'b1;
      timer_q   <= '0;
    end else begin
      if (m_valid_o && m_ready_i) timer_q <= TimerWidth'(Period - 1);
      else if (timer_q != '0) timer_q <= timer_q - 1'b1;
      if (m_ready_i) due_q <= 1'b0;
      if (is_hello) begin
        known_q <= 1'b1;
        fresh_q <= 1'b1;
        peer_q  <= own;
        up_q    <= heard || (up_q && !news);
        if (news || code != Up || !heard) due_q <= 1'b1;
      end
      // A number of the past, even if it arrives now. That of the other end is not given back
      // before it has been heard again: it would take that for a proof that it is heard.
      if (renew_i) begin
        session_q <= session_q + 1'b1;
        fresh_q   <= 1'b0;
        up_q      <= 1'b0;
        due_q     <= 1'b1;
      end
    end
  end

  assign m_valid_o = due_q || (!up_q && timer_q == '0);
  assign up_o      = up_q;
  assign session_o = session_q;
  assign peer_o    = peer_q;

  always_comb begin
    m_header_o         = '0;
    m_header_o.address = {peer_q, session_q, !fresh_q ? First : up_q ? Up : Heard};
    m_header_o.beats   = CountWidth'(1);
    m_header_o.crc     = 1'b1;
    m_header_o.kind    = KindNotice;
  end

  logic unused;
  assign unused = &hello_i;

endmodule
