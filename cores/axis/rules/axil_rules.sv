// SPDX-License-Identifier: Apache-2.0
//
// axil_rules: what the five channels of AXI4-Lite keep.
//
// What      Each channel holds its payload. There is no write response without an address and data
//           that were taken before it, and no read data without an address.
// Contract  Bound to a port, or instantiated in a proof; see prim_assert for when it checks.
// Clock     clk_i; rst_i synchronous to it.
// Limits    at most 2^8 - 1 accesses of a kind outstanding
// Source    AMBA AXI and ACE protocol specification, A3.3 and B1.1.
//
// Parameters
//   AddrWidth   >= 1
//   Port        name, for the messages
//   AssumeReq   in a proof: the environment is the manager

module axil_rules #(
  parameter int unsigned AddrWidth = 12,
  parameter string       Port      = "axil",
  parameter bit          AssumeReq = 1'b0
) (
  input logic                 clk_i,
  input logic                 rst_i,
  input logic [AddrWidth-1:0] awaddr_i,
  input logic                 awvalid_i,
  input logic                 awready_i,
  input logic [         31:0] wdata_i,
  input logic [          3:0] wstrb_i,
  input logic                 wvalid_i,
  input logic                 wready_i,
  input logic [          1:0] bresp_i,
  input logic                 bvalid_i,
  input logic                 bready_i,
  input logic [AddrWidth-1:0] araddr_i,
  input logic                 arvalid_i,
  input logic                 arready_i,
  input logic [         31:0] rdata_i,
  input logic [          1:0] rresp_i,
  input logic                 rvalid_i,
  input logic                 rready_i
);

  handshake_rules #(
    .Width  (AddrWidth),
    .Channel({Port, " AW"}),
    .Assume (AssumeReq)
  ) u_aw (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (awvalid_i),
    .ready_i  (awready_i),
    .payload_i(awaddr_i)
  );
  handshake_rules #(
    .Width  (36),
    .Channel({Port, " W"}),
    .Assume (AssumeReq)
  ) u_w (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (wvalid_i),
    .ready_i  (wready_i),
    .payload_i({wdata_i, wstrb_i})
  );
  handshake_rules #(
    .Width  (2),
    .Channel({Port, " B"})
  ) u_b (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (bvalid_i),
    .ready_i  (bready_i),
    .payload_i(bresp_i)
  );
  handshake_rules #(
    .Width  (AddrWidth),
    .Channel({Port, " AR"}),
    .Assume (AssumeReq)
  ) u_ar (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (arvalid_i),
    .ready_i  (arready_i),
    .payload_i(araddr_i)
  );
  handshake_rules #(
    .Width  (34),
    .Channel({Port, " R"})
  ) u_r (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .valid_i  (rvalid_i),
    .ready_i  (rready_i),
    .payload_i({rdata_i, rresp_i})
  );

  // Accesses taken and answered, modulo 256.
  logic [7:0] aw_q, w_q, b_q, ar_q, r_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      aw_q <= '0;
      w_q  <= '0;
      b_q  <= '0;
      ar_q <= '0;
      r_q  <= '0;
    end else begin
      aw_q <= aw_q + 8'(awvalid_i && awready_i);
      w_q  <= w_q + 8'(wvalid_i && wready_i);
      b_q  <= b_q + 8'(bvalid_i && bready_i);
      ar_q <= ar_q + 8'(arvalid_i && arready_i);
      r_q  <= r_q + 8'(rvalid_i && rready_i);
    end
  end

  prim_assert #(
    .Rule({Port, " B: a response belongs to an address and to data that were taken"})
  ) u_response (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!bvalid_i || (aw_q != b_q && w_q != b_q))
  );
  prim_assert #(
    .Rule({Port, " R: data belong to an address that was taken"})
  ) u_data (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .holds_i(!rvalid_i || ar_q != r_q)
  );

endmodule
