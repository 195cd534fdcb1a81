// SPDX-License-Identifier: Apache-2.0
//
// rifl_link: a lossless point-to-point link over one or more serial lanes.
//
// What      AXI-Stream packets in, the same packets out at the other end of the cable, once, in
//           order and unchanged, although the lines flip bits. Wire compatible with the published
//           RIFL core. This module checks the parameters and makes synchronous resets; rifl_core is
//           the link.
//
// Clocks    phy_tx_clk_i = line rate / 64, one for all lanes. frame_clk_i = phy_tx_clk_i * 64 /
//           FrameWidth, user_clk_i = phy_tx_clk_i * 64 * Lanes / UserWidth, both with edges aligned
//           to phy_tx_clk_i. (Where two of them have the same rate, connect one clock to both.)
//           phy_rx_clk_i[i]: recovered from lane i (line rate / 64 of the peer); the lanes may be
//           skewed against each other.
// Resets    arst_i may come and go at any time (active high, asynchronous); a pulse that one
//           flip-flop understands suffices, and a clock that stands still takes it when it runs
//           again. Nothing but the capturing flip-flops sees it asynchronously: up to four frames
//           pass until it acts. Reset both ends of a link together: see the limits page.
//           user_arst_i resets link and user's side: which packets are open at the two streams is
//           forgotten. user_rst_o, a register of frame_clk_i, is what becomes of it and the reset
//           for the user's logic: both streams keep their rules until it is high. A user that lives
//           on through a reset of the link keeps user_arst_i low, and then the packet that it is
//           receiving ends with TLAST and TUSER, and the rest of the one that it is sending is
//           taken and thrown away.
// Clocks that stand still
//           frame_clk_i, user_clk_i and phy_tx_clk_i are one group and stop together. While
//           phy_rx_clk_i[i] stands still lane i is not up, and its transmitter goes on: the peer
//           needs the line to recover its clock. Whatever clock stops or is slowed down, whatever
//           reset comes meanwhile, no frame of before a reset or of an ended session reaches the
//           user behind it (prim_clear between each recovered clock and frame_clk_i).
// PHY       raw words, lane i in bits 64*i+:64, bit 0 of a word first on the line. No line coding,
//           no gearbox, no slip port. phy_rx_bad_i[i], with each word of lane i: a forward error
//           correction (rifl_fec) has found more errors in it than it corrects. A frame with such a
//           word is treated as one whose code does not fit. 0 where nothing says so.
// User      (user_clk_i) byte 0 in the low lane; TKEEP all ones except on TLAST, contiguous from
//           byte 0. s_axis_tready is low until link_up_o. A packet accepted is delivered.
//
// Lanes     UserWidth/FrameWidth lanes form a group and share a segment of a packet, highest lane
//           first; the groups take segments in turn. Narrow users run fast and wide ones slowly, at
//           the same bandwidth.
//
// Must match the peer
//           Lanes, FrameWidth, UserWidth (it decides the order of the lanes), IdWidth
//           (rifl_pkg::id_width gives what a published core derives). IdWidth bounds the round
//           trip: pipelines and cable, both ways, in frames. Extended mode: at most 2^IdWidth - 11,
//           measured. Compatible mode at both ends: 2^IdWidth - 32. Towards a published core:
//           2^(IdWidth-1) - 2, beyond which frames can be delivered twice (limits page). UpFrames:
//           frames a lane must have been aligned before it is used; the published core takes 2^20
//           clocks. Thirty-two are needed so that the peer's requests are seen before the first own
//           frame. delayed_release_i (extended mode, built with DelayedRelease; may change at any
//           time): a frame is delivered only when the frame behind it on its lane is good, too.
//           Garbage that verifies by chance is then not delivered if more garbage follows. Costs
//           one frame of latency while it is on, and a frame of storage for each lane. StrongCode:
//           16 more bits of code in every frame, for frames whose 12 bits leave pairs of flipped
//           bits unseen; the peer must have it, too, and a published core is refused.
// Status    structs of rifl_pkg and rifl_ext_pkg, element i for lane i. lane_status_o: flags as the
//           transmitters act on them. link_up_o: every lane is up at both ends. rx_status_o[i]
//           belongs to phy_rx_clk_i[i]. Latency, first beat in to first beat out, wire excluded:
//           see cores/rifl/README.md.
// Source    RIFL paper, sections 3 to 5.

