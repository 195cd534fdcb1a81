// SPDX-License-Identifier: Apache-2.0
//
// slink_dma_read_proof: a job reads its beats once, in order, from its place, and nothing else.
//
// What      With a bus of 64 bits. The bursts of a job lie end to end from its address, and are as
//           many beats as it asks for, so their addresses lie between that of the first beat and
//           that of the last one. Each beat of the bus is given once, and none more than the job
//           has. With slink_peer_proof: nothing is read outside the window.
// Around    Any jobs, any memory that answers what it was asked for.

module slink_dma_read_proof
  import slink_pkg::*;
(
  input logic                  clk_i,
  input logic                  rst_i,
  input logic                  s_valid_i,
  input logic [          28:0] s_address_i,
  input logic [CountWidth-1:0] s_beats_i,
  input logic                  m_ready_i,
  input logic                  m_axi_arready,
  input logic [          63:0] m_axi_rdata,
  input logic [           1:0] m_axi_rresp,
  input logic                  m_axi_rlast,
  input logic                  m_axi_rvalid
);

  typedef logic [CountWidth:0] beats_t;

  logic s_ready, m_valid, error, m_axi_arvalid, m_axi_rready;
  logic [BeatBits-1:0] m_data;
  logic [31:0] m_axi_araddr;
  logic [7:0] m_axi_arlen;
  logic [2:0] m_axi_arsize;
  logic [1:0] m_axi_arburst;

  slink_dma_read #(
    .DataWidth(64)
  ) u_dut (
    .clk_i,
    .rst_i,
    .s_valid_i,
    .s_ready_o(s_ready),
    .s_address_i,
    .s_beats_i,
    .m_valid_o(m_valid),
    .m_ready_i,
    .m_data_o(m_data),
    .error_o(error),
    .axi_o({m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_arvalid, m_axi_rready}),
    .axi_i('{m_axi_arready, MaxDataWidth'(m_axi_rdata), m_axi_rresp, m_axi_rlast, m_axi_rvalid})
  );

  axi_burst_rules #(
    .AddrWidth(32),
    .DataWidth(64),
    .Channel  ("AR")
  ) u_burst_rules (
    .clk_i,
    .rst_i,
    .valid_i(m_axi_arvalid),
    .addr_i (m_axi_araddr),
    .len_i  (m_axi_arlen),
    .size_i (m_axi_arsize),
    .burst_i(m_axi_arburst)
  );
  handshake_rules #(
    .Width  (45),
    .Channel("AR")
  ) u_ar_rules (
    .clk_i,
    .rst_i,
    .valid_i  (m_axi_arvalid),
    .ready_i  (m_axi_arready),
    .payload_i({m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst})
  );

  // ---- Beats of the job that are to be asked for, and to come; those that the memory owes ----
  beats_t ask_q, come_q, owed_q, size;
  logic [28:0] place_q;
  logic started_q = 1'b0;
  logic set, ar, r;
  assign set  = s_valid_i && s_ready;
  assign ar   = m_axi_arvalid && m_axi_arready;
  assign r    = m_axi_rvalid && m_axi_rready;
  assign size = beats_t'(m_axi_arlen) + 1'b1;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) begin
      ask_q  <= '0;
      come_q <= '0;
      owed_q <= '0;
    end else begin
      owed_q <= owed_q + (ar ? size : '0) - beats_t'(r);
      if (set) begin
        ask_q  <= {s_beats_i == '0, s_beats_i};
        come_q <= {s_beats_i == '0, s_beats_i};
      end else begin
        if (ar) ask_q <= ask_q - size;
        come_q <= come_q - beats_t'(r);
      end
    end
    if (set) place_q <= s_address_i;
    else if (ar) place_q <= place_q + 29'(size);
  end

  always_comb begin
    assume (started_q || rst_i);
    assume (!m_axi_rvalid || owed_q != '0);
  end

  always_comb begin
    if (started_q && !rst_i) begin
      if (m_axi_arvalid) begin
        a_place : assert (m_axi_araddr == {place_q, 3'b000});
        a_asked : assert (size <= ask_q);
      end
      a_once : assert ((m_valid && m_ready_i) == r);
      if (m_valid) a_data : assert (m_data == m_axi_rdata);
      if (m_axi_rvalid) a_wanted : assert (m_valid);
      if (set) a_done : assert (!m_axi_arvalid && ask_q == '0 && come_q == '0 && owed_q == '0);
      c_end : cover (r && come_q == 17'd1 && place_q[3:0] == 4'd3);

      // Why.
      assert (come_q == ask_q + owed_q && come_q <= 17'h10000 && ask_q <= come_q);
      assert (u_dut.rest_q == come_q);
      assert (ask_q == u_dut.ask_q + (m_axi_arvalid ? size : '0));
      assert (u_dut.ask_q == '0 ||
              u_dut.address_q == place_q + (m_axi_arvalid ? 29'(size) : 29'd0));
      assert (come_q == '0 || u_dut.half_q == '0);
      assert (!m_axi_arvalid || (m_axi_arlen < 8'd16 &&
              32'(m_axi_araddr[6:3]) + 32'(m_axi_arlen) < 32'd16));
    end
  end

  logic unused;
  assign unused = error;

endmodule
