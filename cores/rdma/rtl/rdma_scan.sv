// SPDX-License-Identifier: Apache-2.0
//
// rdma_scan: the round of the handler over all TIDs and reads of this node.
//
// What      Says which TID is looked at next; behind every 16 TIDs one read, which may take its
//           time.
// Contract  The next one is read transfer_o if reads_o, else TID tid_o, until it is done: step_i.
//           wait_i = 1: it has to be looked at once more, in a full turn; waits_o until then.
//           check_i = 1: a TID is being checked; with skip_i it is to be sent again, but waits as
//           another one does (again_i). While passed_o, nothing else is to be sent again; the scan
//           goes back there as soon as none waits. step_i, wait_i of a TID come with check_i.
// Latency   0
// Source    own design

module rdma_scan
  import rdma_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_i,
  input  logic      step_i,
  input  logic      wait_i,
  output logic      waits_o,
  output logic      reads_o,
  output transfer_t transfer_o,
  output tid_t      tid_o,
  input  logic      check_i,
  input  logic      skip_i,
  input  logic      again_i,
  output logic      passed_o
);

  logic [3:0] turn_q;
  logic [9:0] read_q;  // {page, channel}
  tid_t passed_tid_q;
  assign transfer_o = {read_q[9:6], 1'b0, read_q[5:0]};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      reads_o  <= 1'b0;
      read_q   <= '0;
      tid_o    <= '0;
      turn_q   <= '0;
      waits_o  <= 1'b0;
      passed_o <= 1'b0;
    end else begin
      if (step_i) waits_o <= 1'b0;
      else if (wait_i) waits_o <= 1'b1;
      if (step_i && reads_o) begin
        reads_o <= 1'b0;
        read_q  <= read_q + 1'b1;
      end else if (step_i) begin
        reads_o <= &turn_q;
        turn_q  <= turn_q + 1'b1;
        tid_o   <= tid_o + 1'b1;
      end
      if (check_i && passed_o && !again_i) begin
        tid_o    <= passed_tid_q;
        waits_o  <= 1'b0;
        passed_o <= 1'b0;
      end else if (check_i && !passed_o && skip_i) begin
        passed_o <= 1'b1;
        passed_tid_q <= tid_o;
      end
    end
  end

endmodule
