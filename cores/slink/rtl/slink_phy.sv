// SPDX-License-Identifier: Apache-2.0
//
// slink_phy: the words of the lanes become raw bits for the transceivers, and back.
//
// What      Transmitter: COM between packets, the encoders. Receiver: boundaries of symbols or
//           blocks, decoders, deskew, and the way from the line's clock into ours. README.md,
//           "Layers" and "64b/66b".
// Contract  coding_i: 0 is 8b/10b, 1 is 64b/66b; it changes in reset.
//           s_data_i: a word of all lanes in every cycle with s_ready_o, of a lane the symbol that
//           is sent first in front. In 64b/66b it is 0 in one cycle of 33; the words are then data
//           or one of the pairs of slink_pkg, and others arrive as errors.
//           s_idle_i: it is between packets. A COM is put in its place in all lanes at once: after
//           32 words without one, and hold_o demands an idle word where none came for 127 words.
//           hold_o also demands one idle word for every 4096 of a packet, so that the peer's
//           elastic buffer can drain. hold_o = 1: begin no packet.
//           use_i: lanes that are wired; the others are taken for idle. When it changes the link
//           goes down and comes back.
//           tx_data_o, rx_data_i: 20 raw bits of each lane, bit 0 first on the line; in 64b/66b
//           the low 16 of them.
//           m_valid_o: a word of all lanes arrived that may mean something; of a character {error,
//           k, byte}. Words of IDL, COM or PAD alone do not arrive.
//           up_o: our receiver has all lanes. The peer's says so by the packets it sends.
//           overflow_o: a word was lost; the packet it belonged to is damaged.
// Clocks and resets
//           rx_clk_i: rx_data_i and overflow_o; clk_i: all else. rx_clk_i may be slow or stand
//           still at any time.
//           rst_i is synchronous to clk_i, one cycle or longer, and resets both sides: the
//           transmitter at once, the receiver by prim_clear. up_o and m_valid_o are 0 from rst_i
//           on until both sides have been cleared, so nothing that arrived before it comes out
//           after it.
//           coding_i and use_i cross whole, by prim_sync_setting; no word leaves while they
//           change.
// Latency   1 cycle to the raw bits; from there 3 cycles of rx_clk_i and 2 to 3 edges of clk_i. In
//           64b/66b 5 cycles, 5 and the rest of a block more, and 2 to 3.
//
// Parameters  Blocks   64b/66b is built; without it coding_i has to be 0
//             Depth    words of the elastic buffer, a power of two >= 8; line_elastic says what is
//                      enough
//             MaxSkew  words between the first and the last lane, plus one; 2 .. 16, a power of two

module slink_phy
  import slink_pkg::*;
