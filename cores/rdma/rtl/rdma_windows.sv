// SPDX-License-Identifier: Apache-2.0
//
// rdma_windows: which memory a protection domain may reach.
//
// What      Each domain has some windows: first byte, last byte, whether others may read or write
//           it. Says whether a range lies in one of those of its domain.
// Why       A packet names any address; only what was registered may be touched for it.
// Contract  set_valid_i = 1 writes a window; read and write both 0 takes it away. A query comes in
//           every cycle, with the rights of which the window has to have one; allowed_o belongs to
//           the query of three cycles before. first <= last; a range that is in two windows that
//           touch is in none. After rst_i all windows are taken away in Domains cycles, until
//           ready_o is 1; no query has an answer before, and set_valid_i must be 0.
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

  typedef struct packed {
    logic [1:0]  rights;
    logic [47:0] last,   first;
  } stored_t;

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

  logic   known_q;
  query_t query_q;
  logic [Windows-1:0] from_q, to_q;

  always_ff @(posedge clk_i) begin
    known_q   <= 32'(query_i.domain) < Domains;
    query_q   <= query_i;
    allowed_o <= (from_q & to_q) != '0;
  end

  for (genvar w = 0; w < Windows; w++) begin : gen_window
    stored_t stored;
    stored_t window_q;
    stored_t set;
    assign set = '{rights: {set_i.write, set_i.read}, last: set_i.last, first: set_i.first};

    prim_ram_lut #(
      .Width($bits(stored_t)),
      .Depth(Domains)
    ) u_windows (
      .clk_i    (clk_i),
      .wr_en_i  (clearing_q || (set_valid_i && 32'(set_i.slot) == w)),
      .wr_addr_i(clearing_q ? clear_q : set_i.domain[DomainWidth-1:0]),
      .wr_data_i(clearing_q ? '0 : set),
      .rd_addr_i(query_i.domain[DomainWidth-1:0]),
      .rd_data_o(stored)
    );

    always_ff @(posedge clk_i) begin
      window_q  <= stored;
      from_q[w] <= query_q.first >= window_q.first && (query_q.rights & window_q.rights) != '0;
      to_q[w]   <= query_q.last <= window_q.last && known_q;
    end
  end

  logic unused_domain;
  assign unused_domain = ^{set_i.domain, query_q.domain};

endmodule
