// SPDX-License-Identifier: Apache-2.0
//
// switch_smoke: the target sim of this core. Port 0 and port 1 of the switch are one link, back to
// back; at port 2 is a node, made here, that says hello, answers the switch's hello and sends
// packets of one word to itself: out at port 0, in at port 1 and back to port 2. Every one comes
// back once, in order, with its content.
//
// The modules have their default parameters. Written so that Icarus Verilog reads it, too.

module switch_smoke;

  localparam integer Ports = 4;
  localparam integer Packets = 200;

  logic clk, rst;
  initial begin
    clk = 1'b0;
    rst = 1'b1;
    #50_000 rst = 1'b0;
  end
  always #1600 clk = !clk;

  logic [2047:0] s_data, m_data;
  logic [255:0] s_keep, m_keep;
  logic [3:0] s_last, s_valid, m_last, m_valid, s_ready;
  logic [3:0] table_write, table_data;
  logic table_ready;
  logic [11:0] status;
  logic [43:0] events;

  switch_core u_dut (
    .clk_i        (clk),
    .rst_i        (rst),
    .link_up_i    (4'b0111),
    .s_axis_tdata (s_data),
    .s_axis_tkeep (s_keep),
    .s_axis_tlast (s_last),
    .s_axis_tuser (4'b0000),
    .s_axis_tvalid(s_valid),
    .s_axis_tready(s_ready),
    .m_axis_tdata (m_data),
    .m_axis_tkeep (m_keep),
    .m_axis_tlast (m_last),
    .m_axis_tvalid(m_valid),
    .m_axis_tready(4'b1111),
    .table_write_i(table_write),
    .table_addr_i (6'd2),
    .table_data_i (table_data),
    .table_ready_o(table_ready),
    .mark_words_i (10'd1023),
    .hash_salt_i  (16'd0),
    .status_o     (status),
    .event_o      (events)
  );

  // ---- The node at port 2 ----
  logic [511:0] word, came;
  logic [127:0] header, seen;
  logic [3:0] epoch_of_switch;
  logic [11:0] limit, received;
  integer sent, count, wait_hello, cycle;
  logic hello, open, faulty, valid;
  assign came = m_data[1024+:512];
  assign seen = came[511:384];

  // Limits: as many words as there is room for, for ever.
  always_comb begin
    header = 128'd0;
    header[115:112] = epoch_of_switch;
    header[75:64] = received + 12'd100;
    header[87:76] = received + 12'd100;
    header[99:88] = received + 12'd100;
    header[111:100] = received + 12'd100;
    header[63:60] = 4'd9;
    header[15:9] = 7'd1;
    if (hello) begin
      header[3:0] = 4'd2;
      header[8] = 1'b1;
      header[51:48] = 4'd5;
    end else begin
      header[3:0] = 4'd1;
      header[5:4] = 2'd1;
      header[31:16] = 16'd2;
      header[47:32] = 16'd2;
      header[127:116] = sent[11:0];
    end
    word = {header, 352'h5a5a, sent};
  end

  always_comb begin
    s_data  = {512'd0, word, m_data[511:0], m_data[1023:512]};
    s_keep  = {64'd0, {64{1'b1}}, m_keep[63:0], m_keep[127:64]};
    s_last  = {2'b01, m_last[0], m_last[1]};
    s_valid = {1'b0, valid, m_valid[0], m_valid[1]};
  end

  // From port 2 by port 0, which is port 1, and from there by port 2.
  always_comb begin
    table_write = 4'b0000;
    table_data  = 4'b0000;
    if (cycle == 200) begin
      table_write = 4'b0100;
      table_data  = 4'b0001;
    end else if (cycle == 201) begin
      table_write = 4'b0010;
      table_data  = 4'b0100;
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      cycle <= 0;
      sent <= 0;
      count <= 0;
      wait_hello <= 0;
      hello <= 1'b1;
      open <= 1'b0;
      valid <= 1'b0;
      faulty <= 1'b0;
      epoch_of_switch <= 4'd0;
      limit <= 12'd0;
      received <= 12'd0;
    end else begin
      cycle <= cycle + 1;
      // What the switch says.
      if (m_valid[2] && m_keep[191:128] == {64{1'b1}}) begin
        if (seen[3:0] == 4'd2 && seen[8]) epoch_of_switch <= seen[51:48];
        if (seen[115:112] == 4'd5) begin
          open  <= 1'b1;
          limit <= seen[87:76];
        end
        if (seen[3:0] == 4'd1) begin
          if (came[383:0] != {352'h5a5a, count[31:0]} || seen[63:60] != 4'd7) faulty <= 1'b1;
          count <= count + 1;
          received <= received + 12'd1;
        end
      end
      // What the node says: hello until it is answered, and then packets.
      valid <= 1'b0;
      if (valid && !hello) sent <= sent + 1;
      if (!open || epoch_of_switch == 4'd0 || cycle < 400) begin
        hello <= 1'b1;
        wait_hello <= wait_hello + 1;
        valid <= wait_hello % 64 == 0;
      end else begin
        hello <= 1'b0;
        valid <= !hello && sent + 1 < Packets && sent[11:0] + 12'd4 < limit && cycle % 3 == 0;
      end
      if (count == Packets - 1 || cycle > 20_000) begin
        if (count == Packets - 1 && !faulty) $display("PASS: %0d packets", count);
        else begin
          $display("FAIL: %0d packets of %0d, faulty %0d, status %b", count, Packets - 1, faulty,
                   status);
          $fatal(1, "switch_smoke");
        end
        $finish;
      end
    end
  end

endmodule
