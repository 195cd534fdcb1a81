// SPDX-License-Identifier: Apache-2.0
//
// axi_read_rules: what the two read channels of AXI4 keep, as our managers use them.
//
// What      Each channel holds its payload. A burst is INCR, of full words, inside 4 KB. There are
//           no data without a burst that waits for them, and RLAST stands in the beat that the
//           length says.
// Contract  One identifier, so bursts and data are in order. Bound to a port, or instantiated in a
//           proof; see prim_assert for when it checks.
// Clock     clk_i; rst_i synchronous to it.
// Limits    at most 2^8 - 1 bursts outstanding
// Source    AMBA AXI and ACE protocol specification, A3.3 and A3.4.1.
//
// Parameters
//   AddrWidth    13..64
//   DataWidth    bits of a word, a power of two, 8..1024
//   Port         name, for the messages
//   HasLast      0: the manager has no RLAST and counts
//   AssumeRsp    in a proof: the environment is the subordinate

module axi_read_rules #(
  parameter int unsigned AddrWidth = 32,
  parameter int unsigned DataWidth = 64,
  parameter string       Port      = "axi",
  parameter bit          HasLast   = 1'b1,
  parameter bit          AssumeRsp = 1'b0
) (
  input logic                 clk_i,
  input logic                 rst_i,
  input logic [AddrWidth-1:0] araddr_i,
  input logic [          7:0] arlen_i,
  input logic [          2:0] arsize_i,
  input logic [          1:0] arburst_i,
  input logic                 arvalid_i,
  input logic                 arready_i,
  input logic [DataWidth-1:0] rdata_i,
  input logic [          1:0] rresp_i,
  input logic                 rlast_i,
  input logic                 rvalid_i,
  input logic                 rready_i
);

  handshake_rules #(
    .Width  (AddrWidth + 13),
    .Channel({Port, " AR"})
  ) u_ar (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (arvalid_i),
    .ready_i  (arready_i),
    .payload_i({araddr_i, arlen_i, arsize_i, arburst_i})
  );
  handshake_rules #(
    .Width  (DataWidth + 3),
    .Channel({Port, " R"}),
    .Assume (AssumeRsp)
  ) u_r (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (rvalid_i),
    .ready_i  (rready_i),
    .payload_i({rdata_i, rresp_i, rlast_i})
  );
  axi_burst_rules #(
    .AddrWidth(AddrWidth),
    .DataWidth(DataWidth),
    .Channel  ({Port, " AR"})
  ) u_burst (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(arvalid_i),
    .addr_i (araddr_i),
    .len_i  (arlen_i),
    .size_i (arsize_i),
    .burst_i(arburst_i)
  );

  // Lengths of the bursts whose last beat is still to come, oldest first.
  logic ar_move, r_move, last;
  logic [7:0] opened_q, closed_q, beat_q;
  logic [7:0] lengths_q[256];
  assign last = beat_q == lengths_q[closed_q];
  assign ar_move = arvalid_i && arready_i;
  assign r_move = rvalid_i && rready_i;

  always_ff @(posedge clk_i) begin
    if (ar_move) lengths_q[opened_q] <= arlen_i;
    if (rst_i) begin
      opened_q <= '0;
      closed_q <= '0;
      beat_q   <= '0;
    end else begin
      opened_q <= opened_q + 8'(ar_move);
      closed_q <= closed_q + 8'(r_move && last);
      if (r_move) beat_q <= last ? '0 : beat_q + 1'b1;
    end
  end

  prim_assert #(
    .Rule  ({Port, " R: data belong to a burst whose address was taken"}),
    .Assume(AssumeRsp)
  ) u_order (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!rvalid_i || opened_q != closed_q)
  );
  prim_assert #(
    .Rule  ({Port, " R: rlast stands in the beat that arlen says"}),
    .Assume(AssumeRsp)
  ) u_last (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!rvalid_i || opened_q == closed_q || !HasLast || rlast_i == last)
  );
  prim_assert #(
    .Rule({Port, " AR: fewer than 256 bursts are outstanding"})
  ) u_outstanding (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!ar_move || opened_q - closed_q != 8'hff)
  );

endmodule
