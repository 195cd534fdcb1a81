# SPDX-License-Identifier: Apache-2.0
#
# What the constraints of the crossing cells share, for Quartus Prime Pro and for open tools
# (OpenSTA and what is built on it). Read it first, in a design with clocks.
#
# Cells are found by the names of their registers: an instance that has all of those given is one of
# the cell. Quartus knows the module of an instance besides, and bounds a path by the periods of its
# own clocks; elsewhere the bound is the shortest period of all clocks. That bounds the skew of a
# bus, too, because no delay is below zero, and relaxes nothing if a register of yours has such a
# name. In open tools registers have the names that Yosys gives them, of the wire that they drive.
# Do not declare clocks of a core asynchronous to each other where that wins over set_max_delay.

namespace eval ropewalk {
  variable quartus [expr {[llength [info commands set_data_delay]] > 0}]

  # The registers of a name in the source, in every instance of a module.
  proc every {module name} {
    variable quartus
    if {$quartus} { return [get_registers -nowarn "*$module:*|$name*"] }
    return [get_cells -hierarchical "*.$name*"]
  }

  # The registers of a name in the source, in one instance.
  proc registers {instance name} {
    variable quartus
    if {$quartus} { return [get_registers -nowarn "$instance|$name*"] }
    return [get_cells -hierarchical "$instance.$name*"]
  }

  # An instance in an instance.
  proc in {instance name} {
    variable quartus
    return "$instance[expr {$quartus ? "|" : "."}]$name"
  }

  # The names of some registers.
  proc names {registers} {
    variable quartus
    set found {}
    if {$quartus} {
      foreach_in_collection one $registers { lappend found [get_register_info -name $one] }
    } else {
      foreach one $registers { lappend found [get_full_name $one] }
    }
    return $found
  }

  # The instances of a module, which have a register of each of these names.
  proc instances {module args} {
    foreach name $args {
      set here {}
      foreach full [names [every $module $name]] {
        if {[regexp "^(.*)\[|.\]${name}(\\W.*)?$" $full all instance]} {
          dict set here $instance 1
        }
      }
      if {[info exists common]} {
        set here [dict filter $here script {instance one} { dict exists $common $instance }]
      }
      set common $here
    }
    return [dict keys $common]
  }

  # The first flip-flops of a synchroniser. Quartus names [stage][bit]. Elsewhere one index counts
  # all of them, so that the bound holds for the way from one stage to the next as well.
  proc first {instance} {
    variable quartus
    return [registers $instance [expr {$quartus ? "chain_q\[0\]" : "chain_q"}]]
  }

  proc shortest {} {
    set least ""
    foreach clock [all_clocks] {
      set period [get_property $clock period]
      if {$least eq "" || $period < $least} { set least $period }
    }
    return $least
  }

  # Whether none of some lists of registers is empty. Synthesis removes what has no use.
  proc exist {args} {
    variable quartus
    foreach registers $args {
      set size [expr {$quartus ? [get_collection_size $registers] : [llength $registers]}]
      if {$size == 0} { return 0 }
    }
    return 1
  }

  # A bound for the delay; in Quartus, the period of which clock.
  proc bound {ends period} {
    variable quartus
    if {![exist {*}[dict values $ends]]} return
    if {$quartus} {
      set_data_delay -override {*}$ends -get_value_from_clock_period $period -value_multiplier 1.0
    } else {
      set_max_delay -ignore_clock_latency {*}$ends [shortest]
    }
  }

  # What enters a synchroniser.
  proc level {to} { bound [list -to $to] min_clock_period }

  # Bits of one Gray-coded register, sampled together.
  proc gray {from to} {
    variable quartus
    if {![exist $from $to]} return
    if {$quartus} {
      set_max_skew -from $from -to $to -get_skew_value_from_clock_period min_clock_period \
        -skew_value_multiplier 1.0
    } else {
      bound [list -from $from -to $to] min_clock_period
    }
  }

  # A word that stands still while it is sampled. Nothing else reads these registers, except where
  # it is said what samples them.
  proc held {from {to ""}} {
    set ends [list -from $from]
    if {$to ne ""} { lappend ends -to $to }
    bound $ends dst_clock_period
  }
}
