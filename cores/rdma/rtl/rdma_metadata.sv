// SPDX-License-Identifier: Apache-2.0
//
// rdma_metadata: the memory of metadata with its two users, segmenter and message handler.
//
// What      A user reads the word of a transfer in one cycle and writes it in the next. No other
//           read or write of that word comes between, so each of the two sees all that the other
//           has done.
// Why       Both count the blocks of a transfer that are under way, and both decide by it whether
//           the transfer has to enter a queue. If one decided by an old word, a transfer would be
//           entered twice or never.
// Contract  A user wants to read and is let (go). The handler always is, and does not want in two
//           cycles in a row, so the segmenter waits for one cycle at most. In the cycle after go
//           data_o is the word, with what is being written to it in this very cycle, and the word
//           of that user is written, always: it has to be data_o, changed or not.
// Latency   1 cycle. One read and one write per cycle, also of the same word in cycles in a row.
//
// Parameters
//   Transfers   words, a power of two >= 4

module rdma_metadata
  import rdma_pkg::*;
#(
  parameter  int unsigned Transfers  = 2048,
  localparam int unsigned IndexWidth = $clog2(Transfers)
) (
  input  logic          clk_i,
  input  logic          rst_i,
  input  metadata_req_t segmenter_i,
  output logic          segmenter_go_o,
  input  metadata_req_t handler_i,
  output metadata_t     data_o
);

  if (Transfers < 4 || (Transfers & (Transfers - 1)) != 0) begin : gen_bad_transfers
    $error("rdma_metadata %m: rule Transfers is a power of two >= 4, got %0d", Transfers);
  end

  localparam int unsigned Parts = 2;  // of an index that are compared, each by itself
  localparam int unsigned PartWidth = (IndexWidth + 1) / Parts;

  // Who reads now; who did in the cycle before, and writes now.
  logic handler_q, busy_q, read;
  logic [IndexWidth-1:0] index, index_q;
  metadata_t word, stored, written_q;
  logic [Parts-1:0] same_q;

  function automatic logic is_same(input transfer_t a, input logic [IndexWidth-1:0] b,
                                   input int unsigned part);
    return PartWidth'((IndexWidth'(a) ^ b) >> (part * PartWidth)) == '0;
  endfunction

  assign segmenter_go_o = segmenter_i.want && !handler_i.want;
  assign read = handler_i.want || segmenter_i.want;
  assign index = IndexWidth'(handler_i.want ? handler_i.transfer : segmenter_i.transfer);
  assign word = handler_q ? handler_i.word : segmenter_i.word;

  always_ff @(posedge clk_i) begin
    if (rst_i) busy_q <= 1'b0;
    else busy_q <= read;
    handler_q <= handler_i.want;
    index_q   <= index;
    // The one of the segmenter is late: it is compared before it is chosen, and in parts, which are
    // joined in the next cycle.
    for (int unsigned p = 0; p < Parts; p++) begin
      same_q[p] <= busy_q && (handler_i.want ? is_same(handler_i.transfer, index_q, p) :
                              is_same(segmenter_i.transfer, index_q, p));
    end
    written_q <= word;
  end

  prim_ram_1r1w #(
    .Width($bits(metadata_t)),
    .Depth(Transfers)
  ) u_words (
    .clk_i    (clk_i),
    .wr_en_i  (busy_q),
    .wr_addr_i(index_q),
    .wr_data_i(word),
    .rd_en_i  (read),
    .rd_addr_i(index),
    .rd_data_o(stored)
  );

  logic unused_high;
  assign unused_high = ^{handler_i.transfer, segmenter_i.transfer};

  assign data_o = same_q == '1 ? written_q : stored;

endmodule
