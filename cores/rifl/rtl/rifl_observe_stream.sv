// SPDX-License-Identifier: Apache-2.0
//
// rifl_observe_stream: what a stream did in a cycle, for counters.
//
// What      bytes and packet end of a beat that was taken, and whether a beat waited.
// Contract  status_o of a cycle shows the cycle before.
// Clocks and resets
//           clk_i; no reset, for nothing is kept.
// Parameters
//           Bytes of a beat, 1..8191.

module rifl_observe_stream
  import rifl_pkg::*;
#(
  parameter int unsigned Bytes = 32
) (
  input  logic                       clk_i,
  input  logic           [Bytes-1:0] tkeep_i,
  input  logic                       tlast_i,
  input  logic                       tvalid_i,
  input  logic                       tready_i,
  output stream_status_t             status_o
);

  logic [$clog2(Bytes + 1)-1:0] bytes;
  axis_keep_count #(
    .Bytes(Bytes)
  ) u_bytes (
    .keep_i (tkeep_i),
    .count_o(bytes)
  );

  always_ff @(posedge clk_i) begin
    status_o.bytes   <= (tvalid_i && tready_i) ? 13'(bytes) : '0;
    status_o.packet  <= tvalid_i && tready_i && tlast_i;
    status_o.stalled <= tvalid_i && !tready_i;
  end

endmodule
