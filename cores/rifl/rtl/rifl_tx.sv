// SPDX-License-Identifier: Apache-2.0
//
// rifl_tx: transmitter of one lane, from segments of packets to words of the line.
//
// What: rifl_tx_ctrl decides, rifl_meta_enc makes the body of a user frame, the retransmission buffer
// keeps the bodies of the last 2^IdWidth data frames by their ids, rifl_tx_serial sends.
// Contract: a segment is taken in a cycle with s_axis_tvalid and s_axis_tready and is then on its
// way: it is sent until the peer has it. s_axis_* as axis_width delivers it (contiguous TKEEP, zero
// bytes elsewhere); s_axis_tready does not depend on s_axis_tvalid. Receiver flags are synchronous to
// frame_clk_i.
// Latency: segment taken at frame_clk_i edge t: first word on phy_tx_data_o after phy edge t+1.
// Source: RIFL paper, section 4.A, 5.B.

module rifl_tx
  import rifl_pkg::*;
#(
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned IdWidth = 6,  // 6..12
  localparam int unsigned Bytes = (FrameWidth - 16) / 8
) (
  input logic frame_clk_i,
  input logic frame_rst_i,
  input logic phy_clk_i,
  input logic phy_rst_i,

  input  logic [8*Bytes-1:0] s_axis_tdata,
  input  logic [  Bytes-1:0] s_axis_tkeep,
  input  logic               s_axis_tlast,
  input  logic               s_axis_tvalid,
  output logic               s_axis_tready,

  input  logic      rx_up_i,
  input  logic      rx_error_i,
  input  logic      pause_req_i,
  input  logic      retrans_req_i,
  input  logic      local_fc_i,
  input  logic      remote_fc_i,
  input  logic      compensate_i,
  output logic      slack_o,
  output tx_state_e state_o,
  output logic      link_up_o,

  output logic [PhyWidth-1:0] phy_tx_data_o
);

  localparam int unsigned BodyWidth = FrameWidth - 14;  // meta code and payload, or key and zeros

  frame_kind_e kind;
  logic [IdWidth-1:0] id, wr_addr, rd_addr;
  logic wr_en;

  rifl_tx_ctrl #(
    .IdWidth(IdWidth)
  ) u_ctrl (
    .clk_i        (frame_clk_i),
    .rst_i        (frame_rst_i),
    .rx_up_i      (rx_up_i),
    .rx_error_i   (rx_error_i),
    .pause_req_i  (pause_req_i),
    .retrans_req_i(retrans_req_i),
    .local_fc_i   (local_fc_i),
    .remote_fc_i  (remote_fc_i),
    .compensate_i (compensate_i),
    .slack_o      (slack_o),
    .user_ready_o (s_axis_tready),
    .state_o      (state_o),
    .kind_o       (kind),
    .id_o         (id),
    .wr_en_o      (wr_en),
    .wr_addr_o    (wr_addr),
    .rd_addr_o    (rd_addr),
    .link_up_o    (link_up_o)
  );

  logic [1:0] meta;
  logic [8*Bytes-1:0] payload;
  rifl_meta_enc #(
    .Bytes(Bytes)
  ) u_meta_enc (
    .data_i   (s_axis_tdata),
    .keep_i   (s_axis_tkeep),
    .last_i   (s_axis_tlast),
    .meta_o   (meta),
    .payload_o(payload)
  );

  // Body of a new data frame: user data, a flow-control byte, or nothing.
  logic user;
  logic [BodyWidth-1:0] new_body, old_body, body;
  assign user = s_axis_tready && s_axis_tvalid;
  always_comb begin
    new_body = {BodyWidth{user}} & {meta, payload};
    if (kind == FrFcStop) new_body[7:0] = FcStop;
    if (kind == FrFcResume) new_body[7:0] = FcResume;
  end

  prim_ram_1r1w #(
    .Width(BodyWidth),
    .Depth(1 << IdWidth)
  ) u_buffer (
    .clk_i    (frame_clk_i),
    .wr_en_i  (wr_en),
    .wr_addr_i(wr_addr),
    .wr_data_i(new_body),
    .rd_en_i  (1'b1),
    .rd_addr_i(rd_addr),
    .rd_data_o(old_body)
  );

  logic control;
  logic [KeyWidth-1:0] key;
  assign control = kind inside {FrPause, FrIdle, FrRetrans};
  always_comb begin
    key = '0;
    unique case (kind)
      FrPause: key = KeyPause;
      FrIdle: key = KeyIdle;
      FrRetrans: key = KeyRetrans;
      default: ;
    endcase
    body = new_body | ({BodyWidth{kind == FrReplay}} & old_body);
    body[BodyWidth-1-:KeyWidth] |= key;
  end

  logic toggle_q, control_q;
  logic [BodyWidth-1:0] body_q;
  logic [  IdWidth-1:0] id_q;
  always_ff @(posedge frame_clk_i) begin
    if (frame_rst_i) toggle_q <= 1'b0;
    else toggle_q <= !toggle_q;
    control_q <= control;
    body_q <= body;
    id_q <= id;
  end

  rifl_tx_serial #(
    .FrameWidth(FrameWidth),
    .IdWidth   (IdWidth)
  ) u_serial (
    .clk_i    (phy_clk_i),
    .rst_i    (phy_rst_i),
    .toggle_i (toggle_q),
    .control_i(control_q),
    .body_i   (body_q),
    .id_i     (id_q),
    .word_o   (phy_tx_data_o)
  );

endmodule
