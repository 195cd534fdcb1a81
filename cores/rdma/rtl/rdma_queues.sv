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
//           put_queue_i, unless the transfer is in a queue; put_taken_o says that it was put. One
//           that is taken in this very cycle is still in. Take: nonempty_o[k] says that queue k has
//           an entry. take_i = 1 takes the first one of queue take_queue_i, which must not be
//           empty; it is at take_transfer_o, take_tag_o in the same cycle, and may be looked at
//           without being taken. One is put and one is taken per cycle, also from the same queue in
//           cycles in a row. All inputs count at any time; put_transfer_i is below Transfers,
//           put_queue_i and take_queue_i below Queues.
// Latency   An entry that is put can be taken in the next cycle. Ready Transfers / 64 or Queues
//           cycles after reset, whichever are more.
// Storage   Next pointers: block RAM, written when an entry is put behind another one, read when
//           one is taken. What is read arrives in the next cycle and is the first entry then: if
//           that is taken at once, the read data are used as they come. First and last entry of
//           each queue: look-up-table RAM. The first one is in two parts, since putting into an
//           empty queue and taking may write it in the same cycle for different queues.
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
  localparam int unsigned ClearWords = FlagWords > Queues ? FlagWords : Queues;
  localparam int unsigned ClearWidth = $clog2(ClearWords);
  logic clearing_q;
  logic [ClearWidth-1:0] clear_q;
  flag_word_t clear_word;
  assign clear_word = flag_word_t'(clear_q);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clearing_q <= 1'b1;
      clear_q    <= '0;
    end else if (clearing_q) begin
      clearing_q <= clear_q != ClearWidth'(ClearWords - 1);
      clear_q    <= clear_q + 1'b1;
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
  assign put = put_valid_i && !clearing_q && !is_in;
  assign put_taken_o = put;

  flags_t unused_put_flags;
  rdma_flags #(
    .Words(FlagWords),
    .Bits (FlagBits)
  ) u_put (
    .clk_i      (clk_i),
    .clear_i    (clearing_q),
    .flip_i     (put),
    .flip_word_i(clearing_q ? clear_word : put_transfer_i[TransferWidth-1:FlagShift]),
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
    .flip_word_i(clearing_q ? clear_word : take_transfer_o[TransferWidth-1:FlagShift]),
    .flip_mask_i(take_mask),
    .flip_now_o (unused_taken_now),
    .rd_word_i  (put_transfer_i[TransferWidth-1:FlagShift]),
    .rd_flags_o (taken_flags)
  );

  // Per queue: whether it is empty.
  logic [Queues-1:0] nonempty_q;
  assign nonempty_o = nonempty_q;

  // only: the entry that is taken is the last of its queue. alone: the entry that is put becomes
  // the first one.
  logic only, alone;
  transfer_t read_tail, put_tail;
  assign alone = !nonempty_q[put_queue_i] || (take && only && take_queue_i == put_queue_i);

  // Which queue it is is found out beside whether it becomes empty.
  logic empties;
  assign empties = take && only;
  for (genvar k = 0; k < int'(Queues); k++) begin : gen_nonempty
    always_ff @(posedge clk_i) begin
      if (rst_i) nonempty_q[k] <= 1'b0;
      else if (put && 32'(put_queue_i) == k) nonempty_q[k] <= 1'b1;
      else if (empties && 32'(take_queue_i) == k) nonempty_q[k] <= 1'b0;
    end
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

  // Per queue: whether its first entry is the only one. What an empty queue says does not matter.
  logic by_read, single, read_single;
  queue_t clear_queue;
  assign clear_queue = queue_t'(clear_q);
  assign by_read = read_q && read_queue_q == take_queue_i;
  assign read_single = next_entry[TransferWidth-1:0] == read_tail;
  assign only = by_read ? read_single : single;

  rdma_marks #(
    .Words(Queues)
  ) u_single (
    .clk_i       (clk_i),
    .clear_i     (clearing_q),
    .clear_word_i(clear_queue),
    .a_set_i     (put),
    .a_word_i    (put_queue_i),
    .a_value_i   (alone),
    .b_set_i     (read_q),
    .b_word_i    (read_queue_q),
    .b_value_i   (read_single),
    .rd_word_i   (take_queue_i),
    .rd_flag_o   (single)
  );

  // The first entry of each queue is the exclusive OR of what the one who puts has written, and of
  // what was written for the one who takes.
  entry_t [1:0] first_put, first_read;  // of the queue of who takes, and of the other party
  logic put_first, read_first;
  assign put_first  = put && alone;
  assign read_first = read_q && !(put_first && put_queue_i == read_queue_q);
  for (genvar r = 0; r < 2; r++) begin : gen_first
    prim_ram_lut #(
      .Width (EntryWidth),
      .Depth (Queues),
      .Zeroed(1'b1)
    ) u_put (
      .clk_i    (clk_i),
      .wr_en_i  (put_first),
      .wr_addr_i(put_queue_i),
      .wr_data_i(put_entry ^ first_read[1]),
      .rd_addr_i(r == 0 ? take_queue_i : read_queue_q),
      .rd_data_o(first_put[r])
    );

    prim_ram_lut #(
      .Width (EntryWidth),
      .Depth (Queues),
      .Zeroed(1'b1)
    ) u_read (
      .clk_i    (clk_i),
      .wr_en_i  (read_first),
      .wr_addr_i(read_queue_q),
      .wr_data_i(next_entry ^ first_put[1]),
      .rd_addr_i(r == 0 ? take_queue_i : put_queue_i),
      .rd_data_o(first_read[r])
    );
  end

  assign take_entry = by_read ? next_entry : first_put[0] ^ first_read[0];

  // The last entry of each queue, for the one who puts and for what was read behind a take.
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
  ) u_last_of_read (
    .clk_i    (clk_i),
    .wr_en_i  (put),
    .wr_addr_i(put_queue_i),
    .wr_data_i(put_transfer_i),
    .rd_addr_i(read_queue_q),
    .rd_data_o(read_tail)
  );

endmodule
