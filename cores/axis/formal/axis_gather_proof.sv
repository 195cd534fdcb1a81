// SPDX-License-Identifier: Apache-2.0
//
// Proof of axis_gather and axis_scatter, one behind the other: the beat of any number comes out as
// it went in, with its TKEEP, TLAST and TUSER; a beat that waits does not change; lanes of a word
// without a beat are zero; and beats leave without a cycle in between as soon as their word is
// whole.

module axis_gather_proof #(
  parameter int unsigned Bytes = 2,
  parameter int unsigned Lanes = 4
) (
  input logic               clk_i,
  input logic               rst_i,
  input logic [Bytes*8-1:0] s_axis_tdata,
  input logic [  Bytes-1:0] s_axis_tkeep,
  input logic               s_axis_tlast,
  input logic               s_axis_tuser,
  input logic               s_axis_tvalid,
  input logic               m_axis_tready,
  input logic [        3:0] number_i        // of the beat that is followed
);

  localparam int unsigned N = Bytes * Lanes;

  logic s_axis_tready, word_tlast, word_tuser, word_tvalid, word_tready;
  logic m_axis_tlast, m_axis_tuser, m_axis_tvalid;
  logic [8*N-1:0] word_tdata;
  logic [N-1:0] word_tkeep;
  logic [Bytes*8-1:0] m_axis_tdata;
  logic [Bytes-1:0] m_axis_tkeep;

  axis_gather #(
    .InBytes (Bytes),
    .OutBytes(N)
  ) u_gather (
    .clk_i,
    .rst_i,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .s_axis_tvalid,
    .s_axis_tready,
    .m_axis_tdata (word_tdata),
    .m_axis_tkeep (word_tkeep),
    .m_axis_tlast (word_tlast),
    .m_axis_tuser (word_tuser),
    .m_axis_tvalid(word_tvalid),
    .m_axis_tready(word_tready || !word_tvalid)
  );

  axis_scatter #(
    .InBytes (N),
    .OutBytes(Bytes)
  ) u_scatter (
    .clk_i,
    .rst_i,
    .s_axis_tdata (word_tdata),
    .s_axis_tkeep (word_tkeep),
    .s_axis_tlast (word_tlast),
    .s_axis_tuser (word_tuser),
    .s_axis_tvalid(word_tvalid),
    .s_axis_tready(word_tready),
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .m_axis_tuser,
    .m_axis_tvalid,
    .m_axis_tready
  );

  // ---- The source keeps the rules of a stream ----
  localparam int unsigned BeatWidth = Bytes * 9 + 2;
  logic started_q = 1'b0;
  logic s_waits_q, m_waits_q;
  logic [BeatWidth-1:0] in, out, in_q, out_q;
  logic [3:0] number_q;
  assign in  = {s_axis_tuser && s_axis_tlast, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  assign out = {m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata};
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    s_waits_q <= s_axis_tvalid && !s_axis_tready && !rst_i;
    m_waits_q <= m_axis_tvalid && !m_axis_tready && !rst_i;
    in_q      <= in;
    out_q     <= out;
    number_q  <= number_i;
  end
  always_comb begin
    assume (started_q || rst_i);
    assume (!started_q || number_i == number_q);
    assume ((s_axis_tkeep & (s_axis_tkeep + 1'b1)) == '0);
    assume (s_axis_tkeep[0] && (s_axis_tlast || (&s_axis_tkeep)));
    assume (!(started_q && s_waits_q) || (s_axis_tvalid && in == in_q));
  end

  // ---- Beats are numbered; the chosen one is kept ----
  logic [3:0] ins_q, outs_q;
  logic s_fire, m_fire;
  logic [BeatWidth-1:0] chosen_q;
  assign s_fire = s_axis_tvalid && s_axis_tready && !rst_i;
  assign m_fire = m_axis_tvalid && m_axis_tready && !rst_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ins_q  <= '0;
      outs_q <= '0;
    end else begin
      // Numbers do not come again within the depth of the proof.
      ins_q  <= ins_q + 4'(s_fire);
      outs_q <= outs_q + 4'(m_fire);
      if (s_fire && ins_q == number_i) chosen_q <= in;
    end
  end

  always_comb begin
    if (started_q && !rst_i) begin
      if (m_axis_tvalid) begin
        assert (outs_q < ins_q || (outs_q == ins_q && s_axis_tvalid));
        if (outs_q == number_i) assert (out == ((ins_q > outs_q) ? chosen_q : in));
      end
      if (m_waits_q) assert (m_axis_tvalid && out == out_q);
      // Beats of an earlier word have left before a later one begins.
      if (word_tvalid) begin
        assert (m_axis_tvalid);
        for (int unsigned i = 0; i < N; i++) begin
          if (i % Bytes == 0 && !word_tkeep[i]) assert (word_tdata[8*i+:8*Bytes] == '0);
        end
      end
    end
  end

endmodule
