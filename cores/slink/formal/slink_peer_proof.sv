// SPDX-License-Identifier: Apache-2.0
//
// slink_peer_proof: writes in CRC mode are executed exactly once, and only inside the window.
//
// What      Between the packets that slink_rx tells and the memory port of slink_core. An observer
//           counts the blocks of the write that is next, and says of each block that becomes good
//           which one it has to be: so all blocks of all writes of a session reach the memory
//           once, in order, at their addresses. A write counts as executed, and is answered with
//           "done", only when all its blocks have. A write that comes again is answered again
//           (Outstanding 1).
// Wire      Any packet may be lost, damaged anywhere, or come again, with any gaps. Of writes of
//           this session only those numbers come that slink_issue can have sent
//           (slink_issue_proof) over a wire that keeps their order: those of less than Outstanding
//           in front of the last one seen, and less than Outstanding ahead of the one that is
//           next. A write that has been executed, or is ahead, may come with other contents than
//           before. A damaged header may pass its CRC-8 (Wrong), then the packet fails its CRC-16.
//           Other packets are free.
// Limits    That a write was refused and not done is said without Wrong: a header whose damage
//           makes it the next write takes the place of the outcome before, if Outstanding is 1.
//
// Parameters
//   Outstanding   as in slink_peer
//   Wrong         damaged headers may pass their code
//   Answers       what is said about answers is checked, too

module slink_peer_proof
  import slink_pkg::*;
