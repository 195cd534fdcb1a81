// SPDX-License-Identifier: Apache-2.0
//
// rdma_send: the send unit: blocks from memory, messages and answers to the network.
//
// What      Blocks wait in the Transaction Table until their flow may send (rdma_pacer), are read
//           from memory (rdma_fetch) and cut into packets; answers and packets of the packet
//           creator go between those (rdma_frame).
// Contract  block, packet, reply: valid and ready. sent: a pulse for each block and each packet of
//           the creator: its last word has left, or failed: the memory did not give its bytes; of
//           such a block the packets before may have been sent, and one with zeros for what was not
//           read and a wrong CRC. A TID that was handed over is not handed over again before.
//           settings_i: identity, rates and service matter here, see rdma_pacer. Memory: see
//           rdma_fetch. m_axis: see rdma_spread, and rdma_pack with Packed, where "left" means that
//           it is in the last two words. own: packets whose destination is this node, for rdma_own;
//           they go there, in their turn, and not to the network. packet_o: a pulse for each packet
//           that goes to the network. answered_i, slowed_o: see rdma_congestion. hold_i = 1: no
//           packet begins; those that have begun come to their end, see rdma_frame. room_i: see
//           there.
// Latency   packet: 3 cycles to its header word, if none is on its way; with Packed 4, and 5 if
//           nothing fills the word; to own 0
// Source    own design; the division of work is the thesis's
//
// Parameters
//   AddrWidth     bits of an address, 13 to 64
//   BufferWords   words read ahead, see rdma_fetch
//   BurstWords    words of a burst, at most, 1 to 64
//   LeadWords     words that are there when a packet begins, see rdma_fetch
//   Nodes         nodes with a rate of their own, see rdma_congestion
//   Packed        packed framing, else framing in words; both ends have the same

module rdma_send
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
  import rdma_bus_pkg::*;
#(
  parameter int unsigned AddrWidth   = 48,
  parameter int unsigned BufferWords = 512,
  parameter int unsigned BurstWords  = 64,
  parameter int unsigned LeadWords   = 1,
  parameter int unsigned Nodes       = 4,
  parameter bit          Packed      = 1'b0
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  settings_t         settings_i,
  input  logic              hold_i,
  input  logic        [3:0] room_i,
  output logic              ready_o,
  input  logic              block_valid_i,
  output logic              block_ready_o,
  input  block_job_t        block_i,
  input  logic              packet_valid_i,
  output logic              packet_ready_o,
  input  packet_job_t       packet_i,
  input  logic              reply_valid_i,
  output logic              reply_ready_o,
  input  reply_t            reply_i,
  output logic              sent_valid_o,
  output sent_t             sent_o,
  output logic              packet_o,
  input  answered_t         answered_i,
  output logic              slowed_o,
  output read_req_t         read_o,
  input  read_rsp_t         read_i,
  output net_t              m_axis_o,
  input  logic              m_axis_ready_i,
  output logic              own_valid_o,
  input  logic              own_ready_i,
  output piece_t            own_piece_o
);

  logic due_valid, due_ready;
  block_job_t due;

  rdma_pacer #(
    .Nodes(Nodes)
  ) u_pacer (
    .rate_valid_i(settings_i.rate_valid),
    .rate_i      (settings_i.rate),
    .page_rates_i(settings_i.page_rates),
    .congestion_i(settings_i.congestion),
    .weighted_i  (settings_i.service.weighted),
    .s_valid_i   (block_valid_i),
    .s_ready_o   (block_ready_o),
    .s_job_i     (block_i),
    .m_valid_o   (due_valid),
    .m_ready_i   (due_ready),
    .m_job_o     (due),
    .*
  );

  logic cut_valid, cut_ready;
  frame_t cut;
  logic cut_failed, word_valid, word_ready, word_failed;
  logic [511:0] word;

  rdma_fetch #(
    .AddrWidth  (AddrWidth),
    .BufferWords(BufferWords),
    .BurstWords (BurstWords),
    .LeadWords  (LeadWords)
  ) u_fetch (
    .s_valid_i      (due_valid),
    .s_ready_o      (due_ready),
    .s_job_i        (due),
    .packet_valid_o (cut_valid),
    .packet_ready_i (cut_ready),
    .packet_o       (cut),
    .packet_failed_o(cut_failed),
    .word_valid_o   (word_valid),
    .word_ready_i   (word_ready),
    .word_failed_o  (word_failed),
    .word_o         (word),
    .*
  );

  logic piece_valid, piece_ready;
  piece_t piece;
  assign packet_o = piece_valid && piece_ready && piece.ends;

  rdma_frame #(
    .Packed(Packed)
  ) u_frame (
    .identity_i    (settings_i.identity),
    .block_valid_i (cut_valid),
    .block_ready_o (cut_ready),
    .block_i       (cut),
    .block_failed_i(cut_failed),
    .word_valid_i  (word_valid),
    .word_ready_o  (word_ready),
    .word_failed_i (word_failed),
    .word_i        (word),
    .m_valid_o     (piece_valid),
    .m_ready_i     (piece_ready),
    .m_piece_o     (piece),
    .*
  );

  if (Packed) begin : gen_packed
    rdma_pack u_pack (
      .s_valid_i(piece_valid),
      .s_ready_o(piece_ready),
      .s_piece_i(piece),
      .*
    );
  end else begin : gen_words
    rdma_spread u_spread (
      .s_valid_i(piece_valid),
      .s_ready_o(piece_ready),
      .s_piece_i(piece),
      .*
    );
  end

  logic unused_settings;
  assign unused_settings = ^settings_i;

endmodule
