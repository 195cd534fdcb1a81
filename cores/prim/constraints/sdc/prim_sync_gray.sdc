# SPDX-License-Identifier: Apache-2.0
#
# prim_sync_gray: a Gray-coded count.
#
# What  Bus skew from the count to the flip-flops that sample it, beside the maximum delay of
#       prim_sync_flop.
# Why   At most one bit may be changing when they sample.

foreach instance [ropewalk::instances prim_sync_gray src_gray_q] {
  set sampler [ropewalk::first [ropewalk::in $instance u_sync]]
  ropewalk::gray [ropewalk::registers $instance src_gray_q] $sampler
}
