// SPDX-License-Identifier: Apache-2.0
//
// eth_rx_align: finds frames in words of the line and cuts them into beats that begin with their
// first byte.
//
// What      A frame begins at any slot of 8 bytes, so a beat is made from two words: the end of one
//           and the beginning of the next. A frame ends at the first control character.
// Why       All that depends on places in a word is settled here; eth_rx_check only sees beats.
//
// Contract  A word is word_valid_i and word_ready_o. word_lost_i: words before this one were lost.
//           Beats are never held up: beat_valid_o with count_o bytes, FCS included, Bytes of them
//           unless last_o; zeros beyond. An end that reaches four bytes or less into one more beat
//           comes with spill_o: last_o on a whole beat, and behind it the bytes of spill_bytes_o
//           that spill_lanes_o names (contiguous from lane 0). Only where these are the first of a
//           word do they come later, as a beat of their own: only_fcs_o, with the same two outputs.
//           The rest of a frame that ends beyond the beat at hand follows in the next cycle; a word
//           that would give a beat then has to wait, which is the only reason for word_ready_o to
//           be low.
// Starts    A start character in lane 0 of a slot, with no control character behind it in the word
//           and the start-of-frame delimiter in lane 7; the rest of the preamble is not looked at.
//           Any other one begins no frame: fragment_o. So a frame that ends in the word it began
//           in, with at most Bytes - 8 bytes, is not seen.
// Length    A frame that passes max_bytes_i is ended there and the rest ignored.
// Parameters
//   Bytes   of a word and of a beat, 16, 32 or 64
// Latency   combinational: a beat is there with the word in which it ends

