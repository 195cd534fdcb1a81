// SPDX-License-Identifier: Apache-2.0
//
// Proof of switch_scheduler: an output serves one input at a time and an input one output, only
// what was requested is matched, a match stands until its packet ends, and a request that stands is
// served.
//
// Packets end at any time up to MaxCycles behind the start of their match. Requests are free. The
// token leaves the class of a pair within Patience + MaxCycles + 4 cycles, and only when that is
// served or does not ask any more; it goes around, so what stands is served within
// 4 * Ports^2 * (Patience + MaxCycles + 4) cycles.

module switch_scheduler_proof
  import switch_pkg::*;
#(
  parameter int unsigned Ports = 2,
  parameter int unsigned MaxCycles = 2,
  parameter int unsigned Patience = 1,
  localparam int unsigned PortWidth = $clog2(Ports)
) (
  input logic clk_i,
  input logic rst_i,
  input logic [Ports-1:0][Ports-1:0][Classes-1:0] req_i,
  input logic [Ports-1:0] finish_i
);

  logic [Ports-1:0] finish, valid;
  logic [Ports-1:0][PortWidth-1:0] port;
  class_t [Ports-1:0] cls;

  switch_scheduler #(
    .Ports(Ports),
    .Patience(Patience)
  ) u_dut (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .req_i        (req_i),
    .finish_i     (finish),
    .match_valid_o(valid),
    .match_port_o (port),
    .match_class_o(cls)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  // Ends of packets: of a match that stands, within MaxCycles.
  logic [Ports-1:0][2:0] age_q;
  for (genvar i = 0; i < Ports; i++) begin : gen_age
    assign finish[i] = valid[i] && (finish_i[i] || age_q[i] >= 3'(MaxCycles - 1));
    always_ff @(posedge clk_i) age_q[i] <= rst_i || !valid[i] || finish[i] ? '0 : age_q[i] + 1'b1;
  end

  // Where the token was, and for how long it has reserved.
  logic [PortWidth-1:0] in_q, out_q;
  class_t class_q;
  logic [3:0] held_q;
  always_ff @(posedge clk_i) begin
    in_q <= u_dut.token_in_q;
    out_q <= u_dut.token_out_q;
    class_q <= u_dut.token_class_q;
    held_q <= rst_i || !u_dut.reserve_q ? '0 : held_q + 1'b1;
  end
  logic moved;
  assign moved = {in_q, out_q, class_q} !=
      {u_dut.token_in_q, u_dut.token_out_q, u_dut.token_class_q};

  // What was requested a cycle ago.
  logic [Ports-1:0][Ports-1:0][Classes-1:0] req_q;
  logic [Ports-1:0] valid_q, finish_q;
  logic [Ports-1:0][PortWidth-1:0] port_q;
  class_t [Ports-1:0] cls_q;
  logic ran_q = 1'b0;
  always_ff @(posedge clk_i) begin
    req_q <= req_i;
    valid_q <= valid;
    finish_q <= finish;
    port_q <= port;
    cls_q <= cls;
    ran_q <= started_q && !rst_i;
  end

  always_comb begin
    if (ran_q) begin
      for (int unsigned i = 0; i < Ports; i++) begin
        if (valid[i]) assert (32'(port[i]) < Ports);
        for (int unsigned k = 0; k < i; k++) begin
          assert (!(valid[i] && valid[k] && port[i] == port[k]));
        end
        if (valid_q[i] && !finish_q[i]) begin
          assert (valid[i] && port[i] == port_q[i] && cls[i] == cls_q[i]);
        end else if (valid[i]) assert (req_q[i][port[i]][cls[i]]);
      end
      assert (32'(u_dut.token_in_q) < Ports && 32'(u_dut.token_out_q) < Ports);
      assert (u_dut.reserve_q || 32'(u_dut.age_q) <= Patience);
      assert (32'(held_q) <= MaxCycles + 2);
      if (moved && req_q[in_q][out_q][class_q]) begin
        assert (valid[in_q] && port[in_q] == out_q && cls[in_q] == class_q && age_q[in_q] == '0);
      end
    end
  end

endmodule
