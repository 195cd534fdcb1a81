// SPDX-License-Identifier: Apache-2.0
//
// rifl_abort_rx: ends a cut packet visibly at the receiving user.
//
// What      passes beats on. When the link is cut in the middle of a packet, one beat with TLAST
//           and TUSER is put in (one byte, zero), so that the user neither waits for the rest nor
//           takes the part for the whole, nor joins it with the next packet.
// Contract  AXI-Stream in and out, combinational when not ending a packet; a register that the cut
//           does not clear must follow, for TVALID falls with the cut. cut_i: the link is being
//           cleared (s_axis_tvalid is low then). cut_o: one clock for each packet that is ended so.
//           m_axis_tuser is the error mark, low in all other beats. rst_i forgets that a packet is
//           open.
// Source    docs/src/rifl-extended.md, "Session".

module rifl_abort_rx #(
  parameter int unsigned Bytes = 32
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               cut_i,
  output logic               cut_o,
  input  logic [8*Bytes-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,
  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tuser,
  output logic               m_axis_tvalid,
  input  logic               m_axis_tready
);

  logic open_q, end_q, taken;
  assign taken = m_axis_tvalid && m_axis_tready;

  assign m_axis_tdata = end_q ? '0 : s_axis_tdata;
  assign m_axis_tkeep = end_q ? Bytes'(1) : s_axis_tkeep;
  assign m_axis_tlast = end_q || s_axis_tlast;
  assign m_axis_tuser = end_q;
  assign m_axis_tvalid = end_q || (s_axis_tvalid && !cut_i);
  assign s_axis_tready = m_axis_tready && !end_q && !cut_i;

  always_ff @(posedge clk_i) begin
    cut_o <= 1'b0;
    if (rst_i) begin
      open_q <= 1'b0;
      end_q  <= 1'b0;
    end else begin
      if (taken) open_q <= !m_axis_tlast;
      if (end_q) begin
        if (taken) end_q <= 1'b0;
      end else if (cut_i && open_q) begin
        end_q <= 1'b1;
        cut_o <= 1'b1;
      end
    end
  end

endmodule
