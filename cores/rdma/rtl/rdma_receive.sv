// SPDX-License-Identifier: Apache-2.0
//
// rdma_receive: the receive unit: packets from the network to memory, answers, and what is for the engine.
//
// What      Checks each packet (rdma_unframe), whether it may come and is wanted (rdma_admit, rdma_windows), writes it to memory and
//           answers (rdma_write). Says what it drops.
// Contract  Nothing is taken until ready_o is 1. s_axis: words of 64 bytes, see rdma_gather, and rdma_unpack with Packed; memory that does not keep up lowers
//           s_axis_tready, nothing is lost. reply: for the send unit; ones that do not leave are lost and counted, see rdma_write. answer: for
//           the engine, see rdma_pkg; one that is not taken holds up everything behind it. window: see
//           rdma_windows. node_i, epoch_i, forget_i: see rdma_admit. AXI4 write channels, see rdma_write. counted_o: pulses, events_t and, bit 12, packets not of the format, 13, what
//           is of the other framing, so no packet. packet_o: a pulse for each packet that came.
// Latency   14 cycles from the footer of a packet to its first word of data, with Packed 16; one packet of 1024 bytes in 18 cycles, with Packed 16.5, but
//           17 if its bytes are not at the same places in the words of memory
// Source    own design; the division of work is the thesis's
//
// Parameters
//   Senders       nodes 0 to Senders - 1 may send, a power of two, 2 to 64
//   Domains       protection domains, a power of two >= 2
//   Windows       windows of each, a power of two, 2 to 16
//   AddrWidth     bits of an address within a node, 33 to 48
//   BufferWords   words of payload, a power of two, 64 to 4096
//   Tick          see rdma_admit
//   Packed        packed framing, else framing in words; both ends have the same

module rdma_receive
  import rdma_pkg::*;
  import rdma_unit_pkg::*;
