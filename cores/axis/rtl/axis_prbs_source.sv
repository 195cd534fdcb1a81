// SPDX-License-Identifier: Apache-2.0
//
// axis_prbs_source: endless packets of pseudo-random bytes and random length.
//
// What    Sends packets whose bytes, one after the other and across packet ends, are one PRBS-31
//         sequence. Bit 0 of a byte comes first. Lengths are uniform between two limits.
// Why     Traffic for a link test that the far end can check without knowing where packets begin:
//         a lost, doubled or exchanged byte anywhere shifts the sequence (see axis_prbs_check).
//
// Contract
//   * enable_i low: the packet that was begun is finished, then nothing more is sent.
//   * min_bytes_i <= length <= max_bytes_i; a maximum below the minimum counts as the minimum.
//     Length 0 sends a null beat (TLAST without bytes). The length of packet k is
//         min + floor(r * (max - min + 1) / 65536)
//     with r the k-th 16 bits (first bit lowest) of the same recurrence, started from ~seed.
//     Limits may change at any time and hold for packets begun two cycles later or more.
//   * gap_i cycles without TVALID follow each packet, counted with the sink ready; 0 is back to
//     back.
//   * seed_i is taken while rst_i is high: the 31 bits before the first one sent. Zero, and all
//     ones (zero for the lengths), have no sequence: such a start is replaced by 31'h5555_5555.
//   * Bytes outside TKEEP are zero. Outputs come from registers; full throughput.
//
// Parameters
//   Bytes   width of the stream, >= 1 and at most 4096
// Latency     first beat 3 cycles after reset with enable_i high
// Limits      16-bit lengths and gaps; the length takes a 16 x 17 bit multiplier
// Source      PRBS-31: ITU-T O.150 section 5.8 (here not inverted)

module axis_prbs_source #(
  parameter int unsigned Bytes = 32
) (
  input logic clk_i,
  input logic rst_i,

  input logic        enable_i,
  input logic [15:0] min_bytes_i,
  input logic [15:0] max_bytes_i,
  input logic [15:0] gap_i,
  input logic [30:0] seed_i,

  output logic [Bytes*8-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tvalid,
  input  logic               m_axis_tready
);

  if (Bytes < 1 || Bytes > 4096) begin : gen_bad
    $error("axis_prbs_source %m: rule 1 <= Bytes <= 4096, got %0d", Bytes);
  end

  localparam logic [30:0] Start = 31'h5555_5555;
  localparam int unsigned CountW = $clog2(Bytes + 1);

  logic take;  // the output register is free for a beat
  assign take = !m_axis_tvalid || m_axis_tready;

  // ---- Length of the next packet: length_q always belongs to random_q ----
  logic begin_packet;
  logic [30:0] random_q, random_d;
  logic [46:0] random_bits;
  logic [15:0] range, length_q;
  logic [16:0] choices;
  logic [32:0] product;
  logic        ready_q;  // length_q is valid
  axis_prbs_step #(
    .Bits(16)
  ) u_random (
    .state_i   (random_q),
    .sequence_o(random_bits)
  );
  assign random_d = begin_packet ? random_bits[46:16] : random_q;
  assign range    = (max_bytes_i > min_bytes_i) ? max_bytes_i - min_bytes_i : '0;
  assign choices  = {1'b0, range} + 1'b1;
  assign product  = 33'(random_d[30:15]) * 33'(choices);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      random_q <= (&seed_i) ? Start : ~seed_i;
      ready_q  <= 1'b0;
    end else begin
      random_q <= random_d;
      ready_q  <= 1'b1;
    end
    length_q <= min_bytes_i + product[31:16];
  end
  logic unused;
  assign unused = ^{product[32], product[15:0], random_bits[15:0]};

  // ---- Payload ----
  logic [          30:0] state_q;
  logic [Bytes*8+31-1:0] sequence_bits;
  logic [    CountW-1:0] count;  // bytes of this beat
  logic [     Bytes-1:0] keep;
  axis_prbs_step #(
    .Bits(Bytes * 8)
  ) u_payload (
    .state_i   (state_q),
    .sequence_o(sequence_bits)
  );

  // ---- Packets ----
  logic busy_q, busy_d, last;
  logic [15:0] left_q, left_d, gap_q, gap_d;
  assign last  = left_q <= 16'(Bytes);
  assign count = last ? left_q[CountW-1:0] : CountW'(Bytes);

  always_comb begin
    busy_d       = busy_q;
    left_d       = left_q;
    gap_d        = gap_q;
    begin_packet = 1'b0;
    if (take) begin
      if (busy_q) begin
        left_d = left_q - 16'(count);
        if (last) begin
          begin_packet = enable_i && (gap_i == '0);
          busy_d       = begin_packet;
          gap_d        = (gap_i == '0) ? '0 : gap_i - 1'b1;
        end
      end else if (gap_q != '0) begin
        gap_d = gap_q - 1'b1;
      end else if (enable_i && ready_q) begin
        begin_packet = 1'b1;
        busy_d       = 1'b1;
      end
      if (begin_packet) left_d = length_q;
    end
  end

  always_comb begin
    for (int unsigned j = 0; j < Bytes; j++) keep[j] = CountW'(j) < count;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q        <= 1'b0;
      gap_q         <= '0;
      m_axis_tvalid <= 1'b0;
      state_q       <= (seed_i == '0) ? Start : seed_i;
    end else begin
      busy_q <= busy_d;
      gap_q  <= gap_d;
      if (take) begin
        m_axis_tvalid <= busy_q;
        if (busy_q) state_q <= sequence_bits[8*count+:31];
      end
    end
    left_q <= left_d;
    if (take) begin
      m_axis_tkeep <= keep;
      m_axis_tlast <= last;
      for (int unsigned j = 0; j < Bytes; j++) begin
        m_axis_tdata[8*j+:8] <= sequence_bits[31+8*j+:8] & {8{keep[j]}};
      end
    end
  end

endmodule
