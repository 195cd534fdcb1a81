# SPDX-License-Identifier: Apache-2.0
#
# Stands in for the timing commands of Vivado, Quartus or OpenSTA, so that constraint files run
# without these tools.
#
# usage: tclsh timing_mock.tcl TOOL DESIGN FILE...
#
# DESIGN is Tcl, made by tools/constraints.py:
#     cell NAME CLOCK KIND STARTS    a flip-flop, or a memory; what its data input starts from
#     alias NAME CELL                the cell with the module of its instance in the name
#     instance NAME REF              an instance of a module
#     period CLOCK NS
# For each constraint one line is printed, with tabs between: file, command, from, through, to,
# value. Brackets in a pattern mean themselves, as in these tools; an option or a command that is
# not known is an error.

set tool [lindex $argv 0]
array set cells {}
array set aliases {}
array set instances {}
array set periods {}
proc cell {name clock kind starts} { set ::cells($name) [list $clock $kind $starts] }
proc alias {name cell} { set ::aliases($name) $cell }
proc instance {name ref} { set ::instances($name) $ref }
proc period {clock ns} { set ::periods($clock) $ns }

# The names, sorted, that a pattern matches; what stands before its first wildcard is looked up.
proc matching {pattern names} {
  set literal [string range $pattern 0 [string first * $pattern]-1]
  if {[string first * $pattern] < 0} { set literal $pattern }
  set pattern [string map {\[ \\\[ \] \\\]} $pattern]
  set found {}
  for {set i [expr {max(0, [lsearch -bisect $names $literal])}]} {$i < [llength $names]} {incr i} {
    set name [lindex $names $i]
    if {[string match $pattern $name]} {
      lappend found $name
    } elseif {[string compare -length [string length $literal] $name $literal] > 0} {
      break
    }
  }
  return $found
}

# Splits the arguments of a command into flags, options with a value, and the rest.
proc options {arguments flags valued} {
  set given [dict create rest {}]
  for {set i 0} {$i < [llength $arguments]} {incr i} {
    set word [lindex $arguments $i]
    if {$word in $flags} {
      dict set given $word 1
    } elseif {$word in $valued} {
      dict set given $word [lindex $arguments [incr i]]
    } elseif {[string match -* $word] && ![string is double $word]} {
      error "unknown option $word in: $arguments"
    } else {
      dict lappend given rest $word
    }
  }
  return $given
}

proc option {given name {otherwise ""}} {
  return [expr {[dict exists $given $name] ? [dict get $given $name] : $otherwise}]
}

proc record {command given value} {
  foreach end {-from -to} {
    if {[dict exists $given $end] && [llength [dict get $given $end]] == 0} {
      error "$command: $end is empty"
    }
  }
  set fields [list [file tail $::file] $command]
  foreach end {-from -through -to} { lappend fields [option $given $end] }
  say [join [lappend fields $value] \t]
}

# ---- Vivado ----

# Pins of a cell, as a list of name, direction, whether it is a clock.
proc pins {cell} {
  switch [lindex $::cells($cell) 1] {
    memory { return {{CLK IN 1} {DI IN 0} {ADDR IN 0} {DO OUT 0}} }
    caught { return {{C IN 1} {D IN 0} {PRE IN 0} {Q OUT 0}} }
    default { return {{C IN 1} {D IN 0} {R IN 0} {Q OUT 0}} }
  }
}

proc passes {filter properties} {
  if {$filter eq ""} { return 1 }
  set values {}
  foreach {all name operator value} [regexp -all -inline {(\w+) (==|=~) ([^\s()]+)} $filter] {
    if {![dict exists $properties $name]} { error "no property $name" }
    set have [dict get $properties $name]
    if {$operator eq "=="} {
      set holds [expr {$have eq $value}]
    } else {
      set holds [llength [matching $value [list $have]]]
    }
    lappend values $all $holds
  }
  return [expr [string map $values $filter]]
}

