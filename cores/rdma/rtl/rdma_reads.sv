// SPDX-License-Identifier: Apache-2.0
//
// rdma_reads: which reads of this node are under way.
//
// What      Three flags for each channel, each flipped by one party: requested, answered, over.
// Why       Metadata of a former session say nothing about this one.
// Contract  request_i = 1: a read of channel issued_i is requested; answered_i, over_i = 1: the
//           request of channel ended_i is answered, its read is over. In the same cycle: of the
//           reads of channels looked_i and named_i reading_o, named_reading_o: requested and not
//           over; unanswered_o: that of named_i is not answered. clear_i = 1 clears the flags of
//           page clear_word_i.
// Latency   0
// Source    own design
//
// Parameters
//   Pages   pages, a power of two, 2 to 16

module rdma_reads
  import rdma_pkg::*;
#(
  parameter int unsigned Pages = 16
) (
  input  logic            clk_i,
  input  logic            clear_i,
  input  logic      [3:0] clear_word_i,
  input  logic            request_i,
  input  transfer_t       issued_i,
  input  logic            answered_i,
  input  logic            over_i,
  input  transfer_t       ended_i,
  input  transfer_t       looked_i,
  output logic            reading_o,
  input  transfer_t       named_i,
  output logic            named_reading_o,
  output logic            unanswered_o
);

  localparam int unsigned PageWidth = $clog2(Pages);
  typedef logic [63:0] flags_t;
  typedef logic [PageWidth-1:0] word_t;

  flags_t requested_looked, requested_named, answered, over_looked, over_named;
  flags_t unused_requested, unused_answered, unused_over;
  word_t looked, named, ended;
  assign looked = looked_i[7+:PageWidth];
  assign named = named_i[7+:PageWidth];
  assign ended = clear_i ? word_t'(clear_word_i) : ended_i[7+:PageWidth];
  assign reading_o = requested_looked[looked_i[5:0]] ^ over_looked[looked_i[5:0]];
  assign named_reading_o = requested_named[named_i[5:0]] ^ over_named[named_i[5:0]];
  assign unanswered_o = requested_named[named_i[5:0]] ^ answered[named_i[5:0]];

  rdma_flags #(
    .Words  (Pages),
    .Bits   (64),
    .Readers(2)
  ) u_requested (
    .flip_i     (request_i),
    .flip_word_i(clear_i ? word_t'(clear_word_i) : issued_i[7+:PageWidth]),
    .flip_mask_i(flags_t'(1) << issued_i[5:0]),
    .flip_now_o (unused_requested),
    .rd_word_i  ({named, looked}),
    .rd_flags_o ({requested_named, requested_looked}),
    .*
  );

  rdma_flags #(
    .Words(Pages),
    .Bits (64)
  ) u_answered (
    .flip_i     (answered_i),
    .flip_word_i(ended),
    .flip_mask_i(flags_t'(1) << ended_i[5:0]),
    .flip_now_o (unused_answered),
    .rd_word_i  (named),
    .rd_flags_o (answered),
    .*
  );

  rdma_flags #(
    .Words  (Pages),
    .Bits   (64),
    .Readers(2)
  ) u_over (
    .flip_i     (over_i),
    .flip_word_i(ended),
    .flip_mask_i(flags_t'(1) << ended_i[5:0]),
    .flip_now_o (unused_over),
    .rd_word_i  ({named, looked}),
    .rd_flags_o ({over_named, over_looked}),
    .*
  );

  logic unused_transfers;
  assign unused_transfers = ^{clear_word_i, issued_i, ended_i, looked_i, named_i};

endmodule
