// SPDX-License-Identifier: Apache-2.0
//
// prim_skid: skid buffer, a pipeline stage that registers a valid/ready channel both ways.
//
// What      m_valid_o, m_data_o and s_ready_o all come straight from flip-flops.
// Why       Cuts every combinational path of a stream, in both directions, at full throughput.
// Contract  A word moves on an edge with valid and ready. Once m_valid_o is 1 it and m_data_o hold
//           until m_ready_i. s_ready_o is 0 in the cycles after a clock edge with rst_i = 1 and
//           rises one cycle after rst_i has fallen, so nothing is accepted during reset except
//           possibly in its first cycle (a word accepted there is dropped).
// Latency   1 cycle, one word per cycle. Holds at most two words.
//
// Parameters
//   Width   bits of a word, >= 1

module prim_skid #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             s_valid_i,
  output logic             s_ready_o,
  input  logic [Width-1:0] s_data_i,
  output logic             m_valid_o,
  input  logic             m_ready_i,
  output logic [Width-1:0] m_data_o
);

  if (Width < 1) begin : gen_bad_width
    $error("prim_skid %m: Width must be >= 1, got %0d", Width);
  end

  // The output register, and the side register that catches the one word which was already on its
  // way when the output stalled. side_valid_q implies m_valid_q and implies !s_ready_q.
  logic m_valid_q;
  logic [Width-1:0] m_data_q;
  logic side_valid_q;
  logic [Width-1:0] side_data_q;
  logic s_ready_q;

  logic push;
  logic advance;
  logic side_valid_d;

  assign s_ready_o = s_ready_q;
  assign m_valid_o = m_valid_q;
  assign m_data_o = m_data_q;

  assign push = s_valid_i && s_ready_q;
  assign advance = m_ready_i || !m_valid_q;
  assign side_valid_d = !advance && (side_valid_q || push);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      m_valid_q <= 1'b0;
      side_valid_q <= 1'b0;
      s_ready_q <= 1'b0;
    end else begin
      if (advance) m_valid_q <= side_valid_q || push;
      side_valid_q <= side_valid_d;
      s_ready_q <= !side_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) m_data_q <= side_valid_q ? side_data_q : s_data_i;
    if (s_ready_q) side_data_q <= s_data_i;
  end

endmodule
