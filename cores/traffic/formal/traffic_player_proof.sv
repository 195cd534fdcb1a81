// SPDX-License-Identifier: Apache-2.0
//
// Proof of traffic_player, for every memory, every moment of loading, starting and stopping, and
// every sink: the rules of a stream; nothing comes but what was loaded, in its order and with its
// times; a packet that was begun is finished, whatever is ordered; and the end is reported once
// nothing is offered any more.
//
// A beat of the memory is chosen by the solver and followed: what was stored at its place is what
// is offered when its turn comes, no earlier than it is due, and no later if the sink was ready.

module traffic_player_proof
  import traffic_pkg::*;
#(
  parameter int unsigned Bytes = 1,
  parameter int unsigned Depth = 3
) (
  input logic                     clk_i,
  input logic                     rst_i,
  input logic                     load_i,
  input logic                     start_i,
  input logic                     stop_i,
  input logic                     beat_i,
  input logic       [Bytes*8-1:0] data_i,
  input logic       [       31:0] cycles_i,
  input beat_head_t               head_i,
  input logic       [       31:0] runs_i,
  input logic                     m_axis_tready
);

  localparam int unsigned LoadWidth = $clog2(Depth + 1);
  localparam int unsigned CounterWidth = 8;

  logic refused, began, done, playing, stopping, m_axis_tlast, m_axis_tvalid;
  logic [LoadWidth-1:0] loaded;
  logic [CounterWidth-1:0] beats, packets, stalled, runs;
  logic [Bytes*8-1:0] m_axis_tdata;
  logic [  Bytes-1:0] m_axis_tkeep;

  traffic_player #(
    .Bytes       (Bytes),
    .Depth       (Depth),
    .CounterWidth(CounterWidth)
  ) u_player (
    .refused_o (refused),
    .began_o   (began),
    .done_o    (done),
    .playing_o (playing),
    .stopping_o(stopping),
    .loaded_o  (loaded),
    .beats_o   (beats),
    .packets_o (packets),
    .stalled_o (stalled),
    .runs_o    (runs),
    .*
  );

  // ---- It begins in reset ----
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  logic rst_q;
  always_ff @(posedge clk_i) rst_q <= rst_i || !started_q;

  axis_rules #(
    .Bytes (Bytes),
    .Stream("m_axis")
  ) u_rules (
    .clk_i   (clk_i),
    .rst_i   (rst_i || rst_q),
    .tdata_i (m_axis_tdata),
    .tkeep_i (m_axis_tkeep),
    .tlast_i (m_axis_tlast),
    .tuser_i (1'b0),
    .tvalid_i(m_axis_tvalid),
    .tready_i(m_axis_tready)
  );

  // ---- What was loaded, as the bench saw it ----
  logic loading_q, load, store, start, closed_q;
  logic [LoadWidth-1:0] count_q;
  logic [Bytes*8-1:0] data_q[Depth];
  logic [31:0] cycles_q[Depth];
  beat_head_t head_q[Depth];
  assign load = load_i && !playing;
  assign store = beat_i && loading_q && 32'(count_q) < Depth && !load &&
      (32'(head_i.bytes) == Bytes || (32'(head_i.bytes) < Bytes && head_i.last));
  assign start = start_i && !playing && count_q != '0 && closed_q;
  // What is ordered in one cycle is one thing.
  always_comb assume ($onehot0({load_i, start_i, stop_i, beat_i}));

  always_ff @(posedge clk_i) begin
    if (load) begin
      loading_q <= 1'b1;
      count_q   <= '0;
    end
    if (start) loading_q <= 1'b0;
    if (store) begin
      count_q           <= count_q + 1'b1;
      closed_q          <= head_i.last;
      data_q[count_q]   <= data_i;
      cycles_q[count_q] <= cycles_i;
      head_q[count_q]   <= head_i;
    end
    if (rst_i) begin
      loading_q <= 1'b0;
      count_q   <= '0;
    end
  end

  // ---- Where the run is: the beat that is offered or comes next, and since when it may come ----
  logic fire, fresh, stop_seen_q, start_q, prime_q, waits_q;
  logic [LoadWidth-1:0] next_q;
  logic [31:0] since_q, time_q, left_q;
  logic open_q, over_q, stop_late_q;
  function automatic logic [31:0] more(input logic [31:0] cycles);
    return (&cycles) ? cycles : cycles + 1'b1;
  endfunction
  assign fire  = m_axis_tvalid && m_axis_tready;
  assign fresh = m_axis_tvalid && !waits_q;

  always_ff @(posedge clk_i) begin
    waits_q <= m_axis_tvalid && !m_axis_tready && !rst_i;
    start_q <= start && !rst_i;
    stop_late_q <= stop_seen_q && playing && !start && !rst_i;
    prime_q <= start_q && !rst_i;
    // Cycles that lie behind the last beat, and those of the run.
    since_q <= fire ? '0 : more(since_q);
    time_q <= more(time_q);
    if (fire) begin
      open_q <= !m_axis_tlast;
      next_q <= (next_q == count_q - 1'b1) ? '0 : next_q + 1'b1;
      if (next_q == count_q - 1'b1) begin
        time_q <= '0;
        over_q <= left_q == 32'd1;
        if (left_q != '0) left_q <= left_q - 1'b1;
      end
    end
    if (stop_i && playing) stop_seen_q <= 1'b1;
    if (start || start_q || prime_q) begin
      since_q <= '0;
      time_q  <= '0;
    end
    if (start) begin
      next_q      <= '0;
      open_q      <= 1'b0;
      over_q      <= 1'b0;
      stop_seen_q <= 1'b0;
      left_q      <= runs_i;
    end
    if (rst_i) begin
      open_q      <= 1'b0;
      stop_seen_q <= 1'b0;
    end
  end

  logic due;
  always_comb begin
    if (head_q[next_q].flag) due = time_q >= cycles_q[next_q];
    else due = since_q >= cycles_q[next_q];
  end

  always_comb begin
    if (started_q && !rst_i && !rst_q) begin
      assert (loaded == count_q);
      if (m_axis_tvalid) begin
        // What was loaded, in its order, and nothing behind the last run.
        assert (playing && !over_q && next_q < count_q);
        assert (m_axis_tdata == data_q[next_q] && m_axis_tlast == head_q[next_q].last);
        assert (m_axis_tkeep == Bytes'((64'd1 << head_q[next_q].bytes) - 64'd1));
      end
      // Not before it is due, and in the very cycle in which it is.
      if (fresh) assert (due);
      if (playing && !over_q && !m_axis_tvalid && !start_q && !prime_q && !(stop_seen_q && !open_q))
        assert (!due);
      // A stop, or whatever else is ordered, leaves no packet open.
      if (open_q) assert (playing);
      if (fresh && stop_late_q) assert (open_q);
      if (done) assert (!m_axis_tvalid && !open_q && (over_q || stop_seen_q));
    end
  end

  // ---- What the state of the core has to do with that of the bench, for the induction ----
  typedef enum logic [1:0] {
    Idle,
    Prime,
    Play,
    Drain
  } state_e;
  localparam int unsigned CountWidth = $clog2(Bytes + 1);
  localparam int unsigned BeatWidth = 3 + CountWidth + 32 + Bytes * 8;
  state_e state;
  logic [BeatWidth-1:0] beat[Depth];
  logic [LoadWidth-1:0] coming, behind;  // what the core offers next, and the beat behind it
  logic [31:0] next_since, next_time;  // of the next cycle, if nothing is taken in this one
  logic turn, stopped;
  beat_head_t head;
  assign state = state_e'(u_player.state_q);
  assign coming = m_axis_tvalid ? behind_of(next_q) : next_q;
  assign behind = behind_of(coming);
  assign head = head_q[coming];
  assign next_since = prime_q ? '0 : more(since_q);
  assign next_time = prime_q ? '0 : more(time_q);
  assign turn = m_axis_tvalid && u_player.turn_q;
  assign stopped = u_player.stop_q && !u_player.open_q;
  for (genvar i = 0; i < Depth; i++) begin : gen_beat
    assign beat[i] = {
      cycles_q[i] == '0,
      head_q[i].flag,
      head_q[i].last,
      CountWidth'(head_q[i].bytes),
      cycles_q[i] - 1'b1,
      data_q[i]
    };
  end

  function automatic logic [LoadWidth-1:0] behind_of(input logic [LoadWidth-1:0] place);
    return (place == count_q - 1'b1) ? '0 : place + 1'b1;
  endfunction

  always_comb begin
    if (started_q && !rst_i && !rst_q) begin
      // Loading.
      assert (u_player.loading_q == loading_q && 32'(count_q) <= Depth);
      for (int unsigned i = 0; i < Depth; i++) begin
        if (i < 32'(count_q)) begin
          assert (u_player.u_memory.gen_lut.u_ram.mem[i] == beat[i]);
          assert (32'(head_q[i].bytes) <= Bytes);
          assert (32'(head_q[i].bytes) == Bytes || head_q[i].last);
        end
      end
      if (count_q != '0) begin
        assert (u_player.closed_q == closed_q && closed_q == head_q[count_q-1'b1].last);
      end
      // Where the run is.
      assert (start_q == (state == Prime) && (!prime_q || state == Play));
      if (state == Idle) assert (!m_axis_tvalid && !open_q);
      if (state != Idle) begin
        assert (count_q != '0 && closed_q && !loading_q && next_q < count_q);
        assert (!u_player.stop_q || stop_seen_q);
        assert (u_player.open_q == (m_axis_tvalid ? !m_axis_tlast : open_q));
      end
      if (state == Prime) begin
        assert (!m_axis_tvalid && !open_q && !over_q && next_q == '0 && u_player.addr_q == '0);
        assert (u_player.shown == beat[0] && u_player.shown_end_q == (count_q == 1));
        assert (u_player.runs_left_q == left_q && u_player.stop_q == stop_seen_q);
      end
      if (m_axis_tvalid) assert (u_player.turn_q == (next_q == count_q - 1'b1));
      if (state == Play) begin
        assert (!over_q && u_player.stop_q == stop_seen_q && (!prime_q || !m_axis_tvalid));
        assert (u_player.next_q == beat[coming] && u_player.shown == beat[behind]);
        assert (LoadWidth'(u_player.addr_q) == behind);
        assert (u_player.next_end_q == (coming == count_q - 1'b1));
        assert (u_player.shown_end_q == (behind == count_q - 1'b1));
        assert (!turn || left_q != 32'd1);
        assert (u_player.runs_left_q == left_q - 32'(turn && left_q != '0));
        // When.
        assert (u_player.time_q == next_time);
        if (!m_axis_tvalid) assert (u_player.idle_q == next_since);
        if (turn || (m_axis_tvalid && !head.flag))
          assert (!u_player.due_q || cycles_q[coming] == '0);
          else
            assert ((u_player.next_q.soon || u_player.due_q) ==
            ((head.flag ? next_time : next_since) >= cycles_q[coming]));
      end
      if (state == Drain) begin
        assert (stopped || (m_axis_tvalid ? u_player.turn_q && left_q == 32'd1 : over_q));
        assert (m_axis_tvalid || !open_q);
      end
    end
  end

  logic unused;
  assign unused = ^{refused, began, stopping, beats, packets, stalled, runs};

endmodule
