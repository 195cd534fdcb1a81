# SPDX-License-Identifier: Apache-2.0
#
# prim_sync_request: an address goes over, a word comes back.
#
# What  Maximum delay from the address and from the answer to the clock that reads them.
# Why   They stand still while their toggle crosses, which takes a period of that clock and more.

foreach instance [ropewalk::instances prim_sync_request asked_q done_q answer_q] {
  ropewalk::held [ropewalk::registers $instance addr_q]
  ropewalk::held [ropewalk::registers $instance answer_q] [ropewalk::registers $instance src_data_o]
}
