// SPDX-License-Identifier: Apache-2.0
//
// tb_memory: AXI4 memory of a testbench, which lets its users wait at random.
//
// Contract    One write burst and one read burst at a time, INCR, whole words. Addresses wrap at
//             the memory's end. peek_data_o is the word peek_i. Until it is written, byte k of the
//             memory is first_i + 37 k + 11 (k / 256), modulo 256.
// Written so that Icarus Verilog reads it, too.
//
// Parameters  Bytes   of a word
//             Words   of the memory

module tb_memory #(
  parameter integer Bytes = 8,
  parameter integer Words = 1024
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic [        7:0] first_i,
  input  logic [       31:0] peek_i,
  output logic [8*Bytes-1:0] peek_data_o,
  output logic               quiet_o,      // no burst is under way

  input  logic [       31:0] s_axi_awaddr,
  input  logic               s_axi_awvalid,
  output logic               s_axi_awready,
  input  logic [8*Bytes-1:0] s_axi_wdata,
  input  logic [  Bytes-1:0] s_axi_wstrb,
  input  logic               s_axi_wlast,
  input  logic               s_axi_wvalid,
  output logic               s_axi_wready,
  output logic               s_axi_bvalid,
  input  logic               s_axi_bready,
  input  logic [       31:0] s_axi_araddr,
  input  logic [        7:0] s_axi_arlen,
  input  logic               s_axi_arvalid,
  output logic               s_axi_arready,
  output logic [8*Bytes-1:0] s_axi_rdata,
  output logic               s_axi_rlast,
  output logic               s_axi_rvalid,
  input  logic               s_axi_rready
);

  logic [8*Bytes-1:0] memory[Words];
  logic [8*Bytes-1:0] fresh, mask;
  logic write_q, read_q, patient_q;
  logic [31:0] write_index_q, read_index_q;
  logic [7:0] remaining_q;
  integer w, b;

  assign peek_data_o   = memory[peek_i%Words];
  assign quiet_o       = !write_q && !read_q && !s_axi_bvalid;
  assign s_axi_awready = !write_q && !s_axi_bvalid;
  assign s_axi_wready  = write_q && patient_q;
  assign s_axi_arready = !read_q;
  for (genvar i = 0; i < Bytes; i++) begin : gen_mask
    assign mask[8*i+:8] = {8{s_axi_wstrb[i]}};
  end

  always @(posedge clk_i) begin
    patient_q <= $urandom % 4 != 0;
    if (s_axi_awvalid && s_axi_awready) begin
      write_q       <= 1'b1;
      write_index_q <= s_axi_awaddr / Bytes % Words;
    end
    if (s_axi_wvalid && s_axi_wready) begin
      memory[write_index_q] <= (memory[write_index_q] & ~mask) | (s_axi_wdata & mask);
      write_index_q         <= (write_index_q + 1) % Words;
      if (s_axi_wlast) begin
        write_q      <= 1'b0;
        s_axi_bvalid <= 1'b1;
      end
    end
    if (s_axi_bvalid && s_axi_bready) s_axi_bvalid <= 1'b0;

    if (s_axi_arvalid && s_axi_arready) begin
      read_q       <= 1'b1;
      read_index_q <= s_axi_araddr / Bytes % Words;
      remaining_q  <= s_axi_arlen;
    end
    if (s_axi_rvalid && s_axi_rready) begin
      s_axi_rvalid <= 1'b0;
      if (s_axi_rlast) read_q <= 1'b0;
    end
    if (read_q && patient_q && !s_axi_rvalid) begin
      s_axi_rvalid <= 1'b1;
      s_axi_rdata  <= memory[read_index_q];
      s_axi_rlast  <= remaining_q == 8'd0;
      read_index_q <= (read_index_q + 1) % Words;
      remaining_q  <= remaining_q - 8'd1;
    end

    if (rst_i) begin
      write_q      <= 1'b0;
      read_q       <= 1'b0;
      s_axi_bvalid <= 1'b0;
      s_axi_rvalid <= 1'b0;
      for (w = 0; w < Words; w = w + 1) begin
        for (b = 0; b < Bytes; b = b + 1)
        fresh[8*b+:8] = first_i + 8'((w * Bytes + b) * 37 + (w * Bytes + b) / 256 * 11);
        memory[w] <= fresh;
      end
    end
  end

endmodule
