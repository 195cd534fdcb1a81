// SPDX-License-Identifier: Apache-2.0
//
// line_8b10b_dec: one step of an 8b/10b decoder, Symbols characters at once.
//
// What      Turns symbols of ten bits back into bytes and control characters, and says which of
//           them are impossible. Purely combinational; the caller owns the register of the running
//           disparity.
// Why       The code's redundancy is the first check of a line: a flipped bit gives an impossible
//           symbol, or spoils the disparity, which shows at one of the next symbols that is not
//           balanced.
//
// Contract  Order of characters and bits as in line_8b10b_enc. Exact: of the 1024 words and two
//             disparities, code_error_o = 0, disparity_error_o = 0: the word is sent for this
//             character at this disparity disparity_error_o = 1: it is sent for this character at
//             the other disparity only code_error_o = 1: it is sent at neither. The character reads
//             as K30.7 (8'hfe, k_o = 1), so that it is never taken for one that begins or ends a
//             packet.
//           rd_o follows the received bits by the standard's rule, errors or not: the last block
//           that is not neutral decides. So a wrong start is found out by the first such block, at
//           most with one disparity error.
//
// Parameters  Symbols  characters in a step, >= 1
// Latency   none (combinational): two tables; the disparity is a chain of one multiplexer a symbol.
// Limits    A flipped bit is not always seen at its own symbol: some errors turn a symbol into
//           another legal one, and only the disparity tells, some symbols later; two of them may
//           hide each other. A CRC has to follow.
// Source    line_8b10b_pkg; IEEE Std 802.3, 36.2.4.4 for the disparity.

module line_8b10b_dec #(
  parameter int unsigned Symbols = 2
) (
  input  logic                  rd_i,
  input  logic [10*Symbols-1:0] data_i,
  output logic [ 8*Symbols-1:0] data_o,
  output logic [   Symbols-1:0] k_o,
  output logic [   Symbols-1:0] code_error_o,
  output logic [   Symbols-1:0] disparity_error_o,
  output logic                  rd_o
);

  import line_8b10b_pkg::*;

  if (Symbols < 1) begin : gen_bad_symbols
    $error("line_8b10b_dec %m: Symbols must be at least 1, got %0d", Symbols);
  end

  localparam logic [7:0] Damaged = 8'hfe;

  logic [Symbols-1:0] rd;  // in front of each symbol

  logic [Symbols-1:0] known, knows;  // symbols behind which it is known, and what it is

  always_comb begin
    logic running;
    running = rd_i;
    for (int s = 0; s < int'(Symbols); s++) begin
      rd[s]   = running;
      running = known[s] ? knows[s] : running;
    end
    rd_o = running;
  end

  for (genvar s = 0; s < Symbols; s++) begin : gen_symbol
    logic [5:0] block6, plain6;
    logic [3:0] block4, plain4;
    logic [4:0] x;
    logic [2:0] y;
    // Blocks that stand at negative disparity only (minus), at positive only (plus).
    logic minus6, plus6, minus4, plus4;
    logic light6, light4;
    // Blocks that tell the disparity behind them, and what it is.
    logic known6, known4, knows6;
    logic k28, seven, k, bad;

    assign {block4, block6} = data_i[10*s+:10];

    assign minus6 = positive6(block6);
    assign plus6 = positive6(~block6);
    assign minus4 = positive4(block4);
    assign plus4 = positive4(~block4);
    assign light6 = heavy6(~block6);
    assign light4 = heavy4(~block4);
    assign known6 = minus6 || plus6;
    assign known4 = minus4 || plus4;
    assign knows6 = heavy6(block6) || (plus6 && !light6);
    assign known[s] = known6 || known4;
    assign knows[s] = known4 ? heavy4(block4) || (plus4 && !light4) : knows6;

    // The tables, read backwards in the form of negative disparity.
    assign plain6 = block6 ^ {6{plus6}};
    assign k28 = plain6 == six(5'd28, 1'b1);
    // K28.y is K28.y of the other disparity, inverted: all its four bits, neutral blocks too.
    assign plain4 = block4 ^ {4{k28 ? minus6 : plus4}};

    always_comb begin
      x = '0;
      for (int i = 0; i < 32; i++) if (plain6 == six(5'(i), 1'b0)) x |= 5'(i);
      if (k28) x |= 5'd28;
      y = '0;
      for (int i = 0; i < 8; i++) if (plain4 == four(3'(i), k28)) y |= 3'(i);
      if (seven) y = 3'd7;
    end

    // The other form of D.x.7 and K.x.7: of data only for three x at each disparity, else it is a
    // control character; and where it belongs the usual form is wrong.
    logic other, other_data, other_control, wrong7;
    assign other = block4 == four(3'd7, 1'b1) || block4 == ~four(3'd7, 1'b1);
    assign seven = other || block4 == four(3'd7, 1'b0) || block4 == ~four(3'd7, 1'b0);
    assign other_data = minus4 ? (x == 5'd17 || x == 5'd18 || x == 5'd20)
                               : (x == 5'd11 || x == 5'd13 || x == 5'd14);
    assign other_control = k28 || x == 5'd23 || x == 5'd27 || x == 5'd29 || x == 5'd30;
    assign wrong7 = other ? !(other_data || other_control) : seven && (other_data || k28);

    // No such block; blocks that contradict each other; the wrong form of x.7.
    assign bad = !legal6(
        block6
    ) || !legal4(
        block4
    ) || (known6 && (knows6 ? minus4 : plus4)) || wrong7;
    assign k = k28 || (other && other_control);

    assign code_error_o[s] = bad;
    assign disparity_error_o[s] = !bad && (known6 ? minus6 == rd[s] : known4 && minus4 == rd[s]);
    assign data_o[8*s+:8] = bad ? Damaged : {y, x};
    assign k_o[s] = bad || k;
  end

endmodule
