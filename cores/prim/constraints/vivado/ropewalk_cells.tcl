# SPDX-License-Identifier: Apache-2.0
#
# What the constraints of the crossing cells share, for Vivado. Source it first, in an
# implementation with clocks.
#
# Cells are found by the name of their module, with or without what elaboration appends to it, so
# hierarchy has to be there still: -flatten_hierarchy rebuilt or none. Periods are read from the
# clocks that reach the registers. Do not declare the clocks of a core asynchronous to each other:
# set_clock_groups wins over every set_max_delay.

namespace eval ropewalk {
  # Every instance of a module.
  proc instances {module} {
    set found {}
    set filter "IS_PRIMITIVE == 0 && (REF_NAME =~ ${module}* || ORIG_REF_NAME =~ ${module}*)"
    foreach cell [get_cells -quiet -hierarchical -filter $filter] {
      foreach property {REF_NAME ORIG_REF_NAME} {
        if {[regexp "^${module}(__parameterized\[0-9\]+|__xdcDup__\[0-9\]+|_\[0-9\]+)*$" \
            [get_property -quiet $property $cell]]} {
          lappend found $cell
          break
        }
      }
    }
    return $found
  }

  # The cells of a pattern. Synthesis removes what has no use, which is told.
  proc cells {instance pattern} {
    set found [get_cells -quiet "$instance/$pattern"]
    if {[llength $found] == 0} { puts "WARNING: ropewalk: $instance has no $pattern" }
    return $found
  }

  # The flip-flops, or the memory, that a name in the source has become.
  proc registers {instance name} { return [cells $instance "${name}_reg*"] }

  # The first flip-flops of a synchroniser.
  proc first {instance} { return [cells $instance "chain_q_reg\[0\]*"] }

  proc clocks {cells} {
    if {[llength $cells] == 0} { return {} }
    set pins [get_pins -quiet -of_objects $cells -filter {IS_CLOCK == 1}]
    return [get_clocks -quiet -of_objects $pins]
  }

  # The shortest period of some clocks.
  proc shortest {clocks} {
    set least ""
    foreach clock $clocks {
      set period [get_property PERIOD $clock]
      if {$least eq "" || $period < $least} { set least $period }
    }
    return $least
  }

  # Whether there is a path from one clock to another at all.
  proc crosses {source target} {
    return [expr {[llength $source] > 0 && [llength $target] > 0 && $source ne $target}]
  }

  # Bits of one Gray-coded register, sampled together: they arrive within one period of the faster
  # clock.
  proc gray {from to} {
    set source [clocks $from]
    set target [clocks $to]
    if {[crosses $source $target]} {
      set_bus_skew -from $from -to $to [shortest [concat $source $target]]
    }
  }

  # A word that stands still while it is sampled: it arrives within one period of the clock that
  # samples it.
  proc held {from sampler} {
    set target [clocks $sampler]
    if {[crosses [clocks $from] $target]} {
      set_max_delay -datapath_only -from $from -to $target [shortest $target]
    }
  }

  # The same for a memory, whatever samples it: on the reading side there may be several clocks with
  # aligned edges. By way of its outputs, because a memory of look-up tables is no start of a path.
  proc stored {from sampler} {
    set source [clocks $from]
    set target [clocks $sampler]
    if {[crosses $source $target]} {
      set outputs [get_pins -of_objects $from -filter {DIRECTION == OUT}]
      set_max_delay -datapath_only -from $source -through $outputs [shortest $target]
    }
  }
}
