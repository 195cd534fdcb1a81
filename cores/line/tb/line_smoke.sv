// SPDX-License-Identifier: Apache-2.0
//
// line_smoke: the target sim of this core. Random words through scrambler and descrambler, through
// the 8b/10b code and through the lanes of stripe and unstripe come back; a wrong bit in a symbol
// shows within a few words, or as another byte.
//
// The modules have their default parameters. Written so that Icarus Verilog reads it, too.

module line_smoke;

  localparam integer Words = 5000;

  logic clk, rst;
  initial clk = 1'b0;
  always #50 clk = !clk;
  initial begin
    rst = 1'b1;
    #1020 rst = 1'b0;
  end
  integer count;
  always @(posedge clk) count <= rst ? 0 : count + 1;

  // ---- Scrambler: the descrambler is right from its second word on ----
  logic [63:0] data, line, back, line_q, data_q;
  logic [32:0] tx_state, tx_state_q, rx_state, rx_state_q;

  line_scrambler u_scrambler (
    .state_i(tx_state_q),
    .data_i (data),
    .data_o (line),
    .state_o(tx_state)
  );
  line_descrambler u_descrambler (
    .state_i(rx_state_q),
    .data_i (line_q),
    .data_o (back),
    .state_o(rx_state)
  );

  always @(posedge clk) begin
    data       <= {$urandom, $urandom};
    tx_state_q <= rst ? 33'h1_5a5a_5a5a : tx_state;
    rx_state_q <= rx_state;
    line_q     <= line;
    data_q     <= data;
    if (!rst && count > 3 && back !== data_q) $fatal(1, "FAIL: descrambled %h of %h", back, data_q);
  end

  // ---- 8b/10b: two characters a word; a bit is flipped in every 64th word ----
  logic [15:0] octets, decoded, octets_q;
  logic [1:0] k, decoded_k, k_q, code_error, disparity_error;
  logic [19:0] symbols, symbols_q;
  logic tx_rd, tx_rd_q, rx_rd, rx_rd_q;
  logic   wrong;
  integer since;

  line_8b10b_enc u_enc (
    .rd_i  (tx_rd_q),
    .data_i({k[1] ? 8'hbc : octets[15:8], octets[7:0]}),
    .k_i   (k),
    .data_o(symbols),
    .rd_o  (tx_rd)
  );
  line_8b10b_dec u_dec (
    .rd_i             (rx_rd_q),
    .data_i           (symbols_q),
    .data_o           (decoded),
    .k_o              (decoded_k),
    .code_error_o     (code_error),
    .disparity_error_o(disparity_error),
    .rd_o             (rx_rd)
  );

  always @(posedge clk) begin
    // The second character is K28.5 now and then, otherwise data.
    k         <= {$urandom % 8 == 0, 1'b0};
    octets    <= 16'($urandom);
    tx_rd_q   <= rst ? 1'b0 : tx_rd;
    rx_rd_q   <= rst ? 1'b0 : rx_rd;
    symbols_q <= symbols ^ (count % 64 == 63 ? 20'd1 << $urandom % 20 : 20'd0);
    octets_q  <= octets;
    k_q       <= k;
    if (k[1]) octets_q[15:8] <= 8'hbc;
    // At count + 1 the damaged word is decoded; the code finds it by the disparity of what follows
    // at the latest.
    if (rst || count < 4) begin
      wrong <= 1'b0;
      since <= 0;
    end else if (count % 64 == 0) begin
      since <= 1;
      wrong <= decoded !== octets_q || decoded_k !== k_q || code_error != 0 || disparity_error != 0;
    end else begin
      since <= since == 0 ? 0 : since + 1;
      if (code_error != 0 || disparity_error != 0) wrong <= 1'b1;
      if (since > 20 && (code_error !== 2'd0 || disparity_error !== 2'd0))
        $fatal(1, "FAIL: 8b/10b errors without a wrong bit");
      if (since == 20 && !wrong) $fatal(1, "FAIL: 8b/10b does not see a wrong bit");
      if (decoded !== octets_q || decoded_k !== k_q)
        $fatal(1, "FAIL: 8b/10b gives %h of %h", decoded, octets_q);
    end
  end

  // ---- Four lanes ----
  logic stripe_ready, unstripe_valid;
  logic [71:0] beat, lanes, unstriped;
  logic [79:0] entries, collected;
  logic [71:0] beat_q;

  line_stripe u_stripe (
    .clk_i     (clk),
    .rst_i     (rst),
    .size_i    (2'd2),
    .s_valid_i (1'b1),
    .s_ready_o (stripe_ready),
    .s_pieces_i(2'd0),
    .s_data_i  (beat),
    .m_ready_i (1'b1),
    .m_data_o  (lanes)
  );
  line_unstripe u_unstripe (
    .clk_i     (clk),
    .rst_i     (rst),
    .size_i    (2'd2),
    .s_valid_i (1'b1),
    .s_first_i (1'b1),
    .s_last_i  (1'b1),
    .s_data_i  (entries),
    .m_valid_o (unstripe_valid),
    .m_pieces_o(),
    .m_data_o  (collected)
  );
  for (genvar i = 0; i < 8; i++) begin : gen_entry
    assign entries[10*i+:10] = {1'b0, lanes[9*i+:9]};
    assign unstriped[9*i+:9] = collected[10*i+:9];
  end

  always @(posedge clk) begin
    beat   <= {$urandom, $urandom, 8'($urandom)};
    beat_q <= beat;
    if (!rst && count > 3 && {stripe_ready, unstripe_valid, unstriped} !== {2'b11, beat_q})
      $fatal(1, "FAIL: unstriped %h of %h", unstriped, beat_q);
  end

  always @(posedge clk)
    if (!rst && count == Words) begin
      $display("PASS: %0d words", count);
      $finish;
    end

endmodule
