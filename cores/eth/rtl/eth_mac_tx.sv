// SPDX-License-Identifier: Apache-2.0
//
// eth_mac_tx: transmitter of an Ethernet MAC for 100 Gb/s.
//
// What      Packets of a stream, from the destination address on and without FCS, become frames on
//           a CGMII: preamble, padding to 60 bytes, FCS, a gap of 12 bytes on average. A frame
//           starts at any multiple of 8 bytes.
// Why       Cut-through, with the line as the only limit: no store and forward, no cycle between
//           frames.
//
// Contract  Stream: TKEEP contiguous from lane 0, all ones except on TLAST, where it may be zero.
//           TUSER with TLAST: the packet is not to be used. Once a packet has begun the source
//           offers a beat in every cycle with TREADY, until TLAST. Line: phy_tx_ready_i says that
//           the word is taken; a word is there in every cycle. Byte 0 is first. max_bytes_i:
//           longest frame on the line, from the address through the FCS; 64 and more; steady.
//           local_fault_i, remote_fault_i: of the receiver, in clk_i. Then packets wait in
//           back-pressure, and the line has remote-fault sequences (local fault) or idle (remote
//           fault).
// Bad       A packet with TUSER, one that is too long, one whose source is late, one that is on the
//           line when a fault comes: the frame ends with an error character and a wrong FCS, and
//           what is left of the packet is thrown away.
// Reports   one-cycle pulses: frame_o (good frame; frame_bytes_o has its length with FCS), and one
//           for each reason of a bad one, abort_o, late_o, too_long_o, fault_o.
//
// Parameters
//   Bytes   of a beat and of a word, 16, 32 or 64
// Latency   3 cycles from the beat that is taken to its bytes on the line, if the line was idle;
//           independent of the length.
// Limits    A frame takes max(TREADY beats, words of the line): where the clock is not faster than
//           the line, packets whose last beat has fewer than 40 of 64 bytes are limited by the
//           stream, not by the line.
// Source    IEEE Std 802.3 clauses 3, 4 and 81

