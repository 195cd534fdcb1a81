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
  logic open_q, over_q;
  assign fire  = m_axis_tvalid && m_axis_tready;
  assign fresh = m_axis_tvalid && !waits_q;

  always_ff @(posedge clk_i) begin
    waits_q <= m_axis_tvalid && !m_axis_tready && !rst_i;
    start_q <= start && !rst_i;
    prime_q <= start_q && !rst_i;
    // Cycles that lie behind the last beat, and those of the run.
    since_q <= fire ? '0 : since_q + 1'b1;
    time_q  <= time_q + 1'b1;
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
      if (done) assert (!m_axis_tvalid && !open_q && (over_q || stop_seen_q));
    end
  end

  logic unused;
  assign unused = ^{refused, began, stopping, beats, packets, stalled, runs};

endmodule
