// SPDX-License-Identifier: Apache-2.0
//
// rifl_bond_phase: tells the user's clock where it stands in a frame period.
//
// What      last_o is high in the cycle of user_clk_i that ends with an edge of frame_clk_i. Only
//           what stands on a frame-clock input in that cycle is seen by the lanes.
// Contract  user_clk_i is frame_clk_i times Groups with aligned edges; the ratio is the number of
//           lane groups. last_o is a register (constant 1 for one group). While frame_rst_i stands
//           its place is arbitrary; it is right from the second frame-clock edge behind that on.
// Source    own design.

module rifl_bond_phase #(
  parameter int unsigned Groups = 4  // 1, 2, 4, 8
) (
  input  logic frame_clk_i,
  input  logic frame_rst_i,
  input  logic user_clk_i,
  output logic last_o
);

  if (Groups == 1) begin : gen_same
    logic unused;
    assign unused = ^{frame_clk_i, frame_rst_i, user_clk_i};
    assign last_o = 1'b1;
  end else begin : gen_count
    localparam int unsigned IndexWidth = $clog2(Groups);

    logic toggle_q, seen_q;
    logic [IndexWidth-1:0] index, index_q;

    always_ff @(posedge frame_clk_i) begin
      if (frame_rst_i) toggle_q <= 1'b0;
      else toggle_q <= !toggle_q;
    end

    assign index = (toggle_q != seen_q) ? '0 : index_q;

    always_ff @(posedge user_clk_i) begin
      seen_q  <= toggle_q;
      index_q <= index + 1'b1;
      last_o  <= index == IndexWidth'(Groups - 2);
    end
  end

endmodule
