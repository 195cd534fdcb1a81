// SPDX-License-Identifier: Apache-2.0
//
// prim_smoke: the target sim of this core. Words through both FIFOs, with pauses at both ends and
// unrelated clocks at the dual-clock one, arrive once and in order; the arbiter is fair; the CRC of
// a known text.
//
// The modules have their default parameters. Written so that Icarus Verilog reads it, too.

module prim_smoke;

  localparam integer Words = 2000;

  logic s_clk, m_clk, s_rst, m_rst, arst;
  initial s_clk = 1'b0;
  initial m_clk = 1'b0;
  always #50 s_clk = !s_clk;
  always #37 m_clk = !m_clk;
  initial begin
    arst  = 1'b1;
    s_rst = 1'b1;
    m_rst = 1'b1;
    #2000 arst = 1'b0;
  end
  always @(posedge s_clk) s_rst <= arst;
  always @(posedge m_clk) m_rst <= arst;

  // ---- FIFOs: index 0 dual-clock, 1 with one clock ----
  logic async_s_valid, async_s_ready, async_m_valid, async_m_ready;
  logic sync_s_valid, sync_s_ready, sync_m_valid, sync_m_ready;
  logic [7:0] async_s_data, async_m_data, sync_s_data, sync_m_data;
  integer async_count, sync_count;

  prim_fifo_async u_async (
    .s_clk_i     (s_clk),
    .s_rst_i     (s_rst),
    .s_valid_i   (async_s_valid),
    .s_ready_o   (async_s_ready),
    .s_data_i    (async_s_data),
    .m_clk_i     (m_clk),
    .m_sync_clk_i(m_clk),
    .m_rst_i     (m_rst),
    .m_valid_o   (async_m_valid),
    .m_ready_i   (async_m_ready),
    .m_data_o    (async_m_data)
  );

  prim_fifo_sync u_sync (
    .clk_i    (s_clk),
    .rst_i    (s_rst),
    .s_valid_i(sync_s_valid),
    .s_ready_o(sync_s_ready),
    .s_data_i (sync_s_data),
    .m_valid_o(sync_m_valid),
    .m_ready_i(sync_m_ready),
    .m_data_o (sync_m_data),
    .level_o  ()
  );

  // A source holds its word until it is taken; word k is k modulo 251.
  always @(posedge s_clk) begin
    if (s_rst) begin
      async_s_valid <= 1'b0;
      sync_s_valid  <= 1'b0;
      async_s_data  <= 8'd0;
      sync_s_data   <= 8'd0;
    end else begin
      if (async_s_valid === 1'b0 || async_s_ready === 1'b1) async_s_valid <= $urandom % 3 != 0;
      if (sync_s_valid === 1'b0 || sync_s_ready === 1'b1) sync_s_valid <= $urandom % 3 != 0;
      if (async_s_valid && async_s_ready === 1'b1)
        async_s_data <= async_s_data == 8'd250 ? 8'd0 : async_s_data + 8'd1;
      if (sync_s_valid && sync_s_ready === 1'b1)
        sync_s_data <= sync_s_data == 8'd250 ? 8'd0 : sync_s_data + 8'd1;
    end
  end

  always @(posedge m_clk) begin
    async_m_ready <= $urandom % 3 != 0;
    if (m_rst) async_count <= 0;
    else if (async_m_valid !== 1'b0 && async_m_ready) begin
      if (async_m_valid !== 1'b1 || async_m_data !== 8'(async_count % 251))
        $fatal(1, "FAIL: dual-clock FIFO, word %0d is %h", async_count, async_m_data);
      async_count <= async_count + 1;
    end
  end

  always @(posedge s_clk) begin
    sync_m_ready <= $urandom % 3 != 0;
    if (s_rst) sync_count <= 0;
    else if (sync_m_valid !== 1'b0 && sync_m_ready) begin
      if (sync_m_valid !== 1'b1 || sync_m_data !== 8'(sync_count % 251))
        $fatal(1, "FAIL: FIFO, word %0d is %h", sync_count, sync_m_data);
      sync_count <= sync_count + 1;
    end
  end

  // ---- Arbiter: one grant, to one who asks, and nobody waits for more than the three others ----
  logic [3:0] req, gnt;
  logic   gnt_valid;
  integer wait_0;

  prim_arb_rr u_arb (
    .clk_i      (s_clk),
    .rst_i      (s_rst),
    .req_i      (req),
    .ack_i      (1'b1),
    .gnt_o      (gnt),
    .gnt_idx_o  (),
    .gnt_valid_o(gnt_valid)
  );

  always @(posedge s_clk) begin
    // Requester 0 stands until it is served.
    req    <= {3'($urandom), 1'b1};
    wait_0 <= s_rst || gnt[0] ? 0 : wait_0 + 1;
    if (s_rst) req <= 4'd0;
    else begin
      if (gnt_valid !== (req != 4'd0) || (gnt & ~req) !== 4'd0 || (gnt & (gnt - 4'd1)) !== 4'd0)
        $fatal(1, "FAIL: arbiter grants %b of %b", gnt, req);
      if (wait_0 > 3) $fatal(1, "FAIL: arbiter forgets requester 0");
    end
  end

  // ---- CRC-32 of "1234", most significant bit first, from all ones ----
  logic [31:0] crc;
  prim_crc u_crc (
    .crc_i (32'hffff_ffff),
    .data_i(32'h3132_3334),
    .crc_o (crc)
  );

  always @(posedge s_clk)
    if (async_count >= Words && sync_count >= Words) begin
      if (crc !== 32'ha695_c4aa) $fatal(1, "FAIL: CRC %h", crc);
      $display("PASS: %0d and %0d words", async_count, sync_count);
      $finish;
    end

  initial begin
    #2_000_000 $fatal(1, "FAIL: %0d and %0d words in all the time", async_count, sync_count);
  end

endmodule
