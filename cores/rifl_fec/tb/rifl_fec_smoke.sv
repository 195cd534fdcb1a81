// SPDX-License-Identifier: Apache-2.0
//
// rifl_fec_smoke: the target sim of this core. One lane, its line looped back to itself; words go
// through as codewords with a wrong bit now and then, and every one arrives.
//
// The module has its default parameters. Written so that Icarus Verilog reads it, too.

module rifl_fec_smoke #(
  parameter integer Words = 2000
);

  logic clk, arst;
  initial clk = 1'b0;
  always #50 clk = !clk;
  initial begin
    arst = 1'b1;
    #1020 arst = 1'b0;
  end

  logic phy_clk, frame_clk, user_clk, rx_clk, bad, coded, heard, corrected, uncorrectable;
  logic [63:0] sent, received, expected, line, turned;
  logic [2:0] state;
  logic [3:0] errors;
  integer cycles, right, fixed;

  // Every word follows from the one before.
  function automatic logic [63:0] follows(input logic [63:0] word);
    follows = {word[62:0], word[63] ^ word[62] ^ word[60] ^ word[59]} ^ {word[31:0], 32'd0};
  endfunction

  initial sent = 64'h9e3779b97f4a7c15;
  always @(posedge phy_clk) sent <= follows(sent);

  initial cycles = 0;
  always @(posedge clk) begin
    cycles <= cycles + 1;
    turned <= line ^ ((cycles % 37 == 0) ? 64'h0000010000000000 : 64'd0);
  end

  rifl_fec u_fec (
    .tx_clk_i       (clk),
    .rx_clk_i       (clk),
    .arst_i         (arst),
    .phy_tx_clk_o   (phy_clk),
    .frame_clk_o    (frame_clk),
    .user_clk_o     (user_clk),
    .phy_rx_clk_o   (rx_clk),
    .phy_tx_data_i  (sent),
    .phy_rx_data_o  (received),
    .phy_rx_bad_o   (bad),
    .line_tx_data_o (line),
    .line_rx_data_i (turned),
    .mode_i         (2'd1),
    .state_o        (state),
    .coded_o        (coded),
    .heard_o        (heard),
    .corrected_o    (corrected),
    .uncorrectable_o(uncorrectable),
    .errors_o       (errors)
  );

  // ---- From three codewords behind the one that is heard ----
  integer since;
  initial since = 0;
  always @(posedge clk) begin
    since <= (heard === 1'b1) ? since + 1 : 0;
    if (since > 0 && uncorrectable !== 1'b0) begin
      $display("FAIL: uncorrectable");
      $fatal;
    end
  end

  initial begin
    right = 0;
    fixed = 0;
  end
  always @(posedge clk) if (since > 120 && corrected === 1'b1) fixed <= fixed + 1;
  always @(posedge rx_clk) begin
    expected <= follows(received);
    if (since > 120) begin
      if (received !== expected || bad !== 1'b0 || state !== 3'd1) begin
        $display("FAIL: word %0d", right);
        $fatal;
      end
      right <= right + 1;
      if (right == Words) begin
        if (fixed < Words / 40) begin
          $display("FAIL: %0d codewords corrected", fixed);
          $fatal;
        end
        $display("PASS: %0d words, %0d codewords corrected", right, fixed);
        $finish;
      end
    end
  end

  initial begin
    #10000000 $display("FAIL: no end");
    $fatal;
  end

endmodule
