# SPDX-License-Identifier: Apache-2.0
#
# prim_sync_reset: the flip-flop that catches an asynchronous reset.
#
# What  False path to it.
# Why   Neither edge of the reset has a relation to the clock; a synchroniser follows, so that its
#       data may come late as well.

foreach instance [ropewalk::instances prim_sync_reset caught_q] {
  set_false_path -to [ropewalk::registers $instance caught_q]
}
