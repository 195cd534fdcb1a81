// SPDX-License-Identifier: Apache-2.0
//
// rdma_queues: many FIFO queues of transfers in one memory.
//
// What      Queues FIFOs that share one memory of next pointers with a word for each transfer. An
//           entry is the number of a transfer and a tag. A transfer is in at most one queue, at
//           most once.
// Why       Every queue can hold all transfers, at the price of one memory. A transfer is entered
//           by whoever finds that it has something to do (new descriptor, acknowledgment, next
//           block); that it may be in already is settled here, so none of them has to know of the
//           others.
// Contract  ready_o = 0 after reset, while the memories are cleared: nothing is entered or taken.
//           Enter: put_valid_i = 1 puts {put_tag_i, put_transfer_i} at the end of queue
//           put_queue_i, unless the transfer is in a queue; put_taken_o says that it was put. A
//           transfer that is taken in this very cycle counts as out. Take: nonempty_o[k] says that
//           queue k has an entry. take_i = 1 takes the first one of queue take_queue_i, which must
//           not be empty; it is at take_transfer_o, take_tag_o in the same cycle, and may be looked
//           at without being taken. One is put and one is taken per cycle, also from the same queue
//           in cycles in a row. All inputs count at any time; put_transfer_i is below Transfers,
//           put_queue_i and take_queue_i below Queues.
// Latency   An entry that is put can be taken in the next cycle. Ready Transfers / 64 cycles after
//           reset, at least 2.
// Storage   Next pointers: block RAM, written when an entry is put behind another one, read when
//           one is taken. What is read arrives in the next cycle and is the first entry then: if
//           that is taken at once, the read data are used as they come. First and last entry of
//           each queue: look-up-table RAM. There are two places for the first one, since putting
//           into an empty queue and taking may write it in the same cycle for different queues.
//
// Parameters
//   Transfers   transfers, a power of two >= 4
//   Queues      queues, >= 2
//   TagWidth    bits of a tag, >= 1

