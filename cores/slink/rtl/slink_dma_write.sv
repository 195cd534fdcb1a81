// SPDX-License-Identifier: Apache-2.0
//
// slink_dma_write: beats go to a memory, in bursts as long as what is there.
//
// What      AXI4 write channels in front of a slink_store.
// Why       A burst begins only when its data are there: the first beat of a packet is written at
//           once, nothing waits on the bus for a line that may have died, and bursts grow by
//           themselves where the memory is the slower one.
// Contract  set_i: the next beat goes to address_i, those behind it to the addresses that follow;
//           only with free_o.
//           good_i: beats that there have been, modulo its width; valid_i, data_i, ready_o: the
//           first that was not taken.
//           free_o: all of them are taken. idle_o: all are written and answered, too. error_o: a
//           write of this cycle was answered with an error.
//           Bursts have at most 16 beats of the bus and lie in an aligned block of that size, so
//           that none crosses 4 KB (nor what AXI3 allows). All of one ID, at most 15 unanswered.
// Clocks and resets  clk_i; rst_i synchronous.
// Latency   1 cycle from a beat to its address, 1 more to its data.
//
// Parameters  DataWidth   of the bus, 64 or 128
//             CountBits   of good_i

module slink_dma_write
  import slink_pkg::*;
#(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned CountBits = 10
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           set_i,
  input  address_t                       address_i,
  input  logic           [CountBits-1:0] good_i,
  input  logic                           valid_i,
  output logic                           ready_o,
  input  beat_t                          data_i,
  output logic                           free_o,
  output logic                           idle_o,
  output logic                           error_o,
  output axi_write_req_t                 axi_o,
  input  axi_write_rsp_t                 axi_i
);

  if (DataWidth != 64 && DataWidth != 128) begin : gen_bad_width
    $error("slink_dma_write %m: DataWidth must be 64 or 128, got %0d", DataWidth);
  end

  localparam int unsigned Ratio = (DataWidth == 128) ? 2 : 1;  // beats of data in one of the bus
  localparam int unsigned RatioBits = $clog2(Ratio);
  localparam int unsigned BurstBits = 4 + RatioBits;  // log2 of the beats of data in a burst
  localparam int unsigned MaxOpen = 15;

  typedef logic [BurstBits:0] count_t;

  address_t address_q;  // behind what bursts have been made of
  logic [CountBits-1:0] made_q, waiting;  // beats that bursts have been made of, and not yet
  count_t span, count, next_q, left_q;
  logic to_end, make, next_valid_q, pop, last, wvalid_q, wlast_q, awvalid_q;
  logic [31:0] addr_q;
  logic [7:0] len_q;
  logic [3:0] open_q;
  logic [BurstBits-1:0] low;

  // ---- Addresses: a burst of what is there ----
  assign low     = address_q[BurstBits-1:0];
  assign waiting = good_i - made_q;
  assign span    = count_t'(2 ** BurstBits) - count_t'(low);
  assign to_end  = 32'(waiting) >= 32'(span);
  assign count   = to_end ? span : count_t'(waiting);
  assign make    = waiting != '0 && !next_valid_q && !awvalid_q && open_q != 4'(MaxOpen);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      awvalid_q    <= 1'b0;
      next_valid_q <= 1'b0;
      made_q       <= '0;
      open_q       <= '0;
    end else begin
      awvalid_q <= make || (awvalid_q && !axi_i.awready);
      if (make) next_valid_q <= 1'b1;
      else if (left_q == '0 || (pop && last)) next_valid_q <= 1'b0;
      if (make) made_q <= made_q + CountBits'(count);
      open_q <= open_q + 4'(make) - 4'(axi_i.bvalid);
    end
    if (set_i) address_q <= address_i;
    else if (make) begin
      // A burst ends in its block: no carry through the whole address.
      address_q[BurstBits-1:0] <= low + BurstBits'(count);
      if (to_end) address_q[28:BurstBits] <= address_q[28:BurstBits] + 1'b1;
    end
    if (make) begin
      next_q <= count;
      addr_q <= {address_q[28:RatioBits], (3 + RatioBits)'(0)};
      len_q  <= 8'((32'(low) + 32'(count) - 1) >> RatioBits) - 8'(low >> RatioBits);
    end
  end

  // ---- Data ----
  logic [  DataWidth-1:0] data_q;
  logic [DataWidth/8-1:0] strobe_q;
  logic [1:0] half_q, half;  // place of the next beat in one of the bus
  logic full, fresh_q;  // the next beat begins one of the bus

  assign last    = left_q == count_t'(1);
  assign full    = last || half_q == 2'(Ratio - 1);
  assign pop     = valid_i && left_q != '0 && (!wvalid_q || axi_i.wready);
  assign ready_o = pop;
  assign half    = (half_q == 2'(Ratio - 1)) ? '0 : half_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      left_q   <= '0;
      wvalid_q <= 1'b0;
    end else begin
      if (next_valid_q && (left_q == '0 || (pop && last))) left_q <= next_q;
      else if (pop) left_q <= left_q - 1'b1;
      if (pop) wvalid_q <= full;
      else if (axi_i.wready) wvalid_q <= 1'b0;
    end
    if (set_i) half_q <= 2'(address_i & 29'(Ratio - 1));
    else if (pop) half_q <= half;
    if (rst_i) fresh_q <= 1'b1;
    else if (pop) fresh_q <= full;
    if (pop) begin
      wlast_q <= last;
      if (fresh_q) strobe_q <= '0;
      for (int h = 0; h < int'(Ratio); h++) begin
        if (half_q == 2'(h)) begin
          data_q[BeatBits*h+:BeatBits]       <= data_i;
          strobe_q[BeatBits/8*h+:BeatBits/8] <= '1;
        end
      end
    end
  end

  assign axi_o = '{
          aw: '{addr: addr_q, len: len_q, size: 3'(3 + RatioBits), burst: 2'b01},
          awvalid: awvalid_q,
          wdata: MaxDataWidth'(data_q),
          wstrb: (MaxDataWidth / 8)'(strobe_q),
          wlast: wlast_q,
          wvalid: wvalid_q,
          bready: 1'b1
      };

  assign error_o = axi_i.bvalid && axi_i.bresp[1];
  assign free_o = waiting == '0 && !next_valid_q && left_q == '0;
  assign idle_o = waiting == '0 && open_q == '0;

  logic unused;
  assign unused = axi_i.bresp[0];

endmodule
