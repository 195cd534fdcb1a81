// SPDX-License-Identifier: Apache-2.0
//
// rdma_guard: whether a block may be read from this node's memory.
//
// What      Asks for the source of each block whether it lies in a window of its domain. One that does goes on to the send unit; one that does
//           not is reported as sent and failed, so that the engine gives it up as it does when memory cannot be read.
// Why       A descriptor names any address. What leaves must have been registered for its domain, as what arrives.
// Contract  s and m side: valid and ready. A transfer of this node may read windows with any right; one of a read channel, which another node
//           asked for, only those that others may read. query_*: rdma_windows, three cycles. sent_*_i: the
//           reports of the send unit, one cycle each, go through at once; those of the guard come in between. refused_o: a pulse for each.
// Latency   5 cycles; one block in 5 cycles
// Source    own design
//
// Parameters
//   AddrWidth   bits of an address within a node, 13 to 48

module rdma_guard
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter int unsigned AddrWidth = 48
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic   [         15:0] node_i,
  input  logic                   s_valid_i,
  output logic                   s_ready_o,
  input  use_t                   s_use_i,
  input  block_t                 s_block_i,
  output logic                   m_valid_o,
  input  logic                   m_ready_i,
  output use_t                   m_use_o,
  output block_t                 m_block_o,
  output logic   [         15:0] query_domain_o,
  output logic   [AddrWidth-1:0] query_first_o,
  output logic   [AddrWidth-1:0] query_last_o,
  output logic   [          1:0] query_rights_o,
  input  logic                   query_allowed_i,
  input  logic                   sent_valid_i,
  input  sent_t                  sent_i,
  output logic                   sent_valid_o,
  output sent_t                  sent_o,
  output logic                   refused_o
);

  if (AddrWidth < 13 || AddrWidth > 48) begin : gen_bad_address
    $error("rdma_guard %m: rule 13 <= AddrWidth <= 48, got %0d", AddrWidth);
  end

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
  use_t use_q;
  block_t block_q;
  logic here_q;
  logic overflow_q;
  logic good;
  logic [48:0] last_byte;

  assign s_ready_o = state_q == StateTake && !rst_i;
  assign m_valid_o = state_q == StatePass;
  assign m_use_o = use_q;
  assign m_block_o = block_q;

  assign query_domain_o = block_q.domain;
  assign query_first_o = block_q.source[AddrWidth-1:0];
  assign last_byte = last_byte_of(48'(query_first_o), 32'(block_q.size - 17'd1));
  assign query_last_o = last_byte[AddrWidth-1:0];
  // Channels from 64 on are those of reads that other nodes have asked for.
  assign query_rights_o = block_q.transfer[6] ? 2'b01 : 2'b11;
  assign good = query_allowed_i && here_q;

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
    if (s_ready_o) begin
      use_q   <= s_use_i;
      block_q <= s_block_i;
    end
    overflow_q <= last_byte >> AddrWidth != '0;
    here_q <= !overflow_q && block_q.source[63:48] == node_i
        && block_q.source[47:0] >> AddrWidth == '0;
  end

  assign refused_o = state_q == StateRefuse && !sent_valid_i;
  assign sent_valid_o = sent_valid_i || refused_o;
  always_comb begin
    sent_o = sent_i;
    if (!sent_valid_i) sent_o = '{failed: 1'b1, tid: use_q.tid};
  end

endmodule
