// SPDX-License-Identifier: Apache-2.0
//
// rdma_port: where users write descriptors and read what became of them: an AXI4 slave.
//
// What      Two windows of 4096 bytes for each page: descriptors at page * 4096, state at the same
//           offset above them.
//             descriptors  0x000 + 32 c   descriptor of one line for channel c, 0 to 63
//                          0x800 + 64 k   descriptor of two lines for channel 2 k, and channel 2 k
//                          + 1
//                                         has its second line
//             state        0x000 + 8 c    read: state of channel c; a write to 0x000 forgets a
//                                         descriptor that is not whole
//                          0x400          read of 8 bytes: channels 0 to 31, of 16 bytes: all 64;
//                          two
//                                         bits each, channel 0 lowest
//                          0x408          read of 8 bytes: channels 32 to 63
//           A read makes idle the channels that it returns as done or error, and no others.
// Why       A page is a page of the processor's memory management: a process reaches its own
//           channels.
// Contract  Writes: bursts of any length with rising addresses, of beats of 8 bytes or more, whole
//           words of 8 bytes by their strobes. SLVERR for the whole burst if one of its beats is
//           not taken (rdma_collect), has half a word, or goes where nothing can be written; its
//           other beats are carried out. refused_o is 1 in a cycle in which a beat was not taken,
//           page refused_page_o. Reads: one beat of the sizes above. All others are answered with
//           SLVERR and zero, and change nothing. idle_i, start_*, read_*: rdma_status, in the same
//           cycle. Lines and starts: see rdma_collect. Nothing is accepted while ready_i is 0. A
//           response is never lost: a state that was read stays on the bus until it is taken.
// Latency   Last word to line: 0 cycles if its address came before. One beat per cycle. Read: 1
//           cycle.
// Storage   Addresses and responses: FIFOs of 8, and a register with the first address.
//
// Parameters
//   DataWidth    bits of the data bus: 64, 128 or 256
//   IdWidth      bits of an AXI identifier, 1 to 32
//   Pages        pages, a power of two >= 2
//   Priorities   intra-priorities, 1 to 16

module rdma_port
  import rdma_pkg::*;
  import rdma_bus_pkg::*;
