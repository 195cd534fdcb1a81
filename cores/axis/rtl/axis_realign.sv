// SPDX-License-Identifier: Apache-2.0
//
// axis_realign: moves the bytes of a packet to other lanes: from any byte of a memory word to any
// other.
//
// What      The bytes of a packet begin in lane from_i of its first input word and leave from lane
//           to_i of its first output word on, all words between full.
// Why       Memory is read and written at any byte, in whole words. One rotator: what was turned is
//           kept, and an output word is the low lanes of the last word turned and the high ones of
//           this.
// Contract  from_i, to_i and bytes_i belong to the packet that is offered, and stay until its last
//           output word is taken; bytes_i is not 0. The packet comes in ceil((from + bytes) /
//           Bytes) words and leaves in ceil((to + bytes) / Bytes). Lanes outside m_keep_o are zero.
//           An offered word stays. s_ready_o follows m_ready_i; it is not looked at before
//           s_valid_i where an output word needs no input. rst_i begins with a new packet.
// Latency   0 cycles; one word in each cycle, but for one more at the end if the output has a word
//           that no input is left for, and one at the begin if the bytes move to lower lanes.
//
// Parameters
//   Bytes         lanes, a power of two, 2 to 128
//   LengthWidth   bits of bytes_i, more than log2 Bytes + 1
// Source    own design

module axis_realign #(
  parameter int unsigned Bytes = 64,
  parameter int unsigned LengthWidth = 17,
  localparam int unsigned LaneWidth = $clog2(Bytes)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic [  LaneWidth-1:0] from_i,
  input  logic [  LaneWidth-1:0] to_i,
  input  logic [LengthWidth-1:0] bytes_i,
  input  logic                   s_valid_i,
  output logic                   s_ready_o,
  input  logic [    8*Bytes-1:0] s_data_i,
  output logic                   m_valid_o,
  input  logic                   m_ready_i,
  output logic [    8*Bytes-1:0] m_data_o,
  output logic [      Bytes-1:0] m_keep_o,
  output logic                   m_last_o
);

  if (Bytes < 2 || Bytes > 128 || (Bytes & (Bytes - 1)) != 0) begin : gen_bad_bytes
    $error("axis_realign %m: rule Bytes is a power of two, 2 to 128, got %0d", Bytes);
  end
  if (LengthWidth <= LaneWidth + 1) begin : gen_bad_length
    $error("axis_realign %m: rule LengthWidth > %0d, got %0d", LaneWidth + 1, LengthWidth);
  end

  localparam int unsigned Digits = (LaneWidth + 1) / 2;
  localparam int unsigned LeftWidth = LengthWidth + 1;
  localparam int unsigned WordsWidth = LeftWidth - LaneWidth;

  typedef logic [LeftWidth-1:0] left_t;
  typedef logic [WordsWidth-1:0] words_t;

  // Bytes up to the end of the packet, from lane 0 of the first word that is still to come; of the
  // input, its words.
  logic   begins_q;
  left_t  out_left_q;
  left_t  out_left;
  left_t  in_bytes;
  words_t in_left_q;
  words_t in_left;
  assign out_left = begins_q ? left_t'(to_i) + left_t'(bytes_i) : out_left_q;
  assign in_bytes = left_t'(from_i) + left_t'(bytes_i) + left_t'(Bytes - 1);
  assign in_left  = begins_q ? words_t'(in_bytes >> LaneWidth) : in_left_q;

  // The first word that leaves is the only one: seen without a sum, as that one is late.
  logic alone;
  assign alone = bytes_i[LengthWidth-1:LaneWidth+1] == '0
      && bytes_i[LaneWidth:0] <= (LaneWidth + 1)'(Bytes) - (LaneWidth + 1)'(to_i);

  // The first word that leaves needs the second that comes.
  logic swallow;
  logic wanted;
  logic started_q;  // the first output word is over
  assign swallow = begins_q && to_i < from_i;
  assign wanted = begins_q || in_left_q != '0;
  assign m_valid_o = !swallow && (s_valid_i || !wanted);
  assign s_ready_o = wanted && (swallow || m_ready_i);
  assign m_last_o = begins_q ? alone : out_left_q <= left_t'(Bytes);

  // Turn.
  logic [LaneWidth-1:0] turn;
  logic [ 2*Digits-1:0] digits;
  assign turn   = to_i - from_i;
  assign digits = (2 * Digits)'(turn);

  logic [Digits:0][8*Bytes-1:0] turned;
  assign turned[0] = s_data_i;
  for (genvar d = 0; d < Digits; d++) begin : gen_digit
    axis_rotate #(
      .ItemWidth(8),
      .Items    (Bytes),
      .Step     (1 << (2 * d))
    ) u_rotate (
      .digit_i(digits[2*d+:2]),
      .data_i (turned[d]),
      .data_o (turned[d+1])
    );
  end

  logic [8*Bytes-1:0] held_q;
  logic [  Bytes-1:0] from_start;
  logic [  Bytes-1:0] from_input;
  assign from_start = started_q ? '1 : {Bytes{1'b1}} << to_i;
  assign from_input = {Bytes{1'b1}} << turn;
  for (genvar i = 0; i < Bytes; i++) begin : gen_lane
    assign m_keep_o[i] = from_start[i] && (!m_last_o || left_t'(i) < out_left);
    assign m_data_o[8*i+:8] = (from_input[i] ? turned[Digits][8*i+:8] : held_q[8*i+:8])
        & {8{m_keep_o[i]}};
  end

  logic take;
  logic give;
  assign take = s_valid_i && s_ready_o;
  assign give = m_valid_o && m_ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      begins_q  <= 1'b1;
      started_q <= 1'b0;
    end else begin
      if (give) begins_q <= m_last_o;
      else if (take) begins_q <= 1'b0;
      if (give) started_q <= !m_last_o;
    end
    if (take || give) begin
      out_left_q <= give ? out_left - left_t'(Bytes) : out_left;
      in_left_q  <= in_left - words_t'(take);
    end
    if (take) held_q <= turned[Digits];
  end

endmodule
