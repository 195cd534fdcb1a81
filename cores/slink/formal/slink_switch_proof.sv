// SPDX-License-Identifier: Apache-2.0
//
// slink_switch_proof: what a change of the line's mode does to its own end, whatever its peer says,
// and whenever.
//
// What      The line is in a mode that this end has, and takes another one only as its silence
//           begins. No operation is cut: silence begins behind the last one, or where there has
//           been no session for 2 Tries periods. Refused is what the other end has refused, or
//           what this end does not have. A question ends: with messages that renew it, 34 Tries
//           periods behind the last of them at the latest, whatever data arrive.
// Limits    What this end has, and the mode behind a reset, do not change. None of its operations
//           is started while it is busy.
//
// Parameters
//   Tries   see slink_switch

module slink_switch_proof
  import slink_pkg::*;
#(
  parameter int unsigned Tries = 2
) (
  input logic             clk_i,
  input logic             rst_i,
  input line_cfg_t        cfg_i,
  input logic             operating_i,
  input logic             up_i,
  input logic      [11:0] session_i,
  input logic      [11:0] peer_i,
  input logic             aligned_i,
  input logic             alive_i,
  input logic             header_valid_i,
  input header_t          header_i,
  input logic             m_ready_i
);

  localparam int unsigned Period = 64;
  localparam int unsigned Held = 32 * Tries;

  line_status_t status;
  logic renew, m_valid;
  header_t m_header;

  slink_switch #(
    .Period(Period),
    .Tries (Tries),
    .Gap   (Period)
  ) u_dut (
    .status_o  (status),
    .renew_o   (renew),
    .m_valid_o (m_valid),
    .m_header_o(m_header),
    .*
  );

  function automatic logic possible(input line_t line);
    return line.lanes <= cfg_i.able_lanes && (!line.coding || cfg_i.able_coding) &&
        (line.speed == 2'd1 || (line.speed == 2'd2 && cfg_i.able_fast));
  endfunction

  // ---- What is so around it ----
  logic started_q = 1'b0;
  logic rst_q, operating_q;
  line_cfg_t cfg_q;
  line_status_t status_q;
  always_ff @(posedge clk_i) begin
    started_q   <= 1'b1;
    rst_q       <= rst_i || !started_q;
    operating_q <= operating_i;
    cfg_q       <= cfg_i;
    status_q    <= status;
  end
  always_comb begin
    assume (started_q || rst_i);
    assume (possible(cfg_i.start));
    if (started_q) begin
      assume ({cfg_i.start, cfg_i.able_lanes, cfg_i.able_fast, cfg_i.able_coding} ==
              {cfg_q.start, cfg_q.able_lanes, cfg_q.able_fast, cfg_q.able_coding});
      assume (rst_q || !operating_i || operating_q || !status_q.busy);
    end
  end

  typedef enum logic [2:0] {
    Rest,
    Ending,
    Asking,
    Waiting,
    Agreed,
    Silent,
    Proving
  } state_e;
  state_e state;
  assign state = state_e'(u_dut.state_q);

  // ---- Periods of a question since the last message that renews it ----
  logic asking, renewed, refused_q;
  logic [$clog2(36*Tries)-1:0] age_q;
  assign asking  = state == Asking;
  assign renewed = u_dut.takes || u_dut.answered;
  always_ff @(posedge clk_i) begin
    if (!asking || renewed) age_q <= '0;
    else if (u_dut.tick) age_q <= age_q + 1'b1;
    refused_q <= (u_dut.answered && u_dut.code == 5'd19) || (cfg_i.ask && !possible(cfg_i.wanted));
  end

  always_comb begin
    if (started_q && !rst_i && !rst_q) begin
      assert (possible(status.line));
      assert (status.line == status_q.line || (status.silent && !status_q.silent));
      if (renew) assert (status.silent);
      if (status.silent && !status_q.silent && u_dut.result_q != ChangeLost) assert (!operating_i);
      if (status.changed && status.result == ChangeRefused) assert (refused_q);
      assert (32'(age_q) <= 34 * Tries);
    end
  end

  // ---- For the induction ----
  always_comb begin
    if (started_q && !rst_i && !rst_q) begin
      assert (state <= Proving);
      assert (u_dut.start_q == cfg_i.start && possible(u_dut.last_q));
      if (state inside {Ending, Asking, Waiting, Agreed}) assert (possible(u_dut.matter_q.line));
      if (state inside {Asking, Agreed}) assert (!operating_i);
      if (state inside {Silent, Proving}) begin
        assert (u_dut.result_q inside {ChangeDone, ChangeFellBack, ChangeOverruled, ChangeLost});
        if (u_dut.result_q == ChangeLost)
          assert (u_dut.back_q);
          else assert (!operating_i);
      end
      if (state == Asking) begin
        if (u_dut.held_q == '0)
          assert (32'(age_q) + 32'(u_dut.left_q) <= Held + 2 * Tries - 2);
          else assert (32'(u_dut.held_q) == Held - 1 - 32'(age_q));
      end
    end
  end

endmodule
