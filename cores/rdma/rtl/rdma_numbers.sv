// SPDX-License-Identifier: Apache-2.0
//
// rdma_numbers: the pools of numbers: TIDs outside of flows, flows for one path, groups of four flows.
//
// What      One rdma_id_pool for each kind.
// Contract  free_o: how many of each are free, and the next one, which is taken with taken_i.
//           returned_i: numbers that come back. refused_o: one was not out. ready_o: see rdma_id_pool.
// Latency   0
// Source    own design
//
// Parameters
//   TidCount, SingleCount, GroupCount   numbers: TIDs from 0, flows from 128, groups from 192

module rdma_numbers
  import rdma_pkg::*;
#(
  parameter int unsigned TidCount = 512,
  parameter int unsigned SingleCount = 64,
  parameter int unsigned GroupCount = 16
) (
  input  logic      clk_i,
  input  logic      rst_i,
  output logic      ready_o,
  output free_t     free_o,
  input  taken_t    taken_i,
  input  returned_t returned_i,
  output logic      refused_o
);

  logic [2:0] ready, refused, unused_valid;
  assign ready_o   = ready == '1;
  assign refused_o = refused != '0;

  rdma_id_pool #(
    .Count  (TidCount),
    .First  (0),
    .Step   (1),
    .IdWidth(TidWidth)
  ) u_tids (
    .ready_o     (ready[0]),
    .take_valid_o(unused_valid[0]),
    .take_ready_i(taken_i.tid),
    .take_id_o   (free_o.tid),
    .put_valid_i (returned_i.valid.tid),
    .put_id_i    (returned_i.tid),
    .refused_o   (refused[0]),
    .free_o      (free_o.tids),
    .*
  );

  rdma_id_pool #(
    .Count  (SingleCount),
    .First  (128),
    .Step   (1),
    .IdWidth(FlowWidth)
  ) u_singles (
    .ready_o     (ready[1]),
    .take_valid_o(unused_valid[1]),
    .take_ready_i(taken_i.single),
    .take_id_o   (free_o.single),
    .put_valid_i (returned_i.valid.single),
    .put_id_i    (returned_i.flow),
    .refused_o   (refused[1]),
    .free_o      (free_o.singles),
    .*
  );

  rdma_id_pool #(
    .Count  (GroupCount),
    .First  (192),
    .Step   (4),
    .IdWidth(FlowWidth)
  ) u_groups (
    .ready_o     (ready[2]),
    .take_valid_o(unused_valid[2]),
    .take_ready_i(taken_i.group),
    .take_id_o   (free_o.group),
    .put_valid_i (returned_i.valid.group),
    .put_id_i    (returned_i.flow),
    .refused_o   (refused[2]),
    .free_o      (free_o.groups),
    .*
  );

endmodule
