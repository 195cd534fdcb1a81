// SPDX-License-Identifier: Apache-2.0
//
// rdma_guard_bench: the guard with flat pins, for the test bench.

module rdma_guard_bench
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter int unsigned Domains = 4,
  parameter int unsigned Windows = 4
) (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        ready_o,
  input  logic        window_valid_i,
  input  logic [15:0] window_domain_i,
  input  logic [ 3:0] window_slot_i,
  input  logic [ 1:0] window_rights_i,
  input  logic [47:0] window_first_i,
  input  logic [47:0] window_last_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,
  input  logic [15:0] s_domain_i,
  input  logic [63:0] s_source_i,
  input  logic [16:0] s_size_i,
  input  logic        s_read_i,
  input  logic [ 9:0] s_tid_i,
  output logic        m_valid_o,
  input  logic        m_ready_i,
  output logic [ 9:0] m_tid_o,
  output logic [63:0] m_source_o,
  input  logic        sent_valid_i,
  input  logic [10:0] sent_i,
  output logic        sent_valid_o,
  output logic [10:0] sent_o,
  output logic        refused_o
);

  settings_t settings;
  block_job_t s_job, m_job;
  always_comb begin
    settings = '0;
    settings.identity.node = 16'd3;
    settings.window_valid = window_valid_i;
    settings.window.domain = window_domain_i;
    settings.window.slot = window_slot_i;
    {settings.window.write, settings.window.read} = window_rights_i;
    settings.window.first = window_first_i;
    settings.window.last = window_last_i;
    s_job = '0;
    s_job.block.domain = s_domain_i;
    s_job.block.source = s_source_i;
    s_job.block.size = s_size_i;
    s_job.block.transfer[6] = s_read_i;
    s_job.use_.tid = s_tid_i;
  end
  assign m_tid_o = m_job.use_.tid;
  assign m_source_o = m_job.block.source;

  rdma_guard #(
    .Domains(Domains),
    .Windows(Windows)
  ) u_guard (
    .settings_i(settings),
    .s_job_i   (s_job),
    .m_job_o   (m_job),
    .sent_i    (sent_t'(sent_i)),
    .sent_o    (sent_o),
    .*
  );

  logic unused_fields;
  assign unused_fields = ^m_job;

endmodule
