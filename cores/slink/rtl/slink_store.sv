// SPDX-License-Identifier: Apache-2.0
//
// slink_store: keeps the beats that arrive until they are found good and written.
//
// What      A FIFO whose words can be read once they are found good, and are forgotten if they are
// not.
// Contract  s_valid_i: a beat arrives; nothing can stop it. good_i: all so far may be read (that of
//           the same cycle too); drop_i: those since the last good_i are forgotten (that of the
//           same cycle too; not together with good_i). overflow_o: the beat of this cycle found no
//           room and is lost; the caller drops what it belongs to. m side: beats that are found
//           good, in order; good_o: how many there have been, modulo 2 * Depth. level_o: beats that
//           take room.
// Latency   3 cycles from a beat that is good at once to m_valid_o.
//
// Parameters  Depth  beats, a power of two >= 4; in CRC mode more than a block of 256

module slink_store
  import slink_pkg::*;
#(
  parameter  int unsigned Depth     = 512,
  localparam int unsigned AddrWidth = (Depth > 2) ? $clog2(Depth) : 1,
  localparam int unsigned CountBits = AddrWidth + 1
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  s_valid_i,
  input  beat_t                 s_data_i,
  input  logic                  good_i,
  input  logic                  drop_i,
  output logic                  overflow_o,
  output logic                  m_valid_o,
  input  logic                  m_ready_i,
  output beat_t                 m_data_o,
  output logic  [CountBits-1:0] good_o,
  output logic  [CountBits-1:0] level_o
);

  if (Depth < 4 || 2 ** $clog2(Depth) != Depth) begin : gen_bad_depth
    $error("slink_store %m: Depth must be a power of two >= 4, got %0d", Depth);
  end

  // One bit more than an address: it tells a full memory from an empty one.
  logic [CountBits-1:0] write_q, write, good_q, read_q;
  logic room, take, load, valid_q;

  assign level_o    = write_q - read_q;
  assign room       = (write_q ^ read_q) != CountBits'(Depth);
  assign overflow_o = s_valid_i && !room;
  assign write      = write_q + CountBits'(s_valid_i && room);
  assign take       = m_valid_o && m_ready_i;
  assign load       = good_q != read_q && (!valid_q || take);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      good_q  <= '0;
      read_q  <= '0;
      valid_q <= 1'b0;
    end else begin
      write_q <= drop_i ? good_q : write;
      if (good_i) good_q <= write;
      if (load) read_q <= read_q + 1'b1;
      valid_q <= load || (valid_q && !take);
    end
  end

  prim_ram_1r1w #(
    .Width(BeatBits),
    .Depth(Depth)
  ) u_ram (
    .clk_i    (clk_i),
    .wr_en_i  (s_valid_i && room),
    .wr_addr_i(write_q[AddrWidth-1:0]),
    .wr_data_i(s_data_i),
    .rd_en_i  (load),
    .rd_addr_i(read_q[AddrWidth-1:0]),
    .rd_data_o(m_data_o)
  );

  assign m_valid_o = valid_q;
  assign good_o    = good_q;

endmodule
