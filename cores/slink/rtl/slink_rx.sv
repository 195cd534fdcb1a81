// SPDX-License-Identifier: Apache-2.0
//
// slink_rx: the words of the lanes become headers and data, and whatever is damaged is told.
//
// What      Finds STP, collects the lanes in use into beats, checks header, length, codes and END.
//           README.md, "Packets".
// Contract  s_valid_i: a word of all lanes arrived. Words that are all PAD, and words between
//           packets, may be left out. coding_i: as in slink_tx.
//           rx_o.header_valid: a packet begins, whose header's code is good and whose lanes are
//           those of STP. Each such packet is ended once, by ends or damaged. good: in CRC mode a
//           block was found good, else each beat by itself. clean may be 0 only without CRC.
//           The next STP begins a packet whatever came before; between packets nothing is told.
//           hold: anywhere; it is part of no packet.
// Clocks and resets  clk_i; rst_i synchronous.
// Latency   1 cycle from the word that completes a beat.
// Limits    A packet that stops in mid-word or loses its END may be told when the next one starts.
//           PAD fills whole words of the lanes in use, or the rest of a word behind code or END:
//           that is what slink_tx sends.

module slink_rx
  import slink_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_i,
  input  logic     coding_i,
  input  logic     s_valid_i,
  input  rx_word_t s_data_i,
  output rx_t      rx_o
);

  // ---- Words: where a packet starts, which words count, which word holds a code ----
  localparam int unsigned HeaderWords = 4;  // over one lane
  localparam int unsigned BlockWords = 4 * 2 ** $bits(block_t);

  logic start, start_q, first_q, crc_mode_q, pad_word, hold_word, end_word, code_word, feed;
  logic [Lanes-1:0] stp, used;
  logic [1:0] start_size, size_q;
  logic [10:0] left_q;  // words in front of the next code

  always_comb begin
    pad_word = 1'b1;
    end_word = 1'b0;
    for (int l = 0; l < int'(Lanes); l++) begin
      stp[l]  = s_data_i[l][1] == {1'b0, Stp};
      used[l] = 3'(l) < 3'd1 << size_q;
      for (int s = 0; s < int'(Symbols); s++) begin
        if (used[l] && s_data_i[l][s] != {1'b0, Pad}) pad_word = 1'b0;
        if (used[l] && s_data_i[l][s] == {1'b0, End}) end_word = 1'b1;
      end
    end
    start      = s_valid_i && (stp == 4'b0001 || stp == 4'b0011 || stp == 4'b1111);
    start_size = {stp[3], stp[1] && !stp[3]};
  end

  // HLD is in all lanes; a word that has it in the first one is none of the packet.
  assign hold_word = s_data_i[0] == {2{1'b0, Hld}};
  assign rx_o.hold = s_valid_i && hold_word;
  assign feed      = s_valid_i && !start && !pad_word && !hold_word;
  assign code_word = crc_mode_q && left_q == '0;

  always_ff @(posedge clk_i) begin
    start_q <= start && !rst_i;
    if (start) begin
      size_q     <= start_size;
      first_q    <= 1'b1;
      crc_mode_q <= 1'b0;
      left_q     <= 11'(HeaderWords + BlockWords) >> start_size;
    end else if (feed) begin
      first_q <= 1'b0;
      if (first_q) crc_mode_q <= s_data_i[0][0][4];
      left_q <= (left_q == '0) ? 11'(BlockWords) >> size_q : left_q - 1'b1;
    end
  end

  // ---- Beats ----
  logic beat_valid;
  logic [1:0] pieces;
  logic [Characters-1:0][9:0] beat;
  logic [9:0] behind;  // a code of the last block: where END stands

  line_unstripe #(
    .Lanes  (Lanes),
    .Symbols(Symbols),
    .Width  (10)
  ) u_unstripe (
    .clk_i,
    .rst_i,
    .size_i    (size_q),
    .s_valid_i (feed),
    .s_first_i (first_q),
    .s_last_i  (end_word || code_word),
    .s_data_i,
    .m_valid_o (beat_valid),
    .m_pieces_o(pieces),
    .m_data_o  (beat)
  );

  typedef enum logic [2:0] {
    Outside,
    Header,
    Data,
    Code,
    Last
  } state_e;

  state_e state_q, state_d;
  logic full, control, wrong, third, rest_is_pad, block_end, last, wrong_data;
  logic good_header, crc_enabled_q, clean_q;
  logic [7:0] header_code;
  block_t block_q;
  logic [15:0] crc_q, crc_next;
  beat_t data;
  header_t header;
  logic [CountWidth-1:0] rest_q;

  always_comb begin
    control     = 1'b0;
    wrong       = 1'b0;
    rest_is_pad = 1'b1;
    for (int i = 0; i < int'(Characters); i++) begin
      data[8*i+:8] = beat[i][7:0];
      control |= beat[i][9:8] == 2'b01;
      wrong |= beat[i][9];
      // A word over one lane holds two characters and over two lanes four.
      if (i > 1 && (i < 4 || size_q[1]) && beat[i] != {1'b0, Pad}) rest_is_pad = 1'b0;
    end
  end

  assign header     = data;
  assign full       = pieces == 2'(4'd3 >> size_q);
  // The beat with a code has more in it: in 64b/66b a word behind that of the code, else the
  // characters behind the code.
  assign third      = pieces != '0 || (!coding_i && size_q != '0);
  assign behind     = (coding_i && size_q == 2'd1) ? beat[4] : beat[2];
  assign last       = rest_q == CountWidth'(1);
  assign block_end  = last || &block_q;
  assign wrong_data = !full || control || (wrong && crc_enabled_q);

  slink_header_code u_header_code (
    .header_i(header),
    .code_o  (header_code)
  );

  slink_block_code u_code (
    .code_i(crc_q),
    .beat_i(data),
    .code_o(crc_next)
  );

  assign good_header = full && !control && !wrong && header_code == header.code &&
      header.lanes == {1'b0, size_q};

  always_comb begin
    state_d           = state_q;
    rx_o.header_valid = 1'b0;
    rx_o.data_valid   = 1'b0;
    rx_o.good         = 1'b0;
    rx_o.ends         = 1'b0;
    rx_o.damaged      = 1'b0;
    if (start_q) begin
      rx_o.damaged = state_q != Outside;
      state_d = Header;
    end else if (beat_valid) begin
      unique case (state_q)
        Header: begin
          rx_o.header_valid = good_header;
          rx_o.damaged      = !good_header;
          state_d           = has_data(header.kind, header.read) ? Data : Last;
        end
        Data: begin
          rx_o.data_valid = !wrong_data;
          rx_o.damaged    = wrong_data;
          rx_o.good       = !wrong_data && !crc_enabled_q;
          if (crc_enabled_q && block_end) state_d = Code;
          else if (last) state_d = Last;
        end
        Code: begin
          if ({beat[0], beat[1]} != {2'b00, crc_q[15:8], 2'b00, crc_q[7:0]}) begin
            rx_o.damaged = 1'b1;
          end else if (rest_q != '0) begin
            rx_o.good    = 1'b1;
            rx_o.damaged = third && !rest_is_pad;
            state_d      = Data;
          end else begin
            rx_o.good    = 1'b1;
            rx_o.ends    = third && behind == {1'b0, End};
            rx_o.damaged = third && behind != {1'b0, End};
            state_d      = third ? Outside : Last;
          end
        end
        Last: begin
          rx_o.ends    = beat[0] == {1'b0, End};
          rx_o.damaged = !rx_o.ends;
          state_d      = Outside;
        end
        default: ;
      endcase
      if (rx_o.damaged) state_d = Outside;
    end
  end

  assign rx_o.data  = data;
  assign rx_o.clean = clean_q;
  assign rx_o.known = state_q != Header;

  always_ff @(posedge clk_i) begin
    state_q <= rst_i ? Outside : state_d;
    if (start_q) begin
      clean_q <= 1'b1;
      crc_q   <= '1;
      block_q <= '0;
    end else if (beat_valid) begin
      if (state_q == Header) begin
        rest_q        <= header.beats;
        crc_enabled_q <= header.crc;
      end else if (state_q == Data) begin
        rest_q  <= rest_q - 1'b1;
        block_q <= block_q + 1'b1;
        if (wrong) clean_q <= 1'b0;
      end else begin
        block_q <= '0;
      end
      crc_q <= (state_q == Code) ? '1 : crc_next;
    end
  end

endmodule
