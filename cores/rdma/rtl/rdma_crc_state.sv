// SPDX-License-Identifier: Apache-2.0
//
// rdma_crc_state: the register of the CRC-32C of a packet, behind its header and payload.
//
// What      Takes the pieces of packets, and has for each one the register behind it.
// Why       The CRC covers the bytes of the packet one behind the other. Each part goes from zero
//           by itself, and is added to what was before it, moved on by as many zeros as it has
//           bits.
// Contract  With step_i = 1 everything moves on by one stage. begins_i: header_i is there,
//           payload_i: data_i is, 64 bytes of it; neither: nothing. Pieces of a packet in order,
//           any number of nothing between them. state_o belongs to the piece that was given two
//           steps before. It is in the direct form of prim_crc, not inverted.
// Latency   2 steps, one piece in each
// Source    own design

module rdma_crc_state
  import rdma_unit_pkg::*;
(
  input  logic         clk_i,
  input  logic         step_i,
  input  logic         begins_i,
  input  logic         payload_i,
  input  logic [127:0] header_i,
  input  logic [511:0] data_i,
  output logic [ 31:0] state_o
);

  localparam int unsigned HeaderBits = 128;
  localparam logic [31:0] Start = crc_start(HeaderBits);

  // The register after a part, from zero: the payload in stage 1; the header, which comes late
  // where a packet is made, in stage 2, with what was before them.
  logic begins_q, payload_q;
  logic [HeaderBits-1:0] header_q;
  logic [31:0] header, data, data_q;
  logic [31:0] base, moved;
  for (genvar i = 0; i < 32; i++) begin : gen_row
    localparam logic [511:0] Mask = crc_mask(i);
    assign header[i] = ^(header_q & Mask[511-:HeaderBits]);
    assign data[i]   = ^(data_i & Mask);
  end
  assign base = begins_q ? header ^ Start : state_o;

  prim_crc #(
    .CrcWidth (32),
    .Poly     (CrcPoly),
    .DataWidth(512)
  ) u_moved (
    .crc_i (base),
    .data_i('0),
    .crc_o (moved)
  );

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      begins_q <= begins_i;
      payload_q <= payload_i;
      header_q <= header_i;
      data_q <= data;
      if (payload_q) state_o <= data_q ^ moved;
      else if (begins_q) state_o <= base;
    end
  end

endmodule
