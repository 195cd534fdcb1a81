// SPDX-License-Identifier: Apache-2.0
//
// pcs_smoke: the target sim of this core. Frames through the transmitter; its lanes, cut into
// blocks here, through the parts of the receiver that make words of CGMII of them.
//
// The modules have their default parameters, whose markers are too far apart for a bring-up.
// Written so that Icarus Verilog reads it, too.

module pcs_smoke #(
  parameter integer Words = 400
);

  localparam integer Blocks = 8;
  localparam integer Lanes = 20;

  logic clk, rst;
  initial clk = 1'b0;
  always #50 clk = !clk;
  initial begin
    rst = 1'b1;
    #1020 rst = 1'b0;
  end

  // ---- Sender: a frame in each word, every fourth one is idle ----
  logic [511:0] tx_data, random;
  logic [63:0] tx_ctrl;
  logic tx_ready;
  integer sent;
  always @(posedge clk) begin
    if (rst) begin
      sent   <= 0;
      random <= {16{32'h9e3779b9}};
    end else if (tx_ready) begin
      sent   <= sent + 1;
      random <= {random[510:0], random[511] ^ random[509] ^ random[506] ^ random[503]};
    end
  end
  always_comb begin
    tx_data = random;
    tx_data[7:0] = 8'hfb;
    tx_data[511:448] = 64'h0707070707fd0000 | {48'd0, random[463:448]};
    tx_ctrl = {8'hfc, 48'd0, 8'h01};
    if (sent % 4 == 3) begin
      tx_data = {64{8'h07}};
      tx_ctrl = {64{1'b1}};
    end
  end

  logic [575:0] kept[64];
  always @(posedge clk) if (!rst && tx_ready) kept[sent%64] <= slots(tx_data, tx_ctrl);

  // As the receiver has them: the control bits of a slot above its characters.
  function automatic [575:0] slots(input logic [511:0] data, input logic [63:0] ctrl);
    integer b;
    for (b = 0; b < Blocks; b = b + 1) begin
      slots[72*b+:72] = {ctrl[8*b+:8], data[64*b+:64]};
    end
  endfunction

  logic [16*Lanes-1:0] lanes;
  pcs_tx u_tx (
    .clk_i        (clk),
    .rst_i        (rst),
    .cgmii_ready_o(tx_ready),
    .cgmii_data_i (tx_data),
    .cgmii_ctrl_i (tx_ctrl),
    .lanes_o      (lanes)
  );

  // ---- Lanes to rows: all of them are in step, and begin with markers ----
  logic [66*Lanes-1:0] row;
  logic row_valid, begun;
  logic [81:0] bits[Lanes];
  integer count, l;
  always @(posedge clk) begin
    row_valid <= 1'b0;
    if (rst) begin
      begun <= 1'b0;
      count <= 0;
      for (l = 0; l < Lanes; l = l + 1) bits[l] <= 82'd0;
    end else if (begun || lanes != 320'd0) begin
      begun <= 1'b1;
      for (l = 0; l < Lanes; l = l + 1) begin
        bits[l] <= {lanes[16*l+:16], bits[l][81:16]};
        row[66*l+:66] <= 66'({lanes[16*l+:16], bits[l]} >> (32 - (count + 16 - 66)));
      end
      count <= (count + 16 >= 66) ? count + 16 - 66 : count + 16;
      row_valid <= count + 16 >= 66;
    end
  end

  logic [5*Lanes-1:0] same;
  always_comb for (int i = 0; i < Lanes; i++) same[5*i+:5] = 5'(i);

  logic word_valid, data_row;
  logic [66*Blocks-1:0] word;
  assign data_row = row_valid && row[25:0] != {24'h2168c1, 2'b01};
  pcs_words u_words (
    .clk_i   (clk),
    .rst_i   (rst),
    .valid_i (data_row),
    .row_i   (row),
    .source_i(same),
    .valid_o (word_valid),
    .block_o (word)
  );

  logic rx_valid, rx_error;
  logic [575:0] rx_slot;
  pcs_receive u_receive (
    .clk_i  (clk),
    .rst_i  (rst),
    .up_i   (1'b1),
    .valid_i(word_valid),
    .block_i(word),
    .valid_o(rx_valid),
    .slot_o (rx_slot),
    .error_o(rx_error)
  );

  // ---- What has to come: the first word fills the descrambler ----
  integer got;
  always @(posedge clk) begin
    if (rst) got <= 1;
    else if (rx_valid) begin
      got <= got + 1;
      if (rx_slot !== kept[got%64] || rx_error !== 1'b0) begin
        $display("FAIL: word %0d", got);
        $fatal;
      end
      if (got == Words) begin
        $display("PASS: %0d words", Words);
        $finish;
      end
    end
  end

  initial begin
    #2000000 $display("FAIL: no end");
    $fatal;
  end

endmodule
