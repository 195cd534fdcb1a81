// SPDX-License-Identifier: Apache-2.0
//
// slink_peer: what the other end asks for.
//
// What      Takes its writes, once each, and answers them; has its reads answered with data. README.md, "Operations".
// Why       A write in CRC mode that comes again, because its answer was lost, has been executed: it is answered from memory. One of
//           which a part was found good goes on behind that part. A read changes nothing, and may be read again.
// Contract  up_i: the session is up; forget_i: another one begins. header_valid_i to damaged_i: as slink_rx tells them.
//           overflow_i: the beat of this cycle, that take_o wanted, was lost.
//           window_first_i, window_last_i: bits 31:12 of the addresses that the other end may use, both included.
//           begin_o, address_o: the beats that take_o chooses go to this address (bits 31:3) and those behind it; only while
//           free_i, which is 1 when an address can be taken. idle_i: all is written. fault_i: a write of this cycle has failed.
//           waits_o: a write is complete, and will be answered when all is written.
//           m side: an answer, taken with m_ready_i; data are those of the memory at the address in its header.
// Latency   none to begin_o, take_o; 1 cycle to an answer.

module slink_peer
  import slink_pkg::*;
(
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

  header_t request_q;  // the last one
  reply_e  reply_q;
  logic [3:0] number, answered_q, part_q;
  logic
      answered_valid_q,
      part_valid_q;  // a write that is complete, and one of which a part is written
  blocks_t written_q, skip_q;  // blocks of that part, and those of them still to come once more
  logic
      open_q,
      allowed_q,
      continues_q;  // the packet that arrives is a write, to allowed addresses, behind a part
  logic bad_q;  // the last write was refused or failed

  logic request, write, repeated, continues, allowed;
  logic [29:0] last;

  assign number = {header_i.number_high, header_i.number_low};
  assign request = header_valid_i && up_i && header_i.kind == KindRequest;
  assign write = request && !header_i.read;
  assign repeated = header_i.crc && answered_valid_q && number == answered_q;
  assign continues = header_i.crc && part_valid_q && number == part_q;

  // No length means the longest one.
  assign last = {1'b0, header_i.address} + 30'({header_i.beats == '0, header_i.beats}) - 1'b1;
  assign allowed = header_i.address[28:9] >= window_first_i && last[29:9] <= {1'b0, window_last_i};

  assign begin_o = write && !repeated && allowed && free_i;
  assign address_o = {
    header_i.address[28:8] + 21'(continues ? written_q : '0), header_i.address[7:0]
  };
  assign take_o = open_q && allowed_q && skip_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i || forget_i) begin
      reply_q          <= None;
      open_q           <= 1'b0;
      answered_valid_q <= 1'b0;
      part_valid_q     <= 1'b0;
    end else begin
      if (m_ready_i) reply_q <= None;

      if (good_i && open_q && allowed_q && request_q.crc) begin
        if (skip_q != '0) skip_q <= skip_q - 1'b1;
        else begin
          // The code of the first block has also found the header good.
          part_valid_q <= 1'b1;
          part_q       <= {request_q.number_high, request_q.number_low};
          written_q    <= continues_q ? written_q + 1'b1 : blocks_t'(1);
          continues_q  <= 1'b1;
        end
      end

      if (open_q && (damaged_i || overflow_i)) begin
        open_q <= 1'b0;
        if (request_q.crc) reply_q <= Damaged;
      end else if (open_q && end_i) begin
        open_q <= 1'b0;
        if (request_q.crc) begin
          reply_q          <= Outcome;
          answered_valid_q <= 1'b1;
          answered_q       <= {request_q.number_high, request_q.number_low};
          part_valid_q     <= 1'b0;
        end
      end

      if (header_valid_i) open_q <= 1'b0;
      if (request) begin
        // It asks for one thing at a time: what it asked for before, it no longer wants.
        reply_q <= None;
        if (header_i.read) reply_q <= allowed ? Data : Refused;
        else if (repeated) reply_q <= Outcome;
        else if (free_i) begin
          open_q      <= 1'b1;
          allowed_q   <= allowed;
          continues_q <= continues;
          skip_q      <= continues ? written_q : '0;
        end else if (header_i.crc) reply_q <= Damaged;
      end
    end

    if (request) request_q <= header_i;
    if (write && header_i.crc && !repeated && !continues) bad_q <= !allowed;
    else if (fault_i) bad_q <= 1'b1;
  end

  assign waits_o   = reply_q == Outcome && !idle_i;
  assign m_valid_o = reply_q != None && (reply_q != Outcome || idle_i);

  always_comb begin
    m_header_o = request_q;
    unique case (reply_q)
      Data:    m_header_o.kind = KindData;
      Outcome: m_header_o.kind = bad_q ? KindNotice : KindDone;
      default: m_header_o.kind = KindNotice;
    endcase
    if (reply_q != Data)
      m_header_o.address = 29'((reply_q == Damaged) ? NoticeDamaged : NoticeRefused);
  end

  logic unused;
  assign unused = &last[8:0];

endmodule
