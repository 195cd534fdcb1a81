// SPDX-License-Identifier: Apache-2.0
//
// rifl_observe: what the `observe` page of the register map shows: state and counters of a link.
//
// What      counts what the link reports in its several clocks, puts its state into words, and
//           answers one read at a time. Reports events as pulses. Lanes: rifl_observe_lane,
//           streams: rifl_observe_stream, session: rifl_observe_session.
// Contract  rd_req_i is high with rd_addr_i (64-bit words of the page) until rd_ack_o, a pulse with
//           rd_data_o. A word without a register reads as 0. clear_i, a pulse, clears every counter
//           (prim_counter_bank). event_o: pulses, in the order of the bits of the register
//           `events`.
// Clocks and resets
//           everything is sampled in user_clk_i, except what rifl_observe_lane names. lane_status_i
//           and link_status_i come from frame_clk_i, which is user_clk_i divided by a whole number
//           with aligned edges. rst_i, of frame_clk_i or a faster clock of its group, comes from
//           the bus: a reset of the link leaves the counters alone.
// Latency   a read takes at most 40 + 16 * Lanes cycles. A counter shows an event of another clock
//           after its crossing and two rounds of the bank, of as many cycles each.
// Source    own design; map in docs/src/rifl-registers.md.

module rifl_observe
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
  import rifl_regs_pkg::*;
