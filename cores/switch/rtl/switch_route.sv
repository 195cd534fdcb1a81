// SPDX-License-Identifier: Apache-2.0
//
// switch_route: which way a packet goes on from this input.
//
// What      a table of the destinations gives the ports that are allowed. Of those that are open,
//           or if there is none of those that are not dead yet, one is chosen: by a hash of source,
//           destination and flow, or for a packet with `spread` the one with the shortest queue.
//           Takes one from the hops.
// Choice    a tree over the ports; where both branches have a port a bit of the hash decides, or
//           the shorter queue. So the sets of uplinks or downlinks that a topology has share the
//           load evenly if their ports are 2, 4, .. in a row.
// Contract  masks_i as masks_o of switch_hash. Words come in order, one a cycle at most; those of
//           one packet go to one port. A notice of this switch (s_notice_i) is a packet of one word
//           that may come between the words of another packet. m_drop_o: the word is to be dropped,
//           lost_* says why (with the first).
//           The table is zero (no route) after a reset; that takes Nodes cycles, in which writes
//           are ignored (table_ready_o).
// Clock     clk_i; rst_i synchronous to it
// Latency   2 cycles
//
// Parameters
//   Ports   of the switch, 2..16
//   Nodes   destinations, 2..65536
//
// Source    cores/switch/README.md, "Routing"

module switch_route
  import switch_pkg::*;
#(
  parameter int unsigned Ports = 4,
  parameter int unsigned Nodes = 64,
  localparam int unsigned PortWidth = $clog2(Ports),
  localparam int unsigned Leaves = 1 << PortWidth,
  localparam int unsigned AddrWidth = Nodes > 2 ? $clog2(Nodes) : 1
) (
  input logic clk_i,
  input logic rst_i,

  input  logic                 table_write_i,
  input  logic [AddrWidth-1:0] table_addr_i,
  input  logic [    Ports-1:0] table_data_i,
  output logic                 table_ready_o,

  input key_t [Leaves-1:0]      masks_i,
  input logic [ Ports-1:0]      open_i,
  input logic [ Ports-1:0]      dead_i,
  input logic [ Ports-1:0][3:0] load_i,

  input logic   s_valid_i,
  input beat_t  s_beat_i,
  input class_t s_class_i,
  input logic   s_notice_i,

  output logic                   m_valid_o,
  output beat_t                  m_beat_o,
  output class_t                 m_class_o,
  output logic                   m_notice_o,
  output logic                   m_drop_o,
  output logic   [PortWidth-1:0] m_port_o,

  output logic  lost_valid_o,
  output lost_t lost_o
);

  // ---- Table ----
  logic [AddrWidth-1:0] clear_q;
  logic clearing_q;
  logic [Ports-1:0] allowed;
  assign table_ready_o = !clearing_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= '0;
      clearing_q <= 1'b1;
    end else if (clearing_q) begin
      clear_q <= clear_q + 1'b1;
      clearing_q <= clear_q != AddrWidth'(Nodes - 1);
    end
  end
  prim_ram_1r1w #(
    .Width(Ports),
    .Depth(Nodes)
  ) u_table (
    .clk_i    (clk_i),
    .wr_en_i  (clearing_q || table_write_i),
    .wr_addr_i(clearing_q ? clear_q : table_addr_i),
    .wr_data_i(clearing_q ? '0 : table_data_i),
    .rd_en_i  (1'b1),
    .rd_addr_i(s_beat_i.data.header.destination[AddrWidth-1:0]),
    .rd_data_o(allowed)
  );

  // ---- With the answer of the table ----
  logic valid_q, notice_q, known_q;
  beat_t  beat_q;
  class_t class_q;
  key_t   key;
  logic [Leaves-1:0] hash_d, hash_q;
  assign key = {
    s_beat_i.data.header.source, s_beat_i.data.header.destination, s_beat_i.data.header.flow
  };
  for (genvar k = 0; k < Leaves; k++) begin : gen_hash
    assign hash_d[k] = ^(key & masks_i[k]);
  end
  always_ff @(posedge clk_i) begin
    valid_q  <= s_valid_i && !rst_i;
    beat_q   <= s_beat_i;
    class_q  <= s_class_i;
    notice_q <= s_notice_i;
    hash_q   <= hash_d;
    known_q  <= 17'(s_beat_i.data.header.destination) < 17'(Nodes) && !clearing_q;
  end

  // ---- Choice ----
  header_t header;
  logic [Ports-1:0] candidates;
  logic [Leaves-1:0][3:0] load;
  logic [2*Leaves-1:0] any;
  logic [2*Leaves-1:0][3:0] least;
  logic [2*Leaves-1:0][PortWidth-1:0] best;
  assign header = beat_q.data.header;
  assign candidates = (allowed & open_i) != '0 ? allowed & open_i : allowed & ~dead_i;
  assign load = (4 * Leaves)'(load_i);
  always_comb begin
    any   = '0;
    least = '0;
    best  = '0;
    for (int unsigned k = 0; k < Leaves; k++) begin
      any[Leaves+k]   = k < Ports ? candidates[k%Ports] : 1'b0;
      least[Leaves+k] = load[k];
      best[Leaves+k]  = PortWidth'(k);
    end
    for (int unsigned n = Leaves - 1; n > 0; n--) begin
      logic second;
      second = hash_q[n];
      if (header.spread && least[2*n] != least[2*n+1]) second = least[2*n+1] < least[2*n];
      if (!any[2*n]) second = 1'b1;
      if (!any[2*n+1]) second = 1'b0;
      any[n]   = any[2*n] || any[2*n+1];
      least[n] = second ? least[2*n+1] : least[2*n];
      best[n]  = second ? best[2*n+1] : best[2*n];
    end
  end

  logic unused;
  assign unused = ^{header.number, header.epoch, header.limits, header.hello, header.mark};

  // ---- Result; the words behind the first one follow it ----
  lost_e reason;
  logic drop_q;
  logic [PortWidth-1:0] port_q;
  always_comb begin
    reason = LostNone;
    if (header.hops == '0) reason = LostHops;
    else if (!known_q || !any[1]) reason = LostRoute;
  end
  always_ff @(posedge clk_i) begin
    m_valid_o <= valid_q && !rst_i;
    m_beat_o <= beat_q;
    m_class_o <= class_q;
    m_notice_o <= notice_q;
    m_port_o <= port_q;
    m_drop_o <= drop_q;
    lost_valid_o <= 1'b0;
    if (beat_q.first) begin
      m_beat_o.data.header.hops <= header.hops - 1'b1;
      m_port_o <= best[1];
      m_drop_o <= reason != LostNone;
      if (valid_q && !notice_q) begin
        port_q <= best[1];
        drop_q <= reason != LostNone;
      end
      lost_valid_o <= valid_q && reason != LostNone && !rst_i;
    end
    lost_o <= '{
        reason: reason,
        source: header.source,
        destination: header.destination,
        flow : header.flow,
        cls: header.cls,
        words: header.words,
        notice: header.kind == KindNotice
    };
  end

endmodule
