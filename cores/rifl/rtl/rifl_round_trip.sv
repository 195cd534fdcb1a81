// SPDX-License-Identifier: Apache-2.0
//
// rifl_round_trip: measures how many frames lie between a frame and the peer's reaction to it.
//
// What      flips ping_o, which goes out with every control frame, and counts frames from the first
//           one that carries it until the peer's pong is equal. What clock crossings and the peer's
//           asking period can add is included (RoundTripMargin).
// Contract  one frame per clock. enable_i: the peer answers to the present session (its echo is our
//           number); without it nothing is known. The ping itself is never taken back, only
//           answered: a peer that has seen it must not be able to answer the next one with it.
//           sent_i: this frame is a control frame. pong_valid_i/pong_i: an announcement of the peer
//           has come. start_i asks for another measurement and makes valid_o fall at once. busy_o:
//           the ping has not been answered. frames_o: valid with valid_o, at most 2^IdWidth - 2.
//           too_long_o: the last eight results were above (one alone can be a pong that was lost);
//           measuring goes on.
// Source    docs/src/rifl-extended.md, "Transmitter of a lane".

module rifl_round_trip
  import rifl_ext_pkg::RoundTripMargin;
#(
  parameter int unsigned IdWidth = 6  // 6..12
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               enable_i,
  input  logic               start_i,
  input  logic               sent_i,
  input  logic               pong_valid_i,
  input  logic               pong_i,
  output logic               ping_o,
  output logic               busy_o,
  output logic               valid_o,
  output logic               too_long_o,
  output logic [IdWidth-1:0] frames_o
);

  localparam int unsigned Limit = (1 << IdWidth) - 2;
  localparam int unsigned MaxMisfits = 8;

  logic busy_q, sent_q, again_q;
  logic [IdWidth:0] count_q;  // one bit more than the limit needs, saturating
  logic again, answered, fits;
  logic [MaxMisfits-1:0] misfits_q;  // as many ones as misfits in a row

  assign again      = start_i || !enable_i;
  assign answered   = busy_q && sent_q && enable_i && pong_valid_i && pong_i == ping_o;
  assign fits       = count_q <= (IdWidth + 1)'(Limit);
  assign busy_o     = busy_q;
  assign too_long_o = misfits_q[MaxMisfits-1];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ping_o <= 1'b0;
      busy_q <= 1'b0;
      sent_q <= 1'b0;
      again_q <= 1'b0;
      valid_o <= 1'b0;
      misfits_q <= '0;
      frames_o <= '0;
    end else begin
      if (busy_q) begin
        // What is under way is answered first, even if it is worth nothing any more.
        if (again) again_q <= 1'b1;
        if (sent_i) sent_q <= 1'b1;
        if (answered) begin
          busy_q <= 1'b0;
          again_q <= 1'b0;
          valid_o <= fits && !again_q;
          misfits_q <= fits ? '0 : {misfits_q[MaxMisfits-2:0], 1'b1};
          if (fits) frames_o <= count_q[IdWidth-1:0];
        end
      end else if (enable_i && (start_i || !valid_o)) begin
        ping_o <= !ping_o;
        busy_q <= 1'b1;
        sent_q <= 1'b0;
      end
      if (again) valid_o <= 1'b0;
    end

    if (!sent_q) count_q <= (IdWidth + 1)'(RoundTripMargin);
    else if (!(&count_q)) count_q <= count_q + 1'b1;
  end

endmodule
