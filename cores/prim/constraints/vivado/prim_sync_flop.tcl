# SPDX-License-Identifier: Apache-2.0
#
# prim_sync_flop: every synchroniser of flip-flops, also those inside the other cells.
#
# What  Maximum delay from each clock whose registers it samples to its first flip-flops.
# Why   The paths have no relation in time, but an unbounded delay would break what is built upon
#       them: the skew of Gray codes, and words that have to arrive before the toggle that announces
#       them.
# From an input port without a clock there is no path to constrain.

foreach instance [ropewalk::instances prim_sync_flop] {
  set to [ropewalk::first $instance]
  if {[llength $to] == 0} continue
  set target [ropewalk::clocks $to]
  set inputs [get_pins -of_objects $to -filter {REF_PIN_NAME == D}]
  set starts [all_fanin -quiet -flat -startpoints_only $inputs]
  foreach source [get_clocks -quiet -of_objects $starts] {
    if {[lsearch -exact $target $source] < 0} {
      set period [ropewalk::shortest [concat $source $target]]
      set_max_delay -datapath_only -from $source -to $to $period
    }
  }
}
