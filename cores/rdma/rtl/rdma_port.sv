// SPDX-License-Identifier: Apache-2.0
//
// rdma_port: where users write descriptors and read what became of them: an AXI4 slave.
//
// What      Two windows of 4096 bytes for each page: descriptors at page * 4096, state at the same offset above them.
//             descriptors  0x000 + 32 c   descriptor of one line for channel c, 0 to 63
//                          0x800 + 64 k   descriptor of two lines for channel 2 k, and channel 2 k + 1 has its second line
//             state        0x000 + 8 c    read: state of channel c; a write to 0x000 forgets a descriptor that is not whole
//                          0x400          read of 8 bytes: channels 0 to 31, of 16 bytes: all 64; two bits each, channel 0 lowest
//                          0x408          read of 8 bytes: channels 32 to 63
//           A read makes idle the channels that it returns as done or error, and no others.
// Why       A page is a page of the processor's memory management: a process reaches its own channels only.
// Contract  Writes: bursts of any length with rising addresses, of beats of 8 bytes or more, whole words of 8 bytes by their
//           strobes. SLVERR for the whole burst if one of its beats is not taken (rdma_collect), has half a word, or goes where nothing can be
//           written; its other beats are carried out. refused_o is 1 in a cycle in which a beat was not taken, page refused_page_o.
//           Reads: one beat of the sizes above. All others are answered with SLVERR and zero, and change nothing.
//           idle_i, start_*_o, read_*: rdma_status, in the same cycle. Lines and starts: see rdma_collect.
//           Nothing is accepted while ready_i is 0. A response is never lost: a state that was read stays on the bus until it is taken.
// Latency   Last word to line: 0 cycles if its address came before. One beat per cycle. Read: 1 cycle.
// Storage   Addresses and responses: FIFOs of 8.
//
// Parameters
//   DataWidth    bits of the data bus: 64, 128 or 256
//   IdWidth      bits of an AXI identifier, >= 1
//   Pages        pages, a power of two >= 2
//   Priorities   intra-priorities, 1 to 16

