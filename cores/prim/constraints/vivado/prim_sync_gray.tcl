# SPDX-License-Identifier: Apache-2.0
#
# prim_sync_gray: a Gray-coded count.
#
# What  Bus skew from the count to the flip-flops that sample it, beside the maximum delay of
#       prim_sync_flop.
# Why   At most one bit may be changing when they sample.

foreach instance [ropewalk::instances prim_sync_gray] {
  ropewalk::gray [ropewalk::registers $instance src_gray_q] [ropewalk::first $instance/u_sync]
}