module eth_mac_tx #(
  parameter int unsigned Bytes = 64
) (
  input logic clk_i,
  input logic rst_i,

  input  logic [8*Bytes-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tuser,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,

  input logic [15:0] max_bytes_i,
  input logic        local_fault_i,
  input logic        remote_fault_i,

  input  logic               phy_tx_ready_i,
  output logic [8*Bytes-1:0] phy_tx_data_o,
  output logic [  Bytes-1:0] phy_tx_ctrl_o,

  output logic        frame_o,
  output logic [15:0] frame_bytes_o,
  output logic        abort_o,
  output logic        late_o,
  output logic        too_long_o,
  output logic        fault_o
);

  if (!(Bytes inside {16, 32, 64})) begin : gen_bad_bytes
    $error("eth_mac_tx %m: rule Bytes is 16, 32 or 64, got %0d", Bytes);
  end

  localparam int unsigned CountWidth = $clog2(Bytes + 1);
  localparam int unsigned ZeroWidth = $clog2(Bytes);

  // ---- Into a register; from here on a beat has a number of bytes and zeros behind them ----
  typedef struct packed {
    logic                  marked;
    logic                  last;
    logic                  over;
    logic [CountWidth-1:0] count;
    logic [8*Bytes-1:0]    data;
  } beat_t;

  // A packet may have `whole_q` whole beats, and `rest_q` bytes behind them.
  logic [15:0] limit;
  logic [15-ZeroWidth:0] whole_q;
  logic [ZeroWidth-1:0] rest_q;
  assign limit = max_bytes_i - 16'(eth_pkg::FcsBytes);
  always_ff @(posedge clk_i) {whole_q, rest_q} <= limit;

  beat_t in_beat, user;
  logic [CountWidth-1:0] in_count;
  logic user_valid, user_ready;

  axis_keep_count #(
    .Bytes(Bytes)
  ) u_count (
    .keep_i (s_axis_tkeep),
    .count_o(in_count)
  );

  assign in_beat.count  = in_count;
  assign in_beat.over   = in_count > CountWidth'(rest_q);
  assign in_beat.last   = s_axis_tlast;
  assign in_beat.marked = s_axis_tuser;
  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) begin
      in_beat.data[8*i+:8] = s_axis_tdata[8*i+:8] & {8{s_axis_tkeep[i]}};
    end
  end

  prim_skid #(
    .Width($bits(beat_t))
  ) u_skid (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(s_axis_tvalid),
    .s_ready_o(s_axis_tready),
    .s_data_i (in_beat),
    .m_valid_o(user_valid),
    .m_ready_i(user_ready),
    .m_data_o (user)
  );

  // ---- Words that are made and not yet taken by the line ----
  // Two of them make up the pipeline: then a word must follow. The third and fourth let a word
  // wait for the start of a frame.
  logic [2:0] level_q;
  logic may_push, must_push, push, push_q, pop, line_valid;

  assign may_push  = level_q < 3'd4;
  assign must_push = level_q < 3'd3;
  assign pop       = phy_tx_ready_i && line_valid;

  always_ff @(posedge clk_i) begin
    push_q  <= push && !rst_i;
    level_q <= rst_i ? '0 : level_q + 3'(push) - 3'(pop);
  end

  // ---- Frames ----
  logic remote_fault_q, stop_q;
  logic beat_valid, beat_first, beat_last, beat_bad, take;
  logic [8*Bytes-1:0] beat_data;
  logic [CountWidth-1:0] beat_count;
  logic [ZeroWidth-1:0] beat_zeros;

  always_ff @(posedge clk_i) begin
    remote_fault_q <= local_fault_i;
    stop_q         <= local_fault_i || remote_fault_i;
  end

  eth_tx_frame #(
    .Bytes(Bytes)
  ) u_frame (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .max_whole_i  (whole_q),
    .stop_i       (stop_q),
    .s_valid_i    (user_valid),
    .s_ready_o    (user_ready),
    .s_data_i     (user.data),
    .s_count_i    (user.count),
    .s_over_i     (user.over),
    .s_last_i     (user.last),
    .s_abort_i    (user.marked),
    .hurry_i      (must_push),
    .take_i       (take),
    .valid_o      (beat_valid),
    .data_o       (beat_data),
    .count_o      (beat_count),
    .zeros_o      (beat_zeros),
    .first_o      (beat_first),
    .last_o       (beat_last),
    .bad_o        (beat_bad),
    .frame_o      (frame_o),
    .frame_bytes_o(frame_bytes_o),
    .abort_o      (abort_o),
    .too_long_o   (too_long_o),
    .late_o       (late_o),
    .fault_o      (fault_o)
  );

  // ---- Words, all but the FCS ----
  logic [8*Bytes-1:0] word;
  logic [Bytes-1:0] control, fcs_lanes;
  logic fcs_held;
  logic [31:0] fcs;

  eth_tx_line #(
    .Bytes(Bytes)
  ) u_line (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .may_push_i    (may_push),
    .must_push_i   (must_push),
    .remote_fault_i(remote_fault_q),
    .beat_valid_i  (beat_valid),
    .beat_data_i   (beat_data),
    .beat_count_i  (beat_count),
    .beat_first_i  (beat_first),
    .beat_last_i   (beat_last),
    .beat_bad_i    (beat_bad),
    .take_o        (take),
    .push_o        (push),
    .word_o        (word),
    .control_o     (control),
    .fcs_lanes_o   (fcs_lanes),
    .fcs_held_o    (fcs_held)
  );

  eth_tx_fcs #(
    .Bytes(Bytes)
  ) u_fcs (
    .clk_i  (clk_i),
    .take_i (take),
    .data_i (beat_data),
    .count_i(beat_count),
    .zeros_i(beat_zeros),
    .first_i(beat_first),
    .last_i (beat_last),
    .bad_i  (beat_bad),
    .held_i (fcs_held),
    .fcs_o  (fcs)
  );

  // ---- The FCS comes in, and the word waits for the line ----
  logic full, unused;
  assign unused = full;  // the level keeps it from that
  logic [8*Bytes-1:0] whole;
  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) begin
      whole[8*i+:8] = fcs_lanes[i] ? fcs[8*(i%4)+:8] : word[8*i+:8];
    end
  end

  eth_buffer #(
    .Width    (9 * Bytes),
    .Depth    (3),
    .ResetWord({{Bytes{1'b1}}, {Bytes{eth_cgmii_pkg::Idle}}})
  ) u_buffer (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .push_i (push_q),
    .word_i ({control, whole}),
    .full_o (full),
    .pop_i  (phy_tx_ready_i),
    .valid_o(line_valid),
    .word_o ({phy_tx_ctrl_o, phy_tx_data_o})
  );

endmodule
