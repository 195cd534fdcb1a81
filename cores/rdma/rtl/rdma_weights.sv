// SPDX-License-Identifier: Apache-2.0
//
// rdma_weights: which classes may be served, by their weights.
//
// What      With weighted service the classes take turns, as a deficit round robin: a class whose
//           turn comes gets a credit of 64 words for each unit of its weight, pays a word for each
//           64 bytes of a block of it, and is served while it has some. A turn passes if nothing
//           of its class can be issued.
// Why       Strict priority lets a busy class small starve the others.
// Contract  can_i: the class has an entry that could be issued now, but for its turn; none has
//           without room_i, and turns stand still. may_o: it may be served. issued: a block of a
//           class is issued, some cycles after it was taken; what was taken too much meanwhile is
//           owed and paid with later turns, as are repetitions, which wait for no turn. A debt ends
//           at 8192 words. A credit does not grow in turns that are not used. Without
//           service_i.weighted all classes may be served, from the next cycle on.
// Latency   A turn that passes takes a cycle
// Source    Deficit round robin, M. Shreedhar and G. Varghese, 1995

module rdma_weights
  import rdma_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_i,
  input  service_t           service_i,
  input  logic               room_i,
  input  logic         [2:0] can_i,
  input  logic               issued_valid_i,
  input  block_class_t       issued_i,
  output logic         [2:0] may_o
);

  localparam int unsigned Classes = 3;
  localparam int unsigned CreditWidth = 15;
  typedef logic signed [CreditWidth-1:0] credit_t;
  localparam credit_t Deepest = -credit_t'(8192);

  credit_t [Classes-1:0] credit_q;
  credit_t [Classes-1:0] credit_d;
  logic [Classes-1:0] turn_q, turn_d, may_q;
  logic passes;
  // What is issued, and what it costs a cycle later.
  logic issued_valid_q, pays_q;
  block_class_t issued_q;
  logic [1:0] class_q;
  logic [10:0] words_q;

  assign passes = room_i && (turn_q & can_i & may_q) == '0;
  assign turn_d = passes ? {turn_q[Classes-2:0], turn_q[Classes-1]} : turn_q;
  assign may_o  = may_q;

  always_comb begin
    for (int unsigned c = 0; c < Classes; c++) begin
      credit_t paid, fresh;
      paid = credit_q[c];
      if (pays_q && 32'(class_q) == c && credit_q[c] > Deepest)
        paid = credit_q[c] - credit_t'(words_q);
      // A weight of 0 is 16.
      fresh = credit_t'({service_i.weights[c] == '0, service_i.weights[c], 6'd0});
      credit_d[c] = paid;
      if (passes && turn_d[c]) credit_d[c] = paid > 0 ? fresh : paid + fresh;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || !service_i.weighted) begin
      credit_q <= '0;
      may_q <= '1;
      turn_q <= 3'b001;
      issued_valid_q <= 1'b0;
      pays_q <= 1'b0;
    end else begin
      credit_q <= credit_d;
      for (int unsigned c = 0; c < Classes; c++) may_q[c] <= turn_d[c] && credit_d[c] > 0;
      turn_q <= turn_d;
      issued_valid_q <= issued_valid_i;
      pays_q <= issued_valid_q;
    end
    issued_q <= issued_i;
    class_q  <= issued_q.class_;
    words_q  <= 11'((issued_q.bytes + 17'd63) >> 6);
  end

endmodule
