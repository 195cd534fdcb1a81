// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_id_pool: conservation. After it has filled itself each number of the pool is either
// free, and then stands in it once, or out; none is given to two, whatever is brought back, and
// however often.
//
// Nothing is assumed about what comes back: numbers that are not out, twice in a row, or not of
// this pool. An observer notes who is out from what it sees at the ports; the invariants count the
// places of each number in the memory. By induction, for runs of any length, with resets at any
// time.

module rdma_id_pool_proof #(
  parameter int unsigned Count = 4,
  parameter int unsigned First = 3,
  parameter int unsigned Step = 2,
  localparam int unsigned IdWidth = 4,
  localparam int unsigned FreeWidth = $clog2(Count + 1)
) (
  input logic               clk_i,
  input logic               rst_i,
  input logic               take_ready_i,
  input logic               put_valid_i,
  input logic [IdWidth-1:0] put_id_i
);

  logic ready;
  logic take_valid;
  logic [IdWidth-1:0] take_id;
  logic refused;
  logic [FreeWidth-1:0] free;

  rdma_id_pool #(
    .Count  (Count),
    .First  (First),
    .Step   (Step),
    .IdWidth(IdWidth)
  ) u_dut (
    .clk_i       (clk_i),
    .rst_i       (rst_i),
    .ready_o     (ready),
    .take_valid_o(take_valid),
    .take_ready_i(take_ready_i),
    .take_id_o   (take_id),
    .put_valid_i (put_valid_i),
    .put_id_i    (put_id_i),
    .refused_o   (refused),
    .free_o      (free)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb assume (started_q || rst_i);

  // Observer: who is out, by slot.
  logic [Count-1:0] out_q;
  logic [Count-1:0] taken;
  logic [Count-1:0] brought;
  for (genvar i = 0; i < int'(Count); i++) begin : gen_slot
    localparam logic [IdWidth-1:0] Id = IdWidth'(First + i * Step);
    assign taken[i]   = take_valid && take_ready_i && take_id == Id;
    assign brought[i] = put_valid_i && put_id_i == Id;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) out_q <= '0;
    else out_q <= (out_q & ~brought) | taken;
  end

  // The contract.
  always_comb begin
    if (started_q && !rst_i) begin
      if (!ready) assert (!take_valid && out_q == '0);
      if (ready) begin
        assert (32'(free) + 32'($countones(out_q)) == Count);
        assert (take_valid == (free != '0));
        // What leaves is of this pool and was not out.
        if (take_valid && take_ready_i) begin
          assert ($onehot(taken));
          assert ((taken & out_q) == '0);
        end
        if (put_valid_i) assert (refused == ((brought & out_q) == '0));
      end
    end
  end

  // Invariants. Places of the FIFO, counted from its head.
  logic [FreeWidth-1:0] filled;
  assign filled = FreeWidth'(u_dut.fill_slot_q);
  logic [Count-1:0][Count-1:0] stands;  // [slot][place]
  for (genvar p = 0; p < int'(Count); p++) begin : gen_place
    logic [31:0] address;
    logic [IdWidth-1:0] id;
    assign address = 32'(u_dut.u_fifo.rd_addr_q) + p;
    assign id = u_dut.u_fifo.gen_lut.u_ram.mem[$clog2(Count)'(address%Count)];
    for (genvar i = 0; i < int'(Count); i++) begin : gen_slot
      assign stands[i][p] = p < 32'(free) && id == IdWidth'(First + i * Step);
    end
  end

  always_comb begin
    if (started_q) begin
      assert (u_dut.u_fifo.level_q <= FreeWidth'(Count));
      assert (u_dut.u_fifo.full_q == (u_dut.u_fifo.level_q == FreeWidth'(Count)));
      assert (u_dut.u_fifo.empty_q == (u_dut.u_fifo.level_q == '0));
      assert (32'(u_dut.u_fifo.rd_addr_q) < Count && 32'(u_dut.u_fifo.wr_addr_q) < Count);
      assert (32'(u_dut.u_fifo.wr_addr_q)
              == (32'(u_dut.u_fifo.rd_addr_q) + 32'(u_dut.u_fifo.level_q)) % Count);
      if (u_dut.filling_q) begin
        assert (32'(u_dut.fill_slot_q) < Count);
        assert (u_dut.u_fifo.level_q == filled && u_dut.u_fifo.rd_addr_q == '0 && out_q == '0);
      end else begin
        assert (32'(u_dut.u_fifo.level_q) + 32'($countones(out_q)) == Count);
      end
      for (int unsigned i = 0; i < Count; i++) begin
        if (ready || i < 32'(filled)) begin
          assert (32'($countones(stands[i])) + 32'(out_q[i]) == 1);
          assert ((u_dut.u_taken.gen_reader[0].u_copy.mem[0][i] ^ u_dut.u_returned.u_own.mem[0][i])
                  == out_q[i]);
          assert (u_dut.u_taken.gen_reader[0].u_copy.mem[0][i] == u_dut.u_taken.u_own.mem[0][i]);
        end
      end
    end
  end

endmodule
