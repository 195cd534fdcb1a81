// SPDX-License-Identifier: Apache-2.0
//
// switch_scheduler: matches inputs and outputs, one packet at a time.
//
// What      iSLIP, one iteration a cycle over the inputs and outputs that are free: an output
//           grants the requesting input next to its pointer, an input accepts the grant next to its
//           pointer, pointers move only past what was accepted. A match stands until the last word.
//
//           request ──► grant (arbiter of each output) ──► accept (arbiter of each input) ──► match
//
// Classes   Of the classes that an input has for an output class 0 comes first, then that of which
//           the output has carried least lately. A class that is far behind others at an output
//           (switch_share) is granted there before any other one, whatever input it is at: a class
//           that sends little waits for the packet that is being sent, and for no turn of inputs.
// Contract  req_i[i][j][c]: input i has a packet of class c for output j that may be sent now. It
//           is asked for in every cycle in which i and j are free; a match ends in a cycle with
//           finish_i[i], and i and its output are free in that cycle already.
//           match_*[i] is the match of input i, from registers; no two have the same output.
// Fairness  iSLIP with packets of several words may leave a pair for ever whose input and output
//           are never free at the same time. A token goes around over the classes of all pairs; one
//           that has it and requests for Patience cycles in vain reserves its input and its output
//           until it is matched. So a request that stands is served within
//           4 * Ports^2 * (Patience + longest match + 4) cycles.
// Clock     clk_i; rst_i synchronous to it
// Latency   1 cycle, req_i to match_*
//
// Parameters
//   Ports      2..16
//   Patience   cycles, 1..1023
//
// Source    N. McKeown, "The iSLIP scheduling algorithm for input-queued switches", 1999

module switch_scheduler
  import switch_pkg::*;
