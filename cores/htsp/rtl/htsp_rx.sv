// SPDX-License-Identifier: Apache-2.0
//
// htsp_rx: the receiver. Checks frames, tells the link's state, and hands out payload words per channel.
//
// What      A frame is accepted if its address (own or broadcast), EtherType, version and checksum are right;
//           the rest of a refused frame is skipped to its end. Payload words are handed out one word late,
//           when it is known whether a word is the last of its frame; the footer then tells how much of it
//           counts and whether the packet ends.
// Contract  s_axis: whole frames from a MAC, never held back; TUSER with TLAST says that the frame is damaged
//           (frame check sequence); TKEEP counts with TLAST only.
//           word_o goes to channel vc_o when word_valid_o; sof_o marks the first word of a packet. close_o
//           (one bit per channel) ends an open packet with an error mark; word and close never meet in one
//           channel in one cycle.
//           What a header says takes effect when its frame has proved good. Only a pause takes effect at once.
// Losses    A gap in the TID, a damaged frame, a wrong footer and the loss of the link end all open packets
//           of all channels with an error mark, because nobody can know whose words are missing.
//           A packet that begins while another one is open ends that one. Words without a beginning are
//           dropped and counted. A packet that is lost whole shows in lost_o only.
//           A frame whose TID is one of the 128 before the awaited one is a repetition: its payload is skipped
//           (stale_o). A header alone is taken all the same: that is how a peer that started anew is followed.
// Link      Up with a good header, down when none came for alive_i cycles or the line is not ready. While it
//           is down the peer counts as not ready and all its channels as paused.
// Latency   2 cycles from a payload word on s_axis to word_o, if the next word follows at once.
// Source    docs/src/htsp-wire.md, "Receiver".
//
// Parameters
//   Channels   1 .. 16

module htsp_rx
  import htsp_pkg::*;
