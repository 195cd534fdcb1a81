// SPDX-License-Identifier: Apache-2.0
//
// Proof of prim_skid: order and integrity, at most two words inside, stable offers, no needless
// stall. The observer counts words and follows one, chosen freely at any push.

module prim_skid_proof #(
  parameter int unsigned Width = 4
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic             s_valid_i,
  input logic [Width-1:0] s_data_i,
  input logic             m_ready_i,
  input logic             mark_i
);

  logic s_ready;
  logic m_valid;
  logic [Width-1:0] m_data;

  prim_skid #(
    .Width(Width)
  ) u_dut (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(s_valid_i),
    .s_ready_o(s_ready),
    .s_data_i (s_data_i),
    .m_valid_o(m_valid),
    .m_ready_i(m_ready_i),
    .m_data_o (m_data)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  logic [1:0] count_q;
  logic fresh_q;
  logic marked_q;
  logic [1:0] ahead_q;
  logic [Width-1:0] word_q;
  logic stalled_q;
  logic [Width-1:0] offered_q;
  logic push;
  logic pop;

  assign push = s_valid_i && s_ready;
  assign pop  = m_valid && m_ready_i;

  always_ff @(posedge clk_i) begin
    // In the first cycle after a reset the buffer is not ready yet.
    fresh_q <= rst_i;
    if (rst_i) begin
      count_q   <= '0;
      marked_q  <= 1'b0;
      stalled_q <= 1'b0;
    end else begin
      count_q   <= count_q + 2'(push) - 2'(pop);
      stalled_q <= m_valid && !m_ready_i;
      offered_q <= m_data;
      if (push && mark_i && !marked_q) begin
        marked_q <= 1'b1;
        ahead_q  <= count_q - 2'(pop);
        word_q   <= s_data_i;
      end else if (marked_q && pop) begin
        marked_q <= ahead_q != '0;
        ahead_q  <= ahead_q - 1'b1;
      end
    end
  end

  always_comb begin
    if (started_q) begin
      assert (count_q <= 2'd2);
      assert (m_valid == (count_q != '0));
      assert (s_ready == (!fresh_q && count_q != 2'd2));
      assert (!stalled_q || (m_valid && m_data == offered_q));
      assert (!marked_q || ahead_q < count_q);
      assert (!(marked_q && ahead_q == '0) || m_data == word_q);
      // Invariants of the two registers.
      assert (u_dut.side_valid_q == (count_q == 2'd2));
      assert (!fresh_q || count_q == '0);
      assert (!(marked_q && ahead_q == 2'd1) || u_dut.side_data_q == word_q);
    end
  end

endmodule
