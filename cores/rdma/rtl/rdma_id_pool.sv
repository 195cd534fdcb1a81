// SPDX-License-Identifier: Apache-2.0
//
// rdma_id_pool: numbers that nobody uses: transaction or flow numbers.
//
// What      Holds Count numbers First, First + Step, .. Gives them out one by one, takes them back,
//           fills itself after reset.
// Why       A number given to two blocks at once would let one write into the memory of the other.
//           So the pool itself knows which of its numbers are out, and takes back none that is not:
//           an acknowledgment that arrives twice cannot free a number twice.
// Contract  A number leaves on an edge with take_valid_o and take_ready_i. put_valid_i = 1 brings
//           put_id_i back; a number that is not of this pool, or not out, is ignored, and refused_o
//           is 1 in that cycle. Numbers leave in the order in which they came back: each rests as
//           long as can be. free_o counts the free ones. After rst_i the pool fills itself in Count
//           cycles: nothing leaves before ready_o is 1, and nothing may be put.
// Latency   A number that came back can leave in the next cycle; one out and one back per cycle.
//
// Parameters
//   Count     numbers, >= 2
//   First     the first one
//   Step      from one to the next, a power of two
//   IdWidth   bits of a number: the last one fits

module rdma_id_pool #(
  parameter int unsigned Count = 512,
  parameter int unsigned First = 0,
  parameter int unsigned Step = 1,
  parameter int unsigned IdWidth = 10,
  localparam int unsigned FreeWidth = $clog2(Count + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 ready_o,
  output logic                 take_valid_o,
  input  logic                 take_ready_i,
  output logic [  IdWidth-1:0] take_id_o,
  input  logic                 put_valid_i,
  input  logic [  IdWidth-1:0] put_id_i,
  output logic                 refused_o,
  output logic [FreeWidth-1:0] free_o
);

  localparam int unsigned SlotWidth = (Count > 8) ? $clog2(Count) : 4;
  localparam int unsigned StepShift = $clog2(Step);
  // Flags that say who is out: eight in a word.
  localparam int unsigned FlagBits = 8;
  localparam int unsigned FlagWords = (Count > FlagBits) ? (Count + FlagBits - 1) / FlagBits : 2;
  localparam int unsigned FlagWordWidth = (FlagWords > 2) ? $clog2(FlagWords) : 1;

  typedef logic [IdWidth-1:0] id_t;
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [FlagBits-1:0] flags_t;
  typedef logic [FlagWordWidth-1:0] flag_word_t;

  if (Count < 2) begin : gen_bad_count
    $error("rdma_id_pool %m: rule Count >= 2, got %0d", Count);
  end
  if (Step == 0 || (Step & (Step - 1)) != 0) begin : gen_bad_step
    $error("rdma_id_pool %m: rule Step is a power of two, got %0d", Step);
  end
  if (64'(First) + 64'(Count - 1) * 64'(Step) >= 64'd1 << IdWidth) begin : gen_bad_width
    $error(
        "rdma_id_pool %m: rule First + (Count - 1) * Step < 2^IdWidth, got IdWidth %0d", IdWidth
    );
  end

  // Slot: the place of a number in the row of all numbers.
  function automatic flag_word_t word_of(input slot_t slot);
    return flag_word_t'(slot / slot_t'(FlagBits));
  endfunction

  function automatic flags_t mask_of(input slot_t slot);
    return flags_t'(1) << (slot % slot_t'(FlagBits));
  endfunction

  // Filling after reset: one slot a cycle.
  logic  filling_q;
  slot_t fill_slot_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      filling_q   <= 1'b1;
      fill_slot_q <= '0;
    end else if (filling_q) begin
      filling_q   <= fill_slot_q != slot_t'(Count - 1);
      fill_slot_q <= fill_slot_q + 1'b1;
    end
  end

  assign ready_o = !filling_q;

  // A number is out when it was taken once more than it was put back.
  logic take, put, put_known;
  id_t put_offset, take_offset;
  slot_t put_slot, take_slot;
  flags_t taken_at_put, returned_at_put;
  logic fifo_valid;

  assign put_offset = put_id_i - id_t'(First);
  assign put_slot = slot_t'(put_offset >> StepShift);
  assign put_known = (put_offset & id_t'(Step - 1)) == '0
      && 32'(put_offset >> StepShift) < 32'(Count);
  assign put = put_valid_i && put_known && !filling_q
      && ((taken_at_put ^ returned_at_put) & mask_of(
      put_slot
  )) != '0;
  assign refused_o = put_valid_i && !put;

  assign take_valid_o = fifo_valid && !filling_q;
  assign take = take_valid_o && take_ready_i;
  assign take_offset = take_id_o - id_t'(First);
  assign take_slot = slot_t'(take_offset >> StepShift);

  flags_t unused_taken_now;
  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_taken (
    .clk_i      (clk_i),
    .clear_i    (filling_q),
    .flip_i     (take),
    .flip_word_i(word_of(filling_q ? fill_slot_q : take_slot)),
    .flip_mask_i(mask_of(take_slot)),
    .flip_now_o (unused_taken_now),
    .rd_word_i  (word_of(put_slot)),
    .rd_flags_o (taken_at_put)
  );

  flags_t unused_returned;
  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_returned (
    .clk_i      (clk_i),
    .clear_i    (filling_q),
    .flip_i     (put),
    .flip_word_i(word_of(filling_q ? fill_slot_q : put_slot)),
    .flip_mask_i(mask_of(put_slot)),
    .flip_now_o (returned_at_put),
    .rd_word_i  (word_of(put_slot)),
    .rd_flags_o (unused_returned)
  );

  logic unused_fifo_ready;
  prim_fifo_sync #(
    .Width      (IdWidth),
    .Depth      (Count),
    .FallThrough(1'b0),
    .LutDepth   (Count)
  ) u_fifo (
    .s_valid_i(filling_q || put),
    .s_ready_o(unused_fifo_ready),
    .s_data_i (filling_q ? id_t'(First) + (id_t'(fill_slot_q) << StepShift) : put_id_i),
    .m_valid_o(fifo_valid),
    .m_ready_i(take_ready_i && !filling_q),
    .m_data_o (take_id_o),
    .level_o  (free_o),
    .*
  );

endmodule
