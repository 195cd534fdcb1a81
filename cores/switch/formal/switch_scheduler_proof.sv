// SPDX-License-Identifier: Apache-2.0
//
// Proof of switch_scheduler: an output serves one input at a time and an input one output, only
// what was requested is matched, a match stands until its packet ends, and a request that stands is
// served.
//
// Packets end at any time up to MaxCycles behind the start of their match. Requests are free, but
// that of a watched input, output and class, freely chosen, stands from some moment on.

module switch_scheduler_proof
  import switch_pkg::*;
#(
  parameter int unsigned Ports = 2,
  parameter int unsigned MaxCycles = 2,
  parameter int unsigned Patience = 1,
  parameter int unsigned Bound = 16,  // cycles
  localparam int unsigned PortWidth = $clog2(Ports)
) (
  input logic clk_i,
  input logic rst_i,
  input logic [Ports-1:0][Ports-1:0][Classes-1:0] req_i,
  input logic [Ports-1:0] finish_i
);

  logic [Ports-1:0][Ports-1:0][Classes-1:0] req;
  logic [Ports-1:0] finish, valid;
  logic [Ports-1:0][PortWidth-1:0] port;
  class_t [Ports-1:0] cls;

  switch_scheduler #(
    .Ports(Ports),
    .Patience(Patience)
  ) u_dut (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .req_i        (req),
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

  // The watched request: registers that only copy themselves are free constants.
  logic [PortWidth-1:0] in_q, out_q;
  class_t class_q;
  always_ff @(posedge clk_i) begin
    in_q <= in_q;
    out_q <= out_q;
    class_q <= class_q;
  end
  always_comb assume (32'(in_q) < Ports && 32'(out_q) < Ports);

  // Its class stands until it is served, and its pair until any of its classes is. Where it is one
  // of classes 1 to 3, class 0 of its input and output rests.
  logic stands_q, met, served, want;
  assign want = stands_q || req_i[in_q][out_q][class_q];
  assign met = valid[in_q] && port[in_q] == out_q && age_q[in_q] == '0;
  assign served = met && cls[in_q] == class_q;
  always_ff @(posedge clk_i) stands_q <= !rst_i && want && !(stands_q && served);
  always_comb begin
    req = req_i;
    if (class_q != '0) req[in_q][out_q][0] = 1'b0;
    req[in_q][out_q][class_q] = want;
  end

  localparam int unsigned WaitWidth = $clog2(Bound + 2);
  logic [WaitWidth-1:0] wait_q;
  logic [1:0] others_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || !stands_q || met) wait_q <= '0;
    else if (32'(wait_q) <= Bound) wait_q <= wait_q + 1'b1;
    if (rst_i || !stands_q || served) others_q <= '0;
    else if (met && others_q != '1) others_q <= others_q + 1'b1;
  end

  // What was requested a cycle ago.
  logic [Ports-1:0][Ports-1:0][Classes-1:0] req_q;
  logic [Ports-1:0] valid_q, finish_q;
  logic [Ports-1:0][PortWidth-1:0] port_q;
  class_t [Ports-1:0] cls_q;
  logic ran_q = 1'b0;
  always_ff @(posedge clk_i) begin
    req_q <= req;
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
      assert (32'(wait_q) <= Bound);
      // The first match of the three may have been chosen before the request stood.
      assert (class_q == '0 || others_q != '1);
    end
  end

endmodule
