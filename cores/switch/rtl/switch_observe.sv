// SPDX-License-Identifier: Apache-2.0
//
// switch_observe: what the `observe` page of the register map shows: state and counters.
//
// What      Counts what the ports report, puts their state into words, and answers one read at a
//           time. Reports events as pulses.
// Contract  rd_req_i is high with rd_addr_i (64-bit words of the page) until rd_ack_o, a pulse with
//           rd_data_o. A word without a register reads as 0. clear_i, a pulse, clears every counter
//           (prim_counter_bank). The reset of the switch touches no counter; rst_i does.
//           table_ready_i as of switch_core, table_write_i: pulse, an entry was written.
//           event_o: pulses, in the order of the bits of the register `events`.
// Clocks and resets  clk_i; rst_i synchronous to it.
// Latency   A read takes at most 8 + 16 * Ports cycles. A counter shows an event after two rounds
//           of the bank, of as many cycles each.
// Source    own design; map in docs/src/switch-registers.md
//
// Parameters
//   Ports   2..16

module switch_observe
  import switch_pkg::*;
  import switch_regs_pkg::*;
#(
  parameter  int unsigned Ports     = 4,
  localparam int unsigned AddrWidth = 9
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  input  logic                         clear_i,
  input  logic         [    Ports-1:0] link_up_i,
  input  port_status_t [    Ports-1:0] status_i,
  input  port_event_t  [    Ports-1:0] event_i,
  input  flow_t        [    Ports-1:0] flow_i,
  input  logic                         table_ready_i,
  input  logic                         table_write_i,
  input  logic                         rd_req_i,
  input  logic         [AddrWidth-1:0] rd_addr_i,
  output logic                         rd_ack_o,
  output logic         [         63:0] rd_data_o,
  output logic         [          5:0] event_o
);

  // ---- Places of the bank: the clock, and 16 counters of each port ----
  localparam int unsigned PortWords = 16;
  localparam int unsigned Count = 1 + PortWords * Ports;
  localparam int unsigned PlaceWidth = $clog2(Count);

  function automatic int unsigned in_port(int unsigned port, observe_port_offset_e offset);
    return 1 + PortWords * port + 32'(offset) / 8;
  endfunction

  // ---- State, and what has changed in it ----
  logic [Ports-1:0] open, open_q, dead, dead_q, up_q, loss, fault;
  logic table_ready_q;
  logic [31:0] writes_q;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign open[p]  = status_i[p].state == LinkOpen;
    assign dead[p]  = status_i[p].dead;
    assign loss[p]  = event_i[p].dropped || event_i[p].notice || event_i[p].untold;
    assign fault[p] = event_i[p].rx.malformed || event_i[p].rx.overrun || event_i[p].rx.gap;
  end

  always_ff @(posedge clk_i) begin
    open_q <= open;
    dead_q <= dead;
    up_q <= link_up_i;
    table_ready_q <= table_ready_i;
    if (!table_ready_i) writes_q <= '0;
    else writes_q <= writes_q + 32'(table_write_i);
    event_o <= {
      table_ready_i && !table_ready_q,
      |fault,
      |loss,
      |(dead & ~dead_q),
      |(open_q & ~open),
      |(open & ~open_q)
    };
    if (rst_i) begin
      {open_q, dead_q, table_ready_q} <= '0;
      event_o <= '0;
    end
  end

  // ---- What happened in the cycle before ----
  logic [Count-1:0][0:0] inc;
  always_ff @(posedge clk_i) begin
    inc <= '0;
    inc[0] <= 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      inc[in_port(p, ObservePortRxWords)]     <= flow_i[p].received;
      inc[in_port(p, ObservePortRxPackets)]   <= event_i[p].rx.packet;
      inc[in_port(p, ObservePortRxAborted)]   <= event_i[p].rx.aborted;
      inc[in_port(p, ObservePortRxMalformed)] <= event_i[p].rx.malformed;
      inc[in_port(p, ObservePortRxOverruns)]  <= event_i[p].rx.overrun;
      inc[in_port(p, ObservePortRxGaps)]      <= event_i[p].rx.gap;
      inc[in_port(p, ObservePortRxStale)]     <= event_i[p].rx.stale;
      inc[in_port(p, ObservePortDropped)]     <= event_i[p].dropped;
      inc[in_port(p, ObservePortNotices)]     <= event_i[p].notice;
      inc[in_port(p, ObservePortUntold)]      <= event_i[p].untold;
      inc[in_port(p, ObservePortTxWords)]     <= flow_i[p].sent;
      inc[in_port(p, ObservePortTxPackets)]   <= event_i[p].sent;
      inc[in_port(p, ObservePortTxCredits)]   <= event_i[p].credit;
      inc[in_port(p, ObservePortTxStalled)]   <= flow_i[p].stalled;
      inc[in_port(p, ObservePortOpens)]       <= open[p] && !open_q[p];
      inc[in_port(p, ObservePortDeaths)]      <= dead[p] && !dead_q[p];
    end
    if (rst_i) inc <= '0;
  end

  // ---- Reads: ports from word 256 on, the rest of the page below ----
  logic in_ports, direct, direct_q, bank_ack;
  logic [63:0] word, word_q, bank_data;
  logic [PlaceWidth-1:0] bank_addr;
  assign in_ports = rd_addr_i[8];

  always_comb begin
    word = '0;
    direct = 1'b1;
    bank_addr = '0;
    if (in_ports) begin
      direct = 32'(rd_addr_i[7:4]) >= Ports;
      bank_addr = PlaceWidth'(1) + PlaceWidth'(rd_addr_i[7:0]);
    end else begin
      unique case ({
        rd_addr_i, 3'd0
      })
        ObservePorts: word = {16'd0, 16'(dead_q), 16'(up_q), 16'(open_q)};
        ObserveTables: word = {31'd0, table_ready_q, writes_q};
        ObserveCycles: direct = 1'b0;
        default: word = '0;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    direct_q <= rd_req_i && direct && !direct_q && !rst_i;
    word_q   <= word;
  end
  assign rd_ack_o  = direct_q || bank_ack;
  assign rd_data_o = bank_ack ? bank_data : word_q;

  prim_counter_bank #(
    .Count(Count),
    .Width(64)
  ) u_bank (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .clear_i  (clear_i),
    .inc_i    (inc),
    .rd_req_i (rd_req_i && !direct),
    .rd_addr_i(bank_addr),
    .rd_ack_o (bank_ack),
    .rd_data_o(bank_data)
  );

endmodule
