#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of lane bonding, of the shell and of the extended mode can fail.

usage: mutants.py [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants-rifl) one test bench and one
proof are run on it, and both have to refuse it. With TEXT only mutants whose file or text contains it are tried. Takes
some twenty minutes; not part of the regular tests.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants-rifl"

# Test bench (empty: none can tell) and proof (empty: it does not ask for progress).
TEMPORAL, SPATIAL = ("2-256-256", "bond_2x1"), ("2-256-512", "bond_2x2")

# The shell has test benches of its own.
OBSERVE, INJECT, SHELL = "test_rifl_observe.py", "test_rifl_error_inject.py", "test_rifl_shell.py"
SESSION = "test_rifl_shell_session.py"

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
    ("rifl_observe", "rx_error_i[i] && !error_q", "rx_error_i[i]", OBSERVE, ""),
    ("rifl_observe", "in_session ? incident_i[i] :", "incident_i[i] ||", OBSERVE, ""),
    ("rifl_observe", "in_session ? served_i[i] :", "served_i[i] ||", OBSERVE, ""),
    ("rifl_observe", "!flags_q[i].aligned && before_q[i].aligned", "flags_q[i].aligned && !before_q[i].aligned", OBSERVE, ""),
    ("rifl_observe", "flags_q[i].compensate && !before_q[i].compensate", "flags_q[i].compensate", OBSERVE, ""),
    ("rifl_observe", "LinkWords + LaneWords * lane + 32'(offset) / 8", "LinkWords + 32'(offset) / 8", OBSERVE, ""),
    ("rifl_observe", "session_q != SessionStateUp", "1'b1", OBSERVE, ""),
    ("rifl_observe", "event_o[6] <= tx_abort_i || rx_abort_i", "event_o[6] <= tx_abort_i", OBSERVE, ""),
    ("rifl_observe", "else if (!(&rx_up_i))", "else if (!(|rx_up_i))", OBSERVE, ""),
    ("rifl_error_inject", "shift_i > 5'(i)", "shift_i >= 5'(i)", INJECT, ""),
    ("rifl_error_inject", "step1 >> 7", "step1 >> 9", INJECT, ""),
    ("rifl_error_inject", "below_q && zero_q) ?", "below_q) ?", INJECT, ""),
    ("rifl_error_inject", "rst_i || !enable", "rst_i", INJECT, ""),
    ("rifl_clock_offset", "valid_q ? lead_q : '0", "'0", SHELL, ""),
    ("rifl", "soft_reset_q <= regs_out.control.reset.value || reset_left_q != 0", "soft_reset_q <= regs_out.control.reset.value", SHELL, ""),
    ("rifl", "link_up && &rx_up", "link_up", SHELL, ""),
    ("rifl", "if (phase != PhaseUp || peer != '0) peer_q", "peer_q", SESSION, ""),
    ("rifl", "if (reason == ReasonPublished) round_trip_16", "if (0) round_trip_16", SESSION, ""),
    ("rifl", ".tx_abort_i       (tx_cut)", ".tx_abort_i       (rx_cut)", SESSION, ""),
    ("rifl", "lost_q ? '1 : word[63:32]", "word[63:32]", SHELL, ""),
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
    ("rifl_ext_rx", "&& announcement.lane == lane_i", "", "", "ext_rx"),
    ("rifl_ext_rx", "&& named_twice", "", "", "ext_rx"),
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
]  # fmt: skip


def copy_tree():
    shutil.rmtree(WORK, ignore_errors=True)
    for part in ("cores", "tools"):
        shutil.copytree(ROOT / part, WORK / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "pyproject.toml", WORK / "pyproject.toml")
    for part in (".venv", ".tools"):
        (WORK / part).symlink_to(ROOT / part)


def run(*command):
    # A link that stands still is ended, and counts as refused.
    env = {**os.environ, "TB_TIMEOUT": "90"}
    return subprocess.run(command, cwd=WORK, env=env, capture_output=True, text=True)


def refused_by_tests(selection):
    """Exit status 1 is "tests ran and failed"; a mutant that does not compile proves nothing."""
    file, chosen = (selection, "test") if selection.endswith(".py") else ("test_rifl.py", selection)
    done = run(sys.executable, "-m", "pytest", "-q", "-x", f"cores/rifl/tb/{file}", "-k", chosen)
    return done.returncode == 1 and "SEED=" in done.stdout


def refused_by_proof(name):
    done = run(sys.executable, "tools/proof.py", "--json", "--only", f"rifl/{name}")
    said = json.loads(done.stdout)["proofs"][0]["said"] if done.stdout else "ERROR"
    return said in ("FAIL", "UNKNOWN")


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    copy_tree()
    survivors = tried = 0
    for module, old, new, bench, proof in MUTANTS:
        if wanted not in f"{module} {old}":
            continue
        tried += 1
        path = WORK / "cores/rifl/rtl" / f"{module}.sv"
        original = path.read_text()
        # The formatter moves white space.
        pattern = r"\s*".join(re.escape(letter) for letter in old if not letter.isspace())
        mutant, found = re.subn(pattern, lambda _, text=new: text, original, count=1)
        if not found:
            sys.exit(f"mutants.py: {module} does not contain {old!r}")
        path.write_text(mutant)
        verdicts = [(f"test {bench}", refused_by_tests(bench))] if bench else []
        verdicts += [(f"proof {proof}", refused_by_proof(proof))] if proof else []
        path.write_text(original)
        survivors += not all(good for _, good in verdicts)
        what = ", ".join(f"{name} {'refuses' if good else 'ACCEPTS'}" for name, good in verdicts)
        print(f"{module}: {old!r} -> {new!r}: {what}", flush=True)
    print(f"{tried} mutants, {survivors} not refused by everything that should")
    sys.exit(1 if survivors or not tried else 0)


if __name__ == "__main__":
    main()
