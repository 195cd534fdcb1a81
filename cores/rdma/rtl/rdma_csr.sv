// SPDX-License-Identifier: Apache-2.0
//
// rdma_csr: behind the registers of `rdma`: settings, begin and end, counters, events.
//
// What      Gives the settings to the node, opens and stops it, counts its events, and shows
//           counters and states in the registers (map: docs/src/rdma-registers.md).
// Contract  regs_i, regs_o: rdma_regs. settings_o is steady but for windows and rates, which are
//           set only while ready_i; window and rate numbers that there are not have no effect.
//           open_o = 0: the node is to be reset. What has been disabled is stopped (stop_o) until
//           drained_i, then reset for some cycles, however soon it is enabled again. out_*, in_*:
//           valid and ready of the network.
// Latency   Settings and open_o: 0 and 1 cycle behind the register
// Source    own design
//
// Parameters   see rdma

module rdma_csr
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
  import rdma_regs_pkg::*;
#(
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  parameter int unsigned Senders = 4,
  parameter int unsigned Windows = 4,
  parameter int unsigned AddrWidth = 48,
  parameter bit Packed = 1'b0,
  parameter bit CutThrough = 1'b1
) (
  input  logic         clk_i,
  input  logic         rst_i,
  input  rdma__out_t   regs_i,
  output rdma__in_t    regs_o,
  output settings_t    settings_o,
  output logic         open_o,
  output logic         stop_o,
  input  logic         drained_i,
  input  logic         ready_i,
  input  node_events_t events_i,
  input  logic         out_valid_i,
  input  logic         out_ready_i,
  input  logic         in_valid_i,
  input  logic         in_ready_i
);

  // ---- Begin and end ----
  localparam int unsigned RestWidth = 3;
  logic [RestWidth-1:0] rest_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      open_o <= 1'b0;
      stop_o <= 1'b0;
      rest_q <= '0;
    end else if (open_o) begin
      stop_o <= stop_o || !regs_i.control.enable.value;
      if (stop_o && drained_i) open_o <= 1'b0;
      rest_q <= '0;
    end else begin
      stop_o <= 1'b0;
      open_o <= regs_i.control.enable.value && rest_q == '1;
      if (rest_q != '1) rest_q <= rest_q + RestWidth'(1);
    end
  end

  // ---- Settings ----
  always_comb begin
    settings_o.identity = '{node: regs_i.identity.node.value, epoch: regs_i.identity.epoch.value};
    settings_o.limits = '{
        timeout: regs_i.timeout.cycles.value,
        retries: regs_i.retries.count.value,
        read_timeout: regs_i.read_timeout.ticks.value
    };
    settings_o.forget = regs_i.forget.ticks.value;
    settings_o.window_valid = regs_i.command.window.value && ready_i
        && 32'(regs_i.window.domain.value) < Pages && 32'(regs_i.window.slot.value) < Windows;
    settings_o.window = '{
        domain: 16'(regs_i.window.domain.value),
        slot: regs_i.window.slot.value,
        write: regs_i.window.write.value,
        read: regs_i.window.read.value,
        last: 48'(AddrWidth'({regs_i.window_last.high.value, regs_i.window_last.low.value})),
        first: 48'(AddrWidth'({regs_i.window_first.high.value, regs_i.window_first.low.value}))
    };
    settings_o.service = '{
        weighted: regs_i.service.weighted.value,
        weights: {
          regs_i.service.weight_four_paths.value,
          regs_i.service.weight_one_path.value,
          regs_i.service.weight_small.value
        }
    };
    for (int unsigned p = 0; p < 16; p++)
    settings_o.page_rates[p] = {
      regs_i.page_rate[p].four_paths.value, regs_i.page_rate[p].one_path.value
    };
    settings_o.congestion = '{
        fall: regs_i.congestion.fall.value,
        first: regs_i.congestion.first.value,
        increase: regs_i.congestion.increase.value
    };
    settings_o.cut_through = regs_i.receive.cut_through.value;
    settings_o.rate_valid = regs_i.command.rate.value && ready_i;
    settings_o.rate = '{flow : regs_i.rate.flow.value, interval: regs_i.rate.interval.value};
  end

  // ---- Counters, by their place in `observe` ----
  localparam int unsigned Counters = 64;
  localparam int unsigned RefusedFirst = 48;  // one for each page
  localparam int unsigned CounterWidth = $clog2(Counters);
  localparam logic [Counters-1:0][7:0] Widths = {{16{8'd1}}, {16{8'd0}}, {32{8'd1}}};

  // Events are late in their cycle: they count in the next one.
  node_events_t seen_q;
  logic out_moves_q, out_waits_q, in_moves_q, in_waits_q;
  always_ff @(posedge clk_i) begin
    seen_q <= rst_i ? '0 : events_i;
    out_moves_q <= out_valid_i && out_ready_i;
    out_waits_q <= out_valid_i && !out_ready_i;
    in_moves_q <= in_valid_i && in_ready_i;
    in_waits_q <= in_valid_i && !in_ready_i && ready_i;
  end

  engine_events_t engine;
  logic completed, failed;
  logic [Counters-1:0] increments;
  assign engine = seen_q.engine;
  assign completed = engine.finish && !engine.finish_read && !engine.finish_error;
  assign failed = engine.finish && !engine.finish_read && engine.finish_error;
  always_comb begin
    increments = '0;
    increments[12:0] = {seen_q.bad_form, seen_q.receive};
    increments[13] = engine.dropped;
    increments[14] = engine.repeated;
    increments[15] = engine.gave_up;
    increments[16] = completed;
    increments[17] = failed;
    increments[18] = engine.finish && engine.finish_read;
    increments[19] = seen_q.source_refused;
    increments[20] = seen_q.packet_left;
    increments[21] = out_moves_q;
    increments[22] = out_waits_q;
    increments[23] = seen_q.packet_came;
    increments[24] = in_moves_q;
    increments[25] = in_waits_q;
    increments[26] = engine.fault;
    increments[27] = seen_q.stray;
    increments[28] = seen_q.packet_within;
    increments[29] = seen_q.marked;
    increments[30] = seen_q.echo;
    increments[31] = seen_q.slowed;
    for (int unsigned page = 0; page < Pages; page++) begin
      increments[RefusedFirst+page] = engine.refused && 32'(engine.refused_page) == page;
    end
  end

  logic rd_req, rd_ack;
  logic [CounterWidth-1:0] rd_addr;
  logic [63:0] rd_data;
  logic unused_lost;

  prim_counter_bank #(
    .Count    (Counters),
    .Width    (64),
    .IncWidths(Widths)
  ) u_counters (
    .clk_i    (clk_i),
    .rst_i    (rst_i || !open_o),
    .clear_i  (regs_i.command.clear.value),
    .inc_i    (increments),
    .rd_req_i (rd_req),
    .rd_addr_i(rd_addr),
    .rd_ack_o (rd_ack),
    .rd_data_o(rd_data)
  );

  prim_page_reader #(
    .AddrWidth(9),
    .Timeout  (256)
  ) u_reader (
    .bus_clk_i    (clk_i),
    .bus_rst_i    (rst_i),
    .bus_req_i    (regs_i.observe.req),
    .bus_write_i  (regs_i.observe.req_is_wr),
    .bus_addr_i   (regs_i.observe.addr),
    .bus_rd_ack_o (regs_o.observe.rd_ack),
    .bus_wr_ack_o (regs_o.observe.wr_ack),
    .bus_lost_o   (unused_lost),
    .bus_rd_data_o(regs_o.observe.rd_data),
    .page_clk_i   (clk_i),
    .page_rst_i   (rst_i),
    .page_req_o   (rd_req),
    .page_addr_o  (rd_addr),
    .page_ack_i   (rd_ack),
    .page_data_i  (rd_data)
  );

  // ---- States and events ----
  assign regs_o.parameters.pages.next = 5'(Pages);
  assign regs_o.parameters.priorities.next = 5'(Priorities);
  assign regs_o.parameters.senders.next = 7'(Senders);
  assign regs_o.parameters.windows.next = 5'(Windows);
  assign regs_o.parameters.packed_framing.next = Packed;
  assign regs_o.parameters.cut_through.next = CutThrough && !Packed;
  assign regs_o.status.ready.next = ready_i;
  assign regs_o.status.drained.next = !open_o;
  assign regs_o.events.completed.next = completed;
  assign regs_o.events.failed.next = failed;
  assign regs_o.events.refused.next = engine.refused;
  assign regs_o.events.outside.next = seen_q.receive.window || seen_q.source_refused;
  assign regs_o.events.memory_error.next = seen_q.receive.memory_error;
  assign regs_o.events.fault.next = engine.fault;

endmodule
