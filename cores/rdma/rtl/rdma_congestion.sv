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
//           does, its TID is leave_place_i + 512; not in two of four cycles. limited_o: the rate to
//           this node is not full; then it rests from the next cycle on, unless it has some to
//           spare. answered_i: answers to blocks with a flow, at most one in 4 cycles. clear_i = 1
//           gives node clear_number_i the full rate; all are to be cleared after a reset. slowed_o:
//           a rate has fallen; a pulse. config_i is steady, with fall 0 all rates are full. Nodes
//           differ in their low bits.
// Latency   look_i to due_o 0 cycles; up to 10 from answered_i to the rate. What may leave is found
//           once in 4 * Nodes cycles.
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
  output logic                        limited_o,
  output logic                        slowed_o
);

  if (Nodes < 2 || Nodes > 64 || (Nodes & (Nodes - 1)) != 0) begin : gen_bad_nodes
    $error("rdma_congestion %m: rule Nodes is a power of two, 2 to 64, got %0d", Nodes);
  end

  // A rate is in 2^-15 words a cycle, a debt in 2^-12 words: what a node is ahead of its rate.
  // Below zero it may send; down to what comes between two visits, so that the mean is exact.
  localparam int unsigned FractionWidth = 12;
  localparam int unsigned DebtWidth = 11 + FractionWidth + 1;
  localparam int unsigned HoldWidth = 4;
  localparam int unsigned TickWidth = 10;
  localparam int unsigned RoundWidth = TickWidth - 2 - NodeWidth;
  typedef logic [15:0] speed_t;
  typedef logic [DebtWidth-1:0] debt_t;
  typedef logic [NodeWidth-1:0] node_t;
  localparam speed_t Full = 16'h8000;  // only the full rate has this bit
  localparam speed_t Least = Full >> 8;

  typedef struct packed {
    speed_t rate;
    debt_t debt;
    logic [HoldWidth-1:0] hold;  // ticks for which it does not rise
    logic fell;  // changes with each fall
  } state_t;

  // ---- One thing in each cycle; each node is visited in its turn ----
  typedef enum logic [2:0] {
    OpNone,
    OpClear,
    OpLeave,
    OpFall,
    OpHear,
    OpVisit
  } op_e;

  op_e op, op_q;
  node_t number, number_q, visit_q, fall_node_q;
  logic [1:0] slot_q;
  logic visit_due_q, rises_q, echo_q;
  logic [RoundWidth-1:0] round_q;
  logic [10:0] words_q;
  logic [8:0] place_q;
  answered_t heard_q;
  logic [2:0] falling_q;  // steps of a fall: shift, subtract, write

  always_comb begin
    op = OpNone;
    number = visit_q;
    if (clear_i) begin
      op = OpClear;
      number = clear_number_i;
    end else if (leave_i) begin
      op = OpLeave;
      number = leave_node_i;
    end else if (falling_q[2]) begin
      op = OpFall;
      number = fall_node_q;
    end else if (heard_q.valid && op_q != OpHear && falling_q == '0) begin
      op = OpHear;
      number = heard_q.node[NodeWidth-1:0];
    end else if (visit_due_q) begin
      op = OpVisit;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      op_q <= OpNone;
      slot_q <= '0;
      visit_due_q <= 1'b0;
      visit_q <= '0;
      round_q <= '0;
      heard_q.valid <= 1'b0;
    end else begin
      op_q   <= op;
      slot_q <= slot_q + 2'd1;
      if (slot_q == '1) visit_due_q <= 1'b1;
      else if (op == OpVisit) visit_due_q <= 1'b0;
      if (op == OpVisit) {round_q, visit_q} <= {round_q, visit_q} + 1'b1;
      heard_q.valid <= answered_i.valid || (heard_q.valid && op != OpHear);
    end
    if (answered_i.valid) begin
      heard_q.echo  <= answered_i.echo;
      heard_q.node  <= answered_i.node;
      heard_q.place <= answered_i.place;
    end
    number_q <= number;
    place_q  <= op == OpLeave ? leave_place_i : heard_q.place;
    words_q  <= leave_words_i;
    echo_q   <= heard_q.echo;
    rises_q  <= round_q == '0;
  end

  // ---- What was so far, and what becomes of it ----
  state_t state, next;
  logic limited, left_fell, falls;
  speed_t fallen_q;
  logic [16:0] raised;

  prim_ram_lut #(
    .Width($bits(state_t)),
    .Depth(Nodes)
  ) u_states (
    .clk_i    (clk_i),
    .wr_en_i  (op_q != OpNone),
    .wr_addr_i(number_q),
    .wr_data_i(next),
    .rd_addr_i(number_q),
    .rd_data_o(state)
  );

  // Which fall a block has left behind.
  prim_ram_lut #(
    .Width(1),
    .Depth(512)
  ) u_falls (
    .clk_i    (clk_i),
    .wr_en_i  (op_q == OpLeave),
    .wr_addr_i(place_q),
    .wr_data_i(state.fell),
    .rd_addr_i(place_q),
    .rd_data_o(left_fell)
  );

  assign limited = !state.rate[15];
  assign falls   = op_q == OpHear && echo_q && config_i.fall != '0 && left_fell == state.fell;
  assign raised  = 17'(state.rate) + 17'(config_i.increase);

  always_comb begin
    next = state;
    unique case (op_q)
      OpClear: next = '{rate: Full, debt: '0, hold: '0, fell: 1'b0};
      OpLeave: if (limited) next.debt = state.debt + (debt_t'(words_q) << FractionWidth);
      OpFall: begin
        next.rate = fallen_q;
        next.fell = !state.fell;
      end
      OpHear:  next.hold = echo_q ? '1 : '0;
      OpVisit: begin
        next.debt = (state.debt[DebtWidth-1] ? '0 : state.debt)
            - (debt_t'(state.rate) << (NodeWidth - 1));
        if (rises_q) begin
          if (state.hold != '0) next.hold = state.hold - 1'b1;
          else next.rate = raised[16:15] != '0 ? Full : raised[15:0];
        end
        if (config_i.fall == '0) next.rate = Full;
      end
      default: ;
    endcase
  end

  // A fall takes its time: what a rate rises meanwhile is lost.
  speed_t fall_rate_q, fall_by_q;
  logic fall_limited_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) falling_q <= '0;
    else if (!falling_q[2] || op == OpFall) falling_q <= {falling_q[1:0], falls};
    slowed_o <= op_q == OpFall && !rst_i;
    if (falls) begin
      fall_node_q <= number_q;
      fall_limited_q <= limited;
      fall_rate_q <= state.rate;
    end
    if (falling_q[0]) begin
      fall_by_q <= fall_rate_q >> config_i.fall;
      if (!fall_limited_q) fall_rate_q <= Full >> config_i.first;
    end
    if (falling_q[1] && fall_limited_q) fall_rate_q <= fall_rate_q - fall_by_q;
  end
  always_ff @(posedge clk_i) fallen_q <= fall_rate_q < Least ? Least : fall_rate_q;

  // ---- Who may send. A block that has just left is not in the debt yet ----
  logic [Nodes-1:0] rests_q, limited_q;
  always_ff @(posedge clk_i) begin
    if (op_q != OpNone) begin
      limited_q[number_q] <= !next.rate[15];
      rests_q[number_q]   <= !next.rate[15] && !next.debt[DebtWidth-1];
    end
  end
  assign limited_o = limited_q[leave_node_i];
  assign due_o = !rests_q[look_i] && !(op_q == OpLeave && number_q == look_i && limited);

  logic unused_node;
  assign unused_node = ^heard_q.node;

endmodule
