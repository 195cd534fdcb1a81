// SPDX-License-Identifier: Apache-2.0
//
// pcs_peer: does the peer send what a receiver cannot see by itself: blocks, for a receiver with
// FEC, or markers of FEC lanes, for one without.
//
// What      Looks at one physical lane of four. Blocks: its bits i mod 5 = 0 are a PCS lane, which
//           has block lock. Markers: pcs_fec_lane finds a row of them.
// Why       Either is found within a marker period, so a link whose ends differ can say so.
// Contract  lanes_i: raw words of 80 bits, bit 0 first on the line; signal_i: there are some.
//           found_o: the peer sends that now; high until 65 of 1024 headers are illegal, or until
//           a row of markers does not come. Of any polarity, order and slip of the lanes.
// Dead lane Without a signal it is left at once; if nothing has been found in it for Patience
//           cycles the next one is looked at.
// Parameters
//   Coded   1: markers of FEC lanes; 0: blocks
//   Period  rows from markers to markers
// Limits    Markers on lanes that are dead and have a signal take a period more for each of them.
//           A lane whose words repeat themselves has no blocks: a clock would lock.
// Source    IEEE Std 802.3 figure 82-10 (block lock), 91.5.3.1 (markers)

module pcs_peer
  import pcs_pkg::*;
  import pcs_fec_pkg::*;
#(
  parameter bit Coded = 1'b0,
  parameter int unsigned Period = 16384
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  input  logic      [FecLanes-1:0] signal_i,
  input  fec_word_t [FecLanes-1:0] lanes_i,
  output logic                     found_o
);

  // A row of markers and its words; twice what 66 places of the border take, and 64 blocks.
  localparam int unsigned Patience = Coded ? Period / 8 * 33 + 16 : 2048;
  localparam int unsigned TimeWidth = $clog2(Patience);
  localparam int unsigned PlainLanes = Lanes / FecLanes;  // of a physical one

  // ---- Which lane ----
  logic [TimeWidth-1:0] time_q;
  logic [$clog2(FecLanes)-1:0] lane_q;
  logic next, look;
  fec_word_t word_q;

  assign next = !signal_i[lane_q] || (!found_o && time_q == TimeWidth'(Patience - 1));

  always_ff @(posedge clk_i) begin
    word_q <= lanes_i[lane_q];
    look   <= !next && !rst_i;
    time_q <= (next || found_o || rst_i) ? '0 : time_q + 1'b1;
    if (rst_i) lane_q <= '0;
    else if (next) lane_q <= lane_q + 1'b1;
  end

  // ---- What it has ----
  if (Coded) begin : gen_coded
    fec_word_t unused_data;
    logic unused_marker, unused_locked, unused_inverted;
    logic [1:0] unused_number;

    pcs_fec_lane #(
      .Period(Period)
    ) u_lane (
      .clk_i,
      .rst_i,
      .lock_i    (look),
      .data_i    (word_q),
      .data_o    (unused_data),
      .marker_o  (unused_marker),
      .found_o   (found_o),
      .locked_o  (unused_locked),
      .number_o  (unused_number),
      .inverted_o(unused_inverted)
    );
  end else begin : gen_blocks
    logic [RawWidth-1:0] plain, plain_q;
    line_64b66b_pkg::block_t block;
    logic valid, slip, unused_block;
    logic [2:0] still_q;  // words in a row that are as the one before

    for (genvar b = 0; b < RawWidth; b++) begin : gen_bit
      assign plain[b] = word_q[PlainLanes*b];
    end
    assign unused_block = ^block[65:2];

    line_gearbox_rx u_gearbox (
      .clk_i,
      .rst_i,
      .data_i   (plain),
      .slip_i   (slip),
      .m_valid_o(valid),
      .m_data_o (block)
    );

    line_block_lock #(
      .LockBlocks(64),
      .Window    (1024),
      .BadLimit  (65)
    ) u_lock (
      .clk_i,
      .rst_i   (!look || still_q == '1),
      .valid_i (valid),
      .header_i(block[1:0]),
      .slip_o  (slip),
      .locked_o(found_o)
    );

    always_ff @(posedge clk_i) begin
      plain_q <= plain;
      if (plain != plain_q) still_q <= '0;
      else if (still_q != '1) still_q <= still_q + 1'b1;
    end
  end

endmodule
