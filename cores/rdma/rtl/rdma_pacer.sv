// SPDX-License-Identifier: Apache-2.0
//
// rdma_pacer: the rate of each flow, of each page and class, and to each node: blocks wait in the
// Transaction Table until they may be sent.
//
// What      A block without flow goes on at once. One of a flow is written into the Transaction
//           Table, and its TID goes round in a FIFO until the times of its flow, of its page and
//           class, and of its node (rdma_congestion) have come. Then the block goes on, and each of
//           the first two rests for its interval / 16 cycles for each 64 bytes of it.
// Why       Congestion management slows a flow down at its source, a share of the line a page, and
//           others must not wait with it.
// Contract  s and m side: valid and ready; blocks without flow first, with weighted_i after one
//           with a flow. Flow f, 128 to 255, has number f - 128 at the rate port: rate_valid_i = 1
//           sets its interval, from its next block on; 0 is no limit, as all have after reset.
//           page_rates_i has the intervals of each page, of its classes one path and four paths. A
//           TID is not handed over again before its block has left. Blocks of a flow may overtake
//           each other. After rst_i nothing is taken until ready_o is 1, 128 cycles, and the rate
//           port must be left alone.
// Latency   0 cycles without flow; with one 5 cycles if it may send and no other waits, or 6 if it
//           meets the cycle of 32 in which a rest that is over is forgotten.
// Storage   Transaction Table, TIDs: block RAM; times and intervals: LUT memory.
// Source    own design
//
// Parameters
//   Nodes   nodes with a rate of their own, see rdma_congestion

