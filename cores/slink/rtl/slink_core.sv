// SPDX-License-Identifier: Apache-2.0
//
// slink_core: the controller of one end: a memory and an operation on one side, the words of the
// lanes on the other.
//
// What      Session, operations of both ends, data link layer and DMA. README.md, "Layers" and
//           "Operations".
// Contract  start_i to operations_o as in slink_issue, the lanes' words as in slink_phy, line_i,
//           line_o and aligned_i as in slink_switch. While line_o.busy no start is to be given:
//           what waits is started behind it.
//           Packets that wait are sent in this order: hello, change of the line, answers and data
//           for the other end, this end's request. A packet with data begins when its first beat
//           has come from the memory.
//           What arrives goes to the memory as slink_memory says. When that is full, the other end
//           is asked by HLD to begin no packet with data and to send no data; again and again, as
//           long as the memory takes some. A write that is not in the memory after a while makes a
//           HLD now and then, too, so that the other end goes on waiting.
//           stop_i: what is under way is given up; stopped_o: it has come to its end, so far as the
//           memory is concerned, and a reset breaks no transfer on the bus. stop_i stays until
//           then, and stopped_o with it.
//           damaged_o: a packet arrived damaged, or did not fit. served_o: an answer to the other
//           end leaves.
// Clocks and resets  clk_i; rst_i synchronous.
// Latency   a beat: 2 cycles from the memory to its first word; 6 from its last word to the
//           memory's address, 1 more to the data
//
// Parameters  DataWidth   of the bus, 64 or 128
//             StoreDepth  beats that wait for the memory, a power of two >= 512; 3/8 of it have to
//                         hold what arrives in twice the round trip, and 5/8 more than a block of
//                         256
//             Outstanding  operations of each end that are under way, 1, 2 or 4; the same at both
//                         ends
//             Timeout, Retries  as in slink_own
//             Period      as in slink_session; with Switch as in slink_switch, too
//             Switch      changes of the line's mode; else line_o.line stays line_i.start
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
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  stop_i,
  output logic                  stopped_o,
  input  logic           [11:0] session_i,
  input  window_t               window_i,
  input  logic                  start_i,
  input  operation_t            operation_i,
  output operations_t           operations_o,
  output logic                  up_o,
  output logic                  damaged_o,
  output logic                  served_o,
  input  line_cfg_t             line_i,
  output line_status_t          line_o,
  input  logic                  aligned_i,
  input  logic                  hold_i,
  input  logic                  m_ready_i,
  output tx_word_t              m_data_o,
  output logic                  m_idle_o,
  input  logic                  s_valid_i,
  input  rx_word_t              s_data_i,
  output axi_write_req_t        write_o,
  input  axi_write_rsp_t        write_i,
  output axi_read_req_t         read_o,
  input  axi_read_rsp_t         read_i
);

  if (StoreDepth < 512) begin : gen_bad_depth
    $error("slink_core %m: StoreDepth must be at least 512, got %0d", StoreDepth);
  end

  localparam int unsigned HldPeriod = 16;  // cycles from one HLD to the next
  localparam int unsigned LatePeriod = 2 ** ($clog2(Timeout) - 2);  // as long as an answer is late
  localparam int unsigned HldTime = 64;  // cycles for which one is obeyed: some of them may be lost

  // ---- What arrives ----
  rx_t rx, rx_q;
  logic coding;  // of the line; without changes the one of the start, 8b/10b

  assign coding = Switch && line_o.line.coding;

  slink_rx u_rx (
    .clk_i,
    .rst_i,
    .coding_i(coding),
    .s_valid_i,
    .s_data_i,
    .rx_o    (rx)
  );

  always_ff @(posedge clk_i) begin
    rx_q <= rx;
    if (rst_i) begin
      {rx_q.header_valid, rx_q.data_valid, rx_q.good, rx_q.ends, rx_q.damaged} <= '0;
    end
  end

  // ---- Who deals with it ----
  link_t link;
  place_t place, peer_place, own_place;
  logic hello_valid, hello_ready, forget, renew, give_up;
  logic change_valid, change_ready, change_renew;
  logic [11:0] session, peer_session;
  logic peer_waits, peer_valid, peer_ready, own_valid, own_ready;
  header_t hello_header, change_header, peer_header, own_header;
  address_t own_request;
  logic free, idle, overflow, fault, full, taken;
  logic wants, held_q;  // data to us, and to the other end, have to wait
  // The packet that is sent: ours, its end, a beat, without data.
  logic own_q, sent, beat_taken, spoilt_q;

  slink_session #(
    .Period(Period)
  ) u_session (
    .clk_i,
    .rst_i,
    .session_i,
    .renew_i      (renew || change_renew),
    .hello_valid_i(rx_q.header_valid),
    .hello_i      (rx_q.data),
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
      .cfg_i         (line_i),
      .status_o      (line_o),
      .operating_i   (operations_o.busy),
      .up_i          (up_o),
      .session_i     (session),
      .peer_i        (peer_session),
      .renew_o       (change_renew),
      .aligned_i,
      .alive_i       (rx_q.data_valid || wants || held_q),
      .header_valid_i(rx_q.header_valid),
      .header_i      (rx_q.data),
      .m_valid_o     (change_valid),
      .m_ready_i     (change_ready),
      .m_header_o    (change_header)
    );
  end else begin : gen_fixed
    assign line_o = '{
            line: line_i.start,
            result: ChangeNone,
            busy: 1'b0,
            changed: 1'b0,
            silent: 1'b0
        };
    assign {change_renew, change_valid, change_header} = '0;

    logic unused;
    assign unused = &{line_i, aligned_i, change_ready, session, peer_session};
  end

  assign give_up = forget || stop_i;
  assign link = '{
          up: up_o && !stop_i,
          forget: give_up,
          rx: rx_q,
          pause: wants || held_q,
          overflow: overflow,
          free: free,
          idle: idle,
          fault: fault
      };

  slink_peer #(
    .Outstanding(Outstanding)
  ) u_peer (
    .clk_i,
    .rst_i,
    .window_i,
    .link_i    (link),
    .place_o   (peer_place),
    .waits_o   (peer_waits),
    .m_valid_o (peer_valid),
    .m_ready_i (peer_ready),
    .m_header_o(peer_header)
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
    .operations_o,
    .link_i    (link),
    .renew_o   (renew),
    .place_o   (own_place),
    .m_valid_o (own_valid),
    .m_ready_i (own_ready),
    .m_header_o(own_header),
    .request_o (own_request),
    .sent_i    ('{ends: sent && own_q, beat: own_q && beat_taken, spoilt: spoilt_q})
  );

  assign place = '{
          begins: peer_place.begins || own_place.begins,
          address: peer_place.begins ? peer_place.address : own_place.address,
          take: peer_place.take || own_place.take
      };

  slink_memory #(
    .DataWidth (DataWidth),
    .StoreDepth(StoreDepth)
  ) u_memory (
    .clk_i,
    .rst_i,
    .rx_i      (rx_q),
    .place_i   (place),
    .drop_i    (give_up),
    .overflow_o(overflow),
    .free_o    (free),
    .idle_o    (idle),
    .fault_o   (fault),
    .full_o    (full),
    .taken_o   (taken),
    .axi_o     (write_o),
    .axi_i     (write_i)
  );

  // ---- A memory that is slower than the line: ours, and that of the other end ----
  logic tick, ask_q;
  logic late_q;  // an answer
  logic [$clog2(LatePeriod)-1:0] clock_q;
  logic [$clog2(HldTime)-1:0] held_timer_q;
  logic [1:0] patience_q;  // ticks without a beat that the memory took

  assign wants = full && patience_q != '0;
  assign tick  = clock_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i || !(full || peer_waits) || taken) patience_q <= '1;
    else if (tick && patience_q != '0) patience_q <= patience_q - 1'b1;
    clock_q <= rst_i ? '0 : clock_q + 1'b1;
    late_q <= !rst_i && peer_waits && (tick || late_q);
    ask_q <= !rst_i && patience_q != '0 && ((full && clock_q[$clog2(
        HldPeriod
    )-1:0] == '0) || (late_q && tick));
    held_q <= !rst_i && (rx.hold || held_timer_q != '0);
    if (rst_i) held_timer_q <= '0;
    else if (rx.hold) held_timer_q <= '1;
    else if (held_timer_q != '0) held_timer_q <= held_timer_q - 1'b1;
  end

  // ---- What is sent ----
  logic packet_q, from_memory_q, choose, takes, link_valid, job, job_ready, read_error;
  logic beat_valid, beat_ready, offer, offered_q;
  header_t next, packet_header_q;
  beat_t beat;

  assign choose       = !packet_q || sent;
  assign takes        = choose && !stop_i && !line_o.silent;
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
    .axi_o      (read_o),
    .axi_i      (read_i)
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
  assign damaged_o = rx_q.damaged || overflow || (rx_q.ends && !rx_q.clean);
  assign served_o  = peer_ready;

  // The read DMA is at rest between packets; a header is a beat like others.
  logic unused;
  assign unused = &{job_ready, rx_q.known, rx_q.hold};

endmodule
