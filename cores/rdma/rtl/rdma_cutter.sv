// SPDX-License-Identifier: Apache-2.0
//
// rdma_cutter: cuts a block out of a transfer: the arithmetic of the segmenter's stages 2 and 3.
//
// What      From source, destination and size of a transfer and the number of a block: where the
//           block lies at both ends, its bytes, whether it is the last one. Blocks begin at
//           multiples of BlockBytes at the destination. With a = destination mod B and end = a +
//           size:
//             blocks = ceil(end / B) bytes  = size if there is one block; B - a for the first; end
//             - (blocks - 1) B for the last; else B offset = 0 for the first, n B - a for block n
// Why       The offset is never formed: stage 2 takes a off the lower bits of the source, and stage
//           3 adds n to the upper bits of source and destination. So no adder waits for a wide one,
//           and a first block needs no stage 3 at all.
// Contract  s side: a request moves when s_valid_i and s_ready_o; s_size_i >= 1, s_number_i below
//           the number of blocks. total_o and last_o belong to the request that is offered, in the
//           same cycle: the number of its blocks, and whether this is the last. m side: a block
//           moves when m_valid_o and m_ready_i, in the order of the requests; once m_valid_o is 1
//           because of a request that was taken, it and the data stay. Addresses wrap at
//           2^AddrWidth: bytes within a node, which a transfer does not leave. The tag goes along
//           unchanged. s_ready_o depends on m_ready_i and registers, never on s_valid_i.
// Latency   The first block of a transfer: 0 cycles if stage 3 is empty (s_valid_i to m_valid_o),
//           others 1. One block per cycle.
//
// Parameters
//   BlockBytes   bytes of a block, a power of two, 2 to 2^31
//   AddrWidth    bits of an address, >= 34
//   TagWidth     bits of the tag, >= 1

