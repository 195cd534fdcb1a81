// SPDX-License-Identifier: Apache-2.0
//
// axis_keep_count: number of bytes in a beat.
//
// What    Counts the ones of a TKEEP that is contiguous from lane 0.
// Why     Finding the end of the run is an OR of constants, a few logic levels; adding the bits up
//         is not.
//
// Contract    Pure function; keep_i contiguous from lane 0, else the result is meaningless.
// Parameters
//   Bytes   lanes, >= 1
// Latency     combinational
// Limits      none beyond the parameter
// Source      own design

module axis_keep_count #(
  parameter int unsigned Bytes = 32,
  localparam int unsigned CountWidth = $clog2(Bytes + 1)
) (
  input  logic [     Bytes-1:0] keep_i,
  output logic [CountWidth-1:0] count_o
);

  if (Bytes < 1) begin : gen_bad
    $error("axis_keep_count %m: rule Bytes >= 1, got %0d", Bytes);
  end

  // The one lane that is kept and whose upper neighbour is not.
  logic [Bytes-1:0] last;
  assign last = keep_i & ~(keep_i >> 1);

  always_comb begin
    count_o = '0;
    for (int unsigned j = 0; j < Bytes; j++) begin
      count_o = count_o | (CountWidth'(j + 1) & {CountWidth{last[j]}});
    end
  end

endmodule
