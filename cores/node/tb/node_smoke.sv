// SPDX-License-Identifier: Apache-2.0
//
// node_smoke: the target sim of this core. Two ports back to back, one of which sees link-up later
// than the other one: packets of an engine in both directions, with pauses of the receivers, arrive
// whole, once and in order.
//
// The modules have their default parameters. Written so that Icarus Verilog reads it, too.

module node_smoke;

  localparam integer Packets = 60;

  logic clk, rst;
  logic [1:0] link_up;
  initial begin
    clk = 1'b0;
    rst = 1'b1;
    link_up = 2'b00;
    #2000 rst = 1'b0;
    #3000 link_up = 2'b01;
    #5000 link_up = 2'b11;
  end
  always #50 clk = !clk;

  logic [1023:0] line_tdata;
  logic [ 127:0] line_tkeep;
  logic [1:0] line_tlast, line_tvalid;
  integer done[2];

  for (genvar e = 0; e < 2; e++) begin : gen_end
    logic [511:0] s_tdata, m_tdata, tx_tdata;
    logic [63:0] tx_tkeep;
    logic [ 3:0] room;
    logic [ 1:0] state;
    logic s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready, tx_tlast, tx_tvalid;

    node_port u_port (
      .clk_i         (clk),
      .rst_i         (rst),
      .link_up_i     (link_up[e]),
      .s_axis_tdata  (s_tdata),
      .s_axis_tlast  (s_tlast),
      .s_axis_tvalid (s_tvalid),
      .s_axis_tready (s_tready),
      .room_o        (room),
      .m_axis_tdata  (m_tdata),
      .m_axis_tlast  (m_tlast),
      .m_axis_tvalid (m_tvalid),
      .m_axis_tready (m_tready),
      .tx_axis_tdata (tx_tdata),
      .tx_axis_tkeep (tx_tkeep),
      .tx_axis_tlast (tx_tlast),
      .tx_axis_tvalid(tx_tvalid),
      .tx_axis_tready(1'b1),
      .rx_axis_tdata (line_tdata[512*(1-e)+:512]),
      .rx_axis_tkeep (line_tkeep[64*(1-e)+:64]),
      .rx_axis_tlast (line_tlast[1-e]),
      .rx_axis_tuser (1'b0),
      .rx_axis_tvalid(line_tvalid[1-e]),
      .rx_axis_tready(),
      .state_o       (state),
      .event_o       (),
      .notice_valid_o(),
      .notice_o      ()
    );
    assign line_tdata[512*e+:512] = tx_tdata;
    assign line_tkeep[64*e+:64] = tx_tkeep;
    assign line_tlast[e] = tx_tlast;
    assign line_tvalid[e] = tx_tvalid;

    // ---- Messages: number n has 1 + 37 n modulo 1024 bytes, and so many words with header and
    // footer; byte k of word w is n + 7 w + k ----
    integer tx_number, tx_at, tx_words, k;
    always_comb begin
      tx_words = 3 + (37 * tx_number % 1024) / 64;
      s_tlast  = tx_at == tx_words - 1;
      for (k = 0; k < 64; k = k + 1) s_tdata[8*k+:8] = 8'(tx_number + 7 * tx_at + k);
      if (tx_at == 0) begin
        s_tdata[63:0] = {16'(1 - e), 48'd0};
        s_tdata[127:64] = {5'd17, 11'(1 + 37 * tx_number % 1024), 16'(e), 16'd0, 12'd5, 4'd1};
        s_tdata[191:128] = {53'd0, 11'(1 + 37 * tx_number % 1024)};
      end
      if (s_tlast) s_tdata[127:0] = 128'd0;
    end

    always @(posedge clk) begin
      if (rst) begin
        tx_number <= 0;
        tx_at     <= 0;
        s_tvalid  <= 1'b0;
      end else if (!s_tvalid) begin
        // A packet begins where there is room for its class.
        s_tvalid <= tx_at != 0 || (tx_number < Packets && state == 2'd2 && room[1]);
      end else if (s_tready) begin
        tx_at    <= s_tlast ? 0 : tx_at + 1;
        s_tvalid <= !s_tlast;
        if (s_tlast) tx_number <= tx_number + 1;
      end
    end

    // ---- What arrives: all but the network's header in the first word ----
    integer number, at, words, c;
    logic wrong;
    always @(posedge clk) begin
      if (rst) begin
        number = 0;
        at     = 0;
        wrong  = 1'b0;
        m_tready <= 1'b0;
        done[e] = 0;
      end else begin
        m_tready <= $urandom % 4 != 0;
        if (m_tvalid !== 1'b0 && m_tready) begin
          words = 3 + (37 * number % 1024) / 64;
          for (c = 24; c < (at == 0 ? 48 : 64); c = c + 1) begin
            wrong = wrong || m_tdata[8*c+:8] !== 8'(number + 7 * at + c);
          end
          wrong = wrong || m_tlast !== (at == words - 1);
          if (wrong) $fatal(1, "FAIL: end %0d, packet %0d, word %0d", e, number, at);
          at = at + 1;
          if (m_tlast !== 1'b0) begin
            number  = number + 1;
            at      = 0;
            done[e] = number;
          end
        end
      end
    end
  end

  always @(posedge clk)
    if (!rst && done[0] == Packets && done[1] == Packets) begin
      $display("PASS: %0d packets each way", Packets);
      $finish;
    end

  initial #4_000_000 $fatal(1, "FAIL: %0d and %0d packets, link %b", done[0], done[1], link_up);

endmodule
