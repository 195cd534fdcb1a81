// SPDX-License-Identifier: Apache-2.0
//
// slink_peer: what the other end asks for.
//
// What      Takes its writes, once each and in order, and answers them; has its reads answered with
//           data. README.md, "Operations".
// Why       A write in CRC mode that comes again, because its answer was lost, has been executed:
//           its number is one of the last, and it is answered from memory. One of which a part was
//           found good goes on behind that part. One that is ahead of another one, which was lost,
//           would be out of order: it is not taken, and comes again behind that one. A read changes
//           nothing, and may be read again.
// Contract  window_i: what the other end may use.
//           place_o: begins only while link_i.free.
//           waits_o: a write is complete, and will be answered when all is written.
//           m side: an answer, taken with m_ready_i; data are those of the memory at the address
//           in its header.
// Clocks and resets  clk_i; rst_i synchronous.
// Latency   none to place_o; 1 cycle to an answer.
//
// Parameters  Outstanding  operations of the other end that are under way, 1, 2 or 4. One: a
//                          request takes the place of the answer to the one before, which is no
//                          longer wanted.

module slink_peer
  import slink_pkg::*;
#(
  parameter int unsigned Outstanding = 1
) (
  input  logic    clk_i,
  input  logic    rst_i,
  input  window_t window_i,
  input  link_t   link_i,
  output place_t  place_o,
  output logic    waits_o,
  output logic    m_valid_o,
  input  logic    m_ready_i,
  output header_t m_header_o
);

  localparam int unsigned BlockWidth = CountWidth - $bits(block_t) + 1;  // blocks of a packet
  typedef logic [BlockWidth-1:0] blocks_t;

  typedef enum logic [2:0] {
    None,
    Data,
    Outcome,  // of a write, when all of it is in the memory
    Damaged,
    Refused
  } reply_e;

  localparam int unsigned Window = (Outstanding == 1) ? 1 : 2 * Outstanding;  // known outcomes
  localparam int unsigned WindowBits = (Window > 1) ? $clog2(Window) : 1;

  rx_t rx;
  header_t header;
  assign rx     = link_i.rx;
  assign header = rx.data;

  header_t request_q;  // the last one
  reply_e put_reply, reply;
  header_t put_header, reply_header;
  logic [3:0] number, expected_q, ahead;  // expected_q: of the next write
  logic some_q, part_valid_q;  // a write is complete; a part of the next one is written
  blocks_t written_q, skip_q;  // blocks of that part, and those of them still to come once more
  logic
      open_q,
      allowed_q,
      continues_q;  // the packet that arrives is a write, to allowed addresses, behind a part
  logic [Window-1:0]
      bad_q,
      pending_q;  // writes, by number, that were refused or failed, and that are not answered

  logic request, write, repeated, early, continues, allowed, put, accept;
  logic [29:0] last;

  assign number = {header.number_high, header.number_low};
  assign request = rx.header_valid && link_i.up && header.kind == KindRequest;
  assign write = request && !header.read;
  assign ahead = number - expected_q;
  assign repeated = header.crc && some_q && &ahead[3:$clog2(Window)];
  assign early = header.crc && ahead != '0;  // or repeated
  assign continues = header.crc && part_valid_q;

  // No length means the longest one.
  assign last = {1'b0, header.address} + 30'({header.beats == '0, header.beats}) - 1'b1;
  assign allowed = header.address[28:9] >= window_i.first && last[29:9] <= {1'b0, window_i.last};

  assign accept = write && !early && link_i.free;
  assign place_o.begins = accept && allowed;
  assign place_o.address = {
    header.address[28:8] + 21'(continues ? written_q : '0), header.address[7:0]
  };
  assign place_o.take = open_q && allowed_q && skip_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i || link_i.forget) begin
      open_q       <= 1'b0;
      some_q       <= 1'b0;
      expected_q   <= '0;
      part_valid_q <= 1'b0;
    end else begin
      if (rx.good && open_q && allowed_q && request_q.crc) begin
        if (skip_q != '0) skip_q <= skip_q - 1'b1;
        else begin
          // The code of the first block has also found the header good.
          part_valid_q <= 1'b1;
          written_q    <= continues_q ? written_q + 1'b1 : blocks_t'(1);
          continues_q  <= 1'b1;
        end
      end

      if (rx.header_valid || rx.ends || rx.damaged || link_i.overflow) open_q <= accept;
      if (open_q && rx.ends && request_q.crc) begin
        some_q       <= 1'b1;
        expected_q   <= expected_q + 1'b1;
        part_valid_q <= 1'b0;
      end
      if (accept) begin
        allowed_q   <= allowed;
        continues_q <= continues;
        skip_q      <= continues ? written_q : '0;
      end
    end

    if (request) request_q <= header;
  end

  // ---- Answers ----
  always_comb begin
    put        = 1'b0;
    put_reply  = None;
    put_header = request ? header : request_q;
    if (request) begin
      put = header.read || repeated || (header.crc && !early && !link_i.free);
      if (header.read) put_reply = allowed ? Data : Refused;
      else put_reply = repeated ? Outcome : Damaged;
    end else if (open_q && request_q.crc) begin
      put       = rx.ends || rx.damaged || link_i.overflow;
      put_reply = (rx.damaged || link_i.overflow) ? Damaged : Outcome;
    end
  end

  if (Outstanding == 1) begin : gen_one
    reply_e reply_q;

    always_ff @(posedge clk_i) begin
      if (rst_i || link_i.forget) reply_q <= None;
      else if (put) reply_q <= put_reply;
      else if (request || m_ready_i) reply_q <= None;
    end

    assign reply        = reply_q;
    assign reply_header = request_q;

    logic unused;
    assign unused = &put_header;
  end else begin : gen_queue
    localparam int unsigned Depth = 16;  // a request whose answer finds no room comes again

    logic ready, valid;
    reply_e head;
    logic [$clog2(Depth + 1)-1:0] level;

    prim_fifo_sync #(
      .Width      ($bits(reply_e) + $bits(header_t)),
      .Depth      (Depth),
      .FallThrough(1'b0)
    ) u_replies (
      .clk_i,
      .rst_i    (rst_i || link_i.forget),
      .s_valid_i(put),
      .s_ready_o(ready),
      .s_data_i ({put_reply, put_header}),
      .m_valid_o(valid),
      .m_ready_i(m_ready_i),
      .m_data_o ({head, reply_header}),
      .level_o  (level)
    );

    assign reply = valid ? head : None;

    logic unused;
    assign unused = ready ^ ^level;
  end

  // ---- Outcomes of writes ----
  logic [WindowBits-1:0] taken, answered;

  assign taken = (Window > 1) ? number[WindowBits-1:0] : '0;
  assign answered = (Window > 1) ? reply_header.number_low[WindowBits-1:0] : '0;

  always_ff @(posedge clk_i) begin
    if (link_i.fault) bad_q <= bad_q | pending_q;
    if (m_ready_i && reply == Outcome) pending_q[answered] <= 1'b0;
    if (write && header.crc && !early && !continues) begin
      bad_q[taken]     <= !allowed;
      pending_q[taken] <= 1'b1;
    end
  end

  assign waits_o   = reply == Outcome && !link_i.idle;
  assign m_valid_o = reply != None && (reply != Outcome || link_i.idle);

  always_comb begin
    m_header_o = reply_header;
    unique case (reply)
      Data:    m_header_o.kind = KindData;
      Outcome: m_header_o.kind = bad_q[answered] ? KindNotice : KindDone;
      default: m_header_o.kind = KindNotice;
    endcase
    if (reply != Data) m_header_o.address = 29'((reply == Damaged) ? NoticeDamaged : NoticeRefused);
  end

  logic unused;
  assign unused = &{rx, link_i, last[8:0]};

endmodule
