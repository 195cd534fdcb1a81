#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of SLink can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the test bench of that file, or a proof, is run on it,
and has to refuse it. With TEXT only mutants whose file or text contains it are tried. Takes a minute for each; not part of the
regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

SHELL, SESSION, DMA = "test_slink_shell.py", "test_slink_session.py", "test_slink_dma.py"
FRAME, SWITCH = "test_slink_frame.py", "test_slink_switch.py"
LINK, BLOCKS, PHY = "test_slink_link.py", "test_slink_blocks.py", "test_slink_phy.py"

# file, text in it, replacement, test bench
MUTANTS = [
    ("slink_peer", "assign repeated = header.crc && some_q &&", "assign repeated = 1'b0 &&", SHELL),
    ("slink_peer", "header.crc && part_valid_q;", "1'b0;", SHELL),
    ("slink_peer", "header.address[28:9] >= window_i.first &&", "", SHELL),
    ("slink_peer", "last[29:9] <= {1'b0, window_i.last}", "1'b1", SHELL),
    ("slink_peer", "- 1'b1;\n  assign allowed", ";\n  assign allowed", SHELL),
    ("slink_peer", "21'(continues ? written_q : '0)", "21'(0)", SHELL),
    ("slink_peer", "open_q && allowed_q && skip_q == '0", "open_q && allowed_q", SHELL),
    ("slink_peer", "open_q && allowed_q && skip_q == '0", "open_q && skip_q == '0", SHELL),
    ("slink_peer", "continues_q ? written_q + 1'b1 : blocks_t'(1)", "written_q + 1'b1", SHELL),
    ("slink_peer", "if (link_i.fault) bad_q <= bad_q | pending_q;", "", SHELL),
    ("slink_peer", "(reply != Outcome || link_i.idle)", "1'b1", SHELL),
    ("slink_peer", "if (rst_i || link_i.forget) begin", "if (rst_i) begin", SHELL),
    ("slink_own", "operation_i.local_address[2:0] != '0", "1'b0", SHELL),
    ("slink_own", "operation_i.lanes > 3'd2", "1'b0", SHELL),
    ("slink_own", "status_q.retries == 8'(Retries)", "status_q.retries == 8'(Retries + 1)", SHELL),
    ("slink_own", "assign renew_o = fails;", "assign renew_o = 1'b0;", SHELL),
    ("slink_own", "link_i.forget && (tried_q || m_ready_i)", "link_i.forget", SHELL),
    ("slink_own", "finish |= open_q && rx.ends && !rx.clean;", "", SHELL),
    ("slink_own", "Draining: finish |= link_i.idle;", "Draining: finish = 1'b1;", SHELL),
    ("slink_own", "status_q.refused <= sent_i.spoilt;", "", SHELL),
    ("slink_own", "if (link_i.fault && operation_i.read && state_q != Idle) status_q.refused <= 1'b1;", "", SHELL),
    ("slink_memory", "target_valid ? border : store_good", "store_good", SHELL),
    ("slink_core", "(!from_memory_q || offer)", "1'b1", SHELL),
    ("slink_core", "peer_valid ? next.address : own_request", "own_request", SHELL),
    ("slink_core", "peer_place.begins ? peer_place.address : own_place.address", "peer_place.address", SHELL),
    ("slink_core", "assign stopped_o = !packet_q && idle;", "assign stopped_o = 1'b1;", SHELL),
    ("slink_core", "end else if (read_error) begin", "end else if (1'b0) begin", SHELL),
    ("slink_core", "(!held_q || offered_q)", "1'b1", SHELL),
    ("slink_core", "(!held_q || offered_q)", "!held_q", SHELL),
    ("slink_core", "!rst_i && patience_q != '0 &&", "!rst_i &&", SHELL),
    ("slink_memory", "|| targets >= ($bits(targets))'(MaxTargets / 8)", "", SHELL),
    ("slink_core", "(late_q && tick)", "1'b0", SHELL),
    ("slink_peer", "header.crc && ahead != '0;", "header.crc && repeated;", SHELL),
    ("slink_peer", "|| (header.crc && !early && !link_i.free)", "|| header.crc", SHELL),
    ("slink_peer", "bad_q[answered] ?", "bad_q[0] ?", SHELL),
    ("slink_own", "if (m_ready_i) number_q <= number;", "if (m_ready_i) number_q <= number_i;", SHELL),
    ("slink_own", "header.address[4:0] == NoticeDamaged) answer = Damaged;", "1'b0) answer = Damaged;", SHELL),
    ("slink_issue", "chosen = slot_t'(next + slot_t'(i));", "chosen = slot_t'(next - 1'b1 - slot_t'(i));", SHELL),
    ("slink_issue", "if (begins[i]) place_o.address", "if (1'b0) place_o.address", SHELL),
    ("slink_issue", "if (link_i.forget) number_q <= '0;", "", SHELL),
    ("slink_issue", "if (sending_q != slot_t'(i)) {sent.ends, sent.beat}", "if (1'b0) {sent.ends, sent.beat}", SHELL),
    ("slink_issue", "|(busy_q & ~busy)", "|busy_q && !(|busy)", SHELL),
    ("slink_own", "|| rx.data_valid || link_i.pause)", "|| rx.data_valid)", SHELL),
    ("slink_rx", "&& !pad_word && !hold_word", "&& !pad_word", FRAME),
    ("slink_tx", ".m_ready_i (m_ready_i && !ask_i)", ".m_ready_i (m_ready_i)", FRAME),
    ("slink_tx", "!begins && !ask_i", "!begins", FRAME),
    ("slink_tx", "if (rest_q == '0 && !coding_i) begin", "if (rest_q == '0) begin", BLOCKS),
    ("slink_tx", "if (coding_i) beat = '0;", "", BLOCKS),
    ("slink_tx", "if (m_ready_i) begin", "begin", LINK),
    ("slink_rx", "? beat[4] : beat[2]", "? beat[2] : beat[2]", BLOCKS),
    ("slink_rx", "pieces != '0 || (!coding_i && size_q != '0)", "pieces != '0 || size_q != '0", BLOCKS),
    ("slink_phy", "end else if (s_ready_o) begin", "end else begin", LINK),
    ("slink_phy", "(k && !data[3]) ?", "k ?", LINK),
    ("slink_phy", "k && !data[3] && pair[0] == Com", "pair[0] == Com", LINK),
    ("slink_phy", "s_ready_o = ready || !coding_i", "s_ready_o = 1'b1", LINK),
    ("slink_phy", "together && !rx_changed", "together", PHY),
    ("slink_phy", "used[l] = rx_use[l] ?", "used[l] = use_i[l] ?", PHY),
    ("slink_phy", ".s_rst_i   (rx_clear)", ".s_rst_i   (1'b0)", PHY),
    ("slink", "else if (starts) start_q <= 1'b0;", "", SHELL),
    ("slink", "start_q && !stop_q && !hold && !core_rst_q", "start_q", SHELL),
    ("slink", "busy_q && !busy", "1'b0", SHELL),
    ("slink_session", "|| (up_q && code == First)", "", SESSION),
    ("slink_session", "heard || (up_q && !news)", "heard || up_q", SESSION),
    ("slink_switch", "own == peer_i &&\n      echo == session_i", "1'b1", SWITCH),
    ("slink_switch", "(line.speed == 2'd2 && cfg_i.able_fast)", "line.speed == 2'd2", SWITCH),
    ("slink_switch", "(!line.coding || cfg_i.able_coding)", "1'b1", SWITCH),
    ("slink_switch", "line.lanes <= cfg_i.able_lanes", "1'b1", SWITCH),
    ("slink_switch", "state_q == Asking && heard == matter_q", "state_q == Asking", SWITCH),
    ("slink_switch", "state_q != Asking || first", "state_q != Asking || !same", SWITCH),
    ("slink_switch", "else if (!operating_i) begin\n          state_d = Asking;", "else begin state_d = Asking;", SWITCH),
    ("slink_switch", "state_q == Waiting && !operating_i", "state_q == Waiting", SWITCH),
    ("slink_switch", "state_q == Agreed && !aligned_i", "state_q == Agreed && 1'b0", SWITCH),
    ("slink_switch", "next    = last_q;", "next    = start_q;", SWITCH),
    ("slink_switch", "last_tick && !good) begin\n          state_d", "1'b0) begin\n          state_d", SWITCH),
    ("slink_switch", "last_tick && !good) begin\n          //", "1'b0) begin\n          //", SWITCH),
    ("slink_switch", "(alive_i && state_q != Proving && held_q != '0)", "1'b0", SWITCH),
    ("slink_switch", " && held_q != '0)", ")", SWITCH),
    ("slink_switch", "(state_d == Asking && tick)", "1'b0", SWITCH),
    ("slink_switch", "(state_d == Asking && tick)", "(state_q == Asking && tick)", SWITCH),
    ("slink_switch", "if (asked && !able) begin", "if (1'b0) begin", SWITCH),
    ("slink_switch", "assign renew_o   = state_q == Silent && tick;", "assign renew_o   = 1'b0;", SWITCH),
    ("slink", "&& !core_rst_q && !line.busy", "&& !core_rst_q", SWITCH),
    ("slink", "lanes_rst_q <= rst || hold || line.silent;", "lanes_rst_q <= rst || hold;", SWITCH),
    ("slink_dma_write", "waiting == '0 && !next_valid_q && left_q == '0", "1'b1", SHELL),
    ("slink_dma_write", "open_q != 4'(MaxOpen)", "1'b1", DMA),
    ("slink_dma_read", "to_end ? span : count_t'(ask_q)", "span", DMA),
]  # fmt: skip

