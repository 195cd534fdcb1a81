// SPDX-License-Identifier: Apache-2.0
//
// rdma_check: the rules that the first line of a descriptor has to keep.
//
// What      good_o says that the engine can carry out the transfer, schedule_o how it is scheduled.
// Why       What passes here needs no look any more on its way: no size of zero, no class or
//           priority without a queue, no range that wraps out of its node. Layout and rules are
//           those of the README, and of `crates/wire/src/rdma/descriptor.rs`.
// Contract  Combinational. long_i says that the line came as the first of two.
// Latency   0
//
// Parameters
//   Priorities   intra-priorities that are built in, 1 to 16

module rdma_check
  import rdma_pkg::*;
#(
  parameter int unsigned Priorities = 16
) (
  input  logic      [255:0] line_i,
  input  logic              long_i,
  output logic              good_o,
  output schedule_t         schedule_o
);

  if (Priorities < 1 || Priorities > 16) begin : gen_bad_priorities
    $error("rdma_check %m: rule 1 <= Priorities <= 16, got %0d", Priorities);
  end

  localparam logic [31:0] ShortMessage = 32'd8;
  localparam logic [31:0] LongMessage = 32'd32;

  logic [31:0] size;
  logic has_data, notify, is_long, is_read;

  assign size = line_i[31:0];
  assign schedule_o.priority_ = line_i[35:32];
  assign schedule_o.class_ = line_i[37:36];
  assign has_data = line_i[38];
  assign notify = line_i[39];
  assign is_long = line_i[40];
  assign is_read = line_i[41];
  assign schedule_o.packet = has_data || is_read;

  // A range may not reach the end of its node: bits 47:32 are all ones, and the sum of what is
  // below has a carry.
  function automatic logic leaves_node(input logic [47:0] address, input logic [31:0] bytes);
    return (&address[47:32]) && carry_of(address[31:0], bytes);
  endfunction

  logic message_good, memory_good, known;
  assign message_good = !is_read && schedule_o.class_ == 2'd0 && size <= LongMessage
      && is_long == (size > ShortMessage);
  assign memory_good = schedule_o.class_ != 2'd3 && (!is_long || (notify && !is_read))
      && !leaves_node(
      line_i[128+:48], size
  );
  assign known = is_long == long_i && 32'(schedule_o.priority_) < Priorities;
  assign good_o = size != '0 && known && (has_data ? message_good : memory_good) && !leaves_node(
      line_i[64+:48], size
  ) && !(notify && line_i[192+:3] != '0);

  // The other fields go through as they are.
  logic unused_fields;
  assign unused_fields = ^{line_i[255:195], line_i[191:176], line_i[127:112], line_i[63:42]};

endmodule