#(
  parameter bit          Blocks  = 1'b0,
  parameter int unsigned Depth   = 64,
  parameter int unsigned MaxSkew = 16
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 coding_i,
  input  logic     [Lanes-1:0] use_i,
  input  tx_word_t             s_data_i,
  input  logic                 s_idle_i,
  output logic                 s_ready_o,
  output logic                 hold_o,
  output raw_t                 tx_data_o,
  output logic                 m_valid_o,
  output rx_word_t             m_data_o,
  output logic                 up_o,
  input  logic                 rx_clk_i,
  input  raw_t                 rx_data_i,
  output logic                 overflow_o
);

  localparam int unsigned ComPeriod = 32;  // words, in idle times
  localparam int unsigned ComLimit = 127;  // words without one until no packet begins
  localparam int unsigned DrainBits = 12;  // log2 of the words that owe an idle word
  localparam int unsigned DebtWidth = 7;  // the longest packet owes 65 idle words

  if (MaxSkew > ComPeriod / 2) begin : gen_bad_skew
    $error("slink_phy %m: MaxSkew must be at most %0d, got %0d", ComPeriod / 2, MaxSkew);
  end

  // ---- Transmitter ----
  logic [6:0] since_q;  // words since the last COM
  logic [DrainBits-1:0] run_q;
  logic [DebtWidth-1:0] debt_q;
  logic com, owes;
  tx_word_t word;

  assign com    = s_idle_i && since_q >= 7'(ComPeriod - 1);
  assign owes   = debt_q != '0;
  assign hold_o = since_q == 7'(ComLimit) || owes;

  always_comb begin
    word = s_data_i;
    for (int l = 0; l < int'(Lanes); l++) begin
      if (com) word[l][0] = Com;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      since_q <= '0;
      run_q   <= '0;
      debt_q  <= '0;
    end else if (s_ready_o) begin
      if (com) since_q <= '0;
      else if (since_q != 7'(ComLimit)) since_q <= since_q + 1'b1;
      if (!s_idle_i) begin
        run_q <= run_q + 1'b1;
        if (&run_q) debt_q <= debt_q + 1'b1;
      end else if (owes) begin
        debt_q <= debt_q - 1'b1;
      end
    end
  end

  logic [Lanes-1:0][15:0] tx_blocks;

  for (genvar l = 0; l < Lanes; l++) begin : gen_tx
    logic rd, rd_q;
    logic [8*Symbols-1:0] data;
    logic [Symbols-1:0] k;
    logic [10*Symbols-1:0] raw;

    for (genvar s = 0; s < Symbols; s++) begin : gen_symbol
      assign {k[s], data[8*s+:8]} = word[l][s];
    end

    line_8b10b_enc #(
      .Symbols(Symbols)
    ) u_enc (
      .rd_i  (rd_q),
      .data_i(data),
      .k_i   (k),
      .data_o(raw),
      .rd_o  (rd)
    );

    always_ff @(posedge clk_i) begin
      rd_q         <= !rst_i && rd;
      tx_data_o[l] <= coding_i ? (10 * Symbols)'(tx_blocks[l]) : raw;
    end
  end

  // ---- From our clock to the line's: resets and settings ----
  logic held, rx_rst, rx_clear, rx_coding, rx_changed;
  logic
      unused_clear,
      unused_valid;  // nothing goes from our side through the crossings; no lane is in use before
  logic [Lanes-1:0] rx_use;

  prim_clear u_clear (
    .a_clk_i  (rx_clk_i),
    .a_rst_i  (1'b0),
    .a_rst_o  (rx_rst),
    .a_clear_o(rx_clear),
    .b_clk_i  (clk_i),
    .b_rst_i  (rst_i),
    .b_rst_o  (held),
    .b_clear_o(unused_clear)
  );

  prim_sync_setting #(
    .Width(1 + Lanes)
  ) u_setting (
    .src_clk_i    (clk_i),
    .src_rst_i    (rst_i),
    .src_value_i  ({coding_i, use_i}),
    .dst_clk_i    (rx_clk_i),
    .dst_valid_o  (unused_valid),
    .dst_changed_o(rx_changed),
    .dst_value_o  ({rx_coding, rx_use})
  );

  // ---- Receiver, line's clock ----
  localparam int unsigned LaneWidth = 10 * Symbols;
  localparam logic [LaneWidth-1:0] IdleLane = {Symbols{1'b0, Idl}};

  logic [Lanes-1:0] aligned, comma, marker;
  logic [Lanes-1:0] blocks_aligned, blocks_valid, blocks_comma;
  rx_word_t lane, blocks_lane, level;
  logic deskewed, together, is_idle, is_pad;

  for (genvar l = 0; l < Lanes; l++) begin : gen_rx
    logic [8*Symbols-1:0] data;
    logic [Symbols-1:0] k, error;
    logic [$clog2(LaneWidth)-1:0] slip;

    line_8b10b_rx #(
      .Symbols(Symbols)
    ) u_rx (
      .clk_i    (rx_clk_i),
      .rst_i    (rx_rst),
      .data_i   (rx_data_i[l]),
      .data_o   (data),
      .k_o      (k),
      .error_o  (error),
      .comma_o  (comma[l]),
      .aligned_o(aligned[l]),
      .slip_o   (slip)
    );

    for (genvar s = 0; s < Symbols; s++) begin : gen_symbol
      assign lane[l][s] = {error[s], k[s], data[8*s+:8]};
    end

    logic unused;
    assign unused = &slip;
  end

  // ---- 64b/66b, both directions ----
  if (Blocks) begin : gen_blocks
    logic [Lanes-1:0] tx_k;
    logic [Lanes-1:0][15:0] tx_words;
    logic ready;

    assign s_ready_o = ready || !coding_i;

    line_64b66b_tx #(
      .Lanes(Lanes)
    ) u_tx (
      .clk_i,
      .rst_i,
      .s_ready_o(ready),
      .s_k_i    (tx_k),
      .s_data_i (tx_words),
      .data_o   (tx_blocks)
    );

    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic k, error;
      logic [15:0] data;
      pair_t pair;

      always_comb begin
        tx_k[l]     = 1'b0;
        tx_words[l] = {word[l][1][7:0], word[l][0][7:0]};
        if (word[l][0][8] || word[l][1][8]) begin
          tx_k[l]     = 1'b1;
          tx_words[l] = 16'(KindNone);
          for (int p = 0; p < int'(Pairs); p++) if (word[l] == PairOf[p]) tx_words[l] = 16'(p);
        end
      end

      line_64b66b_rx u_rx (
        .clk_i    (rx_clk_i),
        .rst_i    (rx_rst),
        .data_i   (rx_data_i[l][15:0]),
        .valid_o  (blocks_valid[l]),
        .k_o      (k),
        .data_o   (data),
        .error_o  (error),
        .aligned_o(blocks_aligned[l])
      );

      assign pair = PairOf[data[2:0]];
      assign blocks_lane[l] = (k && !data[3]) ? {1'b0, pair[1], 1'b0, pair[0]} :
          {error || k, 1'b0, data[15:8], error || k, 1'b0, data[7:0]};
      assign blocks_comma[l] = k && !data[3] && pair[0] == Com;
    end
  end else begin : gen_symbols
    assign s_ready_o      = 1'b1;
    assign tx_blocks      = '0;
    assign blocks_valid   = '0;
    assign blocks_lane    = '0;
    assign blocks_comma   = '0;
    assign blocks_aligned = '0;
  end

  line_deskew #(
    .Lanes(Lanes),
    .Width(LaneWidth),
    .Depth(MaxSkew)
  ) u_deskew (
    .clk_i     (rx_clk_i),
    .rst_i     (rx_rst || rx_changed),
    .use_i     (rx_use),
    .aligned_i (rx_coding ? blocks_aligned : aligned),
    .valid_i   (rx_coding ? blocks_valid : '1),
    .marker_i  (rx_coding ? blocks_comma : comma),
    .data_i    (rx_coding ? blocks_lane : lane),
    .valid_o   (together),
    .marker_o  (marker),
    .data_o    (level),
    .deskewed_o(deskewed)
  );

  rx_word_t used;

  always_comb begin
    is_idle = 1'b1;
    is_pad  = 1'b1;
    for (int l = 0; l < int'(Lanes); l++) begin
      used[l] = rx_use[l] ? level[l] : IdleLane;
      for (int s = 0; s < int'(Symbols); s++) begin
        if (used[l][s] != {1'b0, Idl} && used[l][s] != {1'b0, Com}) is_idle = 1'b0;
        if (level[l][s] != {1'b0, Pad} && rx_use[l]) is_pad = 1'b0;
      end
    end
  end

  line_elastic #(
    .Width(Lanes * LaneWidth),
    .Depth(Depth),
    .Idle ({Lanes{IdleLane}})
  ) u_elastic (
    .s_clk_i   (rx_clk_i),
    .s_rst_i   (rx_clear),
    .s_valid_i (together && !rx_changed),
    .s_idle_i  (is_idle || is_pad),
    .s_data_i  (used),
    .overflow_o(overflow_o),
    .m_clk_i   (clk_i),
    .m_rst_i   (rst_i || held),
    .m_valid_o (m_valid_o),
    .m_data_o  (m_data_o)
  );

  prim_sync_bit u_up (
    .clk_i(clk_i),
    .rst_i(rst_i || held),
    .d_i  (deskewed),
    .q_o  (up_o)
  );

  logic unused;
  assign unused = &marker;

endmodule
