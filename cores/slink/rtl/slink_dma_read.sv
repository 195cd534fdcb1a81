// SPDX-License-Identifier: Apache-2.0
//
// slink_dma_read: beats come from a memory.
//
// What      AXI4 read channels behind a stream of beats.
// Contract  s_valid_i, s_ready_o: read s_beats_i beats (0: 65 536) from s_address_i on; taken when
//           the job before is done.
//           m side: they come in order and may wait as long as they like. error_o: the beat that
//           is taken in this cycle was answered with an error.
//           Bursts have at most 16 beats of the bus and lie in an aligned block of that size, so
//           that none crosses 4 KB (nor what AXI3 allows). All of one ID; the next one is asked
//           for while one is read.
// Clocks and resets  clk_i; rst_i synchronous.
// Latency   1 cycle from the job to its address; none from the bus to a beat.
//
// Parameters  DataWidth  of the bus, 64 or 128

module slink_dma_read
  import slink_pkg::*;
#(
  parameter int unsigned DataWidth = 64
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           s_valid_i,
  output logic                           s_ready_o,
  input  address_t                       s_address_i,
  input  logic          [CountWidth-1:0] s_beats_i,
  output logic                           m_valid_o,
  input  logic                           m_ready_i,
  output beat_t                          m_data_o,
  output logic                           error_o,
  output axi_read_req_t                  axi_o,
  input  axi_read_rsp_t                  axi_i
);

  if (DataWidth != 64 && DataWidth != 128) begin : gen_bad_width
    $error("slink_dma_read %m: DataWidth must be 64 or 128, got %0d", DataWidth);
  end

  localparam int unsigned Ratio = (DataWidth == 128) ? 2 : 1;  // beats of data in one of the bus
  localparam int unsigned RatioBits = $clog2(Ratio);
  localparam int unsigned BurstBits = 4 + RatioBits;  // log2 of the beats of data in a burst

  typedef logic [BurstBits:0] count_t;
  typedef logic [CountWidth:0] beats_t;

  logic [31:0] addr_q;
  logic [7:0] len_q;
  logic arvalid_q;
  address_t address_q;  // behind what was asked for
  beats_t ask_q, rest_q;  // beats to be asked for, and to come
  logic [BurstBits-1:0] low;
  count_t span, count;
  logic to_end, ask, take, last, full;
  logic [1:0] half_q;  // place of the next beat in one of the bus

  // ---- Addresses ----
  assign low       = address_q[BurstBits-1:0];
  assign span      = count_t'(2 ** BurstBits) - count_t'(low);
  assign to_end    = ask_q >= beats_t'(span);
  assign count     = to_end ? span : count_t'(ask_q);
  assign ask       = ask_q != '0 && (!arvalid_q || axi_i.arready);
  assign s_ready_o = rest_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ask_q     <= '0;
      arvalid_q <= 1'b0;
    end else begin
      arvalid_q <= ask || (arvalid_q && !axi_i.arready);
      if (ask) ask_q <= ask_q - beats_t'(count);
      else if (s_valid_i && s_ready_o) ask_q <= {s_beats_i == '0, s_beats_i};
    end
    if (s_valid_i && s_ready_o) address_q <= s_address_i;
    else if (ask) begin
      // A burst ends in its block: no carry through the whole address.
      address_q[BurstBits-1:0] <= low + BurstBits'(count);
      if (to_end) address_q[28:BurstBits] <= address_q[28:BurstBits] + 1'b1;
    end
    if (ask) begin
      addr_q <= {address_q[28:RatioBits], (3 + RatioBits)'(0)};
      len_q  <= 8'((32'(low) + 32'(count) - 1) >> RatioBits) - 8'(low >> RatioBits);
    end
  end

  assign axi_o = '{
          ar: '{addr: addr_q, len: len_q, size: 3'(3 + RatioBits), burst: 2'b01},
          arvalid: arvalid_q,
          rready: take && full
      };

  // ---- Data ----
  assign take = m_valid_o && m_ready_i;
  assign last = rest_q == beats_t'(1);
  assign full = last || half_q == 2'(Ratio - 1);
  assign m_valid_o = axi_i.rvalid && rest_q != '0;
  assign error_o = take && axi_i.rresp[1];

  always_comb begin
    m_data_o = axi_i.rdata[BeatBits-1:0];
    for (int h = 1; h < int'(Ratio); h++) begin
      if (half_q == 2'(h)) m_data_o = axi_i.rdata[BeatBits*h+:BeatBits];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) rest_q <= '0;
    else if (take) rest_q <= rest_q - 1'b1;
    else if (s_valid_i && s_ready_o) rest_q <= {s_beats_i == '0, s_beats_i};
    if (s_valid_i && s_ready_o) half_q <= 2'(s_address_i & 29'(Ratio - 1));
    else if (take) half_q <= full ? '0 : half_q + 1'b1;
  end

  // Beats are counted, not bursts.
  logic unused;
  assign unused = &axi_i;

endmodule
