// SPDX-License-Identifier: Apache-2.0
//
// rifl_bond_tx: deals segments of packets out to the lanes of a link.
//
// What      group i is the lanes i*GroupLanes .. i*GroupLanes+GroupLanes-1. Segments go to the
//           groups 0, 1, .. in turn (temporal bonding); the turn runs on across packets and pauses
//           and starts at 0 after a reset only. Inside a group the highest lane gets the first
//           Bytes bytes of the segment, the lane below the next ones (spatial bonding). Lanes
//           behind the end of the packet get nothing and need not be ready; the last lane used
//           carries the end mark.
// Contract  s_axis_* as axis_width delivers it (TKEEP contiguous, all ones except on TLAST, zero
//           bytes elsewhere). last_i from rifl_bond_phase. m_axis_tready of a lane is a function of
//           registers of the frame clock alone, so it is still all through a frame, and does not
//           depend on m_axis_tvalid. The lanes look at m_axis_* at edges of the frame clock. All
//           lanes that a segment needs take it at the same edge. Without enable_i (every lane of
//           the link is up) no segment is accepted: a link works as a whole or not at all, so that
//           link_up_o tells the user the truth. The published core lets the groups that are up go
//           on; on the wire both look the same, a lane without user data.
// Timing    one group: combinational. More: one slot per group in registers of clk_i, because the
//           user's clock is the faster one then; s_axis_tready depends on registers and enable_i
//           only.
// Latency   0 with one group; else a segment waits in its slot for the next edge of the frame
//           clock, 1 .. Groups cycles of clk_i. One segment per cycle without a gap.
// Source    RIFL paper, sections 4.F and 5.A; order of lanes as the published core has it (the
//           paper starts with the lowest lane).

module rifl_bond_tx #(
  parameter int unsigned Lanes = 4,
  parameter int unsigned GroupLanes = 1,  // lanes of a group; divides Lanes
  parameter int unsigned Bytes = 30,  // of one lane in a segment
  localparam int unsigned SegmentBytes = GroupLanes * Bytes
) (
  input logic clk_i,
  input logic rst_i,
  input logic last_i,
  input logic enable_i,

  input  logic [8*SegmentBytes-1:0] s_axis_tdata,
  input  logic [  SegmentBytes-1:0] s_axis_tkeep,
  input  logic                      s_axis_tlast,
  input  logic                      s_axis_tvalid,
  output logic                      s_axis_tready,

  output logic [Lanes-1:0][8*Bytes-1:0] m_axis_tdata,
  output logic [Lanes-1:0][  Bytes-1:0] m_axis_tkeep,
  output logic [Lanes-1:0]              m_axis_tlast,
  output logic [Lanes-1:0]              m_axis_tvalid,
  input  logic [Lanes-1:0]              m_axis_tready
);

  localparam int unsigned Groups = Lanes / GroupLanes;

  // ---- What each group offers to its lanes ----
  logic [Groups-1:0][8*SegmentBytes-1:0] data;
  logic [Groups-1:0][  SegmentBytes-1:0] keep;
  logic [Groups-1:0] last, valid;
  logic [Groups-1:0] lanes_ready;  // all that the segment needs
  logic [ Lanes-1:0] ready;

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    logic [  GroupLanes:0] needed;  // by place in the segment, one beyond the end is never needed
    logic [GroupLanes-1:0] place_ready;
    assign needed[0] = 1'b1;
    assign needed[GroupLanes] = 1'b0;
    for (genvar o = 0; o < GroupLanes; o++) begin : gen_place
      localparam int unsigned Lane = g * GroupLanes + GroupLanes - 1 - o;
      if (o > 0) begin : gen_needed
        assign needed[o] = keep[g][o*Bytes];
      end
      assign place_ready[o] = !needed[o] || ready[Lane];
      assign m_axis_tdata[Lane] = data[g][8*Bytes*o+:8*Bytes];
      assign m_axis_tkeep[Lane] = keep[g][Bytes*o+:Bytes];
      assign m_axis_tlast[Lane] = last[g] && !needed[o+1];
      assign m_axis_tvalid[Lane] = valid[g] && needed[o] && lanes_ready[g];
    end
    assign lanes_ready[g] = &place_ready;
  end

  if (Groups == 1) begin : gen_wires
    logic unused;
    assign unused = ^{clk_i, rst_i, last_i};
    assign data = s_axis_tdata;
    assign keep = s_axis_tkeep;
    assign last = s_axis_tlast;
    assign valid = s_axis_tvalid && enable_i;
    assign ready = m_axis_tready;
    assign s_axis_tready = lanes_ready[0] && enable_i;
  end else begin : gen_slots
    logic [Groups-1:0] turn_q, free;

    assign free = ~valid | ({Groups{last_i}} & lanes_ready);
    assign s_axis_tready = |(turn_q & free) && enable_i && !rst_i;

    // Of the same frame in every cycle but its first, which is never its last.
    always_ff @(posedge clk_i) ready <= m_axis_tready;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        turn_q <= Groups'(1);
        valid  <= '0;
      end else begin
        if (s_axis_tvalid && s_axis_tready) turn_q <= {turn_q[Groups-2:0], turn_q[Groups-1]};
        valid <= (valid & ~free) | ({Groups{s_axis_tvalid && s_axis_tready}} & turn_q);
      end
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned g = 0; g < Groups; g++) begin
        if (turn_q[g] && free[g]) begin
          data[g] <= s_axis_tdata;
          keep[g] <= s_axis_tkeep;
          last[g] <= s_axis_tlast;
        end
      end
    end
  end

endmodule
