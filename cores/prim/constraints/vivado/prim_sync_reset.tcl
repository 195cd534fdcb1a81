# SPDX-License-Identifier: Apache-2.0
#
# prim_sync_reset: the flip-flop that catches an asynchronous reset.
#
# What  False path to its asynchronous set.
# Why   Neither edge of the reset has a relation to the clock; a synchroniser follows.

foreach instance [ropewalk::instances prim_sync_reset] {
  set caught [ropewalk::registers $instance caught_q]
  if {[llength $caught] == 0} continue
  set filter {REF_PIN_NAME == PRE || REF_PIN_NAME == CLR}
  set_false_path -to [get_pins -of_objects $caught -filter $filter]
}
