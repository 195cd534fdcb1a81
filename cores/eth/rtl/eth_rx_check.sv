// SPDX-License-Identifier: Apache-2.0
//
// eth_rx_check: checks the FCS of a frame and takes it off.
//
// What      Beats of frames become beats of a stream that end with the last byte before the FCS;
//           TUSER on the last one says that the frame is not to be used.
// Why       The verdict comes with the last beat: nobody has to wait for it, and no second pass is
//           needed.
// Contract  Beats as eth_rx_align gives them, no back-pressure. A beat leaves when the next one of
//           its frame is there, which may hold nothing but the end of the FCS. Bytes outside TKEEP
//           mean nothing. A frame of fewer than 64 bytes that is over within its first beat is not
//           delivered, only reported.
// Reports   one-cycle pulses with the last beat: frame_o (good, frame_bytes_o with FCS), or the
//           first of cut_o, too_long_o, too_short_o, bad_fcs_o that applies.
// Parameters
//   Bytes   of a beat, 16, 32 or 64
// Latency   2 cycles from the beat that is the last, or else from the next one
//
// How       The CRC runs over whole beats. Zeros behind a good frame leave a register that depends
//           on their number only, so it is looked up. The bytes of an FCS that spill into one more
//           beat are not run through the CRC either: they say what the register must have been
//           before them.

module eth_rx_check #(
  parameter int unsigned Bytes = 64,
  localparam int unsigned CountWidth = $clog2(Bytes + 1)
) (
  input logic clk_i,
  input logic rst_i,

  input logic                                 beat_valid_i,
  input logic                [   8*Bytes-1:0] data_i,
  input logic                [CountWidth-1:0] count_i,
  input logic                                 first_i,
  input logic                                 last_i,
  input eth_pkg::rx_status_t                  status_i,
  input logic                                 spill_i,
  input logic                                 only_fcs_i,
  input logic                [           3:0] spill_lanes_i,
  input logic                [          31:0] spill_bytes_i,

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
  output logic        bad_fcs_o
);

  import eth_pkg::*;

  localparam int unsigned ZeroWidth = $clog2(Bytes);
  typedef logic [CountWidth-1:0] count_t;

  // The register after a good frame and k zeros; and before the last k bytes of an FCS, if these
  // were zero.
  function automatic logic [Bytes-1:0][31:0] after_zeros();
    for (int unsigned k = 0; k < Bytes; k++) after_zeros[k] = crc_forward(CrcResidue, 8 * k);
  endfunction
  function automatic logic [FcsBytes:0][31:0] before_fcs();
    for (int unsigned k = 0; k <= FcsBytes; k++) before_fcs[k] = crc_back(CrcResidue, 8 * k);
  endfunction
  localparam logic [Bytes-1:0][31:0] AfterZeros = after_zeros();
  localparam logic [FcsBytes:0][31:0] BeforeFcs = before_fcs();

  // ---- The beat that waits for the next one ----
  logic valid_q, first_q, last_q, spill_q;
  logic [8*Bytes-1:0] data_q;
  count_t count_q;
  rx_status_t status_q;
  logic [3:0] spill_lanes_q;
  logic [31:0] spill_bytes_q;

  logic merge, resolve, ends;
  assign merge   = valid_q && !last_q && beat_valid_i && only_fcs_i;
  assign resolve = valid_q && (last_q || beat_valid_i);
  assign ends    = last_q || merge;

  always_ff @(posedge clk_i) begin
    if (beat_valid_i) begin
      data_q        <= data_i;
      count_q       <= count_i;
      first_q       <= first_i;
      last_q        <= last_i;
      status_q      <= status_i;
      spill_q       <= spill_i;
      spill_lanes_q <= spill_lanes_i;
      spill_bytes_q <= spill_bytes_i;
    end
    valid_q <= !rst_i && ((beat_valid_i && !merge) || (valid_q && !resolve));
  end

  // ---- CRC ----
  logic [31:0] crc_q, crc, expected, spilled, in_time;
  logic spill, good;
  logic [3:0] spill_lanes;

  eth_crc #(
    .Bytes(Bytes)
  ) u_crc (
    .crc_i (first_q ? CrcInit : crc_q),
    .data_i(data_q),
    .crc_o (crc)
  );

  always_ff @(posedge clk_i) if (resolve) crc_q <= crc;

  assign spill       = !last_q || spill_q;
  assign spill_lanes = last_q ? spill_lanes_q : spill_lanes_i;
  assign spilled     = last_q ? spill_bytes_q : spill_bytes_i;
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) in_time[31-i] = spilled[i];
    if (spill) begin
      expected = BeforeFcs[0];
      for (int unsigned i = 0; i < FcsBytes; i++) if (spill_lanes[i]) expected = BeforeFcs[i+1];
      expected = expected ^ in_time;
    end else begin
      expected = AfterZeros[ZeroWidth'(Bytes)-ZeroWidth'(count_q)];
    end
  end
  assign good = crc == expected;

  // ---- Out ----
  rx_status_t status;
  logic [Bytes-1:0] keep;
  logic hide, marked;
  logic [15:0] seen_q;
  logic [ 6:0] place_q;

  assign status = last_q ? status_q : status_i;
  assign hide   = first_q && ends && status.too_short && !(spill && spill_lanes[0]);
  assign marked = status.cut || status.too_long || status.too_short || !good;

  // Without the FCS, or the part of it that is in this beat.
  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) keep[i] = count_q > count_t'(i + FcsBytes);
    if (spill) keep = {spill_lanes, {(Bytes - FcsBytes) {1'b1}}};
    if (!ends) keep = '1;
  end

  assign frame_bytes_o = seen_q + 16'(place_q);

  always_ff @(posedge clk_i) begin
    m_axis_tvalid <= resolve && !hide;
    m_axis_tdata <= data_q;
    m_axis_tkeep <= keep;
    m_axis_tlast <= ends;
    m_axis_tuser <= ends && marked;
    frame_o <= resolve && ends && !marked;
    seen_q <= status.seen;
    place_q <= status.place;
    cut_o <= resolve && ends && status.cut;
    too_long_o <= resolve && ends && !status.cut && status.too_long;
    too_short_o <= resolve && ends && !status.cut && !status.too_long && status.too_short;
    bad_fcs_o <= resolve && ends && !status.cut && !status.too_long && !status.too_short && !good;
    if (rst_i) begin
      m_axis_tvalid <= 1'b0;
      frame_o       <= 1'b0;
      cut_o         <= 1'b0;
      too_long_o    <= 1'b0;
      too_short_o   <= 1'b0;
      bad_fcs_o     <= 1'b0;
    end
  end

endmodule
