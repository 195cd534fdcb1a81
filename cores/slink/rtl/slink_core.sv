// SPDX-License-Identifier: Apache-2.0
//
// slink_core: the controller of one end: a memory and an operation on one side, the words of the lanes on the other.
//
// What      Session, operations of both ends, data link layer and DMA. README.md, "Layers" and "Operations".
// Contract  use and meaning of the operation's ports as in slink_issue, of the lanes' words as in slink_phy.
//           Packets that wait are sent in this order: hello, answers and data for the other end, this end's request.
//           A packet with data begins when its first beat has come from the memory.
//           What arrives goes to the memory as slink_store and slink_dma_write say. When it is filled to 5/8, or a few packets wait, the
//           other end is asked by HLD to begin no packet with data and to send no data; again and again, as long as the memory takes some.
//           A write that is not in the memory after a while makes a HLD now and then, too, so that the other end goes on waiting.
//           stop_i: what is under way is given up; stopped_o: it has come to its end, so far as the memory is concerned, and a reset
//           breaks no transfer on the bus. stop_i stays until then, and stopped_o with it.
//           line_start_i to line_silent_o: as in slink_switch. While line_busy_o no start is to be given: what waits is started behind it.
//           damaged_o: a packet arrived damaged, or did not fit. served_o: an answer to the other end leaves.
// Latency   a beat: 2 cycles from the memory to its first word; 6 from its last word to the memory's address, 1 more to the data
//
// Parameters  DataWidth   of the bus, 64 or 128
//             StoreDepth  beats that wait for the memory, a power of two >= 512; 3/8 of it have to hold what arrives in twice the
//                         round trip, and 5/8 more than a block of 256
//             Outstanding  operations of each end that are under way, 1, 2 or 4; the same at both ends
//             Timeout, Retries  as in slink_own
//             Period      as in slink_session
//             Switch      changes of the line's mode; else line_o stays line_start_i
//             Tries       as in slink_switch

module slink_core
  import slink_pkg::*;
