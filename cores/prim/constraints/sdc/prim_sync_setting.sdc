# SPDX-License-Identifier: Apache-2.0
#
# prim_sync_setting: a setting of several bits, handed over whole.
#
# What  Maximum delay from the value sent to the clock that takes it.
# Why   It stands still while its toggle crosses, which takes a period of that clock and more.

foreach instance [ropewalk::instances prim_sync_setting value_q dst_value_q taken_q] {
  ropewalk::held [ropewalk::registers $instance value_q] [ropewalk::registers $instance dst_value_q]
}
