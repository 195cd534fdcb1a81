// SPDX-License-Identifier: Apache-2.0
//
// rifl_rx_check: verification code and frame order; decides which frames are delivered.
//
// What      keeps the id of the next data frame. A frame that does not verify against it rolls the
//           id back by 16 behind the first frame not yet delivered and raises error_o; delivery
//           goes on only after 16 data frames in order have verified, so that no damaged frame
//           passes for another one.
// Contract  one word per clock; first_i/last_i mark the words of a frame. In the clock of the last
//           word: deliver_o says that this frame, a data frame, is the next in order and undamaged;
//           plausible_o says that its code belongs to some id (upper code bits), which tells an
//           undamaged frame from a damaged one even while the id is rolled back. enable_i is the
//           lane's "up": nothing moves without. A control frame with an unknown key behind a
//           plausible frame does not verify either: a line that repeats one and the same frame for
//           ever would otherwise look healthy (the key behind the wrong scrambler state is noise).
//           bound_i: the code of a data frame holds behind front_i only, the scrambled bits that
//           have come in front of it (first_i); where words are missing in between, it names no id.
//           StrongCode: strong_o says that the stronger code fits as well; a data frame is not
//           plausible without. A control frame is: it may come from an end that does not have the
//           code, and say so.
//           bad_i: a word of this frame is known to be wrong; it does not verify.
//           room_i: a data frame could be delivered now; without, it counts as damaged and comes
//           again.
//           error_o: registered; set by any frame that does not verify, cleared as soon as the
//           sixteen frames before the awaited one have verified (not only on its delivery, or a
//           peer with nothing left to send would be asked for ever). After reset the frame with id
//           0 is the next to deliver, and nothing is delivered before it. (The published core
//           delivers from id 16 on. Its peers send frames without user data before that, unless an
//           error shortens their count.) If it is missed, the sixteen frames before it are those
//           that the peer's buffer was cleared with: the peer sends them too when it sends its
//           buffer again.
// Limits    a damaged frame verifies by chance once in 2^12. A replay that was not needed must not
//           begin with the frame 2^IdWidth before the awaited one, whose id is the same (limits
//           page, round trip).
// Source    RIFL paper, section 4.C, Listing 1 with the order of the text (compare, then count).

module rifl_rx_check
  import rifl_pkg::*;
#(
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter bit StrongCode = 1'b0
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   aligned_i,
  input  logic                   enable_i,
  input  logic                   first_i,
  input  logic                   last_i,
  input  logic [   PhyWidth-1:0] data_i,
  input  logic                   bound_i,
  input  logic [StrongWidth-1:0] front_i,
  input  logic                   bad_i,
  input  logic                   room_i,
  input  logic                   key_known_i,  // frame of this clock, if control: a key of ours
  output logic                   control_o,    // frame of this clock: sync header 10
  output logic                   is_data_o,    // frame of this clock: sync header 01
  output logic                   plausible_o,
  output logic                   strong_o,
  output logic [    IdWidth-1:0] id_o,         // id that the code names, if plausible
  output logic                   trusted_o,    // so was the frame before
  output logic                   deliver_o,
  output logic                   error_o
);

  localparam int unsigned GapWidth = $clog2(Rollback + 1);

  logic [CodeWidth-1:0] crc_q, crc_next, syndrome;
  logic [PhyWidth-1:0] covered;
  logic [1:0] sync_q;

  logic bound;
  assign bound = bound_i && data_i[PhyWidth-1-:2] == SyncData;

  always_comb begin
    covered = data_i;
    if (last_i) covered[CodeWidth-1:0] = '0;
  end

  prim_crc #(
    .CrcWidth (CodeWidth),
    .Poly     (CodePoly),
    .DataWidth(PhyWidth)
  ) u_crc (
    .crc_i (first_i ? {CodeWidth{bound}} & front_i[CodeWidth-1:0] : crc_q),
    .data_i(covered),
    .crc_o (crc_next)
  );
  // The id that the sender put into the code, if the frame is undamaged.
  assign syndrome  = crc_next ^ data_i[CodeWidth-1:0];
  assign id_o      = syndrome[IdWidth-1:0];
  assign control_o = sync_q == SyncControl;
  assign is_data_o = sync_q == SyncData;

  if (StrongCode) begin : gen_strong
    logic [StrongWidth-1:0] expected;
    rifl_strong_code u_strong (
      .clk_i  (clk_i),
      .first_i(first_i),
      .word_i (data_i),
      .start_i({StrongWidth{bound}} & front_i),
      .code_o (expected)
    );
    assign strong_o = expected == data_i[CodeWidth+:StrongWidth];
  end else begin : gen_no_strong
    assign strong_o = 1'b1;
    logic unused;
    assign unused = ^front_i[StrongWidth-1:CodeWidth];
  end

  logic [IdWidth-1:0] id_q, rollback_q;  // awaited id; where an error puts it
  logic [GapWidth-1:0] gap_q;  // data frames still to verify before the next delivery
  logic legal, good, upper_zero;

  assign legal = control_o || is_data_o;
  if (IdWidth < CodeWidth) begin : gen_upper
    assign upper_zero = syndrome[CodeWidth-1:IdWidth] == '0;
  end else begin : gen_no_upper
    assign upper_zero = 1'b1;
  end
  assign plausible_o = legal && upper_zero && (strong_o || control_o) && !bad_i;
  assign good = plausible_o && syndrome[IdWidth-1:0] == id_q &&
                !(control_o && trusted_o && !key_known_i) && !(is_data_o && !room_i);
  assign deliver_o = last_i && enable_i && !rst_i && good && is_data_o && gap_q == 0;

  always_ff @(posedge clk_i) begin
    if (first_i) sync_q <= data_i[PhyWidth-1-:2];
    crc_q <= crc_next;
    if (rst_i || !aligned_i) trusted_o <= 1'b0;
    else if (last_i) trusted_o <= plausible_o;

    if (rst_i) begin
      id_q <= '0;
      rollback_q <= -IdWidth'(Rollback);
      gap_q <= '0;
      error_o <= 1'b0;
    end else if (last_i && enable_i) begin
      if (!good) begin
        id_q <= rollback_q;
        gap_q <= GapWidth'(Rollback);
        error_o <= 1'b1;
      end else if (is_data_o) begin
        id_q <= id_q + 1'b1;
        if (gap_q == 0) rollback_q <= rollback_q + 1'b1;
        else gap_q <= gap_q - 1'b1;
        if (gap_q == 1) error_o <= 1'b0;
      end
    end
  end

endmodule
