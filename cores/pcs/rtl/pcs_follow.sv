// SPDX-License-Identifier: Apache-2.0
//
// pcs_follow: with FEC or without, by the setting or as the peer has it.
//
// What      Off and on are taken at once. Auto takes codewords as soon as the peer has markers, and
//           leaves them when it has had blocks for Patience cycles.
// Why       Two ends with auto must not change for ever: one of the two changes is the slower one,
//           so the quick one is made by one end, and the other end then has no reason left.
// Contract  setting_i: setting_e, of this clock; may change in any cycle. peer_i: what the peer
//           sends, markers before blocks. coded_o: with FEC; changing_o: it has changed within
//           Pause cycles.
// Clocks and resets
//           All belong to clk_i; rst_i is synchronous to it and begins with codewords.
// Parameters
//   Period  rows from markers to markers
// Latency   1 cycle

module pcs_follow
  import pcs_fec_pkg::*;
#(
  parameter int unsigned Period = 16384
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic  [1:0] setting_i,
  input  peer_t       peer_i,
  output logic        coded_o,
  output logic        changing_o
);

  // More than the peer needs to find markers, and this end to lose the blocks that it then stops to
  // send: 65 illegal headers, half of those that come.
  localparam int unsigned Patience = 2 * (Period / 8 * 33) + 4096;
  localparam int unsigned WaitWidth = $clog2(Patience);
  // Longer than the registers look for the reason, so that it is this one.
  localparam int unsigned Pause = 128;

  logic [WaitWidth-1:0] wait_q;
  logic [$clog2(Pause)-1:0] left_q;
  logic coded_d;

  always_comb begin
    coded_d = coded_o;
    if (setting_i == Off) coded_d = 1'b0;
    else if (setting_i == On || peer_i.markers) coded_d = 1'b1;
    else if (wait_q == WaitWidth'(Patience - 1)) coded_d = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    wait_q  <= (coded_d && peer_i.blocks) ? wait_q + 1'b1 : '0;
    coded_o <= coded_d;
    if (coded_d != coded_o) left_q <= '1;
    else if (changing_o) left_q <= left_q - 1'b1;
    if (rst_i) begin
      wait_q  <= '0;
      coded_o <= 1'b1;
      left_q  <= '0;
    end
  end

  assign changing_o = left_q != '0;

endmodule
