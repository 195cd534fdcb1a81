// SPDX-License-Identifier: Apache-2.0
//
// Proof of axis_width against its contract. The observer keeps one number, the bytes inside, and
// whether they end a packet. From these it says in every cycle what tready, tvalid, tkeep and
// tlast must be, which fixes the throughput and the cutting of packets. One byte, chosen freely
// from any beat, is followed until it leaves, which fixes order and integrity of all of them.

module axis_width_proof #(
  parameter int unsigned InBytes  = 3,
  parameter int unsigned OutBytes = 2
) (
  input logic                 clk_i,
  input logic                 rst_i,
  input logic [InBytes*8-1:0] s_axis_tdata,
  input logic [  InBytes-1:0] s_axis_tkeep,
  input logic                 s_axis_tlast,
  input logic                 s_axis_tvalid,
  input logic                 m_axis_tready,
  input logic                 mark_i,
  input logic [          7:0] lane_i          // the byte chosen from this beat
);

  localparam int unsigned N = (InBytes > OutBytes) ? InBytes : OutBytes;

  logic s_axis_tready;
  logic [OutBytes*8-1:0] m_axis_tdata;
  logic [OutBytes-1:0] m_axis_tkeep;
  logic m_axis_tlast;
  logic m_axis_tvalid;

  axis_width #(
    .InBytes (InBytes),
    .OutBytes(OutBytes)
  ) u_dut (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .s_axis_tdata (s_axis_tdata),
    .s_axis_tkeep (s_axis_tkeep),
    .s_axis_tlast (s_axis_tlast),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .m_axis_tdata (m_axis_tdata),
    .m_axis_tkeep (m_axis_tkeep),
    .m_axis_tlast (m_axis_tlast),
    .m_axis_tvalid(m_axis_tvalid),
    .m_axis_tready(m_axis_tready)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  // ---- Both sides keep the rules of a stream: the source by assumption ----
  axis_rules #(
    .Bytes (InBytes),
    .Stream("s_axis"),
    .Assume(1'b1)
  ) u_s_rules (
    .clk_i,
    .rst_i,
    .tdata_i (s_axis_tdata),
    .tkeep_i (s_axis_tkeep),
    .tlast_i (s_axis_tlast),
    .tuser_i (1'b0),
    .tvalid_i(s_axis_tvalid),
    .tready_i(s_axis_tready)
  );
  axis_rules #(
    .Bytes (OutBytes),
    .Stream("m_axis")
  ) u_m_rules (
    .clk_i,
    .rst_i,
    .tdata_i (m_axis_tdata),
    .tkeep_i (m_axis_tkeep),
    .tlast_i (m_axis_tlast),
    .tuser_i (1'b0),
    .tvalid_i(m_axis_tvalid),
    .tready_i(m_axis_tready)
  );
  always_comb begin
    assume (started_q || rst_i);
    assume (32'(lane_i) < InBytes);
  end

  // ---- Observer ----
  logic [7:0] inside_q, inside_d;  // bytes inside
  logic end_q, end_d;  // and they are the rest of a packet
  logic [7:0] in_count, total, out_count;
  logic hold, ends, valid, s_fire, m_fire;

  always_comb begin
    in_count = '0;
    for (int unsigned j = 0; j < InBytes; j++) in_count = in_count + 8'(s_axis_tkeep[j]);
  end
  assign hold      = end_q || inside_q >= 8'(OutBytes);
  assign total     = inside_q + (hold ? 8'd0 : in_count);
  assign ends      = hold ? end_q : s_axis_tlast;
  assign valid     = hold || (s_axis_tvalid && (total >= 8'(OutBytes) || s_axis_tlast));
  assign out_count = (total > 8'(OutBytes)) ? 8'(OutBytes) : total;
  assign s_fire    = s_axis_tvalid && s_axis_tready;
  assign m_fire    = m_axis_tvalid && m_axis_tready;

  always_comb begin
    inside_d = inside_q;
    end_d    = end_q;
    if (m_fire && hold) begin
      inside_d = inside_q - out_count;
      end_d    = end_q && !m_axis_tlast;
    end
    if (s_fire) begin
      inside_d = inside_d + in_count;
      end_d    = s_axis_tlast;
      if (m_fire && !hold) begin
        inside_d = inside_d - out_count;
        end_d    = s_axis_tlast && !m_axis_tlast;
      end
    end
  end

  // The chosen byte: its value, and how many bytes leave before it.
  logic marked_q;
  logic [7:0] byte_q, ahead_q, lane_byte;
  assign lane_byte = s_axis_tdata[8*lane_i+:8];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      inside_q <= '0;
      end_q    <= 1'b0;
      marked_q <= 1'b0;
    end else begin
      inside_q <= inside_d;
      end_q    <= end_d;
      if (marked_q) begin
        if (m_fire) begin
          marked_q <= ahead_q >= out_count;
          ahead_q  <= ahead_q - out_count;
        end
      end else if (mark_i && s_fire && lane_i < in_count) begin
        // It stays if this cycle's output beat does not reach it.
        byte_q <= lane_byte;
        if (hold) begin
          marked_q <= 1'b1;
          ahead_q  <= lane_i;
        end else if (m_fire) begin
          marked_q <= inside_q + lane_i >= out_count;
          ahead_q  <= inside_q + lane_i - out_count;
        end else begin
          marked_q <= 1'b1;
          ahead_q  <= inside_q + lane_i;
        end
      end
    end
  end

  always_comb begin
    if (started_q && rst_i) begin
      assert (!m_axis_tvalid && !s_axis_tready);
    end
    if (started_q && !rst_i) begin
      // Handshake: exactly the contract's throughput.
      assert (m_axis_tvalid == valid);
      if (InBytes < OutBytes) begin
        assert (s_axis_tready ==
                (m_axis_tready || (!end_q && inside_q + 8'(InBytes) < 8'(OutBytes))));
      end else begin
        assert (s_axis_tready == (m_axis_tready && !hold));
      end
      if (m_axis_tvalid) begin
        assert (m_axis_tlast == (ends && total <= 8'(OutBytes)));
        for (int unsigned j = 0; j < OutBytes; j++) begin
          assert (m_axis_tkeep[j] == (8'(j) < out_count));
          assert (m_axis_tkeep[j] || m_axis_tdata[8*j+:8] == 8'd0);
          // Every byte of the input in its place, and the chosen one from the inside.
          assert (hold || lane_i >= in_count || inside_q + lane_i != 8'(j) ||
                  m_axis_tdata[8*j +: 8] == lane_byte);
          assert (!marked_q || ahead_q != 8'(j) || m_axis_tdata[8*j+:8] == byte_q);
        end
      end

      // Invariants of the state, for induction.
      assert (inside_q < 8'(N));
      assert (end_q == u_dut.gen_convert.flush_q);
      assert (!marked_q || ahead_q < inside_q);
      assert (32'(u_dut.gen_convert.turn_q) < u_dut.gen_convert.M);
      assert (end_q || inside_q == 8'(u_dut.gen_convert.G) * 8'(u_dut.gen_convert.turn_q));
      for (int unsigned q = 0; q < N; q++) begin
        assert (u_dut.gen_convert.res_lane[q] ==
                ((q + 32'(u_dut.gen_convert.turn_q) * u_dut.gen_convert.G) % N < 32'(inside_q)));
        assert (!marked_q ||
                (q + 32'(u_dut.gen_convert.turn_q) * u_dut.gen_convert.G) % N != 32'(ahead_q) ||
                u_dut.gen_convert.res_q[8*q +: 8] == byte_q);
      end
    end
  end

endmodule
