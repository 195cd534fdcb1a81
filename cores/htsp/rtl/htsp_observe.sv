// SPDX-License-Identifier: Apache-2.0
//
// htsp_observe: what the `observe` page of the register map shows: state and counters of a link.
//
// What      Counts what the core reports, puts its state into words, measures the latency of a packet, and
//           answers one read at a time. Reports events as pulses.
// Contract  All in clk_i. rd_req_i is high with rd_addr_i (64-bit words of the page) until rd_ack_o, a pulse
//           with rd_data_o. A word without a register reads as 0. clear_i, a pulse, clears every counter
//           (prim_counter_bank) and the sizes. latency_i, a pulse, starts a measurement.
//           link_rst_i: the core is in reset; hold_i: the link is held down by register; both are why the
//           link goes down in the cycle behind. Neither touches the counters; rst_i does.
//           event_o: pulses, in the order of the bits of the register `events`.
// Latency   A read takes at most 70 + 16 * Channels cycles. A counter shows an event after two rounds of the
//           bank, of as many cycles each.
// Source    own design; map in docs/src/htsp-registers.md.
//
// Parameters
//   Channels    1 .. 16
//   Bytes       of a beat of the streams
//   PrbsWidth   bits of the checker's counters, 16..64

module htsp_observe
  import htsp_pkg::*;
  import htsp_regs_pkg::*;