#(
  parameter int unsigned Senders = 4,
  parameter int unsigned Domains = 16,
  parameter int unsigned Windows = 4,
  parameter int unsigned AddrWidth = 48,
  parameter int unsigned BufferWords = 512,
  parameter int unsigned Tick = 65536,
  parameter bit Packed = 1'b0,
  localparam int unsigned DomainWidth = $clog2(Domains),
  localparam int unsigned WindowWidth = $clog2(Windows)
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      ready_o,
  input  logic    [           15:0] node_i,
  input  logic    [            3:0] epoch_i,
  input  logic    [           15:0] forget_i,
  input  logic                      window_valid_i,
  input  logic    [DomainWidth-1:0] window_domain_i,
  input  logic    [WindowWidth-1:0] window_number_i,
  input  logic    [  AddrWidth-1:0] window_first_i,
  input  logic    [  AddrWidth-1:0] window_last_i,
  input  logic                      window_read_i,
  input  logic                      window_write_i,
  output logic    [           13:0] counted_o,
  output logic                      packet_o,
  input  logic    [          511:0] s_axis_tdata,
  input  logic                      s_axis_tlast,
  input  logic                      s_axis_tvalid,
  output logic                      s_axis_tready,
  output logic    [  AddrWidth-1:0] m_axi_awaddr,
  output logic    [            7:0] m_axi_awlen,
  output logic                      m_axi_awvalid,
  input  logic                      m_axi_awready,
  output logic    [          511:0] m_axi_wdata,
  output logic    [           63:0] m_axi_wstrb,
  output logic                      m_axi_wlast,
  output logic                      m_axi_wvalid,
  input  logic                      m_axi_wready,
  input  logic    [            1:0] m_axi_bresp,
  input  logic                      m_axi_bvalid,
  output logic                      m_axi_bready,
  output logic                      reply_valid_o,
  input  logic                      reply_ready_i,
  output reply_t                    reply_o,
  output logic                      answer_valid_o,
  input  logic                      answer_ready_i,
  output answer_t                   answer_o,
  input  logic                      answer_refused_i
);

  localparam int unsigned PlaceWidth = $clog2(BufferWords);
  localparam int unsigned ContextWidth = $clog2(Senders) + TidWidth;

  logic packet_valid;
  logic packet_ready;
  logic packet_good;
  frame_t packet;
  logic [255:0] message;
  logic [PlaceWidth-1:0] first;
  logic [4:0] words;
  logic rd_en;
  logic [PlaceWidth-1:0] rd_place;
  logic [511:0] rd_word;
  logic free;
  logic [4:0] free_words;
  events_t seen;
  events_t events;
  logic damaged;
  logic malformed;
  logic stray;
  logic lost;
  logic memory_error;
  logic link_ready;
  logic piece_valid;
  logic piece_ready;
  piece_t piece;
  logic admit_ready;
  logic windows_ready;

  assign ready_o = admit_ready && windows_ready;
  assign s_axis_tready = link_ready && ready_o;
  assign packet_o = piece_valid && piece_ready && piece.ends;

  if (Packed) begin : gen_packed
    rdma_unpack u_unpack (
      .clk_i        (clk_i),
      .rst_i        (rst_i),
      .s_axis_tdata (s_axis_tdata),
      .s_axis_tlast (s_axis_tlast),
      .s_axis_tvalid(s_axis_tvalid && ready_o),
      .s_axis_tready(link_ready),
      .m_valid_o    (piece_valid),
      .m_ready_i    (piece_ready),
      .m_piece_o    (piece),
      .stray_o      (stray)
    );
  end else begin : gen_words
    rdma_gather u_gather (
      .clk_i        (clk_i),
      .rst_i        (rst_i),
      .s_axis_tdata (s_axis_tdata),
      .s_axis_tlast (s_axis_tlast),
      .s_axis_tvalid(s_axis_tvalid && ready_o),
      .s_axis_tready(link_ready),
      .m_valid_o    (piece_valid),
      .m_ready_i    (piece_ready),
      .m_piece_o    (piece),
      .stray_o      (stray)
    );
  end

  rdma_unframe #(
    .BufferWords(BufferWords),
    .Packed     (Packed)
  ) u_unframe (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .s_valid_i     (piece_valid),
    .s_ready_o     (piece_ready),
    .s_piece_i     (piece),
    .packet_valid_o(packet_valid),
    .packet_ready_i(packet_ready),
    .packet_good_o (packet_good),
    .packet_o      (packet),
    .message_o     (message),
    .words_o       (words),
    .first_o       (first),
    .rd_en_i       (rd_en),
    .rd_place_i    (rd_place),
    .rd_word_o     (rd_word),
    .free_i        (free),
    .free_words_i  (free_words),
    .damaged_o     (damaged),
    .malformed_o   (malformed)
  );

  logic [15:0] query_domain;
  logic [AddrWidth-1:0] query_first;
  logic [AddrWidth-1:0] query_last;
  logic query_write;
  logic query_allowed;

  rdma_windows #(
    .Domains  (Domains),
    .Windows  (Windows),
    .AddrWidth(AddrWidth)
  ) u_windows (
    .clk_i       (clk_i),
    .rst_i       (rst_i),
    .ready_o     (windows_ready),
    .set_valid_i (window_valid_i),
    .set_domain_i(window_domain_i),
    .set_window_i(window_number_i),
    .set_first_i (window_first_i),
    .set_last_i  (window_last_i),
    .set_read_i  (window_read_i),
    .set_write_i (window_write_i),
    .domain_i    (query_domain),
    .first_i     (query_first),
    .last_i      (query_last),
    .rights_i    ({query_write, !query_write}),
    .allowed_o   (query_allowed)
  );

  logic  work_valid;
  logic  work_ready;
  work_t work;
  logic  write_idle;
  logic  write_refused;

  rdma_admit #(
    .Senders   (Senders),
    .AddrWidth (AddrWidth),
    .PlaceWidth(PlaceWidth),
    .Tick      (Tick)
  ) u_admit (
    .clk_i           (clk_i),
    .rst_i           (rst_i),
    .ready_o         (admit_ready),
    .node_i          (node_i),
    .epoch_i         (epoch_i),
    .forget_i        (forget_i),
    .s_valid_i       (packet_valid),
    .s_ready_o       (packet_ready),
    .s_good_i        (packet_good),
    .s_packet_i      (packet),
    .s_message_i     (message),
    .s_first_i       (first),
    .s_words_i       (words),
    .query_domain_o  (query_domain),
    .query_first_o   (query_first),
    .query_last_o    (query_last),
    .query_write_o   (query_write),
    .query_allowed_i (query_allowed),
    .work_valid_o    (work_valid),
    .work_ready_i    (work_ready),
    .work_o          (work),
    .write_idle_i    (write_idle),
    .write_refused_i (write_refused),
    .answer_valid_o  (answer_valid_o),
    .answer_ready_i  (answer_ready_i),
    .answer_o        (answer_o),
    .answer_refused_i(answer_refused_i),
    .events_o        (seen)
  );

  rdma_write #(
    .AddrWidth (AddrWidth),
    .PlaceWidth(PlaceWidth),
    .Contexts  (1 << ContextWidth)
  ) u_write (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .idle_o        (write_idle),
    .refused_o     (write_refused),
    .s_valid_i     (work_valid),
    .s_ready_o     (work_ready),
    .s_work_i      (work),
    .rd_en_o       (rd_en),
    .rd_place_o    (rd_place),
    .rd_word_i     (rd_word),
    .free_o        (free),
    .free_words_o  (free_words),
    .m_axi_awaddr  (m_axi_awaddr),
    .m_axi_awlen   (m_axi_awlen),
    .m_axi_awvalid (m_axi_awvalid),
    .m_axi_awready (m_axi_awready),
    .m_axi_wdata   (m_axi_wdata),
    .m_axi_wstrb   (m_axi_wstrb),
    .m_axi_wlast   (m_axi_wlast),
    .m_axi_wvalid  (m_axi_wvalid),
    .m_axi_wready  (m_axi_wready),
    .m_axi_bresp   (m_axi_bresp),
    .m_axi_bvalid  (m_axi_bvalid),
    .m_axi_bready  (m_axi_bready),
    .reply_valid_o (reply_valid_o),
    .reply_ready_i (reply_ready_i),
    .reply_o       (reply_o),
    .lost_o        (lost),
    .memory_error_o(memory_error)
  );

  // What unframe finds malformed never reaches the rules of admit, but both may be said in one cycle, of two packets.
  always_comb begin
    events = seen;
    events.lost_reply = lost;
    events.memory_error = memory_error;
    events.damaged = damaged;
    counted_o = {stray, malformed, events};
  end

endmodule
