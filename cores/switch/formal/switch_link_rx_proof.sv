// SPDX-License-Identifier: Apache-2.0
//
// Proof of switch_link_rx: its memory is never exceeded, whatever the peer sends, and what it
// offers to the peer is exactly what is free.
//
// Words of the link, sessions and resets are free; the user frees and drops words that it holds.
// Invariant, for each class: words that the peer may still send, words that are held and words that
// are still to come of the packet under way are VcWords.

module switch_link_rx_proof
  import switch_pkg::*;
#(
  parameter int unsigned VcWords  = 5,
  parameter int unsigned MaxWords = 3
) (
  input logic                   clk_i,
  input logic                   rst_i,
  input logic                   link_up_i,
  input word_t                  s_axis_tdata,
  input logic   [WordBytes-1:0] s_axis_tkeep,
  input logic                   s_axis_tlast,
  input logic                   s_axis_tuser,
  input logic                   s_axis_tvalid,
  input logic                   free_i,
  input class_t                 free_class_i,
  input logic                   drop_i,
  input class_t                 drop_class_i
);

  localparam logic [1:0] Body = 2'd2;  // state_e of the module

  logic valid, free, drop;
  beat_t beat;
  class_t cls;
  peer_t peer;
  answer_t answer;
  rx_event_t seen;
  logic ready, peer_valid;

  switch_link_rx #(
    .VcWords (VcWords),
    .MaxWords(MaxWords)
  ) u_dut (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .link_up_i    (link_up_i),
    .s_axis_tdata (s_axis_tdata),
    .s_axis_tkeep (s_axis_tkeep),
    .s_axis_tlast (s_axis_tlast),
    .s_axis_tuser (s_axis_tuser),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(ready),
    .m_valid_o    (valid),
    .m_beat_o     (beat),
    .m_class_o    (cls),
    .free_valid_i (free),
    .free_class_i (free_class_i),
    .drop_valid_i (drop),
    .drop_class_i (drop_class_i),
    .peer_valid_o (peer_valid),
    .peer_o       (peer),
    .answer_o     (answer),
    .event_o      (seen)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  // ---- The user: words that have come, and have not been freed or dropped ----
  limits_t held_q, pending, room;
  assign free = free_i && held_q[free_class_i] != '0;
  assign drop = drop_i && held_q[drop_class_i] > limit_t'(free && free_class_i == drop_class_i);

  for (genvar c = 0; c < Classes; c++) begin : gen_class
    logic came, freed, dropped;
    assign came = valid && cls == class_t'(c);
    assign freed = free && free_class_i == class_t'(c);
    assign dropped = drop && drop_class_i == class_t'(c);
    always_ff @(posedge clk_i) begin
      held_q[c] <= held_q[c] + limit_t'(came) - limit_t'(freed) - limit_t'(dropped);
      if (rst_i) held_q[c] <= '0;
    end
    assign pending[c] = u_dut.state_q == Body && u_dut.class_q == class_t'(c)
        ? limit_t'(u_dut.rest_q) : '0;
    assign room[c] = answer.limits[c] - u_dut.taken_q[c];
    always_comb begin
      if (started_q) begin
        assert (held_q[c] <= limit_t'(VcWords));
        assert (held_q[c] + limit_t'(came) == u_dut.occupied_q[c]);
        assert (room[c] <= limit_t'(VcWords) && pending[c] <= limit_t'(MaxWords - 1));
        assert (u_dut.occupied_q[c] <= limit_t'(VcWords));
        assert (room[c] + pending[c] + u_dut.occupied_q[c] == limit_t'(VcWords));
      end
    end
    if (c == 1) begin : gen_reach
      always_comb begin
        cover (started_q && held_q[c] == limit_t'(VcWords));
        cover (started_q && seen.overrun && held_q[c] == limit_t'(VcWords - 1));
      end
    end
  end

  always_comb begin
    if (started_q) assert (u_dut.state_q <= Body);
    if (started_q && u_dut.state_q == Body) assert (u_dut.rest_q != '0);
  end

  logic unused;
  assign unused = ^{beat, peer, peer_valid, ready, seen};

endmodule
