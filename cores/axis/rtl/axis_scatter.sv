// SPDX-License-Identifier: Apache-2.0
//
// axis_scatter: cuts wide beats of a stream into narrow ones, for widths whose ratio is a whole
// number.
//
// What      A beat of InBytes is offered as beats of OutBytes, the low lanes first. Lanes behind
//           the last kept byte of a packet are left out.
// Why       A multiplexer and a counter, without storage; axis_width keeps the beat and turns it.
//
// Contract
//   * s_axis: TKEEP contiguous from lane 0, all ones without TLAST. An offered beat stays until it
//     is taken.
//   * m_axis: the same. TUSER comes with TLAST only.
//   * m_axis_tvalid is s_axis_tvalid; s_axis_tready, with the last narrow beat, follows
//     m_axis_tready.
//   * rst_i begins anew with the low lanes.
//
// Parameters
//   OutBytes   >= 1
//   InBytes    a multiple of OutBytes; the same gives wires
//
// Latency     0 cycles to the first narrow beat
// Throughput  one narrow beat in each cycle
// Source      own design

module axis_scatter #(
  parameter int unsigned InBytes  = 64,
  parameter int unsigned OutBytes = 16
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

  assign m_axis_tvalid = s_axis_tvalid;

  if (OutBytes < 1 || InBytes < OutBytes || InBytes % OutBytes != 0) begin : gen_bad_ratio
    $error(
        "axis_scatter %m: rule InBytes a multiple of OutBytes (%0d), got %0d", OutBytes, InBytes
    );
  end else if (InBytes == OutBytes) begin : gen_wires
    logic unused;
    assign unused        = clk_i ^ rst_i;
    assign m_axis_tdata  = s_axis_tdata;
    assign m_axis_tkeep  = s_axis_tkeep;
    assign m_axis_tlast  = s_axis_tlast;
    assign m_axis_tuser  = s_axis_tuser;
    assign s_axis_tready = m_axis_tready;
  end else begin : gen_scatter
    localparam int unsigned Lanes = InBytes / OutBytes;
    localparam int unsigned LaneWidth = $clog2(Lanes);

    logic [LaneWidth-1:0] lane_q;
    logic [2**LaneWidth-1:0] ends;  // nothing is kept behind this lane
    always_comb begin
      ends = '1;
      for (int unsigned i = 0; i < Lanes - 1; i++) begin
        ends[i] = s_axis_tlast && !s_axis_tkeep[(i+1)*OutBytes];
      end
    end

    assign m_axis_tdata  = s_axis_tdata[32'(lane_q)*OutBytes*8+:OutBytes*8];
    assign m_axis_tkeep  = s_axis_tkeep[32'(lane_q)*OutBytes+:OutBytes];
    assign m_axis_tlast  = s_axis_tlast && ends[lane_q];
    assign m_axis_tuser  = s_axis_tuser && m_axis_tlast;
    assign s_axis_tready = m_axis_tready && ends[lane_q];

    always_ff @(posedge clk_i) begin
      if (rst_i) lane_q <= '0;
      else if (m_axis_tvalid && m_axis_tready) lane_q <= ends[lane_q] ? '0 : lane_q + 1'b1;
    end
  end

endmodule
