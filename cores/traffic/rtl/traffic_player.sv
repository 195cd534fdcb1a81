// SPDX-License-Identifier: Apache-2.0
//
// traffic_player: plays a stream that was written down beat by beat, exact to the cycle.
//
// What      A memory of beats, each with the time at which it is due, and what offers them.
// Why       Traffic that a test needs, on hardware, the same each time.
// Contract
//   * load_i empties the memory, beat_i stores a beat behind the others, until start_i. refused_o:
//     the pulse of the cycle before (load_i, beat_i, start_i) had no effect. load_i and start_i
//     while it plays; beat_i outside of a load, beyond Depth, with more than Bytes bytes or with
//     fewer and without `last`; start_i with nothing loaded, or an open packet at the end.
//   * Time: the cycle behind that in which a beat is taken is the first one of a wait. A beat with
//     `cycles` w is offered w cycles later than at once; with `at`, in cycle w of the run or as
//     soon as it can be. Cycle 0 of the first run is the third one behind start_i (began_o is
//     1 before it), that of the next run the one behind the last beat.
//   * As long as the sink is ready the stream is so exact to the cycle. While it is not, the beat
//     stays, and a wait begins later.
//   * The memory is played runs_i times, 0: without end. stop_i: behind the packet that was begun;
//     its waits stay.
//     done_o: pulse, the last beat was taken, or there was none.
//   * TVALID does not look at TREADY; a beat that is offered stays until it is taken, but for
//     rst_i. Bytes outside TKEEP are those that were loaded.
//   * Counters start from 0 with start_i, wrap, and show an event 3 cycles later.
// Clocks and resets   clk_i; rst_i synchronous to it: nothing plays, the memory is empty.
// Latency   start_i to cycle 0: 3
//
// Parameters
//   Bytes          of a beat, 1..1024
//   Depth          beats, 2..65536
//   CounterWidth   bits, 8..64
// Source    RIFL paper, section 6.A: a traffic generator defined cycle by cycle

module traffic_player
  import traffic_pkg::*;