proc vivado {} {
  proc get_cells {args} {
    set given [options $args {-quiet -hierarchical} {-filter}]
    if {[option $given -hierarchical 0]} {
      set found {}
      foreach name [lsort [array names ::instances]] {
        set ref $::instances($name)
        set properties [dict create IS_PRIMITIVE 0 REF_NAME $ref ORIG_REF_NAME $ref]
        if {[passes [option $given -filter] $properties]} { lappend found $name }
      }
      return $found
    }
    # A pattern without -hierarchical does not look into instances.
    set pattern [lindex [dict get $given rest] 0]
    set depth [regexp -all / $pattern]
    set found {}
    foreach name [matching $pattern $::sorted] {
      if {[regexp -all / $name] == $depth} { lappend found $name }
    }
    return [lsort $found]
  }
  proc get_pins {args} {
    set given [options $args {-quiet} {-of_objects -filter}]
    set found {}
    foreach cell [option $given -of_objects] {
      foreach pin [pins $cell] {
        lassign $pin name direction clock
        set properties [dict create REF_PIN_NAME $name DIRECTION $direction IS_CLOCK $clock]
        if {[passes [option $given -filter] $properties]} { lappend found $cell/$name }
      }
    }
    return $found
  }
  proc get_clocks {args} {
    set given [options $args {-quiet} {-of_objects}]
    set found {}
    foreach object [option $given -of_objects] {
      set cell [file dirname $object]
      if {[info exists ::cells($cell)]} { lappend found [lindex $::cells($cell) 0] }
    }
    return [lsort -unique $found]
  }
  proc get_property {args} {
    lassign [dict get [options $args {-quiet} {}] rest] name object
    if {$name eq "PERIOD"} { return $::periods($object) }
    if {$name in {REF_NAME ORIG_REF_NAME}} { return $::instances($object) }
    error "no property $name"
  }
  proc all_fanin {args} {
    set given [options $args {-quiet -flat -startpoints_only} {}]
    set found {}
    foreach pin [lindex [dict get $given rest] 0] {
      lappend found {*}[lindex $::cells([file dirname $pin]) 2]
    }
    return [lsort -unique $found]
  }
  proc set_max_delay {args} {
    set given [options $args {-datapath_only} {-from -through -to}]
    if {![option $given -datapath_only 0] || ![dict exists $given -from]} {
      error "set_max_delay $args"
    }
    record max_delay $given [dict get $given rest]
  }
  proc set_bus_skew {args} {
    set given [options $args {} {-from -to}]
    record bus_skew $given [dict get $given rest]
  }
  proc set_false_path {args} { record false_path [options $args {} {-to}] "" }
}

# ---- Quartus ----

proc quartus {} {
  proc get_registers {args} {
    set given [options $args {-nowarn} {}]
    set pattern [lindex [dict get $given rest] 0]
    if {![string match *:* $pattern]} { return [matching $pattern $::sorted] }
    set found {}
    foreach name [matching $pattern [lsort [array names ::aliases]]] {
      lappend found $::aliases($name)
    }
    return [lsort $found]
  }
  proc get_collection_size {collection} { return [llength $collection] }
  proc get_register_info {flag register} { return $register }
  proc foreach_in_collection {name collection body} {
    uplevel 1 [list foreach $name $collection $body]
  }
  proc set_data_delay {args} {
    set valued {-from -to -get_value_from_clock_period -value_multiplier}
    set given [options $args {-override} $valued]
    record data_delay $given [dict get $given -get_value_from_clock_period]
  }
  proc set_max_skew {args} {
    set valued {-from -to -get_skew_value_from_clock_period -skew_value_multiplier}
    set given [options $args {} $valued]
    record max_skew $given [dict get $given -get_skew_value_from_clock_period]
  }
  proc set_false_path {args} { record false_path [options $args {} {-to}] "" }
}

# ---- OpenSTA ----

proc opensta {} {
  proc get_cells {args} {
    set given [options $args {-hierarchical} {}]
    return [lsort [matching [lindex [dict get $given rest] 0] $::sorted]]
  }
  proc get_full_name {cell} { return $cell }
  proc all_clocks {} { return [array names ::periods] }
  proc get_property {clock name} { return $::periods($clock) }
  proc set_max_delay {args} {
    set given [options $args {-ignore_clock_latency} {-from -to}]
    record max_delay $given [dict get $given rest]
  }
  proc set_false_path {args} { record false_path [options $args {} {-to}] "" }
}

# Warnings are no constraints.
rename puts say
proc puts {text} { say stderr $text }

source [lindex $argv 1]
set sorted [lsort [array names cells]]
$tool
foreach file [lrange $argv 2 end] { source $file }
