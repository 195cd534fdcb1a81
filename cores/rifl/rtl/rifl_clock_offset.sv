// SPDX-License-Identifier: Apache-2.0
//
// rifl_clock_offset: measures how much faster the peer's clock is than the own.
//
// What      counts own and received frames against each other for 2^Window own frames; the
//           difference is the offset in units of 2^-Window.
// Contract  own_i and received_i are numbers of frames in this cycle of clk_i. offset_o is the last
//           complete window's result, two's complement, positive if the peer is faster; a step that
//           would leave its range is not counted. A window in which aligned_i was low gives 0.
// Accuracy  one unit, from where in a frame the window begins and ends.
// Source    own design.

module rifl_clock_offset #(
  parameter  int unsigned Window = 20,  // 6..24
  localparam int unsigned Width  = 16
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             aligned_i,
  input  logic [      1:0] own_i,
  input  logic [      1:0] received_i,
  output logic [Width-1:0] offset_o
);

  if (Window < 6 || Window > 24) begin : gen_bad_window
    $error("rifl_clock_offset %m: Window must be 6..24, got %0d", Window);
  end

  logic [Window:0] count_q;
  logic full, valid_q;
  logic signed [Width-1:0] lead_q;
  logic signed [  Width:0] lead;

  assign full = count_q[Window];
  assign lead = (Width + 1)'(lead_q) + $signed(
      (Width + 1)'(received_i)
  ) - $signed(
      (Width + 1)'(own_i)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q  <= '0;
      lead_q   <= '0;
      valid_q  <= 1'b0;
      offset_o <= '0;
    end else begin
      count_q <= {1'b0, count_q[Window-1:0]} + (Window + 1)'(own_i);
      if (full) begin
        offset_o <= valid_q ? lead_q : '0;
        lead_q   <= Width'($signed({1'b0, received_i})) - Width'($signed({1'b0, own_i}));
        valid_q  <= aligned_i;
      end else begin
        // Both upper bits differ: one step beyond the end of the range.
        if (lead[Width] == lead[Width-1]) lead_q <= lead[Width-1:0];
        valid_q <= valid_q && aligned_i;
      end
    end
  end

endmodule
