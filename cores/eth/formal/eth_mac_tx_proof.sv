// SPDX-License-Identifier: Apache-2.0
//
// Proof of eth_mac_tx: from a few cycles after the reset on the line has a word in every cycle, and
// no word finds the buffer full, whatever the user, the faults and the line do.

module eth_mac_tx_proof #(
  parameter int unsigned Bytes = 16
) (
  input logic               clk_i,
  input logic               rst_i,
  input logic [8*Bytes-1:0] s_axis_tdata,
  input logic [  Bytes-1:0] s_axis_tkeep,
  input logic               s_axis_tlast,
  input logic               s_axis_tuser,
  input logic               s_axis_tvalid,
  input logic               local_fault_i,
  input logic               remote_fault_i,
  input logic               phy_tx_ready_i
);

  logic s_axis_tready;
  logic [8*Bytes-1:0] data;
  logic [Bytes-1:0] ctrl;
  logic frame, aborted, late, too_long, fault;
  logic [15:0] frame_bytes;

  eth_mac_tx #(
    .Bytes(Bytes)
  ) u_dut (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .s_axis_tdata  (s_axis_tdata),
    .s_axis_tkeep  (s_axis_tkeep),
    .s_axis_tlast  (s_axis_tlast),
    .s_axis_tuser  (s_axis_tuser),
    .s_axis_tvalid (s_axis_tvalid),
    .s_axis_tready (s_axis_tready),
    .max_bytes_i   (16'd100),
    .local_fault_i (local_fault_i),
    .remote_fault_i(remote_fault_i),
    .phy_tx_ready_i(phy_tx_ready_i),
    .phy_tx_data_o (data),
    .phy_tx_ctrl_o (ctrl),
    .frame_o       (frame),
    .frame_bytes_o (frame_bytes),
    .abort_o       (aborted),
    .late_o        (late),
    .too_long_o    (too_long),
    .fault_o       (fault)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  // TKEEP of a stream; the user may be late, but does not take back what was offered.
  logic stalled_q, last_q;
  logic [Bytes-1:0] keep_q;
  always_ff @(posedge clk_i) begin
    stalled_q <= s_axis_tvalid && !s_axis_tready && !rst_i;
    keep_q    <= s_axis_tkeep;
    last_q    <= s_axis_tlast;
  end
  always_comb begin
    assume (rst_i == !started_q);
    assume ((s_axis_tkeep & (s_axis_tkeep + 1'b1)) == '0);
    assume (s_axis_tlast || (&s_axis_tkeep));
    assume (!(started_q && stalled_q) ||
            (s_axis_tvalid && s_axis_tkeep == keep_q && s_axis_tlast == last_q));
  end

  logic [2:0] age_q;  // cycles since the reset; the first words need a few
  always_ff @(posedge clk_i) begin
    if (rst_i) age_q <= '0;
    else if (age_q != '1) age_q <= age_q + 1'b1;
  end

  always_comb begin
    if (started_q && !rst_i) begin
      a_always_a_word : assert (age_q < 3'd3 || u_dut.line_valid);
      a_no_overflow : assert (!u_dut.full || !u_dut.push_q);
    end
  end

endmodule