#(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned StoreDepth = 512,
  parameter int unsigned Outstanding = 1,
  parameter int unsigned Timeout = 4096,
  parameter int unsigned Retries = 16,
  parameter int unsigned Period = 4096,
  parameter bit Switch = 1'b0,
  parameter int unsigned Tries = 8
) (
  input logic clk_i,
  input logic rst_i,

  input  logic                            stop_i,
  output logic                            stopped_o,
  input  logic       [              11:0] session_i,
  input  logic       [              19:0] window_first_i,
  input  logic       [              19:0] window_last_i,
  input  logic                            start_i,
  input  operation_t                      operation_i,
  output logic                            full_o,
  output logic                            busy_o,
  output logic                            ended_o,
  output logic       [               3:0] started_o,
  output outcome_e   [MaxOutstanding-1:0] outcomes_o,
  output status_t                         status_o,
  output logic                            up_o,
  output logic                            damaged_o,
  output logic                            served_o,

  input  line_t         line_start_i,
  input  logic    [2:0] line_able_lanes_i,
  input  logic          line_able_fast_i,
  input  logic          line_able_coding_i,
  input  logic          line_ask_i,
  input  line_t         line_wanted_i,
  output logic          line_busy_o,
  output change_e       line_result_o,
  output logic          line_changed_o,
  output line_t         line_o,
  output logic          line_silent_o,
  input  logic          aligned_i,

  input  logic                               hold_i,
  input  logic                               m_ready_i,
  output logic [Lanes-1:0][Symbols-1:0][8:0] m_data_o,
  output logic                               m_idle_o,
  input  logic                               s_valid_i,
  input  logic [Lanes-1:0][Symbols-1:0][9:0] s_data_i,

  output logic [           31:0] m_axi_awaddr,
  output logic [            7:0] m_axi_awlen,
  output logic [            2:0] m_axi_awsize,
  output logic [            1:0] m_axi_awburst,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [  DataWidth-1:0] m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic                   m_axi_wlast,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  input  logic [            1:0] m_axi_bresp,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready,
  output logic [           31:0] m_axi_araddr,
  output logic [            7:0] m_axi_arlen,
  output logic [            2:0] m_axi_arsize,
  output logic [            1:0] m_axi_arburst,
  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  input  logic [  DataWidth-1:0] m_axi_rdata,
  input  logic [            1:0] m_axi_rresp,
  input  logic                   m_axi_rlast,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready
);

  if (StoreDepth < 512) begin : gen_bad_depth
    $error("slink_core %m: StoreDepth must be at least 512, got %0d", StoreDepth);
  end

  localparam int unsigned MaxTargets = 32;  // packets whose data may wait for the memory
  localparam int unsigned HldPeriod = 16;  // cycles from one HLD to the next
  localparam int unsigned LatePeriod = 2 ** ($clog2(Timeout) - 2);  // as long as an answer is late
  localparam int unsigned HldTime = 64;  // cycles for which one is obeyed: some of them may be lost

  // ---- What arrives ----
  logic rx_header, rx_data, rx_good, rx_end, rx_clean, rx_damaged, rx_known, rx_hold;
  logic header_q, data_q, good_q, end_q, clean_q, damaged_q;
  header_t header, rx_header_unused;
  logic [BeatBits-1:0] rx_beat, beat_q;

  logic coding;  // of the line; without changes the one of the start, 8b/10b

  assign coding = Switch && line_o.coding;

  slink_rx u_rx (
    .clk_i,
    .rst_i,
    .coding_i      (coding),
    .s_valid_i,
    .s_data_i,
    .header_valid_o(rx_header),
    .header_o      (rx_header_unused),
    .data_valid_o  (rx_data),
    .data_o        (rx_beat),
    .good_o        (rx_good),
    .end_o         (rx_end),
    .clean_o       (rx_clean),
    .damaged_o     (rx_damaged),
    .known_o       (rx_known),
    .hold_o        (rx_hold)
  );

  always_ff @(posedge clk_i) begin
    header_q  <= rx_header && !rst_i;
    data_q    <= rx_data && !rst_i;
    good_q    <= rx_good && !rst_i;
    end_q     <= rx_end && !rst_i;
    damaged_q <= rx_damaged && !rst_i;
    clean_q   <= rx_clean;
    beat_q    <= rx_beat;
  end

  assign header = beat_q;

  // ---- Who deals with it ----
  logic hello_valid, hello_ready, forget, renew, up, give_up, write_error;
  logic change_valid, change_ready, change_renew;
  logic [11:0] session, peer_session;
  logic peer_begin, peer_take, peer_waits, peer_valid, peer_ready;
  logic own_begin, own_take, own_valid, own_ready, own_sent;
  header_t hello_header, change_header, peer_header, own_header;
  logic [28:0] peer_address, own_address, own_request;
  logic free, idle, overflow;
  logic wants, held_q;  // data to us, and to the other end, have to wait
  logic
      own_q,
      sent,
      beat_taken,
      spoilt_q;  // the packet that is sent: ours, its end, a beat, without data

  slink_session #(
    .Period(Period)
  ) u_session (
    .clk_i,
    .rst_i,
    .session_i,
    .renew_i      (renew || change_renew),
    .hello_valid_i(header_q),
    .hello_i      (header),
    .m_valid_o    (hello_valid),
    .m_ready_i    (hello_ready),
    .m_header_o   (hello_header),
    .up_o,
    .session_o    (session),
    .peer_o       (peer_session),
    .forget_o     (forget)
  );

  if (Switch) begin : gen_switch
    slink_switch #(
      .Period(Period),
      .Tries (Tries)
    ) u_switch (
      .clk_i,
      .rst_i,
      .start_i       (line_start_i),
      .able_lanes_i  (line_able_lanes_i),
      .able_fast_i   (line_able_fast_i),
      .able_coding_i (line_able_coding_i),
      .ask_i         (line_ask_i),
      .wanted_i      (line_wanted_i),
      .busy_o        (line_busy_o),
      .result_o      (line_result_o),
      .changed_o     (line_changed_o),
      .line_o,
      .silent_o      (line_silent_o),
      .operating_i   (busy_o),
      .up_i          (up_o),
      .session_i     (session),
      .peer_i        (peer_session),
      .renew_o       (change_renew),
      .aligned_i,
      .alive_i       (data_q || wants || held_q),
      .header_valid_i(header_q),
      .header_i      (header),
      .m_valid_o     (change_valid),
      .m_ready_i     (change_ready),
      .m_header_o    (change_header)
    );
  end else begin : gen_fixed
    assign line_busy_o    = 1'b0;
    assign line_result_o  = ChangeNone;
    assign line_changed_o = 1'b0;
    assign line_o         = line_start_i;
    assign line_silent_o  = 1'b0;
    assign change_renew   = 1'b0;
    assign change_valid   = 1'b0;
    assign change_header  = '0;

    logic unused;
    assign unused = &{line_able_lanes_i, line_able_fast_i, line_able_coding_i, line_ask_i,
                      line_wanted_i, aligned_i, change_ready, session, peer_session};
  end

  assign up      = up_o && !stop_i;
  assign give_up = forget || stop_i;

  slink_peer #(
    .Outstanding(Outstanding)
  ) u_peer (
    .clk_i,
    .rst_i,
    .up_i          (up),
    .forget_i      (give_up),
    .header_valid_i(header_q),
    .header_i      (header),
    .good_i        (good_q),
    .end_i         (end_q),
    .damaged_i     (damaged_q),
    .overflow_i    (overflow),
    .window_first_i,
    .window_last_i,
    .free_i        (free),
    .idle_i        (idle),
    .fault_i       (write_error),
    .begin_o       (peer_begin),
    .address_o     (peer_address),
    .take_o        (peer_take),
    .waits_o       (peer_waits),
    .m_valid_o     (peer_valid),
    .m_ready_i     (peer_ready),
    .m_header_o    (peer_header)
  );

  slink_issue #(
    .Outstanding(Outstanding),
    .Timeout    (Timeout),
    .Retries    (Retries)
  ) u_issue (
    .clk_i,
    .rst_i,
    .start_i,
    .operation_i,
    .full_o,
    .busy_o,
    .ended_o,
    .started_o,
    .outcomes_o,
    .status_o,
    .up_i          (up),
    .forget_i      (give_up),
    .renew_o       (renew),
    .header_valid_i(header_q),
    .header_i      (header),
    .beat_i        (data_q),
    .pause_i       (wants || held_q),
    .end_i         (end_q),
    .clean_i       (clean_q),
    .damaged_i     (damaged_q),
    .overflow_i    (overflow),
    .free_i        (free),
    .idle_i        (idle),
    .fault_i       (write_error),
    .begin_o       (own_begin),
    .address_o     (own_address),
    .take_o        (own_take),
    .m_valid_o     (own_valid),
    .m_ready_i     (own_ready),
    .m_header_o    (own_header),
    .request_o     (own_request),
    .sent_i        (own_sent),
    .sent_beat_i   (own_q && beat_taken),
    .spoilt_i      (spoilt_q)
  );

  // ---- To the memory ----
  localparam int unsigned CountBits = $clog2(StoreDepth) + 1;

  logic take, good, drop, begins, set, dma_free, dma_idle, store_valid, store_ready;
  logic target_valid;  // an address waits until the beats of the packet before are taken
  logic [28:0] target;
  logic [BeatBits-1:0] store_data;
  logic [CountBits-1:0] store_good, store_level, border;  // border: where the packet before ends
  logic [$clog2(MaxTargets + 1)-1:0] targets;

  assign take = peer_take || own_take;
  assign good = good_q && take && !overflow;
  assign drop = (damaged_q || overflow || give_up) && !good;
  assign set = target_valid && dma_free;
  assign idle = !target_valid && dma_idle;

  assign begins = peer_begin || own_begin;

  prim_fifo_sync #(
    .Width      (29 + CountBits),
    .Depth      (MaxTargets),
    .FallThrough(1'b0)
  ) u_targets (
    .clk_i,
    .rst_i,
    .s_valid_i(begins),
    .s_ready_o(free),
    .s_data_i ({peer_begin ? peer_address : own_address, store_good}),
    .m_valid_o(target_valid),
    .m_ready_i(dma_free),
    .m_data_o ({target, border}),
    .level_o  (targets)
  );

  slink_store #(
    .Depth(StoreDepth)
  ) u_store (
    .clk_i,
    .rst_i,
    .s_valid_i (data_q && take),
    .s_data_i  (beat_q),
    .good_i    (good),
    .drop_i    (drop),
    .overflow_o(overflow),
    .m_valid_o (store_valid),
    .m_ready_i (store_ready),
    .m_data_o  (store_data),
    .good_o    (store_good),
    .level_o   (store_level)
  );

  slink_dma_write #(
    .DataWidth(DataWidth),
    .CountBits(CountBits)
  ) u_dma_write (
    .clk_i,
    .rst_i,
    .set_i    (set),
    .address_i(target),
    .good_i   (target_valid ? border : store_good),
    .valid_i  (store_valid),
    .ready_o  (store_ready),
    .data_i   (store_data),
    .free_o   (dma_free),
    .idle_o   (dma_idle),
    .error_o  (write_error),
    .m_axi_awaddr,
    .m_axi_awlen,
    .m_axi_awsize,
    .m_axi_awburst,
    .m_axi_awvalid,
    .m_axi_awready,
    .m_axi_wdata,
    .m_axi_wstrb,
    .m_axi_wlast,
    .m_axi_wvalid,
    .m_axi_wready,
    .m_axi_bresp,
    .m_axi_bvalid,
    .m_axi_bready
  );

  // ---- A memory that is slower than the line: ours, and that of the other end ----
  logic full, tick, ask_q;
  logic late_q;  // an answer
  logic [$clog2(LatePeriod)-1:0] clock_q;
  logic [$clog2(HldTime)-1:0] held_timer_q;
  logic [1:0] patience_q;  // ticks without a beat that the memory took

  assign full = store_level >= CountBits'(StoreDepth / 8 * 5) || targets >= ($bits(
      targets
  ))'(MaxTargets / 8);
  assign wants = full && patience_q != '0;
  assign tick = clock_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i || !(full || peer_waits) || store_ready) patience_q <= '1;
    else if (tick && patience_q != '0) patience_q <= patience_q - 1'b1;
    clock_q <= rst_i ? '0 : clock_q + 1'b1;
    late_q <= !rst_i && peer_waits && (tick || late_q);
    ask_q <= !rst_i && patience_q != '0 && ((full && clock_q[$clog2(
        HldPeriod
    )-1:0] == '0) || (late_q && tick));
    held_q <= !rst_i && (rx_hold || held_timer_q != '0);
    if (rst_i) held_timer_q <= '0;
    else if (rx_hold) held_timer_q <= '1;
    else if (held_timer_q != '0) held_timer_q <= held_timer_q - 1'b1;
  end

  // ---- What is sent ----
  logic
      packet_q,
      from_memory_q,
      choose,
      takes,
      link_valid,
      job,
      beat_valid,
      beat_ready,
      offer,
      offered_q;
  logic job_ready, read_error;
  header_t next, packet_header_q;
  logic [BeatBits-1:0] beat;

  assign choose       = !packet_q || sent;
  assign takes        = choose && !stop_i && !line_silent_o;
  assign hello_ready  = takes && hello_valid;
  assign change_ready = takes && !hello_valid && change_valid;
  assign link_valid   = hello_valid || change_valid;
  assign peer_ready   = takes && !link_valid && peer_valid;
  assign own_ready    = takes && !link_valid && !peer_valid && own_valid;

  always_comb begin
    if (hello_valid) next = hello_header;
    else if (change_valid) next = change_header;
    else if (peer_valid) next = peer_header;
    else next = own_header;
  end

  assign job        = (peer_ready || own_ready) && has_data(next.kind, next.read);
  assign own_sent   = sent && own_q;
  assign offer      = beat_valid && (!held_q || offered_q);  // what is offered stays
  assign beat_taken = offer && beat_ready;

  always_ff @(posedge clk_i) begin
    offered_q <= !rst_i && offer && !beat_ready;
    if (rst_i) packet_q <= 1'b0;
    else if (choose) packet_q <= takes && (link_valid || peer_valid || own_valid);
    if (choose) begin
      packet_header_q          <= next;
      packet_header_q.lanes[2] <= 1'b0;  // of operations that are none, which are not sent
      own_q                    <= own_ready;
      from_memory_q            <= job;
      spoilt_q                 <= 1'b0;
    end else if (read_error) begin
      spoilt_q <= 1'b1;
    end
  end

  slink_dma_read #(
    .DataWidth(DataWidth)
  ) u_dma_read (
    .clk_i,
    .rst_i,
    .s_valid_i  (job),
    .s_ready_o  (job_ready),
    .s_address_i(peer_valid ? next.address : own_request),
    .s_beats_i  (next.beats),
    .m_valid_o  (beat_valid),
    .m_ready_i  (beat_ready),
    .m_data_o   (beat),
    .error_o    (read_error),
    .m_axi_araddr,
    .m_axi_arlen,
    .m_axi_arsize,
    .m_axi_arburst,
    .m_axi_arvalid,
    .m_axi_arready,
    .m_axi_rdata,
    .m_axi_rresp,
    .m_axi_rlast,
    .m_axi_rvalid,
    .m_axi_rready
  );

  slink_tx u_tx (
    .clk_i,
    .rst_i,
    .coding_i  (coding),
    .hold_i,
    .ask_i     (ask_q),
    .s_valid_i (packet_q && (!from_memory_q || offer)),
    .s_ready_o (sent),
    .s_header_i(packet_header_q),
    .d_valid_i (offer),
    .d_ready_o (beat_ready),
    .d_data_i  (beat),
    .spoil_i   (spoilt_q),
    .m_ready_i,
    .m_data_o,
    .m_idle_o
  );

  assign stopped_o = !packet_q && idle;
  assign damaged_o = damaged_q || overflow || (end_q && !clean_q);
  assign served_o  = peer_ready;

  // The read DMA is at rest between packets; a header is a beat like others.
  logic unused;
  assign unused = &{job_ready, rx_known, rx_header_unused};

endmodule