module rdma_port #(
  parameter int unsigned DataWidth = 128,
  parameter int unsigned IdWidth = 4,
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  localparam int unsigned PageWidth = $clog2(Pages),
  localparam int unsigned AddrWidth = PageWidth + 13
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   ready_i,
  input  logic [    IdWidth-1:0] s_axi_awid,
  input  logic [  AddrWidth-1:0] s_axi_awaddr,
  input  logic [            7:0] s_axi_awlen,
  input  logic [            2:0] s_axi_awsize,
  input  logic [            1:0] s_axi_awburst,
  input  logic                   s_axi_awvalid,
  output logic                   s_axi_awready,
  input  logic [  DataWidth-1:0] s_axi_wdata,
  input  logic [DataWidth/8-1:0] s_axi_wstrb,
  input  logic                   s_axi_wlast,
  input  logic                   s_axi_wvalid,
  output logic                   s_axi_wready,
  output logic [    IdWidth-1:0] s_axi_bid,
  output logic [            1:0] s_axi_bresp,
  output logic                   s_axi_bvalid,
  input  logic                   s_axi_bready,
  input  logic [    IdWidth-1:0] s_axi_arid,
  input  logic [  AddrWidth-1:0] s_axi_araddr,
  input  logic [            7:0] s_axi_arlen,
  input  logic [            2:0] s_axi_arsize,
  input  logic [            1:0] s_axi_arburst,
  input  logic                   s_axi_arvalid,
  output logic                   s_axi_arready,
  output logic [    IdWidth-1:0] s_axi_rid,
  output logic [  DataWidth-1:0] s_axi_rdata,
  output logic [            1:0] s_axi_rresp,
  output logic                   s_axi_rlast,
  output logic                   s_axi_rvalid,
  input  logic                   s_axi_rready,
  output logic                   start_o,
  output logic [  PageWidth-1:0] start_page_o,
  output logic [            5:0] start_channel_o,
  input  logic [           63:0] idle_i,
  output logic                   read_o,
  output logic [  PageWidth-1:0] read_page_o,
  output logic [           63:0] read_mask_o,
  input  logic [          127:0] read_status_i,
  output logic                   line_valid_o,
  input  logic                   line_ready_i,
  output logic [  PageWidth+6:0] line_index_o,
  output logic [          255:0] line_data_o,
  output logic                   start_packet_o,
  output logic [            1:0] start_class_o,
  output logic [            3:0] start_priority_o,
  output logic                   refused_o,
  output logic [  PageWidth-1:0] refused_page_o
);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin : gen_bad_data
    $error("rdma_port %m: rule DataWidth is 64, 128 or 256, got %0d", DataWidth);
  end
  if (IdWidth < 1) begin : gen_bad_id
    $error("rdma_port %m: rule IdWidth >= 1, got %0d", IdWidth);
  end

  localparam int unsigned Lanes = DataWidth / 64;
  localparam logic [2:0] FullSize = 3'($clog2(DataWidth / 8));
  localparam int unsigned Outstanding = 8;
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;
  localparam logic [1:0] Incr = 2'b01;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    logic [AddrWidth-1:0] address;
    logic [2:0] size;
    logic bad;
  } write_t;

  // Addresses wait for their data.
  logic beat;
  write_t aw_in;
  write_t aw;
  logic aw_ready;
  logic aw_valid;
  logic [3:0] unused_aw_level;

  assign aw_in = '{
          id: s_axi_awid,
          address: s_axi_awaddr,
          size: s_axi_awsize,
          bad:
          s_axi_awsize
          < 3'd3 ||
          s_axi_awsize
          >
          FullSize
          ||
          s_axi_awaddr[2:0]
          != '0 || (
          s_axi_awburst != Incr && s_axi_awlen != '0
          )
      };
  assign s_axi_awready = aw_ready && ready_i;

  prim_fifo_sync #(
    .Width($bits(write_t)),
    .Depth(Outstanding)
  ) u_addresses (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(s_axi_awvalid && ready_i),
    .s_ready_o(aw_ready),
    .s_data_i (aw_in),
    .m_valid_o(aw_valid),
    .m_ready_i(beat && s_axi_wlast),
    .m_data_o (aw),
    .level_o  (unused_aw_level)
  );

  // A beat: its address, which of its words are there.
  logic beat_valid;
  logic later_q;
  logic failed_q;
  logic [11:0] offset_q;
  logic [11:0] offset;
  logic [11:0] size_bytes;
  logic state_window;
  logic broken;
  logic [Lanes-1:0] lanes;
  logic [3:0] words;
  logic [255:0] data;
  logic response_ready;
  logic collect_ready;
  logic collect_refused;
  logic forget;
  logic nowhere;
  logic refused;

  assign offset = later_q ? offset_q : aw.address[11:0];
  assign state_window = aw.address[AddrWidth-1];
  assign size_bytes = 12'd1 << aw.size;

  always_comb begin
    broken = 1'b0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      lanes[i] = s_axi_wstrb[8*i];
      if (s_axi_wstrb[8*i+:8] != {8{lanes[i]}}) broken = 1'b1;
    end
  end

  if (DataWidth == 256) begin : gen_line
    assign words = lanes;
    assign data  = s_axi_wdata;
  end else if (DataWidth == 128) begin : gen_half
    assign words = offset[4] ? {lanes, 2'b00} : {2'b00, lanes};
    assign data  = {2{s_axi_wdata}};
  end else begin : gen_word
    assign words = 4'(lanes) << offset[4:3];
    assign data  = {4{s_axi_wdata}};
  end

  // In the state window only the first word of a page can be written.
  assign forget = state_window && offset == '0 && lanes != '0 && !broken && !aw.bad;
  assign nowhere = aw.bad || broken || (state_window && !forget && lanes != '0);
  assign refused = nowhere || (!forget && collect_refused);
  assign beat_valid = s_axi_wvalid && aw_valid && response_ready && ready_i;
  assign s_axi_wready = aw_valid && response_ready && ready_i && (nowhere || collect_ready);
  assign beat = s_axi_wvalid && s_axi_wready;
  assign refused_o = beat && refused;
  assign refused_page_o = aw.address[12+:PageWidth];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      later_q  <= 1'b0;
      failed_q <= 1'b0;
    end else if (beat) begin
      later_q  <= !s_axi_wlast;
      failed_q <= !s_axi_wlast && (failed_q || refused);
    end
    if (beat) offset_q <= (offset & ~(size_bytes - 12'd1)) + size_bytes;
  end

  // One line in the lower half; two in the upper half, which begin at an even channel.
  logic is_long;
  logic second;
  assign is_long = offset[11];
  assign second = is_long && offset[5];
  assign start_page_o = aw.address[12+:PageWidth];
  assign start_channel_o = {offset[10:6], offset[5] && !is_long};

  rdma_collect #(
    .Pages     (Pages),
    .Priorities(Priorities)
  ) u_collect (
    .clk_i           (clk_i),
    .rst_i           (rst_i),
    .s_valid_i       (beat_valid && !nowhere),
    .s_ready_o       (collect_ready),
    .s_forget_i      (forget),
    .s_page_i        (start_page_o),
    .s_channel_i     (start_channel_o),
    .s_long_i        (is_long),
    .s_second_i      (second),
    .s_words_i       (words),
    .s_data_i        (data),
    .s_refused_o     (collect_refused),
    .idle_i          (idle_i),
    .start_o         (start_o),
    .line_valid_o    (line_valid_o),
    .line_ready_i    (line_ready_i),
    .line_index_o    (line_index_o),
    .line_data_o     (line_data_o),
    .start_packet_o  (start_packet_o),
    .start_class_o   (start_class_o),
    .start_priority_o(start_priority_o)
  );

  logic [3:0] unused_response_level;
  prim_fifo_sync #(
    .Width      (IdWidth + 2),
    .Depth      (Outstanding),
    .FallThrough(1'b0)
  ) u_responses (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .s_valid_i(beat && s_axi_wlast),
    .s_ready_o(response_ready),
    .s_data_i ({aw.id, (failed_q || refused) ? SlvErr : Okay}),
    .m_valid_o(s_axi_bvalid),
    .m_ready_i(s_axi_bready),
    .m_data_o ({s_axi_bid, s_axi_bresp}),
    .level_o  (unused_response_level)
  );

  // Reads. The states are taken, and what is over made idle, in the cycle of the address.
  logic take;
  logic known;
  logic single;
  logic upper_half;
  logic all;
  logic [63:0] word;
  logic [DataWidth-1:0] rdata;
  logic rvalid_q;
  logic [7:0] left_q;
  logic [IdWidth-1:0] rid_q;
  logic [DataWidth-1:0] rdata_q;
  logic rerror_q;

  assign s_axi_arready = ready_i && !rst_i && (!rvalid_q || (s_axi_rready && left_q == '0));
  assign take = s_axi_arvalid && s_axi_arready;
  assign single = s_axi_araddr[11:9] == '0 && s_axi_araddr[2:0] == '0 && s_axi_arsize == 3'd3;
  assign upper_half = s_axi_araddr[3];
  assign all = s_axi_arsize == 3'd4 && FullSize >= 3'd4 && !upper_half;

  always_comb begin
    known = s_axi_araddr[AddrWidth-1] && s_axi_arlen == '0;
    read_mask_o = '0;
    if (single) begin
      read_mask_o[s_axi_araddr[8:3]] = 1'b1;
      word = 64'(read_status_i[2*s_axi_araddr[8:3]+:2]);
    end else begin
      known &= s_axi_araddr[11:4] == 8'h40 && s_axi_araddr[2:0] == '0
          && (s_axi_arsize == 3'd3 || all);
      read_mask_o = {{32{upper_half || all}}, {32{!upper_half}}};
      word = upper_half ? read_status_i[127:64] : read_status_i[63:0];
    end
  end
  if (DataWidth == 64) begin : gen_read_word
    assign rdata = word;
  end else begin : gen_read_pairs
    assign rdata = {(DataWidth / 128) {(all && !single) ? read_status_i : {2{word}}}};
  end
  assign read_o = take && known;
  assign read_page_o = s_axi_araddr[12+:PageWidth];

  always_ff @(posedge clk_i) begin
    if (rst_i) rvalid_q <= 1'b0;
    else if (take) rvalid_q <= 1'b1;
    else if (s_axi_rready && left_q == '0) rvalid_q <= 1'b0;
    if (take) begin
      left_q <= s_axi_arlen;
      rid_q <= s_axi_arid;
      rerror_q <= !known;
      rdata_q <= known ? rdata : '0;
    end else if (rvalid_q && s_axi_rready) begin
      left_q <= left_q - 1'b1;
    end
  end

  assign s_axi_rvalid = rvalid_q;
  assign s_axi_rid = rid_q;
  assign s_axi_rdata = rdata_q;
  assign s_axi_rresp = rerror_q ? SlvErr : Okay;
  assign s_axi_rlast = left_q == '0;

  logic unused_burst;
  assign unused_burst = ^s_axi_arburst;

endmodule