#(
  parameter  int unsigned Channels  = 4,
  parameter  int unsigned Bytes     = WordBytes,
  parameter  int unsigned PrbsWidth = 48,
  localparam int unsigned IdxWidth  = (Channels > 1) ? $clog2(Channels) : 1,
  localparam int unsigned AddrWidth = 9
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 clear_i,
  input  logic                 latency_i,
  input  logic                 rd_req_i,
  input  logic [AddrWidth-1:0] rd_addr_i,
  output logic                 rd_ack_o,
  output logic [         63:0] rd_data_o,
  output logic [          6:0] event_o,

  // The channels' streams at the core.
  input logic [IdxWidth-1:0]            test_channel_i,
  input logic [Channels-1:0][Bytes-1:0] tx_tkeep_i,
  input logic [Channels-1:0]            tx_tlast_i,
  input logic [Channels-1:0]            tx_tuser_i,
  input logic [Channels-1:0]            tx_tvalid_i,
  input logic [Channels-1:0]            tx_tready_i,
  input logic [Channels-1:0][Bytes-1:0] rx_tkeep_i,
  input logic [Channels-1:0]            rx_tlast_i,
  input logic [Channels-1:0]            rx_tuser_i,
  input logic [Channels-1:0]            rx_tvalid_i,
  input logic [Channels-1:0]            rx_tready_i,

  // The line.
  input logic phy_tx_ready_i,
  input logic phy_rx_ready_i,
  input logic fec_corrected_i,
  input logic fec_uncorrected_i,

  // The core.
  input logic link_rst_i,
  input logic hold_i,
  input logic link_up_i,
  input logic remote_ready_i,
  input logic [47:0] remote_mac_i,
  input logic [15:0] remote_pause_i,
  input logic [127:0] remote_data_i,
  input logic [Channels-1:0] local_pause_i,
  input logic [127:0] tx_op_data_i,  // with tx_op_code_i
  input logic [127:0] rx_op_data_i,
  input logic rx_op_valid_i,
  input logic [Channels-1:0] tx_cut_i,
  input logic [Channels-1:0] tx_bad_i,
  input logic tx_frame_i,
  input logic [15:0] tx_frame_bytes_i,
  input logic tx_null_i,
  input logic tx_op_code_i,
  input logic [Channels-1:0] rx_overflow_i,
  input logic rx_frame_i,
  input logic [15:0] rx_frame_bytes_i,
  input logic rx_null_i,
  input logic rx_foreign_i,
  input logic rx_version_i,
  input logic rx_checksum_i,
  input logic rx_damaged_i,
  input logic rx_footer_bad_i,
  input logic rx_channel_i,
  input logic rx_orphan_i,
  input logic rx_stale_i,
  input logic [7:0] rx_lost_i,

  // The checker.
  input logic                 prbs_sync_i,
  input logic [PrbsWidth-1:0] prbs_bytes_i,
  input logic [PrbsWidth-1:0] prbs_skipped_i,
  input logic [PrbsWidth-1:0] prbs_bit_errors_i,
  input logic [PrbsWidth-1:0] prbs_losses_i
);

  // ---- Places: words of the page, and counters of the bank ----
  localparam int unsigned LinkWords = 64;
  localparam int unsigned ChannelWords = 16;
  localparam int unsigned Count = LinkWords + ChannelWords * Channels;
  localparam int unsigned PlaceWidth = $clog2(Count);
  localparam int unsigned BytesWidth = $clog2(Bytes + 1);
  localparam int unsigned IncWidth = 16;

  function automatic int unsigned in_link(observe_offset_e offset);
    return 32'(offset) / 8;
  endfunction
  function automatic int unsigned in_channel(int unsigned channel, observe_channel_offset_e offset);
    return LinkWords + ChannelWords * channel + 32'(offset) / 8;
  endfunction

  typedef logic [Count-1:0][7:0] widths_t;
  function automatic widths_t inc_widths();
    widths_t widths = '0;
    for (int unsigned i = in_link(ObserveCycles); i <= in_link(ObserveFecUncorrected); i++) begin
      widths[i] = 8'd1;
    end
    widths[in_link(ObserveTxBytes)] = 8'd16;
    widths[in_link(ObserveRxBytes)] = 8'd16;
    widths[in_link(ObserveLost)] = 8'd8;
    for (int unsigned c = 0; c < Channels; c++) begin
      for (
          int unsigned i = in_channel(c, ObserveChannelTxPackets);
          i <= in_channel(c, ObserveChannelRxErrors);
          i++
      ) begin
        widths[i] = 8'd1;
      end
      widths[in_channel(c, ObserveChannelTxBytes)] = 8'(BytesWidth);
      widths[in_channel(c, ObserveChannelRxBytes)] = 8'(BytesWidth);
    end
    return widths;
  endfunction

  // ---- Channels: one register between the streams and the sums ----
  logic [Channels-1:0] tx_beat, rx_beat, tx_open_q, rx_open_q, tx_first_q, rx_first_q;
  logic [Channels-1:0] tx_packet_q, tx_error_q, tx_stalled_q, rx_packet_q, rx_error_q, rx_stalled_q;
  logic [Channels-1:0][BytesWidth-1:0] tx_bytes_q, rx_bytes_q;
  assign tx_beat = tx_tvalid_i & tx_tready_i;
  assign rx_beat = rx_tvalid_i & rx_tready_i;
  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [BytesWidth-1:0] tx_bytes, rx_bytes;
    axis_keep_count #(
      .Bytes(Bytes)
    ) u_tx_bytes (
      .keep_i (tx_tkeep_i[c]),
      .count_o(tx_bytes)
    );
    axis_keep_count #(
      .Bytes(Bytes)
    ) u_rx_bytes (
      .keep_i (rx_tkeep_i[c]),
      .count_o(rx_bytes)
    );
    always_ff @(posedge clk_i) begin
      tx_bytes_q[c] <= tx_beat[c] ? tx_bytes : '0;
      rx_bytes_q[c] <= rx_beat[c] ? rx_bytes : '0;
      if (link_rst_i) begin
        tx_open_q[c] <= 1'b0;
        rx_open_q[c] <= 1'b0;
      end else begin
        if (tx_beat[c]) tx_open_q[c] <= !tx_tlast_i[c];
        if (rx_beat[c]) rx_open_q[c] <= !rx_tlast_i[c];
      end
    end
  end

  logic [Channels-1:0] paused_q, paused_before_q, pausing_q, pausing_before_q;
  always_ff @(posedge clk_i) begin
    tx_first_q       <= tx_beat & ~tx_open_q;
    rx_first_q       <= rx_beat & ~rx_open_q;
    tx_packet_q      <= tx_beat & tx_tlast_i;
    tx_error_q       <= tx_beat & tx_tlast_i & tx_tuser_i;
    tx_stalled_q     <= tx_tvalid_i & ~tx_tready_i;
    rx_packet_q      <= rx_beat & rx_tlast_i;
    rx_error_q       <= rx_beat & rx_tlast_i & rx_tuser_i;
    rx_stalled_q     <= rx_tvalid_i & ~rx_tready_i;
    paused_q         <= remote_pause_i[Channels-1:0] & {Channels{link_up_i}};
    paused_before_q  <= paused_q;
    pausing_q        <= local_pause_i;
    pausing_before_q <= pausing_q;
  end

  // ---- Link: why it goes down is what was so in the cycle before ----
  logic up_q, ready_q, tx_ready_q, rx_ready_q, reset_q;
  logic went_up, went_down;
  down_reason_e reason, reason_q;
  assign went_up   = link_up_i && !up_q;
  assign went_down = !link_up_i && up_q;
  always_comb begin
    if (reset_q) reason = DownReasonReset;
    else if (!rx_ready_q) reason = DownReasonPhy;
    else reason = DownReasonSilent;
  end
  always_ff @(posedge clk_i) begin
    reset_q <= link_rst_i || hold_i;
    if (rst_i) begin
      up_q       <= 1'b0;
      ready_q    <= 1'b0;
      tx_ready_q <= 1'b0;
      rx_ready_q <= 1'b0;
      reason_q   <= DownReasonNone;
    end else begin
      up_q       <= link_up_i;
      ready_q    <= remote_ready_i;
      tx_ready_q <= phy_tx_ready_i;
      rx_ready_q <= phy_rx_ready_i;
      if (went_down) reason_q <= reason;
    end
  end

  // ---- Op-codes, sizes ----
  logic [127:0] tx_op_q, rx_op_q;
  logic [15:0] tx_least_q, tx_most_q, rx_least_q, rx_most_q;
  logic tx_sized_q, rx_sized_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      tx_op_q <= '0;
      rx_op_q <= '0;
    end else begin
      if (tx_op_code_i) tx_op_q <= tx_op_data_i;
      if (rx_op_valid_i) rx_op_q <= rx_op_data_i;
    end
    if (rst_i || clear_i) begin
      tx_sized_q <= 1'b0;
      rx_sized_q <= 1'b0;
      tx_least_q <= '0;
      tx_most_q  <= '0;
      rx_least_q <= '0;
      rx_most_q  <= '0;
    end else begin
      if (tx_frame_i) begin
        tx_sized_q <= 1'b1;
        if (!tx_sized_q || tx_frame_bytes_i < tx_least_q) tx_least_q <= tx_frame_bytes_i;
        if (tx_frame_bytes_i > tx_most_q) tx_most_q <= tx_frame_bytes_i;
      end
      if (rx_frame_i) begin
        rx_sized_q <= 1'b1;
        if (!rx_sized_q || rx_frame_bytes_i < rx_least_q) rx_least_q <= rx_frame_bytes_i;
        if (rx_frame_bytes_i > rx_most_q) rx_most_q <= rx_frame_bytes_i;
      end
    end
  end

  // ---- Latency of one packet ----
  latency_state_e latency_state_q;
  logic [31:0] latency_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      latency_state_q <= LatencyStateIdle;
      latency_q       <= '0;
    end else if (latency_i) begin
      latency_state_q <= LatencyStateArmed;
      latency_q       <= '0;
    end else begin
      if (latency_state_q == LatencyStateArmed && tx_first_q[test_channel_i]) begin
        latency_state_q <= LatencyStateRunning;
        latency_q       <= 32'd1;
      end
      if (latency_state_q == LatencyStateRunning) begin
        if (rx_first_q[test_channel_i]) latency_state_q <= LatencyStateDone;
        else if (latency_q != '1) latency_q <= latency_q + 1'b1;
      end
    end
  end

  // ---- What happened in this cycle ----
  logic [Count-1:0][IncWidth-1:0] inc;
  always_comb begin
    inc = '0;
    inc[in_link(ObserveCycles)] = IncWidth'(1);
    inc[in_link(ObserveUpCycles)] = IncWidth'(link_up_i);
    inc[in_link(ObserveLinkUps)] = IncWidth'(went_up);
    inc[in_link(ObserveDownsSilent)] = IncWidth'(went_down && reason == DownReasonSilent);
    inc[in_link(ObserveDownsPhy)] = IncWidth'(went_down && reason == DownReasonPhy);
    inc[in_link(ObserveDownsReset)] = IncWidth'(went_down && reason == DownReasonReset);
    inc[in_link(ObserveRemoteReadies)] = IncWidth'(remote_ready_i && !ready_q);
    inc[in_link(ObservePhyTxReadies)] = IncWidth'(phy_tx_ready_i && !tx_ready_q);
    inc[in_link(ObservePhyRxReadies)] = IncWidth'(phy_rx_ready_i && !rx_ready_q);
    inc[in_link(ObserveTxFrames)] = IncWidth'(tx_frame_i);
    inc[in_link(ObserveTxHeaders)] = IncWidth'(tx_null_i);
    inc[in_link(ObserveTxBytes)] = tx_frame_i ? tx_frame_bytes_i : '0;
    inc[in_link(ObserveTxOpCodes)] = IncWidth'(tx_op_code_i);
    inc[in_link(ObserveRxFrames)] = IncWidth'(rx_frame_i);
    inc[in_link(ObserveRxHeaders)] = IncWidth'(rx_null_i);
    inc[in_link(ObserveRxBytes)] = rx_frame_i ? rx_frame_bytes_i : '0;
    inc[in_link(ObserveRxOpCodes)] = IncWidth'(rx_op_valid_i);
    inc[in_link(ObserveForeign)] = IncWidth'(rx_foreign_i);
    inc[in_link(ObserveVersion)] = IncWidth'(rx_version_i);
    inc[in_link(ObserveChecksum)] = IncWidth'(rx_checksum_i);
    inc[in_link(ObserveDamaged)] = IncWidth'(rx_damaged_i);
    inc[in_link(ObserveFooterBad)] = IncWidth'(rx_footer_bad_i);
    inc[in_link(ObserveUnknownChannel)] = IncWidth'(rx_channel_i);
    inc[in_link(ObserveOrphans)] = IncWidth'(rx_orphan_i);
    inc[in_link(ObserveStale)] = IncWidth'(rx_stale_i);
    inc[in_link(ObserveLost)] = IncWidth'(rx_lost_i);
    inc[in_link(ObserveFecCorrected)] = IncWidth'(fec_corrected_i);
    inc[in_link(ObserveFecUncorrected)] = IncWidth'(fec_uncorrected_i);
    for (int unsigned c = 0; c < Channels; c++) begin
      inc[in_channel(c, ObserveChannelTxPackets)] = IncWidth'(tx_packet_q[c]);
      inc[in_channel(c, ObserveChannelTxBytes)] = IncWidth'(tx_bytes_q[c]);
      inc[in_channel(c, ObserveChannelTxStalled)] = IncWidth'(tx_stalled_q[c]);
      inc[in_channel(c, ObserveChannelTxPaused)] = IncWidth'(paused_q[c]);
      inc[in_channel(c, ObserveChannelTxPauses)] = IncWidth'(paused_q[c] && !paused_before_q[c]);
      inc[in_channel(c, ObserveChannelTxErrors)] = IncWidth'(tx_error_q[c]);
      inc[in_channel(c, ObserveChannelTxCuts)] = IncWidth'(tx_cut_i[c]);
      inc[in_channel(c, ObserveChannelTxBadWords)] = IncWidth'(tx_bad_i[c]);
      inc[in_channel(c, ObserveChannelRxPackets)] = IncWidth'(rx_packet_q[c]);
      inc[in_channel(c, ObserveChannelRxBytes)] = IncWidth'(rx_bytes_q[c]);
      inc[in_channel(c, ObserveChannelRxStalled)] = IncWidth'(rx_stalled_q[c]);
      inc[in_channel(c, ObserveChannelRxPausing)] = IncWidth'(pausing_q[c]);
      inc[in_channel(c, ObserveChannelRxPauses)] = IncWidth'(pausing_q[c] && !pausing_before_q[c]);
      inc[in_channel(c, ObserveChannelRxOverflows)] = IncWidth'(rx_overflow_i[c]);
      inc[in_channel(c, ObserveChannelRxErrors)] = IncWidth'(rx_error_q[c]);
    end
  end

  // ---- Events ----
  logic [PrbsWidth-1:0] prbs_bit_errors_q, prbs_losses_q;
  always_ff @(posedge clk_i) begin
    prbs_bit_errors_q <= prbs_bit_errors_i;
    prbs_losses_q <= prbs_losses_i;
    if (rst_i) event_o <= '0;
    else begin
      event_o[0] <= went_up;
      event_o[1] <= went_down;
      event_o[2] <= rx_lost_i != '0 || rx_damaged_i || rx_checksum_i || rx_footer_bad_i
          || rx_stale_i || rx_orphan_i;
      event_o[3] <= |rx_overflow_i;
      event_o[4] <= |tx_cut_i;
      event_o[5] <= rx_op_valid_i;
      event_o[6] <= prbs_bit_errors_i > prbs_bit_errors_q || prbs_losses_i > prbs_losses_q;
    end
  end

  // ---- Reads ----
  logic in_channels, present, direct, direct_q, bank_ack;
  logic [63:0] word, word_q, bank_data;
  logic [PlaceWidth-1:0] bank_addr;

  assign in_channels = rd_addr_i[8];
  assign present = in_channels ? 32'(rd_addr_i[7:4]) < Channels : rd_addr_i[7:6] == '0;
  assign bank_addr = in_channels ? PlaceWidth'(LinkWords) + PlaceWidth'(rd_addr_i[7:0]) :
                                   PlaceWidth'(rd_addr_i[5:0]);

  always_comb begin
    direct = !present;
    word   = '0;
    if (present && !in_channels) begin
      direct = 1'b1;
      unique case (32'(rd_addr_i[5:0]))
        in_link(
            ObserveLink
        ): begin
          word = {
            16'd0,
            remote_pause_i,
            16'(local_pause_i),
            7'd0,
            prbs_sync_i,
            2'd0,
            reason_q,
            rx_ready_q,
            tx_ready_q,
            ready_q,
            up_q
          };
        end
        in_link(ObserveRemoteMac): word = 64'(remote_mac_i);
        in_link(ObserveRemoteDataLow): word = remote_data_i[63:0];
        in_link(ObserveRemoteDataHigh): word = remote_data_i[127:64];
        in_link(ObserveRxOpCodeLow): word = rx_op_q[63:0];
        in_link(ObserveRxOpCodeHigh): word = rx_op_q[127:64];
        in_link(ObserveTxOpCodeLow): word = tx_op_q[63:0];
        in_link(ObserveTxOpCodeHigh): word = tx_op_q[127:64];
        in_link(ObserveTxSize): word = {32'd0, tx_most_q, tx_least_q};
        in_link(ObserveRxSize): word = {32'd0, rx_most_q, rx_least_q};
        in_link(ObserveLatency): word = {30'd0, latency_state_q, latency_q};
        in_link(ObservePrbsBytes): word = 64'(prbs_bytes_i);
        in_link(ObservePrbsSkipped): word = 64'(prbs_skipped_i);
        in_link(ObservePrbsBitErrors): word = 64'(prbs_bit_errors_i);
        in_link(ObservePrbsLosses): word = 64'(prbs_losses_i);
        default: direct = 1'b0;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
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
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .clear_i  (clear_i),
    .inc_i    (inc),
    .rd_req_i (rd_req_i && !direct),
    .rd_addr_i(bank_addr),
    .rd_ack_o (bank_ack),
    .rd_data_o(bank_data)
  );

endmodule
