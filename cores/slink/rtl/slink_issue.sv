// SPDX-License-Identifier: Apache-2.0
//
// slink_issue: the operations of this end, up to Outstanding of them under way.
//
// What      Keeps what each operation is made of, sends their requests in the order of their
//           starts, and gives the answers to the one they are for. README.md, "Several operations".
// Contract  start_i: begin, while operations_o.full is 0; operation_i is taken in that cycle
//           (Outstanding = 1: it stays until operations_o.busy is 0). Outcomes are those of the
//           operation with that number, modulo Outstanding.
//           renew_o, m side: as in slink_own. place_o: begins only while link_i.free.
//           request_o: the local address of the request in m_header_o; sent_i: of the request
//           that was taken last.
// Clocks and resets  clk_i; rst_i synchronous.
// Latency   as slink_own
//
// Parameters  Outstanding  operations under way, 1, 2 or 4
//             Timeout, Retries  as in slink_own

module slink_issue
  import slink_pkg::*;
#(
  parameter int unsigned Outstanding = 1,
  parameter int unsigned Timeout = 4096,
  parameter int unsigned Retries = 16
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        start_i,
  input  operation_t  operation_i,
  output operations_t operations_o,
  input  link_t       link_i,
  output logic        renew_o,
  output place_t      place_o,
  output logic        m_valid_o,
  input  logic        m_ready_i,
  output header_t     m_header_o,
  output address_t    request_o,
  input  sent_t       sent_i
);

  if (Outstanding != 1 && Outstanding != 2 && Outstanding != MaxOutstanding) begin : gen_bad
    $error("slink_issue %m: Outstanding must be 1, 2 or 4, got %0d", Outstanding);
  end

  localparam int unsigned SlotBits = (Outstanding > 1) ? $clog2(Outstanding) : 1;
  typedef logic [SlotBits-1:0] slot_t;

  logic [Outstanding-1:0] start, busy, busy_q, allot, renew, begins, take, valid, ready;
  operation_t [Outstanding-1:0] operation;
  header_t [Outstanding-1:0] header;
  status_t [Outstanding-1:0] status;
  logic [1:0][3:0] number_q;  // of the next write and of the next read
  logic [3:0] started_q;
  slot_t next, last, chosen, sending_q;

  assign next = (Outstanding > 1) ? slot_t'(started_q) : '0;
  assign last = (Outstanding > 1) ? slot_t'(started_q - 1'b1) : '0;

  for (genvar i = 0; i < int'(Outstanding); i++) begin : gen_own
    logic number_of_read, unit_busy;
    sent_t sent;

    if (Outstanding == 1) begin : gen_direct
      assign start[i]     = start_i;
      assign operation[i] = operation_i;
      assign busy[i]      = unit_busy;
    end else begin : gen_kept
      logic start_q;
      operation_t operation_q;

      always_ff @(posedge clk_i) begin
        start_q <= start_i && !rst_i && next == slot_t'(i);
        if (start_i && next == slot_t'(i)) operation_q <= operation_i;
      end

      assign start[i]     = start_q;
      assign operation[i] = operation_q;
      assign busy[i]      = start_q || unit_busy;
    end

    assign number_of_read = operation[i].read;
    assign ready[i]       = m_ready_i && chosen == slot_t'(i);

    always_comb begin
      sent = sent_i;
      if (sending_q != slot_t'(i)) {sent.ends, sent.beat} = '0;
    end

    slink_own #(
      .Several(Outstanding > 1),
      .Timeout(Timeout),
      .Retries(Retries)
    ) u_own (
      .clk_i,
      .rst_i,
      .start_i    (start[i]),
      .operation_i(operation[i]),
      .number_i   (number_q[number_of_read]),
      .allot_o    (allot[i]),
      .busy_o     (unit_busy),
      .status_o   (status[i]),
      .link_i,
      .renew_o    (renew[i]),
      .begin_o    (begins[i]),
      .take_o     (take[i]),
      .m_valid_o  (valid[i]),
      .m_ready_i  (ready[i]),
      .m_header_o (header[i]),
      .sent_i     (sent)
    );
  end

  // The oldest one that wants to be sent: slots are given out in turn, and `next` is the oldest.
  always_comb begin
    chosen = next;
    for (int i = int'(Outstanding) - 1; i >= 0; i--) begin
      if (valid[slot_t'(next+slot_t'(i))]) chosen = slot_t'(next + slot_t'(i));
    end
  end

  always_comb begin
    place_o.address = operation[0].local_address[31:3];
    for (int i = 1; i < int'(Outstanding); i++) begin
      if (begins[i]) place_o.address = operation[i].local_address[31:3];
    end
  end

  always_comb begin
    operations_o.outcomes = {MaxOutstanding{OutcomeNone}};
    for (int i = 0; i < int'(Outstanding); i++) begin
      if (!busy[i]) begin
        if (status[i].done) operations_o.outcomes[i] = OutcomeDone;
        else if (status[i].exhausted) operations_o.outcomes[i] = OutcomeExhausted;
        else if (status[i].silent) operations_o.outcomes[i] = OutcomeSilent;
        else if (status[i].refused) operations_o.outcomes[i] = OutcomeRefused;
        else if (status[i].reset) operations_o.outcomes[i] = OutcomeReset;
        else if (status[i].damaged) operations_o.outcomes[i] = OutcomeDamaged;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      started_q <= '0;
      number_q  <= '0;
      busy_q    <= '0;
    end else begin
      if (start_i) started_q <= started_q + 1'b1;
      if (|allot) number_q[m_header_o.read] <= number_q[m_header_o.read] + 1'b1;
      if (link_i.forget) number_q <= '0;
      busy_q <= busy;
    end
    if (m_ready_i) sending_q <= chosen;
  end

  assign operations_o.full    = busy[next];
  assign operations_o.busy    = |busy;
  assign operations_o.ended   = |(busy_q & ~busy);
  assign operations_o.started = started_q;
  assign operations_o.status  = status[last];
  assign renew_o    = |renew;
  assign place_o.begins = |begins;
  assign place_o.take = |take;
  assign m_valid_o  = |valid;
  assign m_header_o = header[chosen];
  assign request_o  = operation[chosen].local_address[31:3];

endmodule