module rdma_pacer
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter int unsigned Nodes = 4
) (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        ready_o,
  input  logic        rate_valid_i,
  input  rate_t       rate_i,
  input  page_rates_t page_rates_i,
  input  congestion_t congestion_i,
  input  answered_t   answered_i,
  output logic        slowed_o,
  input  logic        weighted_i,
  input  logic        s_valid_i,
  output logic        s_ready_o,
  input  block_job_t  s_job_i,
  output logic        m_valid_o,
  input  logic        m_ready_i,
  output block_job_t  m_job_o
);

  localparam int unsigned Flows = 128;
  localparam int unsigned Blocks = 512;  // TIDs of flows: 512 and up
  localparam int unsigned PlaceWidth = $clog2(Blocks);
  localparam int unsigned PageClasses = 32;
  localparam int unsigned CostWidth = 11 + 16 - 4;

  // See rdma_rests.
  typedef logic [CostWidth:0] time_t;

  // A block in the round. The upper half of the TIDs of flows is of four paths.
  typedef logic [$clog2(Nodes)-1:0] node_t;
  typedef struct packed {
    node_t node;
    page_t page;
    logic [PlaceWidth-1:0] place;
  } round_t;

  typedef enum logic [1:0] {
    StateLook,
    StateRead,
    StateCost,
    StateOffer
  } state_e;

  state_e state_q;
  logic clearing_q;
  logic [6:0] clear_q;
  time_t now_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clearing_q <= 1'b1;
      clear_q <= '0;
      now_q <= '0;
    end else begin
      if (clearing_q) clearing_q <= clear_q != 7'(Flows - 1);
      clear_q <= clear_q + 7'd1;
      now_q   <= now_q + time_t'(1);
    end
  end
  assign ready_o = !clearing_q;

  // In: blocks without flow pass, the others are written down.
  logic take, keeps, passes, put_ready, look, scrub_q, due;
  assign passes = !s_job_i.block.managed;
  logic offers_first;
  assign offers_first = weighted_i && state_q == StateOffer;
  assign s_ready_o = ready_o && (passes ? m_ready_i && !offers_first : put_ready);
  assign take = s_valid_i && s_ready_o;
  assign keeps = take && !passes;

  // Round: one is looked at; who is not due goes to the end, unless a new one comes.
  logic head_valid, head_ready;
  round_t came, head, looked_q, chosen_q;
  // Page and class of each: where its rate, and when it may go on, are kept.
  logic [4:0] head_class, looked_class, chosen_class;
  assign head_class   = {head.page, head.place[PlaceWidth-1]};
  assign looked_class = {looked_q.page, looked_q.place[PlaceWidth-1]};
  assign chosen_class = {chosen_q.page, chosen_q.place[PlaceWidth-1]};
  logic looked_valid_q;
  logic [9:0] unused_level;
  logic turn;
  assign look = state_q == StateLook && looked_valid_q && !scrub_q;
  assign turn = look && !due && !keeps;
  assign head_ready = (!looked_valid_q && !scrub_q) || turn || (look && due);

  assign came = '{
          node: s_job_i.block.destination[48+:$bits(node_t)],
          page: s_job_i.block.domain[3:0],
          place: s_job_i.use_.tid[PlaceWidth-1:0]
      };

  prim_fifo_sync #(
    .Width      ($bits(round_t)),
    .Depth      (Blocks),
    .FallThrough(1'b0)
  ) u_round (
    .s_valid_i(keeps || turn),
    .s_ready_o(put_ready),
    .s_data_i (turn ? looked_q : came),
    .m_valid_o(head_valid),
    .m_ready_i(head_ready),
    .m_data_o (head),
    .level_o  (unused_level),
    .*
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) looked_valid_q <= 1'b0;
    else if (head_ready) looked_valid_q <= head_valid;
    if (head_ready) looked_q <= head;
  end

  block_job_t job;
  prim_ram_1r1w #(
    .Width($bits(block_job_t)),
    .Depth(Blocks)
  ) u_table (
    .clk_i    (clk_i),
    .wr_en_i  (keeps),
    .wr_addr_i(came.place),
    .wr_data_i(s_job_i),
    .rd_en_i  (look && due),
    .rd_addr_i(looked_q.place),
    .rd_data_o(job)
  );

  // When a flow, and a page in its class, may send again, and how long they rest.
  logic leaves, flow_due, page_due, node_due, others_due_q, page_rests;
  logic node_limited, node_rests;
  logic [15:0] interval, page_interval_q;
  logic [CostWidth-1:0] cost_q, page_cost_q;
  logic [10:0] words;
  always_ff @(posedge clk_i) scrub_q <= now_q[4:0] == '1;

  rdma_rests #(
    .Count    (Flows),
    .CostWidth(CostWidth)
  ) u_flows (
    .clk_i         (clk_i),
    .now_i         (now_q),
    .scrub_i       (scrub_q),
    .clear_i       (clearing_q),
    .clear_number_i(clear_q),
    .look_number_i (looked_q.place[8:2]),
    .due_o         (flow_due),
    .rests_i       (leaves),
    .number_i      (chosen_q.place[8:2]),
    .cost_i        (cost_q)
  );

  rdma_rests #(
    .Count    (PageClasses),
    .CostWidth(CostWidth)
  ) u_pages (
    .clk_i         (clk_i),
    .now_i         (now_q),
    .scrub_i       (scrub_q),
    .clear_i       (clearing_q),
    .clear_number_i(clear_q[4:0]),
    .look_number_i (head_class),
    .due_o         (page_due),
    .rests_i       (leaves),
    .number_i      (chosen_class),
    .cost_i        (page_cost_q)
  );

  rdma_congestion #(
    .Nodes(Nodes)
  ) u_nodes (
    .config_i      (congestion_i),
    .clear_i       (clearing_q),
    .clear_number_i(clear_q[$bits(node_t)-1:0]),
    .look_i        (head.node),
    .due_o         (node_due),
    .leave_i       (leaves),
    .leave_node_i  (chosen_q.node),
    .leave_place_i (chosen_q.place),
    .leave_words_i (words),
    .limited_o     (node_limited),
    .*
  );

  prim_ram_lut #(
    .Width(16),
    .Depth(Flows)
  ) u_intervals (
    .clk_i    (clk_i),
    .wr_en_i  (clearing_q || rate_valid_i),
    .wr_addr_i(clearing_q ? clear_q : rate_i.flow),
    .wr_data_i(clearing_q ? 16'd0 : rate_i.interval),
    .rd_addr_i(chosen_q.place[8:2]),
    .rd_data_o(interval)
  );

  function automatic logic [CostWidth-1:0] cost_of(input logic [10:0] count,
                                                   input logic [15:0] each);
    return CostWidth'((27'(count) * 27'(each) + 27'd15) >> 4);
  endfunction

  // Those of page and node are looked up as a block comes out of the round; another one of the same
  // page, or to the same node, may leave before its turn.
  logic head_rests, looked_rests;
  assign page_rests = leaves && page_cost_q != '0;
  assign node_rests = leaves && node_limited;
  assign head_rests = (page_rests && chosen_class == head_class)
      || (node_rests && chosen_q.node == head.node);
  assign looked_rests = (page_rests && chosen_class == looked_class)
      || (node_rests && chosen_q.node == looked_q.node);
  always_ff @(posedge clk_i) begin
    if (head_ready) others_due_q <= page_due && node_due && !head_rests;
    else if (looked_rests) others_due_q <= 1'b0;
  end

  assign due   = flow_due && others_due_q;
  assign words = 11'((job.block.size + 17'd63) >> 6);

  always_ff @(posedge clk_i) begin
    if (rst_i) state_q <= StateLook;
    else begin
      unique case (state_q)
        StateLook: if (look && due) state_q <= StateRead;
        StateRead: state_q <= StateCost;
        StateCost: state_q <= StateOffer;
        default:   if (leaves) state_q <= StateLook;
      endcase
    end
    if (look) chosen_q <= looked_q;
    page_interval_q <= page_rates_i[chosen_q.page][chosen_q.place[PlaceWidth-1]];
    if (state_q != StateOffer) begin
      cost_q <= cost_of(words, interval);
      page_cost_q <= cost_of(words, page_interval_q);
    end
  end

  // Out.
  logic passing;
  assign passing = s_valid_i && passes && ready_o && !offers_first;
  assign m_valid_o = passing || state_q == StateOffer;
  assign leaves = state_q == StateOffer && m_ready_i && !passing;
  assign m_job_o = passing ? s_job_i : job;

endmodule
