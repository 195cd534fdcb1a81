#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of lane bonding, of the shell and of the extended mode can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) one test bench and one
proof are run on it, and both have to refuse it. With TEXT only mutants whose file or text contains it are tried. Takes
some twenty minutes; not part of the regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

# Test bench (empty: none can tell) and proof (empty: it does not ask for progress).
TEMPORAL, SPATIAL = ("2-256-256", "bond_2x1"), ("2-256-512", "bond_2x2")

# The shell has test benches of its own.
OBSERVE, INJECT, SHELL = "test_rifl_observe.py", "test_rifl_error_inject.py", "test_rifl_shell.py"
SESSION = "test_rifl_shell_session.py"
CLOCKS = "test_rifl_clocks.py"
STRONG = "test_rifl_strong_code.py"
CTRL = "test_rifl_tx_ctrl.py"

# file, text in it, replacement, test bench, proof
MUTANTS = [
    ("rifl_bond_tx", "GroupLanes - 1 - o", "o", *SPATIAL),
    ("rifl_bond_tx", "!needed[o] || ready[Lane]", "1'b1", *SPATIAL),
    ("rifl_bond_tx", "last[g] && !needed[o+1]", "last[g]", *SPATIAL),
    ("rifl_bond_tx", "needed[o] && lanes_ready[g]", "needed[o]", *SPATIAL),
    ("rifl_bond_tx", "needed[o] && lanes_ready[g]", "lanes_ready[g]", *SPATIAL),
    ("rifl_bond_tx", "({Groups{last_i}} & lanes_ready)", "lanes_ready", *TEMPORAL),
    ("rifl_bond_tx", "({Groups{last_i}} & lanes_ready)", "{Groups{last_i}}", *TEMPORAL),
    ("rifl_bond_tx", "|(turn_q & free) && enable_i", "|(turn_q & free)", "", "bond_2x1"),
    ("rifl_bond_tx", "(valid & ~free)", "valid", *TEMPORAL),
    ("rifl_bond_tx", "if (s_axis_tvalid && s_axis_tready) turn_q", "if (s_axis_tready) turn_q", *TEMPORAL),
    ("rifl_bond_rx", "GroupLanes - 1 - o", "o", *SPATIAL),
    ("rifl_bond_rx", "!needed[o] || s_axis_tvalid[Lane]", "s_axis_tvalid[Lane]", "2-256-512", ""),
    ("rifl_bond_rx", "!needed[o] || s_axis_tvalid[Lane]", "1'b1", *SPATIAL),
    ("rifl_bond_rx", "s_axis_tkeep[Lane] & {Bytes{needed[o]}}", "s_axis_tkeep[Lane]", *SPATIAL),
    ("rifl_bond_rx", "pop[g] && needed[o]", "pop[g]", *SPATIAL),
    ("rifl_bond_rx", "last_i ? '0 : s_axis_tready", "s_axis_tready", *TEMPORAL),
    ("rifl_bond_rx", "last_i ? '0 : s_axis_tready", "'0", *TEMPORAL),
    ("rifl_bond_rx", "taken_q | popped", "popped", *TEMPORAL),
    ("rifl_bond_rx", "valid[turn_q] && free", "valid[turn_q]", *TEMPORAL),
    ("rifl_bond_rx", "if (take) turn_q", "if (free) turn_q", *TEMPORAL),
    ("rifl_bond_phase", "Groups - 2", "Groups - 1", "2-256-256", ""),
    ("rifl_bond_phase", "toggle_q != seen_q", "1'b0", "2-256-256", ""),
    ("rifl_ext_rx", "frame_id_i == awaited_q && room_i", "frame_id_i == awaited_q", CLOCKS, "ext_rx"),
    ("rifl_ext_rx", "(room_i || !kept_q)", "1'b1", "", "ext_rx"),
    ("rifl_ext_lane", "err_i || !alive_i", "err_i", CLOCKS, ""),
    ("rifl_ext_lane", "incident_q || silent_now", "incident_q", CLOCKS, ""),
    ("rifl_observe_lane", "status_i.error && !error_q", "status_i.error", OBSERVE, ""),
    ("rifl_observe_lane", "in_session_i ? status_i.incident :", "status_i.incident ||", OBSERVE, ""),
    ("rifl_observe_lane", "in_session_i ? status_i.served :", "status_i.served ||", OBSERVE, ""),
    ("rifl_observe_lane", "!flags_q.aligned && aligned_q", "flags_q.aligned && !aligned_q", OBSERVE, ""),
    ("rifl_observe_lane", "flags_q.compensate && !compensate_q", "flags_q.compensate", OBSERVE, ""),
    ("rifl_observe", "LinkWords + LaneWords * lane + 32'(offset) / 8", "LinkWords + 32'(offset) / 8", OBSERVE, ""),
    ("rifl_observe", "session_q != SessionStateUp", "1'b1", OBSERVE, ""),
    ("rifl_observe", "event_o[6] <= tx_abort_i || rx_abort_i", "event_o[6] <= tx_abort_i", OBSERVE, ""),
    ("rifl_observe", "else if (!(&up))", "else if (!(|up))", OBSERVE, ""),
    ("rifl_error_inject", "shift_i > 5'(i)", "shift_i >= 5'(i)", INJECT, ""),
    ("rifl_error_inject", "step1 >> 7", "step1 >> 9", INJECT, ""),
    ("rifl_error_inject", "below_q && zero_q) ?", "below_q) ?", INJECT, ""),
    ("rifl_error_inject", "rst_i || !enable", "rst_i", INJECT, ""),
    ("rifl_clock_offset", "valid_q ? lead_q : '0", "'0", SHELL, ""),
    ("rifl_clock_comp", "!(&lead[Width-1:1])", "lead != '1", "test_rifl_clock_comp.py", ""),
    ("rifl", "link_up && &rx_up", "link_up", SHELL, ""),
    ("rifl_observe_session", "if (status_i.phase != PhaseUp || status_i.peer != '0) peer_q", "peer_q", SESSION, ""),
    ("rifl_observe_lane", "if (in_session_i) word_o", "word_o", OBSERVE, ""),
    ("rifl", ".tx_abort_i   (tx_cut)", ".tx_abort_i   (rx_cut)", SESSION, ""),
    ("rifl_abort_tx", "if (s_axis_tlast) drop_q", "drop_q", "", "abort"),
    ("rifl_abort_tx", "drop_q <= 1'b1", "drop_q <= 1'b0", "", "abort"),
    ("rifl_abort_tx", "!drop_q && !cut_i;", "!drop_q;", "", "abort"),
    ("rifl_abort_rx", "end_q || s_axis_tlast", "s_axis_tlast", "", "abort"),
    ("rifl_abort_rx", "if (taken) end_q", "end_q", "", "abort"),
    ("rifl_abort_rx", "(s_axis_tvalid && !cut_i)", "s_axis_tvalid", "", "abort"),
    ("rifl_abort_rx", "!end_q && !cut_i", "!end_q", "", "abort"),
    ("rifl_abort_rx", "cut_i && open_q", "cut_i", "", "abort"),
    ("rifl_ext_rx", "err_q && control_good && answers", "err_q && control_good", "", "ext_rx"),
    ("rifl_ext_rx", "taken && matches_q", "taken", "", "ext_rx"),
    ("rifl_ext_rx", "data_bad || control_bad", "data_bad", "", "ext_rx"),
    ("rifl_ext_rx", "frame_q && !err_q && control_q", "frame_q && control_q", "", "ext_rx"),
    ("rifl_ext_rx", "err_left_q == '0", "err_left_q == IdWidth'(1)", "", "ext_rx"),
    ("rifl_ext_rx", "!follows || (control_q && asks)", "!follows", "", "ext_rx"),
    ("rifl_ext_rx", "!follows && !over", "!follows", "", "ext_rx"),
    ("rifl_ext_rx", "announcement.echo, announcement.lane", "announcement.echo, lane_i", "", "ext_rx"),
    ("rifl_ext_rx", "&& named_twice", "", "", "ext_rx"),
    ("rifl_ext_rx", "accept && (delayed_i || kept_q)", "accept && kept_q", SESSION, "ext_rx"),
    ("rifl_ext_rx", "wanted_q <= missed", "wanted_q <= awaited_q", "", "ext_rx"),
    ("rifl_ext_rx", "awaited_q <= missed", "awaited_q <= awaited_q", "", "ext_rx"),
    ("rifl_tx_ctrl", "ends_q <= '1;", "ends_q <= 1'b1;", CTRL, ""),
    ("rifl_tx_ctrl", "(!rx_error_i && !ends_q[0])", "!rx_error_i", CTRL, ""),
    ("rifl_ext_tx_ctrl", "fresh_i && steady_q &&", "steady_q &&", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "unbroken_q > round_trip_i", "unbroken_q >= round_trip_i", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "now_q - round_trip_i", "now_q - round_trip_i + 1'b1", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "(head_q - safe_q) != '1", "1'b1", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "&& st_sequence_i.ask_n != served_q", "", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "incident_i || serve ||", "incident_i ||", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "served_q <= st_sequence_i.ask_n;", "", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "room && !peer_stop_q", "room", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "fresh_i && steady_q && flow_q", "fresh_i && flow_q", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "peer_stop_q <= st_stop_i;", "peer_stop_q <= 1'b0;", "", "ext_pair_safe"),
    ("rifl_ext_tx_ctrl", "answered_o = served_q", "answered_o = '0", "", "ext_pair_progress"),
    ("rifl_ext_tx_ctrl", "else if (known) begin", "else if (1'b0) begin", "", "ext_pair_progress"),
    ("rifl_ext_tx_ctrl", "round_trip_valid_i && measured_q", "round_trip_valid_i", "", "ext_pair_safe"),
    ("rifl_ext_pkg", "said.session == partner", "said.session[14:0] == partner[14:0]", "", "ext_rx"),
    ("rifl_ext_pkg", "said.echo == own", "said.echo[15:1] == own[15:1]", "", "ext_rx"),
    ("rifl_ext_pkg", "SayPeriod + 4 + 1;", "SayPeriod + 4;", "", "round_trip"),
    ("rifl_round_trip", "fits && !again_q", "fits", "", "round_trip"),
    ("rifl_round_trip", "if (again) again_q <= 1'b1;", "if (start_i) again_q <= 1'b1;", "", "round_trip"),
    ("rifl_round_trip", "sent_q && enable_i && pong_valid_i", "enable_i && pong_valid_i", "", "round_trip"),
    ("rifl_ext_rx", "announced && of_session && strong_q", "announced && of_session", "", "ext_rx"),
    ("rifl_rx_check", "expected == data_i[CodeWidth+:StrongWidth]", "1'b1", STRONG, ""),
    ("rifl_rx_check", "|| control_o) && !bad_i", "|| control_o)", "1-256-256-6-None-0", ""),
    ("rifl_rx", "else if (last) bad_q", "else bad_q", "1-256-256-6-None-0", ""),
    ("rifl_strong_code", "first_i ? '0 : crc_q", "crc_q", "test_rifl_tx_serial.py", ""),
    ("rifl_session", "if (all_plain) compatible_d = !StrongCode", "if (all_plain) compatible_d = 1'b1", STRONG, ""),
    ("rifl_lane", "frame_rst_i || session_i.ends", "frame_rst_i", CLOCKS, ""),
    ("rifl_lane", ".rx_clear_i  (rx_cross_clear)", ".rx_clear_i  (phy_rx_rst_i)", CLOCKS, ""),
    ("rifl_lane", ".cross_rst_i (cross_rst)", ".cross_rst_i (data_rst_i)", CLOCKS, ""),
    ("rifl_link", "arst_i || user_arst_i", "arst_i", CLOCKS, ""),
]  # fmt: skip


def mutant(module, old, new, bench, proof):
    words = (bench,) if bench.endswith(".py") else ("test_rifl.py", "-k", bench)
    # A link that stands still is ended before it can sum up its tests, and counts as refused.
    test = Test((f"cores/rifl/tb/{words[0]}", *words[1:]), ran="SEED=")
    demands = [(f"test {bench}", [test])] if bench else []
    demands += [(f"proof {proof}", [Proof(f"rifl/{proof}")])] if proof else []
    return Mutant(module, old, new, demands)


if __name__ == "__main__":
    main("rifl", __doc__, [mutant(*row) for row in MUTANTS], env={"TB_TIMEOUT": "90"})
