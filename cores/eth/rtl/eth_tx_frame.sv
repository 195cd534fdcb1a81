// SPDX-License-Identifier: Apache-2.0
//
// eth_tx_frame: decides which bytes a frame has on the line.
//
// What      Beats of the user's packet become beats of a frame: filled up with zeros to 60 bytes,
//           and ended early, marked bad, when the user is late or the packet is too long or the
//           link has a fault. What the user still has of a packet that was ended is thrown away.
// Why       Everything about the content is settled here; eth_tx_line only places bytes.
// Contract  A beat is valid_o and take_i; data_o is zero beyond count_o. Only the last beat of a
//           frame has fewer than Bytes bytes; it may have none. While first_o is low a frame is
//           open, and hurry_i says that its next beat is due now: valid_o is then high, with the
//           end of the frame if the user has nothing. bad_o counts with last_o.
//           zeros_o is Bytes - count_o modulo Bytes, unless count_o is 0.
//           s_count_i: bytes of the user's beat, fewer than Bytes only with s_last_i; s_data_i zero
//           beyond. max_whole_i: whole beats that a packet may have; s_over_i: the beat has more
//           bytes than a packet may have behind them.
//
// Cut by    too long (the packet would pass the limit), late (hurry_i without a beat), fault
//           (stop_i). Of a beat that is too much nothing is sent. stop_i also holds back new
//           frames.
// Reports   one-cycle pulses in the cycle after the beat that decides it; frame_o at the end of a
//           good frame, with its length on the line from the address through the FCS.
// Parameters
//   Bytes   of a beat, 16, 32 or 64
// Latency   combinational

module eth_tx_frame #(
  parameter int unsigned Bytes = 64,
  localparam int unsigned CountWidth = $clog2(Bytes + 1),
  localparam int unsigned ZeroWidth = $clog2(Bytes),
  localparam int unsigned WholeWidth = 16 - ZeroWidth
) (
  input logic clk_i,
  input logic rst_i,

  input logic [WholeWidth-1:0] max_whole_i,
  input logic                  stop_i,

  input  logic                  s_valid_i,
  output logic                  s_ready_o,
  input  logic [   8*Bytes-1:0] s_data_i,
  input  logic [CountWidth-1:0] s_count_i,
  input  logic                  s_over_i,
  input  logic                  s_last_i,
  input  logic                  s_abort_i,

  input  logic                  hurry_i,
  input  logic                  take_i,
  output logic                  valid_o,
  output logic [   8*Bytes-1:0] data_o,
  output logic [CountWidth-1:0] count_o,
  output logic [ ZeroWidth-1:0] zeros_o,
  output logic                  first_o,
  output logic                  last_o,
  output logic                  bad_o,

  output logic        frame_o,
  output logic [15:0] frame_bytes_o,
  output logic        abort_o,
  output logic        too_long_o,
  output logic        late_o,
  output logic        fault_o
);

  // The beat in which a frame of the smallest size ends, and the bytes it needs there.
  localparam int unsigned MinBeat = (eth_pkg::MinBytes - 1) / Bytes;
  localparam int unsigned MinTail = eth_pkg::MinBytes - MinBeat * Bytes;
  localparam int unsigned BeatWidth = 3;


  logic open_q;  // a frame is on its way
  logic pad_q;  // its bytes are all out, zeros follow
  logic bad_q;  // and it will end as a bad one
  logic drop_q;  // the rest of a packet is thrown away
  logic [BeatWidth-1:0] beat_q;  // beats of the frame so far, stays at MinBeat + 1
  logic [WholeWidth-1:0] sent_q;  // beats of the frame so far
  logic at_limit_q;  // and there may be no more whole ones

  logic offered, too_long, cut, none, ended, below, at_min;

  assign offered  = s_valid_i && !drop_q && !pad_q;
  // A beat that is taken although the user has none, or too much, is the end of the frame.
  assign too_long = at_limit_q && s_over_i;
  assign none     = !offered || too_long;
  assign cut      = !pad_q && (none || (open_q && stop_i));
  assign ended    = pad_q || cut || s_last_i;

  assign below    = (MinBeat > 0) && beat_q + 1'b1 <= BeatWidth'(MinBeat);
  assign at_min   = beat_q == BeatWidth'(MinBeat);
  assign valid_o  = open_q ? pad_q || offered || stop_i || hurry_i : offered && !stop_i;
  assign first_o  = !open_q;
  assign last_o   = ended && !below;
  assign bad_o    = bad_q || cut || (s_last_i && s_abort_i && !pad_q);
  // What a beat that was cut has is of no account; nothing else may come in its place.
  assign data_o   = offered ? s_data_i : '0;

  always_comb begin
    if (below) begin
      count_o = CountWidth'(Bytes);
      zeros_o = '0;
    end else if (at_min && (none || s_count_i < CountWidth'(MinTail))) begin
      count_o = CountWidth'(MinTail);
      zeros_o = ZeroWidth'(Bytes - MinTail);
    end else begin
      count_o = none ? '0 : s_count_i;
      zeros_o = ZeroWidth'(Bytes) - ZeroWidth'(s_count_i);
    end
  end

  logic begin_drop;
  assign begin_drop = take_i && cut && !(offered && s_last_i);
  assign s_ready_o  = drop_q || (take_i && offered);

  always_ff @(posedge clk_i) begin
    if (take_i && last_o) at_limit_q <= max_whole_i == '0;
    else at_limit_q <= max_whole_i == sent_q + WholeWidth'(take_i);
    if (take_i) begin
      open_q <= !last_o;
      pad_q  <= ended && !last_o;
      bad_q  <= bad_o && !last_o;
      beat_q <= last_o ? '0 : (beat_q > BeatWidth'(MinBeat)) ? beat_q : beat_q + 1'b1;
      sent_q <= last_o ? '0 : sent_q + 1'b1;
    end
    if (begin_drop) drop_q <= 1'b1;
    else if (s_valid_i && s_last_i) drop_q <= 1'b0;
    frame_o       <= take_i && last_o && !bad_o;
    frame_bytes_o <= {sent_q, {ZeroWidth{1'b0}}} + 16'(count_o) + 16'(eth_pkg::FcsBytes);
    abort_o       <= take_i && !pad_q && !cut && s_last_i && s_abort_i;
    fault_o       <= take_i && cut && open_q && stop_i;
    too_long_o    <= take_i && cut && offered && too_long && !(open_q && stop_i);
    late_o        <= take_i && cut && !offered && !stop_i;
    if (rst_i) begin
      open_q     <= 1'b0;
      pad_q      <= 1'b0;
      bad_q      <= 1'b0;
      drop_q     <= 1'b0;
      beat_q     <= '0;
      sent_q     <= '0;
      frame_o    <= 1'b0;
      abort_o    <= 1'b0;
      fault_o    <= 1'b0;
      too_long_o <= 1'b0;
      late_o     <= 1'b0;
    end
  end

endmodule