#(
  parameter int unsigned DataWidth = 128,
  parameter int unsigned IdWidth = 4,
  parameter int unsigned Pages = 16,
  parameter int unsigned Priorities = 16,
  localparam int unsigned PageWidth = $clog2(Pages),
  localparam int unsigned AddrWidth = PageWidth + 13
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      ready_i,
  input  user_req_t                 user_i,
  output user_rsp_t                 user_o,
  output logic                      start_o,
  output transfer_t                 start_transfer_o,
  output schedule_t                 start_schedule_o,
  input  logic      [         63:0] idle_i,
  output logic                      read_o,
  output logic      [PageWidth-1:0] read_page_o,
  output logic      [         63:0] read_mask_o,
  input  logic      [        127:0] read_status_i,
  output logic                      line_valid_o,
  input  logic                      line_ready_i,
  output transfer_t                 line_transfer_o,
  output logic      [        255:0] line_data_o,
  output logic                      refused_o,
  output logic      [PageWidth-1:0] refused_page_o
);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin : gen_bad_data
    $error("rdma_port %m: rule DataWidth is 64, 128 or 256, got %0d", DataWidth);
  end
  if (IdWidth < 1 || IdWidth > MaxIdWidth) begin : gen_bad_id
    $error("rdma_port %m: rule 1 <= IdWidth <= 32, got %0d", IdWidth);
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

  logic [DataWidth-1:0] wdata;
  logic [DataWidth/8-1:0] wstrb;
  logic [AddrWidth-1:0] araddr;
  logic [IdWidth-1:0] bid;
  assign wdata  = user_i.wdata[DataWidth-1:0];
  assign wstrb  = user_i.wstrb[DataWidth/8-1:0];
  assign araddr = user_i.ar.addr[AddrWidth-1:0];

  // Addresses wait for their data, the first one in a register: it is known early what a beat is.
  // One that comes with its data goes past it, while no page has begun a line: what is kept of
  // lines is read by the register alone.
  logic beat, done;
  write_t aw_in, aw, aw_next, aw_q;
  logic aw_bad, aw_ready, aw_next_valid, aw_valid, aw_valid_q, begun;
  logic [3:0] unused_aw_level;

  assign aw_bad = user_i.aw.size < 3'd3 || user_i.aw.size > FullSize || user_i.aw.addr[2:0] != '0
      || (user_i.aw.burst != Incr && user_i.aw.len != '0);
  assign aw_in = {user_i.aw.id[IdWidth-1:0], user_i.aw.addr[AddrWidth-1:0], user_i.aw.size, aw_bad};
  assign user_o.awready = aw_ready && ready_i;

  prim_fifo_sync #(
    .Width($bits(write_t)),
    .Depth(Outstanding)
  ) u_addresses (
    .s_valid_i(user_i.awvalid && ready_i),
    .s_ready_o(aw_ready),
    .s_data_i (aw_in),
    .m_valid_o(aw_next_valid),
    .m_ready_i(done || !aw_valid_q),
    .m_data_o (aw_next),
    .level_o  (unused_aw_level),
    .*
  );

  assign aw = aw_valid_q ? aw_q : aw_in;
  assign aw_valid = aw_valid_q || (user_i.awvalid && !begun);

  // A beat: its address, which of its words are there.
  logic beat_valid, failed_q;
  logic [11:0] offset, size_bytes;
  logic state_window, broken;
  logic [Lanes-1:0] lanes;
  logic [3:0] words;
  logic [255:0] data;
  logic response_ready, collect_ready, collect_refused, forget, nowhere, refused;

  assign offset = aw.address[11:0];
  assign state_window = aw.address[AddrWidth-1];
  assign size_bytes = 12'd1 << aw.size;

  always_comb begin
    broken = 1'b0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      lanes[i] = wstrb[8*i];
      if (wstrb[8*i+:8] != {8{lanes[i]}}) broken = 1'b1;
    end
  end

  if (DataWidth == 256) begin : gen_line
    assign words = lanes;
    assign data  = wdata;
  end else if (DataWidth == 128) begin : gen_half
    assign words = offset[4] ? {lanes, 2'b00} : {2'b00, lanes};
    assign data  = {2{wdata}};
  end else begin : gen_word
    assign words = 4'(lanes) << offset[4:3];
    assign data  = {4{wdata}};
  end

  // In the state window only the first word of a page can be written.
  assign forget = state_window && offset == '0 && lanes != '0 && !broken && !aw.bad;
  assign nowhere = aw.bad || broken || (state_window && !forget && lanes != '0);
  assign refused = nowhere || (!forget && collect_refused);
  assign beat_valid = user_i.wvalid && aw_valid && response_ready && ready_i;
  assign user_o.wready = aw_valid && response_ready && ready_i && (nowhere || collect_ready);
  assign beat = user_i.wvalid && user_o.wready;
  assign done = beat && user_i.wlast;
  assign refused_o = beat && refused;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      aw_valid_q <= 1'b0;
      failed_q   <= 1'b0;
    end else begin
      if (done == aw_valid_q) aw_valid_q <= aw_next_valid;
      if (beat) failed_q <= !user_i.wlast && (failed_q || refused);
    end
    aw_q <= (done && aw_valid_q) ? aw_next : aw;
    if (beat && !done) aw_q.address[11:0] <= (offset & ~(size_bytes - 12'd1)) + size_bytes;
  end

  // One line in the lower half; two in the upper half, which begin at an even channel.
  logic is_long, second;
  assign is_long = offset[11];
  assign second  = is_long && offset[5];
  logic [PageWidth-1:0] page;
  logic [5:0] channel;
  logic [PageWidth+6:0] line_index;
  assign page = aw.address[12+:PageWidth];
  assign channel = {offset[10:6], offset[5] && !is_long};
  assign start_transfer_o = transfer_t'({page, 1'b0, channel});
  assign line_transfer_o = transfer_t'(line_index);
  assign refused_page_o = page;

  rdma_collect #(
    .Pages     (Pages),
    .Priorities(Priorities)
  ) u_collect (
    .s_valid_i   (beat_valid && !nowhere),
    .s_ready_o   (collect_ready),
    .s_forget_i  (forget),
    .s_page_i    (page),
    .kept_page_i (aw_q.address[12+:PageWidth]),
    .s_channel_i (channel),
    .s_long_i    (is_long),
    .s_second_i  (second),
    .s_words_i   (words),
    .s_data_i    (data),
    .s_refused_o (collect_refused),
    .begun_o     (begun),
    .line_index_o(line_index),
    .schedule_o  (start_schedule_o),
    .*
  );

  logic [3:0] unused_response_level;
  prim_fifo_sync #(
    .Width      (IdWidth + 2),
    .Depth      (Outstanding),
    .FallThrough(1'b0)
  ) u_responses (
    .s_valid_i(done),
    .s_ready_o(response_ready),
    .s_data_i ({aw.id, (failed_q || refused) ? SlvErr : Okay}),
    .m_valid_o(user_o.bvalid),
    .m_ready_i(user_i.bready),
    .m_data_o ({bid, user_o.bresp}),
    .level_o  (unused_response_level),
    .*
  );

  // Reads. The states are taken, and what is over made idle, in the cycle of the address.
  logic take, known, single, upper_half, all;
  logic [63:0] word;
  logic [DataWidth-1:0] rdata;
  logic rvalid_q;
  logic [7:0] left_q;
  logic [IdWidth-1:0] rid_q;
  logic [DataWidth-1:0] rdata_q;
  logic rerror_q;

  assign user_o.arready = ready_i && !rst_i && (!rvalid_q || (user_i.rready && left_q == '0));
  assign take = user_i.arvalid && user_o.arready;
  assign single = araddr[11:9] == '0 && araddr[2:0] == '0 && user_i.ar.size == 3'd3;
  assign upper_half = araddr[3];
  assign all = user_i.ar.size == 3'd4 && FullSize >= 3'd4 && !upper_half;

  always_comb begin
    known = araddr[AddrWidth-1] && user_i.ar.len == '0;
    read_mask_o = '0;
    if (single) begin
      read_mask_o[araddr[8:3]] = 1'b1;
      word = 64'(read_status_i[2*araddr[8:3]+:2]);
    end else begin
      known &= araddr[11:4] == 8'h40 && araddr[2:0] == '0 && (user_i.ar.size == 3'd3 || all);
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
  assign read_page_o = araddr[12+:PageWidth];

  always_ff @(posedge clk_i) begin
    if (rst_i) rvalid_q <= 1'b0;
    else if (take) rvalid_q <= 1'b1;
    else if (user_i.rready && left_q == '0) rvalid_q <= 1'b0;
    if (take) begin
      left_q <= user_i.ar.len;
      rid_q <= user_i.ar.id[IdWidth-1:0];
      rerror_q <= !known;
      rdata_q <= known ? rdata : '0;
    end else if (rvalid_q && user_i.rready) begin
      left_q <= left_q - 1'b1;
    end
  end

  assign user_o.rvalid = rvalid_q;
  assign user_o.rid = MaxIdWidth'(rid_q);
  assign user_o.rdata = 256'(rdata_q);
  assign user_o.rresp = rerror_q ? SlvErr : Okay;
  assign user_o.rlast = left_q == '0;
  assign user_o.bid = MaxIdWidth'(bid);

  logic unused_user;
  assign unused_user = ^user_i;

endmodule
