// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_metadata: what one of segmenter and handler has changed is never lost to the other.
//
// The reference is an array of words, changed at once by whoever was let the cycle before. Both
// users want any transfer in any cycle, the same one included, and write anything; the handler does
// not want in two cycles in a row (rdma_handler_proof). The word that a user gets is that of the
// reference at that very moment, so each change is made upon all that were made before; only one of
// the two is let in a cycle, the handler always, and the segmenter waits for one cycle at most. By
// induction, for runs of any length, with resets at any time.

module rdma_metadata_proof
  import rdma_pkg::*;
#(
  localparam int unsigned Transfers = 4
) (
  input logic            clk_i,
  input logic            rst_i,
  input logic            segmenter_want_i,
  input logic      [1:0] segmenter_transfer_i,
  input metadata_t       segmenter_i,
  input logic            handler_want_i,
  input logic      [1:0] handler_transfer_i,
  input metadata_t       handler_i
);

  logic segmenter_go;
  logic handler_go;
  assign handler_go = handler_want_i;
  metadata_t data;

  metadata_req_t segmenter_req, handler_req;
  assign segmenter_req = {segmenter_want_i, transfer_t'(segmenter_transfer_i), segmenter_i};
  assign handler_req   = {handler_want_i, transfer_t'(handler_transfer_i), handler_i};

  rdma_metadata #(
    .Transfers(Transfers)
  ) u_dut (
    .segmenter_i   (segmenter_req),
    .segmenter_go_o(segmenter_go),
    .handler_i     (handler_req),
    .data_o        (data),
    .*
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  // The reference: who was let, for which transfer, and the words, those that were written at all.
  logic segmenter_q;
  logic handler_q;
  logic [1:0] transfer_q;
  logic [Transfers-1:0] known_q = '0;
  metadata_t word_q[Transfers];

  always_ff @(posedge clk_i) begin
    segmenter_q <= segmenter_go && !rst_i;
    handler_q   <= handler_go && !rst_i;
    transfer_q  <= handler_go ? handler_transfer_i : segmenter_transfer_i;
    if (started_q && (segmenter_q || handler_q)) begin
      known_q[transfer_q] <= 1'b1;
      word_q[transfer_q]  <= handler_q ? handler_i : segmenter_i;
    end
  end

  // Who had to wait.
  logic segmenter_waited_q;
  always_ff @(posedge clk_i) begin
    segmenter_waited_q <= segmenter_want_i && !segmenter_go && !rst_i;
  end
  always_comb assume (!(started_q && handler_q && handler_want_i));

  always_comb begin
    if (started_q) begin
      assert (!(segmenter_go && handler_go));
      assert ((segmenter_go || handler_go) == (segmenter_want_i || handler_want_i));
      assert (!(segmenter_go && !segmenter_want_i));
      if (segmenter_waited_q && segmenter_want_i) assert (segmenter_go);
      if ((segmenter_q || handler_q) && known_q[transfer_q]) assert (data == word_q[transfer_q]);
      // Invariants.
      assert (u_dut.busy_q == (segmenter_q || handler_q) && !(segmenter_q && handler_q));
      if (u_dut.busy_q) assert (u_dut.index_q == transfer_q && u_dut.handler_q == handler_q);
      if (segmenter_waited_q) assert (handler_q);
      for (int unsigned t = 0; t < Transfers; t++) begin
        if (known_q[t]) assert (u_dut.u_words.gen_lut.u_ram.mem[t] == word_q[t]);
      end
    end
  end

endmodule
