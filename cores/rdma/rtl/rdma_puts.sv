// SPDX-License-Identifier: Apache-2.0
//
// rdma_puts: entries of the handler that wait for the scheduling queues.
//
// What      Makes the entry of a transfer that has more to send, or whose control packet is due, or
//           that is new: a read of another node. Keeps it until the queues take it.
// Why       The segmenter, which cannot wait, has the queues first; the handler need not wait for
//           them in the middle of a transfer.
// Contract  more_i, control_i: of settle_i. serve_i: serve_i is new; not at the same time. A put is
//           at the queues from the next cycle on and stays until put_ready_i. room_o: there is room
//           for one that is still to come and for one more.
// Latency   1 cycle
// Source    own design
//
// Parameters
//   Priorities   intra-priorities, 1 to 16

module rdma_puts
  import rdma_pkg::*;
#(
  parameter int unsigned Priorities = 16
) (
  input  logic clk_i,
  input  logic rst_i,
  output logic room_o,
  input  logic more_i,
  input  logic control_i,
  input  job_t settle_i,
  input  logic serve_i,
  input  job_t served_i,
  output logic put_valid_o,
  input  logic put_ready_i,
  output put_t put_o
);

  localparam int unsigned Room = 4;

  transfer_t transfer;
  logic [1:0] class_;
  logic [3:0] priority_;
  queue_t queue;
  put_t put;
  logic control;
  assign {transfer, class_, priority_} = serve_i
      ? {served_i.transfer, served_i.class_, served_i.priority_}
      : {settle_i.transfer, settle_i.class_, settle_i.priority_};
  assign control = control_i && !serve_i;

  rdma_queue_number #(
    .Priorities(Priorities)
  ) u_queue (
    .packet_i  (control),
    .class_i   (class_),
    .has_flow_i(!serve_i),
    .priority_i(priority_),
    .queue_o   (queue)
  );
  assign put = '{
          queue_: queue,
          entry: '{transfer: transfer, tag: '{control: control, issued: !serve_i}}
      };

  logic unused_ready;
  logic [2:0] level;
  assign room_o = level < 3'(Room - 1);
  prim_fifo_sync #(
    .Width      ($bits(put_t)),
    .Depth      (Room),
    .FallThrough(1'b0)
  ) u_puts (
    .s_valid_i(more_i || control_i || serve_i),
    .s_ready_o(unused_ready),
    .s_data_i (put),
    .m_valid_o(put_valid_o),
    .m_ready_i(put_ready_i),
    .m_data_o (put_o),
    .level_o  (level),
    .*
  );

  logic unused_jobs;
  assign unused_jobs = ^{settle_i, served_i};

endmodule
