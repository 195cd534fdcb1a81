// SPDX-License-Identifier: Apache-2.0
//
// Proof of htsp_tx: whatever channels, receiver and line do, the line gets whole frames without a
// gap: a header alone, or a header of an existing channel, one to burst_i words of that channel, as
// they were, and a footer that says what they were.

module htsp_tx_proof
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 2,
  parameter int unsigned Burst = 3
) (
  input logic                clk_i,
  input logic                rst_i,
  input logic                ignore_remote_i,
  input logic                tx_disable_i,
  input logic                phy_ready_i,
  input logic                rx_ready_i,
  input logic                remote_ready_i,
  input logic                remote_tuser_i,
  input logic [Channels-1:0] remote_pause_i,
  input logic [Channels-1:0] local_pause_i,
  input logic                s_opcode_tvalid,
  input logic [Channels-1:0] head_valid_i,
  input logic [Channels-1:0] head_last_i,
  input logic [Channels-1:0] first_i,
  input logic                m_axis_tready,

  input logic [Channels-1:0][           7:0] head_data_i,
  input logic [Channels-1:0][CountWidth-1:0] head_count_i,
  input logic [Channels-1:0][           6:0] head_tuser_i
);

  beat_t [Channels-1:0] head;
  logic [Channels-1:0] pop, cut;
  logic s_opcode_tready, m_axis_tlast, m_axis_tvalid;
  flow_t flow;
  logic [WordBits-1:0] m_axis_tdata;
  logic [WordBytes-1:0] m_axis_tkeep;

  always_comb begin
    for (int unsigned c = 0; c < Channels; c++) begin
      head[c].data  = WordBits'(head_data_i[c]);
      head[c].last  = head_last_i[c];
      head[c].error = 1'b0;
      head[c].count = head_count_i[c];
      head[c].tuser = '{first: {1'b1, head_tuser_i[c]}, last: head_tuser_i[c]};
    end
  end

  htsp_tx #(
    .Channels(Channels),
    .Tuser   (1'b1)
  ) u_dut (
    .clk_i,
    .rst_i,
    .cfg_i(
    '{
        local_mac: 48'h0102_0356_4400,
        broadcast_mac: '1,
        ethertype: 16'h1101,
        null_interval: 32'd5,
        alive: '0,
        burst: BlocksWidth'(Burst),
        stall_limit: '0,
        pause_level: '0,
        resume_level: '0,
        ignore_remote: ignore_remote_i,
        tx_disable: tx_disable_i,
        user_data: '0
    }
    ),
    .phy_ready_i,
    .link_i(
    '{
        link_up: rx_ready_i,
        remote_ready: remote_ready_i,
        remote_tuser: remote_tuser_i,
        remote_mac: '0,
        remote_pause: 16'(remote_pause_i),
        remote_data: '0
    }
    ),
    .local_pause_i,
    .s_opcode_tdata('0),
    .s_opcode_tvalid,
    .s_opcode_tready,
    .head_i(head),
    .head_valid_i,
    .first_i,
    .pop_o(pop),
    .cut_o(cut),
    .m_axis_tdata,
    .m_axis_tkeep,
    .m_axis_tlast,
    .m_axis_tvalid,
    .m_axis_tready,
    .flow_o(flow)
  );

  // ---- The channels: a word stays until it is taken ----
  logic started_q = 1'b0;
  logic [Channels-1:0] waits_q, last_q, first_q;
  logic [Channels-1:0][7:0] data_q;
  logic [Channels-1:0][CountWidth-1:0] count_q;
  logic [Channels-1:0][6:0] tuser_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waits_q   <= rst_i ? '0 : head_valid_i & ~pop;
    last_q    <= head_last_i;
    first_q   <= first_i;
    data_q    <= head_data_i;
    count_q   <= head_count_i;
    tuser_q   <= head_tuser_i;
  end
  always_comb begin
    assume (rst_i == !started_q);
    for (int unsigned c = 0; c < Channels; c++) begin
      assume (head_last_i[c] || head_count_i[c] == '1);
      if (started_q && waits_q[c]) begin
        assume (head_valid_i[c] && head_last_i[c] == last_q[c] && head_data_i[c] == data_q[c]);
        assume (first_i[c] == first_q[c] && head_count_i[c] == count_q[c]);
        assume (head_tuser_i[c] == tuser_q[c]);
      end
    end
  end

  // ---- What was taken last ----
  logic [7:0] taken_data_q;
  logic [CountWidth-1:0] taken_count_q;
  logic [6:0] taken_tuser_q;
  logic taken_last_q, popped_q;
  logic [7:0] taken_vc_q;
  always_ff @(posedge clk_i) begin
    popped_q <= |pop && !rst_i;
    for (int unsigned c = 0; c < Channels; c++) begin
      if (pop[c]) begin
        taken_data_q  <= head_data_i[c];
        taken_count_q <= head_count_i[c];
        taken_tuser_q <= head_tuser_i[c];
        taken_last_q  <= head_last_i[c];
        taken_vc_q    <= 8'(c);
      end
    end
  end

  // ---- The line ----
  header_t header;
  footer_t footer;
  logic taken, within_q, is_word;
  logic [7:0] vc_q, words_q;
  logic sof_q, takes_tuser_q;
  logic [7:0] first_tuser_q;
  logic [6:0] tuser;
  assign header  = m_axis_tdata;
  assign footer  = m_axis_tdata[8*FooterBytes-1:0];
  assign taken   = m_axis_tvalid && m_axis_tready;
  assign is_word = within_q && !m_axis_tlast;
  assign tuser   = {footer.tuser_high, footer.tuser_low};
  always_ff @(posedge clk_i) begin
    if (!m_axis_tvalid || m_axis_tready) takes_tuser_q <= remote_tuser_i;
    if (rst_i) begin
      within_q <= 1'b0;
      words_q  <= '0;
    end else if (taken) begin
      within_q <= !m_axis_tlast;
      words_q  <= within_q ? words_q + 1'b1 : '0;
      if (!within_q) begin
        vc_q          <= header.vc;
        sof_q         <= header.sof[0];
        first_tuser_q <= header.first_tuser;
      end
    end
  end

  always_comb begin
    if (started_q && !rst_i) begin
      assert ((pop & ~head_valid_i) == '0);
      assert ((pop & (pop - 1'b1)) == '0);
      if (within_q) a_no_gap : assert (m_axis_tvalid);
      if (m_axis_tvalid && !within_q) begin
        a_header : assert (&m_axis_tkeep && header.version == Version);
        a_alone : assert (m_axis_tlast == (header.vc == NullVc));
        a_no_first : assert (header.sof[0] || header.first_tuser == '0);
        a_channel : assert (m_axis_tlast || 32'(header.vc) < Channels);
      end
      if (m_axis_tvalid && is_word) begin
        a_whole : assert (&m_axis_tkeep);
        a_burst : assert (words_q < 8'(Burst));
        a_data : assert (m_axis_tdata[7:0] == taken_data_q && taken_vc_q == vc_q);
        if (words_q == '0) a_first : assert (first_tuser_q == (sof_q ? {1'b1, taken_tuser_q} : '0));
      end
      if (m_axis_tvalid && within_q && m_axis_tlast) begin
        a_footer_keep : assert (m_axis_tkeep == WordBytes'((1 << FooterBytes) - 1));
        a_words : assert (words_q != '0);
        a_count : assert (footer.count == 7'(taken_count_q) + 7'd1);
        a_tuser : assert (tuser == (takes_tuser_q ? taken_tuser_q : '0));
        a_last : assert (footer.last == taken_last_q && !footer.damaged);
        a_size : assert (footer.size == {2'd0, words_q - 8'd1, 6'd0} + 16'(footer.count));
      end
      // Nothing is taken from a channel that does not go onto the line.
      if (popped_q) a_pop : assert (m_axis_tvalid && is_word);
    end
  end

endmodule
