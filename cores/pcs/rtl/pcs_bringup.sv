// SPDX-License-Identifier: Apache-2.0
//
// pcs_bringup: are all lanes there, which is which, and if the link is down, why.
//
// What      Looks at one lane in each cycle. A sweep over all of them ends with a reason and the
//           first lane that it is true of, or with every number seen once.
// Contract  Of each lane: signal_i, block_lock_i, marker_lock_i, number_i. marker_i: a marker of
//           any one lane. aligned_o: all lanes are there with numbers of their own, for the deskew;
//           falls at once when a lane goes. source_o: the physical lane of each number. peer_i: the
//           peer has the other mode of the FEC. deskewed_i, high_ber_i: what stands behind.
//           status_o: see pcs_pkg; up to two sweeps late.
//           Lanes that do not meet for Patience markers are too far apart.
// Parameters
//   Count  lanes, numbered from 0
// Latency   a sweep has a cycle for each lane

module pcs_bringup
  import pcs_pkg::*;
#(
  parameter  int unsigned Count    = Lanes,
  localparam int unsigned Patience = 3
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic    [Count-1:0] signal_i,
  input  logic    [Count-1:0] block_lock_i,
  input  logic    [Count-1:0] marker_lock_i,
  input  lane_t   [Count-1:0] number_i,
  input  logic                marker_i,
  input  logic                peer_i,
  input  logic                deskewed_i,
  input  logic                high_ber_i,
  output logic                aligned_o,
  output lane_t   [Count-1:0] source_o,
  output status_t             status_o
);

  typedef logic [$clog2(Count)-1:0] index_t;

  // ---- A sweep ----
  lane_t lane_q;
  logic [Count-1:0] seen_q, seen;
  status_t found_q, found;  // Aligning: nothing yet
  state_e state;
  index_t number;
  logic   last;

  assign last   = lane_q == lane_t'(Count - 1);
  assign number = index_t'(number_i[index_t'(lane_q)]);

  always_comb begin
    seen  = seen_q;
    state = Aligning;
    if (!signal_i[index_t'(lane_q)]) state = NoSignal;
    else if (!block_lock_i[index_t'(lane_q)]) state = NoBlockLock;
    else if (!marker_lock_i[index_t'(lane_q)]) state = NoMarker;
    else begin
      if (seen_q[number]) state = SameNumber;
      seen[number] = 1'b1;
    end
    found = (state < found_q.state) ? '{state: state, lane: lane_q} : found_q;
  end

  // ---- What it has ended with ----
  logic all, whole_q, good_q;  // now; through the whole sweep; then with numbers of their own
  status_t lanes_q;
  logic [$clog2(Patience+1)-1:0] markers_q;

  assign all = &(signal_i & block_lock_i & marker_lock_i);
  assign aligned_o = good_q && all;

  always_ff @(posedge clk_i) begin
    lane_q  <= last ? '0 : lane_q + 1'b1;
    seen_q  <= last ? '0 : seen;
    found_q <= last ? '{state: Aligning, lane: '0} : found;
    if (!aligned_o) source_o[number] <= lane_q;
    if (last) lanes_q <= found;
    whole_q <= all && (last || whole_q);
    good_q  <= all && (good_q || (last && whole_q && found.state == Aligning));
    if (!aligned_o || deskewed_i) markers_q <= '0;
    else if (marker_i && markers_q != '1) markers_q <= markers_q + 1'b1;
    if (rst_i) begin
      lane_q  <= '0;
      seen_q  <= '0;
      found_q <= '{state: Aligning, lane: '0};
      lanes_q <= '{state: NoSignal, lane: '0};
      whole_q <= 1'b0;
      good_q  <= 1'b0;
    end
  end

  always_comb begin
    status_o = lanes_q;
    if (peer_i && lanes_q.state inside {NoBlockLock, NoMarker}) begin
      status_o = '{state: PeerMode, lane: '0};
    end
    if (aligned_o) begin
      status_o = '{state: Up, lane: '0};
      if (high_ber_i) status_o.state = HighBer;
      if (!deskewed_i) status_o.state = (markers_q == '1) ? SkewExceeded : Aligning;
    end
  end

endmodule