# The same for mistakes that a proof has to refuse, and which proof.
PROVED = [
    ("slink_peer", "header.crc && part_valid_q;", "1'b0;", "peer_once_1"),
    ("slink_peer", "assign repeated = header.crc && some_q &&", "assign repeated = 1'b0 &&", "peer_once_1"),
    ("slink_peer", "header.crc && ahead != '0;", "1'b0;", "peer_once_1"),
    ("slink_peer", "header.crc && ahead != '0;", "header.crc && repeated;", "peer_once_4"),
    ("slink_peer", "open_q && allowed_q && skip_q == '0", "open_q && allowed_q", "peer_once_1"),
    ("slink_peer", "open_q && allowed_q && skip_q == '0", "open_q && skip_q == '0", "peer_once_1"),
    ("slink_peer", "header.address[28:9] >= window_i.first &&", "", "peer_once_1"),
    ("slink_peer", "last[29:9] <= {1'b0, window_i.last}", "1'b1", "peer_once_1"),
    ("slink_peer", "last[29:9] <= {1'b0, window_i.last}", "last[28:9] <= window_i.last", "peer_once_1"),
    ("slink_peer", "(reply != Outcome || link_i.idle)", "1'b1", "peer_once_1"),
    ("slink_peer", "bad_q[answered] ?", "1'b0 ?", "peer_allowed"),
    ("slink_own", "header.number_low} == number_q;", "header.number_low} == number_i;", "issue_match_1"),
    ("slink_own", "header.beats == operation_i.beats &&", "", "issue_match_1"),
    ("slink_own", "if (m_ready_i) number_q <= number;", "if (m_ready_i) number_q <= number_i;", "issue_match_1"),
    ("slink_issue", "if (link_i.forget) number_q <= '0;", "", "issue_match_1"),
    ("slink_issue", "if (begins[i]) place_o.address", "if (1'b0) place_o.address", "issue_match_4"),
    ("slink_issue", "chosen = slot_t'(next + slot_t'(i));", "chosen = slot_t'(next - 1'b1 - slot_t'(i));", "issue_match_4"),
    ("slink_session", "echo == session_q;", "1'b1;", "session_pair"),
    ("slink_session", "heard || (up_q && !news)", "heard || up_q", "session_pair"),
    ("slink_dma_write", "made_q + CountBits'(count)", "made_q + CountBits'(count - 1'b1)", "dma_write"),
    ("slink_dma_write", "address_q[28:BurstBits] + 1'b1", "address_q[28:BurstBits]", "dma_write"),
    ("slink_dma_read", "to_end ? span : count_t'(ask_q)", "span", "dma_read"),
    ("slink_switch", "state_q == Waiting && !operating_i", "state_q == Waiting", "switch"),
    ("slink_switch", "line.lanes <= cfg_i.able_lanes", "1'b1", "switch"),
    ("slink_switch", "(last_tick && !answered)", "last_tick", "switch"),
    ("slink_switch", " && held_q != '0)", ")", "switch"),
]  # fmt: skip


def mutant(module, old, new, bench):
    tests = Test((f"cores/slink/tb/{bench}", "-m", "not long"), ran="SEED=")
    return Mutant(module, old, new, [(bench, [tests])])


if __name__ == "__main__":
    proofs = [
        Mutant(module, old, new, [(f"proof {proof}", [Proof(f"slink/{proof}")])])
        for module, old, new, proof in PROVED
    ]
    mutants = [mutant(*row) for row in MUTANTS] + proofs
    main("slink", __doc__, mutants, env={"TB_TIMEOUT": "300"})