module rifl_link
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned Lanes = 1,  // 1, 2, 4 or 8
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned UserWidth = FrameWidth,  // FrameWidth * 1, 2, 4, .. Lanes; >= 64 * Lanes
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter int unsigned UpFrames = 128,  // 32..2^24
  parameter bit Extended = 1'b1,
  parameter bit DelayedRelease = 1'b0,
  parameter bit StrongCode = 1'b0,  // only FrameWidth 1024 and 2048, only Extended
  parameter int unsigned LineRate = 0  // of one lane, units of 10 Mb/s, 0: not told
) (
  input logic             phy_tx_clk_i,
  input logic             frame_clk_i,
  input logic             user_clk_i,
  input logic [Lanes-1:0] phy_rx_clk_i,
  input logic             arst_i,
  input logic             user_arst_i,

  output logic [Lanes*PhyWidth-1:0] phy_tx_data_o,
  input  logic [Lanes*PhyWidth-1:0] phy_rx_data_i,
  input  logic [         Lanes-1:0] phy_rx_bad_i,

  input  logic [  UserWidth-1:0] s_axis_tdata,
  input  logic [UserWidth/8-1:0] s_axis_tkeep,
  input  logic                   s_axis_tlast,
  input  logic                   s_axis_tvalid,
  output logic                   s_axis_tready,

  output logic [  UserWidth-1:0] m_axis_tdata,
  output logic [UserWidth/8-1:0] m_axis_tkeep,
  output logic                   m_axis_tlast,
  output logic                   m_axis_tuser,
  output logic                   m_axis_tvalid,
  input  logic                   m_axis_tready,

  // frame_clk_i
  input  logic                     extended_i,
  input  logic                     delayed_release_i,
  input  logic                     restart_i,
  input  logic         [     15:0] session_seed_i,
  output logic                     link_up_o,
  output link_status_t             link_status_o,
  output lane_status_t [Lanes-1:0] lane_status_o,
  output rx_status_t   [Lanes-1:0] rx_status_o,        // phy_rx_clk_i[i]
  output logic                     user_rst_o,
  output logic                     tx_cut_o,           // user_clk_i, pulse
  output logic                     rx_cut_o            // user_clk_i, pulse
);

  // Only what is legal is built, so that a wrong value meets its rule and nothing else.
  localparam bit LanesLegal = Lanes inside {1, 2, 4, 8};
  localparam bit FrameLegal = FrameWidth inside {128, 256, 512, 1024, 2048};
  localparam int unsigned GroupLanes = FrameLegal ? UserWidth / FrameWidth : 0;
  localparam bit GroupLegal = (GroupLanes inside {1, 2, 4, 8}) && GroupLanes <= Lanes &&
                              GroupLanes * FrameWidth == UserWidth;

  if (!LanesLegal) begin : gen_bad_lanes
    $error("rifl_link %m: Lanes must be 1, 2, 4 or 8, got %0d", Lanes);
  end else if (!FrameLegal) begin : gen_bad_frame_width
    $error("rifl_link %m: FrameWidth must be 128, 256, 512, 1024 or 2048, got %0d", FrameWidth);
  end else if (!GroupLegal) begin : gen_bad_user_width
    $error(
        "rifl_link %m: UserWidth must be FrameWidth (%0d) times 1, 2, .. Lanes (%0d), got %0d",
        FrameWidth,
        Lanes,
        UserWidth
    );
  end else if (UserWidth < PhyWidth * Lanes) begin : gen_narrow_user_width
    $error(
        "rifl_link %m: UserWidth must be at least 64 * Lanes (%0d), got %0d",
        PhyWidth * Lanes,
        UserWidth
    );
  end else if (IdWidth < 6 || IdWidth > 12) begin : gen_bad_id_width
    $error("rifl_link %m: IdWidth must be 6..12, got %0d", IdWidth);
  end else if (UpFrames < 32 || UpFrames > (1 << 24)) begin : gen_bad_up_frames
    $error("rifl_link %m: UpFrames must be 32..2^24, got %0d", UpFrames);
  end else if (StrongCode && !(FrameWidth inside {1024, 2048})) begin : gen_no_strong_code
    $error("rifl_link %m: StrongCode needs FrameWidth 1024 or 2048, got %0d", FrameWidth);
  end else if (StrongCode && !Extended) begin : gen_strong_code_alone
    $error("rifl_link %m: StrongCode needs Extended, got %0d", Extended);
  end else begin : gen_link
    // Both in the slowest clock of the group, every edge of which is one of the others: so they
    // reset registers of all three clocks. That of the user has one stage more: the link is in
    // reset when the user withdraws what it had on offer.
    logic link_arst, frame_rst;
    assign link_arst = arst_i || user_arst_i;
    logic [Lanes-1:0] phy_rx_rst;

    prim_sync_reset #(
      .Stages(3)
    ) u_user_rst (
      .clk_i (frame_clk_i),
      .arst_i(user_arst_i),
      .rst_o (user_rst_o)
    );
    prim_sync_reset u_frame_rst (
      .clk_i (frame_clk_i),
      .arst_i(link_arst),
      .rst_o (frame_rst)
    );
    for (genvar i = 0; i < Lanes; i++) begin : gen_phy_rx_rst
      prim_sync_reset u_phy_rx_rst (
        .clk_i (phy_rx_clk_i[i]),
        .arst_i(link_arst),
        .rst_o (phy_rx_rst[i])
      );
    end

    rifl_core #(
      .Lanes         (Lanes),
      .FrameWidth    (FrameWidth),
      .UserWidth     (UserWidth),
      .IdWidth       (IdWidth),
      .UpFrames      (UpFrames),
      .Extended      (Extended),
      .DelayedRelease(DelayedRelease),
      .StrongCode    (StrongCode),
      .LineRate      (LineRate)
    ) u_core (
      .user_rst_i  (user_rst_o),
      .frame_rst_i (frame_rst),
      .phy_rx_rst_i(phy_rx_rst),
      .*
    );
  end

endmodule
