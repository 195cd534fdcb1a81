// SPDX-License-Identifier: Apache-2.0
//
// rdma_congestion: the rate to each node, which marks of the network lower and time raises.
//
// What      An answer that tells of a mark lowers the rate to the node that it comes from: from the
//           full rate to a first one, from any other by a fraction, down to a least one. A fraction
//           counts once in a round trip: only blocks that have left since the last fall lower the
//           rate again. Each 1024 cycles a rate rises by a fixed amount, but not between an answer
//           with a mark and one without, or 15 of these times. At the full rate there is no limit.
// Why       Falls in proportion and rises of one amount bring all who share a line to equal rates;
//           with the pause a long queue drains before anybody rises again. By node and not by flow:
//           the next transfer to a node has another flow, and the flow's next one another node.
// Contract  look_i, due_o: a block may go to that node. leave_i = 1: one of leave_words_i words
//           does, its TID is leave_place_i + 512; not in two of four cycles. answered_i: answers to
//           blocks with a flow, at most one in 4 cycles. clear_i = 1 gives the node
//           clear_number_i[*] the full rate; all are to be cleared after a reset. slowed_o: a rate
//           has fallen; a pulse. config_i is steady, with fall 0 all rates are full. Nodes are told
//           from each other by their low bits.
// Latency   look_i to due_o 0 cycles; 2 from answered_i to the rate. What may leave is found once
//           in 4 * Nodes cycles.
// Storage   LUT memory
// Source    own design
//
// Parameters
//   Nodes   a power of two, 2 to 64

