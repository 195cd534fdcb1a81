// SPDX-License-Identifier: Apache-2.0
//
// rifl_rx: receiver of one lane in its recovered clock, from words of the line to delivered frames.
//
// What      line_aligner finds the frames, rifl_rx_check says which are delivered,
//           rifl_rx_descramble opens them, rifl_rx_monitor recognises requests. Frames with user
//           data go out; flow-control frames of the peer act here; invalid and control frames end
//           here.
// Contract  m_valid_o for one clock per delivered user frame, only with m_ready_i: a data frame
//           that comes without is refused like a damaged one and comes again. m_data_o = {meta
//           code, payload}. phy_rx_bad_i: a frame with bits of this word is damaged, whatever it
//           looks like. up_o: aligned for UpFrames frames in a row. delayed_i (built
//           with DelayedRelease): in extended mode a frame is delivered only when the one behind it
//           is good, too.
// Latency   last word on phy_rx_data_i sampled at edge t: m_valid_o in the clock after it (t ..
//           t+1).
// Source    RIFL paper, section 4.B, 4.C, 5.B.

module rifl_rx
  import rifl_pkg::*;
  import rifl_ext_pkg::*;
#(
  parameter int unsigned FrameWidth = 256,  // 128, 256, 512, 1024 or 2048
  parameter int unsigned IdWidth = 6,  // 6..12
  parameter int unsigned UpFrames = 128,  // 32 or more
  parameter bit Extended = 1'b1,
  parameter bit DelayedRelease = 1'b0,
  parameter bit StrongCode = 1'b0,
  localparam int unsigned BodyWidth = body_width(FrameWidth, StrongCode)
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  input  logic                       data_rst_i,     // what is between the users is cleared
  // Mode, registers of any clock: it changes only while no data flow.
  input  logic                       compatible_i,
  input  logic                       open_i,
  input  logic                       delayed_i,      // in any clock
  input  logic       [          2:0] lane_i,
  input  logic       [         15:0] session_i,
  input  logic       [         15:0] partner_i,
  input  logic       [ PhyWidth-1:0] phy_rx_data_i,
  input  logic                       phy_rx_bad_i,
  output logic                       m_valid_o,
  input  logic                       m_ready_i,
  output logic                       refused_o,      // a data frame found no room
  output logic       [BodyWidth-1:0] m_data_o,
  output logic                       aligned_o,
  output logic                       up_o,
  output logic                       error_o,
  output logic                       pause_req_o,
  output logic                       retrans_req_o,
  output logic                       remote_fc_o,
  output rx_status_t                 status_o,
  output ext_rx_t                    ext_o,
  input  logic                       ext_ready_i
);

  localparam int unsigned Words = FrameWidth / PhyWidth;
  localparam int unsigned UpWidth = $clog2(UpFrames);

  logic [PhyWidth-1:0] word, opened;
  logic first, last;
  logic [$clog2(Words)-1:0] index;

  line_aligner #(
    .Width        (PhyWidth),
    .WordsPerFrame(Words)
  ) u_aligner (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .data_i   (phy_rx_data_i),
    .data_o   (word),
    .index_o  (index),
    .first_o  (first),
    .last_o   (last),
    .aligned_o(aligned_o),
    .slip_o   (status_o.slip)
  );

  logic phy_bad_q, bad_q;

  // Counters without a reset count it: in reset it may be anything.
  assign status_o.frame = last && !rst_i;

  logic compatible, compatible_rst;
  prim_sync_bit u_compatible (
    .clk_i(clk_i),
    .rst_i(rst_i),
    .d_i  (compatible_i),
    .q_o  (compatible)
  );
  assign compatible_rst = rst_i || data_rst_i || !compatible;

  logic
      control,
      is_data,
      plausible,
      strong_fits,
      trusted,
      key_known,
      deliver,
      ext_deliver,
      keep,
      released;
  logic [IdWidth-1:0] id;
  logic [StrongWidth-1:0] front;
  assign status_o.bad = last && up_o && !plausible;
  assign refused_o = last && up_o && is_data && !m_ready_i;
  rifl_rx_check #(
    .IdWidth   (IdWidth),
    .StrongCode(StrongCode)
  ) u_check (
    .clk_i      (clk_i),
    .rst_i      (compatible_rst),
    .aligned_i  (aligned_o),
    .enable_i   (up_o),
    .first_i    (first),
    .last_i     (last),
    .data_i     (word),
    .bound_i    (Extended && !compatible),
    .front_i    (front),
    .bad_i      (bad_q),
    .room_i     (m_ready_i),
    .key_known_i(key_known),
    .control_o  (control),
    .is_data_o  (is_data),
    .plausible_o(plausible),
    .strong_o   (strong_fits),
    .id_o       (id),
    .trusted_o  (trusted),
    .deliver_o  (deliver),
    .error_o    (error_o)
  );

  rifl_rx_descramble u_descramble (
    .clk_i  (clk_i),
    .first_i(first),
    .last_i (last),
    .data_i (word),
    .data_o (opened),
    .front_o(front)
  );

  // Frame so far, without its sync bits; the last word is still on its way.
  localparam int unsigned KeptWidth = PhyWidth * (Words - 1) - 2;
  logic [KeptWidth-1:0] kept_q;
  logic [BodyWidth-1:0] body;
  logic [1:0] meta;
  for (genvar i = 0; i < Words - 1; i++) begin : gen_kept
    localparam int unsigned Kept = PhyWidth - ((i == 0) ? 2 : 0);
    always_ff @(posedge clk_i) begin
      if (32'(index) == i) kept_q[PhyWidth*(Words-2-i)+:Kept] <= opened[Kept-1:0];
    end
  end
  assign body = {kept_q, opened[PhyWidth-1-:BodyWidth-KeptWidth]};
  assign meta = body[BodyWidth-1-:2];

  if (Extended && DelayedRelease) begin : gen_kept_body
    logic [BodyWidth-1:0] kept_body_q;
    always_ff @(posedge clk_i) if (keep) kept_body_q <= body;
    assign m_data_o = released ? kept_body_q : body;
    assign m_valid_o = (deliver || ext_deliver || released) && m_data_o[BodyWidth-1-:2] != MetaNone;
  end else begin : gen_at_once
    assign m_data_o  = body;
    assign m_valid_o = (deliver || ext_deliver) && meta != MetaNone;
    logic unused_kept;
    assign unused_kept = ^{keep, released};
  end

  rifl_rx_monitor u_monitor (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .enable_i   (aligned_o),
    .frame_i    (last),
    .control_i  (control),
    .is_data_i  (is_data),
    .plausible_i(plausible),
    .trusted_i  (trusted),
    .key_known_o(key_known),
    .key_i      (body[BodyWidth-1-:KeyWidth]),
    .pause_o    (pause_req_o),
    .retrans_o  (retrans_req_o)
  );

  // Frames left until the lane is up; a register says so, because other clocks look at it.
  logic [UpWidth-1:0] up_left_q;
  logic up_q;
  assign up_o = up_q;

  always_ff @(posedge clk_i) begin
    if (rst_i || !aligned_o) begin
      up_left_q <= UpWidth'(UpFrames - 1);
      up_q <= 1'b0;
    end else if (last) begin
      up_left_q <= up_left_q - 1'b1;
      if (up_left_q == '0) up_q <= 1'b1;
    end

    if (compatible_rst) remote_fc_o <= 1'b0;
    else if (deliver && meta == MetaNone) begin
      if (body[7:0] == FcStop) remote_fc_o <= 1'b1;
      else if (body[7:0] == FcResume) remote_fc_o <= 1'b0;
    end
  end

  if (Extended) begin : gen_extended
    logic open;
    prim_sync_bit u_open (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .d_i  (open_i),
      .q_o  (open)
    );
    logic delayed;
    if (DelayedRelease) begin : gen_delayed
      prim_sync_bit u_delayed (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .d_i  (delayed_i),
        .q_o  (delayed)
      );
    end else begin : gen_not_delayed
      assign delayed = 1'b0;
      logic unused_delayed;
      assign unused_delayed = delayed_i;
    end
    // Both numbers stand still for a round trip before anything is compared with them.
    logic [31:0] numbers, numbers_here;
    assign numbers = {partner_i, session_i};
    for (genvar i = 0; i < 32; i++) begin : gen_number
      prim_sync_bit u_sync (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .d_i  (numbers[i]),
        .q_o  (numbers_here[i])
      );
    end
    rifl_ext_rx #(
      .IdWidth(IdWidth)
    ) u_ext_rx (
      .clk_i               (clk_i),
      .rst_i               (rst_i),
      .enable_i            (up_o),
      .open_i              (open),
      .lane_i              (lane_i),
      .session_i           (numbers_here[15:0]),
      .peer_session_i      (numbers_here[31:16]),
      .frame_i             (last),
      .frame_control_i     (control),
      .frame_data_i        (is_data),
      .frame_plausible_i   (plausible),
      .frame_strong_i      (strong_fits),
      .frame_id_i          (id),
      .frame_key_known_i   (key_known),
      .frame_key_i         (body[BodyWidth-1-:KeyWidth]),
      .frame_announcement_i(body[BodyWidth-KeyWidth-1-:WireWidth]),
      .room_i              (m_ready_i),
      .delayed_i           (delayed),
      .deliver_o           (ext_deliver),
      .keep_o              (keep),
      .release_o           (released),
      .ext_o               (ext_o),
      .ready_i             (ext_ready_i)
    );
  end else begin : gen_compatible
    assign ext_deliver = 1'b0;
    assign keep        = 1'b0;
    assign released    = 1'b0;
    assign ext_o       = '0;
    logic unused;
    assign unused = ^{
      open_i, delayed_i, ext_ready_i, lane_i, session_i, partner_i, id, strong_fits
    };
  end

  // A word of a frame is cut out of two of the line; bad_q: of this one, or of one before it.
  always_ff @(posedge clk_i) begin
    phy_bad_q <= phy_rx_bad_i;
    if (phy_rx_bad_i || phy_bad_q) bad_q <= 1'b1;
    else if (last) bad_q <= 1'b0;
  end

endmodule
