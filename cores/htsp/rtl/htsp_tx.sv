// SPDX-License-Identifier: Apache-2.0
//
// htsp_tx: the transmitter. Lays the channels' streams into HTSP frames.
//
// What      Round robin over the channels; each turn is one burst: header, payload, footer. Without
//           anything to send a header alone goes out on a timer, and at once when a pause, the own
//           receiver's state or an op-code has to be told, or when the interval has changed.
// Contract  A frame is offered to the line without a gap from its header to its footer (with
//           stall_limit_i = 0): when the channel has no more words the burst ends, and the next one
//           goes on with the packet. So nothing is stored before it is sent, and neither pause nor
//           keep-alive can wait behind a source that has stalled. A channel is served while linked,
//           not paused by the peer, tx_disable_i low. Its pause is looked at before each burst,
//           never in between. When the link is lost, the burst under way ends, and packets of which
//           a part was sent are cut (cut_o, level): htsp_tx_channel sends an end with an error mark
//           in place of their rest. phy_ready_i low: nothing is begun; a frame under way is
//           finished (the MAC takes or drops it).
// Latency   cut-through: 3 cycles from a waiting word to its place on m_axis, whatever the length.
// Overhead  2 cycles for each burst: header and footer.
// Source    docs/src/htsp-wire.md, "Transmitter"; state diagram: cores/htsp/README.md.
//
// Parameters
//   Channels   1 .. 16
//   Tuser      TUSER of a packet's first and last beat is carried