#(
  parameter int unsigned Outstanding = 1,
  parameter bit Wrong = 1'b1,
  parameter bit Answers = 1'b1
) (
  input logic           clk_i,
  input logic           rst_i,
  input logic           up_i,
  input logic           forget_i,
  input logic           header_valid_i,
  input header_t        header_i,
  input logic           data_i,
  input logic           good_i,
  input logic           end_i,
  input logic           damaged_i,
  input logic           overflow_i,
  input logic           free_i,
  input logic           idle_i,
  input logic           fault_i,
  input logic           m_ready_i,
  input logic    [ 1:0] class_i,         // of the packet that begins
  input logic    [28:0] next_address_i,  // of the write behind the one that is executed
  input logic    [15:0] next_beats_i
);

  localparam logic [4:0] Most = 5'(Outstanding);

  logic begin_, take, waits, m_valid;
  logic [28:0] address;
  logic [19:0] window_first_q, window_last_q;  // never assigned another value: any
  header_t m_header;

  slink_peer #(
    .Outstanding(Outstanding)
  ) u_dut (
    .clk_i,
    .rst_i,
    .window_i('{window_first_q, window_last_q}),
    .link_i(
    '{
        up: up_i,
        forget: forget_i,
        rx: '{
            data: header_i,
            header_valid: header_valid_i,
            data_valid: data_i,
            good: good_i,
            ends: end_i,
            clean: 1'b0,
            damaged: damaged_i,
            known: 1'b0,
            hold: 1'b0
        },
        pause: 1'b0,
        overflow: overflow_i,
        free: free_i,
        idle: idle_i,
        fault: fault_i
    }
    ),
    .place_o({begin_, address, take}),
    .waits_o(waits),
    .m_valid_o(m_valid),
    .m_ready_i,
    .m_header_o(m_header)
  );

  // ---- The packet that arrives, as slink_rx tells it ----
  typedef enum logic [1:0] {
    Outside,
    Data,
    Code,
    Last
  } rx_e;

  typedef enum logic [1:0] {
    Next,     // the write that is next
    Another,  // one in front of it or behind it
    Spoilt,   // damaged, with a header that passes
    Free      // anything else
  } class_e;

  rx_e rx_q;
  class_e class_q, class_;
  header_t packet_q;
  logic past_q;  // of a session before, or of none
  logic [16:0] total, position_q;  // beats
  assign class_ = class_e'(class_i);
  assign total  = {packet_q.beats == '0, packet_q.beats};

  // The block that a check code in this cycle is of, and how many there are.
  logic [8:0] block, blocks;
  assign block  = (rx_q == Code) ? 9'((position_q - 1'b1) >> 8) : position_q[16:8];
  assign blocks = 9'((18'(total) + 18'd255) >> 8);

  logic is_write;
  logic [3:0] number;
  assign is_write = header_i.kind == KindRequest && !header_i.read && header_i.crc;
  assign number   = {header_i.number_high, header_i.number_low};

  // ---- The writes of the session ----
  logic [ 3:0] executed_q;  // the number of the next one
  logic [ 2:0] old_q;  // number of executed ones, at most Outstanding
  logic [ 2:0] seen_q;  // number, from the next one on, of those seen at least once
  logic [28:0] address_q;  // of the next one
  logic [15:0] beats_q;
  logic [8:0] done_q, done;  // blocks of it in the memory
  logic was_allowed_q;  // the one before
  logic [28:0] target_q;  // address of the next beat that is taken
  logic commit, execute, ours;
  logic [4:0] distance;
  assign distance = 5'(signed'(number - executed_q));

  function automatic logic in_window(input logic [28:0] first, input logic [15:0] beats);
    logic [29:0] behind;
    behind = 30'(first) + 30'({beats == '0, beats});
    return first >= {window_first_q, 9'd0} && behind <= {1'b0, window_last_q, 9'h1ff} + 30'd1;
  endfunction

  assign ours    = !past_q && packet_q.crc && class_q == Next;
  assign commit  = good_i && take && !overflow_i;
  assign execute = end_i && u_dut.open_q && u_dut.request_q.crc;
  assign done    = done_q + 9'(commit && ours);

  logic started_q = 1'b0;
  logic repeat_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    window_first_q <= window_first_q;
    window_last_q <= window_last_q;

    if (rst_i || damaged_i || end_i) rx_q <= Outside;
    else if (header_valid_i) rx_q <= has_data(header_i.kind, header_i.read) ? Data : Last;
    else if (data_i && packet_q.crc && (position_q + 1'b1 == total || (&position_q[7:0])))
      rx_q <= Code;
    else if (data_i && position_q + 1'b1 == total) rx_q <= Last;
    else if (rx_q == Code && good_i) rx_q <= (position_q == total) ? Last : Data;

    if (header_valid_i) begin
      packet_q   <= header_i;
      class_q    <= class_;
      position_q <= '0;
      past_q     <= !up_i;
    end
    if (data_i) position_q <= position_q + 1'b1;
    if (rst_i || forget_i) past_q <= 1'b1;

    if (begin_) target_q <= address;
    else if (data_i && take) target_q <= target_q + 1'b1;

    if (rst_i || forget_i) begin
      executed_q <= '0;
      old_q      <= '0;
      seen_q     <= '0;
      done_q     <= '0;
    end else begin
      done_q <= done;
      if (header_valid_i && up_i && !class_[1] && $signed(distance) >= $signed(5'(seen_q)))
        seen_q <= 3'(distance) + 3'd1;
      if (execute) begin
        executed_q    <= executed_q + 1'b1;
        done_q        <= '0;
        was_allowed_q <= in_window(packet_q.address, packet_q.beats);
        seen_q        <= seen_q - 1'b1;
        if (5'(old_q) != Most) old_q <= old_q + 1'b1;
      end
    end
    if (rst_i || forget_i || execute) begin
      address_q <= next_address_i;
      beats_q   <= next_beats_i;
    end
    repeat_q <= header_valid_i && up_i && class_ == Another && (&distance) && !forget_i && !rst_i;
  end

  always_comb begin
    assume (started_q || rst_i);
    assume (!(header_valid_i || data_i || good_i || end_i) || !rst_i);

    // One thing at a time, in the order that slink_rx promises.
    assume (!header_valid_i || (rx_q == Outside && !damaged_i));
    assume (!data_i || (rx_q == Data && !damaged_i && good_i == !packet_q.crc));
    assume (!good_i || data_i || (rx_q == Code && (!damaged_i || position_q == total)));
    assume (!end_i || (!damaged_i && (rx_q == Last ||
            (rx_q == Code && good_i && position_q == total))));
    assume (!(good_i || end_i) || past_q || class_q != Spoilt);
    assume (!overflow_i || (data_i && take));

    if (header_valid_i && up_i) begin
      assume (Wrong || class_ != Spoilt);
      assume (is_write == (class_ != Free));
      if (class_ == Next) begin
        assume (distance == '0 && header_i.address == address_q && header_i.beats == beats_q);
      end
      if (class_ == Another) begin
        assume (distance != '0);
      end
      if (!class_[1]) begin
        assume ($signed(distance) < $signed(Most));
        assume ($signed(distance) >= -$signed(5'(old_q)));
        assume ($signed(distance) >= $signed(5'(seen_q)) - $signed(Most));
      end
    end
  end

  always_comb begin
    if (started_q && !rst_i) begin
      // A block reaches the memory: it is the next one of the next write.
      if (commit && packet_q.crc) begin
        a_once : assert (ours && block == done_q);
      end
      // A beat is taken: it goes to its place, in the window.
      if (data_i && take) begin
        a_place : assert (target_q == packet_q.address + 29'(position_q));
        a_window :
        assert (target_q >= {window_first_q, 9'd0} && target_q <= {window_last_q, 9'h1ff});
        a_this : assert (!past_q);
      end
      if (execute) begin
        a_whole : assert (ours && (done == blocks || !in_window(packet_q.address, packet_q.beats)));
      end
      if (begin_) a_free : assert (free_i);

      if (Answers && m_valid) begin
        if (m_header.kind == KindDone) begin
          a_stored : assert (idle_i && !m_header.read && m_header.crc);
          a_executed :
          assert ({m_header.number_high, m_header.number_low} - executed_q >= -4'(old_q) &&
                  old_q != '0);
          if (Outstanding == 1 && !Wrong) a_allowed : assert (was_allowed_q);
        end
        if (m_header.kind == KindData) begin
          a_read : assert (m_header.read && in_window(m_header.address, m_header.beats));
        end
        a_kind : assert (m_header.kind != KindRequest);
      end
      if (Outstanding == 1 && repeat_q) a_again : assert (waits || m_valid);
    end
  end

  // ---- What the assumptions leave room for ----
  // A block was good, and its packet damaged; then its write was executed; then it came again.
  logic [2:0] came_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || forget_i) came_q <= '0;
    else begin
      if (damaged_i && done != '0) came_q[0] <= 1'b1;
      if (came_q[0] && execute) came_q[1] <= 1'b1;
      if (came_q[1] && repeat_q) came_q[2] <= 1'b1;
    end
  end
  always_comb begin
    c_again : cover (started_q && !rst_i && came_q[2] && m_valid && m_header.kind == KindDone);
    c_spoilt : cover (started_q && !rst_i && damaged_i && !past_q && class_q == Spoilt && take);
    c_second : cover (started_q && !rst_i && executed_q == 4'd2 && m_valid && old_q == Most[2:0]);
  end

  // ---- Why: the state of both, for induction ----
  always_comb begin
    if (started_q && !rst_i) begin
      unique case (rx_q)
        Data: assert (position_q < total);
        Code: begin
          assert (position_q != '0 && position_q <= total && packet_q.crc);
          assert (position_q == total || position_q[7:0] == '0);
        end
        Last: assert (position_q == total || !has_data(packet_q.kind, packet_q.read));
        default: ;
      endcase
      assert (u_dut.expected_q == executed_q && u_dut.some_q == (old_q != '0));
      assert (5'(old_q) <= Most && 5'(seen_q) <= Most);
      assert (u_dut.part_valid_q == (done_q != '0));
      assert (done_q == '0 || u_dut.written_q == done_q);
      assert (done_q == '0 || in_window(address_q, beats_q));
      assert (done_q <= 9'((18'({beats_q == '0, beats_q}) + 18'd255) >> 8));
      if (u_dut.open_q) begin
        assert (rx_q != Outside && !past_q && u_dut.request_q == packet_q);
        assert (packet_q.kind == KindRequest && !packet_q.read);
        assert (u_dut.allowed_q == in_window(packet_q.address, packet_q.beats));
        if (packet_q.crc) begin
          assert (class_q == Next || class_q == Spoilt);
          if (class_q == Next) begin
            assert (packet_q.address == address_q && packet_q.beats == beats_q);
            assert ({packet_q.number_high, packet_q.number_low} == executed_q);
            assert (seen_q != '0);
          end
          if (u_dut.allowed_q) begin
            assert (u_dut.continues_q == (done_q != '0));
            if (rx_q == Last)
              assert (u_dut.skip_q == done_q - blocks);
              else assert (u_dut.skip_q == done_q - block);
            if (rx_q == Last)
              assert (done_q == blocks);
              else assert (done_q >= block);
          end
        end else begin
          assert (class_q == Free && u_dut.skip_q == '0);
        end
        if (u_dut.allowed_q && u_dut.skip_q == '0 && rx_q != Last) begin
          assert (target_q == packet_q.address + 29'(position_q));
        end
        if (u_dut.allowed_q && u_dut.skip_q != '0) begin
          assert (target_q == packet_q.address + {12'd0, done_q, 8'd0});
        end
      end
    end
  end

  if (Outstanding == 1) begin : gen_answer
    always_comb begin
      if (started_q && !rst_i) begin
        if (u_dut.reply == 3'd1)
          assert (u_dut.request_q.read && in_window(
              u_dut.request_q.address, u_dut.request_q.beats
          ));
        if (u_dut.reply == 3'd2) begin
          assert (!u_dut.request_q.read && u_dut.request_q.crc && old_q != '0);
          assert ({u_dut.request_q.number_high, u_dut.request_q.number_low} == executed_q - 4'd1);
          assert (!u_dut.open_q);
          if (!Wrong) assert (seen_q == '0);
        end
        if (!Wrong) begin
          if (old_q != '0 && seen_q == '0) assert (u_dut.bad_q[0] || was_allowed_q);
          if (u_dut.open_q && packet_q.crc) assert (u_dut.bad_q[0] || u_dut.allowed_q);
          if (done_q != '0) assert (seen_q != '0);
        end
      end
    end
  end

endmodule
