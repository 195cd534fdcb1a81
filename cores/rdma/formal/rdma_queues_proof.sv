// SPDX-License-Identifier: Apache-2.0
//
// Proof of rdma_queues: the queues in one memory are equal to FIFOs of their own, and no transfer
// is in them twice.
//
// Beside the design runs a list for each queue, as plainly as it can be written. The invariants say
// where in the design's memories each entry of the lists stands; they hold by induction for runs of
// any length, with puts and takes in every cycle, of any transfer, into and from any queue, and
// resets at any time.

module rdma_queues_proof #(
  parameter int unsigned Transfers = 4,
  parameter int unsigned Queues = 3,
  localparam int unsigned TagWidth = 1,
  localparam int unsigned TransferWidth = $clog2(Transfers),
  localparam int unsigned QueueWidth = $clog2(Queues),
  localparam int unsigned EntryWidth = TagWidth + TransferWidth
) (
  input logic                     clk_i,
  input logic                     rst_i,
  input logic                     put_valid_i,
  input logic [   QueueWidth-1:0] put_queue_i,
  input logic [TransferWidth-1:0] put_transfer_i,
  input logic [     TagWidth-1:0] put_tag_i,
  input logic                     take_i,
  input logic [   QueueWidth-1:0] take_queue_i
);

  typedef logic [EntryWidth-1:0] entry_t;
  typedef logic [TransferWidth-1:0] transfer_t;
  typedef logic [TransferWidth:0] length_t;

  logic ready;
  logic put_taken;
  logic [Queues-1:0] nonempty;
  entry_t taken;

  rdma_queues #(
    .Transfers(Transfers),
    .Queues   (Queues),
    .TagWidth (TagWidth)
  ) u_dut (
    .clk_i          (clk_i),
    .rst_i          (rst_i),
    .ready_o        (ready),
    .put_valid_i    (put_valid_i),
    .put_queue_i    (put_queue_i),
    .put_transfer_i (put_transfer_i),
    .put_tag_i      (put_tag_i),
    .put_taken_o    (put_taken),
    .nonempty_o     (nonempty),
    .take_i         (take_i),
    .take_queue_i   (take_queue_i),
    .take_transfer_o(taken[TransferWidth-1:0]),
    .take_tag_o     (taken[EntryWidth-1:TransferWidth])
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    assume (started_q || rst_i);
    assume (32'(put_queue_i) < Queues && 32'(take_queue_i) < Queues);
    assume (!take_i || nonempty[take_queue_i]);
  end

  // The lists: a flat array, queue by queue, first entry first.
  entry_t                  list_q  [Queues*Transfers];
  length_t                 length_q[          Queues];
  logic                    take;
  logic    [Transfers-1:0] listed;
  logic                    put;

  assign take = take_i && ready;
  always_comb begin
    listed = '0;
    for (int unsigned k = 0; k < Queues; k++) begin
      for (int unsigned i = 0; i < Transfers; i++) begin
        if (i < 32'(length_q[k])) listed[list_q[k*Transfers+i][TransferWidth-1:0]] = 1'b1;
      end
    end
  end
  assign put = put_valid_i && ready && !listed[put_transfer_i];

  for (genvar k = 0; k < int'(Queues); k++) begin : gen_list
    logic here;
    logic there;
    length_t left;
    assign here  = take && 32'(take_queue_i) == k;
    assign there = put && 32'(put_queue_i) == k;
    assign left  = length_q[k] - length_t'(here);

    always_ff @(posedge clk_i) begin
      if (rst_i) length_q[k] <= '0;
      else length_q[k] <= left + length_t'(there);
      for (int unsigned i = 0; i < Transfers; i++) begin
        if (there && i == 32'(left)) list_q[k*Transfers+i] <= {put_tag_i, put_transfer_i};
        else if (here && i + 1 < Transfers) list_q[k*Transfers+i] <= list_q[k*Transfers+i+1];
      end
    end
  end

  // The contract.
  always_comb begin
    if (started_q && !rst_i) begin
      assert (put_taken == put);
      for (int unsigned k = 0; k < Queues; k++) begin
        assert (nonempty[k] == (length_q[k] != '0));
        assert (length_q[k] <= length_t'(Transfers));
      end
      if (ready && nonempty[take_queue_i]) assert (taken == list_q[32'(take_queue_i)*Transfers]);
    end
  end

  // No transfer stands in two places.
  for (genvar a = 0; a < int'(Queues * Transfers); a++) begin : gen_place
    for (genvar b = 0; b < a; b++) begin : gen_other
      always_comb begin
        if (started_q && a % Transfers < 32'(length_q[a/Transfers])
            && b % Transfers < 32'(length_q[b/Transfers])) begin
          assert (list_q[a][TransferWidth-1:0] != list_q[b][TransferWidth-1:0]);
        end
      end
    end
  end

  // Where the design keeps what.
  for (genvar k = 0; k < int'(Queues); k++) begin : gen_queue
    entry_t  first;
    length_t last_place;
    entry_t  last;
    assign last_place = length_q[k] - 1'b1;
    assign last = list_q[k*Transfers+32'(last_place[TransferWidth-1:0])];
    entry_t first_put;
    entry_t first_read;
    logic   single_put;
    logic   single_read;
    logic   reads;
    assign first_put = u_dut.gen_first[0].u_put.mem[k];
    assign first_read = u_dut.gen_first[0].u_read.mem[k];
    assign single_put = u_dut.u_single.u_a.u_own.mem[k];
    assign single_read = u_dut.u_single.u_b.u_own.mem[k];
    assign reads = u_dut.read_q && 32'(u_dut.read_queue_q) == k;
    assign first = reads ? u_dut.next_entry : first_put ^ first_read;
    always_comb begin
      assert (u_dut.gen_first[1].u_put.mem[k] == first_put);
      assert (u_dut.gen_first[1].u_read.mem[k] == first_read);
    end
    for (genvar r = 0; r < 2; r++) begin : gen_copy
      always_comb begin
        if (started_q && (ready || k < 32'(u_dut.clear_q))) begin
          assert (u_dut.u_single.u_a.gen_reader[r].u_copy.mem[k] == single_put);
          assert (u_dut.u_single.u_b.gen_reader[r].u_copy.mem[k] == single_read);
        end
      end
    end
    always_comb begin
      if (started_q && length_q[k] != '0) begin
        assert (first == list_q[k*Transfers]);
        assert (u_dut.u_last_of_put.mem[k] == last[TransferWidth-1:0]);
        assert (u_dut.u_last_of_read.mem[k] == last[TransferWidth-1:0]);
        assert (reads || (single_put != single_read) == (length_q[k] == length_t'(1)));
      end
    end
    for (genvar i = 0; i + 1 < int'(Transfers); i++) begin : gen_next
      always_comb begin
        if (started_q && i + 1 < 32'(length_q[k])) begin
          assert (u_dut.u_next.gen_lut.u_ram.mem[list_q[k*Transfers+i][TransferWidth-1:0]]
                  == list_q[k*Transfers+i+1]);
        end
      end
    end
  end

  // Flags: cleared from the lowest word on, then the difference says who is in.
  localparam int unsigned FlagBits = Transfers / 2;
  for (genvar w = 0; w < 2; w++) begin : gen_flags
    logic [FlagBits-1:0] put_word;
    logic [FlagBits-1:0] taken_word;
    assign put_word   = u_dut.u_put.u_own.mem[w];
    assign taken_word = u_dut.u_taken.u_own.mem[w];
    always_comb begin
      if (started_q && (ready || w < 32'(u_dut.clear_q))) begin
        assert ((put_word ^ taken_word) == listed[w*FlagBits+:FlagBits]);
        assert (u_dut.u_taken.gen_reader[0].u_copy.mem[w] == taken_word);
      end
    end
  end
  always_comb begin
    if (started_q && !ready) begin
      for (int unsigned k = 0; k < Queues; k++) assert (length_q[k] == '0);
    end
  end

endmodule