module rdma_congestion
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter  int unsigned Nodes     = 4,
  localparam int unsigned NodeWidth = $clog2(Nodes)
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  input  congestion_t                 config_i,
  input  logic                        clear_i,
  input  logic        [NodeWidth-1:0] clear_number_i,
  input  logic        [NodeWidth-1:0] look_i,
  output logic                        due_o,
  input  logic                        leave_i,
  input  logic        [NodeWidth-1:0] leave_node_i,
  input  logic        [          8:0] leave_place_i,
  input  logic        [         10:0] leave_words_i,
  input  answered_t                   answered_i,
  output logic                        slowed_o
);

  if (Nodes < 2 || Nodes > 64 || (Nodes & (Nodes - 1)) != 0) begin : gen_bad_nodes
    $error("rdma_congestion %m: rule Nodes is a power of two, 2 to 64, got %0d", Nodes);
  end

  // A rate is in 2^-15 words a cycle, a debt in 2^-12 words: what a node is ahead of its rate, down
  // to what comes between two visits, so that the mean is exact.
  localparam int unsigned FractionWidth = 12;
  localparam int unsigned DebtWidth = 11 + FractionWidth + 1;
  localparam int unsigned HoldWidth = 4;
  localparam int unsigned TickWidth = 10;
  typedef logic [15:0] rate_t;
  typedef logic signed [DebtWidth-1:0] debt_t;
  typedef logic [NodeWidth-1:0] node_t;
  localparam rate_t Full = 16'h8000;
  localparam rate_t Least = Full >> 8;

  typedef struct packed {
    rate_t rate;
    debt_t debt;
    logic [HoldWidth-1:0] hold;  // ticks for which it does not rise
    logic fell;  // changes with each fall
  } state_t;

  // ---- One thing in each cycle; each node is visited in its turn ----
  typedef enum logic [2:0] {
    OpNone,
    OpClear,
    OpLeave,
    OpHear,
    OpVisit
  } op_e;

  op_e op, op_q;
  node_t number, number_q, visit_q;
  logic [1:0] slot_q;
  logic visit_due_q;
  logic [TickWidth-NodeWidth-3:0] rounds_q;
  logic tick_q;  // the rates may rise in this round of visits
  answered_t heard_q;
  assign tick_q = rounds_q == '0;

  always_comb begin
    op = OpNone;
    number = visit_q;
    if (clear_i) begin
      op = OpClear;
      number = clear_number_i;
    end else if (leave_i) begin
      op = OpLeave;
      number = leave_node_i;
    end else if (heard_q.valid) begin
      op = OpHear;
      number = heard_q.node[NodeWidth-1:0];
    end else if (visit_due_q) begin
      op = OpVisit;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      slot_q <= '0;
      visit_due_q <= 1'b0;
      visit_q <= '0;
      rounds_q <= '0;
      heard_q.valid <= 1'b0;
    end else begin
      slot_q <= slot_q + 2'd1;
      if (slot_q == '1) visit_due_q <= 1'b1;
      else if (op == OpVisit) visit_due_q <= 1'b0;
      if (op == OpVisit) begin
        visit_q <= visit_q + node_t'(1);
        if (visit_q == '1) rounds_q <= rounds_q + 1'b1;
      end
      heard_q.valid <= answered_i.valid || (heard_q.valid && op != OpHear);
    end
    if (answered_i.valid) begin
      heard_q.echo  <= answered_i.echo;
      heard_q.node  <= answered_i.node;
      heard_q.place <= answered_i.place;
    end
  end

  // ---- What was so far; the operation before may write it just now ----
  state_t stored, state_q, next;
  logic leave_fell, leave_fell_q;  // when the block that is answered left
  logic [10:0] words_q;
  logic [ 8:0] place_q;
  logic echo_q, rises_q;

  prim_ram_lut #(
    .Width($bits(state_t)),
    .Depth(Nodes)
  ) u_states (
    .clk_i    (clk_i),
    .wr_en_i  (op_q != OpNone),
    .wr_addr_i(number_q),
    .wr_data_i(next),
    .rd_addr_i(number),
    .rd_data_o(stored)
  );

  prim_ram_lut #(
    .Width(1),
    .Depth(512)
  ) u_falls (
    .clk_i    (clk_i),
    .wr_en_i  (op_q == OpLeave),
    .wr_addr_i(place_q),
    .wr_data_i(state_q.fell),
    .rd_addr_i(heard_q.place),
    .rd_data_o(leave_fell)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) op_q <= OpNone;
    else op_q <= op;
    number_q <= number;
    state_q <= (op_q != OpNone && number == number_q) ? next : stored;
    leave_fell_q <= leave_fell;
    words_q <= leave_words_i;
    place_q <= leave_place_i;
    echo_q <= heard_q.echo;
    rises_q <= tick_q;
  end

  // ---- What becomes of it ----
  logic limited, falls;
  rate_t fallen;
  logic [16:0] raised;
  debt_t share;  // what may leave between two visits
  assign limited = state_q.rate != Full;
  assign falls = op_q == OpHear && echo_q && config_i.fall != '0 && leave_fell_q == state_q.fell;
  assign fallen = limited ? state_q.rate - (state_q.rate >> config_i.fall) : Full >> config_i.first;
  assign raised = 17'(state_q.rate) + 17'(config_i.increase);
  assign share = debt_t'(state_q.rate) <<< (NodeWidth - 1);

  always_comb begin
    next = state_q;
    unique case (op_q)
      OpClear: next = '{rate: Full, debt: '0, hold: '0, fell: 1'b0};
      OpLeave: if (limited) next.debt = state_q.debt + (debt_t'(words_q) <<< FractionWidth);
      OpHear: begin
        next.hold = echo_q ? '1 : '0;
        if (falls) begin
          next.rate = fallen < Least ? Least : fallen;
          next.fell = !state_q.fell;
        end
      end
      OpVisit: begin
        next.debt = (state_q.debt > 0 ? state_q.debt : '0) - share;
        if (rises_q) begin
          if (state_q.hold != '0) next.hold = state_q.hold - 1'b1;
          else next.rate = raised > 17'(Full) ? Full : raised[15:0];
        end
        if (config_i.fall == '0) next.rate = Full;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) slowed_o <= falls && !rst_i;

  // ---- Who may send. A block that has just left is not in the debt yet ----
  logic [Nodes-1:0] rests_q;
  always_ff @(posedge clk_i) begin
    if (op_q != OpNone) rests_q[number_q] <= next.rate != Full && next.debt > 0;
  end
  assign due_o = !rests_q[look_i] && !(op_q == OpLeave && limited && number_q == look_i);

  logic unused_node;
  assign unused_node = ^heard_q.node;

endmodule
