// SPDX-License-Identifier: Apache-2.0
//
// rifl_observe: what the `observe` page of the register map shows: state and counters of a link.
//
// What: counts what the link reports in its several clocks, puts its state into words, and answers one read
// at a time. Reports events as pulses.
// Contract: everything but the pulses of other clocks is sampled in user_clk_i. tx_state_i to
// rx_overflow_i come from frame_clk_i, which is user_clk_i divided by a whole number with aligned edges;
// rx_frame_i, rx_bad_i from phy_rx_clk_i[i]; injected_i from phy_tx_clk_i. rx_slip_i is not sampled as a
// whole: it means something while it stands still.
// tx_state_i and rx_error_i tell what is sent again and asked for in the compatible mode, served_i and
// incident_i, pulses of frame_clk_i, in the extended mode; session_state_i says which one runs.
// rd_req_i is high with rd_addr_i (64-bit words of the page) until rd_ack_o, a pulse with rd_data_o.
// A word without a register reads as 0. clear_i, a pulse, clears every counter (prim_counter_bank).
// event_o: pulses, in the order of the bits of the register `events`.
// Resets: rst_i, of frame_clk_i or a faster clock of its group, from the bus: a reset of the link leaves the
// counters alone. Counts of a recovered clock are never reset where they cross, for only their changes
// matter: so a clock that stands still during a reset shows no event that never was.
// Latency: a read takes at most 40 + 16 * Lanes cycles. A counter shows an event of another clock after its
// crossing and two rounds of the bank, of as many cycles each.
// Source: own design; map in docs/src/rifl-registers.md.

