// SPDX-License-Identifier: Apache-2.0
//
// axi_write_rules: what the three write channels of AXI4 keep, as our managers use them.
//
// What      Each channel holds its payload. A burst is INCR, of full words, inside 4 KB. WLAST
//           stands in the beat that the length says. There is no response without a burst whose
//           address and last beat were taken.
// Contract  One identifier, so bursts and responses are in order; data do not run ahead of their
//           address. Bound to a port, or instantiated in a proof; see
//           prim_assert for when it checks.
// Clock     clk_i; rst_i synchronous to it.
// Limits    at most 127 bursts outstanding, and data of 127 ahead of their addresses
// Source    AMBA AXI and ACE protocol specification, A3.3 and A3.4.1.
//
// Parameters
//   AddrWidth    13..64
//   DataWidth    bits of a word, a power of two, 8..1024
//   Port         name, for the messages
//   AssumeRsp    in a proof: the environment is the subordinate

module axi_write_rules #(
  parameter int unsigned AddrWidth = 32,
  parameter int unsigned DataWidth = 64,
  parameter string       Port      = "axi",
  parameter bit          AssumeRsp = 1'b0
) (
  input logic                   clk_i,
  input logic                   rst_i,
  input logic [  AddrWidth-1:0] awaddr_i,
  input logic [            7:0] awlen_i,
  input logic [            2:0] awsize_i,
  input logic [            1:0] awburst_i,
  input logic                   awvalid_i,
  input logic                   awready_i,
  input logic [  DataWidth-1:0] wdata_i,
  input logic [DataWidth/8-1:0] wstrb_i,
  input logic                   wlast_i,
  input logic                   wvalid_i,
  input logic                   wready_i,
  input logic [            1:0] bresp_i,
  input logic                   bvalid_i,
  input logic                   bready_i
);

  localparam int unsigned Bytes = DataWidth / 8;

  handshake_rules #(
    .Width  (AddrWidth + 13),
    .Channel({Port, " AW"})
  ) u_aw (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (awvalid_i),
    .ready_i  (awready_i),
    .payload_i({awaddr_i, awlen_i, awsize_i, awburst_i})
  );
  handshake_rules #(
    .Width  (DataWidth + Bytes + 1),
    .Channel({Port, " W"})
  ) u_w (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (wvalid_i),
    .ready_i  (wready_i),
    .payload_i({wdata_i, wstrb_i, wlast_i})
  );
  handshake_rules #(
    .Width  (2),
    .Channel({Port, " B"}),
    .Assume (AssumeRsp)
  ) u_b (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (bvalid_i),
    .ready_i  (bready_i),
    .payload_i(bresp_i)
  );
  axi_burst_rules #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth),
    .Channel  ({Port, " AW"})
  ) u_burst (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(awvalid_i),
    .addr_i (awaddr_i),
    .len_i  (awlen_i),
    .size_i (awsize_i),
    .burst_i(awburst_i)
  );

  // Bursts by number: their lengths as the address says and as the data were.
  logic aw_move, w_move, b_move, last_good;
  logic [7:0] opened_q, closed_q, answered_q, beat_q, ahead, outstanding;
  logic [7:0] lengths_q[256];
  logic [7:0] beats_q  [256];
  assign aw_move = awvalid_i && awready_i;
  assign w_move  = wvalid_i && wready_i;
  assign b_move  = bvalid_i && bready_i;
  assign ahead   = closed_q - opened_q;  // negative: addresses are ahead of data

  always_comb begin
    last_good = 1'b1;
    if (ahead[7]) begin
      if (w_move) last_good = wlast_i == (beat_q == lengths_q[closed_q]);
    end else if (aw_move) begin
      if (ahead != '0) last_good = awlen_i == beats_q[opened_q];
      else if (w_move) last_good = wlast_i == (beat_q == awlen_i);
      else last_good = beat_q <= awlen_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (aw_move) lengths_q[opened_q] <= awlen_i;
    if (w_move && wlast_i) beats_q[closed_q] <= beat_q;
    if (rst_i) begin
      opened_q   <= '0;
      closed_q   <= '0;
      answered_q <= '0;
      beat_q     <= '0;
    end else begin
      opened_q   <= opened_q + 8'(aw_move);
      closed_q   <= closed_q + 8'(w_move && wlast_i);
      answered_q <= answered_q + 8'(b_move);
      if (w_move) beat_q <= wlast_i ? '0 : beat_q + 1'b1;
    end
  end

  prim_assert #(
    .Rule({Port, " W: wlast stands in the beat that awlen says"})
  ) u_last (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(last_good)
  );
  prim_assert #(
    .Rule  ({Port, " B: a response belongs to a burst that was sent whole"}),
    .Assume(AssumeRsp)
  ) u_response (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!bvalid_i || (answered_q != closed_q && answered_q != opened_q))
  );
  assign outstanding = opened_q - answered_q;
  prim_assert #(
    .Rule({Port, " AW: at most 127 bursts are outstanding"})
  ) u_outstanding (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!outstanding[7] && ahead != 8'h7f)
  );

endmodule
