// SPDX-License-Identifier: Apache-2.0
//
// rdma_guard: whether a block may be read from this node's memory.
//
// What      Asks for the source of each block whether it lies in a window of its domain. One that
//           does goes on to the send unit; one that does not is reported as sent and failed, so
//           that the engine gives it up as it does when memory cannot be read.
// Why       A descriptor names any address. What leaves must have been registered for its domain,
//           as what arrives.
// Contract  s and m side: valid and ready. A transfer of this node may read windows with any right;
//           one that another node requested, only those that others may read. window: rdma_windows,
//           and so is ready_o. sent_i: the reports of the send unit, one cycle each, go through at
//           once; those of the guard come in between. refused_o: a pulse for each.
// Latency   3 cycles; one block a cycle
// Storage   blocks: LUT memory
// Source    own design
//
// Parameters
//   Domains, Windows   see rdma_windows

module rdma_guard
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter int unsigned Domains = 16,
  parameter int unsigned Windows = 4
) (
  input  logic       clk_i,
  input  logic       rst_i,
  output logic       ready_o,
  input  settings_t  settings_i,
  input  logic       s_valid_i,
  output logic       s_ready_o,
  input  block_job_t s_job_i,
  output logic       m_valid_o,
  input  logic       m_ready_i,
  output block_job_t m_job_o,
  input  logic       sent_valid_i,
  input  sent_t      sent_i,
  output logic       sent_valid_o,
  output sent_t      sent_o,
  output logic       refused_o
);

  localparam int unsigned Latency = 3;  // of rdma_windows
  localparam int unsigned Waiting = 8;  // for more than come in this time

  // ---- Blocks wait while their sources are looked up ----
  logic take, leaves, unused_job, unused_verdict_ready;
  logic [3:0] unused_job_level, unused_verdict_level;
  block_t block;
  assign take  = s_valid_i && s_ready_o;
  assign block = s_job_i.block;

  prim_fifo_sync #(
    .Width      ($bits(block_job_t)),
    .Depth      (Waiting),
    .FallThrough(1'b0)
  ) u_jobs (
    .s_data_i (s_job_i),
    .m_valid_o(unused_job),
    .m_ready_i(leaves),
    .m_data_o (m_job_o),
    .level_o  (unused_job_level),
    .*
  );

  // ---- The query of a block ----
  query_t query;
  logic   query_allowed;
  logic [Latency-1:0] asked_q, here_q;
  // Channels from 64 on are those of reads that other nodes have requested.
  assign query = '{
          domain: block.domain,
          first: block.source[47:0],
          size: 32'(block.size),
          rights: block.transfer[6] ? 2'b01 : 2'b11
      };

  always_ff @(posedge clk_i) begin
    asked_q <= rst_i ? '0 : {asked_q[Latency-2:0], take};
    here_q  <= {here_q[Latency-2:0], block.source[63:48] == settings_i.identity.node};
  end

  rdma_windows #(
    .Domains(Domains),
    .Windows(Windows)
  ) u_windows (
    .set_valid_i(settings_i.window_valid),
    .set_i      (settings_i.window),
    .query_i    (query),
    .allowed_o  (query_allowed),
    .*
  );

  // ---- The answers, in the order of the blocks ----
  logic decided, good;

  prim_fifo_sync #(
    .Width(1),
    .Depth(Waiting)
  ) u_verdicts (
    .s_valid_i(asked_q[Latency-1]),
    .s_ready_o(unused_verdict_ready),
    .s_data_i (query_allowed && here_q[Latency-1]),
    .m_valid_o(decided),
    .m_ready_i(leaves),
    .m_data_o (good),
    .level_o  (unused_verdict_level),
    .*
  );

  assign m_valid_o = decided && good;
  assign refused_o = decided && !good && !sent_valid_i;
  assign leaves = (m_valid_o && m_ready_i) || refused_o;

  assign sent_valid_o = sent_valid_i || refused_o;
  always_comb begin
    sent_o = sent_i;
    if (!sent_valid_i) sent_o = '{failed: 1'b1, tid: m_job_o.use_.tid};
  end

  logic unused_fields;
  assign unused_fields = ^{settings_i, block};

endmodule
