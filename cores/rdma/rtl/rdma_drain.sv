// SPDX-License-Identifier: Apache-2.0
//
// rdma_drain: stands between the engine and its buses, so that the engine can be reset while they go on.
//
// What      Counts what has begun at memory, at the slave of the users and at the network. stop_i = 1: nothing more begins, what has begun
//           comes to its end, and then drained_o = 1: the engine may be reset.
// Why       A master that is reset in the middle of a burst leaves a memory that waits for data, or offers some, for ever.
// Contract  e_*: the engine's side, b_*: the side of the bus; addresses and data go past this module. stop_i stays until the engine has been reset with
//           drained_o = 1, and open_i is 0 from there until it works again: nothing passes then. The engine is not reset before, and still sends
//           the data of each write burst whose address has left. While stop_i, words that memory returns are taken here; they do not reach the engine.
//           Data of a write burst never leave before their address. A packet that has begun at the network ends with its TLAST, for which the engine
//           begins no other packet meanwhile. drained_o waits for the memory to answer, for users to give the data and take the responses of what
//           they have begun, and for the network to take the rest of a packet.
//           Packets from the network: none is taken while stop_i or not open_i; the rest of one that was cut there is thrown away when open_i is 1 again.
// Latency   0
//
// Parameters
//   Bursts        bursts that the engine has at memory at most, of each kind
// Source    own design

module rdma_drain #(
  parameter int unsigned Bursts = 512
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic open_i,
  input  logic stop_i,
  output logic drained_o,

  // Memory, read and write.
  input  logic e_arvalid,
  output logic e_arready,
  output logic e_rvalid,
  input  logic e_rready,
  output logic b_arvalid,
  input  logic b_arready,
  input  logic b_rvalid,
  input  logic b_rlast,
  output logic b_rready,
  input  logic e_awvalid,
  output logic e_awready,
  input  logic e_wvalid,
  output logic e_wready,
  output logic b_awvalid,
  input  logic b_awready,
  output logic b_wvalid,
  input  logic b_wlast,
  input  logic b_wready,
  input  logic b_bvalid,
  input  logic b_bready,

  // Users: the engine is the slave.
  output logic e_user_awvalid,
  input  logic e_user_awready,
  input  logic b_user_awvalid,
  output logic b_user_awready,
  input  logic b_user_bvalid,
  input  logic b_user_bready,
  output logic e_user_arvalid,
  input  logic e_user_arready,
  input  logic b_user_arvalid,
  output logic b_user_arready,
  input  logic b_user_rvalid,
  input  logic b_user_rlast,
  input  logic b_user_rready,

  // To the network and from it.
  input  logic e_out_tvalid,
  output logic e_out_tready,
  output logic b_out_tvalid,
  input  logic b_out_tlast,
  input  logic b_out_tready,
  output logic e_in_tvalid,
  input  logic e_in_tready,
  input  logic b_in_tvalid,
  input  logic b_in_tlast,
  output logic b_in_tready
);

  if (Bursts < 1) begin : gen_bad_bursts
    $error("rdma_drain %m: rule Bursts >= 1, got %0d", Bursts);
  end

  typedef logic [$clog2(Bursts+2)-1:0] bursts_t;
  localparam int unsigned UserWidth = 6;  // more than rdma_port takes before it answers

  logic passes;
  assign passes = open_i && !stop_i;

  // ---- Memory ----
  // An address that is offered stays offered until it is taken; its burst counts from there on.
  logic ar_held_q;
  logic aw_held_q;
  bursts_t reads_q;
  bursts_t writes_q;  // without their response
  bursts_t data_q;  // without their last word

  assign b_arvalid = e_arvalid && (passes || ar_held_q);
  assign e_arready = b_arready && (passes || ar_held_q);
  assign b_rready  = stop_i || e_rready;
  assign e_rvalid  = b_rvalid && !stop_i;
  assign b_awvalid = e_awvalid && (passes || aw_held_q);
  assign e_awready = b_awready && (passes || aw_held_q);
  assign b_wvalid  = e_wvalid && data_q != '0;
  assign e_wready  = b_wready && data_q != '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ar_held_q <= 1'b0;
      aw_held_q <= 1'b0;
      reads_q   <= '0;
      writes_q  <= '0;
      data_q    <= '0;
    end else begin
      ar_held_q <= b_arvalid && !b_arready;
      aw_held_q <= b_awvalid && !b_awready;
      reads_q <= reads_q + bursts_t'(b_arvalid && !ar_held_q)
          - bursts_t'(b_rvalid && b_rready && b_rlast);
      writes_q <= writes_q + bursts_t'(b_awvalid && !aw_held_q) - bursts_t'(b_bvalid && b_bready);
      data_q <= data_q + bursts_t'(b_awvalid && !aw_held_q)
          - bursts_t'(b_wvalid && b_wready && b_wlast);
    end
  end

  // ---- Users ----
  logic [UserWidth-1:0] user_writes_q;
  logic [UserWidth-1:0] user_reads_q;

  assign e_user_awvalid = b_user_awvalid && passes;
  assign b_user_awready = e_user_awready && passes;
  assign e_user_arvalid = b_user_arvalid && passes;
  assign b_user_arready = e_user_arready && passes;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      user_writes_q <= '0;
      user_reads_q  <= '0;
    end else begin
      user_writes_q <= user_writes_q + UserWidth'(b_user_awvalid && b_user_awready)
          - UserWidth'(b_user_bvalid && b_user_bready);
      user_reads_q <= user_reads_q + UserWidth'(b_user_arvalid && b_user_arready)
          - UserWidth'(b_user_rvalid && b_user_rready && b_user_rlast);
    end
  end

  // ---- Network ----
  logic out_held_q;
  logic out_begun_q;  // a packet has, and not ended
  logic in_begun_q;
  logic in_rest_q;  // of a packet that was cut: thrown away

  assign b_out_tvalid = e_out_tvalid && (passes || out_held_q || out_begun_q);
  assign e_out_tready = b_out_tready && (passes || out_held_q || out_begun_q);
  assign e_in_tvalid  = b_in_tvalid && passes && !in_rest_q;
  assign b_in_tready  = passes && (in_rest_q || e_in_tready);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      out_held_q  <= 1'b0;
      out_begun_q <= 1'b0;
      in_begun_q  <= 1'b0;
      in_rest_q   <= 1'b0;
    end else begin
      out_held_q <= b_out_tvalid && !b_out_tready;
      if (b_out_tvalid && b_out_tready) out_begun_q <= !b_out_tlast;
      if (b_in_tvalid && b_in_tready) in_begun_q <= !b_in_tlast;
      if (!open_i) in_rest_q <= in_begun_q;
      else if (b_in_tvalid && b_in_tready && b_in_tlast) in_rest_q <= 1'b0;
    end
  end

  assign drained_o = reads_q == '0 && writes_q == '0 && data_q == '0 && user_writes_q == '0
      && user_reads_q == '0 && !out_held_q && !out_begun_q;

endmodule
