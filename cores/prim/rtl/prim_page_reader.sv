// SPDX-License-Identifier: Apache-2.0
//
// prim_page_reader: shows a page of 64-bit words of another clock on a 32-bit register bus.
//
// What      A read of a low word fetches the whole word by prim_sync_request; a read of the high
//           word that follows gives the rest of the same moment. Writes are acknowledged without
//           effect.
// Why       Words that change all the time must not be read in two halves of two moments, and the
//           bus must be answered even when the clock of the page stands still.
// Contract  Bus side: bus_req_i is a pulse with bus_write_i and bus_addr_i (bytes); the next one
//           not before bus_rd_ack_o (with bus_rd_data_o) or bus_wr_ack_o, pulses. A word that was
//           not answered in time reads as all ones, both halves, and bus_lost_o comes with its
//           bus_rd_ack_o. One reader at a time, low half first.
//           Page side: page_req_o is high, with page_addr_o (words), until the cycle of page_ack_i,
//           a pulse with page_data_i.
// Resets    Either side alone, at any time; see prim_sync_request.
// Latency   as prim_sync_request for a low half, else 1 bus_clk_i cycle
//
// Parameters
//   AddrWidth   bits of a byte address in the page, >= 4
//   Timeout     bus_clk_i cycles until a read is given up, >= 16

module prim_page_reader #(
  parameter int unsigned AddrWidth = 11,
  parameter int unsigned Timeout   = 256
) (
  input  logic                 bus_clk_i,
  input  logic                 bus_rst_i,
  input  logic                 bus_req_i,
  input  logic                 bus_write_i,
  input  logic [AddrWidth-1:0] bus_addr_i,
  output logic                 bus_rd_ack_o,
  output logic                 bus_wr_ack_o,
  output logic                 bus_lost_o,
  output logic [         31:0] bus_rd_data_o,

  input  logic                 page_clk_i,
  input  logic                 page_rst_i,
  output logic                 page_req_o,
  output logic [AddrWidth-4:0] page_addr_o,
  input  logic                 page_ack_i,
  input  logic [         63:0] page_data_i
);

  if (AddrWidth < 4) begin : gen_bad_addr
    $error("prim_page_reader %m: AddrWidth must be >= 4, got %0d", AddrWidth);
  end

  logic high, ack, lost, lost_q, high_ack_q, wr_ack_q, unused;
  logic [63:0] word;
  assign high   = bus_addr_i[2];
  assign unused = ^bus_addr_i[1:0];

  prim_sync_request #(
    .AddrWidth(AddrWidth - 3),
    .DataWidth(64),
    .Timeout  (Timeout)
  ) u_request (
    .src_clk_i (bus_clk_i),
    .src_rst_i (bus_rst_i),
    .src_req_i (bus_req_i && !bus_write_i && !high),
    .src_addr_i(bus_addr_i[AddrWidth-1:3]),
    .src_ack_o (ack),
    .src_lost_o(lost),
    .src_data_o(word),
    .dst_clk_i (page_clk_i),
    .dst_rst_i (page_rst_i),
    .dst_req_o (page_req_o),
    .dst_addr_o(page_addr_o),
    .dst_ack_i (page_ack_i),
    .dst_data_i(page_data_i)
  );

  always_ff @(posedge bus_clk_i) begin
    if (bus_rst_i) begin
      high_ack_q <= 1'b0;
      wr_ack_q   <= 1'b0;
    end else begin
      high_ack_q <= bus_req_i && !bus_write_i && high;
      wr_ack_q   <= bus_req_i && bus_write_i;
    end
    if (ack) lost_q <= lost;
  end

  logic [31:0] low_word, high_word;
  assign low_word = lost ? '1 : word[31:0];
  assign high_word = lost_q ? '1 : word[63:32];
  assign bus_rd_data_o = ack ? low_word : high_word;
  assign bus_rd_ack_o = ack || high_ack_q;
  assign bus_wr_ack_o = wr_ack_q;
  assign bus_lost_o = ack && lost;

endmodule
