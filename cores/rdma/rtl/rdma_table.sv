// SPDX-License-Identifier: Apache-2.0
//
// rdma_table: the Transfer Table: a line of 32 bytes for each channel.
//
// What      One write, one read. With the line of a channel comes that of the odd channel of its
//           pair, the second line of a long descriptor; of a channel that serves a read, what is
//           known of the request.
// Why       Two banks, of even and of odd channels, so that a long message is issued in one cycle
//           like a short one. Even channels have first lines only: without what is the same in all
//           of them a line fits in seven memories of 36 bits.
// Contract  What is written for an even channel obeys the rules (rdma_check): a multiple of 8 as
//           the address of the notification, no class 3, and a message is of class 0. Written on
//           the edge with wr_en_i. rd_en_i reads the row of rd_transfer_i as it is before that
//           edge.
// Latency   1 cycle
//
// Parameters
//   Transfers   channels, a power of two >= 256

module rdma_table
  import rdma_pkg::*;
#(
  parameter  int unsigned Transfers  = 2048,
  localparam int unsigned IndexWidth = $clog2(Transfers)
) (
  input  logic      clk_i,
  input  logic      wr_en_i,
  input  table_t    wr_i,
  input  logic      rd_en_i,
  input  transfer_t rd_transfer_i,
  output row_t      row_o
);

  if (Transfers < 256 || (Transfers & (Transfers - 1)) != 0) begin : gen_bad_transfers
    $error("rdma_table %m: rule Transfers is a power of two >= 256, got %0d", Transfers);
  end

  // Line of an even channel. Class 3 stands for a message.
  typedef struct packed {
    logic [60:0] notification;
    logic [63:0] source, destination;
    logic [21:0] qos;
    logic read, long_, notify;
    logic [1:0] class_;
    logic [3:0] priority_;
    logic [31:0] size;
  } even_t;

  localparam logic [1:0] Message = 2'd3;

  logic  odd_q;
  line_t second;
  logic [IndexWidth-1:0] wr_index, rd_index;
  line_t wr_line;
  even_t wr_even, even;
  line_t even_line;

  assign wr_line = wr_i.line;
  assign wr_index = wr_i.transfer[IndexWidth-1:0];
  assign rd_index = rd_transfer_i[IndexWidth-1:0];
  assign wr_even = '{
          notification: wr_line.notification[63:3],
          source: wr_line.source,
          destination: wr_line.destination,
          qos: wr_line.qos,
          read: wr_line.read,
          long_: wr_line.long_,
          notify: wr_line.notify,
          class_: wr_line.inline_ ? Message : wr_line.class_,
          priority_: wr_line.priority_,
          size: wr_line.size
      };
  assign even_line = '{
          notification: {even.notification, 3'd0},
          source: even.source,
          destination: even.destination,
          qos: even.qos,
          read: even.read,
          long_: even.long_,
          notify: even.notify,
          inline_: even.class_ == Message,
          class_: even.class_ == Message ? '0 : even.class_,
          priority_: even.priority_,
          size: even.size
      };

  prim_ram_1r1w #(
    .Width($bits(even_t)),
    .Depth(Transfers / 2)
  ) u_even (
    .wr_en_i  (wr_en_i && !wr_index[0]),
    .wr_addr_i(wr_index[IndexWidth-1:1]),
    .wr_data_i(wr_even),
    .rd_addr_i(rd_index[IndexWidth-1:1]),
    .rd_data_o(even),
    .*
  );

  prim_ram_1r1w #(
    .Width(256),
    .Depth(Transfers / 2)
  ) u_odd (
    .wr_en_i  (wr_en_i && wr_index[0]),
    .wr_addr_i(wr_index[IndexWidth-1:1]),
    .wr_data_i(wr_line),
    .rd_addr_i(rd_index[IndexWidth-1:1]),
    .rd_data_o(second),
    .*
  );

  always_ff @(posedge clk_i) begin
    if (rd_en_i) odd_q <= rd_index[0];
  end

  assign row_o.line   = odd_q ? second : even_line;
  assign row_o.second = second;

  // Channels from 64 on serve reads of other nodes.
  prim_ram_1r1w #(
    .Width($bits(asked_t)),
    .Depth(Transfers / 2)
  ) u_asked (
    .wr_en_i  (wr_en_i && wr_index[6]),
    .wr_addr_i({wr_index[IndexWidth-1:7], wr_index[5:0]}),
    .wr_data_i(wr_i.asked),
    .rd_addr_i({rd_index[IndexWidth-1:7], rd_index[5:0]}),
    .rd_data_o(row_o.asked),
    .*
  );

endmodule
