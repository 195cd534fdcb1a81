// SPDX-License-Identifier: Apache-2.0
//
// pcs_idle: lets a source that cannot be held keep its own rate, by leaving idle out and putting
// it in.
//
// What      Words wait in a FIFO. While more than High of them do, a slot of eight idle characters
//           of each word that has one is left out, and what comes behind it moves up. While fewer
//           than Low do, words of idle go out where a word ends in a gap.
// Why       CGMII as the standard has it gives words at the rate of the line, which the markers
//           make too many, and of its own clock. eth_mac can be held and needs none of this.
// Contract  s_valid_i: a word of slots, whatever waits. m_slot_o: a word, taken with m_ready_i. A
//           gap never gets shorter than the end of a frame and the idle characters in its slot.
//           lost_o: a word found no room, or a frame had none left and goes on with error
//           characters.
// Parameters
//   Blocks     of a word, >= 2
//   Depth      words that may wait
//   Low, High  Low < High < Depth: a frame without a gap gives or takes that many words
// Latency   2 cycles and the words that wait
// Source    IEEE Std 802.3 82.2.3.6 (idle goes in eights)

module pcs_idle
  import pcs_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter int unsigned Depth = 16,
  parameter int unsigned Low = 4,
  parameter int unsigned High = 8
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               s_valid_i,
  input  slot_t [Blocks-1:0] s_slot_i,
  input  logic               m_ready_i,
  output slot_t [Blocks-1:0] m_slot_o,
  output logic               lost_o
);

  if (Blocks < 2) begin : gen_bad_blocks
    $error("pcs_idle %m: rule Blocks >= 2, got %0d", Blocks);
  end
  if (Low >= High || High >= Depth) begin : gen_bad_limits
    $error("pcs_idle %m: rule Low < High < Depth, got %0d, %0d and %0d", Low, High, Depth);
  end

  localparam int unsigned CountWidth = $clog2(Blocks);
  localparam int unsigned LevelWidth = $clog2(Depth + 1);
  localparam slot_t IdleSlot = {8'hff, {8{eth_cgmii_pkg::Idle}}};

  typedef logic [CountWidth-1:0] count_t;

  slot_t [Blocks-1:0] packed_slots, turned, held_q, word_q, stored;
  count_t count_q;  // slots of held_q that are still to go
  logic drop, whole, valid_q, ready, there, give, gap_q;
  logic [Blocks-1:0] behind;  // the first slot of idle, or that one
  logic [LevelWidth-1:0] level;

  // The slots behind the one that is left out move up; the last one then means nothing.
  always_comb begin
    logic found;
    found = 1'b0;
    for (int b = 0; b < int'(Blocks); b++) begin
      found |= s_slot_i[b] == IdleSlot;
      behind[b] = found;
    end
  end
  assign drop = level > LevelWidth'(High) && behind[Blocks-1];
  always_comb begin
    packed_slots = s_slot_i;
    for (int b = 0; b < int'(Blocks) - 1; b++) begin
      if (drop && behind[b]) packed_slots[b] = s_slot_i[b+1];
    end
  end

  // Turned to its place: what does not fit in this word is the beginning of the next one.
  always_comb begin
    turned = packed_slots;
    for (int c = 1; c < int'(Blocks); c++) begin
      if (count_q == count_t'(c)) begin
        for (int b = 0; b < int'(Blocks); b++) turned[(b+c)%int'(Blocks)] = packed_slots[b];
      end
    end
  end
  assign whole = !(drop && count_q == '0);

  always_ff @(posedge clk_i) begin
    if (s_valid_i) begin
      held_q <= turned;
      for (int b = 0; b < int'(Blocks); b++) begin
        word_q[b] <= (count_t'(b) < count_q) ? held_q[b] : turned[b];
      end
    end
    if (rst_i) count_q <= '0;
    else if (s_valid_i && drop) count_q <= (count_q == '0) ? count_t'(Blocks - 1) : count_q - 1'b1;
    valid_q <= s_valid_i && whole && !rst_i;
  end

  // ---- What waits ----
  prim_fifo_sync #(
    .Width      ($bits(word_q)),
    .Depth      (Depth),
    .FallThrough(1'b0)
  ) u_fifo (
    .clk_i,
    .rst_i,
    .s_valid_i(valid_q),
    .s_ready_o(ready),
    .s_data_i (word_q),
    .m_valid_o(there),
    .m_ready_i(m_ready_i && give),
    .m_data_o (stored),
    .level_o  (level)
  );

  assign give = there && !(gap_q && level < LevelWidth'(Low));
  always_comb begin
    m_slot_o = stored;
    if (!give) m_slot_o = gap_q ? {Blocks{IdleSlot}} : {Blocks{ErrorSlot}};
  end

  // The word that went out last ends with an idle character or a frame's end.
  logic ends;
  assign ends = stored[Blocks-1].control[7];
  always_ff @(posedge clk_i) begin
    lost_o <= ((valid_q && !ready) || (m_ready_i && !give && !gap_q)) && !rst_i;
    if (rst_i) gap_q <= 1'b1;
    else if (m_ready_i && give) gap_q <= ends;
  end

endmodule
