// SPDX-License-Identifier: Apache-2.0
//
// Proof of eth_mac_tx: whatever the user, the faults and the line do, the line has a word in every cycle and what is on it is
// a legal sequence of characters: idle or sequences; a start in lane 0 of a slot at least 5 bytes behind the last
// terminate; the preamble; 64 bytes or more without any control character but an error; a terminate character.
// The observer reads slot by slot and keeps three numbers.

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

  import eth_pkg::*;

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

  // ---- Observer ----
  logic open_q, open_d;
  logic [6:0] bytes_q, bytes_d;  // of the frame, stays at 64
  logic [2:0] gap_q, gap_d;  // bytes since the terminate character, stays at 5
  logic legal;

  always_comb begin
    open_d  = open_q;
    bytes_d = bytes_q;
    gap_d   = gap_q;
    legal   = 1'b1;
    for (int unsigned j = 0; j < Bytes / SlotBytes; j++) begin
      logic [63:0] slot;
      logic [ 7:0] control;
      slot    = data[64*j+:64];
      control = ctrl[8*j+:8];
      if (!open_d) begin
        if (control == 8'h01 && slot == {StartOfFrame, {6{Preamble}}, Start}) begin
          legal   = legal && gap_d == 3'd5;
          open_d  = 1'b1;
          bytes_d = '0;
        end else begin
          legal = legal && ((control == '1 && slot == {8{Idle}}) ||
                            (control == 8'h01 && slot == {32'd0, RemoteFault, 16'd0, Sequence}));
          gap_d = 3'd5;
        end
      end else begin
        for (int unsigned i = 0; i < SlotBytes; i++) begin
          if (open_d) begin
            if (control[i] && slot[8*i+:8] == Terminate) begin
              legal  = legal && bytes_d == 7'd64;
              open_d = 1'b0;
              gap_d  = 3'd1;
            end else begin
              legal = legal && (!control[i] || slot[8*i+:8] == Error);
              if (bytes_d != 7'd64) bytes_d = bytes_d + 1'b1;
            end
          end else begin
            legal = legal && control[i] && slot[8*i+:8] == Idle;
            if (gap_d != 3'd5) gap_d = gap_d + 1'b1;
          end
        end
      end
    end
  end

  logic [2:0] age_q;  // cycles since the reset; the first words need a few
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      open_q  <= 1'b0;
      bytes_q <= '0;
      gap_q   <= 3'd5;
      age_q   <= '0;
    end else begin
      if (phy_tx_ready_i) begin
        open_q  <= open_d;
        bytes_q <= bytes_d;
        gap_q   <= gap_d;
      end
      if (age_q != '1) age_q <= age_q + 1'b1;
    end
  end

  always_comb begin
    if (started_q && !rst_i) begin
      a_legal : assert (legal);
      a_always_a_word : assert (age_q < 3'd3 || u_dut.line_valid);
      a_no_overflow : assert (!u_dut.full || !u_dut.push_q);
    end
  end

endmodule
