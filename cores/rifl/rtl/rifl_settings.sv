// SPDX-License-Identifier: Apache-2.0
//
// rifl_settings: the settings of the registers in the clocks that use them.
//
// What      test traffic (user_clk_i) and error injection (phy_tx_clk_i) cross whole, each with the
//           bit that turns it on (prim_sync_setting); while such a clock stands still they wait.
//           extended_o is the setting of the extended mode (frame_clk_i); restart_o, a pulse with
//           each change of it, starts a new session.
// Clocks and resets
//           regs_i belongs to axil_clk_i, axil_rst_i is its reset. rst_i (frame_clk_i) comes from
//           the same source; while it stands extended_o is 1, the value after a reset, so that it
//           starts no session.
// Latency   as prim_sync_setting; of extended_o 2 frame_clk_i edges.

module rifl_settings
  import rifl_pkg::*;
(
  input logic                      axil_clk_i,
  input logic                      axil_rst_i,
  input rifl_regs_pkg::rifl__out_t regs_i,

  input  logic        user_clk_i,
  input  logic        frame_clk_i,
  input  logic        phy_tx_clk_i,
  input  logic        rst_i,
  output prbs_cfg_t   prbs_o,
  output inject_cfg_t inject_o,
  output logic        extended_o,
  output logic        restart_o
);

  logic [3:0] unused;

  prim_sync_setting #(
    .Width($bits(prbs_cfg_t))
  ) u_prbs (
    .src_clk_i(axil_clk_i),
    .src_rst_i(axil_rst_i),
    .src_value_i({
      regs_i.control.prbs_source.value,
      regs_i.control.prbs_check.value,
      regs_i.prbs_length.shortest.value,
      regs_i.prbs_length.longest.value,
      regs_i.prbs_gap.gap.value,
      regs_i.prbs_seed.seed.value
    }),
    .dst_clk_i(user_clk_i),
    .dst_valid_o(unused[0]),
    .dst_changed_o(unused[1]),
    .dst_value_o(prbs_o)
  );

  prim_sync_setting #(
    .Width($bits(inject_cfg_t))
  ) u_inject (
    .src_clk_i(axil_clk_i),
    .src_rst_i(axil_rst_i),
    .src_value_i({
      regs_i.control.inject.value,
      regs_i.inject_mantissa.mantissa.value,
      regs_i.inject_shift.shift.value,
      regs_i.inject_seed.seed.value
    }),
    .dst_clk_i(phy_tx_clk_i),
    .dst_valid_o(unused[2]),
    .dst_changed_o(unused[3]),
    .dst_value_o(inject_o)
  );

  logic extended_q;
  prim_sync_bit #(
    .ResetValue(1'b1)
  ) u_extended (
    .clk_i(frame_clk_i),
    .rst_i(rst_i),
    .d_i  (regs_i.control.extended.value),
    .q_o  (extended_o)
  );
  always_ff @(posedge frame_clk_i) extended_q <= extended_o;
  assign restart_o = extended_o != extended_q;

endmodule
