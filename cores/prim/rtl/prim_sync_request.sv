// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_request: asks for a word in another clock domain, and does not wait for ever.
//
// What      An address goes over, a word comes back, by a toggle in each direction. If no answer
//           comes in time the request is given up and answered with lost.
// Why       A register bus must answer even when the clock of what it shows stands still.
// Contract  src_req_i is a pulse with src_addr_i; the next one not before src_ack_o, a pulse. With
//           it src_lost_o = 0: src_data_o is the answer, and stays until the next one comes in;
//           src_lost_o = 1: there was none, src_data_o means nothing. While the answer to a lost
//           request is still to come, further requests are lost at once; it is taken for none of
//           them. dst_req_o is high, with dst_addr_o, until the cycle of dst_ack_i, a pulse with
//           dst_data_i.
// Clocks and resets
//           Either side may be reset alone, at any time, and either clock may stand still: what
//           crosses is not reset, so that no answer is taken for that of another request. src_rst_i
//           forgets the request and drops its answer; until that has come requests are lost.
//           In dst_rst_i dst_req_o is 0 and dst_ack_i has no effect; a request under way is made
//           again after it. Toggles start with 0.
// Latency   2 (3) edges of each clock and one of src_clk_i, beside the time until dst_ack_i.
// Crossing  Address and data stand still while they are sampled: constraints/ keep their delay to
//           one period of the clock that samples them.
//
// Parameters
//   AddrWidth, DataWidth   bits, >= 1
//   Timeout                src_clk_i cycles until a request is given up, >= 16

module prim_sync_request #(
  parameter int unsigned AddrWidth = 8,
  parameter int unsigned DataWidth = 32,
  parameter int unsigned Timeout   = 256
) (
  input  logic                 src_clk_i,
  input  logic                 src_rst_i,
  input  logic                 src_req_i,
  input  logic [AddrWidth-1:0] src_addr_i,
  output logic                 src_ack_o,
  output logic                 src_lost_o,
  output logic [DataWidth-1:0] src_data_o,

  input  logic                 dst_clk_i,
  input  logic                 dst_rst_i,
  output logic                 dst_req_o,
  output logic [AddrWidth-1:0] dst_addr_o,
  input  logic                 dst_ack_i,
  input  logic [DataWidth-1:0] dst_data_i
);

  localparam int unsigned TimerWidth = $clog2(Timeout);

  if (AddrWidth < 1) begin : gen_bad_addr
    $error("prim_sync_request %m: AddrWidth must be >= 1, got %0d", AddrWidth);
  end
  if (DataWidth < 1) begin : gen_bad_data
    $error("prim_sync_request %m: DataWidth must be >= 1, got %0d", DataWidth);
  end
  if (Timeout < 16) begin : gen_bad_timeout
    $error("prim_sync_request %m: Timeout must be >= 16, got %0d", Timeout);
  end

  // ---- Asking side ----
  logic asked_q, answered, asked, done_q;  // toggles: sent and received at each side
  initial {asked_q, done_q} = '0;

  logic open_q;  // a request waits for its acknowledge
  logic underway, late;
  logic [TimerWidth-1:0] timer_q;
  logic [ AddrWidth-1:0] addr_q;
  logic [ DataWidth-1:0] answer_q;  // belongs to dst_clk_i

  assign underway = asked_q != answered;
  assign late = timer_q == TimerWidth'(Timeout - 1);

  always_ff @(posedge src_clk_i) begin
    src_ack_o <= 1'b0;
    if (src_rst_i) begin
      open_q <= 1'b0;
    end else if (src_req_i) begin
      if (underway) begin
        src_ack_o  <= 1'b1;
        src_lost_o <= 1'b1;
      end else begin
        asked_q <= !asked_q;
        open_q  <= 1'b1;
        addr_q  <= src_addr_i;
      end
    end else if (open_q && (!underway || late)) begin
      open_q <= 1'b0;
      src_ack_o <= 1'b1;
      src_lost_o <= underway;
      if (!underway) src_data_o <= answer_q;
    end
    timer_q <= (src_req_i || late) ? '0 : timer_q + 1'b1;
  end

  prim_sync_flop u_sync_answered (
    .clk_i(src_clk_i),
    .rst_i(1'b0),
    .d_i  (done_q),
    .q_o  (answered)
  );

  // ---- Answering side ----
  prim_sync_flop u_sync_asked (
    .clk_i(dst_clk_i),
    .rst_i(1'b0),
    .d_i  (asked_q),
    .q_o  (asked)
  );

  always_ff @(posedge dst_clk_i) begin
    if (dst_req_o && dst_ack_i) begin
      done_q   <= asked;
      answer_q <= dst_data_i;
    end
  end

  assign dst_req_o  = asked != done_q && !dst_rst_i;
  assign dst_addr_o = addr_q;

endmodule
