// SPDX-License-Identifier: Apache-2.0
//
// rdma_packed_pkg: what packed framing means, lane by lane; for the proofs of it.
//
// What      What a lane is, from what was expected there, and what is expected in the next one.

package rdma_packed_pkg;

  import rdma_unit_pkg::*;

  typedef logic [8*LaneBytes-1:0] lane_t;

  typedef enum logic [2:0] {
    Header,   // or, if that is expected: what begins here, whatever it is
    Payload,
    Footer,
    Zero,     // nothing follows in this word
    Dropped   // nothing is understood up to TLAST
  } kind_e;

  typedef struct packed {
    kind_e      kind;
    logic [6:0] rest;  // lanes of payload: behind a header, or from this one on
  } tag_t;

  localparam tag_t Begin = '{kind: Header, rest: '0};

  function automatic logic is_packet(input tag_t tag);
    return tag.kind == Header || tag.kind == Payload || tag.kind == Footer;
  endfunction

  // Lanes of a payload of `bytes` bytes.
  function automatic logic [6:0] lanes_of(input logic [10:0] bytes);
    return 7'((12'(bytes) + 12'(LaneBytes - 1)) / LaneBytes);
  endfunction

  function automatic tag_t tag_of(input tag_t expected, input lane_t lane, input logic first);
    header_t header;
    header = lane;
    tag_of = expected;
    if (expected.kind == Header) begin
      tag_of.rest = '0;
      if (header.domain[15:11] == PackedMark && header.domain[10:0] <= 11'(PayloadBytes))
        tag_of.rest = lanes_of(header.domain[10:0]);
      else tag_of.kind = (lane == '0 && !first) ? Zero : Dropped;
    end
  endfunction

  function automatic tag_t next_of(input tag_t tag, input logic ends_word, input logic last);
    next_of = tag;
    unique case (tag.kind)
      Header:  next_of.kind = (tag.rest == '0) ? Footer : Payload;
      Payload: begin
        next_of.rest = tag.rest - 1'b1;
        if (tag.rest == 7'd1) next_of.kind = Footer;
      end
      Footer:  next_of = Begin;
      default: ;
    endcase
    if (ends_word && (last || tag.kind == Zero)) next_of = Begin;
  endfunction

endpackage