#(
  parameter  int unsigned Channels = 4,
  localparam int unsigned IdxWidth = (Channels > 1) ? $clog2(Channels) : 1
) (
  input logic clk_i,
  input logic rst_i,

  input logic [47:0] local_mac_i,
  input logic [47:0] broadcast_mac_i,
  input logic [15:0] ethertype_i,
  input logic [31:0] alive_i,          // >= 1

  input logic             phy_ready_i,
  input logic [ Bits-1:0] s_axis_tdata,
  input logic [Bytes-1:0] s_axis_tkeep,
  input logic             s_axis_tlast,
  input logic             s_axis_tuser,
  input logic             s_axis_tvalid,

  output beat_t                word_o,
  output logic                 word_valid_o,
  output logic                 sof_o,
  output logic  [IdxWidth-1:0] vc_o,
  output logic  [Channels-1:0] close_o,

  output logic         link_up_o,
  output logic         remote_ready_o,
  output logic [ 47:0] remote_mac_o,
  output logic [ 15:0] remote_pause_o,
  output logic [127:0] remote_data_o,
  output logic [127:0] m_opcode_tdata,
  output logic         m_opcode_tvalid,

  // Events, one cycle each.
  output logic        frame_o,        // a good frame with payload
  output logic [15:0] frame_bytes_o,  // its payload
  output logic        null_o,         // a good header alone
  output logic        foreign_o,      // not for this end: address, EtherType
  output logic        version_o,      // of another version
  output logic        checksum_o,     // header checksum wrong
  output logic        damaged_o,      // marked by the MAC
  output logic        footer_bad_o,   // footer and payload do not fit
  output logic        channel_o,      // payload for a channel that this end does not have
  output logic        orphan_o,       // a frame that goes on with a packet that is not open
  output logic        stale_o,        // a frame that came before, by its TID
  output logic [ 7:0] lost_o          // frames missing before this one, by TID
);

  if (Channels < 1 || Channels > MaxChannels) begin : gen_bad_channels
    $error("htsp_rx %m: rule 1 <= Channels <= %0d, got %0d", MaxChannels, Channels);
  end

  localparam logic [Bytes-1:0] FooterKeep = Bytes'((1 << FooterBytes) - 1);
  localparam int unsigned WordsWidth = 11;  // payload words of a frame: up to 1024

  // ---- The word before, and where in the frame it stands ----
  // held_q is a header for the cycle after it came (header_q), or payload that waits for the next word.
  logic [Bits-1:0] held_q;
  logic first_q, header_q, header_last_q, header_error_q, taken;
  assign taken = s_axis_tvalid && phy_ready_i;

  // ---- Header: sums of groups of bytes in the first cycle, all else in the second ----
  header_t header;
  logic unused;
  assign header = held_q;
  assign unused = ^{header.reserved, header.destination};  // in the sum, and compared before
  logic [3:0][11:0] group_q;
  logic own_q, all_q;
  logic address_ok, version_ok, sum_ok, good;
  logic [15:0] sum;
  always_ff @(posedge clk_i) begin
    if (taken && first_q) begin
      for (int unsigned g = 0; g < 4; g++) group_q[g] <= byte_sum(s_axis_tdata[128*g+:128]);
      own_q <= s_axis_tdata[47:0] == local_mac_i;
      all_q <= s_axis_tdata[47:0] == broadcast_mac_i;
    end
  end
  assign sum = 16'(group_q[0]) + 16'(group_q[1]) + 16'(group_q[2]) + 16'(group_q[3])
             - 16'(header.checksum[7:0]) - 16'(header.checksum[15:8]);
  assign address_ok = (own_q || all_q) && header.ethertype == ethertype_i;
  assign version_ok = header.version == Version;
  assign sum_ok = header.checksum == ~sum;
  assign good = header_q && address_ok && version_ok && sum_ok && !header_error_q;

  logic has_channel, has_payload, stale;
  assign has_channel = 32'(header.vc) < Channels;
  assign has_payload = good && !header_last_q && header.vc != NullVc && !stale;

  // ---- Frame under way ----
  logic in_frame, in_frame_q;  // payload or footer of a good frame
  logic deliver, deliver_q;  // and its words go to a channel
  logic held_valid_q, begin_q;
  logic [  IdxWidth-1:0] vc_q;
  logic [WordsWidth-1:0] words_q;
  logic [Channels-1:0] open_q, open;
  assign in_frame = header_q ? has_payload : in_frame_q;

  // ---- Footer ----
  footer_t footer;
  logic at_footer, footer_fits, footer_good, ends;
  logic [16:0] whole;
  assign footer    = s_axis_tdata[8*FooterBytes-1:0];
  assign at_footer = taken && !first_q && in_frame && s_axis_tlast;
  assign ends      = footer.flags[0] || footer.flags[1];
  assign whole     = {words_q[WordsWidth-1:0], 6'd0} - 17'd64;  // all words but the last
  always_comb begin
    footer_fits = s_axis_tkeep == FooterKeep && !header_q && words_q != '0
               && footer.count != '0 && footer.count <= 8'd64
               && (ends || footer.count == 8'd64)
               && {1'b0, footer.size} == whole + 17'(footer.count);
  end
  assign footer_good = footer_fits && !s_axis_tuser;

  // ---- Words ----
  logic payload, cut, gap, goes_on;
  assign payload = taken && !first_q && in_frame && !s_axis_tlast;
  assign cut     = !link_up_o;
  assign deliver = header_q ? has_payload && has_channel && (header.sof[0] || goes_on) : deliver_q;
  always_comb begin
    word_o.data  = held_q;
    word_o.last  = at_footer && (ends || !footer_good);
    word_o.error = at_footer && (footer.flags[1] || !footer_good);
    word_o.count = (at_footer && footer_good) ? CountWidth'(footer.count - 1'b1) : '1;
  end
  assign word_valid_o = held_valid_q && deliver_q && !header_q && (payload || at_footer);
  assign sof_o        = begin_q;
  assign vc_o         = vc_q;

  // ---- Open packets ----
  logic [7:0] tid_q, missing;
  logic tid_known_q, damage, restart;
  assign missing = header.tid - tid_q;
  assign gap     = good && tid_known_q && missing != '0;
  assign stale   = tid_known_q && missing[7];
  assign goes_on = open_q[header.vc[IdxWidth-1:0]] && !gap;
  assign damage  = at_footer && !footer_good;
  assign restart = has_payload && has_channel && header.sof[0];
  always_comb begin
    close_o = '0;
    if (gap || damage || cut) close_o = '1;
    else if (restart) close_o[header.vc[IdxWidth-1:0]] = 1'b1;
    if (word_valid_o) close_o[vc_q] = 1'b0;
    close_o &= open_q;
  end
  always_comb begin
    open = open_q & ~close_o;
    if (word_valid_o) open[vc_q] = !word_o.last;
  end

  // ---- Pending: what the header said ----
  typedef struct packed {
    logic [127:0] user_data;
    logic [127:0] op_code;
    logic [7:0]   tid;
    logic         op_valid;
    logic         rx_ready;
    logic [47:0]  source;
  } said_t;
  said_t says, said_q, said;
  logic proved, proved_null;
  assign says = '{
          user_data: header.user_data,
          op_code: header.op_code,
          tid: header.tid,
          op_valid: header.op_valid[0],
          rx_ready: header.rx_ready[0],
          source: header.source
      };
  assign proved_null = good && header_last_q;
  assign proved = proved_null || (at_footer && footer_good);
  assign said = header_q ? says : said_q;

  logic [31:0] alive_q;
  logic down;
  assign down = !phy_ready_i || (link_up_o && alive_q == '0 && !good);

  always_ff @(posedge clk_i) begin
    m_opcode_tvalid <= 1'b0;
    frame_o         <= 1'b0;
    null_o          <= 1'b0;
    foreign_o       <= 1'b0;
    version_o       <= 1'b0;
    checksum_o      <= 1'b0;
    damaged_o       <= 1'b0;
    footer_bad_o    <= 1'b0;
    channel_o       <= 1'b0;
    orphan_o        <= 1'b0;
    lost_o          <= '0;
    stale_o         <= 1'b0;
    header_q        <= 1'b0;
    if (rst_i) begin
      first_q        <= 1'b1;
      in_frame_q     <= 1'b0;
      held_valid_q   <= 1'b0;
      deliver_q      <= 1'b0;
      open_q         <= '0;
      tid_known_q    <= 1'b0;
      alive_q        <= '0;
      link_up_o      <= 1'b0;
      remote_ready_o <= 1'b0;
      remote_mac_o   <= '0;
      remote_pause_o <= '1;
    end else begin
      if (taken) begin
        first_q  <= s_axis_tlast;
        header_q <= first_q;
      end
      in_frame_q <= in_frame && !at_footer;
      deliver_q  <= deliver && !at_footer && !down;
      open_q     <= open;
      if (payload) held_valid_q <= 1'b1;
      else if (header_q || at_footer) held_valid_q <= 1'b0;

      if (has_payload) begin
        channel_o <= !has_channel;
        orphan_o  <= has_channel && !header.sof[0] && !goes_on;
      end
      if (header_q) begin
        foreign_o  <= !address_ok && !header_error_q;
        version_o  <= address_ok && !version_ok && !header_error_q;
        checksum_o <= address_ok && version_ok && !sum_ok && !header_error_q;
        damaged_o  <= header_error_q;
      end
      if (proved) begin
        tid_q       <= said.tid + 1'b1;
        tid_known_q <= 1'b1;
      end
      lost_o  <= (gap && !stale) ? missing : '0;
      stale_o <= gap && stale;
      if (at_footer) begin
        damaged_o    <= s_axis_tuser;
        footer_bad_o <= !footer_fits && !s_axis_tuser;
        frame_o      <= footer_good;
      end
      null_o <= proved_null;

      // Link
      if (good) begin
        alive_q        <= alive_i;
        link_up_o      <= 1'b1;
        remote_pause_o <= remote_pause_o | header.pause;
      end else if (alive_q != '0) alive_q <= alive_q - 1'b1;
      if (proved) begin
        remote_ready_o  <= said.rx_ready;
        remote_mac_o    <= said.source;
        remote_data_o   <= said.user_data;
        remote_pause_o  <= proved_null ? header.pause : footer.pause;
        m_opcode_tdata  <= said.op_code;
        m_opcode_tvalid <= said.op_valid;
      end
      if (down) begin
        link_up_o      <= 1'b0;
        remote_ready_o <= 1'b0;
        remote_pause_o <= '1;
        tid_known_q    <= 1'b0;
      end
      if (!phy_ready_i) begin
        first_q      <= 1'b1;
        in_frame_q   <= 1'b0;
        held_valid_q <= 1'b0;
        header_q     <= 1'b0;
      end
    end

    frame_bytes_o <= footer.size;
    if (header_q) said_q <= says;
    if (taken) begin
      held_q         <= s_axis_tdata;
      header_last_q  <= s_axis_tlast;
      header_error_q <= s_axis_tlast && s_axis_tuser;
    end
    if (header_q) begin
      vc_q    <= header.vc[IdxWidth-1:0];
      begin_q <= header.sof[0];
      words_q <= '0;
    end
    if (payload) words_q <= header_q ? WordsWidth'(1) : words_q + WordsWidth'(words_q != '1);
    if (word_valid_o) begin_q <= 1'b0;
  end

endmodule
