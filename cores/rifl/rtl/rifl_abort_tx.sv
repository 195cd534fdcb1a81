// SPDX-License-Identifier: Apache-2.0
//
// rifl_abort_tx: keeps the rest of a cut packet out of the next session.
//
// What      lets the user's beats pass. When the link is cut in the middle of a packet, the rest of
//           that packet is taken from the user and thrown away, so that what follows starts with a
//           packet.
// Contract  the handshake of an AXI-Stream in and out; its data pass outside. Combinational when
//           not dropping. cut_i: the link is being cleared (m_axis_tready is low then). cut_o: one
//           clock for each packet that is thrown away in part. rst_i forgets that a packet is open.
// Source    docs/src/rifl-extended.md, "Session".

module rifl_abort_tx (
  input  logic clk_i,
  input  logic rst_i,
  input  logic cut_i,
  output logic cut_o,
  input  logic s_axis_tlast,
  input  logic s_axis_tvalid,
  output logic s_axis_tready,
  output logic m_axis_tvalid,
  input  logic m_axis_tready
);

  logic open_q, drop_q, accepted;
  assign accepted = s_axis_tvalid && s_axis_tready;

  assign m_axis_tvalid = s_axis_tvalid && !drop_q && !cut_i;
  assign s_axis_tready = drop_q || (m_axis_tready && !cut_i);

  always_ff @(posedge clk_i) begin
    cut_o <= 1'b0;
    if (rst_i) begin
      open_q <= 1'b0;
      drop_q <= 1'b0;
    end else begin
      if (accepted) begin
        open_q <= !s_axis_tlast;
        if (s_axis_tlast) drop_q <= 1'b0;
      end else if (cut_i && open_q && !drop_q) begin
        drop_q <= 1'b1;
        cut_o  <= 1'b1;
      end
    end
  end

endmodule