module rdma_queues #(
  parameter int unsigned Transfers = 2048,
  parameter int unsigned Queues = 66,
  parameter int unsigned TagWidth = 2,
  localparam int unsigned TransferWidth = $clog2(Transfers),
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  output logic                     ready_o,
  input  logic                     put_valid_i,
  input  logic [   QueueWidth-1:0] put_queue_i,
  input  logic [TransferWidth-1:0] put_transfer_i,
  input  logic [     TagWidth-1:0] put_tag_i,
  output logic                     put_taken_o,
  output logic [       Queues-1:0] nonempty_o,
  input  logic                     take_i,
  input  logic [   QueueWidth-1:0] take_queue_i,
  output logic [TransferWidth-1:0] take_transfer_o,
  output logic [     TagWidth-1:0] take_tag_o
);

  // Flags that say who is in are cleared a word at a time.
  localparam int unsigned FlagBits = (Transfers >= 128) ? 64 : Transfers / 2;
  localparam int unsigned FlagWords = Transfers / FlagBits;
  localparam int unsigned FlagShift = $clog2(FlagBits);
  localparam int unsigned FlagWordWidth = $clog2(FlagWords);
  localparam int unsigned EntryWidth = TagWidth + TransferWidth;

  typedef logic [TransferWidth-1:0] transfer_t;
  typedef logic [QueueWidth-1:0] queue_t;
  typedef logic [EntryWidth-1:0] entry_t;
  typedef logic [FlagBits-1:0] flags_t;
  typedef logic [FlagWordWidth-1:0] flag_word_t;

  if (Transfers < 4 || (Transfers & (Transfers - 1)) != 0) begin : gen_bad_transfers
    $error("rdma_queues %m: rule Transfers is a power of two >= 4, got %0d", Transfers);
  end
  if (Queues < 2) begin : gen_bad_queues
    $error("rdma_queues %m: rule Queues >= 2, got %0d", Queues);
  end
  if (TagWidth < 1) begin : gen_bad_tag
    $error("rdma_queues %m: rule TagWidth >= 1, got %0d", TagWidth);
  end

  // After reset: all flags cleared.
  logic clearing_q;
  flag_word_t clear_word_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clearing_q   <= 1'b1;
      clear_word_q <= '0;
    end else if (clearing_q) begin
      clearing_q   <= clear_word_q != flag_word_t'(FlagWords - 1);
      clear_word_q <= clear_word_q + 1'b1;
    end
  end

  assign ready_o = !clearing_q;

  // Who is in: a transfer was put once more than it was taken.
  logic put, take;
  entry_t put_entry, take_entry;
  logic is_in;
  flags_t put_flags, taken_flags, put_mask, take_mask;

  assign put_entry = {put_tag_i, put_transfer_i};
  assign {take_tag_o, take_transfer_o} = take_entry;
  assign put_mask = flags_t'(1) << put_transfer_i[FlagShift-1:0];
  assign take_mask = flags_t'(1) << take_transfer_o[FlagShift-1:0];
  assign is_in = ((put_flags ^ taken_flags) & put_mask) != '0;
  assign take = take_i && !clearing_q;
  assign put = put_valid_i && !clearing_q
      && (!is_in || (take && take_transfer_o == put_transfer_i));
  assign put_taken_o = put;

  flags_t unused_put_flags;
  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_put (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (put),
    .flip_word_i(clearing_q ? clear_word_q : put_transfer_i[TransferWidth-1:FlagShift]),
    .flip_mask_i(put_mask),
    .flip_now_o (put_flags),
    .rd_word_i  (put_transfer_i[TransferWidth-1:FlagShift]),
    .rd_flags_o (unused_put_flags)
  );

  flags_t unused_taken_now;
  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_taken (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (take),
    .flip_word_i(clearing_q ? clear_word_q : take_transfer_o[TransferWidth-1:FlagShift]),
    .flip_mask_i(take_mask),
    .flip_now_o (unused_taken_now),
    .rd_word_i  (put_transfer_i[TransferWidth-1:FlagShift]),
    .rd_flags_o (taken_flags)
  );

  // Per queue: whether it is empty, and in which place its first entry is.
  logic [Queues-1:0] nonempty_q, first_by_put_q;
  assign nonempty_o = nonempty_q;

  // only: the entry that is taken is the last of its queue. alone: the entry that is put becomes
  // the first one.
  logic only, alone;
  transfer_t take_tail, put_tail;
  assign only  = take_transfer_o == take_tail;
  assign alone = !nonempty_q[put_queue_i] || (take && only && take_queue_i == put_queue_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      nonempty_q <= '0;
    end else begin
      if (take && only) nonempty_q[take_queue_i] <= 1'b0;
      if (put) nonempty_q[put_queue_i] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) first_by_put_q[take_queue_i] <= 1'b0;
    if (put && alone) first_by_put_q[put_queue_i] <= 1'b1;
  end

  // The entry behind the one that was taken in the cycle before is just coming out of the memory.
  logic   read_q;
  queue_t read_queue_q;
  entry_t next_entry;

  always_ff @(posedge clk_i) begin
    if (rst_i) read_q <= 1'b0;
    else read_q <= take && !only;
    read_queue_q <= take_queue_i;
  end

  prim_ram_1r1w #(
    .Width(EntryWidth),
    .Depth(Transfers)
  ) u_next (
    .clk_i    (clk_i),
    .wr_en_i  (put && !alone),
    .wr_addr_i(put_tail),
    .wr_data_i(put_entry),
    .rd_en_i  (take),
    .rd_addr_i(take_transfer_o),
    .rd_data_o(next_entry)
  );

  entry_t first_by_put;
  prim_ram_lut #(
    .Width(EntryWidth),
    .Depth(Queues)
  ) u_first_by_put (
    .clk_i    (clk_i),
    .wr_en_i  (put && alone),
    .wr_addr_i(put_queue_i),
    .wr_data_i(put_entry),
    .rd_addr_i(take_queue_i),
    .rd_data_o(first_by_put)
  );

  entry_t first_by_take;
  prim_ram_lut #(
    .Width(EntryWidth),
    .Depth(Queues)
  ) u_first_by_take (
    .clk_i    (clk_i),
    .wr_en_i  (read_q),
    .wr_addr_i(read_queue_q),
    .wr_data_i(next_entry),
    .rd_addr_i(take_queue_i),
    .rd_data_o(first_by_take)
  );

  assign take_entry = first_by_put_q[take_queue_i] ? first_by_put
      : (read_q && read_queue_q == take_queue_i) ? next_entry : first_by_take;

  // The last entry of each queue, for the one who puts and for the one who takes.
  prim_ram_lut #(
    .Width(TransferWidth),
    .Depth(Queues)
  ) u_last_of_put (
    .clk_i    (clk_i),
    .wr_en_i  (put),
    .wr_addr_i(put_queue_i),
    .wr_data_i(put_transfer_i),
    .rd_addr_i(put_queue_i),
    .rd_data_o(put_tail)
  );

  prim_ram_lut #(
    .Width(TransferWidth),
    .Depth(Queues)
  ) u_last_of_take (
    .clk_i    (clk_i),
    .wr_en_i  (put),
    .wr_addr_i(put_queue_i),
    .wr_data_i(put_transfer_i),
    .rd_addr_i(take_queue_i),
    .rd_data_o(take_tail)
  );

endmodule