module rdma_cutter #(
  parameter int unsigned BlockBytes = 65536,
  parameter int unsigned AddrWidth = 48,
  parameter int unsigned TagWidth = 1,
  localparam int unsigned BytesWidth = $clog2(BlockBytes) + 1,
  localparam int unsigned NumberWidth = 34 - $clog2(BlockBytes)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   s_valid_i,
  output logic                   s_ready_o,
  input  logic [  AddrWidth-1:0] s_source_i,
  input  logic [  AddrWidth-1:0] s_destination_i,
  input  logic [           31:0] s_size_i,
  input  logic [NumberWidth-1:0] s_number_i,
  input  logic [   TagWidth-1:0] s_tag_i,
  output logic [NumberWidth-1:0] total_o,
  output logic                   last_o,
  output logic                   m_valid_o,
  input  logic                   m_ready_i,
  output logic [  AddrWidth-1:0] m_source_o,
  output logic [  AddrWidth-1:0] m_destination_o,
  output logic [ BytesWidth-1:0] m_bytes_o,
  output logic                   m_last_o,
  output logic [   TagWidth-1:0] m_tag_o
);

  localparam int unsigned Shift = $clog2(BlockBytes);
  localparam int unsigned UpperWidth = AddrWidth - Shift;

  if (BlockBytes < 2 || BlockBytes > 32'h8000_0000 || (BlockBytes & (BlockBytes - 1)) != 0)
  begin : gen_bad_block
    $error("rdma_cutter %m: rule BlockBytes is a power of two, 2 to 2^31, got %0d", BlockBytes);
  end
  if (AddrWidth < 34) begin : gen_bad_address
    $error("rdma_cutter %m: rule AddrWidth >= 34, got %0d", AddrWidth);
  end
  if (TagWidth < 1) begin : gen_bad_tag
    $error("rdma_cutter %m: rule TagWidth >= 1, got %0d", TagWidth);
  end

  typedef logic [AddrWidth-1:0] address_t;
  typedef logic [UpperWidth-1:0] upper_t;
  typedef logic [BytesWidth-1:0] bytes_t;
  typedef logic [NumberWidth-1:0] number_t;

  // Stage 2: numbers and sizes. The end counts from the boundary in front of the transfer.
  logic [Shift-1:0] ahead;  // a
  bytes_t room;
  number_t end_upper;
  logic [Shift-1:0] end_lower;
  logic at_boundary, first;
  bytes_t first_bytes;

  assign ahead = s_destination_i[Shift-1:0];
  assign room = bytes_t'(BlockBytes) - bytes_t'(ahead);
  assign {end_upper, end_lower} = 34'(s_size_i) + 34'(ahead);
  assign at_boundary = end_lower == '0;
  assign first = s_number_i == '0;
  assign first_bytes = last_o ? bytes_t'(s_size_i) : room;

  // Last block: number = upper part of the size, plus the carry out of the lower parts, minus 1 if
  // the end is at a boundary. All that can come of it is compared side by side with the lower
  // parts, and no adder waits for another. a + b is zero, seen without adding: each bit of the sum
  // would take its carry from an OR of the bits below.
  function automatic logic zero_sum(input number_t a, input number_t b);
    return (a ^ b) == ((a | b) << 1);
  endfunction

  number_t size_upper;
  logic carry;
  logic ends_at_boundary;
  assign size_upper = number_t'(s_size_i >> Shift);
  assign carry = rdma_pkg::carry_of(s_size_i << (32 - Shift), 32'(ahead) << (32 - Shift));
  assign ends_at_boundary = (s_size_i[Shift-1:0] ^ ahead) == ((s_size_i[Shift-1:0] | ahead) << 1);
  always_comb begin
    unique case ({
      carry, ends_at_boundary
    })
      2'b10:   last_o = zero_sum(s_number_i, ~size_upper);  // one above
      2'b01:   last_o = zero_sum(size_upper, ~s_number_i);  // one below
      default: last_o = s_number_i == size_upper;
    endcase
  end
  assign total_o = end_upper + number_t'(!at_boundary);

  // Later blocks begin at a boundary: at the source in front of it by as much as the destination is
  // behind its own.
  logic borrow;
  logic [Shift-1:0] source_lower;
  assign {borrow, source_lower} = {1'b0, s_source_i[Shift-1:0]} - {1'b0, ahead};

  // Stage 3: the number of the block is added to the upper bits.
  logic busy_q, load;
  address_t source_q, destination_q;
  number_t up_q, source_up_q;
  bytes_t part_q;
  logic whole_q, last_q;
  logic [TagWidth-1:0] tag_q;

  assign s_ready_o = !busy_q || m_ready_i;
  assign load = s_valid_i && s_ready_o && !(first && !busy_q && m_ready_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) busy_q <= 1'b0;
    else busy_q <= load || (busy_q && !m_ready_i);
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      source_q <= {s_source_i[AddrWidth-1:Shift], first ? s_source_i[Shift-1:0] : source_lower};
      destination_q <= {s_destination_i[AddrWidth-1:Shift], first ? ahead : {Shift{1'b0}}};
      up_q <= s_number_i;
      source_up_q <= first ? '0 : s_number_i - number_t'(borrow);
      part_q <= first ? first_bytes : bytes_t'(end_lower);
      whole_q <= !first && !(last_o && !at_boundary);
      last_q <= last_o;
      tag_q <= s_tag_i;
    end
  end

  always_comb begin
    m_valid_o = busy_q || (s_valid_i && first);
    m_source_o = s_source_i;
    m_destination_o = s_destination_i;
    m_bytes_o = first_bytes;
    m_last_o = last_o;
    m_tag_o = s_tag_i;
    if (busy_q) begin
      m_source_o[Shift-1:0] = source_q[Shift-1:0];
      m_source_o[AddrWidth-1:Shift] = source_q[AddrWidth-1:Shift] + upper_t'(source_up_q);
      m_destination_o[Shift-1:0] = destination_q[Shift-1:0];
      m_destination_o[AddrWidth-1:Shift] = destination_q[AddrWidth-1:Shift] + upper_t'(up_q);
      m_bytes_o = whole_q ? bytes_t'(BlockBytes) : part_q;
      m_last_o = last_q;
      m_tag_o = tag_q;
    end
  end

endmodule
