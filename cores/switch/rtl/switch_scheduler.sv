// SPDX-License-Identifier: Apache-2.0
//
// switch_scheduler: matches inputs and outputs, one packet at a time.
//
// What      iSLIP, one iteration a cycle over the inputs and outputs that are free: an output
//           grants the requesting input next to its pointer, an input accepts the grant next to its
//           pointer, pointers move only past what was accepted. A match stands until the last word.
//           Of the classes that an input has for the output the lowest number comes first if it is
//           class 0, the others take turns.
//
//           request ──► grant (arbiter of each output) ──► accept (arbiter of each input) ──► match
//
// Contract  req_i[i][j][c]: input i has a packet of class c for output j that may be sent now. It
//           is asked for in every cycle in which i and j are free; a match ends in a cycle with
//           finish_i[i], and i and its output are free in that cycle already.
//           match_*[i] is the match of input i, from registers; no two have the same output.
// Fairness  iSLIP with packets of several words may leave a pair for ever whose input and output
//           are never free at the same time. A token goes around over the pairs; a pair that has it
//           and requests for Patience cycles in vain reserves its input and its output until it is
//           matched. So a request that stands is served within
//           Ports^2 * (Patience + longest match + 4) cycles, and each of classes 1 to 3 within
//           three matches of its pair while class 0 rests.
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
  logic [PortWidth-1:0] token_in_q, token_out_q;
  logic [9:0] age_q;
  logic reserve_q, pass_on;
  assign pass_on = req_i[token_in_q][token_out_q] == '0 || accept[token_in_q][token_out_q];
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      token_in_q <= '0;
      token_out_q <= '0;
      age_q <= '0;
      reserve_q <= 1'b0;
    end else if (pass_on) begin
      token_out_q <= token_out_q == PortWidth'(Ports - 1) ? '0 : token_out_q + 1'b1;
      if (token_out_q == PortWidth'(Ports - 1)) begin
        token_in_q <= token_in_q == PortWidth'(Ports - 1) ? '0 : token_in_q + 1'b1;
      end
      age_q <= '0;
      reserve_q <= 1'b0;
    end else begin
      age_q <= age_q + 10'(!reserve_q);
      if (age_q == 10'(Patience)) reserve_q <= 1'b1;
    end
    for (int unsigned i = 0; i < Ports; i++) begin
      for (int unsigned j = 0; j < Ports; j++) begin
        allow_q[i][j] <= !(reserve_q && !pass_on && (token_in_q == PortWidth'(i)) !=
                           (token_out_q == PortWidth'(j)));
      end
    end
  end

  // ---- Grant and accept ----
  for (genvar j = 0; j < Ports; j++) begin : gen_output
    logic [PortWidth-1:0] unused_idx;
    logic unused_valid;
    for (genvar i = 0; i < Ports; i++) begin : gen_request
      assign request[j][i] = req_i[i][j] != '0 && in_free[i] && out_free[j] && allow_q[i][j];
      assign offer[i][j] = grant[j][i];
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

    // Class 0 first, then the turns of this input and output: next_q is the one to begin with.
    class_t [Ports-1:0] next_q, cls;
    for (genvar j = 0; j < Ports; j++) begin : gen_class
      logic [Classes-1:0] want;
      assign want = req_i[i][j];
      always_comb begin
        cls[j] = '0;
        if (!want[0]) begin
          unique case (next_q[j])
            2'd2: cls[j] = want[2] ? 2'd2 : want[3] ? 2'd3 : 2'd1;
            2'd3: cls[j] = want[3] ? 2'd3 : want[1] ? 2'd1 : 2'd2;
            default: cls[j] = want[1] ? 2'd1 : want[2] ? 2'd2 : 2'd3;
          endcase
        end
      end
      always_ff @(posedge clk_i) begin
        if (rst_i) next_q[j] <= 2'd1;
        else if (accept[i][j] && cls[j] != '0) next_q[j] <= cls[j] == 2'd3 ? 2'd1 : cls[j] + 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) valid_q[i] <= 1'b0;
      else if (in_free[i]) valid_q[i] <= valid;
      if (in_free[i]) begin
        port_q[i]  <= port;
        class_q[i] <= cls[port];
      end
    end
  end

endmodule
