// SPDX-License-Identifier: Apache-2.0
//
// rdma_fate: what becomes of a packet that is decided about, or written, before it is judged.
//
// What      Tells rdma_write how the packet goes on that is written as it arrives, and gives up
//           one whose verdict does not come.
// Why       A sender may stop in the middle of a packet for as long as it likes, memory may as
//           well: what waits behind waits no longer than Patience cycles.
// Contract  cuts_i, a pulse: from now on a packet is written as it arrives; open_i until that ends:
//           judged_i with good_i and marked_i, or given up. waits_i: the packet that is looked at
//           is not judged; stopped_o, a pulse in the last of Patience such cycles in a row: it is
//           given up. fate_o: see fate_t.
// Latency   0
// Source    own design

module rdma_fate
  import rdma_unit_pkg::*;
#(
  localparam int unsigned Patience = 64
) (
  input  logic  clk_i,
  input  logic  rst_i,
  input  logic  cuts_i,
  input  logic  open_i,
  input  logic  waits_i,
  input  logic  judged_i,
  input  logic  good_i,
  input  logic  marked_i,
  output fate_t fate_o,
  output logic  stopped_o
);

  fate_t fate_q;
  logic [$clog2(Patience)-1:0] left_q;

  assign stopped_o = waits_i && left_q == '0;
  always_comb begin
    fate_o = fate_q;
    fate_o.settles = open_i && (judged_i || stopped_o);
    fate_o.counts = judged_i && good_i;
    fate_o.marked = marked_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fate_q <= '0;
    end else if (cuts_i) begin
      fate_q <= '{tag: !fate_q.tag, open: 1'b1, default: 1'b0};
    end else if (fate_o.settles) begin
      fate_q.open <= 1'b0;
      fate_q.good <= fate_o.counts;
    end
    left_q <= waits_i ? left_q - 1'b1 : '1;
  end

endmodule
