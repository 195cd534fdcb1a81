// SPDX-License-Identifier: Apache-2.0
//
// rifl_tx_serial: sends one frame as FrameWidth/64 words, scrambled and with its verification code.
//
// What      the two sync bits pass as they are; the bits of the body are scrambled; the last 12
//           bits are CRC-12 over the whole frame as sent (with these 12 bits zero) XOR the frame
//           id. bound_i: the CRC starts from the last 12 scrambled bits in front of the frame
//           instead of zero (docs/src/rifl-extended.md, "Bound frames"). StrongCode: in front of
//           these 12 bits stand 16 more (rifl_strong_code), bound likewise, over which the
//           scrambler runs on.
// Contract  frame_clk_i is clk_i divided by FrameWidth/64 with aligned edges. The frame inputs are
//           registers of frame_clk_i; toggle_i flips with each new frame. A frame registered at
//           clk_i edge t stands on word_o, most significant word first, after the edges t+1 ..
//           t+FrameWidth/64. word_o bit 0 is the first on the line. The scrambler runs on from
//           frame to frame.
// Timing    body -> 64 of them -> scrambler -> CRC -> word_o in one clock (about 8 levels of
//           logic), with StrongCode through both CRCs.
// Source    RIFL paper, section 3.B and 5.B; order and polynomials of the published core.

module rifl_tx_serial
  import rifl_pkg::*;
#(
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter bit StrongCode = 1'b0,
  localparam int unsigned BodyWidth = body_width(FrameWidth, StrongCode)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 toggle_i,
  input  logic                 control_i,
  input  logic                 bound_i,
  input  logic [BodyWidth-1:0] body_i,
  input  logic [  IdWidth-1:0] id_i,
  output logic [ PhyWidth-1:0] word_o
);

  localparam int unsigned Words = FrameWidth / PhyWidth;
  localparam int unsigned IndexWidth = $clog2(Words);
  // The body starts 2 bits behind the frame, so its last chunk is short by sync and codes.
  localparam int unsigned Short = FrameWidth - BodyWidth;

  // Which word of the frame is made in this clock.
  logic toggle_q;
  logic begun_q;  // a frame has, since the reset: the CRC is 0 in front of each
  logic [IndexWidth-1:0] index_q, index;
  logic first, last;
  assign first = toggle_i != toggle_q;
  assign index = first ? '0 : index_q;
  assign last  = index == IndexWidth'(Words - 1);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      toggle_q <= 1'b0;
      begun_q  <= 1'b0;
      index_q  <= '0;
    end else begin
      toggle_q <= toggle_i;
      begun_q  <= begun_q || first;
      index_q  <= index + 1'b1;
    end
  end

  // 64 bits of the body. Scrambled bits of one chunk are spread over two words of the line.
  logic [Words-1:0][PhyWidth-1:0] padded;
  logic [PhyWidth-1:0] chunk, scrambled;
  assign padded = {body_i, {Short{1'b0}}};
  assign chunk  = padded[~index];  // the most significant one first

  logic [ScramblerOrder-1:0] state_q, state_next;
  line_scrambler #(
    .Width(PhyWidth),
    .Order(ScramblerOrder),
    .Tap  (ScramblerTap)
  ) u_scrambler (
    .state_i(state_q),
    .data_i (chunk),
    .data_o (scrambled),
    .state_o(state_next)
  );

  logic [1:0] carry_q;  // last two bits of the chunk before
  logic [PhyWidth-1:0] plain, word;
  assign plain = {first ? (control_i ? SyncControl : SyncData) : carry_q, scrambled[PhyWidth-1:2]};
  if (StrongCode) begin : gen_strong
    logic [StrongWidth-1:0] strong_code;
    rifl_strong_code u_strong (
      .clk_i  (clk_i),
      .first_i(first),
      .word_i (plain),
      .start_i({StrongWidth{bound_i}} & state_q[StrongWidth-1:0]),
      .code_o (strong_code)
    );
    localparam int unsigned Above = CodeWidth + StrongWidth;
    assign word = last ? {plain[PhyWidth-1:Above], strong_code, CodeWidth'(0)} : plain;
  end else begin : gen_plain
    assign word = last ? {plain[PhyWidth-1:CodeWidth], CodeWidth'(0)} : plain;
  end

  logic [CodeWidth-1:0] crc_q, crc_next;
  prim_crc #(
    .CrcWidth (CodeWidth),
    .Poly     (CodePoly),
    .DataWidth(PhyWidth)
  ) u_crc (
    .crc_i (crc_q | ({CodeWidth{first && bound_i}} & state_q[CodeWidth-1:0])),
    .data_i(word),
    .crc_o (crc_next)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) state_q <= '0;
    else state_q <= last ? word[CodeWidth+:ScramblerOrder] : state_next;
    carry_q <= scrambled[1:0];
    crc_q   <= (last || !(first || begun_q)) ? '0 : crc_next;
    word_o  <= word;
    if (last) word_o[CodeWidth-1:0] <= crc_next ^ CodeWidth'(id_i);
  end

endmodule
