#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of cores/axis can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the
named tests and proofs are run on it, and every one of them has to refuse it. With TEXT only mutants
whose file or text contains it are tried. Takes some ten minutes; not part of the regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

UP, DOWN = "test_axis_width and 5to7", "test_axis_width and 7to3"
SOURCE, CHECK, METER = (
    "test_axis_prbs_source and 30",
    "test_axis_prbs_check and 30",
    "test_axis_meter and 4",
)

# file, text in it, replacement, selection of tests, proofs
MUTANTS = [
    ("axis_width", "turn_q > TurnW'(M - 1 - a)", "turn_q >= TurnW'(M - 1 - a)", UP, ["width_2to3"]),
    ("axis_width", "& ~res_lane & {N{!hold}}", "& ~res_lane", UP, ["width_2to3"]),
    ("axis_width", "& ~res_lane & {N{!hold}}", "& {N{!hold}}", UP, ["width_2to3"]),
    ("axis_width", "(M - t < In) && s_axis_tkeep", "s_axis_tkeep", UP, ["width_2to5"]),
    ("axis_width", "turn_q < TurnW'(M - In)", "turn_q <= TurnW'(M - In)", UP, ["width_2to3"]),
    ("axis_width", "m_axis_tready || room", "m_axis_tready", UP, ["width_2to3"]),
    ("axis_width", "(!room || s_axis_tlast)", "!room", UP, ["width_2to3"]),
    ("axis_width", "(flush_q || spill || !m_fire)", "(flush_q || spill)", UP, ["width_2to3"]),
    ("axis_width", "(flush_q || spill || !m_fire)", "(spill || !m_fire)", UP, ["width_2to3"]),
    ("axis_width", "base = flush_q ? '0 : turn_q", "base = turn_q", UP, ["width_2to3"]),
    ("axis_width", "res_q[N*8-1:InBytes*8]}", "res_q[(N-InBytes)*8-1:0]}", UP, ["width_2to5"]),
    ("axis_width", "keep_q <= {s_axis_tkeep, keep_q[N-1:InBytes]}", "keep_q <= '1", UP, ["width_2to3"]),
    ("axis_width", "reach[t] = s_axis_tkeep[(M+Out-t)%M*G]", "reach[t] = s_axis_tkeep[(M+Out-t-1)%M*G]", DOWN, ["width_3to2"]),
    ("axis_width", "(t > Out) && keep_q", "keep_q", DOWN, ["width_5to2"]),
    ("axis_width", "left[t] = (t > Out) && keep_q[(M+Out-t)%M*G]", "left[t] = (t > Out)", DOWN, ["width_5to2"]),
    ("axis_width", "turn_q >= TurnW'(Out)", "turn_q > TurnW'(Out)", DOWN, ["width_3to2"]),
    ("axis_width", "m_axis_tready && !hold && !rst_i", "m_axis_tready && !flush_q && !rst_i", DOWN, ["width_3to2"]),
    ("axis_width", "m_axis_tready && !hold && !rst_i", "m_axis_tready && !hold", DOWN, ["width_3to2"]),
    ("axis_width", "(s_axis_tvalid || hold) && !rst_i", "(s_axis_tvalid || flush_q) && !rst_i", DOWN, ["width_5to2"]),
    ("axis_width", "if (m_axis_tlast) turn_d", "if (flush_q) turn_d", DOWN, ["width_3to2"]),
    ("axis_width", "flush_q <= 1'b0;", "", DOWN, ["width_3to2"]),
    ("axis_width", "turn_q <= '0;", "", UP, ["width_2to3"]),
    ("axis_width", "& {8{s_axis_tkeep[j]}}", "", "test_axis_width and 8to8", []),
    ("axis_rotate", "(data_i << B3) | (data_i >> (W - B3))", "(data_i << B2) | (data_i >> (W - B2))", UP, ["width_2to5"]),
    ("axis_rotate", "data_i >> (W - B2)", "data_i >> (W - B1)", UP, ["width_2to3"]),
    ("axis_counter", "else if (clear_i) count_q <= Width'(inc_i);", "", f"{CHECK} or {METER}", []),
    ("axis_counter", "else if (clear_i) count_q <= Width'(inc_i);", "else if (clear_i) count_q <= '0;", f"{CHECK} or {METER}", []),
    ("axis_counter", "else if (next[Width-IncWidth]) count_q <= '1;", "", f"{CHECK} or {METER}", []),
    ("axis_counter", "count_q[Width-1:IncWidth]) + 1'b1", "count_q[Width-1:IncWidth])", f"{CHECK} or {METER}", []),
    ("axis_prbs_step", "from[Known-28*S +: New]", "from[Known-29*S +: New]", SOURCE, []),
    ("axis_prbs_step", "from[Known-31*S +: New]", "from[Known-30*S-1 +: New]", CHECK, []),
    ("axis_prbs_source", "random_bits[46:16]", "random_bits[45:15]", SOURCE, []),
    ("axis_prbs_source", "(&seed_i) ? Start : ~seed_i", "~seed_i", SOURCE, []),
    ("axis_prbs_source", "(seed_i == '0) ? Start : seed_i", "seed_i", SOURCE, []),
    ("axis_prbs_source", "(max_bytes_i > min_bytes_i) ? max_bytes_i - min_bytes_i : '0", "max_bytes_i - min_bytes_i", SOURCE, []),
    ("axis_prbs_source", "{1'b0, range} + 1'b1", "{1'b0, range}", SOURCE, []),
    ("axis_prbs_source", "left_q <= 16'(Bytes)", "left_q < 16'(Bytes)", SOURCE, []),
    ("axis_prbs_source", "gap_i - 1'b1", "gap_i", SOURCE, []),
    ("axis_prbs_source", "begin_packet = enable_i && (gap_i == '0)", "begin_packet = gap_i == '0", SOURCE, []),
    ("axis_prbs_source", "enable_i && ready_q", "enable_i", SOURCE, []),
    ("axis_prbs_source", "sequence_bits[8*count +: 31]", "sequence_bits[8*Bytes +: 31]", SOURCE, []),
    ("axis_prbs_source", "[31+8*j +: 8] & {8{keep[j]}}", "[31+8*j +: 8]", SOURCE, []),
    ("axis_prbs_source", "!m_axis_tvalid || m_axis_tready", "1'b1", SOURCE, []),
    ("axis_prbs_check", "tap_tvalid_i && tap_tready_i", "tap_tvalid_i", CHECK, []),
    ("axis_prbs_check", "& {8{tap_tkeep_i[j]}}", "", CHECK, []),
    ("axis_prbs_check", "sync_q ? own[8*count +: 31] : received", "sync_q ? received[8*count +: 31] : received", CHECK, []),
    ("axis_prbs_check", "|wrong || state_d == '0", "|wrong", CHECK, []),
    ("axis_prbs_check", "SyncBytes = 16", "SyncBytes = 17", "test_axis_prbs_check and 1", []),
    ("axis_prbs_check", "sum = sum + ErrorsW'(byte_errors_q[j])", "sum = ErrorsW'(|byte_errors_q)", CHECK, []),
    ("axis_prbs_check", "i < 8; i++) byte_errors", "i < 7; i++) byte_errors", CHECK, []),
    ("axis_prbs_check", "wrong_bits_sum << 3) >= bits_sum", "wrong_bits_sum << 3) > bits_sum", CHECK, []),
    ("axis_prbs_check", "lose = sync_q && window_end", "lose = window_end", "test_axis_prbs_check and 64", []),
    ("axis_prbs_check", "rst_i || window_end || !sync_q", "rst_i || !sync_q", CHECK, []),
    ("axis_prbs_check", "(beat && !sync_q && !rst_i) ? count", "(beat && !rst_i) ? count", CHECK, []),
    ("axis_meter", "tap_tvalid_i && !tap_tready_i", "!tap_tready_i", METER, []),
    ("axis_meter", "inc_i(!tap_tvalid_i)", "inc_i(!beat)", METER, []),
    ("axis_meter", "clear_i || window_end_q", "clear_i", METER, []),
    ("axis_meter", "window_q + 32'd1 >= window_i", "window_q >= window_i", METER, []),
    ("axis_meter", "window_end_q <= window_i != '0", "window_end_q <= 1'b1", METER, []),
    ("axis_meter", "ref_beat && !ref_open_q", "ref_beat", METER, []),
    ("axis_meter", "beat && !tap_open_q", "beat", METER, []),
    ("axis_meter", "timing_q ? ahead_q : between_q", "timing_q ? ahead_q : '0", METER, []),
    ("axis_meter", "ahead_q <= ahead - 16'(tap_first)", "ahead_q <= ahead", METER, []),
    ("axis_meter", "(timing_q || start) && !done && !clear_i", "(timing_q || start) && !done", METER, []),
    ("axis_meter", "(&elapsed) ? elapsed : elapsed + 1'b1", "elapsed + 1'b1", METER, []),
    ("axis_meter", "elapsed < min_q", "elapsed > min_q", METER, []),
    ("axis_meter", "elapsed > max_q", "elapsed < max_q", METER, []),
]  # fmt: skip


def mutant(module, old, new, selection, proofs):
    demands = [("tests", [Test(("cores/axis", "-k", selection))])]
    demands += [(f"proof {name}", [Proof(f"axis/{name}")]) for name in proofs]
    return Mutant(module, old, new, demands)


if __name__ == "__main__":
    main("axis", __doc__, [mutant(*row) for row in MUTANTS])
