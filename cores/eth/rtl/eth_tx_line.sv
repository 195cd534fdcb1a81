// SPDX-License-Identifier: Apache-2.0
//
// eth_tx_line: places the beats of frames on the line.
//
// What      Preamble in front, FCS, terminate character and gap behind; a frame starts at any slot
//           of 8 bytes. A beat goes to two words of the line: part of it ends the word at hand, the
//           rest begins the next one.
// Why       Nothing is lost between frames: the end of one and the start of the next share a word.
//
// Contract  A beat is beat_valid_i and take_o. may_push_i: there is room for a word; must_push_i
//           (only with may_push_i): the line needs one in this cycle, so the caller sees to it that
//           an open frame has a beat then. A word that could still take the start of a frame waits
//           for it while must_push_i is low; otherwise the room is filled with idle.
//           remote_fault_i: idle words between frames become remote-fault sequences.
//           Words come out with push_o: fcs_lanes_o marks the bytes of word_o that are to be
//           replaced by the FCS, fcs_held_o whether it is the one of a beat taken in the cycle
//           before the word's (low) or of an earlier beat (high).
// Gap       12 bytes on average, terminate character included: what a start at a multiple of 8
//           bytes leaves too little or too much is carried on in deficit_q, 0 to 7 bytes that were
//           left out. So a gap has 5 to 19 bytes, and any run of frames back to back is within 7
//           bytes of 8 + length + 4 + 12 for each.
// Bad       A frame with beat_bad_i on its last beat has an error character in place of the first
//           byte of the FCS (the caller makes the others wrong).
// Parameters
//   Bytes   of a word and of a beat, 16, 32 or 64
// Latency   1 cycle from beat to word
// Source    IEEE Std 802.3 clause 81.3.1 (start, gap, deficit idle count)

