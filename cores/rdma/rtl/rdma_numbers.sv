// SPDX-License-Identifier: Apache-2.0
//
// rdma_numbers: the pools of numbers: TIDs outside of flows, flows for one path, groups of four
// flows.
//
// What      One rdma_id_pool for each kind.
// Contract  free_o: how many of each are free, and the next one, which is taken with taken_i.
//           returned_i: numbers that come back. refused_o: one was not out. ready_o: see
//           rdma_id_pool.
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

  localparam int unsigned Kinds = 3;
  localparam int unsigned Counts[Kinds] = '{TidCount, SingleCount, GroupCount};
  localparam int unsigned Firsts[Kinds] = '{0, 128, 192};
  localparam int unsigned Widths[Kinds] = '{TidWidth, FlowWidth, FlowWidth};

  logic [Kinds-1:0] ready, refused, take, put;
  logic [Kinds-1:0][TidWidth-1:0] id, put_id;
  logic [Kinds-1:0][9:0] free;
  assign ready_o = ready == '1;
  assign refused_o = refused != '0;
  assign take = {taken_i.group, taken_i.single, taken_i.tid};
  assign put = {returned_i.valid.group, returned_i.valid.single, returned_i.valid.tid};
  assign put_id = {{2{TidWidth'(returned_i.flow)}}, returned_i.tid};
  assign free_o = '{
          tids: free[0],
          tid: id[0],
          singles: free[1][6:0],
          single: id[1][FlowWidth-1:0],
          groups: free[2][4:0],
          group: id[2][FlowWidth-1:0]
      };

  for (genvar k = 0; k < Kinds; k++) begin : gen_kind
    logic [Widths[k]-1:0] next;
    logic [$clog2(Counts[k]+1)-1:0] level;
    logic unused_valid;
    assign id[k]   = TidWidth'(next);
    assign free[k] = 10'(level);
    rdma_id_pool #(
      .Count  (Counts[k]),
      .First  (Firsts[k]),
      .Step   (k == 2 ? 4 : 1),
      .IdWidth(Widths[k])
    ) u_pool (
      .ready_o     (ready[k]),
      .take_valid_o(unused_valid),
      .take_ready_i(take[k]),
      .take_id_o   (next),
      .put_valid_i (put[k]),
      .put_id_i    (put_id[k][Widths[k]-1:0]),
      .refused_o   (refused[k]),
      .free_o      (level),
      .*
    );
  end

  logic unused_high;
  assign unused_high = ^{id, put_id, free};

endmodule
