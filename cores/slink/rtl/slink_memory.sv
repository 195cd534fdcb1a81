// SPDX-License-Identifier: Apache-2.0
//
// slink_memory: the way of arriving data into the memory.
//
// What      A store for the beats, a queue of the addresses that packets begin at, and the DMA that
//           writes them.
// Contract  rx_i, place_i: a beat that place_i.take chooses is stored, and written when it is found
//           good, at the place that was said last with begins; begins only while free_o.
//           drop_i: what was not found good is forgotten, unless it is in this cycle.
//           overflow_o: the beat of this cycle found no room; what was not found good is forgotten.
//           idle_o: all is written and answered. fault_o: a write of this cycle has failed.
//           full_o: 5/8 of the store are filled, or a few packets wait. taken_o: the memory takes
//           a beat.
// Clocks and resets  clk_i; rst_i synchronous.
// Latency   4 cycles from a beat that is good at once to its address on the bus, 1 more to its data
//
// Parameters  DataWidth   of the bus, 64 or 128
//             StoreDepth  as in slink_core

module slink_memory
  import slink_pkg::*;
#(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned StoreDepth = 512
) (
  input  logic           clk_i,
  input  logic           rst_i,
  input  rx_t            rx_i,
  input  place_t         place_i,
  input  logic           drop_i,
  output logic           overflow_o,
  output logic           free_o,
  output logic           idle_o,
  output logic           fault_o,
  output logic           full_o,
  output logic           taken_o,
  output axi_write_req_t axi_o,
  input  axi_write_rsp_t axi_i
);

  localparam int unsigned MaxTargets = 32;  // packets whose data may wait for the memory
  localparam int unsigned CountBits = $clog2(StoreDepth) + 1;

  logic good, drop, dma_free, dma_idle, store_valid;
  logic target_valid;  // an address waits until the beats of the packet before are taken
  address_t target;
  beat_t store_data;
  logic [CountBits-1:0] store_good, store_level, border;  // border: where the packet before ends
  logic [$clog2(MaxTargets + 1)-1:0] targets;

  assign good = rx_i.good && place_i.take && !overflow_o;
  assign drop = (rx_i.damaged || overflow_o || drop_i) && !good;
  assign idle_o = !target_valid && dma_idle;
  assign full_o = store_level >= CountBits'(StoreDepth / 8 * 5) || targets >= ($bits(
      targets
  ))'(MaxTargets / 8);

  prim_fifo_sync #(
    .Width      ($bits(address_t) + CountBits),
    .Depth      (MaxTargets),
    .FallThrough(1'b0)
  ) u_targets (
    .clk_i,
    .rst_i,
    .s_valid_i(place_i.begins),
    .s_ready_o(free_o),
    .s_data_i ({place_i.address, store_good}),
    .m_valid_o(target_valid),
    .m_ready_i(dma_free),
    .m_data_o ({target, border}),
    .level_o  (targets)
  );

  slink_store #(
    .Depth(StoreDepth)
  ) u_store (
    .clk_i,
    .rst_i,
    .s_valid_i(rx_i.data_valid && place_i.take),
    .s_data_i (rx_i.data),
    .good_i   (good),
    .drop_i   (drop),
    .overflow_o,
    .m_valid_o(store_valid),
    .m_ready_i(taken_o),
    .m_data_o (store_data),
    .good_o   (store_good),
    .level_o  (store_level)
  );

  slink_dma_write #(
    .DataWidth(DataWidth),
    .CountBits(CountBits)
  ) u_dma (
    .clk_i,
    .rst_i,
    .set_i    (target_valid && dma_free),
    .address_i(target),
    .good_i   (target_valid ? border : store_good),
    .valid_i  (store_valid),
    .ready_o  (taken_o),
    .data_i   (store_data),
    .free_o   (dma_free),
    .idle_o   (dma_idle),
    .error_o  (fault_o),
    .axi_o,
    .axi_i
  );

  logic unused;
  assign unused = &rx_i;

endmodule
