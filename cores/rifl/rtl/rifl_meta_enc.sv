// SPDX-License-Identifier: Apache-2.0
//
// rifl_meta_enc: turns one segment of a packet into the meta code and payload of a data frame.
//
// What      byte 0 of the segment becomes the top byte of the payload. A segment that fills the
//           payload is marked full (or full and last); a shorter one is always the last of its
//           packet, and the number of its bytes takes the place of the last payload byte.
// Contract  combinational. keep_i is contiguous from byte 0 and all ones unless last_i; bytes
//           outside keep_i are zero, so that nothing of another packet leaks into the padding. A
//           last segment without any byte (a null last beat of the user) is sent with count 0.
// Source    RIFL paper, section 3.B and Table 1, with the codes of the published core.

module rifl_meta_enc
  import rifl_pkg::MetaFull, rifl_pkg::MetaEndPartial, rifl_pkg::MetaEndFull;
#(
  // Bytes of a payload, 2..255.
  parameter int unsigned Bytes = 30
) (
  input  logic [8*Bytes-1:0] data_i,
  input  logic [  Bytes-1:0] keep_i,
  input  logic               last_i,
  output logic [        1:0] meta_o,
  output logic [8*Bytes-1:0] payload_o
);

  // Position of the first byte that is not valid = number of valid bytes.
  logic [7:0] count;
  always_comb begin
    count = '0;
    for (int unsigned i = 1; i < Bytes; i++) begin
      count |= {8{keep_i[i-1] & ~keep_i[i]}} & 8'(i);
    end
  end

  logic full;
  assign full   = keep_i[Bytes-1];
  assign meta_o = !last_i ? MetaFull : full ? MetaEndFull : MetaEndPartial;

  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) begin
      payload_o[8*(Bytes-1-i)+:8] = data_i[8*i+:8];
    end
    if (last_i && !full) payload_o[7:0] = count;
  end

endmodule
