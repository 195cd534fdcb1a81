// SPDX-License-Identifier: Apache-2.0
//
// htsp_rx: the receiver. Checks frames, tells the link's state, and hands out payload words per
// channel.
//
// What      A frame is accepted if its address (own or broadcast), EtherType, version and checksum
//           are right; the rest of a refused frame is skipped to its end. Payload words are handed
//           out one word late, when it is known whether a word is the last of its frame; the footer
//           then tells how much of it counts and whether the packet ends.
// Contract  s_axis: whole frames from a MAC, never held back; TUSER with TLAST says that the frame
//           is damaged (frame check sequence); TKEEP counts with TLAST only. word_o goes to channel
//           vc_o when word_valid_o; sof_o marks the first word of a packet. close_o (one bit per
//           channel) ends an open packet with an error mark; word and close never meet in one
//           channel in one cycle. What a header says takes effect when its frame has proved good.
//           Only a pause takes effect at once.
// Losses    A gap in the TID, a damaged frame, a wrong footer and the loss of the link end all open
//           packets of all channels with an error mark, because nobody can know whose words are
//           missing. A packet that begins while another one is open ends that one. Words without a
//           beginning are dropped and counted. A packet that is lost whole shows in lost_o only. A
//           frame whose TID is one of the 128 before the awaited one is a repetition: its payload
//           is skipped (stale_o). A header alone is taken all the same: that is how a peer that
//           started anew is followed.
// Link      Up with a good header, down when none came for alive_i cycles or the line is not ready.
//           While it is down the peer counts as not ready and all its channels as paused.
// Latency   2 cycles from a payload word on s_axis to word_o, if the next word follows at once.
// Source    docs/src/htsp-wire.md, "Receiver".
//
// Parameters
//   Channels   1 .. 16
//   Tuser      TUSER of a packet's first and last beat is taken; without it word_o.tuser is 0

module htsp_rx
  import htsp_pkg::*;
