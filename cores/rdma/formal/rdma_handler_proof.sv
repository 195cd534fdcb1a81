// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_handler: who enters a transfer has found that it has no entry, and says that it has
// one.
//
// Answers, reports, issues, metadata and queues do anything in every cycle. In the metadata that it
// writes a transfer that has an entry keeps it; the one that gets one had none, and is put into a
// queue in that cycle, once, and there is room for it among the puts that wait; nothing else is put
// but the transfer of a read channel that is being opened. What is reported over has no entry and
// nothing under way. A read is over, if it has not failed, when its end was noted, and that is
// never noted before its request has been answered. Metadata are never read in two cycles in a row,
// as rdma_metadata wants it, so no transfer is settled while another one is; and answers to blocks
// with a flow are 4 cycles apart, as rdma_congestion wants it. By induction, for runs of any
// length, with resets at any time. With rdma_metadata_proof (no change is lost to the other user)
// and rdma_segmenter_proof: a transfer has an entry exactly if its metadata say so.

module rdma_handler_proof
  import rdma_pkg::*;
#(
  localparam int unsigned Transfers   = 256,
  localparam int unsigned Priorities  = 1,
  localparam int unsigned Outstanding = 2
) (
  input logic            clk_i,
  input logic            rst_i,
  input logic            enable_i,
  input logic      [3:0] epoch_i,
  input limits_t         limits_i,
  input logic            issue_valid_i,
  input issue_t          issue_i,
  input logic            again_done_i,
  input logic            reap_valid_i,
  input reap_t           reap_i,
  input logic            sent_valid_i,
  input sent_t           sent_i,
  input logic            answer_valid_i,
  input answer_t         answer_i,
  input metadata_t       metadata_i,
  input logic            put_ready_i
);

  logic ready_o;
  logic again_valid_o;
  again_t again_o;
  logic reap_ready_o;
  logic answer_ready_o;
  logic answer_refused_o;
  logic table_valid_o;
  table_t table_o;
  metadata_req_t metadata_o;
  logic put_valid_o;
  put_t put_o;
  logic finish_valid_o;
  finish_t finish_o;
  returned_t returned_o;
  logic dropped_o;
  logic repeated_o;
  logic gave_up_o;
  answered_t answered_o;

  rdma_handler #(
    .Transfers  (Transfers),
    .Priorities (Priorities),
    .Outstanding(Outstanding)
  ) u_dut (
    .*
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  // What it wrote in the cycle before; how long ago the last answer to a block with a flow was.
  logic wrote_q, wanted_q;
  metadata_t was_q, will_q;
  transfer_t transfer_q;
  logic [2:0] answered_q = '0;

  always_ff @(posedge clk_i) begin
    wrote_q <= u_dut.writing_q && !rst_i;
    wanted_q <= metadata_o.want && !rst_i;
    was_q <= metadata_i;
    will_q <= metadata_o.word;
    transfer_q <= metadata_o.transfer;
    answered_q <= rst_i ? '0 : {answered_q[1:0], answered_o.valid};
  end

  logic puts, entered;
  put_t put;
  assign puts = u_dut.u_puts.u_puts.s_valid_i;
  assign put = u_dut.u_puts.put;
  assign entered = u_dut.writing_q && metadata_o.word.queued && !metadata_i.queued;

  // A job that may go on to a transfer, and one whose transfer is being settled.
  logic full, settling;
  assign full = u_dut.checking_q && u_dut.full_q;
  assign settling = u_dut.want_q || u_dut.writing_q;

  always_comb begin
    if (started_q) begin
      if (u_dut.writing_q) assert (metadata_o.word.queued || !metadata_i.queued);
      if (u_dut.writing_q && metadata_o.word.over && !metadata_i.over) begin
        assert (metadata_i.reading && metadata_i.under_way == '0);
      end
      if (entered) begin
        assert (puts && put.entry.transfer == metadata_o.transfer && put.entry.tag.issued);
      end
      if (table_valid_o) begin
        assert (!settling && puts && put.entry.transfer == table_o.transfer);
        assert (put.entry.tag == '0);
      end
      if (puts) assert ((entered || table_valid_o) && (rst_i || u_dut.u_puts.u_puts.s_ready_o));
      if (finish_valid_o) begin
        assert (wrote_q && !will_q.queued && will_q.under_way == '0 && !will_q.reading);
        assert (finish_o.transfer == transfer_q);
        assert (finish_o.transfer[6] || !was_q.reading || will_q.failed || will_q.over);
      end
      // Numbers come back only with a job, one of each kind at most.
      if (returned_o.valid != '0) assert (wrote_q);
      assert (!(returned_o.valid.single && returned_o.valid.group));
      if (returned_o.valid.single || returned_o.valid.group) assert (finish_valid_o);
      assert (!(metadata_o.want && wanted_q));
      if (answered_o.valid) assert (answered_q == '0);
      // Invariants: who may be under way at the same time.
      assert (!(u_dut.want_q && (u_dut.writing_q || full)));
      assert (!(wanted_q && !u_dut.writing_q && !rst_i));
      if (u_dut.writing_q) assert (wanted_q || rst_i);
      if (u_dut.writing_q && u_dut.slow) assert (!full);
      if (answered_q[0]) assert (!u_dut.want_q && !full);
      if (answered_q[1]) assert (!u_dut.want_q);
      if (u_dut.settles) assert (u_dut.full_q);
      if (u_dut.checking_q && u_dut.job_q.kind != JobScan) assert (u_dut.full_q);
      if (u_dut.checking_q && u_dut.job_q.kind == JobServe) assert (!settling);
      assert (4'(u_dut.u_puts.level) + 4'(full) + 4'(settling) <= 4'd4);
      assert (u_dut.u_puts.u_puts.full_q == (u_dut.u_puts.level == 3'd4));
      assert (u_dut.u_puts.u_puts.empty_q == (u_dut.u_puts.level == '0));
    end
  end

endmodule
