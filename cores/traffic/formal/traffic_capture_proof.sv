// SPDX-License-Identifier: Apache-2.0
//
// Proof of traffic_capture, for every stream and every order of loads, records, comparisons and
// stops, one a cycle. What was recorded or loaded is what is read, each beat with its cycle.
// Nothing is refused but what the contract names. The stream is closed only where that was asked
// for. A comparison finds each beat that differs and no other one, keeps the first one with its
// number, and counts. Nothing of a comparison that ended shows in the next run.
//
// The bench keeps the beats and the place of the comparison itself, and says of each beat in the
// cycle of its arrival whether it differs.

module traffic_capture_proof
  import traffic_pkg::*;
#(
  parameter int unsigned Bytes = 2,
  parameter int unsigned Depth = 3
) (
  input logic                     clk_i,
  input logic                     rst_i,
  input logic                     load_i,
  input logic                     record_i,
  input logic                     compare_i,
  input logic                     stop_i,
  input logic                     block_i,
  input logic                     beat_i,
  input logic       [Bytes*8-1:0] data_i,
  input logic       [       31:0] cycles_i,
  input beat_head_t               head_i,
  input logic       [       31:0] runs_i,
  input logic       [       31:0] now_i,
  input logic                     read_i,
  input logic       [        1:0] index_i,
  input logic       [Bytes*8-1:0] s_axis_tdata,
  input logic       [  Bytes-1:0] s_axis_tkeep,
  input logic                     s_axis_tlast,
  input logic                     s_axis_tuser,
  input logic                     s_axis_tvalid
);

  localparam int unsigned StoreWidth = $clog2(Depth + 1);
  localparam int unsigned CountWidth = $clog2(Bytes + 1);
  localparam int unsigned CounterWidth = 8;

  typedef struct packed {
    logic                  mark;
    logic                  last;
    logic [CountWidth-1:0] count;
    logic [31:0]           cycles;
    logic [Bytes*8-1:0]    data;
  } beat_t;

  beat_t beat;
  logic refused, began, full, differ, recording, comparing, differs, is_full, s_axis_tready;
  logic [StoreWidth-1:0] stored;
  logic [CounterWidth-1:0] beats, packets, missed, differences, first;

  traffic_capture #(
    .Bytes       (Bytes),
    .Depth       (Depth),
    .CounterWidth(CounterWidth)
  ) u_capture (
    .beat_o       (beat),
    .refused_o    (refused),
    .began_o      (began),
    .full_o       (full),
    .differ_o     (differ),
    .recording_o  (recording),
    .comparing_o  (comparing),
    .differs_o    (differs),
    .is_full_o    (is_full),
    .stored_o     (stored),
    .beats_o      (beats),
    .packets_o    (packets),
    .missed_o     (missed),
    .differences_o(differences),
    .first_o      (first),
    .*
  );

  // ---- It begins in reset; one order a cycle; the bytes of a beat are the first ones ----
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    assume (started_q || rst_i);
    assume ($onehot0({load_i, record_i, compare_i, stop_i, beat_i}));
    assume ((s_axis_tkeep & (s_axis_tkeep + 1'b1)) == '0 && s_axis_tkeep != '0);
  end

  // ---- Orders ----
  logic records_q, compares_q, loads_q, blocks_q, began_q, refused_q, full_seen_q;
  logic [StoreWidth-1:0] count_q;
  beat_t beats_q[Depth];
  logic idle, load, record, compare, store, refuse, whole;
  assign idle = !records_q && !compares_q;
  assign load = load_i && idle;
  assign record = record_i && idle;
  assign compare = compare_i && idle && count_q != '0 && 32'(count_q) < Depth;
  assign whole = 32'(head_i.bytes) == Bytes || (32'(head_i.bytes) < Bytes && head_i.last);
  assign store = beat_i && loads_q && whole && 32'(count_q) < Depth - 1;
  assign refuse = (load_i && !load) || (record_i && !record) || (compare_i && !compare) ||
      (beat_i && !store);

  // ---- The beat that arrives, and the one that is expected ----
  logic fire, kept, differs_now, over_q;
  logic [StoreWidth-1:0] place_q;
  logic [31:0] left_q;
  beat_t arrived, wanted;
  assign fire   = s_axis_tvalid && s_axis_tready;
  assign kept   = fire && records_q && 32'(count_q) < Depth;
  assign wanted = beats_q[place_q];
  always_comb begin
    arrived = '{
        mark: s_axis_tlast && s_axis_tuser,
        last: s_axis_tlast,
        count: CountWidth'($countones(s_axis_tkeep)),
        cycles: now_i,
        data: '0
    };
    differs_now = over_q || arrived.count != wanted.count || arrived.last != wanted.last ||
        arrived.mark != (wanted.last && wanted.mark);
    for (int unsigned j = 0; j < Bytes; j++) begin
      if (s_axis_tkeep[j]) begin
        arrived.data[8*j+:8] = s_axis_tdata[8*j+:8];
        if (arrived.data[8*j+:8] != wanted.data[8*j+:8]) differs_now = 1'b1;
      end
    end
  end

  // ---- Differences: a beat is known to differ in the cycle behind its arrival ----
  logic late_q, found_q, shown_q, there_q, read_q, first_read;
  beat_t late_beat_q, first_beat_q, read_beat_q;
  logic [CounterWidth-1:0] number_q, late_number_q, first_number_q;
  logic late, new_run;
  assign new_run = record || compare;
  assign late = late_q && !new_run;
  assign first_read = there_q && 32'(index_i) == Depth - 1;

  typedef logic [3:0][CounterWidth-1:0] counts_t;
  counts_t counts_q, counts_1_q, counts_2_q;
  logic [3:0] counted;
  assign counted = {late, fire && records_q && !kept, fire && !idle && s_axis_tlast, fire && !idle};

  always_ff @(posedge clk_i) begin
    began_q     <= new_run && !rst_i;
    refused_q   <= refuse && !rst_i;
    full_seen_q <= kept && 32'(count_q) == Depth - 1 && !rst_i;
    if (load) loads_q <= 1'b1;
    if (load || record) count_q <= '0;
    if (store || kept) begin
      count_q <= count_q + 1'b1;
      beats_q[count_q] <= store ? {head_i.flag, head_i.last, CountWidth'(head_i.bytes), cycles_i,
                                   data_i} : arrived;
    end
    if (stop_i) {records_q, compares_q} <= '0;
    if (new_run) begin
      loads_q    <= 1'b0;
      records_q  <= record;
      compares_q <= compare;
      blocks_q   <= block_i;
      place_q    <= '0;
      over_q     <= 1'b0;
      left_q     <= runs_i;
    end
    if (fire && compares_q) begin
      place_q <= place_q + 1'b1;
      if (place_q + 1'b1 == count_q) begin
        place_q <= '0;
        if (left_q != '0) left_q <= left_q - 1'b1;
        if (left_q == 32'd1) {over_q, left_q} <= {1'b1, 32'd1};
      end
    end

    late_q        <= fire && compares_q && differs_now && !rst_i;
    late_beat_q   <= arrived;
    late_number_q <= number_q;
    number_q      <= number_q + CounterWidth'(fire && !idle);
    shown_q       <= late && !found_q && !rst_i;
    if (late && !found_q) begin
      found_q        <= 1'b1;
      first_beat_q   <= late_beat_q;
      first_number_q <= late_number_q;
    end
    if (new_run) number_q <= '0;
    if (compare || rst_i) found_q <= 1'b0;

    for (int unsigned i = 0; i < 4; i++) counts_q[i] <= counts_q[i] + CounterWidth'(counted[i]);
    counts_1_q <= counts_q;
    counts_2_q <= counts_1_q;
    if (new_run || rst_i) {counts_q, counts_1_q, counts_2_q} <= '0;

    // What is read: a stored beat, or the one that differed until a recording takes its place.
    if (late && !found_q) there_q <= 1'b1;
    if (compare || rst_i || (kept && 32'(count_q) == Depth - 1)) there_q <= 1'b0;
    read_q      <= read_i && !rst_i && !compares_q && !compare && (index_i < count_q || first_read);
    read_beat_q <= (index_i < count_q) ? beats_q[index_i] : first_beat_q;

    if (rst_i) begin
      {loads_q, records_q, compares_q, number_q} <= '0;
      count_q <= '0;
    end
  end

  always_comb begin
    if (started_q && !rst_i) begin
      assert (s_axis_tready == !(records_q && blocks_q && 32'(count_q) == Depth));
      assert (began == began_q && refused == refused_q && full == full_seen_q);
      assert (recording == records_q && comparing == compares_q);
      assert (stored == count_q && is_full == (32'(count_q) == Depth));
      assert (differ == shown_q && differs == found_q);
      assert ({differences, missed, packets, beats} == counts_2_q);
      if (found_q && !shown_q) assert (first == first_number_q);
      if (read_q) assert (beat == read_beat_q);
    end
  end

  // ---- What the state of the core has to do with that of the bench, for the induction ----
  typedef struct packed {
    logic event_seen, carry;
    logic [3:0] low, shown, high;
  } counter_t;
  counter_t [3:0] counter;
  for (genvar i = 0; i < 4; i++) begin : gen_counter
    assign counter[i] = '{
            event_seen: u_capture.gen_counter[i].u_counter.event_q,
            carry: u_capture.gen_counter[i].u_counter.carry_q,
            low: u_capture.gen_counter[i].u_counter.low_q,
            shown: u_capture.gen_counter[i].u_counter.shown_q,
            high: u_capture.gen_counter[i].u_counter.high_q
        };
  end

  always_comb begin
    if (started_q && !rst_i) begin
      assert (u_capture.loading_q == loads_q && u_capture.full_q == (32'(count_q) == Depth));
      assert ($onehot0({records_q, compares_q, loads_q}));
      if (records_q) assert (u_capture.block_q == blocks_q);
      if (loads_q) assert (32'(count_q) < Depth);
      assert (32'(count_q) <= Depth);
      if (compares_q) begin
        assert (32'(count_q) < Depth && place_q < count_q);
        assert (u_capture.addr_q == place_q && u_capture.expected == beats_q[place_q]);
        assert (u_capture.over_q == over_q && u_capture.runs_left_q == left_q);
      end
      for (int unsigned i = 0; i < Depth; i++) begin
        if (i < 32'(count_q)) assert (u_capture.u_memory.gen_lut.u_ram.mem[i] == beats_q[i]);
      end
      if (there_q) begin
        assert (found_q && 32'(count_q) < Depth);
        assert (u_capture.u_memory.gen_lut.u_ram.mem[Depth-1] == first_beat_q);
      end
      assert (late_q == (u_capture.compared_q && u_capture.bits_q != '0));
      if (late_q) begin
        assert (!records_q && 32'(count_q) < Depth && !loads_q);
        assert (late_beat_q == u_capture.difference_q && late_number_q == counts_1_q[0]);
      end
      if (shown_q) assert (found_q && first_number_q == counts_2_q[0]);
      assert (number_q == counts_q[0]);
      for (int unsigned i = 0; i < 4; i++) begin
        assert (counts_q[i] == counts_1_q[i] + CounterWidth'(counter[i].event_seen));
        assert (counts_1_q[i] == {counter[i].high + 4'(counter[i].carry), counter[i].low});
        assert (counts_2_q[i] == {counter[i].high, counter[i].shown});
      end
    end
  end

endmodule