module rifl_observe #(
  parameter int unsigned Lanes = 1,  // 1, 2, 4 or 8
  parameter int unsigned FrameWidth = 256,
  parameter int unsigned UserWidth = FrameWidth,
  parameter int unsigned OffsetWindow = 20,  // see rifl_clock_offset
  parameter int unsigned PrbsWidth = 48,  // bits of the checker's counters, 16..64
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

  // The streams between user and link.
  input logic [UserWidth/8-1:0] tx_tkeep_i,
  input logic                   tx_tlast_i,
  input logic                   tx_tvalid_i,
  input logic                   tx_tready_i,
  input logic [UserWidth/8-1:0] rx_tkeep_i,
  input logic                   rx_tlast_i,
  input logic                   rx_tvalid_i,
  input logic                   rx_tready_i,

  // The link.
  input logic                                 link_rst_i,
  input logic                                 link_up_i,
  input rifl_pkg::tx_state_e [Lanes-1:0]      tx_state_i,
  input logic                [Lanes-1:0]      rx_aligned_i,
  input logic                [Lanes-1:0]      rx_up_i,
  input logic                [Lanes-1:0]      rx_error_i,
  input logic                [Lanes-1:0]      rx_pause_req_i,
  input logic                [Lanes-1:0]      rx_retrans_req_i,
  input logic                [Lanes-1:0]      local_fc_i,
  input logic                [Lanes-1:0]      remote_fc_i,
  input logic                [Lanes-1:0]      compensate_i,
  input logic                [Lanes-1:0]      rx_overflow_i,
  input logic                [Lanes-1:0][5:0] rx_slip_i,
  input logic                [Lanes-1:0]      rx_frame_i,
  input logic                [Lanes-1:0]      rx_bad_i,
  input logic                [Lanes-1:0]      tx_user_i,
  input logic                [Lanes-1:0]      rx_user_i,
  input logic                [Lanes-1:0]      injected_i,
  input logic                [Lanes-1:0]      served_i,
  input logic                [Lanes-1:0]      incident_i,

  // The session of the extended mode; a core without it says absent and zero.
  input rifl_regs_pkg::session_state_e session_state_i,
  input logic [3:0] session_reason_i,
  input logic [3:0] peer_reason_i,
  input logic [15:0] own_session_i,
  input logic [15:0] peer_session_i,
  input logic [63:0] peer_i,  // the word `peer`
  input logic [Lanes-1:0][15:0] round_trip_i,
  input logic tx_abort_i,  // pulse: a packet that was sent was cut
  input logic rx_abort_i,

  // The checker.
  input logic                 prbs_sync_i,
  input logic [PrbsWidth-1:0] prbs_bytes_i,
  input logic [PrbsWidth-1:0] prbs_skipped_i,
  input logic [PrbsWidth-1:0] prbs_bit_errors_i,
  input logic [PrbsWidth-1:0] prbs_losses_i
);

  import rifl_regs_pkg::*;

  // ---- Places: words of the page, and counters of the bank ----
  localparam int unsigned LinkWords = 32;
  localparam int unsigned LaneWords = 16;
  localparam int unsigned Count = LinkWords + LaneWords * Lanes;
  localparam int unsigned CountWidth = $clog2(Count);
  localparam int unsigned BytesWidth = $clog2(UserWidth / 8 + 1);
  // Flips of one lane in a cycle of user_clk_i: one for each word, and one for the phase.
  localparam int unsigned FlipsWidth = $clog2(FrameWidth / rifl_pkg::PhyWidth + 2);
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
    widths[in_link(ObserveSessions)] = 8'd1;
    widths[in_link(ObserveLinkUps)] = 8'd1;
    widths[in_link(ObserveCycles)] = 8'd1;
    widths[in_link(ObserveTxPackets)] = 8'd1;
    widths[in_link(ObserveTxBytes)] = 8'(BytesWidth);
    widths[in_link(ObserveTxStalled)] = 8'd1;
    widths[in_link(ObserveTxAborts)] = 8'd1;
    widths[in_link(ObserveRxPackets)] = 8'd1;
    widths[in_link(ObserveRxBytes)] = 8'(BytesWidth);
    widths[in_link(ObserveRxStalled)] = 8'd1;
    widths[in_link(ObserveRxAborts)] = 8'd1;
    for (int unsigned i = 0; i < Lanes; i++) begin
      widths[in_lane(i, ObserveLaneFrames)] = 8'd2;
      widths[in_lane(i, ObserveLaneBadFrames)] = 8'd2;
      widths[in_lane(i, ObserveLaneErrors)] = 8'd2;
      widths[in_lane(i, ObserveLaneResends)] = 8'd2;
      widths[in_lane(i, ObserveLaneAlignmentLosses)] = 8'd1;
      widths[in_lane(i, ObserveLaneUserFramesSent)] = 8'd2;
      widths[in_lane(i, ObserveLaneUserFramesReceived)] = 8'd2;
      widths[in_lane(i, ObserveLaneCompensations)] = 8'd1;
      widths[in_lane(i, ObserveLaneStoppedFrames)] = 8'd2;
      widths[in_lane(i, ObserveLaneStoppingFrames)] = 8'd2;
      widths[in_lane(i, ObserveLaneInjectedErrors)] = 8'(FlipsWidth);
    end
    return widths;
  endfunction

  // ---- What happened in this cycle ----
  logic [Count-1:0][IncWidth-1:0] inc;

  logic tx_beat, rx_beat;
  logic [BytesWidth-1:0] tx_bytes, rx_bytes, tx_bytes_q, rx_bytes_q;
  assign tx_beat = tx_tvalid_i && tx_tready_i;
  assign rx_beat = rx_tvalid_i && rx_tready_i;
  axis_keep_count #(
    .Bytes(UserWidth / 8)
  ) u_tx_bytes (
    .keep_i (tx_tkeep_i),
    .count_o(tx_bytes)
  );
  axis_keep_count #(
    .Bytes(UserWidth / 8)
  ) u_rx_bytes (
    .keep_i (rx_tkeep_i),
    .count_o(rx_bytes)
  );

  // One register between the user's signals and the sums.
  logic tx_packet_q, tx_stalled_q, rx_packet_q, rx_stalled_q;
  always_ff @(posedge user_clk_i) begin
    tx_bytes_q   <= tx_beat ? tx_bytes : '0;
    tx_packet_q  <= tx_beat && tx_tlast_i;
    tx_stalled_q <= tx_tvalid_i && !tx_tready_i;
    rx_bytes_q   <= rx_beat ? rx_bytes : '0;
    rx_packet_q  <= rx_beat && rx_tlast_i;
    rx_stalled_q <= rx_tvalid_i && !rx_tready_i;
  end

  // Flags, and how they were in the cycle before.
  typedef struct packed {
    logic aligned;
    logic up;
    logic error;
    logic pause_req;
    logic retrans_req;
    logic local_fc;
    logic remote_fc;
    logic overflow;
    logic compensate;
  } flags_t;
  flags_t [Lanes-1:0] flags_q, before_q;
  rifl_pkg::tx_state_e [Lanes-1:0] tx_state_q;
  logic link_up_q, link_up_before_q;
  session_state_e session_q;

  always_ff @(posedge user_clk_i) begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      flags_q[i].aligned <= rx_aligned_i[i];
      flags_q[i].up <= rx_up_i[i];
      flags_q[i].error <= rx_error_i[i];
      flags_q[i].pause_req <= rx_pause_req_i[i];
      flags_q[i].retrans_req <= rx_retrans_req_i[i];
      flags_q[i].local_fc <= local_fc_i[i];
      flags_q[i].remote_fc <= remote_fc_i[i];
      flags_q[i].overflow <= rx_overflow_i[i];
      flags_q[i].compensate <= compensate_i[i];
    end
    tx_state_q <= tx_state_i;
    before_q <= rst_i ? '0 : flags_q;
    link_up_q <= link_up_i;
    link_up_before_q <= link_up_q && !rst_i;
    session_q <= session_state_i;
  end

  // ---- Lanes ----
  logic in_session;
  assign in_session = !(session_state_i inside {SessionStateCompatible, SessionStateAbsent});

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

  logic [Lanes-1:0] new_error, lost_alignment, new_overflow;
  logic [Lanes-1:0][1:0] frames, bad, sent, received, stopped, stopping, asked, served;
  logic [Lanes-1:0][FlipsWidth-1:0] flips;
  logic [Lanes-1:0][63:0] lane_status;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    logic [1:0] rx_events;
    logic [5:0] frame_events;
    logic [1:0][1:0] rx_counts;
    logic [5:0][1:0] frame_counts;
    logic error_q, resending, resending_q, asks, serves;
    assign resending = tx_state_i[i] == rifl_pkg::StRetrans;
    always_ff @(posedge frame_clk_i) begin
      error_q <= rx_error_i[i] && !rst_i;
      resending_q <= resending && !rst_i;
    end
    assign asks = in_session ? incident_i[i] : rx_error_i[i] && !error_q;
    assign serves = in_session ? served_i[i] : resending && !resending_q;
    assign rx_events = {rx_bad_i[i], rx_frame_i[i]};
    assign {bad[i], frames[i]} = rx_counts;
    assign frame_events = {asks, serves, local_fc_i[i], remote_fc_i[i], rx_user_i[i], tx_user_i[i]};
    assign {asked[i], served[i], stopping[i], stopped[i], received[i], sent[i]} = frame_counts;

    for (genvar j = 0; j < 2; j++) begin : gen_rx
      prim_sync_count #(
        .Width(2)
      ) u_count (
        .src_clk_i(phy_rx_clk_i[i]),
        .src_rst_i(1'b0),
        .src_inc_i(rx_events[j]),
        .dst_clk_i(user_clk_i),
        .dst_rst_i(1'b0),
        .dst_inc_o(rx_counts[j])
      );
    end
    for (genvar j = 0; j < 6; j++) begin : gen_frame
      prim_sync_count #(
        .Width(2)
      ) u_count (
        .src_clk_i(frame_clk_i),
        .src_rst_i(rst_i),
        .src_inc_i(frame_events[j]),
        .dst_clk_i(user_clk_i),
        .dst_rst_i(rst_i),
        .dst_inc_o(frame_counts[j])
      );
    end
    prim_sync_count #(
      .Width(FlipsWidth)
    ) u_flips (
      .src_clk_i(phy_tx_clk_i),
      .src_rst_i(rst_i),
      .src_inc_i(injected_i[i]),
      .dst_clk_i(user_clk_i),
      .dst_rst_i(rst_i),
      .dst_inc_o(flips[i])
    );

    logic [5:0] slip;
    for (genvar j = 0; j < 6; j++) begin : gen_slip
      prim_sync_bit u_sync (
        .clk_i(user_clk_i),
        .rst_i(rst_i),
        .d_i  (rx_slip_i[i][j]),
        .q_o  (slip[j])
      );
    end

    logic [15:0] clock_offset;
    rifl_clock_offset #(
      .Window(OffsetWindow)
    ) u_clock_offset (
      .clk_i     (user_clk_i),
      .rst_i     (rst_i),
      .aligned_i (flags_q[i].aligned),
      .own_i     (own_frames),
      .received_i(frames[i]),
      .offset_o  (clock_offset)
    );

    assign new_error[i] = asked[i] != 0;
    assign lost_alignment[i] = !flags_q[i].aligned && before_q[i].aligned;
    assign new_overflow[i] = flags_q[i].overflow && !before_q[i].overflow;

    always_comb begin
      lane_status[i] = '0;
      lane_status[i][0] = flags_q[i].aligned;
      lane_status[i][1] = flags_q[i].up;
      lane_status[i][2] = flags_q[i].error;
      lane_status[i][3] = flags_q[i].pause_req;
      lane_status[i][4] = flags_q[i].retrans_req;
      lane_status[i][5] = flags_q[i].local_fc;
      lane_status[i][6] = flags_q[i].remote_fc;
      lane_status[i][7] = flags_q[i].overflow;
      lane_status[i][10:8] = tx_state_q[i];
      lane_status[i][21:16] = slip;
      lane_status[i][47:32] = round_trip_i[i];
      lane_status[i][63:48] = clock_offset;
    end
  end

  // ---- Increments ----
  logic session_up;
  assign session_up = session_state_i == SessionStateUp && session_q != SessionStateUp;

  always_comb begin
    inc = '0;
    inc[in_link(ObserveSessions)] = IncWidth'(session_up);
    inc[in_link(ObserveLinkUps)] = IncWidth'(link_up_q && !link_up_before_q);
    inc[in_link(ObserveCycles)] = IncWidth'(1);
    inc[in_link(ObserveTxPackets)] = IncWidth'(tx_packet_q);
    inc[in_link(ObserveTxBytes)] = IncWidth'(tx_bytes_q);
    inc[in_link(ObserveTxStalled)] = IncWidth'(tx_stalled_q);
    inc[in_link(ObserveTxAborts)] = IncWidth'(tx_abort_i);
    inc[in_link(ObserveRxPackets)] = IncWidth'(rx_packet_q);
    inc[in_link(ObserveRxBytes)] = IncWidth'(rx_bytes_q);
    inc[in_link(ObserveRxStalled)] = IncWidth'(rx_stalled_q);
    inc[in_link(ObserveRxAborts)] = IncWidth'(rx_abort_i);
    for (int unsigned i = 0; i < Lanes; i++) begin
      inc[in_lane(i, ObserveLaneFrames)] = flags_q[i].up ? IncWidth'(frames[i]) : '0;
      inc[in_lane(i, ObserveLaneBadFrames)] = IncWidth'(bad[i]);
      inc[in_lane(i, ObserveLaneErrors)] = IncWidth'(asked[i]);
      inc[in_lane(i, ObserveLaneResends)] = IncWidth'(served[i]);
      inc[in_lane(i, ObserveLaneAlignmentLosses)] = IncWidth'(lost_alignment[i]);
      inc[in_lane(i, ObserveLaneUserFramesSent)] = IncWidth'(sent[i]);
      inc[in_lane(i, ObserveLaneUserFramesReceived)] = IncWidth'(received[i]);
      inc[in_lane(i, ObserveLaneCompensations)] =
          IncWidth'(flags_q[i].compensate && !before_q[i].compensate);
      inc[in_lane(i, ObserveLaneStoppedFrames)] = IncWidth'(stopped[i]);
      inc[in_lane(i, ObserveLaneStoppingFrames)] = IncWidth'(stopping[i]);
      inc[in_lane(i, ObserveLaneInjectedErrors)] = IncWidth'(flips[i]);
    end
  end

  // ---- State of the link ----
  link_reason_e reason;
  logic peer_pauses;
  always_comb begin
    peer_pauses = 1'b0;
    for (int unsigned i = 0; i < Lanes; i++) peer_pauses |= flags_q[i].pause_req;
    if (link_rst_i) reason = LinkReasonInReset;
    else if (!(&rx_aligned_i)) reason = LinkReasonNoAlignment;
    else if (!(&rx_up_i)) reason = LinkReasonSettling;
    else if (session_q inside {SessionStateHello, SessionStateReady, SessionStateRefused}) begin
      reason = LinkReasonSession;  // the peer pauses then, too
    end else if (peer_pauses) reason = LinkReasonPeerNotUp;
    else if (link_up_q) reason = LinkReasonUp;
    else reason = LinkReasonStarting;
  end

  // ---- Events ----
  logic [PrbsWidth-1:0] prbs_bit_errors_q, prbs_losses_q;
  logic new_prbs;
  assign new_prbs = prbs_bit_errors_i > prbs_bit_errors_q || prbs_losses_i > prbs_losses_q;
  always_ff @(posedge user_clk_i) begin
    prbs_bit_errors_q <= prbs_bit_errors_i;
    prbs_losses_q <= prbs_losses_i;
    if (rst_i) event_o <= '0;
    else begin
      event_o[0] <= link_up_q && !link_up_before_q;
      event_o[1] <= !link_up_q && link_up_before_q;
      event_o[2] <= |new_error;
      event_o[3] <= |lost_alignment;
      event_o[4] <= |new_overflow;
      event_o[5] <= session_state_i != session_q;
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
        if (32'(lane) == i) word = lane_status[i];
      end
    end else begin
      unique case (32'(rd_addr_i[4:0]))
        in_link(ObserveLink): word = {55'd0, prbs_sync_i, reason, 3'd0, link_up_q};
        in_link(
            ObserveSession
        ):
        word = {
          16'd0,
          peer_session_i,
          own_session_i,
          4'd0,
          peer_reason_i,
          session_reason_i,
          1'b0,
          session_q
        };
        in_link(ObservePeer): word = peer_i;
        in_link(ObservePrbsBytes): word = 64'(prbs_bytes_i);
        in_link(ObservePrbsSkipped): word = 64'(prbs_skipped_i);
        in_link(ObservePrbsBitErrors): word = 64'(prbs_bit_errors_i);
        in_link(ObservePrbsLosses): word = 64'(prbs_losses_i);
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
    .inc_i    (inc),
    .rd_req_i (rd_req_i && !direct),
    .rd_addr_i(bank_addr),
    .rd_ack_o (bank_ack),
    .rd_data_o(bank_data)
  );

endmodule
