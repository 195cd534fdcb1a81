// SPDX-License-Identifier: Apache-2.0
//
// rdma_frame: puts packets on the network, one at a time.
//
// What      Takes answers, packets of the packet creator and packets of blocks, in this order if several wait, and sends each as header
//           word, payload words and footer word with the CRC.
// Why       All that must not wait goes between the packets of a block: it waits for the one that is on its way.
// Contract  The three inputs are valid and ready; a packet of a block comes with its payload at the word side, which is taken as
//           needed, also if block_failed_i: then nothing is sent of it. m_axis: words of 64 bytes, without gaps in a packet unless
//           m_axis_tready is low; unused lanes are zero. node_i, epoch_i: this node; steady. sent_valid_o: a pulse as the last
//           word of the last packet of a block or of a packet of the creator leaves, or in place of it if the block failed. Answers are
//           not reported.
// Latency   4 cycles from input to header word; one word per cycle
// Source    own design

module rdma_frame
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
(
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic    [ 15:0] node_i,
  input  logic    [  3:0] epoch_i,
  input  logic            reply_valid_i,
  output logic            reply_ready_o,
  input  reply_t          reply_i,
  input  logic            packet_valid_i,
  output logic            packet_ready_o,
  input  use_t            packet_use_i,
  input  packet_t         packet_i,
  input  logic            block_valid_i,
  output logic            block_ready_o,
  input  frame_t          block_i,
  input  logic            block_failed_i,
  output logic            word_ready_o,
  input  logic    [511:0] word_i,
  output logic            sent_valid_o,
  output sent_t           sent_o,
  output logic    [511:0] m_axis_tdata,
  output logic            m_axis_tlast,
  output logic            m_axis_tvalid,
  input  logic            m_axis_tready
);

  // What is sent next.
  frame_t chosen;
  logic   chosen_report;
  always_comb begin
    chosen = block_i;
    chosen_report = block_i.footer.index == block_i.footer.last;
    if (reply_valid_i) begin
      chosen = '0;
      chosen.header.address[63:48] = reply_i.node;
      chosen.header.kind = reply_i.nack ? KindNack : KindAck;
      chosen.header.tid = reply_i.tid;
      chosen.header.sequence_ = reply_i.sequence_;
      chosen.header.domain = reply_i.domain;
      chosen_report = 1'b0;
    end else if (packet_valid_i) begin
      chosen = '0;
      chosen.header.address = packet_i.address;
      chosen.header.kind = packet_i.kind;
      chosen.header.tid = packet_use_i.tid;
      chosen.header.sequence_ = packet_use_i.sequence_;
      chosen.header.domain = packet_i.domain;
      chosen.footer.bytes = 11'(packet_i.size);
      chosen.footer.notify = packet_i.notify;
      chosen.footer.tries = packet_use_i.tries;
      chosen.footer.transfer = packet_i.transfer;
      chosen.footer.qos = packet_i.qos;
      chosen_report = 1'b1;
    end
    chosen.header.node  = node_i;
    chosen.header.epoch = reply_valid_i ? reply_i.epoch : epoch_i;
  end

  // The words of a packet.
  word_e state_q;  // what comes next; none: the payload of a packet that failed
  logic from_block_q;
  logic [4:0] left_q;
  logic [5:0] pad_q;
  logic [255:0] small_q;
  footer_t footer_q;
  sent_t report_q;
  logic reports_q;
  logic step;
  logic begins;
  logic drops;

  assign begins = step && state_q == WordHeader
      && (reply_valid_i || packet_valid_i || block_valid_i);
  assign reply_ready_o = step && state_q == WordHeader;
  assign packet_ready_o = reply_ready_o && !reply_valid_i;
  assign block_ready_o = packet_ready_o && !packet_valid_i;
  assign drops = !reply_valid_i && !packet_valid_i && block_failed_i;
  assign word_ready_o = step && from_block_q && (state_q == WordPayload || state_q == WordNone);

  // A message is padded with zeros, whatever its creator left there.
  logic [255:0] message;
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      message[8*i+:8] = packet_i.payload[8*i+:8] & {8{7'(i) < packet_i.size}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) state_q <= WordHeader;
    else if (step) begin
      unique case (state_q)
        WordHeader: begin
          if (begins) begin
            if (drops) state_q <= WordNone;
            else state_q <= chosen.footer.bytes == '0 ? WordFooter : WordPayload;
          end
        end
        WordPayload: if (left_q == 5'd1) state_q <= WordFooter;
        WordNone: if (left_q == 5'd1) state_q <= WordHeader;
        default: state_q <= WordHeader;
      endcase
    end
    if (begins) begin
      from_block_q <= !reply_valid_i && !packet_valid_i;
      left_q <= words_of(chosen.footer.bytes);
      pad_q <= -chosen.footer.bytes[5:0];
      small_q <= message;
      footer_q <= chosen.footer;
      reports_q <= chosen_report;
      report_q <= '{failed: drops, tid: chosen.header.tid};
    end else if (step) begin
      left_q <= left_q - 5'd1;
    end
  end

  // A word on its way, waiting for the CRC.
  typedef struct packed {
    word_e kind;
    logic  reports;
    sent_t report;
  } stage_t;

  stage_t stage;
  logic [511:0] data;
  logic last_payload;
  assign last_payload = state_q == WordPayload && left_q == 5'd1;

  always_comb begin
    stage = '{kind: WordNone, reports: 1'b0, report: report_q};
    data  = from_block_q ? word_i : 512'(small_q);
    unique case (state_q)
      WordHeader: begin
        data = 512'(chosen.header);
        if (begins && !drops) stage.kind = WordHeader;
      end
      WordPayload: stage.kind = WordPayload;
      WordFooter: begin
        data = 512'(footer_q);
        stage.kind = WordFooter;
        stage.reports = reports_q;
      end
      default: stage.reports = reports_q && left_q == 5'd1;
    endcase
  end

  logic [31:0] crc;
  rdma_crc u_crc (
    .clk_i (clk_i),
    .step_i(step),
    .kind_i(stage.kind),
    .data_i(data),
    .pad_i (last_payload ? pad_q : 6'd0),
    .crc_o (crc)
  );

  stage_t [2:0] stage_q;
  logic [2:0][511:0] data_q;
  stage_t out_q;
  logic [511:0] out_data_q;

  always_ff @(posedge clk_i) begin
    if (step) begin
      data_q <= {data_q[1:0], data};
      out_data_q <= data_q[2];
      if (stage_q[2].kind == WordFooter) out_data_q[127:96] <= crc;
    end
    if (rst_i) begin
      stage_q <= '0;
      out_q   <= '0;
    end else if (step) begin
      stage_q <= {stage_q[1:0], stage};
      out_q   <= stage_q[2];
    end
  end

  assign m_axis_tvalid = out_q.kind != WordNone;
  assign m_axis_tlast = out_q.kind == WordFooter;
  assign m_axis_tdata = out_data_q;
  assign step = !m_axis_tvalid || m_axis_tready;
  assign sent_valid_o = out_q.reports && step;
  assign sent_o = out_q.report;

endmodule
