// SPDX-License-Identifier: Apache-2.0
//
// eth_link_fault: finds out from received ordered sets whether the link has a fault.
//
// What      Four fault sequences of one kind, with fewer than 128 columns of 8 bytes from one to
//           the next and none of the other kind between them, are a fault; 128 columns without any
//           end it.
// Why       A PHY that has lost its signal sends "local fault"; a far end that receives that sends
//           "remote fault".
// Contract  Words of a CGMII with valid_i. Counted in words: the place inside a word does not
//           matter, and in a word with both kinds the later one counts. Both outputs are
//           flip-flops, never high together.
// Parameters
//   Bytes   of a word, a multiple of 8, 8..64
// Latency   3 cycles
// Source    IEEE Std 802.3 clauses 81.3.4 and 46.3.4

module eth_link_fault #(
  parameter int unsigned Bytes = 64
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               valid_i,
  input  logic [8*Bytes-1:0] data_i,
  input  logic [  Bytes-1:0] ctrl_i,
  output logic               local_fault_o,
  output logic               remote_fault_o
);

  import eth_cgmii_pkg::*;
  import eth_pkg::*;

  if (Bytes % SlotBytes != 0 || Bytes < SlotBytes || Bytes > 64) begin : gen_bad_bytes
    $error("eth_link_fault %m: rule Bytes is a multiple of 8, 8..64, got %0d", Bytes);
  end

  localparam int unsigned Columns = Bytes / SlotBytes;
  localparam logic [2:0] Enough = 3'd4;
  localparam logic [7:0] Patience = 8'd128;

  // ---- Sequences of a word ----
  logic [Columns-1:0] local_q, remote_q;
  logic word_q;
  logic [Columns-1:0] set;
  always_comb begin
    for (int unsigned j = 0; j < Columns; j++) begin
      set[j] = ctrl_i[8*j+:4] == 4'b0001 && data_i[64*j+:24] == {16'd0, Sequence};
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned j = 0; j < Columns; j++) begin
      local_q[j]  <= set[j] && data_i[64*j+24+:8] == LocalFault;
      remote_q[j] <= set[j] && data_i[64*j+24+:8] == RemoteFault;
    end
    word_q <= valid_i && !rst_i;
  end

  // ---- How many of the kind that comes last ----
  logic last_remote, remote_qq, word_qq;
  logic [3:0] count, count_q;
  always_comb begin
    last_remote = 1'b0;
    for (int unsigned j = 0; j < Columns; j++) begin
      if (local_q[j]) last_remote = 1'b0;
      if (remote_q[j]) last_remote = 1'b1;
    end
    count = '0;
    for (int unsigned j = 0; j < Columns; j++) begin
      count = count + 4'(last_remote ? remote_q[j] : local_q[j]);
    end
  end
  always_ff @(posedge clk_i) begin
    word_qq   <= word_q && !rst_i;
    remote_qq <= last_remote;
    count_q   <= count;
  end

  // ---- Over many words ----
  logic kind_q;
  logic [2:0] total_q;  // sequences of this kind in a row
  logic [7:0] quiet_q;  // columns without any
  logic [3:0] total;
  assign total = count_q + ((remote_qq == kind_q) ? 4'(total_q) : 4'd0);

  always_ff @(posedge clk_i) begin
    if (word_qq && count_q != '0) begin
      kind_q  <= remote_qq;
      total_q <= (total > 4'(Enough)) ? Enough : 3'(total);
      quiet_q <= '0;
      if (total >= 4'(Enough)) begin
        local_fault_o  <= !remote_qq;
        remote_fault_o <= remote_qq;
      end
    end else if (word_qq) begin
      if (quiet_q >= Patience - 8'(Columns)) begin
        local_fault_o  <= 1'b0;
        remote_fault_o <= 1'b0;
        total_q        <= '0;
      end else begin
        quiet_q <= quiet_q + 8'(Columns);
      end
    end
    if (rst_i) begin
      local_fault_o  <= 1'b0;
      remote_fault_o <= 1'b0;
      total_q        <= '0;
      quiet_q        <= '0;
    end
  end

endmodule
