# SPDX-License-Identifier: Apache-2.0
#
# prim_fifo_async: dual-clock FIFO.
#
# What  Bus skew of both Gray-coded pointers, beside the maximum delay of prim_sync_flop; maximum
#       delay from the memory.
# Why   At most one bit of a pointer may be changing when it is sampled. A word is read when its
#       pointer has passed the synchroniser, at least one period of that clock after it was written.

foreach instance [ropewalk::instances prim_fifo_async] {
  set sampler [ropewalk::first $instance/u_sync_wr]
  ropewalk::gray [ropewalk::registers $instance wr_gray_q] $sampler
  ropewalk::gray [ropewalk::registers $instance rd_gray_q] [ropewalk::first $instance/u_sync_rd]
  ropewalk::stored [ropewalk::registers $instance/u_ram mem] $sampler
}
