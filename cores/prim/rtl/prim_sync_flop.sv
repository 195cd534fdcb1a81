// SPDX-License-Identifier: Apache-2.0
//
// prim_sync_flop: the flip-flops of every synchroniser of the tree.
//
// What      Stages flip-flops in a row for each bit; a metastable first one has a period to settle.
// Why       One cell to constrain, to find in a netlist and to disturb in simulation. Designs use
//           prim_sync_bit, prim_sync_gray, prim_fifo_async, ..., which are made of it.
// Contract  d_i is a register of another clock. Of a word at most one bit changes at a time (Gray
//           code), and the bits arrive within one period of the clock that changes them.
// Resets    rst_i, synchronous to clk_i, sets all stages to ResetValue; they also start with it.
// Latency   Stages clk_i edges, one more when the first edge just misses the change.
//
// Simulation  With the plusarg +sync_jitter a change is taken at random by the edge that follows
//             it, as ever, or by the one after, as by a metastable flip-flop; seeded as $urandom
//             is. Bits of a word that change between two edges, in Gray code by several steps, are
//             late together: no mixture of them was ever there to be sampled. The macro
//             PRIM_SYNC_JITTER switches this in; simulators other than Verilator need it on their
//             command line. Synthesis and proofs do not see it.
//
// Parameters
//   Width       bits, >= 1
//   Stages      flip-flops in a row, >= 2
//   ResetValue  value of q_o in reset

`ifdef VERILATOR
`define PRIM_SYNC_JITTER
`endif

module prim_sync_flop #(
  parameter int unsigned Width = 1,
  parameter int unsigned Stages = 2,
  parameter logic [Width-1:0] ResetValue = '0
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Width < 1) begin : gen_bad_width
    $error("prim_sync_flop %m: Width must be >= 1, got %0d", Width);
  end
  if (Stages < 2) begin : gen_bad_stages
    $error("prim_sync_flop %m: Stages must be >= 2, got %0d", Stages);
  end

  (* ASYNC_REG = "TRUE" *) logic [Stages-1:0][Width-1:0] chain_q;
  logic [Width-1:0] missed;

  initial chain_q = {Stages{ResetValue}};

  always_ff @(posedge clk_i) begin
    if (rst_i) chain_q <= {Stages{ResetValue}};
    else chain_q <= {chain_q[Stages-2:0], d_i ^ missed};
  end

  assign q_o = chain_q[Stages-1];

`ifdef PRIM_SYNC_JITTER
  logic [Width-1:0] sampled_q;  // d_i at the edge before
  logic jitter, late_q;
  string unused;  // nothing follows the name

  initial begin
    jitter = $value$plusargs("sync_jitter%s", unused) != 0;
    {sampled_q, late_q} = {ResetValue, 1'b0};
  end

  always_ff @(posedge clk_i) begin
    if (jitter) begin
      sampled_q <= d_i;
      late_q    <= 1'($urandom);
    end
  end

  assign missed = late_q ? d_i ^ sampled_q : '0;
`else
  assign missed = '0;
`endif

endmodule
