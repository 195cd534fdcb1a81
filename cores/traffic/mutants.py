#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and the proofs of cores/traffic can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the
named tests and proofs are run on it, and every one of them has to refuse it. With TEXT only mutants
whose file or text contains it are tried. Takes some ten minutes; not part of the regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

ALL = "test_traffic and 20"
WRAPS = "test_traffic and 150"
LINK = "test_traffic_link"

# file, text in it, replacement, selection of tests, proofs
MUTANTS = [
    ("traffic_player", "idle_q >= cycles", "idle_q > cycles", ALL, ["player"]),
    ("traffic_player", "time_q >= cycles", "time_q > cycles", ALL, ["player"]),
    ("traffic_player", "(turn ? cycles == '0 : time_q >= cycles)", "(time_q >= cycles)", ALL, ["player"]),
    ("traffic_player", "!turn_waits && ", "", ALL, ["player"]),
    ("traffic_player", "else if (take) due_d = 1'b0;", "", ALL, ["player"]),
    ("traffic_player", "assign halt = stop_q && !open_q;", "assign halt = stop_q;", ALL, ["player"]),
    ("traffic_player", "assign halt = stop_q && !open_q;", "assign halt = 1'b0;", ALL, ["player"]),
    ("traffic_player", "loaded_q != '0 && closed_q", "loaded_q != '0", ALL, ["player"]),
    ("traffic_player", "beat_i && loading_q && fits", "beat_i && fits", ALL, ["player"]),
    ("traffic_player", "32'(loaded_q) < Depth &&", "", ALL, ["player"]),
    ("traffic_player", "runs_left_q == 32'd1", "runs_left_q <= 32'd1", ALL, ["player"]),
    ("traffic_player", "if (room) m_axis_tvalid <= take;", "m_axis_tvalid <= take;", ALL, ["player"]),
    ("traffic_player", "done_o  <= state_q == Drain && room", "done_o  <= state_q == Drain", ALL, ["player"]),
    ("traffic_capture", "recording_q && block_q && full_q", "recording_q && full_q", ALL, ["capture"]),
    ("traffic_capture", "recording_q && !full_q;", "recording_q;", ALL, ["capture"]),
    ("traffic_capture", "bits[Bytes]   = arrived.count != expected.count", "bits[Bytes] = 1'b0", ALL, ["capture"]),
    ("traffic_capture", "bits[Bytes+1] = arrived.last != expected.last", "bits[Bytes+1] = 1'b0", ALL, ["capture"]),
    ("traffic_capture", "bits[Bytes+2] = arrived.mark != (expected.mark && expected.last)", "bits[Bytes+2] = 1'b0", ALL, ["capture"]),
    ("traffic_capture", "bits[Bytes+3] = over_q", "bits[Bytes+3] = 1'b0", ALL, ["capture"]),
    ("traffic_capture", "assign wr_first = differ && !differs_q;", "assign wr_first = differ;", ALL, ["capture"]),
    ("traffic_capture", "32'(stored_q) < Depth - 1 &&", "32'(stored_q) < Depth &&", ALL, ["capture"]),
    ("traffic_capture", "begin_compare = compare_i && idle && stored_q != '0 && !full_q", "begin_compare = compare_i && idle && stored_q != '0", ALL, ["capture"]),
    ("traffic_capture", "if (differ_o) first_o <= beats_o;", "if (wr_first) first_o <= beats_o;", f"{ALL} or {LINK}", ["capture"]),
    ("traffic_capture", "(begin_compare || StoreWidth'(addr_q) == stored_q - 1'b1) ? '0", "begin_compare ? '0", f"{ALL} or {LINK}", ["capture"]),
    ("traffic_capture", " && !begin_record && !begin_compare", "", "", ["capture"]),
    ("traffic_counter", "high_q <= high_q + (Width - Low)'(carry_q);", "high_q <= high_q;", WRAPS, ["capture"]),
    ("traffic_counter", "shown_q <= low_q;", "shown_q <= '0;", ALL, ["capture"]),
    ("traffic_orders", "assign play_many = (play & (play - 1'b1)) != '0;", "assign play_many = 1'b0;", ALL, []),
    ("traffic_orders", "count_rst_i ? '0 : count_o", "rst_i ? '0 : count_o", ALL, []),
    ("traffic_observe", "if (in_window_i) begin", "begin", ALL, []),
    ("traffic", "!comparing && window < CaptureDepth", "!comparing", ALL, []),
    ("traffic", "given && (axil_held || !order_room)", "1'b0", ALL, []),
    ("traffic", "if (axil_held) given_q <= '0;\n    else if", "if", ALL, []),
    ("traffic", "if (play_began_seen_q) play_began_q", "if (play_began) play_began_q", ALL, []),
]  # fmt: skip


def mutant(module, old, new, selection, proofs):
    demands = [("tests", [Test(("cores/traffic", "-k", selection))])] if selection else []
    demands += [(f"proof {name}", [Proof(f"traffic/{name}")]) for name in proofs]
    return Mutant(module, old, new, demands)


if __name__ == "__main__":
    main("traffic", __doc__, [mutant(*row) for row in MUTANTS])
