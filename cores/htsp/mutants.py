#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of cores/htsp can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the named test bench or proof
is run on it, and has to refuse it. With TEXT only mutants whose file or text contains it are tried. Takes some ten minutes;
not part of the regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

MAC = "test_htsp_mac.py"  # two ends with their MACs
PAIR = "test_htsp_core.py::test_htsp_core[3]"  # two ends over wires
CARRIED = "test_htsp_core.py::test_htsp_tuser[16-3]"  # the same with TUSER, in narrow beats
OLD_PEER = "test_htsp_core.py::test_htsp_tuser[64-1]"  # one end without
LINE = "test_htsp_vectors.py::test_htsp_tx_vectors[64]"  # the transmitter, byte for byte
FRAMES_IN = "test_htsp_vectors.py::test_htsp_rx_vectors[64]"  # the receiver, case by case
SHELL = "test_htsp_shell.py::test_htsp_shell[64-None]"  # with registers, by either clock
CLOCKS = "test_htsp_clocks.py::test_htsp_clocks[40]"  # clocks that stop, resets at any time
ROOM, FRAMES, PACKETS = "rx_channel_room", "tx_frames", "rx_packets"

# file, text in it, replacement, test bench or proof
MUTANTS = [
    ("htsp_rx_channel", "level >= pause_level_i ||", "level > pause_level_i ||", ROOM),
    ("htsp_rx_channel", "head.count >= CountWidth'(i)", "head.count > CountWidth'(i)", ROOM),
    ("htsp_rx_channel", "(mark && !room) || lack", "mark && !room", PAIR),
    ("htsp_tx", "words_q >= cfg_i.burst - 1'b1", "words_q >= cfg_i.burst", FRAMES),
    ("htsp_tx", "m_axis_tlast <= footer || null_q", "m_axis_tlast <= footer", FRAMES),
    ("htsp_tx", "- 16'(6'(WordBytes - 1) - count_q)", "", FRAMES),
    ("htsp_tx", "7'(count_q) + 1'b1", "7'(count_q)", FRAMES),
    ("htsp_tx", "(stall_q >= cfg_i.stall_limit || cut_now)", "cut_now", FRAMES),
    ("htsp_tx", "send = state_q == Payload && head_valid", "send = state_q == Payload", FRAMES),
    ("htsp_tx", "if (granted) vc_q <= grant;", "vc_q <= '0;", FRAMES),
    ("htsp_tx", "m_axis_tvalid <= state_q == Header || send || footer", "m_axis_tvalid <= state_q == Header || send", FRAMES),
    ("htsp_tx", "if (footer_out) told_pause_q <= pause_since_q | pause;", "", LINE),
    ("htsp_tx", "told_pause_q <= pause_since_q | pause;", "told_pause_q <= pause;", LINE),
    ("htsp_tx", "{8{head.count >= CountWidth'(i)}}", "{8{1'b1}}", LINE),
    ("htsp_tx_header", "checksum: ~sum", "checksum: sum", MAC),
    ("htsp", ".s_rst_i(axil_clear),", ".s_rst_i(axil_rst),", SHELL),
    ("htsp", "phy_ready[1] && !settings.hold", "phy_rx_ready_i && !settings.hold", SHELL),
    ("htsp_tx_channel", "head.error || drain_q", "head.error", PAIR),
    ("htsp_rx", "open_q[vc] && !gap && status_o.link_up", "open_q[vc] && !gap", PACKETS),
    ("htsp_rx", "said_q.goes_on && status_o.link_up", "said_q.goes_on", PACKETS),
    ("htsp_rx", "if (word_valid_o) close_o[vc_q] = 1'b0;", "", PACKETS),
    ("htsp_rx", "close_o &= open_q;", "", PACKETS),
    ("htsp_rx", "gap || damage || !status_o.link_up", "gap || damage", PACKETS),
    ("htsp_rx", "else if (restart) close_o[vc] = 1'b1;", "", PACKETS),
    ("htsp_rx", "at_footer && (ends || !footer_good)", "at_footer && ends", PACKETS),
    ("htsp_rx", "open[vc_q] = !word_o.last", "open[vc_q] = 1'b1", PACKETS),
    ("htsp_rx", "footer_fits && !s_axis_tuser", "footer_fits", MAC),
    ("htsp_rx", "(damage && !told)", "damage", MAC),
    ("htsp_rx", "words_q + WordsWidth'(words_q != '1)", "words_q + 1'b1", FRAMES_IN),
    ("htsp_tx", "link_i.remote_tuser ? tuser_q : '0", "tuser_q", OLD_PEER),
    ("htsp_tx", "begins ? head.tuser.first : '0", "head.tuser.first", FRAMES),
    ("htsp_tx_channel", "begins_q ? s_axis_tuser[TuserWidth-1:8] : first_q", "s_axis_tuser[TuserWidth-1:8]", CARRIED),
    ("htsp_tx_channel", "s_axis_tlast ? s_axis_tuser[7:1] : '0", "s_axis_tuser[7:1]", CARRIED),
    ("htsp_rx", "Tuser && at_footer && footer_good && ends", "Tuser && at_footer && footer_good", CARRIED),
    ("htsp_rx", "Tuser && said_q.takes_tuser", "1'b1", OLD_PEER),
    ("htsp_rx_channel", "begins_q ? head.tuser.first : '0", "head.tuser.first", CARRIED),
    ("htsp_rx_channel", "stored.tuser = '0;", "", CARRIED),
    ("htsp_rx_channel", "pause_o && level >= resume_level_i", "1'b0", FRAMES_IN),
]  # fmt: skip


def mutant(module, old, new, judge):
    if judge.startswith("test_"):
        # A link that never comes up is ended before it can sum up its tests, and counts as refused.
        return Mutant(module, old, new, [(judge, [Test((f"cores/htsp/tb/{judge}",), ran="SEED=")])])
    return Mutant(module, old, new, [(f"proof {judge}", [Proof(f"htsp/{judge}")])])


if __name__ == "__main__":
    main("htsp", __doc__, [mutant(*row) for row in MUTANTS], env={"TB_TIMEOUT": "120"})
