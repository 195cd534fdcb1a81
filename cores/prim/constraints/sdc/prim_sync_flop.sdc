# SPDX-License-Identifier: Apache-2.0
#
# prim_sync_flop: every synchroniser of flip-flops, also those inside the other cells.
#
# What  Maximum delay to its first flip-flops.
# Why   The paths have no relation in time, but an unbounded delay would break what is built upon
#       them: the skew of Gray codes, and words that have to arrive before the toggle that announces
#       them.

foreach instance [ropewalk::instances prim_sync_flop chain_q] {
  ropewalk::level [ropewalk::first $instance]
}
