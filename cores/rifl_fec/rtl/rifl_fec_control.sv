// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_control: whether codewords are sent, and in which cycles RIFL moves.
//
// What      Counts the words of a codeword, leaves the last two to the code, and decides at the
//           border of two codewords whether the next one is sent as such.
// Contract  mode_i may change in any cycle. Auto: plain until codewords are heard on a lane, then
//           codewords, until none have been heard for Absent codewords. take_o, frame_o, user_o:
//           the edge that ends this cycle belongs to RIFL's clock of words, of frames, of beats.
//           All three have whole numbers of words between their edges, also where coded_o changes
//           and during reset.
// Clocks and resets
//           All belong to clk_i, also heard_i. rst_i: plain words, and every edge passes. What
//           counts the words of frames and beats is not reset: its users may run on.
// Parameters
//   Lanes       of the link
//   FrameWords  words of a lane in a period of frame_clk, >= 2
//   UserWords   and of user_clk, >= 1
//   Absent      codewords, >= 2

module rifl_fec_control
  import rifl_fec_pkg::*;
#(
  parameter int unsigned Lanes = 1,
  parameter int unsigned FrameWords = 4,
  parameter int unsigned UserWords = 4,
  parameter int unsigned Absent = 1024
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  mode_t              mode_i,
  input  logic   [Lanes-1:0] heard_i,
  output index_t             index_o,
  output logic               coded_o,
  output logic               take_o,
  output logic               frame_o,
  output logic               user_o,
  output state_t             state_o
);

  if (FrameWords < 2 || UserWords < 1 || Absent < 2) begin : gen_bad
    $error(
        "rifl_fec_control %m: rule FrameWords, Absent >= 2 and UserWords >= 1, got %0d, %0d, %0d",
        FrameWords,
        Absent,
        UserWords
    );
  end

  // ---- Codewords or not ----
  localparam int unsigned AbsentWidth = $clog2(Absent + 1);
  logic [AbsentWidth-1:0] absent_q;
  logic ends, follow_q, coded_d;
  index_t index_d;

  assign ends = index_o == Last;
  assign index_d = ends ? '0 : index_o + 1'b1;
  assign coded_d = ends ? (mode_i == On || (mode_i == Auto && follow_q)) : coded_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      index_o  <= '0;
      coded_o  <= 1'b0;
      follow_q <= 1'b0;
      absent_q <= '0;
    end else begin
      index_o <= index_d;
      coded_o <= coded_d;
      if (heard_i != '0) begin
        follow_q <= 1'b1;
        absent_q <= AbsentWidth'(Absent);
      end else if (ends && absent_q != '0) begin
        absent_q <= absent_q - 1'b1;
        if (absent_q == AbsentWidth'(1)) follow_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) state_o <= Plain;
    else if (!coded_o) state_o <= (heard_i == '0) ? Plain : PeerOnly;
    else if (heard_i == '0) state_o <= OwnOnly;
    else state_o <= (heard_i == '1) ? Coded : Partial;
  end

  // ---- Edges of RIFL's clocks ----
  localparam int unsigned FrameWidth = $clog2(FrameWords);
  localparam int unsigned UserWidth = (UserWords > 1) ? $clog2(UserWords) : 1;
  logic [FrameWidth-1:0] frame_d, frame_q;  // words of the frame before this cycle
  logic [UserWidth-1:0] user_d, user_q;
  logic take_d;

  initial begin
    {frame_q, user_q} = '0;
    {take_o, frame_o, user_o} = '0;
  end

  assign take_d  = rst_i || !coded_d || moves(index_d);
  assign frame_d = !take_o ? frame_q : frame_o ? '0 : frame_q + 1'b1;
  assign user_d  = !take_o ? user_q : user_o ? '0 : user_q + 1'b1;

  always_ff @(posedge clk_i) begin
    take_o  <= take_d;
    frame_q <= frame_d;
    user_q  <= user_d;
    frame_o <= take_d && frame_d == FrameWidth'(FrameWords - 1);
    user_o  <= take_d && user_d == UserWidth'(UserWords - 1);
  end

endmodule
