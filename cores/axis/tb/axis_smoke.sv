// SPDX-License-Identifier: Apache-2.0
//
// axis_smoke: the target sim of this core. Pseudo-random packets of 32-byte beats become beats of
// 30 bytes, with pauses of the sink: every byte and every end of a packet arrives in order, and the
// checker finds no error in the packets.
//
// The modules have their default parameters. Written so that Icarus Verilog reads it, too.

module axis_smoke #(
  parameter integer Packets = 300
);

  localparam integer InBytes = 32;
  localparam integer OutBytes = 30;

  logic clk, rst;
  initial clk = 1'b0;
  always #50 clk = !clk;
  initial begin
    rst = 1'b1;
    #1020 rst = 1'b0;
  end

  logic [8*InBytes-1:0] source_tdata;
  logic [  InBytes-1:0] source_tkeep;
  logic source_tlast, source_tvalid, source_tready;
  logic [8*OutBytes-1:0] sink_tdata;
  logic [  OutBytes-1:0] sink_tkeep;
  logic sink_tlast, sink_tvalid, sink_tready;
  logic in_sync;
  logic [47:0] frames, bit_errors, losses;

  axis_prbs_source u_source (
    .clk_i        (clk),
    .rst_i        (rst),
    .enable_i     (1'b1),
    .min_bytes_i  (16'd1),
    .max_bytes_i  (16'd300),
    .gap_i        (16'd1),
    .seed_i       (31'h1234_5678),
    .m_axis_tdata (source_tdata),
    .m_axis_tkeep (source_tkeep),
    .m_axis_tlast (source_tlast),
    .m_axis_tvalid(source_tvalid),
    .m_axis_tready(source_tready)
  );

  axis_prbs_check u_check (
    .clk_i       (clk),
    .rst_i       (rst),
    .clear_i     (1'b0),
    .hunt_i      (1'b0),
    .tap_tdata_i (source_tdata),
    .tap_tkeep_i (source_tkeep),
    .tap_tlast_i (source_tlast),
    .tap_tvalid_i(source_tvalid),
    .tap_tready_i(source_tready),
    .in_sync_o   (in_sync),
    .frames_o    (frames),
    .bytes_o     (),
    .skipped_o   (),
    .bit_errors_o(bit_errors),
    .losses_o    (losses)
  );

  axis_width u_width (
    .clk_i        (clk),
    .rst_i        (rst),
    .s_axis_tdata (source_tdata),
    .s_axis_tkeep (source_tkeep),
    .s_axis_tlast (source_tlast),
    .s_axis_tvalid(source_tvalid),
    .s_axis_tready(source_tready),
    .m_axis_tdata (sink_tdata),
    .m_axis_tkeep (sink_tkeep),
    .m_axis_tlast (sink_tlast),
    .m_axis_tvalid(sink_tvalid),
    .m_axis_tready(sink_tready)
  );

  // Bytes that have gone in and not come out, each with whether a packet ended behind it. What is
  // at most between them is a beat or two. The ends of packets are counted, too: an end has no byte
  // of its own if the last beat is null.
  logic [7:0] kept[1024];
  logic [1023:0] ends;
  integer wr, rd, k, packets;
  logic end_seen;

  always @(posedge clk) begin
    if (rst) begin
      wr       = 0;
      rd       = 0;
      packets  = 0;
      end_seen = 1'b0;
      sink_tready <= 1'b0;
    end else begin
      sink_tready <= $urandom % 3 != 0;
      if ((source_tvalid ^ source_tvalid) !== 1'b0 || (sink_tvalid ^ sink_tvalid) !== 1'b0)
        $fatal(1, "FAIL: a TVALID is undefined");
      if (source_tvalid && source_tready) begin
        for (k = 0; k < InBytes; k = k + 1)
        if (source_tkeep[k]) begin
          kept[wr%1024] = source_tdata[8*k+:8];
          ends[wr%1024] = source_tlast && (k == InBytes - 1 || !source_tkeep[(k+1)%InBytes]);
          wr            = wr + 1;
        end
      end
      if (sink_tvalid && sink_tready) begin
        for (k = 0; k < OutBytes; k = k + 1)
        if (sink_tkeep[k] !== 1'b0) begin
          if (end_seen || rd == wr || sink_tdata[8*k+:8] !== kept[rd%1024])
            $fatal(1, "FAIL: byte %0d is %h", rd, sink_tdata[8*k+:8]);
          end_seen = ends[rd%1024];
          rd       = rd + 1;
        end
        if (sink_tlast) begin
          if (!end_seen) $fatal(1, "FAIL: packet %0d ends at byte %0d", packets, rd);
          end_seen = 1'b0;
          packets  = packets + 1;
        end
        if (packets == Packets) begin
          if (in_sync !== 1'b1 || frames < 48'(Packets - 20) || {bit_errors, losses} !== 96'd0)
            $fatal(1, "FAIL: the checker counts %0d errors, %0d losses", bit_errors, losses);
          $display("PASS: %0d packets, %0d bytes", packets, rd);
          $finish;
        end
      end
    end
  end

  initial #1_000_000 $fatal(1, "FAIL: %0d packets in all the time", packets);

endmodule
