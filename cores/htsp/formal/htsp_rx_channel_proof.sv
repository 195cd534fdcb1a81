// SPDX-License-Identifier: Apache-2.0
//
// Proof of htsp_rx_channel: a peer that sends no more than the room above pause_level_i while the
// channel is paused never makes its buffer overflow, and m_axis keeps the rules of a stream
// whatever comes. Depth is a power of two here.
//
// The room is Depth - pause_level_i, less one word that may come in the cycle before pause_o shows.

module htsp_rx_channel_proof
  import htsp_pkg::*;
#(
  parameter int unsigned Bytes = 64,
  parameter int unsigned Depth = 16,
  parameter int unsigned PauseLevel = 6,
  parameter int unsigned ResumeLevel = 3,
  parameter bit Honoured = 1'b1
) (
  input logic  clk_i,
  input logic  rst_i,
  input beat_t word_i,
  input logic  valid_i,
  input logic  sof_i,
  input logic  close_i,
  input logic  m_axis_tready
);

  localparam int unsigned LevelWidth = $clog2(Depth + 1);
  localparam int unsigned Room = Depth - PauseLevel - 1;

  logic pause, overflow;
  logic [8*Bytes-1:0] m_axis_tdata;
  logic [Bytes-1:0] m_axis_tkeep;
  logic [TuserWidth-1:0] m_axis_tuser;
  logic m_axis_tlast, m_axis_tvalid;

  htsp_rx_channel #(
    .Bytes(Bytes),
    .Depth(Depth),
    .Tuser(1'b1)
  ) u_dut (
    .clk_i,
    .rst_i,
    .pause_level_i (LevelWidth'(PauseLevel)),
    .resume_level_i(LevelWidth'(ResumeLevel)),
    .pause_o       (pause),
    .overflow_o    (overflow),
    .word_i,
    .valid_i,
    .sof_i,
    .close_i,
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .m_axis_tuser,
    .m_axis_tvalid,
    .m_axis_tready
  );

  // ---- The receiver in front of it ----
  logic started_q = 1'b0;
  logic [LevelWidth-1:0] since_q;  // words and end marks since the pause began
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i || !pause) since_q <= '0;
    else since_q <= since_q + LevelWidth'((valid_i || close_i) && since_q != LevelWidth'(Room));
  end
  always_comb begin
    assume (started_q || rst_i);
    assume (!(valid_i && close_i));
    assume (word_i.last || word_i.count == '1);
    assume (word_i.last || !word_i.error);
    if (Honoured) begin
      assume (!pause || since_q != LevelWidth'(Room) || !(valid_i || close_i));
    end
  end

  // ---- Stream: that a beat stays by induction; the form of packets, which is what came, by steps
  // ----
  if (Honoured) begin : gen_stays
    handshake_rules #(
      .Width  (9 * Bytes + 1 + TuserWidth),
      .Channel("m_axis")
    ) u_rules (
      .clk_i,
      .rst_i,
      .valid_i  (m_axis_tvalid),
      .ready_i  (m_axis_tready),
      .payload_i({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
    );
  end else begin : gen_form
    axis_rules #(
      .Bytes (Bytes),
      .Stream("m_axis")
    ) u_rules (
      .clk_i,
      .rst_i,
      .tdata_i (m_axis_tdata),
      .tkeep_i (m_axis_tkeep),
      .tlast_i (m_axis_tlast),
      .tuser_i (m_axis_tuser[0]),
      .tvalid_i(m_axis_tvalid),
      .tready_i(m_axis_tready)
    );
  end

  always_comb begin
    if (started_q && !rst_i) begin
      if (m_axis_tvalid) assert (m_axis_tkeep[0] && (m_axis_tkeep & (m_axis_tkeep + 1'b1)) == '0);
      if (Honoured) begin
        assert (!overflow);
        assert (!(valid_i || close_i) || u_dut.room);
        // Why: what is stored is what was there when the pause began, and what came since.
        assert (u_dut.level <= LevelWidth'(PauseLevel) + LevelWidth'(pause) + since_q);
        assert (!u_dut.mark_q && !u_dut.drop_q);
      end
      // The FIFO agrees with itself.
      assert (u_dut.level <= LevelWidth'(Depth));
      assert (u_dut.u_fifo.full_q == (u_dut.level == LevelWidth'(Depth)));
      assert (u_dut.u_fifo.empty_q == (u_dut.level == '0));
      assert (u_dut.u_fifo.wr_addr_q - u_dut.u_fifo.rd_addr_q == u_dut.level[LevelWidth-2:0]);
      assert (since_q <= LevelWidth'(Room));
    end
  end

endmodule
