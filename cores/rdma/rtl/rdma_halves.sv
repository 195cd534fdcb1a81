// SPDX-License-Identifier: Apache-2.0
//
// rdma_halves: words of 64 bytes at the engine, two halves of each at a memory of 32 bytes.
//
// What      Each burst becomes one of twice as many beats; the low half of a word goes first. A
//           word that is read reaches the engine with its second half.
// Why       Memories of 256 bits, at half the rate in words.
// Contract  Bursts begin at multiples of 64 bytes, INCR, 64 words at most, and do not cross 4096
//           bytes; so it is with the halves. Responses of a word are both in one: an error of
//           either is one. No burst of the memory is under way when rst_i ends.
// Latency   Addresses and responses 0; the first half of a word waits for the second one.
// Source    own design

module rdma_halves
  import rdma_bus_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  memory_req_t memory_i,
  output memory_rsp_t memory_o,
  output memory_req_t half_o,
  input  memory_rsp_t half_i
);

  // ---- Reads: the first half is kept ----
  logic read_second_q;
  logic [255:0] kept_q;
  logic [1:0] kept_resp_q;
  logic read_move;
  assign read_move = half_i.read.rvalid && half_o.read.rready;

  always_ff @(posedge clk_i) begin
    if (rst_i) read_second_q <= 1'b0;
    else if (read_move) read_second_q <= !read_second_q;
    if (read_move) begin
      kept_q <= half_i.read.rdata[255:0];
      kept_resp_q <= half_i.read.rresp;
    end
  end

  // ---- Writes: the word stays until its second half moves ----
  logic write_second_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) write_second_q <= 1'b0;
    else if (half_o.write.wvalid && half_i.write.wready) write_second_q <= !write_second_q;
  end

  always_comb begin
    half_o = memory_i;
    memory_o = half_i;

    half_o.read.arlen = {memory_i.read.arlen[6:0], 1'b1};
    half_o.read.rready = memory_i.read.rready || !read_second_q;
    memory_o.read.rvalid = half_i.read.rvalid && read_second_q;
    memory_o.read.rdata = {half_i.read.rdata[255:0], kept_q};
    memory_o.read.rresp = half_i.read.rresp | kept_resp_q;

    half_o.write.awlen = {memory_i.write.awlen[6:0], 1'b1};
    half_o.write.wlast = memory_i.write.wlast && write_second_q;
    half_o.write.wdata = memory_i.write.wdata >> (write_second_q ? 256 : 0);
    half_o.write.wstrb = memory_i.write.wstrb >> (write_second_q ? 32 : 0);
    memory_o.write.wready = half_i.write.wready && write_second_q;
  end

  logic unused_bits;
  assign unused_bits = ^{memory_i.read.arlen[7], memory_i.write.awlen[7], half_i.read.rdata};

endmodule
