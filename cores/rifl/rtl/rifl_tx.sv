// SPDX-License-Identifier: Apache-2.0
//
// rifl_tx: transmitter of one lane, from segments of packets to words of the line.
//
// What      the datapath behind the decisions of rifl_tx_ctrl or rifl_ext_tx_ctrl. rifl_meta_enc
//           makes the body of a user frame, the retransmission buffer keeps the bodies of the last
//           2^IdWidth data frames by their ids, rifl_tx_serial sends.
// Contract  one frame per frame_clk_i, described by frame_i. user_i: the user segment s_* is taken
//           in this frame (zero bytes outside s_keep_i). Its rd_addr is registered: the entry read
//           belongs to the next frame. announcement_i goes below the key of every control frame.
// Latency   frame decided at frame_clk_i edge t: first word on phy_tx_data_o after phy edge t+1.
// Source    RIFL paper, section 4.A, 5.B.

module rifl_tx
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter bit StrongCode = 1'b0,
  localparam int unsigned BodyWidth = body_width(FrameWidth, StrongCode),
  localparam int unsigned Bytes = BodyWidth / 8
) (
  input logic frame_clk_i,
  input logic frame_rst_i,
  input logic phy_clk_i,
  input logic phy_rst_i,

  input logic [8*Bytes-1:0] s_data_i,
  input logic [  Bytes-1:0] s_keep_i,
  input logic               s_last_i,

  input tx_frame_t                 frame_i,
  input logic                      user_i,
  input logic      [WireWidth-1:0] announcement_i,

  output logic [PhyWidth-1:0] phy_tx_data_o
);

  logic [1:0] meta;
  logic [8*Bytes-1:0] payload;
  rifl_meta_enc #(
    .Bytes(Bytes)
  ) u_meta_enc (
    .data_i   (s_data_i),
    .keep_i   (s_keep_i),
    .last_i   (s_last_i),
    .meta_o   (meta),
    .payload_o(payload)
  );

  // Body of a new data frame: user data, a flow-control byte, or nothing.
  logic [BodyWidth-1:0] new_body, old_body, body;
  always_comb begin
    new_body = {BodyWidth{user_i}} & {meta, payload};
    if (frame_i.kind == FrFcStop) new_body[7:0] = FcStop;
    if (frame_i.kind == FrFcResume) new_body[7:0] = FcResume;
  end

  prim_ram_1r1w #(
    .Width(BodyWidth),
    .Depth(1 << IdWidth)
  ) u_buffer (
    .clk_i    (frame_clk_i),
    .wr_en_i  (frame_i.wr_en),
    .wr_addr_i(frame_i.wr_addr[IdWidth-1:0]),
    .wr_data_i(new_body),
    .rd_en_i  (1'b1),
    .rd_addr_i(frame_i.rd_addr[IdWidth-1:0]),
    .rd_data_o(old_body)
  );

  logic control;
  assign control = frame_i.kind inside {FrPause, FrIdle, FrRetrans};
  always_comb begin
    body = new_body | ({BodyWidth{frame_i.kind == FrReplay}} & old_body);
    body[BodyWidth-1-:KeyWidth+WireWidth] |= {
      key_of(frame_i.kind), {WireWidth{control}} & announcement_i
    };
  end

  logic unused;
  assign unused = ^frame_i;  // what the controller says to others

  logic toggle_q, control_q, bound_q;
  logic [BodyWidth-1:0] body_q;
  logic [  IdWidth-1:0] id_q;
  always_ff @(posedge frame_clk_i) begin
    if (frame_rst_i) toggle_q <= 1'b0;
    else toggle_q <= !toggle_q;
    control_q <= control;
    bound_q <= frame_i.bound;
    body_q <= body;
    id_q <= frame_i.id[IdWidth-1:0];
  end

  rifl_tx_serial #(
    .FrameWidth(FrameWidth),
    .IdWidth   (IdWidth),
    .StrongCode(StrongCode)
  ) u_serial (
    .clk_i    (phy_clk_i),
    .rst_i    (phy_rst_i),
    .toggle_i (toggle_q),
    .control_i(control_q),
    .bound_i  (bound_q),
    .body_i   (body_q),
    .id_i     (id_q),
    .word_o   (phy_tx_data_o)
  );

endmodule
