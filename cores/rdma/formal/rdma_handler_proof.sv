// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_handler: who enters a transfer has found that it has no entry, and says that it has
// one.
//
// Answers, reports, issues, metadata and queues do anything in every cycle. In the metadata that it
// writes a transfer that has an entry keeps it; the one that gets one had none, and is put into a
// queue in the cycle behind, once, where it stays until the queues take it; nothing else is put but
// the transfer of a read channel that is being opened. What is told to be over has no entry and
// nothing under way. A read is over, if it has not failed, when its end was noted, and that is
// never noted before its request has been answered. One job at a time: none begins while a put
// waits, so one entry at most is on its way. By induction, for runs of any length, with resets at
// any time. With rdma_metadata_proof (no change is lost to the other user) and
// rdma_segmenter_proof: a transfer has an entry exactly if its metadata say so.

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
  input logic            metadata_go_i,
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

  // What it wrote, whom it served, and what it was putting in the cycle before.
  logic wrote_q;
  logic served_q;
  logic put_waits_q;
  metadata_t was_q;
  metadata_t will_q;
  transfer_t transfer_q;
  put_t put_q;

  always_ff @(posedge clk_i) begin
    wrote_q <= u_dut.writing && !rst_i;
    served_q <= table_valid_o && !rst_i;
    put_waits_q <= put_valid_o && !put_ready_i && !rst_i;
    was_q <= metadata_i;
    will_q <= metadata_o.word;
    transfer_q <= metadata_o.transfer;
    put_q <= put_o;
  end

  logic entered;
  assign entered = wrote_q && will_q.queued && !was_q.queued;

  always_comb begin
    if (started_q) begin
      if (u_dut.writing) assert (metadata_o.word.queued || !metadata_i.queued);
      if (u_dut.writing && metadata_o.word.over && !metadata_i.over) begin
        assert (metadata_i.reading && metadata_i.under_way == '0);
      end
      if (entered)
        assert (put_valid_o && put_o.entry.transfer == transfer_q && put_o.entry.tag.issued);
      if (served_q)
        assert (put_valid_o && put_o.entry.transfer == transfer_q && put_o.entry.tag == '0);
      if (put_waits_q) begin
        assert (put_valid_o && put_o == put_q);
      end
      if (put_valid_o) assert (entered || served_q || put_waits_q);
      if (finish_valid_o) begin
        assert (wrote_q && !will_q.queued && will_q.under_way == '0 && !will_q.reading);
        assert (finish_o.transfer == transfer_q);
        assert (finish_o.transfer[6] || !was_q.reading || will_q.failed || will_q.over);
      end
      // Numbers come back only with a job, one of each kind at most.
      if (returned_o.valid != '0) assert (wrote_q);
      assert (!(returned_o.valid.single && returned_o.valid.group));
      if (returned_o.valid.single || returned_o.valid.group) assert (finish_valid_o);
      // Invariant.
      if (put_valid_o) assert (3'(u_dut.state_q) == 3'd0);  // StLook
    end
  end

endmodule