module eth_rx_align #(
  parameter int unsigned Bytes = 64,
  localparam int unsigned CountWidth = $clog2(Bytes + 1)
) (
  input logic clk_i,
  input logic rst_i,

  input logic [15:0] max_bytes_i,

  input  logic               word_valid_i,
  output logic               word_ready_o,
  input  logic [8*Bytes-1:0] word_data_i,
  input  logic [  Bytes-1:0] word_ctrl_i,
  input  logic               word_lost_i,

  output logic                                 beat_valid_o,
  output logic                [   8*Bytes-1:0] data_o,
  output logic                [CountWidth-1:0] count_o,
  output logic                                 first_o,
  output logic                                 last_o,
  output eth_pkg::rx_status_t                  status_o,
  output logic                                 spill_o,
  output logic                                 only_fcs_o,
  output logic                [           3:0] spill_lanes_o,
  output logic                [          31:0] spill_bytes_o,
  output logic                                 fragment_o
);

  import eth_cgmii_pkg::*;
  import eth_pkg::*;

  localparam int unsigned Slots = Bytes / SlotBytes;
  localparam int unsigned SlotWidth = $clog2(Slots + 1);
  localparam int unsigned TurnWidth = $clog2(Slots);
  localparam int unsigned PlaceWidth = $clog2(Bytes);
  localparam int unsigned MinLength = MinBytes + FcsBytes;

  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [CountWidth-1:0] count_t;

  // ---- The frame at hand, and the word before ----
  logic open_q;
  logic first_q;  // no beat of it is out
  slot_t offset_q;  // its beats begin here, 1 .. Slots
  logic [15:0] seen_q;  // bytes of it in the words before
  logic [15:0] room_q;  // bytes that it may still have
  logic [8*Bytes-1:0] hold_q;

  // The rest of a frame that ended in the word before.
  logic tail_q;
  slot_t tail_offset_q;
  logic [Bytes-1:0] tail_lanes_q;
  count_t tail_count_q;
  rx_status_t tail_status_q;

  // ---- Characters of the word ----
  // In two steps everywhere, slot and lane, so that the paths stay short.
  logic [Bytes-1:0] control, ahead;
  logic [Slots-1:0] filled;  // slots with control characters
  logic [Slots-1:0] end_slot;  // the first of them
  logic none, terminated;
  count_t end_place;  // bytes before the first control character

  always_comb begin
    control    = word_ctrl_i;
    control[0] = word_ctrl_i[0] || word_lost_i;
    none       = control == '0;
    end_place  = none ? count_t'(Bytes) : '0;
    terminated = 1'b0;
    for (int unsigned j = 0; j < Slots; j++) filled[j] = control[8*j+:8] != '0;
    for (int unsigned j = 0; j < Slots; j++) begin
      logic clear, end_mark;
      logic [SlotBytes-1:0] lanes, first_lane;
      logic [2:0] lane;
      clear       = (filled & ((Slots'(1) << j) - 1'b1)) == '0;
      lanes       = control[8*j+:8];
      end_slot[j] = clear && filled[j];
      lane        = '0;
      end_mark    = 1'b0;
      for (int unsigned i = 0; i < SlotBytes; i++) begin
        first_lane[i] = lanes[i] && (lanes & ((8'd1 << i) - 8'd1)) == '0;
        ahead[8*j+i]  = clear && (lanes & ((8'd2 << i) - 8'd1)) == '0;
        if (first_lane[i]) lane = lane | 3'(i);
        if (first_lane[i] && word_data_i[64*j+8*i+:8] == Terminate) end_mark = 1'b1;
      end
      if (end_slot[j]) begin
        end_place  = end_place | count_t'({j, lane});
        terminated = terminated || end_mark;
      end
    end
    if (word_lost_i) terminated = 1'b0;
  end

  logic [Slots-1:0] start_char, start;
  slot_t start_offset;
  always_comb begin
    start_offset = '0;
    for (int unsigned j = 0; j < Slots; j++) begin
      logic alone;
      start_char[j] = word_ctrl_i[8*j] && word_data_i[64*j+:8] == Start;
      alone = word_ctrl_i[8*j+1+:7] == '0;
      for (int unsigned k = j + 1; k < Slots; k++) alone = alone && word_ctrl_i[8*k+:8] == '0;
      start[j] = start_char[j] && alone && word_data_i[64*j+56+:8] == StartOfFrame;
      if (start[j]) start_offset = start_offset | slot_t'(j + 1);
    end
  end

  // ---- Where the frame at hand ends ----
  // A frame has more than n bytes in this word if lane n is ahead of its end: no arithmetic.
  logic taken, goes_on, fits, ends_here, too_long, too_short, tail_d, spill;
  logic [PlaceWidth-1:0] last_place, short_place;
  logic [Slots:0] past, past_fcs;
  count_t here, rest;
  rx_status_t status;

  assign word_ready_o = !(tail_q && open_q);
  assign taken        = word_valid_i && word_ready_o;

  always_comb begin
    past     = '0;
    past_fcs = '0;
    for (int unsigned j = 0; j < Slots; j++) begin
      past[j]     = ahead[8*j];
      past_fcs[j] = ahead[8*j+FcsBytes];
    end
  end

  assign last_place = PlaceWidth'(room_q);
  assign too_long = room_q < 16'(Bytes) && ahead[last_place];
  assign short_place = ~PlaceWidth'(seen_q);
  assign too_short   = seen_q < 16'(MinLength) &&
      (seen_q + 16'(Bytes) < 16'(MinLength) || !ahead[short_place]);
  assign goes_on = none && !too_long;

  assign here = {offset_q, 3'd0};  // bytes of the beat that are in this word
  assign rest = end_place - here;
  assign fits = !past[offset_q];
  assign spill = !none && !fits && !past_fcs[offset_q];
  assign tail_d = !none && past_fcs[offset_q];
  assign ends_here = none ? too_long : fits || spill;

  assign status.cut = !none && !terminated;
  assign status.too_long = too_long;
  assign status.too_short = too_short;
  assign status.seen = seen_q;
  assign status.place = 7'(end_place);

  always_ff @(posedge clk_i) begin
    if (taken) begin
      hold_q <= word_data_i;
      open_q <= (|start) || (open_q && goes_on);
      if (|start) begin
        offset_q <= start_offset;
        seen_q   <= 16'(Bytes) - 16'({start_offset, 3'd0});
        room_q   <= max_bytes_i - 16'(Bytes) + 16'({start_offset, 3'd0});
        first_q  <= 1'b1;
      end else begin
        seen_q  <= seen_q + 16'(Bytes);
        room_q  <= room_q - 16'(Bytes);
        first_q <= first_q && !open_q;
      end
    end
    tail_q        <= taken && open_q && tail_d;
    tail_offset_q <= offset_q;
    tail_lanes_q  <= ahead;
    tail_count_q  <= rest;
    tail_status_q <= status;
    fragment_o    <= taken && |(start_char & ~start);
    if (rst_i) begin
      open_q     <= 1'b0;
      tail_q     <= 1'b0;
      fragment_o <= 1'b0;
    end
  end

  // ---- The beat ----
  slot_t offset;
  assign offset = tail_q ? tail_offset_q : offset_q;

  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) begin
      data_o[8*i+:8] = (slot_t'(i / SlotBytes) >= offset) ?
          hold_q[8*i+:8] & {8{!tail_q || tail_lanes_q[i]}} :
          word_data_i[8*i+:8] & {8{!tail_q && ahead[i]}};
    end
    for (int unsigned b = 0; b < TurnWidth; b++) begin
      if (offset[b]) data_o = (data_o >> (64 << b)) | (data_o << (8 * Bytes - (64 << b)));
    end
  end

  assign beat_valid_o = tail_q || (word_valid_i && open_q);
  assign first_o = !tail_q && first_q;
  assign last_o = tail_q || ends_here;
  assign status_o = tail_q ? tail_status_q : status;
  assign spill_o = !tail_q && spill;
  assign count_o      = tail_q ? tail_count_q : (none || !fits) ? count_t'(Bytes) :
      count_t'(Bytes) - here + end_place;

  assign only_fcs_o = !tail_q && !first_q && !none && !ahead[FcsBytes] &&
      offset_q == slot_t'(Slots);

  // The bytes behind the beat, or those of the word if the beat is a whole word.
  always_comb begin
    spill_lanes_o = '0;
    spill_bytes_o = '0;
    for (int unsigned j = 0; j < Slots; j++) begin
      for (int unsigned i = 0; i < FcsBytes; i++) begin
        if (TurnWidth'(offset_q) == TurnWidth'(j) && ahead[8*j+i]) begin
          spill_lanes_o[i] = 1'b1;
          spill_bytes_o[8*i+:8] = word_data_i[64*j+8*i+:8];
        end
      end
    end
  end

endmodule
