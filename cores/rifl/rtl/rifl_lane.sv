// SPDX-License-Identifier: Apache-2.0
//
// rifl_lane: one complete lane: transmitter, receiver, buffers and what goes between them.
//
// What: joins rifl_tx and rifl_rx and takes the receiver's flags into the transmitter's clock.
// Contract: s_axis_*/m_axis_* carry segments of (FrameWidth-16)/8 bytes in frame_clk_i. The flags cross
// one by one and may be seen a frame apart; no decision needs two of them at once. Resets are
// synchronous to their clocks, come from one source and are asserted together.
// Source: RIFL paper, Fig. 6.

module rifl_lane
  import rifl_pkg::*;
#(
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter int unsigned UpFrames = 128,  // 32 or more
  localparam int unsigned Bytes = (FrameWidth - 16) / 8
) (
  input logic frame_clk_i,
  input logic frame_rst_i,
  input logic phy_tx_clk_i,
  input logic phy_tx_rst_i,
  input logic phy_rx_clk_i,
  input logic phy_rx_rst_i,

  output logic [PhyWidth-1:0] phy_tx_data_o,
  input  logic [PhyWidth-1:0] phy_rx_data_i,

  input  logic [8*Bytes-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,

  output logic [8*Bytes-1:0] m_axis_tdata,
  output logic [  Bytes-1:0] m_axis_tkeep,
  output logic               m_axis_tlast,
  output logic               m_axis_tvalid,
  input  logic               m_axis_tready,

  output logic            link_up_o,
  output tx_state_e       tx_state_o,
  output logic            rx_aligned_o,
  output logic            rx_up_o,
  output logic            rx_error_o,
  output logic            rx_pause_req_o,
  output logic            rx_retrans_req_o,
  output logic            local_fc_o,
  output logic            remote_fc_o,
  output logic            compensate_o,
  output logic            rx_overflow_o,
  output logic      [5:0] rx_slip_o,
  output logic            rx_frame_o,        // phy_rx_clk_i: pulse, a frame period has passed
  output logic            rx_bad_o           // phy_rx_clk_i: pulse, that frame was damaged
);

  localparam int unsigned BodyWidth = FrameWidth - 14;

  logic slack;
  rifl_tx #(
    .FrameWidth(FrameWidth),
    .IdWidth   (IdWidth)
  ) u_tx (
    .frame_clk_i  (frame_clk_i),
    .frame_rst_i  (frame_rst_i),
    .phy_clk_i    (phy_tx_clk_i),
    .phy_rst_i    (phy_tx_rst_i),
    .s_axis_tdata (s_axis_tdata),
    .s_axis_tkeep (s_axis_tkeep),
    .s_axis_tlast (s_axis_tlast),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .rx_up_i      (rx_up_o),
    .rx_error_i   (rx_error_o),
    .pause_req_i  (rx_pause_req_o),
    .retrans_req_i(rx_retrans_req_o),
    .local_fc_i   (local_fc_o),
    .remote_fc_i  (remote_fc_o),
    .compensate_i (compensate_o),
    .slack_o      (slack),
    .state_o      (tx_state_o),
    .link_up_o    (link_up_o),
    .phy_tx_data_o(phy_tx_data_o)
  );

  logic rx_valid;
  logic [BodyWidth-1:0] rx_body;

  // Flags of the receiver, in its clock and in the transmitter's.
  typedef struct packed {
    logic aligned;
    logic up;
    logic error;
    logic pause_req;
    logic retrans_req;
    logic remote_fc;
    logic overflow;
  } flags_t;
  flags_t rx_flags, tx_flags;

  rifl_rx #(
    .FrameWidth(FrameWidth),
    .IdWidth   (IdWidth),
    .UpFrames  (UpFrames)
  ) u_rx (
    .clk_i        (phy_rx_clk_i),
    .rst_i        (phy_rx_rst_i),
    .phy_rx_data_i(phy_rx_data_i),
    .m_valid_o    (rx_valid),
    .m_data_o     (rx_body),
    .aligned_o    (rx_flags.aligned),
    .up_o         (rx_flags.up),
    .error_o      (rx_flags.error),
    .pause_req_o  (rx_flags.pause_req),
    .retrans_req_o(rx_flags.retrans_req),
    .remote_fc_o  (rx_flags.remote_fc),
    .frame_o      (rx_frame_o),
    .bad_o        (rx_bad_o),
    .slip_o       (rx_slip_o)
  );

  // Synchronised in the fast transmit clock, then held still for a frame.
  for (genvar i = 0; i < $bits(flags_t); i++) begin : gen_flag
    logic synchronised;
    prim_sync_bit u_sync (
      .clk_i(phy_tx_clk_i),
      .rst_i(phy_tx_rst_i),
      .d_i  (rx_flags[i]),
      .q_o  (synchronised)
    );
    always_ff @(posedge frame_clk_i) begin
      if (frame_rst_i) tx_flags[i] <= 1'b0;
      else tx_flags[i] <= synchronised;
    end
  end

  assign rx_aligned_o = tx_flags.aligned;
  assign rx_up_o = tx_flags.up;
  assign rx_error_o = tx_flags.error;
  assign rx_pause_req_o = tx_flags.pause_req;
  assign rx_retrans_req_o = tx_flags.retrans_req;
  assign remote_fc_o = tx_flags.remote_fc;
  assign rx_overflow_o = tx_flags.overflow;

  logic [BodyWidth-1:0] body;
  rifl_rx_buffer #(
    .Width  (BodyWidth),
    .IdWidth(IdWidth)
  ) u_rx_buffer (
    .rx_clk_i    (phy_rx_clk_i),
    .rx_rst_i    (phy_rx_rst_i),
    .s_valid_i   (rx_valid),
    .s_data_i    (rx_body),
    .frame_clk_i (frame_clk_i),
    .frame_rst_i (frame_rst_i),
    .phy_tx_clk_i(phy_tx_clk_i),
    .m_valid_o   (m_axis_tvalid),
    .m_ready_i   (m_axis_tready),
    .m_data_o    (body),
    .stop_o      (local_fc_o),
    .overflow_o  (rx_flags.overflow)
  );

  rifl_meta_dec #(
    .Bytes(Bytes)
  ) u_meta_dec (
    .meta_i   (body[BodyWidth-1-:2]),
    .payload_i(body[BodyWidth-3:0]),
    .data_o   (m_axis_tdata),
    .keep_o   (m_axis_tkeep),
    .last_o   (m_axis_tlast)
  );

  rifl_clock_comp u_clock_comp (
    .frame_clk_i (frame_clk_i),
    .frame_rst_i (frame_rst_i),
    .enable_i    (rx_up_o),
    .slack_i     (slack),
    .compensate_o(compensate_o),
    .rx_clk_i    (phy_rx_clk_i),
    .rx_rst_i    (phy_rx_rst_i),
    .rx_frame_i  (rx_frame_o)
  );

endmodule
