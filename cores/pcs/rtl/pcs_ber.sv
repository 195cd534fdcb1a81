// SPDX-License-Identifier: Apache-2.0
//
// pcs_ber: is the share of wrong bits too high to go on, by the headers of all lanes.
//
// Contract  en_i = 0: nothing counts. illegal_i: headers in this cycle that are none. high_o: Limit
//           of them have come in Window cycles; a whole window with fewer ends it.
// Parameters
//   Inputs  headers of a cycle
//   Window  cycles, 500 us
//   Limit   illegal headers in it
// Source    IEEE Std 802.3 figure 82-13: 97 in 500 us

module pcs_ber #(
  parameter int unsigned Inputs = 5,
  parameter int unsigned Window = 161133,
  parameter int unsigned Limit  = 97
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              en_i,
  input  logic [Inputs-1:0] illegal_i,
  output logic              high_o
);

  localparam int unsigned TimeWidth = $clog2(Window);
  localparam int unsigned CountWidth = $clog2(Limit + Inputs + 1);

  logic [TimeWidth-1:0] time_q;
  logic [CountWidth-1:0] count_q, count;
  logic reached, ends;

  always_comb begin
    count = count_q;
    for (int i = 0; i < int'(Inputs); i++) count += CountWidth'(illegal_i[i]);
  end
  assign reached = count >= CountWidth'(Limit);
  assign ends    = time_q == TimeWidth'(Window - 1);

  always_ff @(posedge clk_i) begin
    if (rst_i || !en_i) begin
      time_q  <= '0;
      count_q <= '0;
      high_o  <= 1'b0;
    end else begin
      time_q  <= ends ? '0 : time_q + 1'b1;
      count_q <= ends ? '0 : reached ? CountWidth'(Limit) : count;
      if (reached) high_o <= 1'b1;
      else if (ends) high_o <= 1'b0;
    end
  end

endmodule
