// SPDX-License-Identifier: Apache-2.0
//
// rdma_drain: stands between the engine and its buses, so that the engine can be reset while they
// go on.
//
// What      Counts what has begun at memory, at the port of the users and at the network. stop_i =
//           1: nothing more begins, what has begun comes to its end, and then drained_o = 1: the
//           engine may be reset.
// Why       A manager that is reset in the middle of a burst leaves a memory that waits for data,
//           or offers some, for ever.
// Contract  e_*: the engine's side, b_*: the side of the bus. stop_i stays until the engine has
//           been reset with drained_o = 1, and open_i is 0 from there until it works again: nothing
//           passes then. The engine is not reset before, and still sends the data of each write
//           burst whose address has left. While stop_i, words that memory returns are taken here;
//           they do not reach the engine. Data of a write burst never leave before their address. A
//           packet that has begun at the network ends with its TLAST; the engine begins no other
//           one meanwhile. drained_o waits for the memory to answer, for users to give the data and
//           take the responses of what they have begun, and for the network to take the rest of a
//           packet. Packets from the network: nothing new is offered to the engine while stop_i,
//           nothing at all while not open_i; the rest of a packet that was cut there is thrown away
//           when open_i is 1 again.
// Latency   0
// Source    own design
//
// Parameters
//   Bursts        bursts that the engine has at memory at most, of each kind

module rdma_drain
  import rdma_bus_pkg::*;
#(
  parameter int unsigned Bursts = 512
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        open_i,
  input  logic        stop_i,
  output logic        drained_o,
  input  memory_req_t e_memory_i,
  output memory_rsp_t e_memory_o,
  output memory_req_t b_memory_o,
  input  memory_rsp_t b_memory_i,
  output user_req_t   e_user_o,
  input  user_rsp_t   e_user_i,
  input  user_req_t   b_user_i,
  output user_rsp_t   b_user_o,
  input  net_t        e_out_i,
  output logic        e_out_ready_o,
  output net_t        b_out_o,
  input  logic        b_out_ready_i,
  output net_t        e_in_o,
  input  logic        e_in_ready_i,
  input  net_t        b_in_i,
  output logic        b_in_ready_o
);

  if (Bursts < 1) begin : gen_bad_bursts
    $error("rdma_drain %m: rule Bursts >= 1, got %0d", Bursts);
  end

  typedef logic [$clog2(Bursts+2)-1:0] bursts_t;
  typedef logic [5:0] user_t;  // more than rdma_port takes before it answers

  logic passes;
  assign passes = open_i && !stop_i;

  // ---- Memory ----
  // An address that is offered stays offered until it is taken; its burst counts from there on.
  logic ar_held_q, aw_held_q;
  bursts_t reads_q;
  bursts_t writes_q;  // without their response
  bursts_t data_q;  // without their last word

  read_req_t read;
  write_req_t write;
  logic ar_passes, aw_passes, w_passes;
  assign read = b_memory_o.read;
  assign write = b_memory_o.write;
  assign ar_passes = passes || ar_held_q;
  assign aw_passes = passes || aw_held_q;
  assign w_passes = data_q != '0;

  always_comb begin
    b_memory_o = e_memory_i;
    b_memory_o.read.arvalid = e_memory_i.read.arvalid && ar_passes;
    b_memory_o.read.rready = stop_i || e_memory_i.read.rready;
    b_memory_o.write.awvalid = e_memory_i.write.awvalid && aw_passes;
    b_memory_o.write.wvalid = e_memory_i.write.wvalid && w_passes;
    e_memory_o = b_memory_i;
    e_memory_o.read.arready = b_memory_i.read.arready && ar_passes;
    e_memory_o.read.rvalid = b_memory_i.read.rvalid && !stop_i;
    e_memory_o.write.awready = b_memory_i.write.awready && aw_passes;
    e_memory_o.write.wready = b_memory_i.write.wready && w_passes;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ar_held_q <= 1'b0;
      aw_held_q <= 1'b0;
      reads_q   <= '0;
      writes_q  <= '0;
      data_q    <= '0;
    end else begin
      ar_held_q <= read.arvalid && !b_memory_i.read.arready;
      aw_held_q <= write.awvalid && !b_memory_i.write.awready;
      reads_q <= reads_q + bursts_t'(read.arvalid && !ar_held_q)
          - bursts_t'(b_memory_i.read.rvalid && read.rready && b_memory_i.read.rlast);
      writes_q <= writes_q + bursts_t'(write.awvalid && !aw_held_q)
          - bursts_t'(b_memory_i.write.bvalid && write.bready);
      data_q <= data_q + bursts_t'(write.awvalid && !aw_held_q)
          - bursts_t'(write.wvalid && b_memory_i.write.wready && write.wlast);
    end
  end

  logic unused_bus;
  assign unused_bus = ^{read, write};

  // ---- Users ----
  user_t user_writes_q, user_reads_q;

  always_comb begin
    e_user_o = b_user_i;
    e_user_o.awvalid = b_user_i.awvalid && passes;
    e_user_o.arvalid = b_user_i.arvalid && passes;
    b_user_o = e_user_i;
    b_user_o.awready = e_user_i.awready && passes;
    b_user_o.arready = e_user_i.arready && passes;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      user_writes_q <= '0;
      user_reads_q  <= '0;
    end else begin
      user_writes_q <= user_writes_q + user_t'(b_user_i.awvalid && b_user_o.awready)
          - user_t'(b_user_o.bvalid && b_user_i.bready);
      user_reads_q <= user_reads_q + user_t'(b_user_i.arvalid && b_user_o.arready)
          - user_t'(b_user_o.rvalid && b_user_i.rready && b_user_o.rlast);
    end
  end

  // ---- Network ----
  logic out_held_q;
  logic out_begun_q;  // a packet has, and not ended
  logic out_passes, in_passes, in_begun_q;
  logic in_held_q;  // a word that was offered to the engine stays so until it is taken
  logic in_rest_q;  // of a packet that was cut: thrown away

  assign out_passes = passes || out_held_q || out_begun_q;
  assign in_passes  = passes ? !in_rest_q : in_held_q && open_i;
  always_comb begin
    b_out_o = e_out_i;
    b_out_o.tvalid = e_out_i.tvalid && out_passes;
    e_out_ready_o = b_out_ready_i && out_passes;
    e_in_o = b_in_i;
    e_in_o.tvalid = b_in_i.tvalid && in_passes;
    b_in_ready_o = in_passes ? e_in_ready_i : passes;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      out_held_q  <= 1'b0;
      out_begun_q <= 1'b0;
      in_begun_q  <= 1'b0;
      in_held_q   <= 1'b0;
      in_rest_q   <= 1'b0;
    end else begin
      out_held_q <= b_out_o.tvalid && !b_out_ready_i;
      if (b_out_o.tvalid && b_out_ready_i) out_begun_q <= !b_out_o.tlast;
      in_held_q <= e_in_o.tvalid && !e_in_ready_i;
      if (b_in_i.tvalid && b_in_ready_o) in_begun_q <= !b_in_i.tlast;
      if (!open_i) in_rest_q <= in_begun_q;
      else if (b_in_i.tvalid && b_in_ready_o && b_in_i.tlast) in_rest_q <= 1'b0;
    end
  end

  assign drained_o = reads_q == '0 && writes_q == '0 && data_q == '0 && user_writes_q == '0
      && user_reads_q == '0 && !out_held_q && !out_begun_q;

endmodule
