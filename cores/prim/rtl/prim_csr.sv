// SPDX-License-Identifier: Apache-2.0
//
// prim_csr: what crosses between a register file and the core that it controls.
//
// What      The reset of the bus in both clocks, one prim_clear between them, and behind it
//           commands to the core, events to the bus, and one page of 64-bit words of the core.
//
//               bus_clk_i                                core_clk_i
//     registers ── bus_command_i ──► prim_sync_notice ──► core_command_o ── core
//               ◄─ bus_event_o ───── prim_sync_notice ◄── core_event_i ────
//               ── bus_req_i ──────► prim_page_reader ──► page_req_o ──────
//
// Contract  A command or event (high for a cycle or more) becomes a pulse of the other clock;
//           events closer together than a crossing takes are reported as one. Nothing of before a
//           reset of the bus comes out after it; a command while bus_held_o stands is ignored. The
//           page as in prim_page_reader. Settings cross outside: in a prim_sync_setting with
//           bus_rst_o, or in a FIFO between bus_clear_o (sending end) and core_held_o (receiving
//           end).
// Clocks and resets
//           bus_arst_i is asynchronous; it resets everything, in either clock as soon as it runs,
//           and is not lost while a clock stands still. bus_clk_i is unrelated to core_clk_i.
//           slow_clk_i is the slowest clock of the group of core_clk_i: every edge of it is an edge
//           of the others; core_clk_i itself where there is no group.
//           bus_rst_o, core_rst_o    bus_arst_i in bus_clk_i, and in slow_clk_i for all of its
//                                    group
//           bus_held_o, bus_clear_o  a_rst_o and a_clear_o of the prim_clear (bus_clk_i)
//           core_held_o              b_rst_o of the prim_clear (core_clk_i)
// Latency   as prim_sync_notice and prim_page_reader
//
// Parameters
//   Commands, Events   bits, >= 1
//   PageWidth          bits of a byte address in the page, >= 4
//   Timeout            bus_clk_i cycles until a read is given up, >= 16

module prim_csr #(
  parameter int unsigned Commands  = 1,
  parameter int unsigned Events    = 8,
  parameter int unsigned PageWidth = 11,
  parameter int unsigned Timeout   = 256
) (
  input  logic bus_clk_i,
  input  logic bus_arst_i,
  output logic bus_rst_o,
  output logic bus_held_o,
  output logic bus_clear_o,

  input  logic core_clk_i,
  input  logic slow_clk_i,
  output logic core_rst_o,
  output logic core_held_o,

  input  logic [Commands-1:0] bus_command_i,
  output logic [Commands-1:0] core_command_o,
  input  logic [  Events-1:0] core_event_i,
  output logic [  Events-1:0] bus_event_o,

  input  logic                 bus_req_i,
  input  logic                 bus_write_i,
  input  logic [PageWidth-1:0] bus_addr_i,
  output logic                 bus_rd_ack_o,
  output logic                 bus_wr_ack_o,
  output logic                 bus_lost_o,
  output logic [         31:0] bus_rd_data_o,

  output logic                 page_req_o,
  output logic [PageWidth-4:0] page_addr_o,
  input  logic                 page_ack_i,
  input  logic [         63:0] page_data_i
);

  if (Commands < 1) begin : gen_bad_commands
    $error("prim_csr %m: Commands must be >= 1, got %0d", Commands);
  end
  if (Events < 1) begin : gen_bad_events
    $error("prim_csr %m: Events must be >= 1, got %0d", Events);
  end

  logic core_clear;
  prim_sync_reset u_bus_rst (
    .clk_i (bus_clk_i),
    .arst_i(bus_arst_i),
    .rst_o (bus_rst_o)
  );
  prim_sync_reset u_core_rst (
    .clk_i (slow_clk_i),
    .arst_i(bus_arst_i),
    .rst_o (core_rst_o)
  );
  prim_clear u_clear (
    .a_clk_i  (bus_clk_i),
    .a_rst_i  (bus_rst_o),
    .a_rst_o  (bus_held_o),
    .a_clear_o(bus_clear_o),
    .b_clk_i  (core_clk_i),
    .b_rst_i  (core_rst_o),
    .b_rst_o  (core_held_o),
    .b_clear_o(core_clear)
  );

  for (genvar i = 0; i < Commands; i++) begin : gen_command
    prim_sync_notice u_notice (
      .src_clk_i  (bus_clk_i),
      .src_rst_i  (bus_clear_o),
      .src_event_i(bus_command_i[i] && !bus_held_o),
      .dst_clk_i  (core_clk_i),
      .dst_rst_i  (core_held_o),
      .dst_pulse_o(core_command_o[i])
    );
  end

  for (genvar i = 0; i < Events; i++) begin : gen_event
    prim_sync_notice u_notice (
      .src_clk_i  (core_clk_i),
      .src_rst_i  (core_clear),
      .src_event_i(core_event_i[i]),
      .dst_clk_i  (bus_clk_i),
      .dst_rst_i  (bus_held_o),
      .dst_pulse_o(bus_event_o[i])
    );
  end

  prim_page_reader #(
    .AddrWidth(PageWidth),
    .Timeout  (Timeout)
  ) u_reader (
    .bus_clk_i    (bus_clk_i),
    .bus_rst_i    (bus_rst_o),
    .bus_req_i    (bus_req_i),
    .bus_write_i  (bus_write_i),
    .bus_addr_i   (bus_addr_i),
    .bus_rd_ack_o (bus_rd_ack_o),
    .bus_wr_ack_o (bus_wr_ack_o),
    .bus_lost_o   (bus_lost_o),
    .bus_rd_data_o(bus_rd_data_o),
    .page_clk_i   (core_clk_i),
    .page_rst_i   (core_held_o),
    .page_req_o   (page_req_o),
    .page_addr_o  (page_addr_o),
    .page_ack_i   (page_ack_i),
    .page_data_i  (page_data_i)
  );

endmodule
