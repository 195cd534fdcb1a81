// SPDX-License-Identifier: Apache-2.0
//
// htsp_settings: the settings of a link, from its registers to its clock.
//
// What      Forces each setting into its limits, keeps the user data of the last command, and
//           carries all of them over together.
// Contract  settings_o are those of one axil_clk_i edge, never half written; they follow the
//           registers over and over, and mean nothing until valid_o.
//           hold_o: `hold` of settings_o in the clock of the registers.
// Clocks and resets
//           axil_clk_i: regs_i. clk_i: settings_o, valid_o. The four resets are those of prim_csr:
//           bus_rst_o, bus_held_o, bus_clear_o, and core_held_o.
// Latency   1 edge of axil_clk_i, and that of prim_fifo_async
//
// Parameters
//   Channels, RxDepth, PauseLevel, Headroom, ResumeLevel   as in htsp

module htsp_settings
  import htsp_pkg::*;
#(
  parameter int unsigned Channels = 4,
  parameter int unsigned RxDepth = 4096,
  parameter int unsigned PauseLevel = RxDepth / 4,
  parameter int unsigned Headroom = 512,
  parameter int unsigned ResumeLevel = RxDepth / 8
) (
  input  logic                      axil_clk_i,
  input  logic                      axil_rst_i,
  input  logic                      axil_held_i,
  input  logic                      axil_clear_i,
  input  htsp_regs_pkg::htsp__out_t regs_i,
  output logic                      hold_o,
  input  logic                      clk_i,
  input  logic                      held_i,
  output logic                      valid_o,
  output settings_t                 settings_o
);

  if (RxDepth < 16 || RxDepth > 65535) begin : gen_bad_rx_depth
    $error("htsp_settings %m: rule 16 <= RxDepth <= 65535, got %0d", RxDepth);
  end
  if (PauseLevel < 1 || PauseLevel > RxDepth) begin : gen_bad_pause
    $error("htsp_settings %m: rule 1 <= PauseLevel <= RxDepth (%0d), got %0d", RxDepth, PauseLevel);
  end
  // What is still on its way when the peer is asked to pause: cores/htsp/README.md.
  if (PauseLevel + Headroom > RxDepth) begin : gen_bad_headroom
    $error(
        "htsp_settings %m: rule PauseLevel + Headroom <= RxDepth (%0d), got %0d + %0d",
        RxDepth,
        PauseLevel,
        Headroom
    );
  end
  if (ResumeLevel < 1 || ResumeLevel > PauseLevel) begin : gen_bad_resume
    $error(
        "htsp_settings %m: rule 1 <= ResumeLevel <= PauseLevel (%0d), got %0d",
        PauseLevel,
        ResumeLevel
    );
  end

  localparam int unsigned HoldCycles = 256;

  logic [127:0] user_data_q;
  settings_t given, given_q, settings, settings_q;
  logic given_valid_q, given_ready, settings_valid, unused_ready;
  logic [15:0] pause, resume;
  assign unused_ready = given_ready;  // what does not get in now gets in later
  assign pause = regs_i.levels.pause.value;
  assign resume = regs_i.levels.resume.value;

  prim_stretch #(
    .Cycles(HoldCycles)
  ) u_hold (
    .clk_i(axil_clk_i),
    .rst_i(axil_rst_i),
    .d_i  (regs_i.control.reset.value),
    .q_o  (hold_o)
  );

  function automatic logic [15:0] at_most(input logic [15:0] value, input logic [15:0] limit);
    return (value > limit) ? limit : value;
  endfunction

  always_comb begin
    given.hold = hold_o;
    given.link.tx_disable = regs_i.control.tx_disable.value;
    given.link.ignore_remote = regs_i.control.ignore_remote.value;
    given.link.null_interval = regs_i.null_interval.cycles.value;
    given.link.alive = regs_i.alive.cycles.value;
    if (regs_i.alive.cycles.value == '0) given.link.alive = 32'd1;
    given.link.burst = BlocksWidth'(at_most(16'(regs_i.burst.words.value), 16'd128));
    if (regs_i.burst.words.value == '0) given.link.burst = BlocksWidth'(1);
    given.link.stall_limit = regs_i.burst.stall_limit.value;
    given.link.pause_level = at_most(pause, 16'(RxDepth));
    given.link.resume_level = at_most(at_most(resume, pause), 16'(RxDepth));
    given.link.local_mac = {regs_i.local_mac.high.value, regs_i.local_mac.low.value};
    given.link.broadcast_mac = {regs_i.broadcast_mac.high.value, regs_i.broadcast_mac.low.value};
    given.link.ethertype = regs_i.ethertype.value.value;
    given.link.user_data = user_data_q;
    given.test.source = regs_i.control.prbs_source.value;
    given.test.check = regs_i.control.prbs_check.value;
    given.test.channel = '0;
    if (32'(regs_i.test_channel.channel.value) < Channels) begin
      given.test.channel = regs_i.test_channel.channel.value;
    end
    given.test.shortest = regs_i.prbs_length.shortest.value;
    given.test.longest = regs_i.prbs_length.longest.value;
    given.test.gap = regs_i.prbs_gap.gap.value;
    given.test.seed = regs_i.prbs_seed.seed.value;
  end

  always_ff @(posedge axil_clk_i) begin
    given_q       <= given;
    given_valid_q <= !axil_rst_i && !axil_held_i;
    if (axil_rst_i) user_data_q <= '0;
    else if (regs_i.command.user_data.value) begin
      user_data_q <= {
        regs_i.user_data_3.bytes.value,
        regs_i.user_data_2.bytes.value,
        regs_i.user_data_1.bytes.value,
        regs_i.user_data_0.bytes.value
      };
    end
  end

  prim_fifo_async #(
    .Width($bits(settings_t)),
    .Depth(4)
  ) u_crossing (
    .s_clk_i     (axil_clk_i),
    .s_rst_i     (axil_clear_i),
    .s_valid_i   (given_valid_q),
    .s_ready_o   (given_ready),
    .s_data_i    (given_q),
    .m_clk_i     (clk_i),
    .m_sync_clk_i(clk_i),
    .m_rst_i     (held_i),
    .m_valid_o   (settings_valid),
    .m_ready_i   (1'b1),
    .m_data_o    (settings)
  );

  always_ff @(posedge clk_i) begin
    if (settings_valid) settings_q <= settings;
    if (held_i) valid_o <= 1'b0;
    else if (settings_valid) valid_o <= 1'b1;
  end
  assign settings_o = settings_q;

endmodule
