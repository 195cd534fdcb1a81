// SPDX-License-Identifier: Apache-2.0
//
// slink_tx: a header and its data become the words of the lanes.
//
// What      STP on each lane in use; the header with its code; the data, in CRC mode with a code
//           behind each block; END. Words between packets are IDL. README.md, "Packets".
// Contract  s_valid_i: a packet waits, with s_header_i (its code is made here) until s_ready_o: its
//           last word is being sent. hold_i: no packet begins. ask_i: a word of HLD is sent, within
//           a packet too, and the rest a cycle later; without m_ready_i it is lost. d side: the
//           beats of the data, in order; they may come later than they could be sent (PAD fills the
//           time). A beat that is offered stays. spoil_i: the data were no good, which may be told
//           up to s_ready_o; END then stands in the wrong place, and the packet arrives damaged.
//           m_data_o: a word of all lanes in every cycle, of a lane the symbol that is sent first
//           in front; m_idle_o: it is between packets, and something else may be sent instead.
//           m_ready_i: the word is taken; else it stays. coding_i: of the line, 1 is 64b/66b. Then
//           the word with a code holds nothing else: its rest is zero, and END has its own.
// Latency   1 cycle from s_valid_i to the word with STP, and from a beat to its first word.
// Limits    s_header_i.lanes is 0, 1 or 2; the caller sees to it.

module slink_tx
  import slink_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_i,
  input  logic     coding_i,
  input  logic     hold_i,
  input  logic     ask_i,
  input  logic     s_valid_i,
  output logic     s_ready_o,
  input  header_t  s_header_i,
  input  logic     d_valid_i,
  output logic     d_ready_o,
  input  beat_t    d_data_i,
  input  logic     spoil_i,
  input  logic     m_ready_i,
  output tx_word_t m_data_o,
  output logic     m_idle_o
);

  typedef enum logic [2:0] {
    Idle,
    Header,
    Data,
    Code,
    Last
  } state_e;

  state_e state_q, state_d;
  logic [1:0] size;
  beat_t header, plain;
  logic [7:0] header_code;
  logic [15:0] crc_q, crc_next;
  logic [CountWidth-1:0] rest_q;  // beats of data to come, as in the header
  block_t block_q;  // beats of this block
  logic begins, pad, taken, block_end, last;
  logic [1:0] pieces, whole;
  logic [Characters-1:0][8:0] beat;
  logic [1:0][8:0] ending;
  tx_word_t word;

  assign size = s_header_i.lanes[1:0];
  assign whole = 2'(4'd3 >> size);
  assign begins = s_valid_i && !hold_i;
  assign pad = state_q == Data && !d_valid_i;
  assign last = rest_q == CountWidth'(1);
  assign block_end = last || &block_q;

  slink_header_code u_header_code (
    .header_i(s_header_i),
    .code_o  (header_code)
  );

  always_comb begin
    header_t coded;
    coded      = s_header_i;
    coded.code = header_code;
    header     = coded;
  end

  assign plain = (state_q == Header) ? header : d_data_i;

  slink_block_code u_code (
    .code_i(crc_q),
    .beat_i(plain),
    .code_o(crc_next)
  );

  assign ending = spoil_i ? {End, Idl} : {Pad, End};

  always_comb begin
    pieces = '0;
    beat   = {Characters{Pad}};
    unique case (state_q)
      Idle: begin
        for (int i = 0; i < int'(Characters); i++) beat[i] = 4'(i) >> size == 4'd1 ? Stp : Idl;
      end
      Header, Data: begin
        if (!pad) begin
          pieces = whole;
          for (int i = 0; i < int'(Characters); i++) beat[i] = {1'b0, plain[8*i+:8]};
        end
      end
      Code: begin
        if (coding_i) beat = '0;
        beat[0] = {1'b0, crc_q[15:8]};
        beat[1] = {1'b0, crc_q[7:0]};
        if (rest_q == '0 && !coding_i) begin
          {beat[3], beat[2]} = ending;
          pieces = 2'(size == '0);
        end
      end
      default: {beat[1], beat[0]} = ending;
    endcase
  end

  line_stripe #(
    .Lanes  (Lanes),
    .Symbols(Symbols),
    .Idle   (Idl)
  ) u_stripe (
    .clk_i,
    .rst_i,
    .size_i    (size),
    .s_valid_i (state_q != Idle || begins),
    .s_ready_o (taken),
    .s_pieces_i(pieces),
    .s_data_i  (beat),
    .m_ready_i (m_ready_i && !ask_i),
    .m_data_o  (word)
  );

  always_comb begin
    state_d   = state_q;
    s_ready_o = 1'b0;
    unique case (state_q)
      Idle:   if (begins && taken) state_d = Header;
      Header: if (taken) state_d = has_data(s_header_i.kind, s_header_i.read) ? Data : Last;
      Data: begin
        if (taken && !pad) begin
          if (s_header_i.crc) state_d = block_end ? Code : Data;
          else state_d = last ? Last : Data;
        end
      end
      Code: begin
        if (taken) begin
          s_ready_o = rest_q == '0 && !coding_i;
          if (rest_q != '0) state_d = Data;
          else state_d = coding_i ? Last : Idle;
        end
      end
      default: begin
        if (taken) begin
          s_ready_o = 1'b1;
          state_d   = Idle;
        end
      end
    endcase
  end

  assign d_ready_o = state_q == Data && taken && !pad;

  always_ff @(posedge clk_i) begin
    state_q <= rst_i ? Idle : state_d;
    if (state_q == Idle || state_q == Code) begin
      block_q <= '0;
      // In the first word of a code of two the register is still needed; a code of two is the last
      // one.
      if (taken) crc_q <= '1;
    end
    if (state_q == Header) rest_q <= s_header_i.beats;
    if (taken && !pad && (state_q == Header || state_q == Data)) crc_q <= crc_next;
    if (d_ready_o) begin
      rest_q  <= rest_q - 1'b1;
      block_q <= block_q + 1'b1;
    end
    if (m_ready_i) begin
      m_data_o <= ask_i ? {Characters{Hld}} : word;
      m_idle_o <= state_q == Idle && !begins && !ask_i;
    end
  end

endmodule
