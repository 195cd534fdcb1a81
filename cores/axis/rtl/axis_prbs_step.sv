// SPDX-License-Identifier: Apache-2.0
//
// axis_prbs_step: the next Bits bits of the PRBS-31 sequence, in parallel.
//
// What    Continues b[n] = b[n-31] ^ b[n-28] (generator x^31 + x^28 + 1) behind 31 given bits.
// Why     Source and checker need the same bits of any number, in few logic levels, and cheap to
//         simulate.
//
// Contract    Pure function. In every vector the bit with the lower index comes first in time.
//             sequence_o is state_i, 31 bits, followed by the Bits new ones; so sequence_o[n +: 31]
//             is the state after n bits. All zeros continue with zeros.
// Parameters
//   Bits    bits to produce, >= 1
// Latency     combinational; one 2-input XOR a bit, about log2(Bits/14) of them in series
//
// Structure   Squaring the generator shows that b[n] = b[n-31*s] ^ b[n-28*s] for s = 1, 2, 4, ...
//             So whoever knows 31*s bits makes the next 28*s in one step. Each step here takes the
//             largest s that the known bits allow.
// Limits      not inverted, unlike the pattern that ITU-T O.150 puts on a line
// Source      ITU-T O.150 section 5.8 for the polynomial; the steps are own work

module axis_prbs_step #(
  parameter int unsigned Bits = 256
) (
  input  logic [       30:0] state_i,
  output logic [31+Bits-1:0] sequence_o
);

  // Stride for `known` bits, and the bits known after `steps` steps.
  function automatic int unsigned stride(int unsigned known);
    int unsigned s;
    s = 1;
    while (31 * 2 * s <= known) s = 2 * s;
    return s;
  endfunction

  function automatic int unsigned known_after(int unsigned steps);
    int unsigned known;
    known = 31;
    for (int unsigned i = 0; i < steps; i++) known = known + 28 * stride(known);
    return (known > 31 + Bits) ? 31 + Bits : known;
  endfunction

  function automatic int unsigned steps_needed();
    int unsigned steps;
    steps = 0;
    while (known_after(steps) < 31 + Bits) steps = steps + 1;
    return steps;
  endfunction

  if (Bits < 1) begin : gen_bad
    $error("axis_prbs_step %m: rule Bits >= 1, got %0d", Bits);
  end else begin : gen_sequence
    localparam int unsigned Steps = steps_needed();
    for (genvar i = 0; i < Steps; i++) begin : gen_step
      localparam int unsigned Known = known_after(i);
      localparam int unsigned New = known_after(i + 1) - Known;
      localparam int unsigned S = stride(Known);
      logic [    Known-1:0] from;
      logic [Known+New-1:0] bits;
      if (i == 0) begin : gen_first
        assign from = state_i;
      end else begin : gen_next
        assign from = gen_step[i-1].bits;
      end
      assign bits = {from[Known-31*S+:New] ^ from[Known-28*S+:New], from};
    end
    assign sequence_o = gen_step[Steps-1].bits;
  end

endmodule