#(
  parameter  int unsigned Channels = 4,
  parameter  bit          Tuser    = 1'b0,
  localparam int unsigned IdxWidth = (Channels > 1) ? $clog2(Channels) : 1
) (
  input logic clk_i,
  input logic rst_i,

  input link_cfg_t                 cfg_i,
  input logic                      phy_ready_i,
  input logic      [ WordBits-1:0] s_axis_tdata,
  input logic      [WordBytes-1:0] s_axis_tkeep,
  input logic                      s_axis_tlast,
  input logic                      s_axis_tuser,
  input logic                      s_axis_tvalid,

  output beat_t                word_o,
  output logic                 word_valid_o,
  output logic                 sof_o,
  output logic  [IdxWidth-1:0] vc_o,
  output logic  [Channels-1:0] close_o,

  output link_status_t status_o,
  output flow_t        flow_o,
  output rx_faults_t   faults_o
);

  localparam logic [WordBytes-1:0] FooterKeep = WordBytes'((1 << FooterBytes) - 1);
  localparam int unsigned WordsWidth = 11;  // payload words of a frame: up to 1024

  // ---- The word before: a header for one cycle (header_q), or payload that waits (held_valid_q)
  // ----
  logic [WordBits-1:0] held_q;
  logic first_q, header_q, alone_q, error_q, held_valid_q, taken, body;
  logic [WordsWidth-1:0] words_q, before_q;  // payload words up to held_q, and before it
  assign taken = s_axis_tvalid && phy_ready_i;
  assign body  = taken && !first_q;

  // ---- First cycle of a header: sums of groups of bytes, addresses ----
  logic [3:0][11:0] group_q;
  logic own_q, all_q, whole_header;
  assign whole_header = !s_axis_tlast || s_axis_tkeep[WordBytes-1];
  always_ff @(posedge clk_i) begin
    if (taken && first_q) begin
      for (int unsigned g = 0; g < 4; g++) group_q[g] <= byte_sum(s_axis_tdata[128*g+:128]);
      own_q <= s_axis_tdata[47:0] == cfg_i.local_mac && whole_header;
      all_q <= s_axis_tdata[47:0] == cfg_i.broadcast_mac && whole_header;
    end
  end

  // ---- What a header said ----
  typedef struct packed {
    logic [127:0] user_data;
    logic [127:0] op_code;
    logic [15:0]  pause;
    logic [7:0]   tid;
    logic         op_valid;
    logic         rx_ready;
    logic         takes_tuser;
    logic [7:0]   first_tuser;
    logic [47:0]  source;
    logic         has_channel;
    logic         sof;
    logic         payload;      // for a channel, not a header alone
    logic         alone;
    logic         cut;          // ended with the word behind the header
    logic         goes_on;      // its packet is open
  } said_t;
  said_t said_q;
  logic [Channels-1:0] open_q, open;  // packets, by channel

  // ---- Second: all else but the verdict on the sum ----
  header_t header;
  logic unused;
  assign header = held_q;
  assign unused = ^{header, cfg_i};  // in the sum, and compared before
  logic address_ok, version_ok, ours, has_channel, proved_null;
  logic [7:0] tid_q, missing_q, missing_then, missing_now, missing;
  logic tid_known_q, gap, restart;
  logic [IdxWidth-1:0] vc;
  assign vc           = header.vc[IdxWidth-1:0];
  assign address_ok   = (own_q || all_q) && header.ethertype == cfg_i.ethertype;
  assign version_ok   = header.version == Version;
  assign ours         = header_q && address_ok && version_ok && !error_q;
  assign has_channel  = 32'(header.vc) < Channels;
  // A header alone that is proved in this very cycle counts already.
  assign missing_then = header.tid - tid_q;
  assign missing_now  = header.tid - said_q.tid - 1'b1;
  assign missing      = proved_null ? missing_now : tid_known_q ? missing_then : '0;
  // If the sum turns out wrong, this frame is missing, and closing was right.
  assign gap          = ours && missing != '0;
  assign restart      = ours && !alone_q && has_channel && header.sof[0];

  // ---- Third: the verdict. From here on the frame is known by what its header said ----
  logic verdict_q, ours_q, address_ok_q, version_ok_q, was_error_q, sum_ok, good, stale;
  logic [15:0] sum_q, expected_q;
  logic [IdxWidth-1:0] vc_q;
  always_ff @(posedge clk_i) begin
    if (header_q) begin
      // Sum of all bytes but the checksum's c0 and c1 is 0xffff - c0 - 256 c1, so that of all is
      // 0xffff - 255 c1.
      sum_q <= (16'(group_q[0]) + 16'(group_q[1])) + (16'(group_q[2]) + 16'(group_q[3]));
      expected_q <= 16'hffff - {header.checksum[15:8], 8'd0} + 16'(header.checksum[15:8]);
      ours_q <= ours;
      address_ok_q <= address_ok;
      version_ok_q <= version_ok;
      was_error_q <= error_q;
      missing_q <= missing;
      vc_q <= vc;
      said_q <= '{
          user_data: header.user_data,
          op_code: header.op_code,
          pause: header.pause,
          tid: header.tid,
          op_valid: header.op_valid[0],
          rx_ready: header.rx_ready[0],
          takes_tuser: header.takes_tuser[0],
          first_tuser: header.first_tuser,
          source: header.source,
          has_channel: has_channel,
          sof: header.sof[0],
          payload: !alone_q && header.vc != NullVc,
          alone: alone_q,
          cut: body && s_axis_tlast,
          goes_on: open_q[vc] && !gap && status_o.link_up
      };
    end
  end
  assign sum_ok = sum_q == expected_q;
  assign good   = verdict_q && ours_q && sum_ok;
  assign stale  = missing_q[7];

  // ---- Frame under way ----
  logic begins, in_frame, in_frame_q;  // payload or footer of a good frame
  logic deliver, deliver_q;  // and its words go to a channel
  logic goes_on;  // with a packet that is still open: with the link all of them end
  logic begin_q;
  assign begins   = good && said_q.payload && !stale;
  assign goes_on  = said_q.goes_on && status_o.link_up;
  assign in_frame = verdict_q ? begins && !said_q.cut : in_frame_q;

  // ---- Footer ----
  footer_t footer;
  logic at_footer, footer_fits, footer_good, ends;
  assign footer    = s_axis_tdata[8*FooterBytes-1:0];
  assign at_footer = body && in_frame && s_axis_tlast;
  assign ends      = footer.last || footer.damaged;
  // The size in words and bytes of the last one, without arithmetic: the last word is full, or it
  // is not.
  logic size_fits;
  logic [7:0] count;
  assign count = {!Tuser && footer.tuser_high, footer.count};
  assign size_fits = count[6]
      ? {1'b0, footer.size} == {words_q, 6'd0}
      : {1'b0, footer.size} == {before_q, count[5:0]};
  assign footer_fits = s_axis_tkeep == FooterKeep && words_q != '0
                    && count != '0 && count <= 8'd64 && (ends || count == 8'd64) && size_fits;
  assign footer_good = footer_fits && !s_axis_tuser;

  // ---- Words ----
  assign deliver = verdict_q ? begins && said_q.has_channel && (said_q.sof || goes_on) : deliver_q;
  always_comb begin
    word_o.data  = held_q;
    word_o.last  = at_footer && (ends || !footer_good);
    word_o.error = at_footer && (footer.damaged || !footer_good);
    word_o.count = (at_footer && footer_good) ? CountWidth'(count - 1'b1) : '1;
    word_o.tuser = '0;
    if (Tuser) word_o.tuser.first = said_q.first_tuser;
    if (Tuser && at_footer && footer_good && ends) begin
      word_o.tuser.last = {footer.tuser_high, footer.tuser_low};
    end
  end
  assign word_valid_o = held_valid_q && deliver && in_frame && body;
  assign sof_o        = verdict_q ? said_q.sof : begin_q;
  assign vc_o         = vc_q;

  // ---- Open packets ----
  logic cut_short, damage, told;  // told: by the MAC, with the frame's last word
  assign cut_short = begins && said_q.cut;
  assign damage    = (at_footer && !footer_good) || cut_short;
  assign told      = cut_short ? error_q : s_axis_tuser;
  always_comb begin
    close_o = '0;
    if (gap || damage || !status_o.link_up) close_o = '1;
    else if (restart) close_o[vc] = 1'b1;
    if (word_valid_o) close_o[vc_q] = 1'b0;
    close_o &= open_q;
  end
  always_comb begin
    open = open_q & ~close_o;
    if (word_valid_o) open[vc_q] = !word_o.last;
  end

  // ---- Link ----
  logic proved, down, fresh;
  logic [31:0] alive_q;
  assign proved_null = good && said_q.alone;
  assign proved      = proved_null || (at_footer && footer_good);
  // A repetition shows that nothing new comes.
  assign fresh       = good && (!stale || said_q.alone);
  assign down        = !phy_ready_i || (status_o.link_up && alive_q == '0 && !fresh);

  always_ff @(posedge clk_i) begin
    if (taken) begin
      held_q   <= s_axis_tdata;
      alone_q  <= s_axis_tlast;
      error_q  <= s_axis_tlast && s_axis_tuser;
      words_q  <= first_q ? '0 : words_q + WordsWidth'(words_q != '1);
      before_q <= words_q;
    end
    begin_q <= sof_o && !word_valid_o;

    if (rst_i) begin
      first_q               <= 1'b1;
      header_q              <= 1'b0;
      verdict_q             <= 1'b0;
      held_valid_q          <= 1'b0;
      in_frame_q            <= 1'b0;
      deliver_q             <= 1'b0;
      open_q                <= '0;
      tid_known_q           <= 1'b0;
      alive_q               <= '0;
      status_o.link_up      <= 1'b0;
      status_o.remote_ready <= 1'b0;
      status_o.remote_tuser <= 1'b0;
      status_o.remote_mac   <= '0;
      status_o.remote_data  <= '0;
      status_o.remote_pause <= '1;
    end else begin
      header_q  <= taken && first_q;
      verdict_q <= header_q;
      if (taken) begin
        first_q      <= s_axis_tlast;
        held_valid_q <= !first_q && !s_axis_tlast;
      end
      in_frame_q <= in_frame && !at_footer;
      deliver_q  <= deliver && !at_footer && !down;
      open_q     <= open;

      if (fresh) begin
        alive_q               <= cfg_i.alive;
        status_o.link_up      <= 1'b1;
        status_o.remote_pause <= status_o.remote_pause | said_q.pause;
      end else if (alive_q != '0) alive_q <= alive_q - 1'b1;
      if (proved) begin
        tid_q                 <= said_q.tid + 1'b1;
        tid_known_q           <= 1'b1;
        status_o.remote_ready <= said_q.rx_ready;
        status_o.remote_tuser <= Tuser && said_q.takes_tuser;
        status_o.remote_mac   <= said_q.source;
        status_o.remote_data  <= said_q.user_data;
        status_o.remote_pause <= proved_null ? said_q.pause : footer.pause;
      end
      if (down) begin
        status_o.link_up      <= 1'b0;
        status_o.remote_ready <= 1'b0;
        status_o.remote_tuser <= 1'b0;
        status_o.remote_pause <= '1;
        tid_known_q           <= 1'b0;
      end
      if (!phy_ready_i) begin
        first_q      <= 1'b1;
        header_q     <= 1'b0;
        verdict_q    <= 1'b0;
        held_valid_q <= 1'b0;
        in_frame_q   <= 1'b0;
      end
    end
  end

  // ---- Events ----
  logic judged, misfit, nowhere;
  assign nowhere = !said_q.alone && !said_q.payload;  // more than a header, for no channel
  assign misfit  = (damage && !told) || (good && nowhere && !stale);
  assign judged  = verdict_q && !was_error_q && !rst_i;
  always_ff @(posedge clk_i) begin
    flow_o.op_data <= said_q.op_code;
    flow_o.op_code <= proved && said_q.op_valid && !rst_i;
    flow_o.frame <= at_footer && footer_good && !rst_i;
    flow_o.frame_bytes <= footer.size;
    flow_o.alone <= proved_null && !rst_i;
    faults_o.foreign <= judged && !address_ok_q;
    faults_o.version <= judged && address_ok_q && !version_ok_q;
    faults_o.checksum <= judged && address_ok_q && version_ok_q && !sum_ok;
    faults_o.damaged <= ((verdict_q && was_error_q) || (damage && told)) && !rst_i;
    faults_o.footer_bad <= misfit && !rst_i;
    faults_o.channel <= begins && !said_q.has_channel && !rst_i;
    faults_o.orphan <= begins && said_q.has_channel && !said_q.sof && !goes_on && !rst_i;
    faults_o.stale <= good && stale && !rst_i;
    faults_o.lost <= (proved && !stale && !rst_i) ? missing_q : '0;
  end

endmodule
