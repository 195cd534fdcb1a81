#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of cores/prim can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the
module's cocotb test and the named proofs are run on it; every one of them has to refuse it. With
TEXT only mutants whose file or text contains it are tried. Takes a few minutes; not part of the
regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

# file, text in it, replacement, proofs that must fail (the test of the module always must).
# A synchroniser with a stage too few is logically right: only the test of the latency sees it.
MUTANTS = [
    ("prim_fifo_sync", "!full_q && !rst_i", "!rst_i", ["fifo_sync_lut", "fifo_sync_block"]),
    (
        "prim_fifo_sync",
        "push && !(bypass && m_ready_i)",
        "push",
        ["fifo_sync_lut", "fifo_sync_block"],
    ),
    ("prim_fifo_sync", "LevelWidth'(Depth - 1);", "LevelWidth'(Depth - 2);", ["fifo_sync_lut"]),
    ("prim_fifo_sync", "empty_q || (one && take)", "empty_q", ["fifo_sync_block"]),
    ("prim_fifo_sync", "(rd_addr_q == LastAddr) ? '0 :", "", ["fifo_sync_lut", "fifo_sync_block"]),
    (
        "prim_fifo_sync",
        "assign m_data_o = bypass ? s_data_i : head;",
        "assign m_data_o = head;",
        ["fifo_sync_lut"],
    ),
    ("prim_fifo_sync", "else if (rd_en) in_side_q <= 1'b0;", "", ["fifo_sync_block"]),
    ("prim_fifo_async", "PtrWidth'(3) <<", "PtrWidth'(1) <<", ["fifo_async"]),
    (
        "prim_fifo_async",
        "assign wr_en = s_valid_i && s_ready_o;",
        "assign wr_en = s_valid_i;",
        ["fifo_async"],
    ),
    (
        "prim_fifo_async",
        "wr_gray_q <= wr_ptr_d ^ (wr_ptr_d >> 1);",
        "wr_gray_q <= wr_ptr_d;",
        ["fifo_async"],
    ),
    ("prim_fifo_async", "wr_ptr_q <= '0;", "wr_ptr_q <= wr_ptr_q;", ["fifo_async"]),
    ("prim_clear_side", "|| !acked || !clear_q", "|| !acked", ["clear"]),
    ("prim_clear_side", "|| want_q) && !acked)", "|| want_q))", ["clear"]),
    ("prim_clear_side", "(rst_i || want_q) && !req_d", "1'b0", ["clear"]),
    ("prim_clear_side", "|| req_q || acked || asked", "|| req_q || acked", ["clear"]),
    ("prim_clear_side", "|| req_q || acked || asked", "|| req_q || asked", ["clear"]),
    (
        "prim_clear_side",
        "clear_q <= acked",
        "clear_q <= rst_i || acked",
        ["clear", "fifo_async_clear"],
    ),
    ("prim_fifo_async_clear", ".s_rst_i (s_clear)", ".s_rst_i (s_rst_o)", ["fifo_async_clear"]),
    ("prim_fifo_async_clear", ".m_rst_i (m_rst_o)", ".m_rst_i (m_clear)", ["fifo_async_clear"]),
    ("prim_fifo_async_clear", "!s_rst_i && !s_rst_o", "!s_rst_i", ["fifo_async_clear"]),
    ("prim_sync_setting", "sent_q == taken && (", "(", ["sync_setting"]),
    ("prim_sync_setting", "!src_rst_i && ", "", ["sync_setting"]),
    ("prim_sync_setting", "dst_value_q <= value_q", "dst_value_q <= src_value_i", ["sync_setting"]),
    ("prim_sync_setting", "src_value_i != value_q", "src_value_i[0] != value_q[0]", []),
    ("prim_skid", "s_ready_q <= !side_valid_d;", "s_ready_q <= 1'b1;", ["skid"]),
    ("prim_skid", "s_ready_q <= !side_valid_d;", "s_ready_q <= advance;", ["skid"]),
    ("prim_skid", "side_valid_q ? side_data_q : s_data_i", "s_data_i", ["skid"]),
    ("prim_skid", "if (s_ready_q) side_data_q", "side_data_q", ["skid"]),
    ("prim_arb_rr", "~(gnt_o | (gnt_o - 1'b1))", "~(gnt_o - 1'b1)", ["arb_rr"]),
    ("prim_arb_rr", "(first != '0) ? lowest(first) : lowest(req_i)", "lowest(req_i)", ["arb_rr"]),
    ("prim_arb_rr", "x[i] && (x & N'((1 << i) - 1)) == '0", "x[i]", ["arb_rr"]),
    ("prim_axil_split", "w_go && !w_q.gone;", "w_go;", ["axil_split"]),
    ("prim_axil_split", "aw_q.full && w_q.full;", "aw_q.full;", ["axil_split"]),
    (
        "prim_axil_split",
        "s_axil_bvalid  = w_go && w_none;",
        "s_axil_bvalid  = 1'b0;",
        ["axil_split"],
    ),
    (
        "prim_axil_split",
        "s_axil_arready = !ar_q.full && !rst_i;",
        "s_axil_arready = !rst_i;",
        ["axil_split"],
    ),
    ("prim_counter_bank", "(turn ? '0 : sum_q)", "sum_q", []),
    ("prim_counter_bank", "clearing1_q ? '0 : stored", "stored", []),
    ("prim_counter_bank", "(last_slot || clearing_q) ? '0", "last_slot ? '0", []),
    ("prim_counter_bank", "(2 ** OwnInc - 1) * (Count + 1)", "(2 ** OwnInc - 1) * Count", []),
    ("prim_counter_bank", "inc_i[i][OwnInc-1:0]", "inc_i[i]", []),
    ("prim_sync_notice", "else if (src_event_i)", "else if (src_event_i && !busy)", []),
    ("prim_sync_count", "count - count_q", "Width'(count != count_q)", []),
    ("prim_sync_request", "if (underway) begin", "if (1'b0) begin", []),
    ("prim_sync_request", "src_lost_o <= underway;", "src_lost_o <= 1'b0;", []),
    ("prim_sync_request", "if (dst_req_o && dst_ack_i) begin", "if (dst_ack_i) begin", []),
    ("prim_sync_request", "if (src_rst_i) begin", "if (1'b0) begin", []),
    ("prim_page_reader", "lost_q ? '1 : word[63:32]", "word[63:32]", []),
    ("prim_page_reader", "bus_req_i && bus_write_i;", "1'b0;", []),
    ("prim_page_reader", "&& !bus_write_i && !high)", "&& !high)", []),
    ("prim_csr", ".src_rst_i  (bus_clear_o)", ".src_rst_i  (bus_rst_o)", []),
    ("prim_csr", ".src_rst_i  (core_clear)", ".src_rst_i  (core_rst_o)", []),
    ("prim_csr", ".dst_rst_i  (bus_held_o)", ".dst_rst_i  (1'b0)", []),
    ("prim_csr", "bus_command_i[i] && !bus_held_o", "bus_command_i[i]", []),
    ("prim_stretch", "d_i || left_q != '0", "d_i", []),
    ("prim_stretch", "if (d_i) left_q", "if (d_i && left_q == '0) left_q", []),
    ("prim_sync_pulse", "src_pulse_i && !src_busy_o", "src_pulse_i", ["sync_pulse"]),
    ("prim_sync_pulse", "src_toggle_q != src_ack", "1'b0", ["sync_pulse", "sync_pulse_clear"]),
    ("prim_sync_pulse", "dst_toggle_q <= dst_toggle;", "dst_toggle_q <= 1'b0;", ["sync_pulse"]),
    (
        "prim_sync_gray",
        "src_gray_q <= src_count_d ^ (src_count_d >> 1);",
        "src_gray_q <= src_count_d;",
        ["sync_gray"],
    ),
    ("prim_sync_gray", "^dst_gray[Width-1:i]", "dst_gray[i]", ["sync_gray"]),
    (
        "prim_sync_flop",
        "if (rst_i) chain_q <= {Stages{ResetValue}}",
        "if (rst_i) chain_q <= '0",
        [],
    ),
    ("prim_sync_flop", "chain_q[Stages-1];", "chain_q[Stages-2];", []),
    ("prim_sync_flop", "1'($urandom)", "1'b0", []),
    ("prim_sync_bit", ".ResetValue(ResetValue)", ".ResetValue(1'b0)", []),
    ("prim_sync_reset", "posedge clk_i or posedge arst_i", "posedge clk_i", []),
    ("prim_sync_reset", "else if (rst_o)", "else", []),
    ("prim_ram_1r1w", "if (rd_en_i) rd_data_q <= word;", "rd_data_q <= word;", []),
    (
        "prim_ram_1r1w",
        "if (rd_en_i) rd_data_q <= mem[rd_addr_i];",
        "if (rd_en_i) rd_data_q <= (wr_en_i && wr_addr_i == rd_addr_i) ? wr_data_i : mem[rd_addr_i];",
        [],
    ),
    ("prim_ram_lut", "if (wr_en_i) mem", "mem", []),
    ("prim_crc", "column[CrcWidth-1] ? Poly : '0", "column[CrcWidth-2] ? Poly : '0", []),
    ("prim_crc", "crc_i << DataWidth;", "'0;", []),
]


# Modules that are tested as a part of another one.
TESTED_IN = {"prim_clear_side": "prim_clear"}


def mutant(module, old, new, proofs):
    test = Test((f"cores/prim/tb/test_{TESTED_IN.get(module, module)}.py",))
    demands = [("test", [test])]
    demands += [(f"proof {name}", [Proof(f"prim/{name}")]) for name in proofs]
    return Mutant(module, old, new, demands)


if __name__ == "__main__":
    main("prim", __doc__, [mutant(*row) for row in MUTANTS])