#(
  parameter int unsigned Ports = 4,
  parameter int unsigned Patience = 255,
  localparam int unsigned PortWidth = $clog2(Ports)
) (
  input logic clk_i,
  input logic rst_i,

  input logic [Ports-1:0][Ports-1:0][Classes-1:0] req_i,
  input logic [Ports-1:0]                         finish_i,

  output logic   [Ports-1:0]                match_valid_o,
  output logic   [Ports-1:0][PortWidth-1:0] match_port_o,
  output class_t [Ports-1:0]                match_class_o
);

  if (Ports < 2 || Ports > 16) begin : gen_bad_ports
    $error("switch_scheduler %m: Ports must be 2..16, got %0d", Ports);
  end

  if (Patience < 1 || Patience > 1023) begin : gen_bad_patience
    $error("switch_scheduler %m: Patience must be 1..1023, got %0d", Patience);
  end

  logic [Ports-1:0] valid_q, in_free, out_free;
  logic [Ports-1:0][PortWidth-1:0] port_q;
  class_t [Ports-1:0] class_q;
  assign match_valid_o = valid_q;
  assign match_port_o  = port_q;
  assign match_class_o = class_q;

  always_comb begin
    in_free  = ~valid_q | finish_i;
    out_free = '1;
    for (int unsigned i = 0; i < Ports; i++) begin
      if (!in_free[i]) out_free[port_q[i]] = 1'b0;
    end
  end

  // ---- The token ----
  logic [Ports-1:0][Ports-1:0] request, grant, offer, accept, done;  // of output, of input, ..
  logic [Ports-1:0][Ports-1:0] allow_q;
  logic [Ports-1:0][Classes-1:0] mask_q, urgent;  // classes that an output grants
  class_t [Ports-1:0][Ports-1:0] cls;  // of input, of output
  logic [PortWidth-1:0] token_in_q, token_out_q;
  class_t token_class_q;
  logic [9:0] age_q;
  logic reserve_q, pass_on, wanted, served;
  // Where the token is, is known early: no multiplexer behind what is accepted.
  always_comb begin
    wanted = 1'b0;
    served = 1'b0;
    for (int unsigned i = 0; i < Ports; i++) begin
      for (int unsigned j = 0; j < Ports; j++) begin
        if (token_in_q == PortWidth'(i) && token_out_q == PortWidth'(j)) begin
          wanted |= req_i[i][j][token_class_q];
          served |= accept[i][j] && token_class_q == cls[i][j];
        end
      end
    end
  end
  assign pass_on = !wanted || served;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      token_in_q <= '0;
      token_out_q <= '0;
      token_class_q <= '0;
      age_q <= '0;
      reserve_q <= 1'b0;
    end else if (pass_on) begin
      token_class_q <= token_class_q + 1'b1;
      if (token_class_q == '1) begin
        token_out_q <= token_out_q == PortWidth'(Ports - 1) ? '0 : token_out_q + 1'b1;
        if (token_out_q == PortWidth'(Ports - 1)) begin
          token_in_q <= token_in_q == PortWidth'(Ports - 1) ? '0 : token_in_q + 1'b1;
        end
      end
      age_q <= '0;
      reserve_q <= 1'b0;
    end else begin
      age_q <= age_q + 10'(!reserve_q);
      if (age_q == 10'(Patience)) reserve_q <= 1'b1;
    end
    for (int unsigned j = 0; j < Ports; j++) begin
      for (int unsigned i = 0; i < Ports; i++) begin
        allow_q[i][j] <= !(reserve_q && !pass_on && (token_in_q == PortWidth'(i)) !=
                           (token_out_q == PortWidth'(j)));
      end
      if (reserve_q && !pass_on && token_out_q == PortWidth'(j)) begin
        mask_q[j] <= Classes'(1) << token_class_q;
      end else mask_q[j] <= urgent[j] == '0 ? '1 : urgent[j];
    end
  end

  // ---- Grant and accept ----
  for (genvar j = 0; j < Ports; j++) begin : gen_output
    logic [PortWidth-1:0] unused_idx;
    logic unused_valid, busy;
    logic [Classes-1:0] some, behind;
    class_t holder;
    order_t order;
    always_comb begin
      some   = '0;
      busy   = 1'b0;
      holder = '0;
      for (int unsigned i = 0; i < Ports; i++) begin
        // An input that sends to this output becomes free with it.
        if (in_free[i] || port_q[i] == PortWidth'(j)) some |= req_i[i][j] & behind;
        if (valid_q[i] && port_q[i] == PortWidth'(j)) begin
          busy   = 1'b1;
          holder = class_q[i];
        end
      end
      // The lowest of those that are behind and could go.
      urgent[j] = some & -some;
    end
    switch_share u_share (
      .clk_i   (clk_i),
      .rst_i   (rst_i),
      .busy_i  (busy),
      .class_i (holder),
      .behind_o(behind),
      .order_o (order)
    );
    for (genvar i = 0; i < Ports; i++) begin : gen_request
      logic [Classes-1:0] want;
      assign want = req_i[i][j] & mask_q[j];
      assign cls[i][j] = first_class(want, order);
      assign request[j][i] = want != '0 && in_free[i] && allow_q[i][j];
      // Behind the arbiter, which need not wait for it.
      assign offer[i][j] = grant[j][i] && out_free[j];
      assign done[j][i] = accept[i][j];
    end
    prim_arb_rr #(
      .N(Ports)
    ) u_grant (
      .clk_i      (clk_i),
      .rst_i      (rst_i),
      .req_i      (request[j]),
      .ack_i      (done[j] != '0),
      .gnt_o      (grant[j]),
      .gnt_idx_o  (unused_idx),
      .gnt_valid_o(unused_valid)
    );
  end

  for (genvar i = 0; i < Ports; i++) begin : gen_input
    logic [PortWidth-1:0] port;
    logic valid;
    class_t accepted;
    always_comb begin
      accepted = '0;
      for (int unsigned j = 0; j < Ports; j++) if (accept[i][j]) accepted |= cls[i][j];
    end
    prim_arb_rr #(
      .N(Ports)
    ) u_accept (
      .clk_i      (clk_i),
      .rst_i      (rst_i),
      .req_i      (offer[i]),
      .ack_i      (1'b1),
      .gnt_o      (accept[i]),
      .gnt_idx_o  (port),
      .gnt_valid_o(valid)
    );

    always_ff @(posedge clk_i) begin
      if (rst_i) valid_q[i] <= 1'b0;
      else if (in_free[i]) valid_q[i] <= valid;
      if (in_free[i]) begin
        port_q[i]  <= port;
        class_q[i] <= accepted;
      end
    end
  end

endmodule
