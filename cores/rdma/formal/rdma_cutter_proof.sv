// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_cutter: the blocks of a transfer lie end to end at both ends and are cut at the
// right places, whatever source, destination, size and block.
//
// Two cutters get two neighbouring blocks of the same transfer, chosen freely. The first block
// begins where the transfer does; each block ends at a boundary or is the last; where one ends the
// next begins; the last one ends where the transfer does; none is empty or longer than a block.
// These say together which byte lies in which block. The state is that of one request, so all there
// is to see has happened after a few cycles.

module rdma_cutter_proof #(
  parameter  int unsigned BlockBytes  = 65536,
  localparam int unsigned AddrWidth   = 48,
  localparam int unsigned BytesWidth  = $clog2(BlockBytes) + 1,
  localparam int unsigned NumberWidth = 34 - $clog2(BlockBytes)
) (
  input logic                   clk_i,
  input logic                   rst_i,
  input logic                   s_valid_i,
  input logic [  AddrWidth-1:0] source_i,
  input logic [  AddrWidth-1:0] destination_i,
  input logic [           31:0] size_i,
  input logic [NumberWidth-1:0] number_i,
  input logic                   m_ready_i
);

  typedef logic [AddrWidth-1:0] address_t;

  logic [1:0] s_ready;
  logic [1:0] last;
  logic [1:0] m_valid;
  logic [1:0] m_last;
  logic [1:0][NumberWidth-1:0] total;
  logic [1:0][BytesWidth-1:0] m_bytes;
  address_t [1:0] m_source;
  address_t [1:0] m_destination;
  logic [1:0] unused_tag;

  // The request that was taken last, for blocks that come a cycle later.
  address_t source_q;
  address_t destination_q;
  logic [31:0] size_q;
  logic [NumberWidth-1:0] number_q;
  logic pending_q;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    assume (started_q || rst_i);
    assume (size_i != '0);
    // The second cutter has block number_i + 1: a transfer of two blocks or more, unless only the
    // first one is looked at.
    assume (number_i < total[0]);
  end

  for (genvar i = 0; i < 2; i++) begin : gen_cutter
    rdma_cutter #(
      .BlockBytes(BlockBytes),
      .AddrWidth (AddrWidth)
    ) u_dut (
      .clk_i          (clk_i),
      .rst_i          (rst_i),
      .s_valid_i      (s_valid_i),
      .s_ready_o      (s_ready[i]),
      .s_source_i     (source_i),
      .s_destination_i(destination_i),
      .s_size_i       (size_i),
      .s_number_i     (number_i + NumberWidth'(i)),
      .s_tag_i        (1'b0),
      .total_o        (total[i]),
      .last_o         (last[i]),
      .m_valid_o      (m_valid[i]),
      // Both blocks are held until both are there: the later one may need a cycle more.
      .m_ready_i      (m_ready_i && m_valid == '1),
      .m_source_o     (m_source[i]),
      .m_destination_o(m_destination[i]),
      .m_bytes_o      (m_bytes[i]),
      .m_last_o       (m_last[i]),
      .m_tag_o        (unused_tag[i])
    );
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) pending_q <= 1'b0;
    else if (s_valid_i && s_ready == '1) pending_q <= 1'b1;
    else if (m_ready_i && m_valid == '1) pending_q <= 1'b0;
    if (s_valid_i && s_ready == '1) begin
      source_q <= source_i;
      destination_q <= destination_i;
      size_q <= size_i;
      number_q <= number_i;
    end
  end

  address_t end_source;
  address_t end_destination;
  assign end_source = m_source[0] + address_t'(m_bytes[0]);
  assign end_destination = m_destination[0] + address_t'(m_bytes[0]);

  always_comb begin
    if (started_q && !rst_i) begin
      // They move in step: the one with the later block is never ahead.
      assert (s_ready[0] == s_ready[1]);
      if (s_valid_i) assert (last[0] == (number_i + 1'b1 == total[0]));
      // A first block that passes stage 3 by.
      if (s_valid_i && number_i == '0 && !pending_q) begin
        assert (m_valid[0] && m_source[0] == source_i && m_destination[0] == destination_i);
        assert (m_last[0] == last[0] && m_bytes[0] != '0 && 32'(m_bytes[0]) <= BlockBytes);
        if (last[0])
          assert (32'(m_bytes[0]) == size_i);
          else assert (end_destination % address_t'(BlockBytes) == '0 && 32'(m_bytes[0]) < size_i);
      end
      if (pending_q) begin
        assert (m_valid == '1);
        assert (m_bytes[0] != '0 && 32'(m_bytes[0]) <= BlockBytes);
        if (number_q == '0)
          assert (m_source[0] == source_q && m_destination[0] == destination_q);
          else assert (m_destination[0] % address_t'(BlockBytes) == '0);
        if (m_last[0]) begin
          assert (end_source == source_q + address_t'(size_q));
          assert (end_destination == destination_q + address_t'(size_q));
        end else begin
          assert (end_destination % address_t'(BlockBytes) == '0);
          assert (end_source == m_source[1] && end_destination == m_destination[1]);
          assert (end_destination - destination_q < address_t'(size_q));
        end
      end
    end
  end

endmodule
