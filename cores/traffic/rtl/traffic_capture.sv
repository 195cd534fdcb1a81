// SPDX-License-Identifier: Apache-2.0
//
// traffic_capture: records a stream with the cycle of each beat, or compares it with what is
// expected.
//
// What      One memory of beats: what arrived, or what has to arrive.
// Why       What came out of a link, seen on hardware; and a test that runs for hours and says at
//           which beat it went wrong first.
// Contract
//   * load_i empties the memory, beat_i stores an expected beat behind the others, until record_i
//     or compare_i. refused_o: the pulse of the cycle before had no effect. load_i, record_i and
//     compare_i while it records or compares; compare_i with an empty or full memory; beat_i
//     outside of a load, beyond Depth - 1, with more than Bytes bytes or with fewer and without
//     `last`.
//   * record_i: the memory is emptied, and each beat stored with the low half of now_i. When it is
//     full block_i (with record_i) closes the stream; else beats are counted in missed_o. full_o:
//     pulse, the memory has just become full.
//   * compare_i: beat by beat against the memory, loaded or recorded, runs_i times (0: without
//     end), without looking for the place again after a loss. A beat differs if a byte that is
//     kept, TKEEP, TLAST or TUSER with TLAST do, or if it comes behind the last run. differ_o:
//     pulse, the first one; first_o is its number, and the beat itself is then in the last place
//     of the memory.
//   * stop_i ends either. Without either every beat is taken and thrown away.
//   * Counters start from 0 with record_i and compare_i, and wrap.
//   * read_i: in the next cycle beat_o is the beat at index_i < Depth. Not while it compares.
// Clocks and resets   clk_i; rst_i synchronous to it: the memory is empty, nothing runs.
// Latency   counters 3, differences 4
//
// Parameters
//   Bytes          of a beat, 1..1024
//   Depth          beats, 2..65536
//   CounterWidth   bits, 8..64
// Source    RIFL paper, section 6.A: a validator with time stamps

module traffic_capture
  import traffic_pkg::*;