#(
  parameter int unsigned Bytes = 32,
  parameter int unsigned Depth = 512,
  parameter int unsigned CounterWidth = 48,
  localparam int unsigned LoadWidth = $clog2(Depth + 1)
) (
  input logic clk_i,
  input logic rst_i,

  input logic                     load_i,
  input logic                     start_i,
  input logic                     stop_i,
  input logic                     beat_i,
  input logic       [Bytes*8-1:0] data_i,
  input logic       [       31:0] cycles_i,
  input beat_head_t               head_i,
  input logic       [       31:0] runs_i,

  output logic                    refused_o,
  output logic                    began_o,
  output logic                    done_o,
  output logic                    playing_o,
  output logic                    stopping_o,
  output logic [   LoadWidth-1:0] loaded_o,
  output logic [CounterWidth-1:0] beats_o,
  output logic [CounterWidth-1:0] packets_o,
  output logic [CounterWidth-1:0] stalled_o,
  output logic [CounterWidth-1:0] runs_o,

  output logic [Bytes*8-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tvalid,
  input  logic               m_axis_tready
);

  localparam int unsigned CountWidth = $clog2(Bytes + 1);
  localparam int unsigned AddrWidth = (Depth > 2) ? $clog2(Depth) : 1;

  if (Bytes < 1 || Bytes > 1024) begin : gen_bad_bytes
    $error("traffic_player %m: Bytes must be 1..1024, got %0d", Bytes);
  end
  if (Depth < 2 || Depth > 65536) begin : gen_bad_depth
    $error("traffic_player %m: Depth must be 2..65536, got %0d", Depth);
  end
  if (CounterWidth < 8 || CounterWidth > 64) begin : gen_bad_counter
    $error("traffic_player %m: CounterWidth must be 8..64, got %0d", CounterWidth);
  end

  // `soon`: due as soon as it can be offered; `cycles` is one less than was loaded, else.
  typedef struct packed {
    logic                  soon;
    logic                  at;
    logic                  last;
    logic [CountWidth-1:0] count;
    logic [31:0]           cycles;
    logic [Bytes*8-1:0]    data;
  } beat_t;

  typedef enum logic [1:0] {
    Idle,
    Prime,  // the memory shows the first beat
    Play,   // `next_q` is the beat to be offered next, the memory shows the one behind it
    Drain   // the last beat is offered, or there is none
  } state_e;
  state_e state_q;

  // ---- Loading ----
  logic loading_q, closed_q, fits, store, start;
  logic [LoadWidth-1:0] loaded_q;
  assign fits = 32'(loaded_q) < Depth &&
      (32'(head_i.bytes) == Bytes || (32'(head_i.bytes) < Bytes && head_i.last));
  assign store = beat_i && loading_q && fits;
  assign start = start_i && state_q == Idle && loaded_q != '0 && closed_q;

  always_ff @(posedge clk_i) begin
    refused_o <= (beat_i && !store) || (start_i && !start) || (load_i && state_q != Idle);
    if (load_i && state_q == Idle) begin
      loading_q <= 1'b1;
      loaded_q  <= '0;
    end else if (start) begin
      loading_q <= 1'b0;
    end else if (store) begin
      loaded_q <= loaded_q + 1'b1;
      closed_q <= head_i.last;
    end
    if (rst_i) begin
      refused_o <= 1'b0;
      loading_q <= 1'b0;
      loaded_q  <= '0;
    end
  end

  // ---- Memory: two beats ahead, so that when a beat is due is known a cycle before ----
  logic take, fetch, shown_end_q, next_end_q;
  logic [AddrWidth-1:0] addr_q, addr;
  beat_t stored, shown, next_q;
  assign stored = '{
          soon: cycles_i == '0,
          at: head_i.flag,
          last: head_i.last,
          count: CountWidth'(head_i.bytes),
          cycles: cycles_i - 1'b1,
          data: data_i
      };
  assign addr = (state_q == Idle || shown_end_q) ? '0 : addr_q + 1'b1;
  assign fetch = start || state_q == Prime || take;

  prim_ram_1r1w #(
    .Width($bits(beat_t)),
    .Depth(Depth)
  ) u_memory (
    .clk_i    (clk_i),
    .wr_en_i  (store),
    .wr_addr_i(AddrWidth'(loaded_q)),
    .wr_data_i(stored),
    .rd_en_i  (fetch),
    .rd_addr_i(addr),
    .rd_data_o(shown)
  );

  always_ff @(posedge clk_i) begin
    if (fetch) begin
      addr_q      <= addr;
      shown_end_q <= LoadWidth'(addr) == loaded_q - 1'b1;
      next_end_q  <= shown_end_q;
      next_q      <= shown;
    end
  end

  // ---- When: whether the next beat is due in the next cycle ----
  // idle_q: cycles without an offer that lie behind. time_q: the cycle of the run that comes next.
  logic fire, room, turn_q, turn, turn_waits, due_d, due_q, at;
  logic [31:0] idle_q, time_q, time_d, runs_left_q, cycles;
  assign at = fetch ? shown.at : next_q.at;
  assign cycles = fetch ? shown.cycles : next_q.cycles;
  assign fire = m_axis_tvalid && m_axis_tready;
  assign room = !m_axis_tvalid || m_axis_tready;
  // The beat that is offered ends a run: the cycle behind it is the first one of the next.
  assign turn = fire && turn_q;
  assign time_d = turn ? '0 : time_q;
  // In the next cycle such a beat is still offered.
  assign turn_waits = take ? next_end_q : (m_axis_tvalid && !m_axis_tready && turn_q);
  always_comb begin
    if (at) due_d = !turn_waits && (turn ? cycles == '0 : time_q >= cycles);
    else if (take) due_d = 1'b0;
    else if (m_axis_tvalid) due_d = m_axis_tready && cycles == '0;
    else due_d = idle_q >= cycles;
    if (state_q != Play) due_d = 1'b0;
  end

  // ---- What is offered ----
  logic open_q, halt, stop_q;
  logic [Bytes-1:0] keep;
  assign halt = stop_q && !open_q;
  assign take = state_q == Play && room && (next_q.soon || due_q) && !halt;

  always_comb begin
    for (int unsigned j = 0; j < Bytes; j++) keep[j] = CountWidth'(j) < next_q.count;
  end

  always_ff @(posedge clk_i) begin
    began_o <= state_q == Prime;
    done_o  <= state_q == Drain && room;
    due_q   <= due_d;
    idle_q  <= m_axis_tvalid ? 32'd1 : (&idle_q) ? '1 : idle_q + 1'b1;
    time_q  <= (&time_d) ? '1 : time_d + 1'b1;
    if (state_q == Prime) begin
      idle_q <= '0;
      time_q <= '0;
    end

    if (room) m_axis_tvalid <= take;
    if (take) begin
      m_axis_tdata <= next_q.data;
      m_axis_tkeep <= keep;
      m_axis_tlast <= next_q.last;
      turn_q       <= next_end_q;
      open_q       <= !next_q.last;
    end

    if (stop_i && (state_q == Prime || state_q == Play)) stop_q <= 1'b1;
    unique case (state_q)
      Idle: begin
        stop_q <= 1'b0;
        open_q <= 1'b0;
        if (start) begin
          state_q     <= Prime;
          runs_left_q <= runs_i;
        end
      end
      Prime:   state_q <= Play;
      Play: begin
        if (halt) begin
          state_q <= Drain;
        end else if (take && next_end_q) begin
          // 0 stays: without end.
          if (runs_left_q == 32'd1) state_q <= Drain;
          else if (runs_left_q != '0) runs_left_q <= runs_left_q - 1'b1;
        end
      end
      default: if (room) state_q <= Idle;
    endcase
    if (rst_i) begin
      state_q       <= Idle;
      m_axis_tvalid <= 1'b0;
      began_o       <= 1'b0;
      done_o        <= 1'b0;
    end
  end

  assign playing_o  = state_q != Idle;
  assign stopping_o = stop_q && playing_o;
  assign loaded_o   = loaded_q;

  // ---- Counters ----
  logic [3:0] counted;
  logic [3:0][CounterWidth-1:0] counts;
  assign counted = {turn, m_axis_tvalid && !m_axis_tready, fire && m_axis_tlast, fire};
  assign {runs_o, stalled_o, packets_o, beats_o} = counts;
  for (genvar i = 0; i < 4; i++) begin : gen_counter
    traffic_counter #(
      .Width(CounterWidth)
    ) u_counter (
      .clk_i  (clk_i),
      .clear_i(start || rst_i),
      .event_i(counted[i]),
      .count_o(counts[i])
    );
  end

endmodule