module eth_tx_line #(
  parameter int unsigned Bytes = 64,
  localparam int unsigned CountWidth = $clog2(Bytes + 1)
) (
  input logic clk_i,
  input logic rst_i,

  input logic may_push_i,
  input logic must_push_i,
  input logic remote_fault_i,

  input  logic                  beat_valid_i,
  input  logic [   8*Bytes-1:0] beat_data_i,
  input  logic [CountWidth-1:0] beat_count_i,
  input  logic                  beat_first_i,
  input  logic                  beat_last_i,
  input  logic                  beat_bad_i,
  output logic                  take_o,

  output logic               push_o,
  output logic [8*Bytes-1:0] word_o,
  output logic [  Bytes-1:0] control_o,
  output logic [  Bytes-1:0] fcs_lanes_o,
  output logic               fcs_held_o
);

  import eth_cgmii_pkg::*;
  import eth_pkg::*;

  localparam int unsigned Slots = Bytes / SlotBytes;
  // Places are counted from the beginning of the word at hand. A last beat begins at most at slot
  // Slots and the next frame (Bytes + 16 + 7) / 8 slots after it.
  localparam int unsigned SlotWidth = $clog2(2 * Slots + 3);
  localparam int unsigned PlaceWidth = SlotWidth + 3;

  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [PlaceWidth-1:0] place_t;

  slot_t start_q;  // the next frame may start here
  logic [2:0] deficit_q;
  slot_t offset_q;  // where beats of the open frame begin, 1 .. Slots
  logic tail_q;  // a frame that has no more beats is not yet out
  place_t tail_end_q;  // its terminate character
  logic tail_bad_q;
  logic [8*Bytes-1:0] hold_q;  // the rest of the last beat, already in its place

  // ---- What happens in this cycle ----
  logic start, ends, complete;
  slot_t offset, next_start;
  place_t end_new, end_open;
  place_t total;  // bytes of this word up to the next start, if it could be at any byte

  assign take_o = beat_valid_i && may_push_i && (!beat_first_i || start_q < slot_t'(Slots));
  assign start = take_o && beat_first_i;
  assign ends = take_o && beat_last_i;
  assign offset = beat_first_i ? start_q + 1'b1 : offset_q;
  assign total      = {offset + slot_t'((FcsBytes + GapBytes) / SlotBytes), deficit_q}
      + place_t'(beat_count_i);
  assign next_start = slot_t'(total >> 3);
  assign end_new = {offset, 3'(FcsBytes)} + place_t'(beat_count_i);

  // A word is complete when nothing more can come into it.
  always_comb begin
    if (ends) complete = next_start >= slot_t'(Slots);
    else if (take_o) complete = 1'b1;
    else complete = beat_first_i && start_q >= slot_t'(Slots);
  end
  assign push_o = must_push_i || (may_push_i && complete);

  // ---- The frame that ends in the word at hand, or goes on in it ----
  // With a start in this word that is an older frame, its last beat taken before. An open frame
  // whose beat is not taken needs no care: then the word is not pushed.
  logic   tail;
  place_t tail_end;
  logic   tail_bad;
  assign end_open = {offset_q, 3'(FcsBytes)} + place_t'(beat_count_i);
  assign tail     = tail_q || (beat_last_i && !beat_first_i);
  assign tail_end = tail_q ? tail_end_q : end_open;
  assign tail_bad = tail_q ? tail_bad_q : beat_bad_i;

  // ---- State ----
  slot_t  from;  // next start before the word is pushed
  logic   wasted;  // a slot in which a frame could have started goes out idle
  place_t end_pending;
  assign from        = ends ? next_start : start_q;
  assign wasted      = from < slot_t'(Slots) && (ends || (!take_o && beat_first_i));
  assign end_pending = ends ? end_new : tail_end_q;

  always_ff @(posedge clk_i) begin
    if (ends) deficit_q <= total[2:0];
    if (push_o && wasted) deficit_q <= '0;

    if (!push_o) start_q <= from;
    else start_q <= (from < slot_t'(Slots)) ? '0 : from - slot_t'(Slots);

    if (start) offset_q <= offset;

    if (ends) tail_bad_q <= beat_bad_i;
    tail_end_q <= push_o ? end_pending - place_t'(Bytes) : end_pending;
    if (push_o) tail_q <= (ends || tail_q) && end_pending >= place_t'(Bytes);
    else tail_q <= ends || tail_q;

    if (rst_i) begin
      start_q   <= '0;
      deficit_q <= '0;
      tail_q    <= 1'b0;
    end
  end

  // ---- Bytes ----
  // The beat turned so that its byte 0 comes to the offset.
  logic [8*Bytes-1:0] turned;
  localparam int unsigned TurnWidth = $clog2(Slots);
  always_comb begin
    turned = beat_data_i;
    for (int unsigned b = 0; b < TurnWidth; b++) begin
      if (offset[b]) begin
        turned = (turned << (64 << b)) | (turned >> (8 * Bytes - (64 << b)));
      end
    end
  end

  logic fault_word;
  assign fault_word = remote_fault_i && !tail && beat_first_i && !take_o && start_q == '0;

  logic [8*Bytes-1:0] word_d;
  logic [Bytes-1:0] control_d, fcs_d;
  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) begin
      logic old_byte, new_byte;
      logic [7:0] idle_byte;
      old_byte = tail ? place_t'(i + FcsBytes) < tail_end : !beat_first_i;
      new_byte = start && slot_t'(i / SlotBytes) > start_q;
      fcs_d[i] = tail && tail_end > place_t'(i) && tail_end <= place_t'(i + FcsBytes);
      control_d[i] = !(old_byte || new_byte || fcs_d[i]);
      idle_byte = Idle;
      if (start && slot_t'(i / SlotBytes) == start_q) begin
        idle_byte = (i % SlotBytes == 0) ? Start :
            (i % SlotBytes == SlotBytes - 1) ? StartOfFrame : Preamble;
        control_d[i] = i % SlotBytes == 0;
      end else if (tail && tail_end == place_t'(i)) begin
        idle_byte = Terminate;
      end else if (tail && tail_bad && tail_end == place_t'(i + FcsBytes)) begin
        idle_byte = Error;
        control_d[i] = 1'b1;
        fcs_d[i] = 1'b0;
      end else if (fault_word) begin
        idle_byte = (i % SlotBytes == 0) ? Sequence : (i % SlotBytes == 3) ? RemoteFault : 8'd0;
        control_d[i] = i % SlotBytes == 0;
      end
      if (!(old_byte || new_byte)) word_d[8*i+:8] = idle_byte;
      else if (slot_t'(i / SlotBytes) < offset) word_d[8*i+:8] = hold_q[8*i+:8];
      else word_d[8*i+:8] = turned[8*i+:8];
    end
  end

  always_ff @(posedge clk_i) begin
    word_o      <= word_d;
    control_o   <= control_d;
    fcs_lanes_o <= fcs_d;
    fcs_held_o  <= tail_q;
    // A word that waits keeps what is in it already.
    for (int unsigned j = 0; j < Slots; j++) begin
      if (take_o && (push_o || slot_t'(j) >= offset)) hold_q[64*j+:64] <= turned[64*j+:64];
    end
  end

endmodule
