// SPDX-License-Identifier: Apache-2.0
//
// slink_peer: what the other end asks for.
//
// What      Takes its writes, once each and in order, and answers them; has its reads answered with data. README.md, "Operations".
// Why       A write in CRC mode that comes again, because its answer was lost, has been executed: its number is one of the last, and it
//           is answered from memory. One of which a part was found good goes on behind that part. One that is ahead of
//           another one, which was lost, would be out of order: it is not taken, and comes again behind that one. A read changes nothing,
//           and may be read again.
// Contract  up_i: the session is up; forget_i: another one begins. header_valid_i to damaged_i: as slink_rx tells them.
//           overflow_i: the beat of this cycle, that take_o wanted, was lost.
//           window_first_i, window_last_i: bits 31:12 of the addresses that the other end may use, both included.
//           begin_o, address_o: the beats that take_o chooses go to this address (bits 31:3) and those behind it; only while
//           free_i, which is 1 when an address can be taken. idle_i: all is written. fault_i: a write of this cycle has failed.
//           waits_o: a write is complete, and will be answered when all is written.
//           m side: an answer, taken with m_ready_i; data are those of the memory at the address in its header.
// Latency   none to begin_o, take_o; 1 cycle to an answer.
//
// Parameters  Outstanding  operations of the other end that are under way, 1, 2 or 4. One: a request takes the place of the answer
//                          to the one before, which is no longer wanted.

module slink_peer
  import slink_pkg::*;
#(
  parameter int unsigned Outstanding = 1
) (
  input  logic           clk_i,
  input  logic           rst_i,
  input  logic           up_i,
  input  logic           forget_i,
  input  logic           header_valid_i,
  input  header_t        header_i,
  input  logic           good_i,
  input  logic           end_i,
  input  logic           damaged_i,
  input  logic           overflow_i,
  input  logic    [19:0] window_first_i,
  input  logic    [19:0] window_last_i,
  input  logic           free_i,
  input  logic           idle_i,
  input  logic           fault_i,
  output logic           begin_o,
  output logic    [28:0] address_o,
  output logic           take_o,
  output logic           waits_o,
  output logic           m_valid_o,
  input  logic           m_ready_i,
  output header_t        m_header_o
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

  assign number = {header_i.number_high, header_i.number_low};
  assign request = header_valid_i && up_i && header_i.kind == KindRequest;
  assign write = request && !header_i.read;
  assign ahead = number - expected_q;
  assign repeated = header_i.crc && some_q && &ahead[3:$clog2(Window)];
  assign early = header_i.crc && ahead != '0;  // or repeated
  assign continues = header_i.crc && part_valid_q;

  // No length means the longest one.
  assign last = {1'b0, header_i.address} + 30'({header_i.beats == '0, header_i.beats}) - 1'b1;
  assign allowed = header_i.address[28:9] >= window_first_i && last[29:9] <= {1'b0, window_last_i};

  assign accept = write && !early && free_i;
  assign begin_o = accept && allowed;
  assign address_o = {
    header_i.address[28:8] + 21'(continues ? written_q : '0), header_i.address[7:0]
  };
  assign take_o = open_q && allowed_q && skip_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i || forget_i) begin
      open_q       <= 1'b0;
      some_q       <= 1'b0;
      expected_q   <= '0;
      part_valid_q <= 1'b0;
    end else begin
      if (good_i && open_q && allowed_q && request_q.crc) begin
        if (skip_q != '0) skip_q <= skip_q - 1'b1;
        else begin
          // The code of the first block has also found the header good.
          part_valid_q <= 1'b1;
          written_q    <= continues_q ? written_q + 1'b1 : blocks_t'(1);
          continues_q  <= 1'b1;
        end
      end

      if (header_valid_i || end_i || damaged_i || overflow_i) open_q <= accept;
      if (open_q && end_i && request_q.crc) begin
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

    if (request) request_q <= header_i;
  end

  // ---- Answers ----
  always_comb begin
    put        = 1'b0;
    put_reply  = None;
    put_header = request ? header_i : request_q;
    if (request) begin
      put = header_i.read || repeated || (header_i.crc && !early && !free_i);
      if (header_i.read) put_reply = allowed ? Data : Refused;
      else put_reply = repeated ? Outcome : Damaged;
    end else if (open_q && request_q.crc) begin
      put       = end_i || damaged_i || overflow_i;
      put_reply = (damaged_i || overflow_i) ? Damaged : Outcome;
    end
  end

  if (Outstanding == 1) begin : gen_one
    reply_e reply_q;

    always_ff @(posedge clk_i) begin
      if (rst_i || forget_i) reply_q <= None;
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
      .rst_i    (rst_i || forget_i),
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
    if (fault_i) bad_q <= bad_q | pending_q;
    if (m_ready_i && reply == Outcome) pending_q[answered] <= 1'b0;
    if (write && header_i.crc && !early && !continues) begin
      bad_q[taken]     <= !allowed;
      pending_q[taken] <= 1'b1;
    end
  end

  assign waits_o   = reply == Outcome && !idle_i;
  assign m_valid_o = reply != None && (reply != Outcome || idle_i);

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
  assign unused = &last[8:0];

endmodule
