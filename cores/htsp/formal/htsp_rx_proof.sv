// SPDX-License-Identifier: Apache-2.0
//
// Proof of htsp_rx: whatever the line brings, words of a channel come between a beginning and an
// end only, every packet that begins ends, with its last word or with close_o, and soon after the
// link is lost.

module htsp_rx_proof
  import htsp_pkg::*;
#(
  parameter  int unsigned Channels = 2,
  localparam int unsigned IdxWidth = (Channels > 1) ? $clog2(Channels) : 1
) (
  input logic                 clk_i,
  input logic                 rst_i,
  input logic                 phy_ready_i,
  input logic [ WordBits-1:0] s_axis_tdata,
  input logic [WordBytes-1:0] s_axis_tkeep,
  input logic                 s_axis_tlast,
  input logic                 s_axis_tuser,
  input logic                 s_axis_tvalid
);

  beat_t word;
  logic word_valid, sof;
  link_status_t link;
  flow_t flow;
  rx_faults_t faults;
  logic [IdxWidth-1:0] vc;
  logic [Channels-1:0] close;

  htsp_rx #(
    .Channels(Channels)
  ) u_dut (
    .clk_i,
    .rst_i,
    .cfg_i(
    '{
        local_mac: 48'h0102_0356_4400,
        broadcast_mac: '1,
        ethertype: 16'h1101,
        null_interval: '0,
        alive: 32'd4,
        burst: '0,
        stall_limit: '0,
        pause_level: '0,
        resume_level: '0,
        ignore_remote: 1'b0,
        tx_disable: 1'b0,
        user_data: '0
    }
    ),
    .phy_ready_i,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tuser,
    .s_axis_tvalid,
    .word_o(word),
    .word_valid_o(word_valid),
    .sof_o(sof),
    .vc_o(vc),
    .close_o(close),
    .status_o(link),
    .flow_o(flow),
    .faults_o(faults)
  );

  logic started_q = 1'b0;
  logic down_q;  // the link was down, and no word came
  logic [Channels-1:0] open_q;  // as the channels see it
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    down_q    <= !link.link_up && !word_valid && !rst_i;
    if (rst_i) open_q <= '0;
    else begin
      open_q <= open_q & ~close;
      if (word_valid) open_q[vc] <= !word.last;
    end
  end
  always_comb assume (rst_i == !started_q);

  always_comb begin
    if (started_q && !rst_i) begin
      if (word_valid) begin
        a_channel : assert (32'(vc) < Channels);
        a_begun : assert (sof || open_q[vc]);
        a_not_joined : assert (!(sof && open_q[vc]));
        a_one_thing : assert (!close[vc]);
        a_whole : assert (word.last || word.count == '1);
        a_error : assert (word.last || !word.error);
      end
      a_close : assert ((close & ~open_q) == '0);
      a_down : assert (!down_q || open_q == '0);
      a_open : assert (open_q == u_dut.open_q);
      a_op_code : assert (!flow.op_code || flow.frame || flow.alone);
    end
  end

endmodule
