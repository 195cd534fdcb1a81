# SPDX-License-Identifier: Apache-2.0
#
# prim_fifo_async: dual-clock FIFO.
#
# What  Bus skew of both Gray-coded pointers, beside the maximum delay of prim_sync_flop; maximum
#       delay from the memory.
# Why   At most one bit of a pointer may be changing when it is sampled. A word is read when its
#       pointer has passed the synchroniser, at least one period of that clock after it was written.

foreach instance [ropewalk::instances prim_fifo_async wr_gray_q rd_gray_q] {
  foreach side {wr rd} {
    set sampler [ropewalk::first [ropewalk::in $instance u_sync_$side]]
    ropewalk::gray [ropewalk::registers $instance ${side}_gray_q] $sampler
  }
  ropewalk::held [ropewalk::registers [ropewalk::in $instance u_ram] mem]
}
