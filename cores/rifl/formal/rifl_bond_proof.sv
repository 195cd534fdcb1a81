// SPDX-License-Identifier: Apache-2.0
//
// Proof of rifl_bond_tx and rifl_bond_rx: whatever the lanes between them do, the segments come out
// once, in order and unchanged.
//
// Each lane is a queue of Depth frames between two edges of the frame clock. Free inputs decide,
// lane by lane, in which frame it accepts (lane_ready_i) and in which cycle of the user's clock its
// oldest frame becomes readable (arrive_i), so every delay and every skew that a queue of this
// depth can make is covered. The frame clock is a cycle of the user's clock in Groups (last). The
// observer numbers the segments and keeps the recent ones; the invariants say where each of them
// is.

module rifl_bond_proof #(
  parameter int unsigned Lanes = 2,
  parameter int unsigned GroupLanes = 1,
  parameter int unsigned Bytes = 1
) (
  input logic                          clk_i,
  input logic                          rst_i,
  input logic                          enable_i,
  input logic [8*GroupLanes*Bytes-1:0] s_axis_tdata,
  input logic [  GroupLanes*Bytes-1:0] s_axis_tkeep,
  input logic                          s_axis_tlast,
  input logic                          s_axis_tvalid,
  input logic                          m_axis_tready,
  input logic [             Lanes-1:0] lane_ready_i,
  input logic [             Lanes-1:0] arrive_i
);

  localparam int unsigned Groups = Lanes / GroupLanes;
  localparam int unsigned SegmentBytes = GroupLanes * Bytes;
  localparam int unsigned Depth = 2;  // frames in a lane
  localparam int unsigned CountWidth = 2;
  localparam int unsigned TagWidth = 5;  // more than all that is ever inside

  typedef struct packed {
    logic [8*SegmentBytes-1:0] data;
    logic [SegmentBytes-1:0]   keep;
    logic                      last;
  } segment_t;
  typedef struct packed {
    logic [8*Bytes-1:0] data;
    logic [Bytes-1:0]   keep;
    logic               last;
  } frame_t;

  // ---- Frame clock ----
  logic [3:0] index_q = '0;
  logic last;
  assign last = index_q == 4'(Groups - 1);
  always_ff @(posedge clk_i) index_q <= last ? '0 : index_q + 1'b1;

  // ---- Reset once; legal input ----
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    assume (rst_i == !started_q);
    assume (legal({s_axis_tdata, s_axis_tkeep, s_axis_tlast}));
  end

  // ---- The pair ----
  logic s_axis_tready, m_axis_tvalid;
  segment_t out;
  logic [Lanes-1:0][8*Bytes-1:0] tx_tdata, rx_tdata;
  logic [Lanes-1:0][Bytes-1:0] tx_tkeep, rx_tkeep;
  logic [Lanes-1:0] tx_tlast, tx_tvalid, tx_tready, rx_tlast, rx_tvalid, rx_tready;

  rifl_bond_tx #(
    .Lanes     (Lanes),
    .GroupLanes(GroupLanes),
    .Bytes     (Bytes)
  ) u_tx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .last_i       (last),
    .enable_i     (enable_i),
    .s_axis_tdata (s_axis_tdata),
    .s_axis_tkeep (s_axis_tkeep),
    .s_axis_tlast (s_axis_tlast),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .m_axis_tdata (tx_tdata),
    .m_axis_tkeep (tx_tkeep),
    .m_axis_tlast (tx_tlast),
    .m_axis_tvalid(tx_tvalid),
    .m_axis_tready(tx_tready)
  );

  rifl_bond_rx #(
    .Lanes     (Lanes),
    .GroupLanes(GroupLanes),
    .Bytes     (Bytes)
  ) u_rx (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .last_i       (last),
    .s_axis_tdata (rx_tdata),
    .s_axis_tkeep (rx_tkeep),
    .s_axis_tlast (rx_tlast),
    .s_axis_tvalid(rx_tvalid),
    .s_axis_tready(rx_tready),
    .m_axis_tdata (out.data),
    .m_axis_tkeep (out.keep),
    .m_axis_tlast (out.last),
    .m_axis_tvalid(m_axis_tvalid),
    .m_axis_tready(m_axis_tready)
  );

  // ---- Lanes ----
  frame_t [Lanes-1:0][Depth-1:0] queue_q;  // oldest first
  logic [Lanes-1:0][CountWidth-1:0] count_q = '0;
  logic [Lanes-1:0] ready_q, arrived_q;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    logic push, pop;
    logic [CountWidth-1:0] place;
    assign tx_tready[i] = ready_q[i] && count_q[i] != CountWidth'(Depth);
    assign rx_tvalid[i] = count_q[i] != '0 && (arrived_q[i] || arrive_i[i]);
    assign {rx_tdata[i], rx_tkeep[i], rx_tlast[i]} = queue_q[i][0];
    assign push = last && tx_tvalid[i] && tx_tready[i];
    assign pop = last && rx_tvalid[i] && rx_tready[i];
    assign place = count_q[i] - CountWidth'(pop);

    always_ff @(posedge clk_i) begin
      if (last) ready_q[i] <= lane_ready_i[i];
      arrived_q[i] <= rx_tvalid[i] && !pop;
      if (pop) queue_q[i][0] <= queue_q[i][1];
      if (push) queue_q[i][place[0]] <= {tx_tdata[i], tx_tkeep[i], tx_tlast[i]};
      count_q[i] <= rst_i ? '0 : place + CountWidth'(push);
    end
  end

  // ---- Observer ----
  segment_t [2**TagWidth-1:0] sent_q;
  logic [TagWidth-1:0] in_q, out_q;  // segments accepted and delivered
  logic s_fire, m_fire;
  assign s_fire = s_axis_tvalid && s_axis_tready;
  assign m_fire = m_axis_tvalid && m_axis_tready;

  always_ff @(posedge clk_i) begin
    if (s_fire) sent_q[in_q] <= {s_axis_tdata, s_axis_tkeep, s_axis_tlast};
    in_q  <= rst_i ? '0 : in_q + TagWidth'(s_fire);
    out_q <= rst_i ? '0 : out_q + TagWidth'(m_fire);
  end

  // What axis_width makes: every lane behind the end is empty, every one before it is full.
  function automatic logic legal(input segment_t a);
    legal = (a.keep & (a.keep + 1'b1)) == '0 && (a.last || (&a.keep));
  endfunction

  // A segment as it has to come out: what lies outside TKEEP does not matter.
  function automatic logic same(input segment_t a, input segment_t b);
    same = a.keep == b.keep && a.last == b.last;
    for (int unsigned j = 0; j < SegmentBytes; j++) begin
      same &= !b.keep[j] || a.data[8*j+:8] == b.data[8*j+:8];
    end
  endfunction

  always_comb begin
    if (!rst_i) begin
      assert (!m_axis_tvalid || (in_q != out_q && same(out, sent_q[out_q])));
      assert (!s_fire || enable_i);
    end
  end

  // ---- Invariants ----
  logic [Lanes-1:0] taken;  // head read, still in the queue
  logic [Groups-1:0] slot;  // segment waits for its lanes
  logic [TagWidth-1:0] read;  // segments read from the lanes

  if (Groups == 1) begin : gen_wires
    assign taken = '0;
    assign slot  = '0;
    assign read  = out_q;
  end else begin : gen_turns
    assign taken = u_rx.gen_turns.taken_q;
    assign slot  = u_tx.valid;
    assign read  = out_q + TagWidth'(m_axis_tvalid);
    always_comb begin
      if (!rst_i) begin
        assert (u_tx.gen_slots.turn_q == Groups'(1) << (in_q % Groups));
        assert (u_rx.gen_turns.turn_q == (read % Groups));
        assert (!last || u_tx.ready == tx_tready);
      end
    end
  end

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    localparam int unsigned High = g * GroupLanes + GroupLanes - 1;

    // The first segment of this group not read yet, and the first one that is not in its lanes yet.
    logic [TagWidth-1:0] next_read, head, next_in, pushed;
    assign next_read = read + TagWidth'((g + Groups - 32'(read % Groups)) % Groups);
    assign next_in = in_q + TagWidth'((g + Groups - 32'(in_q % Groups)) % Groups);
    assign head = taken[High] ? next_read - TagWidth'(Groups) : next_read;
    assign pushed = slot[g] ? next_in - TagWidth'(Groups) : next_in;

    always_comb begin
      if (!rst_i) begin
        assert (TagWidth'(pushed - head) == TagWidth'(Groups) * TagWidth'(count_q[High]));
        assert (count_q[High] <= CountWidth'(Depth));
        assert (!taken[High] || count_q[High] != '0);
        // Read in this frame period: as many turns ago as it has cycles behind it, at most.
        assert (!taken[High] || 4'((32'(read) + Groups - 1 - g) % Groups) < index_q);
        if (Groups > 1) begin
          assert (!slot[g] || (legal({u_tx.data[g], u_tx.keep[g], u_tx.last[g]}) &&
                               {u_tx.data[g], u_tx.keep[g], u_tx.last[g]} ==
                               sent_q[TagWidth'(next_in-TagWidth'(Groups))]));
        end
      end
    end

    for (genvar o = 0; o < GroupLanes; o++) begin : gen_place
      localparam int unsigned Lane = High - o;
      // Of the segments in the queue of the highest lane: does it need this lane, and its place
      // here.
      logic [Depth-1:0] needed;
      logic [Depth:0][CountWidth-1:0] place;
      assign place[0] = '0;
      for (genvar k = 0; k < Depth; k++) begin : gen_segment
        segment_t segment;
        frame_t   frame;
        assign segment = sent_q[TagWidth'(head+TagWidth'(k*Groups))];
        assign needed[k] = CountWidth'(k) < count_q[High] && (o == 0 || segment.keep[o*Bytes]);
        assign place[k+1] = place[k] + CountWidth'(needed[k]);
        assign frame.data = segment.data[8*Bytes*o+:8*Bytes];
        assign frame.keep = segment.keep[Bytes*o+:Bytes];
        if (o == GroupLanes - 1) begin : gen_lowest
          assign frame.last = segment.last;
        end else begin : gen_higher
          assign frame.last = segment.last && !segment.keep[(o+1)*Bytes];
        end
        always_comb begin
          if (!rst_i) begin
            assert (!needed[k] || (legal(segment) && queue_q[Lane][place[k][0]] == frame));
          end
        end
      end
      always_comb begin
        if (!rst_i) begin
          assert (count_q[Lane] == place[Depth]);
          assert (taken[Lane] == (taken[High] && needed[0]));
          assert (!taken[Lane] || arrived_q[Lane]);
        end
      end
    end
  end

  // What is inside never reaches once around the tags.
  always_comb begin
    if (!rst_i) begin
      assert (TagWidth'(in_q - out_q) <= TagWidth'(Groups * (Depth + 1) + 1));
      assert (TagWidth'(read - out_q) <= TagWidth'(in_q - out_q));
    end
  end
  for (genvar i = 0; i < Lanes; i++) begin : gen_arrived
    always_comb assert (rst_i || !arrived_q[i] || count_q[i] != '0);
  end
  always_comb assert (index_q < 4'(Groups));

endmodule
