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
// Latency   5 cycles; one block in 5 cycles
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

  typedef enum logic [2:0] {
    StateTake,
    StateAsk,  // the range stands
    StateWait,
    StateLook,
    StateAnswer,
    StatePass,
    StateRefuse
  } state_e;

  state_e state_q;
  block_t block;
  logic here_q, overflow_q, good;
  query_t query;
  logic query_allowed;
  logic [48:0] last_byte;

  assign s_ready_o = state_q == StateTake && !rst_i;
  assign m_valid_o = state_q == StatePass;

  // Channels from 64 on are those of reads that other nodes have requested.
  assign last_byte = last_byte_of(block.source[47:0], 32'(block.size - 17'd1));
  assign block = m_job_o.block;
  assign query = '{
          domain: block.domain,
          first: block.source[47:0],
          last: last_byte[47:0],
          rights: block.transfer[6] ? 2'b01 : 2'b11
      };
  assign good = query_allowed && here_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) state_q <= StateTake;
    else begin
      unique case (state_q)
        StateTake: if (s_valid_i) state_q <= StateAsk;
        StateAsk: state_q <= StateWait;
        StateWait: state_q <= StateLook;
        StateLook: state_q <= StateAnswer;
        StateAnswer: state_q <= good ? StatePass : StateRefuse;
        StatePass: if (m_ready_i) state_q <= StateTake;
        default: if (!sent_valid_i) state_q <= StateTake;
      endcase
    end
    if (s_ready_o) m_job_o <= s_job_i;
    overflow_q <= last_byte[48];
    here_q <= !overflow_q && block.source[63:48] == settings_i.identity.node;
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

  assign refused_o = state_q == StateRefuse && !sent_valid_i;
  assign sent_valid_o = sent_valid_i || refused_o;
  always_comb begin
    sent_o = sent_i;
    if (!sent_valid_i) sent_o = '{failed: 1'b1, tid: m_job_o.use_.tid};
  end

  logic unused_fields;
  assign unused_fields = ^{settings_i, block};

endmodule
