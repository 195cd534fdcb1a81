// SPDX-License-Identifier: Apache-2.0
//
// pcs_fec_counters: counts what pcs_fec reports, one map of addresses.
//
// Contract  corrected_i to block_error_i: the reports of pcs_fec_rx. Reads and clear_i as in
//           prim_counter_bank. Addresses: 0 codewords corrected, 1 uncorrectable, 2 words with
//           replaced blocks, 4 + l symbols corrected of FEC lane l, 8 + l wrong parities of PCS
//           lane l.
// Parameters
//   Width  bits of a counter
// Latency   that of prim_counter_bank
// Source    IEEE Std 802.3 clause 91.6 (what has to be counted)

module pcs_fec_counters
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter  int unsigned Width     = 64,
  localparam int unsigned Count     = 8 + Lanes,
  localparam int unsigned AddrWidth = $clog2(Count)
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      clear_i,
  input  logic                      corrected_i,
  input  logic                      uncorrectable_i,
  input  logic [ FecLanes-1:0][3:0] errors_i,
  input  logic [    Lanes-1:0]      parity_error_i,
  input  logic                      block_error_i,
  input  logic                      rd_req_i,
  input  logic [AddrWidth-1:0]      rd_addr_i,
  output logic                      rd_ack_o,
  output logic [    Width-1:0]      rd_data_o
);

  // Address 3 is not used.
  localparam logic [Count-1:0][7:0] IncWidths = {{Lanes{8'd1}}, {FecLanes{8'd4}}, 8'd0, {3{8'd1}}};

  logic [Count-1:0][3:0] inc;

  always_comb begin
    inc = '0;
    inc[0][0] = corrected_i;
    inc[1][0] = uncorrectable_i;
    inc[2][0] = block_error_i;
    for (int l = 0; l < int'(FecLanes); l++) inc[4+l] = errors_i[l];
    for (int l = 0; l < int'(Lanes); l++) inc[8+l][0] = parity_error_i[l];
  end

  prim_counter_bank #(
    .Count    (Count),
    .Width    (Width),
    .IncWidth (4),
    .IncWidths(IncWidths)
  ) u_bank (
    .clk_i,
    .rst_i,
    .clear_i,
    .inc_i(inc),
    .rd_req_i,
    .rd_addr_i,
    .rd_ack_o,
    .rd_data_o
  );

endmodule