#(
  parameter int unsigned Lanes = 1,  // 1, 2, 4 or 8
  parameter int unsigned FrameWidth = 256,
  parameter int unsigned UserWidth = FrameWidth,
  parameter int unsigned OffsetWindow = 20,  // see rifl_clock_offset
  parameter bit Extended = 1'b1,
  localparam int unsigned AddrWidth = 8
) (
  input logic             user_clk_i,
  input logic             frame_clk_i,
  input logic             phy_tx_clk_i,
  input logic [Lanes-1:0] phy_rx_clk_i,
  input logic             rst_i,

  input  logic                 clear_i,
  input  logic                 rd_req_i,
  input  logic [AddrWidth-1:0] rd_addr_i,
  output logic                 rd_ack_o,
  output logic [         63:0] rd_data_o,
  output logic [          7:0] event_o,

  input logic                       link_rst_i,
  input logic                       link_up_i,
  input lane_status_t   [Lanes-1:0] lane_status_i,
  input rx_status_t     [Lanes-1:0] rx_status_i,
  input logic           [Lanes-1:0] injected_i,
  input logic                       extended_i,     // the setting
  input link_status_t               link_status_i,
  input stream_status_t             tx_stream_i,
  input stream_status_t             rx_stream_i,
  input logic                       tx_abort_i,     // pulse: a packet that was sent was cut
  input logic                       rx_abort_i,
  input prbs_status_t               prbs_i
);

  // ---- Places: words of the page, and counters of the bank ----
  localparam int unsigned LinkWords = 32;
  localparam int unsigned LaneWords = 16;
  localparam int unsigned Count = LinkWords + LaneWords * Lanes;
  localparam int unsigned CountWidth = $clog2(Count);
  localparam int unsigned BytesWidth = $clog2(UserWidth / 8 + 1);
  // Flips of one lane in a cycle of user_clk_i: one for each word, and one for the phase.
  localparam int unsigned FlipsWidth = $clog2(FrameWidth / PhyWidth + 2);
  localparam int unsigned IncWidth = (BytesWidth > FlipsWidth) ? BytesWidth : FlipsWidth;

  function automatic int unsigned in_link(observe_offset_e offset);
    return 32'(offset) / 8;
  endfunction
  function automatic int unsigned in_lane(int unsigned lane, observe_lane_offset_e offset);
    return LinkWords + LaneWords * lane + 32'(offset) / 8;
  endfunction

  typedef logic [Count-1:0][7:0] widths_t;
  function automatic widths_t inc_widths();
    widths_t widths = '0;
    for (int unsigned i = in_link(ObserveSessions); i <= in_link(ObserveRxAborts); i++) begin
      widths[i] = 8'd1;
    end
    widths[in_link(ObserveTxBytes)] = 8'(BytesWidth);
    widths[in_link(ObserveRxBytes)] = 8'(BytesWidth);
    for (int unsigned i = 0; i < Lanes; i++) begin
      for (
          int unsigned j = in_lane(i, ObserveLaneFrames);
          j <= in_lane(i, ObserveLaneStoppingFrames);
          j++
      ) begin
        widths[j] = 8'd2;
      end
      widths[in_lane(i, ObserveLaneAlignmentLosses)] = 8'd1;
      widths[in_lane(i, ObserveLaneCompensations)]   = 8'd1;
      widths[in_lane(i, ObserveLaneInjectedErrors)]  = 8'(FlipsWidth);
    end
    return widths;
  endfunction

  // ---- What happened in this cycle ----
  session_state_e session, session_q;
  logic [63:0] session_word, peer_word;
  rifl_observe_session #(
    .Extended(Extended)
  ) u_session (
    .clk_i     (frame_clk_i),
    .extended_i(extended_i),
    .status_i  (link_status_i),
    .state_o   (session),
    .session_o (session_word),
    .peer_o    (peer_word)
  );

  logic link_up_q, link_up_before_q, in_session;
  always_ff @(posedge user_clk_i) begin
    link_up_q <= link_up_i;
    link_up_before_q <= link_up_q && !rst_i;
    session_q <= session;
  end
  assign in_session = !(session inside {SessionStateCompatible, SessionStateAbsent});

  logic [1:0] own_frames;
  prim_sync_count #(
    .Width(2)
  ) u_own_frames (
    .src_clk_i(frame_clk_i),
    .src_rst_i(rst_i),
    .src_inc_i(1'b1),
    .dst_clk_i(user_clk_i),
    .dst_rst_i(rst_i),
    .dst_inc_o(own_frames)
  );

  logic [Lanes-1:0] aligned, up, pauses, new_error, lost_alignment, new_overflow;
  logic [Lanes-1:0][63:0] lane_words;
  logic [Lanes-1:0][LaneWords-1:0][IncWidth-1:0] lane_inc;
  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    assign aligned[i] = lane_status_i[i].aligned;
    assign up[i] = lane_status_i[i].up;
    rifl_observe_lane #(
      .OffsetWindow(OffsetWindow),
      .Words       (LaneWords),
      .FlipsWidth  (FlipsWidth),
      .IncWidth    (IncWidth)
    ) u_lane (
      .user_clk_i      (user_clk_i),
      .frame_clk_i     (frame_clk_i),
      .phy_tx_clk_i    (phy_tx_clk_i),
      .phy_rx_clk_i    (phy_rx_clk_i[i]),
      .rst_i           (rst_i),
      .status_i        (lane_status_i[i]),
      .rx_status_i     (rx_status_i[i]),
      .injected_i      (injected_i[i]),
      .in_session_i    (in_session),
      .own_frames_i    (own_frames),
      .pause_req_o     (pauses[i]),
      .new_error_o     (new_error[i]),
      .lost_alignment_o(lost_alignment[i]),
      .new_overflow_o  (new_overflow[i]),
      .word_o          (lane_words[i]),
      .inc_o           (lane_inc[i])
    );
  end

  logic [LinkWords-1:0][IncWidth-1:0] link_inc;
  always_comb begin
    link_inc = '0;
    link_inc[in_link(ObserveSessions)] =
        IncWidth'(session == SessionStateUp && session_q != SessionStateUp);
    link_inc[in_link(ObserveLinkUps)] = IncWidth'(link_up_q && !link_up_before_q);
    link_inc[in_link(ObserveCycles)] = IncWidth'(1);
    link_inc[in_link(ObserveTxPackets)] = IncWidth'(tx_stream_i.packet);
    link_inc[in_link(ObserveTxBytes)] = IncWidth'(tx_stream_i.bytes);
    link_inc[in_link(ObserveTxStalled)] = IncWidth'(tx_stream_i.stalled);
    link_inc[in_link(ObserveTxAborts)] = IncWidth'(tx_abort_i);
    link_inc[in_link(ObserveRxPackets)] = IncWidth'(rx_stream_i.packet);
    link_inc[in_link(ObserveRxBytes)] = IncWidth'(rx_stream_i.bytes);
    link_inc[in_link(ObserveRxStalled)] = IncWidth'(rx_stream_i.stalled);
    link_inc[in_link(ObserveRxAborts)] = IncWidth'(rx_abort_i);
  end

  // ---- State of the link ----
  link_reason_e reason;
  always_comb begin
    if (link_rst_i) reason = LinkReasonInReset;
    else if (!(&aligned)) reason = LinkReasonNoAlignment;
    else if (!(&up)) reason = LinkReasonSettling;
    else if (session_q inside {SessionStateHello, SessionStateReady, SessionStateRefused}) begin
      reason = LinkReasonSession;  // the peer pauses then, too
    end else if (|pauses) reason = LinkReasonPeerNotUp;
    else if (link_up_q) reason = LinkReasonUp;
    else reason = LinkReasonStarting;
  end

  // ---- Events ----
  logic [PrbsWidth-1:0] bit_errors_q, losses_q;
  logic new_prbs;
  assign new_prbs = prbs_i.bit_errors > bit_errors_q || prbs_i.losses > losses_q;
  always_ff @(posedge user_clk_i) begin
    bit_errors_q <= prbs_i.bit_errors;
    losses_q <= prbs_i.losses;
    if (rst_i) event_o <= '0;
    else begin
      event_o[0] <= link_up_q && !link_up_before_q;
      event_o[1] <= !link_up_q && link_up_before_q;
      event_o[2] <= |new_error;
      event_o[3] <= |lost_alignment;
      event_o[4] <= |new_overflow;
      event_o[5] <= session != session_q;
      event_o[6] <= tx_abort_i || rx_abort_i;
      event_o[7] <= new_prbs;
    end
  end

  // ---- Reads ----
  logic in_lanes, present, direct, direct_q, bank_ack;
  logic [63:0] word, word_q, bank_data;
  logic [3:0] lane_word;
  logic [2:0] lane;
  logic [CountWidth-1:0] bank_addr;

  assign in_lanes = rd_addr_i[7];
  assign lane = rd_addr_i[6:4];
  assign lane_word = rd_addr_i[3:0];
  assign present = in_lanes ? 32'(lane) < Lanes : rd_addr_i[6:5] == '0;
  assign bank_addr = in_lanes ? CountWidth'(LinkWords) + CountWidth'(rd_addr_i[6:0]) :
                                CountWidth'(rd_addr_i[4:0]);

  always_comb begin
    direct = 1'b1;
    word   = '0;
    if (!present) word = '0;
    else if (in_lanes) begin
      direct = lane_word == 4'(32'(ObserveLaneStatus) / 8);
      for (int unsigned i = 0; i < Lanes; i++) begin
        if (32'(lane) == i) word = lane_words[i];
      end
    end else begin
      unique case (32'(rd_addr_i[4:0]))
        in_link(ObserveLink): word = {55'd0, prbs_i.sync, reason, 3'd0, link_up_q};
        in_link(ObserveSession): word = session_word;
        in_link(ObservePeer): word = peer_word;
        in_link(ObservePrbsBytes): word = 64'(prbs_i.bytes);
        in_link(ObservePrbsSkipped): word = 64'(prbs_i.skipped);
        in_link(ObservePrbsBitErrors): word = 64'(prbs_i.bit_errors);
        in_link(ObservePrbsLosses): word = 64'(prbs_i.losses);
        default: direct = 1'b0;
      endcase
    end
  end

  always_ff @(posedge user_clk_i) begin
    direct_q <= rd_req_i && direct && !direct_q && !rst_i;
    word_q   <= word;
  end
  assign rd_ack_o  = direct_q || bank_ack;
  assign rd_data_o = bank_ack ? bank_data : word_q;

  prim_counter_bank #(
    .Count    (Count),
    .Width    (64),
    .IncWidth (IncWidth),
    .IncWidths(inc_widths())
  ) u_bank (
    .clk_i    (user_clk_i),
    .rst_i    (rst_i),
    .clear_i  (clear_i),
    .inc_i    ({lane_inc, link_inc}),
    .rd_req_i (rd_req_i && !direct),
    .rd_addr_i(bank_addr),
    .rd_ack_o (bank_ack),
    .rd_data_o(bank_data)
  );

endmodule
