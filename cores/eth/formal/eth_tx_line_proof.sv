// SPDX-License-Identifier: Apache-2.0
//
// Proof of eth_tx_frame and eth_tx_line: whatever the user, the faults and the line do, the words
// make a legal sequence of characters: idle or sequences; a start in lane 0 of a slot at least 5
// bytes behind the last terminate; the preamble; 64 bytes or more without any control character but
// an error; a terminate character. The observer reads slot by slot and keeps three numbers. Bytes
// without control bit may have any value, so the user's are zero.

module eth_tx_line_proof #(
  parameter int unsigned Bytes = 16
) (
  input logic                   clk_i,
  input logic                   rst_i,
  input logic                   s_valid_i,
  input logic [$clog2(Bytes):0] s_count_i,
  input logic                   s_over_i,
  input logic                   s_last_i,
  input logic                   s_abort_i,
  input logic                   local_fault_i,
  input logic                   stop_i,
  input logic                   may_push_i,
  input logic                   must_push_i
);

  import eth_cgmii_pkg::*;
  import eth_pkg::*;

  localparam int unsigned CountWidth = $clog2(Bytes + 1);
  localparam int unsigned ZeroWidth = $clog2(Bytes);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic s_ready, valid, first, last, bad, take, push, fcs_held;
  logic [8*Bytes-1:0] beat_data, data;
  logic [CountWidth-1:0] count;
  logic [ ZeroWidth-1:0] zeros;
  logic [Bytes-1:0] ctrl, fcs_lanes;
  logic frame, aborted, too_long, late, fault;
  logic [15:0] frame_bytes;

  eth_tx_frame #(
    .Bytes(Bytes)
  ) u_frame (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .max_whole_i  ('d6),
    .stop_i       (stop_i),
    .s_valid_i    (s_valid_i),
    .s_ready_o    (s_ready),
    .s_data_i     ('0),
    .s_count_i    (s_count_i),
    .s_over_i     (s_over_i),
    .s_last_i     (s_last_i),
    .s_abort_i    (s_abort_i),
    .hurry_i      (must_push_i),
    .take_i       (take),
    .valid_o      (valid),
    .data_o       (beat_data),
    .count_o      (count),
    .zeros_o      (zeros),
    .first_o      (first),
    .last_o       (last),
    .bad_o        (bad),
    .frame_o      (frame),
    .frame_bytes_o(frame_bytes),
    .abort_o      (aborted),
    .too_long_o   (too_long),
    .late_o       (late),
    .fault_o      (fault)
  );

  eth_tx_line #(
    .Bytes(Bytes)
  ) u_line (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .may_push_i    (may_push_i),
    .must_push_i   (must_push_i),
    .remote_fault_i(local_fault_i),
    .beat_valid_i  (valid),
    .beat_data_i   (beat_data),
    .beat_count_i  (count),
    .beat_first_i  (first),
    .beat_last_i   (last),
    .beat_bad_i    (bad),
    .take_o        (take),
    .push_o        (push),
    .word_o        (data),
    .control_o     (ctrl),
    .fcs_lanes_o   (fcs_lanes),
    .fcs_held_o    (fcs_held)
  );

  always_comb begin
    assume (rst_i == !started_q);
    assume (!must_push_i || may_push_i);
    assume (s_count_i <= CountWidth'(Bytes));
    assume (s_last_i || s_count_i == CountWidth'(Bytes));
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

  logic push_q;  // the word is one of the line
  always_ff @(posedge clk_i) begin
    push_q <= push && !rst_i;
    if (rst_i) begin
      open_q  <= 1'b0;
      bytes_q <= '0;
      gap_q   <= 3'd5;
    end else begin
      if (push_q) begin
        open_q  <= open_d;
        bytes_q <= bytes_d;
        gap_q   <= gap_d;
      end
    end
  end

  always_comb begin
    if (started_q && !rst_i) begin
      a_legal : assert (!push_q || legal);
      // The FCS belongs to a frame.
      a_fcs : assert (!push_q || (fcs_lanes & ctrl) == '0);
    end
  end

endmodule
