#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of cores/eth can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the named test bench or proof
is run on it, and has to refuse it. With TEXT only mutants whose file or text contains it are tried. Takes some ten minutes;
not part of the regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

TX, RX = "test_eth_mac_tx.py::test_eth_mac_tx[16]", "test_eth_mac_rx.py::test_eth_mac_rx[16]"
LINE, WORDS = "tx_line", "tx_words"

# file, text in it, replacement, test bench or proof
MUTANTS = [
    ("eth_tx_line", "place_t'(i + FcsBytes) < tail_end : !beat_first_i", "place_t'(i) < tail_end : !beat_first_i", LINE),
    ("eth_tx_line", "tail && tail_end == place_t'(i)", "tail_end == place_t'(i)", LINE),
    ("eth_tx_line", "end_pending - place_t'(Bytes) : end_pending", "end_pending", TX),
    ("eth_tx_line", "from - slot_t'(Slots)", "'0", LINE),
    ("eth_tx_line", "else tail_q <= ends || tail_q;", "else tail_q <= ends;", LINE),
    ("eth_tx_line", "if (ends) deficit_q <= total[2:0];", "", TX),
    ("eth_tx_line", "if (push_o && wasted) deficit_q <= '0;", "", TX),
    ("eth_tx_line", "fcs_d[i] = 1'b0;", "", TX),
    ("eth_tx_line", "must_push_i || (may_push_i && complete)", "may_push_i && complete", WORDS),
    ("eth_tx_frame", "at_limit_q && s_over_i", "1'b0", TX),
    ("eth_tx_frame", "drop_q || (take_i && offered)", "take_i && offered", TX),
    ("eth_tx_frame", "bad_q || cut || (s_last_i", "bad_q || (s_last_i", TX),
    ("eth_tx_frame", "s_count_i < CountWidth'(MinTail)", "s_count_i > CountWidth'(MinTail)", TX),
    ("eth_rx_check", "status.too_short || !good", "status.too_short", RX),
    ("eth_rx_check", "count_q > count_t'(i + FcsBytes)", "count_q >= count_t'(i + FcsBytes)", RX),
    ("eth_rx_check", "if (spill_lanes[i]) expected", "if (0) expected", RX),
    ("eth_link_fault", "Enough = 3'd4", "Enough = 3'd3", RX),
    ("eth_link_fault", "Patience = 8'd128", "Patience = 8'd32", RX),
    ("eth_link_fault", "(remote_qq == kind_q) ? 4'(total_q) : 4'd0", "4'(total_q)", RX),
]  # fmt: skip


def mutant(module, old, new, judge):
    if judge.startswith("test_"):
        return Mutant(module, old, new, [(judge, [Test((f"cores/eth/tb/{judge}",), ran="SEED=")])])
    return Mutant(module, old, new, [(f"proof {judge}", [Proof(f"eth/{judge}")])])


if __name__ == "__main__":
    main("eth", __doc__, [mutant(*row) for row in MUTANTS], env={"TB_TIMEOUT": "120"})