module htsp_tx
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter bit Tuser = 1'b0
) (
  input logic clk_i,
  input logic rst_i,

  input link_cfg_t cfg_i,

  // From the receiver and its buffers.
  input logic                        phy_ready_i,
  input link_status_t                link_i,
  input logic         [Channels-1:0] local_pause_i,

  input  logic [127:0] s_opcode_tdata,
  input  logic         s_opcode_tvalid,
  output logic         s_opcode_tready,

  input  beat_t [Channels-1:0] head_i,
  input  logic  [Channels-1:0] head_valid_i,
  input  logic  [Channels-1:0] first_i,
  output logic  [Channels-1:0] pop_o,
  output logic  [Channels-1:0] cut_o,

  output logic [ WordBits-1:0] m_axis_tdata,
  output logic [WordBytes-1:0] m_axis_tkeep,
  output logic                 m_axis_tlast,
  output logic                 m_axis_tvalid,
  input  logic                 m_axis_tready,

  output flow_t flow_o
);

  localparam int unsigned IdxWidth = (Channels > 1) ? $clog2(Channels) : 1;

  typedef enum logic [1:0] {
    Idle,
    Header,
    Payload,
    Footer
  } state_e;

  state_e state_q;
  header_t sent;  // while one is on m_axis
  logic [IdxWidth-1:0] vc_q;
  logic null_q;  // the header of state Header stands alone
  logic advance;  // the output register takes a word, or has room
  logic header_out, footer_out;  // it takes a header, a footer
  assign advance = !m_axis_tvalid || m_axis_tready;

  // One cycle late, so that remote_mac_i has arrived where the header is made.
  logic linked_q;
  always_ff @(posedge clk_i) linked_q <= !rst_i && (link_i.remote_ready || cfg_i.ignore_remote);

  // ---- The burst under way ----
  beat_t head;
  logic head_valid, head_first, send, last_word, starved, cut_now, cut_q, footer;
  logic [BlocksWidth-1:0] words_q;
  logic [7:0] stall_q;
  logic [CountWidth-1:0] count_q;
  logic last_q, error_q;
  logic [6:0] tuser_q;
  assign head = head_i[vc_q];
  assign head_valid = head_valid_i[vc_q];
  assign head_first = first_i[vc_q];
  assign cut_now = cut_q || !linked_q;
  assign send = state_q == Payload && head_valid;
  assign last_word = head.last || words_q >= cfg_i.burst - 1'b1 || cut_now;
  // At least one word is sent before a burst can starve: it was there when the burst was chosen.
  assign starved = state_q == Payload && !head_valid && (stall_q >= cfg_i.stall_limit || cut_now);
  assign footer = state_q == Footer || starved;

  always_comb begin
    pop_o       = '0;
    pop_o[vc_q] = send && advance;
  end

  // A packet of which a part was sent is cut when the link is lost; the one in a burst, at its
  // footer.
  logic active;
  assign active = state_q == Payload || state_q == Footer || (state_q == Header && !null_q);
  always_comb begin
    cut_o = {Channels{!linked_q}};
    if (active) cut_o[vc_q] = footer_out && cut_now;
  end

  // ---- Choice of the next frame ----
  logic [Channels-1:0] request;
  logic [IdxWidth-1:0] grant;
  logic [Channels-1:0] grant_bits;
  logic granted, null_due, choose, start, unused;
  assign unused = ^{grant_bits, cfg_i, link_i, sent};
  assign request = head_valid_i & {Channels{linked_q && phy_ready_i && !cfg_i.tx_disable}}
                 & ~(link_i.remote_pause[Channels-1:0] & {Channels{!cfg_i.ignore_remote}});
  assign choose = advance && (state_q == Idle || footer);
  assign start = choose && (granted || null_due);
  prim_arb_rr #(
    .N(Channels)
  ) u_arb (
    .clk_i,
    .rst_i,
    .req_i      (request),
    .ack_i      (choose),
    .gnt_o      (grant_bits),
    .gnt_idx_o  (grant),
    .gnt_valid_o(granted)
  );

  // ---- Headers alone ----
  logic [31:0] timer_q, interval_q;
  logic [15:0] told_pause_q, pause, pause_since_q;
  logic told_ready_q, header_ready, op_waits, header_op, news;
  assign header_out = state_q == Header && advance;
  assign footer_out = footer && advance;
  assign news = (linked_q && 16'(local_pause_i) != told_pause_q) || (link_i.link_up != told_ready_q)
             || (op_waits && linked_q) || (interval_q != cfg_i.null_interval);
  assign null_due = state_q == Idle && phy_ready_i && (timer_q == '0 || news);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      timer_q      <= '0;
      interval_q   <= cfg_i.null_interval;
      told_pause_q <= '0;
      told_ready_q <= 1'b0;
    end else begin
      if (footer_out || header_out) timer_q <= cfg_i.null_interval;
      else if (timer_q != '0) timer_q <= timer_q - 1'b1;
      if (header_out) begin
        interval_q   <= cfg_i.null_interval;
        told_pause_q <= pause;
        told_ready_q <= header_ready;
      end
      if (footer_out) told_pause_q <= pause_since_q | pause;
    end
  end

  // ---- Header and footer ----
  header_t header;
  footer_t trailer;
  logic begins;  // a packet, with this header
  assign begins = !null_q && head_first;
  htsp_tx_header #(
    .Tuser(Tuser)
  ) u_header (
    .clk_i,
    .rst_i,
    .cfg_i,
    .s_opcode_tdata,
    .s_opcode_tvalid,
    .s_opcode_tready,
    .op_waits_o(op_waits),
    .linked_i  (linked_q),
    .link_i,
    .load_i    (start),
    .pause_i   (16'(local_pause_i)),
    .vc_i      (null_q ? NullVc : 8'(vc_q)),
    .sof_i     (begins),
    .first_i   (begins ? head.tuser.first : '0),
    .sent_i    (header_out),
    .pause_o   (pause),
    .rx_ready_o(header_ready),
    .op_valid_o(header_op),
    .header_o  (header)
  );

  always_comb begin
    trailer.count = 7'(count_q) + 1'b1;
    {trailer.damaged, trailer.last} = {error_q, last_q};
    {trailer.tuser_high, trailer.tuser_low} = link_i.remote_tuser ? tuser_q : '0;
    trailer.pause = pause_since_q | pause;
    trailer.size = {2'd0, words_q, 6'd0} - 16'(6'(WordBytes - 1) - count_q);
  end

  // ---- State ----
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= Idle;
      vc_q    <= '0;
      null_q  <= 1'b0;
      cut_q   <= 1'b0;
    end else begin
      if (advance) begin
        unique case (state_q)
          Idle, Footer: state_q <= start ? Header : Idle;
          Header: state_q <= null_q ? Idle : Payload;
          Payload:
          if (send && last_word) state_q <= Footer;
          else if (starved) state_q <= start ? Header : Idle;
        endcase
      end
      if (choose) begin
        null_q <= !granted;
        if (granted) vc_q <= grant;
      end
      if (footer_out || state_q == Idle) cut_q <= 1'b0;
      else if (!linked_q) cut_q <= 1'b1;
    end

    if (header_out) begin
      words_q       <= '0;
      stall_q       <= '0;
      pause_since_q <= pause;
    end else if (state_q != Idle) pause_since_q <= pause_since_q | pause;
    if (send && advance) begin
      words_q <= words_q + 1'b1;
      stall_q <= '0;
      count_q <= head.count;
      last_q  <= head.last;
      error_q <= head.error;
      tuser_q <= head.tuser.last;
    end else if (state_q == Payload && !head_valid && stall_q != '1) stall_q <= stall_q + 1'b1;
  end

  // ---- Out: bytes that are not the user's are zero on the line ----
  logic [WordBits-1:0] word;
  assign sent = m_axis_tdata;
  assign flow_o.op_data = sent.op_code;
  always_comb begin
    for (int unsigned i = 0; i < WordBytes; i++) begin
      word[8*i+:8] = head.data[8*i+:8] & {8{head.count >= CountWidth'(i)}};
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) m_axis_tvalid <= 1'b0;
    else if (advance) m_axis_tvalid <= state_q == Header || send || footer;
    if (advance) begin
      m_axis_tdata <= state_q == Header ? header : footer ? WordBits'(trailer) : word;
      m_axis_tkeep <= footer ? WordBytes'((1 << FooterBytes) - 1) : '1;
      m_axis_tlast <= footer || null_q;
    end
    flow_o.frame       <= footer_out && !rst_i;
    flow_o.frame_bytes <= trailer.size;
    flow_o.alone       <= header_out && null_q && !rst_i;
    flow_o.op_code     <= header_out && header_op && !rst_i;
  end

endmodule
