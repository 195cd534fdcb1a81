// SPDX-License-Identifier: Apache-2.0
//
// slink_issue_proof: an answer counts for the operation that waits under its number, for no other.
//
// What      Beside slink_issue with its slink_own. An observer keeps what was started, which
//           number each operation was sent with, and what has come for that number. An operation
//           ends with "done" or "refused" only if its own answer came, a read only if its own data
//           came whole, and read data go to its local address. Numbers of a kind are given out
//           without a gap, an operation keeps its own, and it is never as many as Outstanding
//           behind the next one: what slink_peer_proof takes for granted.
// Line      Any headers, ends and damages, in any order, sessions that end at any time.
//
// Parameters
//   Outstanding   as in slink_issue

module slink_issue_proof
  import slink_pkg::*;
#(
  parameter int unsigned Outstanding = 1
) (
  input logic       clk_i,
  input logic       rst_i,
  input logic       start_i,
  input operation_t operation_i,
  input logic       up_i,
  input logic       forget_i,
  input logic       header_valid_i,
  input header_t    header_i,
  input logic       beat_i,
  input logic       pause_i,
  input logic       end_i,
  input logic       clean_i,
  input logic       damaged_i,
  input logic       overflow_i,
  input logic       free_i,
  input logic       idle_i,
  input logic       fault_i,
  input logic       m_ready_i,
  input logic       sent_i,
  input logic       sent_beat_i,
  input logic       spoilt_i
);

  localparam int unsigned N = Outstanding;
  localparam logic [3:0] Most = 4'(N);

  logic full, busy_any, ended, renew, begin_, take, m_valid;
  status_t status;
  logic [3:0] started;
  outcome_e [MaxOutstanding-1:0] outcomes;
  logic [28:0] address, request;
  header_t m_header;

  slink_issue #(
    .Outstanding(N),
    .Timeout    (64),
    .Retries    (2)
  ) u_dut (
    .clk_i,
    .rst_i,
    .start_i,
    .operation_i,
    .operations_o({full, busy_any, ended, started, outcomes, status}),
    .link_i(
    '{
        up: up_i,
        forget: forget_i,
        rx: '{
            data: header_i,
            header_valid: header_valid_i,
            data_valid: beat_i,
            good: 1'b0,
            ends: end_i,
            clean: clean_i,
            damaged: damaged_i,
            known: 1'b0,
            hold: 1'b0
        },
        pause: pause_i,
        overflow: overflow_i,
        free: free_i,
        idle: idle_i,
        fault: fault_i
    }
    ),
    .renew_o(renew),
    .place_o({begin_, address, take}),
    .m_valid_o(m_valid),
    .m_ready_i,
    .m_header_o(m_header),
    .request_o(request),
    .sent_i('{ends: sent_i, beat: sent_beat_i, spoilt: spoilt_i})
  );

  // ---- The units, for the reasons below ----
  localparam logic [2:0] Idle = 3'd0, Ready = 3'd1, Sending = 3'd2, Waiting = 3'd3, Draining = 3'd4;
  logic [N-1:0][2:0] state;
  logic [N-1:0][1:0] answer;
  logic [N-1:0][3:0] unit_number;
  logic [N-1:0] tried, open, starting, unit_done, unit_refused, unit_other;
  for (genvar k = 0; k < int'(N); k++) begin : gen_look
    assign state[k] = u_dut.gen_own[k].u_own.state_q;
    assign answer[k] = u_dut.gen_own[k].u_own.answer_q;
    assign unit_number[k] = u_dut.gen_own[k].u_own.number_q;
    assign tried[k] = u_dut.gen_own[k].u_own.tried_q;
    assign open[k] = u_dut.gen_own[k].u_own.open_q;
    assign unit_done[k] = u_dut.status[k].done;
    assign unit_refused[k] = u_dut.status[k].refused;
    assign unit_other[k] = u_dut.status[k].exhausted || u_dut.status[k].silent;
    if (N == 1) begin : gen_direct
      assign starting[k] = 1'b0;
    end else begin : gen_kept
      assign starting[k] = u_dut.gen_own[k].gen_kept.start_q;
    end
  end

  // ---- The observer: what was started in each place, and what has come for it ----
  operation_t [N-1:0] operation_q;
  logic [N-1:0][3:0] number_q;
  logic [N-1:0] done_q, refused_q, whole_q, good_q, fault_q;
  logic [N-1:0] reading_q;  // the packet that arrives is its data
  logic [N-1:0] sent_q;  // its request, whole
  logic [1:0][3:0] next_q;  // number of each kind
  logic under_way_q;  // a request of ours
  logic [$clog2(N+1)-1:0] sending_q;
  logic started_q = 1'b0;

  function automatic logic is_bad(input operation_t operation);
    return operation.lanes > 3'd2 || operation.remote_address[2:0] != '0 ||
        operation.local_address[2:0] != '0;
  endfunction

  logic [N-1:0] numbered, match, data_for;
  logic [3:0] number, m_number;
  assign number   = {header_i.number_high, header_i.number_low};
  assign m_number = {m_header.number_high, m_header.number_low};
  always_comb begin
    for (int k = 0; k < int'(N); k++) begin
      numbered[k] = operation_q[k].read || operation_q[k].crc;
      match[k] = header_valid_i && up_i && tried[k] && number == number_q[k] &&
          header_i.read == operation_q[k].read;
      data_for[k] = match[k] && sent_q[k] && !whole_q[k] && state[k] != Idle &&
          header_i.kind == KindData && operation_q[k].read &&
          header_i.beats == operation_q[k].beats &&
          header_i.crc == operation_q[k].crc;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    for (int k = 0; k < int'(N); k++) begin
      if (match[k] && header_i.kind == KindDone && !header_i.read) done_q[k] <= 1'b1;
      if (match[k] && header_i.kind == KindNotice && header_i.address[4:0] == NoticeRefused)
        refused_q[k] <= 1'b1;
      if (fault_i) fault_q[k] <= 1'b1;
      if (header_valid_i || end_i || damaged_i || overflow_i) reading_q[k] <= begin_ && data_for[k];
      if (reading_q[k] && end_i) whole_q[k] <= 1'b1;
      if (sent_i && 32'(sending_q) == 32'(k)) begin
        sent_q[k] <= 1'b1;
        if (!spoilt_i) good_q[k] <= 1'b1;
      end
      if (under_way_q && spoilt_i && 32'(sending_q) == 32'(k)) fault_q[k] <= 1'b1;
      if (m_ready_i && 32'(u_dut.chosen) == 32'(k)) begin
        sent_q[k]    <= 1'b0;
        good_q[k]    <= 1'b0;
        whole_q[k]   <= 1'b0;
        number_q[k]  <= m_number;
        reading_q[k] <= 1'b0;
      end
      if (start_i && 32'(started) % N == 32'(k)) begin
        operation_q[k] <= operation_i;
        done_q[k]      <= 1'b0;
        refused_q[k]   <= is_bad(operation_i);
        whole_q[k]     <= 1'b0;
        good_q[k]      <= 1'b0;
        fault_q[k]     <= 1'b0;
        sent_q[k]      <= 1'b0;
        reading_q[k]   <= 1'b0;
      end
    end
    if (m_ready_i) sending_q <= ($clog2(N + 1))'(u_dut.chosen);

    if (rst_i) under_way_q <= 1'b0;
    else if (m_ready_i) under_way_q <= 1'b1;
    else if (sent_i) under_way_q <= 1'b0;

    if (rst_i || forget_i) next_q <= '0;
    else if (m_ready_i && !tried[u_dut.chosen] && numbered[u_dut.chosen])
      next_q[m_header.read] <= next_q[m_header.read] + 1'b1;
  end

  // ---- Around it ----
  always_comb begin
    assume (started_q || rst_i);
    assume (!start_i || (!full && !rst_i));
    if (N == 1 && started_q && busy_any) assume (operation_i == operation_q[0]);
    assume (!m_ready_i || (m_valid && (!under_way_q || sent_i) && !rst_i));
    assume (!sent_i || under_way_q);
    assume (!header_valid_i || (!end_i && !damaged_i && !beat_i));
    assume (!(end_i && damaged_i));
    assume (!overflow_i || (beat_i && take));
  end

  // ---- What is promised ----
  always_comb begin
    if (started_q && !rst_i) begin
      if (m_ready_i) begin
        a_request :
        assert (m_header.kind == KindRequest && m_header.read == operation_q[u_dut.chosen].read &&
                m_header.crc == operation_q[u_dut.chosen].crc &&
                m_header.beats == operation_q[u_dut.chosen].beats &&
                m_header.address == operation_q[u_dut.chosen].remote_address[31:3] &&
                request == operation_q[u_dut.chosen].local_address[31:3]);
        a_number :
        assert (m_number == (tried[u_dut.chosen] ? number_q[u_dut.chosen] : next_q[m_header.read]));
      end
      if (begin_) begin
        a_one : assert (data_for != '0 && (data_for & (data_for - 1'b1)) == '0);
      end
      a_taken : assert (!take || (reading_q != '0 && (reading_q & (reading_q - 1'b1)) == '0));
      for (int k = 0; k < int'(N); k++) begin
        if (begin_ && data_for[k]) begin
          assert (address == operation_q[k].local_address[31:3]);
        end
        if (outcomes[k] == OutcomeDone) begin
          assert (operation_q[k].read ? whole_q[k] : operation_q[k].crc ? done_q[k] : good_q[k]);
        end
        if (outcomes[k] == OutcomeRefused) assert (refused_q[k] || fault_q[k]);
      end
    end
  end

  // ---- What the assumptions leave room for: each outcome, behind a repetition ----
  logic again_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || start_i) again_q <= 1'b0;
    else if (m_ready_i && tried[u_dut.chosen]) again_q <= 1'b1;
  end
  always_comb begin
    c_write :
    cover (started_q && !rst_i &&
        outcomes[0] == OutcomeDone && again_q && !operation_q[0].read &&
        operation_q[0].crc);
    c_read :
    cover (started_q && !rst_i && outcomes[0] == OutcomeDone && again_q && operation_q[0].read);
    c_refused :
    cover (started_q && !rst_i && outcomes[0] == OutcomeRefused && again_q && refused_q[0]);
  end

  // ---- Why: age of a place: 0 is the oldest one, which is given out next ----
  logic [N-1:0][2:0] age;
  logic [N-1:0] active, counts;
  logic [N-1:0][2:0] unsent;  // younger ones that have no number yet
  always_comb begin
    for (int k = 0; k < int'(N); k++) begin
      age[k] = 3'((32'(k) + N - 32'(started) % N) % N);
      active[k] = starting[k] || state[k] != Idle;
      counts[k] = tried[k] && numbered[k] && !starting[k] &&
          (state[k] == Ready || state[k] == Sending || state[k] == Waiting);
    end
    for (int k = 0; k < int'(N); k++) begin
      unsent[k] = '0;
      for (int j = 0; j < int'(N); j++) begin
        if (age[j] > age[k] && active[j] && (starting[j] || !tried[j]))
          unsent[k] = unsent[k] + 1'b1;
      end
    end
  end

  always_comb begin
    if (started_q && !rst_i) begin
      assert (next_q == u_dut.number_q);
      assert (32'(sending_q) == 32'(u_dut.sending_q) || !under_way_q);
      for (int k = 0; k < int'(N); k++) begin
        assert (state[k] <= Draining);
        if (active[k]) assert (u_dut.operation[k] == operation_q[k]);
        if (starting[k])
          assert (state[k] == Idle && !open[k] && refused_q[k] >= is_bad(operation_q[k]));
        if (state[k] == Sending) assert (tried[k] && under_way_q && 32'(sending_q) == 32'(k));
        if (state[k] == Waiting || state[k] == Draining) assert (tried[k] && sent_q[k]);
        if (tried[k] && state[k] != Idle) assert (unit_number[k] == number_q[k]);
        if (state[k] == Draining) assert (whole_q[k] && operation_q[k].read);
        if (state[k] == Waiting) assert (numbered[k] && !whole_q[k]);
        if (state[k] == Sending) assert (!whole_q[k] && !reading_q[k]);
        if (state[k] == Waiting) assert (reading_q[k] == open[k]);
        if (open[k]) assert (state[k] == Waiting && operation_q[k].read && reading_q[k]);
        if (state[k] != Idle && state[k] != Ready) begin
          if (answer[k] == 2'd1) assert (done_q[k] && !operation_q[k].read);
          if (answer[k] == 2'd2) assert (refused_q[k]);
        end
        if (state[k] != Idle) assert (!unit_done[k] && (!unit_refused[k] || fault_q[k]));
        if (active[k] && !starting[k]) assert (!is_bad(operation_q[k]));
        if (!active[k] && unit_done[k]) begin
          assert (operation_q[k].read ? whole_q[k] : operation_q[k].crc ? done_q[k] : good_q[k]);
        end
        if (!active[k] && unit_refused[k]) assert (refused_q[k] || fault_q[k] || unit_other[k]);
        if (counts[k]) begin
          assert (next_q[operation_q[k].read] - number_q[k] >= 4'd1);
          assert (next_q[operation_q[k].read] - number_q[k] <= Most - 4'(age[k]) - 4'(unsent[k]));
        end
        for (int j = 0; j < int'(N); j++) begin
          if (age[j] > age[k] && active[j] && !starting[j]) assert (!starting[k]);
          if (age[j] > age[k] && counts[j]) assert (!active[k] || (tried[k] && !starting[k]));
          if (age[j] > age[k] && counts[j] && counts[k] &&
              operation_q[j].read == operation_q[k].read)
            assert (number_q[j] - number_q[k] >= 4'd1 && number_q[j] - number_q[k] < Most);
        end
      end
    end
  end

  logic unused;
  assign unused = ^{status, ended, renew};

endmodule
