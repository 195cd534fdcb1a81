// SPDX-License-Identifier: Apache-2.0
//
// rifl_silent_rules: a lane whose recovered clock stands still says so at once.
//
// What      Bound to rifl_ext_lane by rifl_rules.sv. The frame behind the one in which alive_i
//           falls is a control frame. SayPeriod frames later would be too late: the three frames
//           that alive_i takes are not in RoundTripMargin, and the peer's `safe` could pass what
//           is lost.
// Clock     clk_i, once per frame; rst_i synchronous to it, while no session is open.

module rifl_silent_rules (
  input logic clk_i,
  input logic rst_i,
  input logic alive_i,
  input logic control_i  // this frame carries no data
);

  logic alive_q, fell_q;
  always_ff @(posedge clk_i) begin
    alive_q <= alive_i;
    fell_q  <= alive_q && !alive_i && !rst_i;
  end

  prim_assert #(
    .Rule("rifl_ext_lane: an ask as soon as no frames come")
  ) u_told (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!fell_q || control_i)
  );

endmodule