#(
  parameter int unsigned Bytes = 32,
  parameter int unsigned Depth = 512,
  parameter int unsigned CounterWidth = 48,
  localparam int unsigned StoreWidth = $clog2(Depth + 1),
  localparam int unsigned AddrWidth = (Depth > 2) ? $clog2(Depth) : 1,
  localparam int unsigned CountWidth = $clog2(Bytes + 1),
  localparam int unsigned BeatWidth = 2 + CountWidth + 32 + Bytes * 8
) (
  input logic clk_i,
  input logic rst_i,

  input  logic                       load_i,
  input  logic                       record_i,
  input  logic                       compare_i,
  input  logic                       stop_i,
  input  logic                       block_i,
  input  logic                       beat_i,
  input  logic       [  Bytes*8-1:0] data_i,
  input  logic       [         31:0] cycles_i,
  input  beat_head_t                 head_i,
  input  logic       [         31:0] runs_i,
  input  logic       [         31:0] now_i,
  input  logic                       read_i,
  input  logic       [AddrWidth-1:0] index_i,
  output logic       [BeatWidth-1:0] beat_o,

  output logic                    refused_o,
  output logic                    began_o,
  output logic                    full_o,
  output logic                    differ_o,
  output logic                    recording_o,
  output logic                    comparing_o,
  output logic                    differs_o,
  output logic                    is_full_o,
  output logic [  StoreWidth-1:0] stored_o,
  output logic [CounterWidth-1:0] beats_o,
  output logic [CounterWidth-1:0] packets_o,
  output logic [CounterWidth-1:0] missed_o,
  output logic [CounterWidth-1:0] differences_o,
  output logic [CounterWidth-1:0] first_o,

  input  logic [Bytes*8-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tuser,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready
);

  if (Bytes < 1 || Bytes > 1024) begin : gen_bad_bytes
    $error("traffic_capture %m: Bytes must be 1..1024, got %0d", Bytes);
  end
  if (Depth < 2 || Depth > 65536) begin : gen_bad_depth
    $error("traffic_capture %m: Depth must be 2..65536, got %0d", Depth);
  end
  if (CounterWidth < 8 || CounterWidth > 64) begin : gen_bad_counter
    $error("traffic_capture %m: CounterWidth must be 8..64, got %0d", CounterWidth);
  end

  typedef struct packed {
    logic                  mark;
    logic                  last;
    logic [CountWidth-1:0] count;
    logic [31:0]           cycles;
    logic [Bytes*8-1:0]    data;
  } beat_t;

  logic idle, begin_record, begin_compare, load, store, fits, fire, full_q, last_place, record_beat;
  logic recording_q, comparing_q, loading_q, block_q;
  logic [StoreWidth-1:0] stored_q;
  beat_t arrived, expected, difference_q;

  // ---- What is ordered ----
  assign idle = !recording_q && !comparing_q;
  assign load = load_i && idle;
  assign begin_record = record_i && idle;
  assign begin_compare = compare_i && idle && stored_q != '0 && !full_q;
  assign fits = 32'(stored_q) < Depth - 1 &&
      (32'(head_i.bytes) == Bytes || (32'(head_i.bytes) < Bytes && head_i.last));
  assign store = beat_i && loading_q && fits;

  // ---- The stream ----
  assign s_axis_tready = !rst_i && !(recording_q && block_q && full_q);
  assign fire = s_axis_tvalid && s_axis_tready;
  assign last_place = 32'(stored_q) == Depth - 1;
  assign record_beat = fire && recording_q && !full_q;
  assign arrived.mark = s_axis_tuser && s_axis_tlast;
  assign arrived.last = s_axis_tlast;
  assign arrived.cycles = now_i;
  axis_keep_count #(
    .Bytes(Bytes)
  ) u_count (
    .keep_i (s_axis_tkeep),
    .count_o(arrived.count)
  );
  always_comb begin
    for (int unsigned j = 0; j < Bytes; j++) begin
      arrived.data[8*j+:8] = s_axis_tdata[8*j+:8] & {8{s_axis_tkeep[j]}};
    end
  end

  always_ff @(posedge clk_i) begin
    refused_o <= (beat_i && !store) || (load_i && !load) || (record_i && !begin_record) ||
        (compare_i && !begin_compare);
    began_o <= begin_record || begin_compare;
    full_o <= record_beat && last_place;
    if (load) loading_q <= 1'b1;
    if (load || begin_record) full_q <= 1'b0;
    else if (record_beat && last_place) full_q <= 1'b1;
    if (load || begin_record) stored_q <= '0;
    else if (store || record_beat) stored_q <= stored_q + 1'b1;
    if (begin_record || begin_compare) begin
      recording_q <= begin_record;
      comparing_q <= begin_compare;
      loading_q   <= 1'b0;
      block_q     <= block_i;
    end else if (stop_i) begin
      recording_q <= 1'b0;
      comparing_q <= 1'b0;
    end
    if (rst_i) begin
      refused_o   <= 1'b0;
      began_o     <= 1'b0;
      full_o      <= 1'b0;
      loading_q   <= 1'b0;
      recording_q <= 1'b0;
      comparing_q <= 1'b0;
      full_q      <= 1'b0;
      stored_q    <= '0;
    end
  end

  // ---- Memory: written by one of three, read by the comparison or by the window ----
  logic wr_first, next;
  logic [AddrWidth-1:0] wr_addr, rd_addr, addr_q, addr;
  beat_t wr_data, loaded;
  assign loaded = {head_i.flag, head_i.last, CountWidth'(head_i.bytes), cycles_i, data_i};
  always_comb begin
    wr_addr = AddrWidth'(stored_q);
    wr_data = store ? loaded : arrived;
    if (wr_first) begin
      wr_addr = AddrWidth'(Depth - 1);
      wr_data = difference_q;
    end
  end
  assign next = begin_compare || (fire && comparing_q);
  assign addr = (begin_compare || StoreWidth'(addr_q) == stored_q - 1'b1) ? '0 : addr_q + 1'b1;
  assign rd_addr = next ? addr : index_i;

  prim_ram_1r1w #(
    .Width(BeatWidth),
    .Depth(Depth)
  ) u_memory (
    .clk_i    (clk_i),
    .wr_en_i  (store || record_beat || wr_first),
    .wr_addr_i(wr_addr),
    .wr_data_i(wr_data),
    .rd_en_i  (next || (read_i && !comparing_q)),
    .rd_addr_i(rd_addr),
    .rd_data_o(expected)
  );
  assign beat_o = expected;

  // ---- Comparison: byte by byte in the first cycle, all of them in the second ----
  logic over_q, compared_q, differ, differs_q;
  logic [31:0] runs_left_q;
  logic [Bytes+3:0] bits, bits_q;
  always_comb begin
    for (int unsigned j = 0; j < Bytes; j++) begin
      bits[j] = s_axis_tkeep[j] && s_axis_tdata[8*j+:8] != expected.data[8*j+:8];
    end
    bits[Bytes]   = arrived.count != expected.count;
    bits[Bytes+1] = arrived.last != expected.last;
    bits[Bytes+2] = arrived.mark != (expected.mark && expected.last);
    bits[Bytes+3] = over_q;
  end
  // What the last beat of a comparison was is not said in the run that begins right behind it.
  assign differ   = compared_q && bits_q != '0 && !begin_record && !begin_compare;
  assign wr_first = differ && !differs_q;

  always_ff @(posedge clk_i) begin
    if (next) addr_q <= addr;
    compared_q   <= fire && comparing_q && !rst_i;
    bits_q       <= bits;
    difference_q <= arrived;
    differ_o     <= wr_first && !rst_i;
    if (wr_first) differs_q <= 1'b1;
    // The counter shows now what came before that beat.
    if (differ_o) first_o <= beats_o;
    if (fire && comparing_q && StoreWidth'(addr_q) == stored_q - 1'b1) begin
      // 0 stays: without end.
      if (runs_left_q == 32'd1) over_q <= 1'b1;
      else if (runs_left_q != '0) runs_left_q <= runs_left_q - 1'b1;
    end
    if (begin_compare) begin
      over_q      <= 1'b0;
      runs_left_q <= runs_i;
    end
    if (begin_compare || rst_i) differs_q <= 1'b0;
  end

  assign recording_o = recording_q;
  assign comparing_o = comparing_q;
  assign differs_o = differs_q;
  assign stored_o = stored_q;
  assign is_full_o = full_q;

  // ---- Counters ----
  logic [3:0] counted;
  logic [3:0][CounterWidth-1:0] counts;
  assign counted = {
    differ, fire && recording_q && full_q, fire && !idle && s_axis_tlast, fire && !idle
  };
  assign {differences_o, missed_o, packets_o, beats_o} = counts;
  for (genvar i = 0; i < 4; i++) begin : gen_counter
    traffic_counter #(
      .Width(CounterWidth)
    ) u_counter (
      .clk_i  (clk_i),
      .clear_i(begin_record || begin_compare || rst_i),
      .event_i(counted[i]),
      .count_o(counts[i])
    );
  end

endmodule
