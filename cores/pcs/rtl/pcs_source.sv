// SPDX-License-Identifier: Apache-2.0
//
// pcs_source: words of CGMII to a transmitter, from a source that can be held or from one that
// cannot.
//
// Contract  Hold = 1: s_ready_o takes a word, and s_valid_i has to be high. Hold = 0: s_valid_i
//           gives one at the source's own rate, as pcs_idle allows. m_ready_i takes a word for the
//           lanes. lost_o: the source did not do so.
// Parameters
//   Blocks  of a word
//   Hold    the source can be held, as eth_mac can
// Latency   none, or that of pcs_idle

module pcs_source
  import pcs_pkg::*;
#(
  parameter int unsigned Blocks = 8,
  parameter bit Hold = 1'b1
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 s_valid_i,
  output logic                 s_ready_o,
  input  logic [64*Blocks-1:0] s_data_i,
  input  logic [ 8*Blocks-1:0] s_ctrl_i,
  input  logic                 m_ready_i,
  output logic [64*Blocks-1:0] m_data_o,
  output logic [ 8*Blocks-1:0] m_ctrl_o,
  output logic                 lost_o
);

  if (Hold) begin : gen_hold
    assign s_ready_o = m_ready_i;
    assign m_data_o  = s_data_i;
    assign m_ctrl_o  = s_ctrl_i;
    always_ff @(posedge clk_i) lost_o <= m_ready_i && !s_valid_i && !rst_i;
  end else begin : gen_idle
    slot_t [Blocks-1:0] s_slot, m_slot;

    assign s_ready_o = 1'b1;
    for (genvar b = 0; b < Blocks; b++) begin : gen_slot
      assign s_slot[b] = {s_ctrl_i[8*b+:8], s_data_i[64*b+:64]};
      assign {m_ctrl_o[8*b+:8], m_data_o[64*b+:64]} = m_slot[b];
    end

    pcs_idle #(
      .Blocks(Blocks)
    ) u_idle (
      .clk_i,
      .rst_i,
      .s_valid_i,
      .s_slot_i(s_slot),
      .m_ready_i,
      .m_slot_o(m_slot),
      .lost_o
    );
  end

endmodule
