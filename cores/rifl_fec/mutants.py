#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of codewords under RIFL can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the test benches named are
run on it, and each of them has to refuse it; so has a proof where one is named. With TEXT only mutants whose file or text
contains it are tried. Takes some ten minutes; not part of the regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

# Words that follow from each other, and what crates/wire makes of the same words.
PAIR, LANE = "test_rifl_fec.py::test_rifl_fec[1-16]", "test_rifl_fec_lane.py"
BOTH = (PAIR, LANE)

# file, text in it, replacement, test benches, proof
MUTANTS = [
    ("rifl_fec_pkg", "Marker = 8'h47", "Marker = 8'h46", BOTH, ""),
    ("rifl_fec_pkg", "index != index_t'(Half)", "index != index_t'(Half - 1)", (PAIR,), ""),
    # Places: off by one, one codeword too early, counts of before the reset, the last of several.
    ("rifl_fec_find", "take ? Last : index", "take ? '0 : index", BOTH, ""),
    ("rifl_fec_find", "Passes = 2'd3", "Passes = 2'd2", (LANE,), ""),
    ("rifl_fec_find", "fresh_q ? 2'd1 :", "", (LANE,), ""),
    ("rifl_fec_find", "any[2*i] ? at[2*i] : at[2*i+1] | slip_t'(1 << level)", "any[2*i+1] ? at[2*i+1] | slip_t'(1 << level) : at[2*i]", (LANE,), ""),
    # Settings, what is said of them, and edges of clocks.
    ("rifl_fec_control", "if (absent_q == AbsentWidth'(1)) follow_q <= 1'b0;", "", (PAIR,), ""),
    ("rifl_fec_control", "mode_i == Auto && follow_q", "mode_i == Auto", (PAIR,), ""),
    ("rifl_fec_control", "Plain : PeerOnly", "PeerOnly : Plain", BOTH, ""),
    ("rifl_fec_control", "Coded : Partial", "Coded : Coded", (LANE,), ""),
    ("rifl_fec_control", "take_d && frame_d ==", "frame_d ==", (PAIR,), ""),
    ("rifl_fec_control", "!take_o ? user_q :", "", (PAIR,), ""),
    ("rifl_fec", "!= Off", "== On", (PAIR,), ""),
    ("rifl_fec", ".en_i (frame)", ".en_i (user)", (PAIR,), ""),
    # The transmitter: halves, marker, the gap that the encoder moves.
    ("rifl_fec_tx", "index_i <= index_t'(Half)", "index_i < index_t'(Half)", BOTH, ""),
    ("rifl_fec_tx", "index_i == Last", "index_i == '0", BOTH, ""),
    ("rifl_fec_tx", ".Gap(2)", ".Gap(1)", BOTH, ""),
    ("rifl_fec_widen", "step == 3'd1 && first_q", "step == 3'd1", BOTH, "words_0"),
    ("rifl_fec_narrow", "place <= 2'(Gap)", "place < 2'(Gap)", BOTH, "words_1"),
    # The receiver: heard without a correction, places kept or given up, marks, halves.
    ("rifl_fec_rx", "begins && !dec_uncorrectable", "begins", (LANE,), ""),
    ("rifl_fec_rx", "LoseWidth'(Lose - 1)", "LoseWidth'(Lose - 2)", BOTH, ""),
    ("rifl_fec_rx", "lose = refused_last ||", "lose =", (LANE,), ""),
    ("rifl_fec_rx", "refused_last || missing_last", "refused_last", (LANE,), ""),
    ("rifl_fec_rx", "cut_missing ? missing_q + 1'b1 : '0", "cut_missing ? missing_q + 1'b1 : missing_q", (LANE,), ""),
    ("rifl_fec_rx", "dec_uncorrectable && heard_o && found", "dec_uncorrectable && found", (LANE,), ""),
    ("rifl_fec_rx", "|| decode != decode_q", "", BOTH, ""),
    ("rifl_fec_rx", "decode && word_bad_q", "decode && word_bad_q && index != index_t'(Payload)", BOTH, ""),
    ("rifl_fec_rx", "first ? use_i : decode_q", "use_i", (LANE,), ""),
    ("rifl_fec_rx", "if (begins) word_bad_q", "if (first) word_bad_q", BOTH, ""),
    ("rifl_fec_rx", "index <= index_t'(Half)", "index <= index_t'(Half + 1)", BOTH, ""),
    ("rifl_fec_rx", "!decode || moves(index)", "moves(index)", BOTH, ""),
]  # fmt: skip


def mutant(module, old, new, benches, proof):
    demands = [(f"test {b}", [Test((f"cores/rifl_fec/tb/{b}",), ran="SEED=")]) for b in benches]
    demands += [(f"proof {proof}", [Proof(f"rifl_fec/{proof}")])] if proof else []
    return Mutant(module, old, new, demands)


if __name__ == "__main__":
    main("rifl_fec", __doc__, [mutant(*row) for row in MUTANTS], env={"TB_TIMEOUT": "90"})
