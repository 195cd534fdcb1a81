// SPDX-License-Identifier: Apache-2.0
//
// htsp_observe: what the `observe` page of the register map shows: state and counters of a link.
//
// What      Counts what the core reports, puts its state into words, measures the latency of a
//           packet, and answers one read at a time. Reports events as pulses.
// Contract  rd_req_i is high with rd_addr_i (64-bit words of the page) until rd_ack_o, a pulse with
//           rd_data_o. A word without a register reads as 0. clear_i, a pulse, clears every counter
//           (prim_counter_bank) and the sizes. latency_i, a pulse, starts a measurement.
//           Index 0 of taps_i and flow_i is the transmitter, 1 the receiver; taps_i are the
//           channels' streams at the core.
//           link_rst_i: the core is in reset; hold_i: the link is held down by register; both are
//           why the link goes down in the cycle behind. Neither touches the counters; rst_i does.
//           event_o: pulses, in the order of the bits of the register `events`.
// Clocks and resets  clk_i; both resets synchronous.
// Latency   A read takes at most 70 + 16 * Channels cycles. A counter shows an event after two
//           rounds of the bank, of as many cycles each.
// Source    own design; map in docs/src/htsp-registers.md.
//
// Parameters
//   Channels    1 .. 16
//   Bytes       of a beat of the streams

