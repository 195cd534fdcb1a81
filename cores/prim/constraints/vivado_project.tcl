# SPDX-License-Identifier: Apache-2.0
# Adds the constraint files of all crossing cells to the open Vivado project: in implementation,
# behind the design's own clocks, the shared file first. Sourced by the FuseSoC target `vivado`; by
# hand: source cores/prim/constraints/vivado_project.tcl

foreach name {
    ropewalk_cells prim_sync_flop prim_sync_reset prim_sync_gray prim_fifo_async prim_sync_request prim_sync_setting
} {
    set file [file join [file dirname [file normalize [info script]]] vivado $name.tcl]
    add_files -fileset constrs_1 -norecurse $file
    set_property -dict {USED_IN implementation PROCESSING_ORDER LATE} [get_files $file]
}
