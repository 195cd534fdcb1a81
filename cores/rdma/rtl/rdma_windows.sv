// SPDX-License-Identifier: Apache-2.0
//
// rdma_windows: which memory a protection domain may reach.
//
// What      Each domain has some windows: first byte, last byte, whether others may read or write it. Says whether a range lies in one
//           of those of its domain.
// Why       A packet names any address; only what was registered may be touched for it.
// Contract  set_valid_i = 1 writes a window; read and write both 0 takes it away. Queries come in every cycle, with the rights, {write, read}, of
//           which the window has to have one; allowed_o belongs to the one of three cycles before. first_i <= last_i; a range that is in two windows that touch is in none. After rst_i all windows are
//           taken away in Domains cycles, until ready_o is 1; no query has an answer before, and set_valid_i must be 0.
// Latency   3 cycles
// Storage   LUT memory
//
// Parameters
//   Domains     domains, a power of two >= 2
//   Windows     of each, a power of two, 2 to 16
//   AddrWidth   bits of an address
// Source    own design

module rdma_windows #(
  parameter int unsigned Domains = 16,
  parameter int unsigned Windows = 4,
  parameter int unsigned AddrWidth = 48,
  localparam int unsigned DomainWidth = $clog2(Domains),
  localparam int unsigned WindowWidth = $clog2(Windows)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  output logic                   ready_o,
  input  logic                   set_valid_i,
  input  logic [DomainWidth-1:0] set_domain_i,
  input  logic [WindowWidth-1:0] set_window_i,
  input  logic [  AddrWidth-1:0] set_first_i,
  input  logic [  AddrWidth-1:0] set_last_i,
  input  logic                   set_read_i,
  input  logic                   set_write_i,
  input  logic [           15:0] domain_i,
  input  logic [  AddrWidth-1:0] first_i,
  input  logic [  AddrWidth-1:0] last_i,
  input  logic [            1:0] rights_i,
  output logic                   allowed_o
);

  if (Domains < 2 || (Domains & (Domains - 1)) != 0) begin : gen_bad_domains
    $error("rdma_windows %m: rule Domains is a power of two >= 2, got %0d", Domains);
  end
  if (Windows < 2 || Windows > 16 || (Windows & (Windows - 1)) != 0) begin : gen_bad_windows
    $error("rdma_windows %m: rule Windows is a power of two, 2 to 16, got %0d", Windows);
  end

  typedef struct packed {
    logic write;
    logic read;
    logic [AddrWidth-1:0] last;
    logic [AddrWidth-1:0] first;
  } window_t;

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

  logic known_q;
  logic [1:0] rights_q;
  logic [AddrWidth-1:0] first_q;
  logic [AddrWidth-1:0] last_q;
  logic [Windows-1:0] from_q;
  logic [Windows-1:0] to_q;

  always_ff @(posedge clk_i) begin
    known_q <= 32'(domain_i) < Domains;
    rights_q <= rights_i;
    first_q <= first_i;
    last_q <= last_i;
    allowed_o <= (from_q & to_q) != '0;
  end

  for (genvar w = 0; w < Windows; w++) begin : gen_window
    window_t stored;
    window_t window_q;
    window_t set;
    assign set = '{write: set_write_i, read: set_read_i, last: set_last_i, first: set_first_i};

    prim_ram_lut #(
      .Width($bits(window_t)),
      .Depth(Domains)
    ) u_windows (
      .clk_i    (clk_i),
      .wr_en_i  (clearing_q || (set_valid_i && set_window_i == WindowWidth'(w))),
      .wr_addr_i(clearing_q ? clear_q : set_domain_i),
      .wr_data_i(clearing_q ? '0 : set),
      .rd_addr_i(domain_i[DomainWidth-1:0]),
      .rd_data_o(stored)
    );

    always_ff @(posedge clk_i) begin
      window_q  <= stored;
      from_q[w] <= first_q >= window_q.first && (rights_q & {window_q.write, window_q.read}) != '0;
      to_q[w]   <= last_q <= window_q.last && known_q;
    end
  end

endmodule
