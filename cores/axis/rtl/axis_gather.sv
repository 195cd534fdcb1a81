// SPDX-License-Identifier: Apache-2.0
//
// axis_gather: joins narrow beats of a stream into wide ones, for widths whose ratio is a whole
// number.
//
// What      Beats of InBytes go side by side into a beat of OutBytes, the first one into the low
//           lanes; TLAST closes it early. The last of them passes through, so nothing is delayed
//           but by the beats that are still to come.
// Why       With axis_width, which turns its lanes, any width goes with any other; here every lane
//           has its place, and a bit takes one LUT.
//
// Contract
//   * s_axis: TKEEP counts with TLAST only, contiguous from lane 0; a beat without TLAST is full.
//     TUSER counts with TLAST only.
//   * m_axis: lanes behind the last beat are zero, in TDATA and TKEEP; bytes of a beat are as they
//     came.
//   * s_axis_tready is m_axis_tready. m_axis_tvalid does not depend on it. While rst_i is high, or
//     a packet was left open by it, nothing is offered of what came before.
//
// Parameters
//   InBytes    >= 1
//   OutBytes   a multiple of InBytes; the same gives wires
//
// Latency     0 cycles from the last beat of a word
// Throughput  one beat in each cycle
// Source      own design

module axis_gather #(
  parameter int unsigned InBytes  = 16,
  parameter int unsigned OutBytes = 64
) (
  input logic clk_i,
  input logic rst_i,

  input  logic [InBytes*8-1:0] s_axis_tdata,
  input  logic [  InBytes-1:0] s_axis_tkeep,
  input  logic                 s_axis_tlast,
  input  logic                 s_axis_tuser,
  input  logic                 s_axis_tvalid,
  output logic                 s_axis_tready,

  output logic [OutBytes*8-1:0] m_axis_tdata,
  output logic [  OutBytes-1:0] m_axis_tkeep,
  output logic                  m_axis_tlast,
  output logic                  m_axis_tuser,
  output logic                  m_axis_tvalid,
  input  logic                  m_axis_tready
);

  assign s_axis_tready = m_axis_tready;
  assign m_axis_tlast  = s_axis_tlast;
  assign m_axis_tuser  = s_axis_tuser;

  if (InBytes < 1 || OutBytes < InBytes || OutBytes % InBytes != 0) begin : gen_bad_ratio
    $error("axis_gather %m: rule OutBytes a multiple of InBytes (%0d), got %0d", InBytes, OutBytes);
  end else if (InBytes == OutBytes) begin : gen_wires
    logic unused;
    assign unused        = clk_i;
    assign m_axis_tdata  = s_axis_tdata;
    assign m_axis_tkeep  = s_axis_tkeep;
    assign m_axis_tvalid = s_axis_tvalid && !rst_i;
  end else begin : gen_gather
    localparam int unsigned Lanes = OutBytes / InBytes;
    localparam int unsigned LaneWidth = $clog2(Lanes);

    logic [Lanes-2:0][InBytes*8-1:0] held_q;
    logic [LaneWidth-1:0] lane_q;  // where the beat goes; those below are held
    logic whole;
    assign whole = s_axis_tlast || lane_q == LaneWidth'(Lanes - 1);
    assign m_axis_tvalid = s_axis_tvalid && whole && !rst_i;

    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      logic here;
      logic [InBytes*8-1:0] below;
      assign here = lane_q == LaneWidth'(i);
      if (i < Lanes - 1) begin : gen_held
        logic held;
        assign held = lane_q > LaneWidth'(i);
        assign below = held_q[i] & {InBytes * 8{held}};
        assign m_axis_tkeep[i*InBytes+:InBytes] = here ? s_axis_tkeep : {InBytes{held}};
        always_ff @(posedge clk_i) begin
          if (here && s_axis_tvalid && m_axis_tready) held_q[i] <= s_axis_tdata;
        end
      end else begin : gen_last
        assign below = '0;
        assign m_axis_tkeep[i*InBytes+:InBytes] = here ? s_axis_tkeep : '0;
      end
      assign m_axis_tdata[i*InBytes*8+:InBytes*8] = here ? s_axis_tdata : below;
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) lane_q <= '0;
      else if (s_axis_tvalid && m_axis_tready) lane_q <= whole ? '0 : lane_q + 1'b1;
    end
  end

endmodule
