// SPDX-License-Identifier: Apache-2.0
//
// rdma_windows: which memory a protection domain may reach.
//
// What      Each domain has some windows: first byte, last byte, whether others may read or write
//           it. Says whether a range lies in one of those of its domain.
// Why       A packet names any address; only what was registered may be touched for it.
// Contract  set_valid_i = 1 writes a window; read and write both 0 takes it away. A query comes in
//           every cycle, with the rights of which the window has to have one; allowed_o belongs to
//           the query of three cycles before. A window has first <= last; a range that has no byte,
//           goes beyond the last address, or is in two windows that touch, is in none. After rst_i
//           all windows are taken away in Domains cycles, until ready_o is 1; no query has an
//           answer before, and set_valid_i must be 0.
// Latency   3 cycles
// Storage   LUT memory
// Source    own design
//
// Parameters
//   Domains     domains, a power of two >= 2
//   Windows     of each, a power of two, 2 to 16

module rdma_windows
  import rdma_unit_pkg::*;
#(
  parameter  int unsigned Domains     = 16,
  parameter  int unsigned Windows     = 4,
  localparam int unsigned DomainWidth = $clog2(Domains)
) (
  input  logic    clk_i,
  input  logic    rst_i,
  output logic    ready_o,
  input  logic    set_valid_i,
  input  window_t set_i,
  input  query_t  query_i,
  output logic    allowed_o
);

  if (Domains < 2 || (Domains & (Domains - 1)) != 0) begin : gen_bad_domains
    $error("rdma_windows %m: rule Domains is a power of two >= 2, got %0d", Domains);
  end
  if (Windows < 2 || Windows > 16 || (Windows & (Windows - 1)) != 0) begin : gen_bad_windows
    $error("rdma_windows %m: rule Windows is a power of two, 2 to 16, got %0d", Windows);
  end

  logic clearing_q;
  logic [DomainWidth-1:0] clear_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else begin
      if (clearing_q) clearing_q <= clear_q != DomainWidth'(Domains - 1);
      clear_q <= clear_q + 1'b1;
    end
  end
  assign ready_o = !clearing_q;

  // First byte and rights in the cycle of the query, the end in the next one, while that of the
  // range is calculated. An end is the byte behind, up to 2^48. Both halves of a window are written
  // as they are read: a query sees all of it or nothing.
  logic set, set_q;
  logic [Windows-1:0] slots, slots_q;
  logic [DomainWidth-1:0] domain, domain_q;
  logic [48:0] set_end_q;
  assign set = clearing_q || set_valid_i;
  assign slots = clearing_q ? '1 : Windows'(1) << set_i.slot;
  assign domain = clearing_q ? clear_q : set_i.domain[DomainWidth-1:0];

  query_t query_q;
  logic known_q;
  logic [48:0] end_q;
  logic [Windows-1:0] from_q, within_q;

  always_ff @(posedge clk_i) begin
    set_q <= set;
    slots_q <= slots;
    domain_q <= domain;
    set_end_q <= 49'(set_i.last) + 49'd1;

    query_q <= query_i;
    known_q <= 32'(query_q.domain) < Domains && query_q.size != '0;
    end_q <= end_of(query_q.first, query_q.size);
  end
  assign allowed_o = within_q != '0;

  for (genvar w = 0; w < Windows; w++) begin : gen_window
    logic [49:0] stored, window_q;  // rights, first
    logic [48:0] stored_end, window_end_q;

    prim_ram_lut #(
      .Width(50),
      .Depth(Domains)
    ) u_first (
      .clk_i    (clk_i),
      .wr_en_i  (set && slots[w]),
      .wr_addr_i(domain),
      .wr_data_i(clearing_q ? '0 : {set_i.write, set_i.read, set_i.first}),
      .rd_addr_i(query_i.domain[DomainWidth-1:0]),
      .rd_data_o(stored)
    );

    prim_ram_lut #(
      .Width(49),
      .Depth(Domains)
    ) u_end (
      .clk_i    (clk_i),
      .wr_en_i  (set_q && slots_q[w]),
      .wr_addr_i(domain_q),
      .wr_data_i(set_end_q),
      .rd_addr_i(query_q.domain[DomainWidth-1:0]),
      .rd_data_o(stored_end)
    );

    always_ff @(posedge clk_i) begin
      window_q <= stored;
      window_end_q <= stored_end;
      from_q[w] <= query_q.first >= window_q[47:0] && (query_q.rights & window_q[49:48]) != '0;
      within_q[w] <= from_q[w] && known_q && end_q <= window_end_q;
    end
  end

  logic unused_domain;
  assign unused_domain = ^{set_i.domain, query_q.domain};

endmodule
