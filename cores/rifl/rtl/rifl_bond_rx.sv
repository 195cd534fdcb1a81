// SPDX-License-Identifier: Apache-2.0
//
// rifl_bond_rx: collects the segments of packets from the lanes of a link; the inverse of
// rifl_bond_tx.
//
// What      takes segments from the groups 0, 1, .. in turn. A segment is complete when the highest
//           lane of its group and the lanes below it, down to the one whose frame carries the end
//           mark, have a frame; lanes behind the end mark are left alone. Lanes that come early
//           wait in their flow-control buffers: that absorbs the skew of the lanes.
// Contract  s_axis_* of a lane may rise in any cycle of clk_i and then stands until the lane is
//           read at an edge of the frame clock; s_axis_tready counts at these edges alone. last_i
//           from rifl_bond_phase. Bytes outside TKEEP are whatever the lanes show. m_axis_tvalid
//           does not depend on m_axis_tready.
// Timing    one group: combinational. More: a frame is taken in any cycle of the user's clock, once
//           in a frame period and lane, marked as taken, and read from the lane at the period's
//           end; the segment goes through a register.
// Latency   0 with one group, else 1 cycle of clk_i. One segment per cycle without a gap.
// Limits    the turn starts at group 0 after a reset only, as in the transmitter: reset both ends
//           together.
// Source    RIFL paper, sections 4.F and 5.A; order of lanes as the published core has it.

module rifl_bond_rx #(
  parameter int unsigned Lanes = 4,
  parameter int unsigned GroupLanes = 1,  // lanes of a group; divides Lanes
  parameter int unsigned Bytes = 30,  // of one lane in a segment
  localparam int unsigned SegmentBytes = GroupLanes * Bytes
) (
  input logic clk_i,
  input logic rst_i,
  input logic last_i,

  input  logic [Lanes-1:0][8*Bytes-1:0] s_axis_tdata,
  input  logic [Lanes-1:0][  Bytes-1:0] s_axis_tkeep,
  input  logic [Lanes-1:0]              s_axis_tlast,
  input  logic [Lanes-1:0]              s_axis_tvalid,
  output logic [Lanes-1:0]              s_axis_tready,

  output logic [8*SegmentBytes-1:0] m_axis_tdata,
  output logic [  SegmentBytes-1:0] m_axis_tkeep,
  output logic                      m_axis_tlast,
  output logic                      m_axis_tvalid,
  input  logic                      m_axis_tready
);

  localparam int unsigned Groups = Lanes / GroupLanes;

  // ---- What each group has to give ----
  logic [Groups-1:0][8*SegmentBytes-1:0] data;
  logic [Groups-1:0][  SegmentBytes-1:0] keep;
  logic [Groups-1:0] last, valid, pop;
  logic [Lanes-1:0] popped;  // frame taken in this cycle

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    logic [GroupLanes-1:0] ends, needed, place_valid;  // by place in the segment
    for (genvar o = 0; o < GroupLanes; o++) begin : gen_place
      localparam int unsigned Lane = g * GroupLanes + GroupLanes - 1 - o;
      assign ends[o] = s_axis_tlast[Lane];
      assign needed[o] = (ends & GroupLanes'((1 << o) - 1)) == '0;  // no end before
      assign place_valid[o] = !needed[o] || s_axis_tvalid[Lane];
      assign data[g][8*Bytes*o+:8*Bytes] = s_axis_tdata[Lane];
      assign keep[g][Bytes*o+:Bytes] = s_axis_tkeep[Lane] & {Bytes{needed[o]}};
      assign popped[Lane] = pop[g] && needed[o];
    end
    assign last[g]  = |ends;
    assign valid[g] = &place_valid;
  end

  if (Groups == 1) begin : gen_wires
    logic unused;
    assign unused = ^{clk_i, rst_i, last_i};
    assign pop = valid[0] && m_axis_tready;
    assign s_axis_tready = popped;
    assign m_axis_tdata = data[0];
    assign m_axis_tkeep = keep[0];
    assign m_axis_tlast = last[0];
    assign m_axis_tvalid = valid[0];
  end else begin : gen_turns
    localparam int unsigned TurnWidth = $clog2(Groups);

    // A group's turn does not come twice in a frame period, so what is taken is not met again.
    logic [Lanes-1:0] taken_q;
    logic [TurnWidth-1:0] turn_q;
    logic free, take;

    assign free = !m_axis_tvalid || m_axis_tready;
    assign take = valid[turn_q] && free;
    always_comb begin
      pop = '0;
      pop[turn_q] = take;
    end
    assign s_axis_tready = taken_q | popped;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        taken_q <= '0;
        turn_q <= '0;
        m_axis_tvalid <= 1'b0;
      end else begin
        taken_q <= last_i ? '0 : s_axis_tready;
        if (take) turn_q <= turn_q + 1'b1;
        if (free) m_axis_tvalid <= take;
      end
    end

    always_ff @(posedge clk_i) begin
      if (free) begin
        m_axis_tdata <= data[turn_q];
        m_axis_tkeep <= keep[turn_q];
        m_axis_tlast <= last[turn_q];
      end
    end
  end

endmodule
