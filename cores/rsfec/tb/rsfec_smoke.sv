// SPDX-License-Identifier: Apache-2.0
//
// rsfec_smoke: the target sim of this core. Codewords through encoder and decoder; in the first
// codeword of every group 0 to 9 symbols are wrong: up to 7 are corrected, more are marked, nothing
// else is.
//
// The modules have their default parameters. Written so that Icarus Verilog reads it, too.

module rsfec_smoke #(
  parameter integer Groups = 20
);

  localparam integer Bits = 320;
  localparam integer Period = 33;  // words of two codewords
  localparam integer T = 7;
  localparam integer First = 5;  // wrong symbols in the first group

  logic clk, rst;
  initial clk = 1'b0;
  always #50 clk = !clk;
  initial begin
    rst = 1'b1;
    #1020 rst = 1'b0;
  end

  // ---- Sender: any words, now and then none ----
  logic [Bits-1:0] random;
  logic valid, first;
  integer words;
  always @(posedge clk) begin
    if (rst) begin
      random <= {10{32'h9e3779b9}};
      valid  <= 1'b0;
      words  <= 0;
    end else begin
      random <= {random[Bits-2:0], random[319] ^ random[318] ^ random[292] ^ random[291]};
      valid  <= random[7:4] != 4'd0;
      if (valid) words <= words + 1;
    end
  end
  assign first = words % Period == 0;

  logic coded_valid, coded_first;
  logic [Bits-1:0] coded;
  rsfec_encoder u_encoder (
    .clk_i  (clk),
    .rst_i  (rst),
    .valid_i(valid),
    .first_i(first),
    .data_i (random),
    .valid_o(coded_valid),
    .first_o(coded_first),
    .data_o (coded)
  );

  // ---- Line: symbol 5 of the first words of a group is wrong ----
  integer coded_words;
  logic [Bits-1:0] noise, arrived;
  logic [Bits-1:0] kept[64];
  logic [Bits-1:0] kept_noise[64];
  always @(posedge clk) begin
    if (rst) coded_words <= 0;
    else if (coded_valid) begin
      kept[coded_words%64] <= coded;
      kept_noise[coded_words%64] <= noise;
      coded_words <= coded_words + 1;
    end
  end
  always_comb begin
    noise = 320'd0;
    if (coded_words % Period < (coded_words / Period + First) % 10) noise[59:50] = 10'h2a5;
  end
  assign arrived = coded ^ noise;

  logic out_valid, out_first, corrected, uncorrectable;
  logic [Bits-1:0] out;
  logic [1:0] bad;
  logic [15:0] errors;
  logic [3:0] weight;
  rsfec_decoder u_decoder (
    .clk_i          (clk),
    .rst_i          (rst),
    .mode_i         (2'd0),
    .valid_i        (coded_valid),
    .first_i        (coded_first),
    .data_i         (arrived),
    .valid_o        (out_valid),
    .first_o        (out_first),
    .data_o         (out),
    .bad_o          (bad),
    .corrected_o    (corrected),
    .uncorrectable_o(uncorrectable),
    .errors_o       (errors),
    .weight_o       (weight)
  );

  // ---- What has to come ----
  integer place, wrong, outs;
  logic [Bits-1:0] wanted;
  logic [1:0] wanted_bad;
  logic [15:0] wanted_errors;
  always_comb begin
    place = outs % Period;
    wrong = (outs / Period + First) % 10;
    wanted = kept[outs%64];
    wanted_bad = 2'b00;
    wanted_errors = 16'd0;
    if (wrong > T) begin
      wanted = wanted ^ kept_noise[outs%64];
      if (place <= 15) wanted_bad = 2'b11;
      if (place == 16) wanted_bad = 2'b01;
    end else if (place < wrong) begin
      wanted_errors[7:4] = 4'd1;
    end
  end

  always @(posedge clk) begin
    if (rst) outs <= 0;
    else if (out_valid) begin
      outs <= outs + 1;
      if (out !== wanted || bad !== wanted_bad || errors !== wanted_errors ||
          out_first !== (place == 0) ||
          corrected !== (place == 0 && wrong > 0 && wrong <= T) ||
          uncorrectable !== (place == 0 && wrong > T)) begin
        $display("FAIL: word %0d", outs);
        $fatal;
      end
      if (outs == Groups * Period) begin
        $display("PASS: %0d codewords", 2 * Groups);
        $finish;
      end
    end
  end

  initial begin
    #20000000 $display("FAIL: no end");
    $fatal;
  end

endmodule
