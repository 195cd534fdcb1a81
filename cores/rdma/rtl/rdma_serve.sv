// SPDX-License-Identifier: Apache-2.0
//
// rdma_serve: takes read requests of other nodes.
//
// What      Checks a request, and gives it a free read channel of its domain and a line of the
//           Transfer Table: a transfer of this node from there on.
// Why       The line comes from another node: it has to obey the rules of a user's, and the data go
//           to who requested them.
// Contract  answer_i is a read request if its kind says so. refused_o, in any cycle: it cannot be
//           taken, as it breaks a rule or no channel of its domain is free. serve_o: it is taken
//           with take_i; channel_o and schedule_o are its channel and how it is scheduled. line_o,
//           asked_o: the line and what is known of the request, from the next cycle on. close_i = 1
//           frees the channel of close_transfer_i. ready_o: see rdma_readers.
// Latency   0
// Source    own design
//
// Parameters
//   Pages        pages, a power of two, 2 to 16
//   Priorities   intra-priorities, 1 to 16

module rdma_serve
  import rdma_pkg::*;
#(
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  localparam int unsigned PageWidth = $clog2(Pages)
) (
  input  logic            clk_i,
  input  logic            rst_i,
  output logic            ready_o,
  input  answer_t         answer_i,
  input  logic            take_i,
  output logic            refused_o,
  output logic            serve_o,
  output logic      [5:0] channel_o,
  output schedule_t       schedule_o,
  output line_t           line_o,
  output asked_t          asked_o,
  input  logic            close_i,
  input  transfer_t       close_transfer_i
);

  logic good, free;
  rdma_check #(
    .Priorities(Priorities)
  ) u_check (
    .line_i    (answer_i.line),
    .long_i    (1'b0),
    .good_o    (good),
    .schedule_o(schedule_o)
  );

  rdma_readers #(
    .Pages(Pages)
  ) u_readers (
    .page_i         (answer_i.domain[PageWidth-1:0]),
    .free_o         (free),
    .open_i         (serve_o),
    .close_page_i   (close_transfer_i[7+:PageWidth]),
    .close_channel_i(close_transfer_i[5:0]),
    .*
  );

  logic [15:0] asker_page;
  assign asker_page = 16'(answer_i.transfer[TransferWidth-1:7]);
  assign refused_o = !(good && answer_i.line.read && free && 32'(answer_i.domain) < Pages
      && asker_page == answer_i.domain && answer_i.line.destination[63:48] == answer_i.node);
  assign serve_o = answer_i.kind == KindReadRequest && !refused_o && take_i;

  always_ff @(posedge clk_i) begin
    if (serve_o) begin
      line_o <= answer_i.line;
      line_o.read <= 1'b0;
      asked_o <= '{
          epoch: answer_i.epoch,
          channel: answer_i.transfer[6:0],
          sequence_: answer_i.sequence_,
          tid: answer_i.tid
      };
    end
  end

  logic unused_fields;
  assign unused_fields = ^{answer_i, close_transfer_i};

endmodule
