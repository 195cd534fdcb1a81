// SPDX-License-Identifier: Apache-2.0
//
// htsp_meter: what observation counts of one channel's stream.
//
// What      Beats become events: a packet begins, a packet ends, with an error or not, bytes pass,
//           the stream is stalled.
// Clocks and resets  clk_i. link_rst_i, synchronous: the stream is in reset, no packet is open.
// Latency   1 cycle
//
// Parameters
//   Bytes   of a beat of the stream

module htsp_meter
  import htsp_pkg::*;
#(
  parameter int unsigned Bytes = WordBytes
) (
  input  logic   clk_i,
  input  logic   link_rst_i,
  input  tap_t   tap_i,
  output meter_t meter_o
);

  logic beat, open_q;
  logic [$clog2(Bytes+1)-1:0] bytes;
  assign beat = tap_i.valid && tap_i.ready;

  axis_keep_count #(
    .Bytes(Bytes)
  ) u_bytes (
    .keep_i (tap_i.keep[Bytes-1:0]),
    .count_o(bytes)
  );

  always_ff @(posedge clk_i) begin
    if (link_rst_i) open_q <= 1'b0;
    else if (beat) open_q <= !tap_i.last;
    meter_o.first   <= beat && !open_q;
    meter_o.packet  <= beat && tap_i.last;
    meter_o.error   <= beat && tap_i.last && tap_i.user;
    meter_o.stalled <= tap_i.valid && !tap_i.ready;
    meter_o.bytes   <= beat ? 7'(bytes) : '0;
  end

  if (Bytes < WordBytes) begin : gen_narrow
    logic unused;
    assign unused = ^tap_i.keep[WordBytes-1:Bytes];
  end

endmodule