module htsp_observe
  import htsp_pkg::*;
  import htsp_regs_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter int unsigned Bytes = WordBytes,
  localparam int unsigned IdxWidth = (Channels > 1) ? $clog2(Channels) : 1,
  localparam int unsigned AddrWidth = 9
) (
  input  logic                                          clk_i,
  input  logic                                          rst_i,
  input  logic                                          clear_i,
  input  logic                                          latency_i,
  input  logic            [ IdxWidth-1:0]               test_channel_i,
  input  logic                                          rd_req_i,
  input  logic            [AddrWidth-1:0]               rd_addr_i,
  output logic                                          rd_ack_o,
  output logic            [         63:0]               rd_data_o,
  output logic            [          6:0]               event_o,
  input  tap_t            [          1:0][Channels-1:0] taps_i,
  input  flow_t           [          1:0]               flow_i,
  input  phy_status_t                                   phy_i,
  input  logic                                          link_rst_i,
  input  logic                                          hold_i,
  input  link_status_t                                  link_i,
  input  logic            [ Channels-1:0]               local_pause_i,
  input  rx_faults_t                                    faults_i,
  input  channel_events_t                               channels_i,
  input  test_status_t                                  test_i
);

  // ---- Places: words of the page, and counters of the bank ----
  localparam int unsigned LinkWords = 64;
  localparam int unsigned ChannelWords = 16;
  localparam int unsigned Count = LinkWords + ChannelWords * Channels;
  localparam int unsigned PlaceWidth = $clog2(Count);
  localparam int unsigned BytesWidth = $clog2(Bytes + 1);
  localparam int unsigned Tx = 0, Rx = 1;
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
  meter_t [1:0][Channels-1:0] meter;
  for (genvar d = 0; d < 2; d++) begin : gen_direction
    for (genvar c = 0; c < Channels; c++) begin : gen_channel
      htsp_meter #(
        .Bytes(Bytes)
      ) u_meter (
        .clk_i,
        .link_rst_i,
        .tap_i  (taps_i[d][c]),
        .meter_o(meter[d][c])
      );
    end
  end

  logic [1:0][Channels-1:0] paused_q, paused_before_q;  // by the peer, by this end
  always_ff @(posedge clk_i) begin
    paused_q[Tx]    <= link_i.remote_pause[Channels-1:0] & {Channels{link_i.link_up}};
    paused_q[Rx]    <= local_pause_i;
    paused_before_q <= paused_q;
  end

  // ---- Link: why it goes down is what was so in the cycle before ----
  logic up_q, ready_q, tx_ready_q, rx_ready_q, reset_q;
  logic went_up, went_down;
  down_reason_e reason, reason_q;
  assign went_up   = link_i.link_up && !up_q;
  assign went_down = !link_i.link_up && up_q;
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
      up_q       <= link_i.link_up;
      ready_q    <= link_i.remote_ready;
      tx_ready_q <= phy_i.tx_ready;
      rx_ready_q <= phy_i.rx_ready;
      if (went_down) reason_q <= reason;
    end
  end

  // ---- Op-codes, sizes ----
  logic [1:0][127:0] op_q;
  logic [1:0][15:0] least_q, most_q;
  logic [1:0] sized_q;
  always_ff @(posedge clk_i) begin
    for (int d = 0; d < 2; d++) begin
      if (rst_i) op_q[d] <= '0;
      else if (flow_i[d].op_code) op_q[d] <= flow_i[d].op_data;
      if (rst_i || clear_i) begin
        sized_q[d] <= 1'b0;
        least_q[d] <= '0;
        most_q[d]  <= '0;
      end else if (flow_i[d].frame) begin
        sized_q[d] <= 1'b1;
        if (!sized_q[d] || flow_i[d].frame_bytes < least_q[d]) least_q[d] <= flow_i[d].frame_bytes;
        if (flow_i[d].frame_bytes > most_q[d]) most_q[d] <= flow_i[d].frame_bytes;
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
      if (latency_state_q == LatencyStateArmed && meter[Tx][test_channel_i].first) begin
        latency_state_q <= LatencyStateRunning;
        latency_q       <= 32'd1;
      end
      if (latency_state_q == LatencyStateRunning) begin
        if (meter[Rx][test_channel_i].first) latency_state_q <= LatencyStateDone;
        else if (latency_q != '1) latency_q <= latency_q + 1'b1;
      end
    end
  end

  // ---- What happened in this cycle ----
  logic [Count-1:0][IncWidth-1:0] inc;
  always_comb begin
    inc = '0;
    inc[in_link(ObserveCycles)] = IncWidth'(1);
    inc[in_link(ObserveUpCycles)] = IncWidth'(link_i.link_up);
    inc[in_link(ObserveLinkUps)] = IncWidth'(went_up);
    inc[in_link(ObserveDownsSilent)] = IncWidth'(went_down && reason == DownReasonSilent);
    inc[in_link(ObserveDownsPhy)] = IncWidth'(went_down && reason == DownReasonPhy);
    inc[in_link(ObserveDownsReset)] = IncWidth'(went_down && reason == DownReasonReset);
    inc[in_link(ObserveRemoteReadies)] = IncWidth'(link_i.remote_ready && !ready_q);
    inc[in_link(ObservePhyTxReadies)] = IncWidth'(phy_i.tx_ready && !tx_ready_q);
    inc[in_link(ObservePhyRxReadies)] = IncWidth'(phy_i.rx_ready && !rx_ready_q);
    inc[in_link(ObserveTxFrames)] = IncWidth'(flow_i[Tx].frame);
    inc[in_link(ObserveTxHeaders)] = IncWidth'(flow_i[Tx].alone);
    inc[in_link(ObserveTxBytes)] = flow_i[Tx].frame ? flow_i[Tx].frame_bytes : '0;
    inc[in_link(ObserveTxOpCodes)] = IncWidth'(flow_i[Tx].op_code);
    inc[in_link(ObserveRxFrames)] = IncWidth'(flow_i[Rx].frame);
    inc[in_link(ObserveRxHeaders)] = IncWidth'(flow_i[Rx].alone);
    inc[in_link(ObserveRxBytes)] = flow_i[Rx].frame ? flow_i[Rx].frame_bytes : '0;
    inc[in_link(ObserveRxOpCodes)] = IncWidth'(flow_i[Rx].op_code);
    inc[in_link(ObserveForeign)] = IncWidth'(faults_i.foreign);
    inc[in_link(ObserveVersion)] = IncWidth'(faults_i.version);
    inc[in_link(ObserveChecksum)] = IncWidth'(faults_i.checksum);
    inc[in_link(ObserveDamaged)] = IncWidth'(faults_i.damaged);
    inc[in_link(ObserveFooterBad)] = IncWidth'(faults_i.footer_bad);
    inc[in_link(ObserveUnknownChannel)] = IncWidth'(faults_i.channel);
    inc[in_link(ObserveOrphans)] = IncWidth'(faults_i.orphan);
    inc[in_link(ObserveStale)] = IncWidth'(faults_i.stale);
    inc[in_link(ObserveLost)] = IncWidth'(faults_i.lost);
    inc[in_link(ObserveFecCorrected)] = IncWidth'(phy_i.fec_corrected);
    inc[in_link(ObserveFecUncorrected)] = IncWidth'(phy_i.fec_uncorrected);
    for (int unsigned c = 0; c < Channels; c++) begin
      inc[in_channel(c, ObserveChannelTxPackets)] = IncWidth'(meter[Tx][c].packet);
      inc[in_channel(c, ObserveChannelTxBytes)] = IncWidth'(meter[Tx][c].bytes);
      inc[in_channel(c, ObserveChannelTxStalled)] = IncWidth'(meter[Tx][c].stalled);
      inc[in_channel(c, ObserveChannelTxPaused)] = IncWidth'(paused_q[Tx][c]);
      inc[in_channel(c, ObserveChannelTxPauses)] =
          IncWidth'(paused_q[Tx][c] && !paused_before_q[Tx][c]);
      inc[in_channel(c, ObserveChannelTxErrors)] = IncWidth'(meter[Tx][c].error);
      inc[in_channel(c, ObserveChannelTxCuts)] = IncWidth'(channels_i.tx_cut[c]);
      inc[in_channel(c, ObserveChannelTxBadWords)] = IncWidth'(channels_i.tx_bad[c]);
      inc[in_channel(c, ObserveChannelRxPackets)] = IncWidth'(meter[Rx][c].packet);
      inc[in_channel(c, ObserveChannelRxBytes)] = IncWidth'(meter[Rx][c].bytes);
      inc[in_channel(c, ObserveChannelRxStalled)] = IncWidth'(meter[Rx][c].stalled);
      inc[in_channel(c, ObserveChannelRxPausing)] = IncWidth'(paused_q[Rx][c]);
      inc[in_channel(c, ObserveChannelRxPauses)] =
          IncWidth'(paused_q[Rx][c] && !paused_before_q[Rx][c]);
      inc[in_channel(c, ObserveChannelRxOverflows)] = IncWidth'(channels_i.rx_overflow[c]);
      inc[in_channel(c, ObserveChannelRxErrors)] = IncWidth'(meter[Rx][c].error);
    end
  end

  // ---- Events ----
  logic [PrbsWidth-1:0] prbs_bit_errors_q, prbs_losses_q;
  always_ff @(posedge clk_i) begin
    prbs_bit_errors_q <= test_i.bit_errors;
    prbs_losses_q <= test_i.losses;
    if (rst_i) event_o <= '0;
    else begin
      event_o[0] <= went_up;
      event_o[1] <= went_down;
      event_o[2] <= faults_i.lost != '0 || faults_i.damaged || faults_i.checksum
          || faults_i.footer_bad || faults_i.stale || faults_i.orphan;
      event_o[3] <= |channels_i.rx_overflow;
      event_o[4] <= |channels_i.tx_cut;
      event_o[5] <= flow_i[Rx].op_code;
      event_o[6] <= test_i.bit_errors > prbs_bit_errors_q || test_i.losses > prbs_losses_q;
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
            link_i.remote_pause,
            16'(local_pause_i),
            7'd0,
            test_i.sync,
            2'd0,
            reason_q,
            rx_ready_q,
            tx_ready_q,
            ready_q,
            up_q
          };
        end
        in_link(ObserveRemoteMac): word = 64'(link_i.remote_mac);
        in_link(ObserveRemoteDataLow): word = link_i.remote_data[63:0];
        in_link(ObserveRemoteDataHigh): word = link_i.remote_data[127:64];
        in_link(ObserveRxOpCodeLow): word = op_q[Rx][63:0];
        in_link(ObserveRxOpCodeHigh): word = op_q[Rx][127:64];
        in_link(ObserveTxOpCodeLow): word = op_q[Tx][63:0];
        in_link(ObserveTxOpCodeHigh): word = op_q[Tx][127:64];
        in_link(ObserveTxSize): word = {32'd0, most_q[Tx], least_q[Tx]};
        in_link(ObserveRxSize): word = {32'd0, most_q[Rx], least_q[Rx]};
        in_link(ObserveLatency): word = {30'd0, latency_state_q, latency_q};
        in_link(ObservePrbsBytes): word = 64'(test_i.bytes);
        in_link(ObservePrbsSkipped): word = 64'(test_i.skipped);
        in_link(ObservePrbsBitErrors): word = 64'(test_i.bit_errors);
        in_link(ObservePrbsLosses): word = 64'(test_i.losses);
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

  logic unused;
  assign unused = ^{channels_i.rx_cut, link_i.remote_tuser};  // cut: shows as ended in error

endmodule
