// SPDX-License-Identifier: Apache-2.0
//
// eth_mac_rx: receiver of an Ethernet MAC for 100 Gb/s.
//
// What      Frames on a CGMII become packets of a stream, without preamble and FCS. TUSER with
//           TLAST: the frame is not to be used.
// Why       Cut-through; the verdict on the FCS comes with the last beat.
//
// Contract  Line: words with phy_rx_valid_i, byte 0 first; frames begin in lane 0 of any slot of 8
//           bytes, and one may end and the next begin in the same word (a gap of one byte is
//           enough). Stream: no TREADY; TKEEP contiguous from lane 0, all ones except on TLAST, at
//           least one byte. Bytes outside TKEEP mean nothing. Every packet that has begun ends, at
//           the latest with the next frame or a lost word. max_bytes_i: longest frame, from the
//           address through the FCS; steady.
// Marked    with TUSER: wrong FCS; ended by another character than terminate (an error, a start, a
//           fault, idle) or by words that were lost; longer than max_bytes_i (ended there); shorter
//           than 64 bytes. A frame of fewer than 64 bytes that fits in one beat is not delivered at
//           all.
// Reports   one-cycle pulses: frame_o (good, frame_bytes_o with FCS), or the first of cut_o,
//           too_long_o, too_short_o, bad_fcs_o that applies; fragment_o, a start that led to no
//           frame; lost_o, a word found no room.
//
// Parameters
//   Bytes   of a word and of a beat, 16, 32 or 64
//   Depth   words that may wait, >= 2
// Latency   4 cycles from the word with the start to the first beat, if the words follow each
//           other, whatever the length; 2 to 4 cycles from the word with the terminate character to
//           TLAST.
// Limits    A word can hold the end of two beats, but only one beat leaves in a cycle. Then words
//           wait, and catch up in cycles without a word and in the gap of an idle line. Frames back
//           to back whose last beat has few bytes need a clock that is faster than the line (at 64
//           bytes up to 128 / 84 times); a transmitter of the same width and clock as eth_mac_tx
//           cannot send faster than one beat a word.
// Source    IEEE Std 802.3 clauses 3, 4 and 81

module eth_mac_rx #(
  parameter int unsigned Bytes = 64,
  parameter int unsigned Depth = 16
) (
  input logic clk_i,
  input logic rst_i,

  input logic               phy_rx_valid_i,
  input logic [8*Bytes-1:0] phy_rx_data_i,
  input logic [  Bytes-1:0] phy_rx_ctrl_i,

  input  logic [15:0] max_bytes_i,
  output logic        local_fault_o,
  output logic        remote_fault_o,

  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tuser,
  output logic               m_axis_tvalid,

  output logic        frame_o,
  output logic [15:0] frame_bytes_o,
  output logic        cut_o,
  output logic        too_long_o,
  output logic        too_short_o,
  output logic        bad_fcs_o,
  output logic        fragment_o,
  output logic        lost_o
);

  import eth_pkg::*;

  if (!(Bytes inside {16, 32, 64})) begin : gen_bad_bytes
    $error("eth_mac_rx %m: rule Bytes is 16, 32 or 64, got %0d", Bytes);
  end
  if (Depth < 2) begin : gen_bad_depth
    $error("eth_mac_rx %m: rule Depth >= 2, got %0d", Depth);
  end

  localparam int unsigned CountWidth = $clog2(Bytes + 1);

  eth_link_fault #(
    .Bytes(Bytes)
  ) u_fault (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .valid_i       (phy_rx_valid_i),
    .data_i        (phy_rx_data_i),
    .ctrl_i        (phy_rx_ctrl_i),
    .local_fault_o (local_fault_o),
    .remote_fault_o(remote_fault_o)
  );

  // ---- Words that wait ----
  // Words of control characters only say nothing after a first one (a start needs data behind it):
  // they are left out, so that an idle line lets the words before it catch up.
  logic idle, idle_q, lost_q, push, full;
  assign idle = &phy_rx_ctrl_i;
  assign push = phy_rx_valid_i && !(idle && idle_q);

  always_ff @(posedge clk_i) begin
    lost_o <= push && full && !rst_i;
    if (push) begin
      lost_q <= full;
      idle_q <= idle && !full;
    end
    if (rst_i) begin
      lost_q <= 1'b0;
      idle_q <= 1'b0;
    end
  end

  logic word_valid, word_ready, word_lost;
  logic [8*Bytes-1:0] word_data;
  logic [  Bytes-1:0] word_ctrl;

  eth_buffer #(
    .Width(9 * Bytes + 1),
    .Depth(Depth)
  ) u_buffer (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .push_i (push),
    .word_i ({lost_q, phy_rx_ctrl_i, phy_rx_data_i}),
    .full_o (full),
    .pop_i  (word_ready),
    .valid_o(word_valid),
    .word_o ({word_lost, word_ctrl, word_data})
  );

  // ---- Beats ----
  logic beat_valid, first, last, spill, only_fcs;
  logic [8*Bytes-1:0] data;
  logic [CountWidth-1:0] count;
  rx_status_t status;
  logic [3:0] spill_lanes;
  logic [31:0] spill_bytes;

  eth_rx_align #(
    .Bytes(Bytes)
  ) u_align (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .max_bytes_i  (max_bytes_i),
    .word_valid_i (word_valid),
    .word_ready_o (word_ready),
    .word_data_i  (word_data),
    .word_ctrl_i  (word_ctrl),
    .word_lost_i  (word_lost),
    .beat_valid_o (beat_valid),
    .data_o       (data),
    .count_o      (count),
    .first_o      (first),
    .last_o       (last),
    .status_o     (status),
    .spill_o      (spill),
    .only_fcs_o   (only_fcs),
    .spill_lanes_o(spill_lanes),
    .spill_bytes_o(spill_bytes),
    .fragment_o   (fragment_o)
  );

  eth_rx_check #(
    .Bytes(Bytes)
  ) u_check (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .beat_valid_i (beat_valid),
    .data_i       (data),
    .count_i      (count),
    .first_i      (first),
    .last_i       (last),
    .status_i     (status),
    .spill_i      (spill),
    .only_fcs_i   (only_fcs),
    .spill_lanes_i(spill_lanes),
    .spill_bytes_i(spill_bytes),
    .m_axis_tdata (m_axis_tdata),
    .m_axis_tkeep (m_axis_tkeep),
    .m_axis_tlast (m_axis_tlast),
    .m_axis_tuser (m_axis_tuser),
    .m_axis_tvalid(m_axis_tvalid),
    .frame_o      (frame_o),
    .frame_bytes_o(frame_bytes_o),
    .cut_o        (cut_o),
    .too_long_o   (too_long_o),
    .too_short_o  (too_short_o),
    .bad_fcs_o    (bad_fcs_o)
  );

endmodule
