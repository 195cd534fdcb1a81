#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of cores/line can fail.

usage: mutants.py [--list] [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the
module's cocotb tests and its proofs, if it has some, are run on it; both have to refuse it. With TEXT only mutants
whose file or text contains it are tried. Takes some minutes; not part of the regular tests.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from mutants import Mutant, Proof, Test, main

# RTL file: (test, parametrisations of it to run, proofs)
CHECKS = {
    "line_8b10b_pkg": (
        "test_line_8b10b.py",
        ["::test_line_8b10b_enc[2]", "::test_line_8b10b_dec[2]"],
        ["8b10b"],
    ),
    "line_8b10b_enc": ("test_line_8b10b.py", ["::test_line_8b10b_enc[2]"], ["8b10b"]),
    "line_8b10b_dec": ("test_line_8b10b.py", ["::test_line_8b10b_dec[2]"], ["8b10b"]),
    "line_scrambler": ("test_line_scrambler.py", [""], ["scrambler_52"]),
    "line_descrambler": ("test_line_scrambler.py", [""], ["scrambler_52"]),
    "line_64b66b_pkg": ("test_line_64b66b.py", ["::test_line_64b66b"], ["64b66b"]),
    "line_64b66b_enc": ("test_line_64b66b.py", ["::test_line_64b66b"], ["64b66b"]),
    "line_64b66b_dec": ("test_line_64b66b.py", ["::test_line_64b66b"], ["64b66b"]),
    "line_64b66b_tx": ("test_line_64b66b_tx.py", ["::test_line_64b66b_tx[4]"], []),
    "line_64b66b_rx": ("test_line_64b66b_rx.py", [""], []),
    "line_gearbox_tx": ("test_line_64b66b_tx.py", ["::test_line_64b66b_tx[1]"], ["gearbox_tx"]),
    "line_gearbox_rx": ("test_line_64b66b_rx.py", [""], ["gearbox_rx"]),
    "line_block_lock": (
        "test_line_block_lock.py",
        ["::test_line_block_lock[64-64-16]", "::test_line_block_lock[5-5-5]"],
        [],
    ),
    "line_comma": ("test_line_comma.py", ["::test_line_comma[2]"], []),
    "line_8b10b_rx": ("test_line_8b10b_rx.py", ["::test_line_8b10b_rx[2]"], []),
    "line_deskew": ("test_line_deskew.py", ["::test_line_deskew[4-16]"], []),
    "line_elastic": ("test_line_elastic.py", [""], []),
    "line_stripe": ("test_line_stripe.py", ["::test_line_stripe[4-2]"], []),
    "line_unstripe": ("test_line_stripe.py", ["::test_line_unstripe[4-2]"], []),
    "line_aligner": (
        "test_line_aligner.py",
        ["::test_line_aligner[7-2-5-2]", "::test_line_aligner[64-4]"],
        ["aligner_4x3", "aligner_5x2", "aligner_lock", "aligner_repeat"],
    ),
}

# RTL file, text in it, replacement.
MUTANTS = [
    # The code: a wrong row, a form of x.7 too few, disparities that are not inverted or not carried
    # on, checks left out.
    ("line_8b10b_pkg", "bits != flip6(6'b111100)", "bits != flip6(6'b001111)"),
    ("line_8b10b_pkg", "heavy6(bits) || bits == six(5'd7, 1'b0)", "heavy6(bits)"),
    ("line_8b10b_pkg", "heavy4(bits) || bits == four(3'd3, 1'b0)", "heavy4(bits)"),
    ("line_8b10b_enc", "(x == 5'd11 || x == 5'd13 || x == 5'd14)", "(x == 5'd11 || x == 5'd13)"),
    ("line_8b10b_enc", "rd_mid && (k || positive4(block4))", "rd_mid && positive4(block4)"),
    ("line_8b10b_enc", "running ^ flips[s]", "rd_i ^ flips[s]"),
    ("line_8b10b_dec", "known[s] ? knows[s] : running", "known[s] ? knows[s] : rd_i"),
    ("line_8b10b_dec", "k28 ? minus6 : plus4", "plus4"),
    ("line_8b10b_dec", " || wrong7;", ";"),
    ("line_8b10b_dec", "(knows6 ? minus4 : plus4)", "(knows6 ? minus4 : 1'b0)"),
    ("line_8b10b_dec", "seven && (other_data || k28)", "seven && other_data"),
    ("line_8b10b_dec", "!legal6(block6) ||", ""),
    ("line_8b10b_dec", "known4 && minus4 == rd[s]", "1'b0"),
    ("line_8b10b_dec", "bad ? Damaged : {y, x}", "{y, x}"),
    # 64b/66b: a code that is none, types and kinds not checked, the byte that gives way forgotten
    # or left behind; blocks at the wrong place or pace, a scrambler that stands still; slips not
    # asked for, windows that never end.
    ("line_64b66b_pkg", "{^code, code}", "{1'b0, code}"),
    ("line_64b66b_pkg", "value[1] ^ value[2] ^ value[3],", "value[1] ^ value[2],"),
    ("line_64b66b_enc", "placed ? 8'h00 : data_i[0][7:0]", "data_i[0][7:0]"),
    ("line_64b66b_enc", "if (k_i[0]) payload_o[15:8] = payload_o[7:0];", ""),
    ("line_64b66b_dec", "intact(payload_i[7:0]) && mask != '0", "mask != '0"),
    ("line_64b66b_dec", "intact(payload_i[7:0]) && mask != '0", "intact(payload_i[7:0])"),
    ("line_64b66b_dec", ": header_i == DataHeader;", ": 1'b1;"),
    ("line_64b66b_dec", "whole && intact(kind) &&", "whole &&"),
    ("line_64b66b_dec", "(spare == '0 || (!placed && !mask[0]))", "1'b1"),
    ("line_64b66b_dec", "if (!placed) moved = spare;", "moved = spare;"),
    ("line_64b66b_dec", "control && !mask[0]", "control"),
    ("line_64b66b_tx", "6'(Cycles - 1)", "6'(Cycles - 2)"),
    ("line_64b66b_tx", "else if (load_q) state_q", "else state_q"),
    ("line_64b66b_rx", "state_q <= state;", "state_q <= '0;"),
    ("line_64b66b_rx", "|| (busy_q && word_q != '1)", "|| busy_q"),
    ("line_64b66b_rx", "aligned_o <= locked && !rst_i;", "aligned_o <= !rst_i;"),
    ("line_gearbox_tx", "rest | 80'(s_data_i)", "80'(s_data_i)"),
    ("line_gearbox_tx", "<< {place_i, 1'b0}", "<< {1'b0, place_i}"),
    ("line_gearbox_rx", "7'(Most) - count_q", "7'(Most - 1) - count_q"),
    ("line_gearbox_rx", "+ 7'(slip_i)", ""),
    ("line_gearbox_rx", "count_q >= 7'd66", "count_q > 7'd66"),
    ("line_block_lock", "count_q <= (lost || last) ?", "count_q <= lost ?"),
    ("line_block_lock", "CountWidth'(LockBlocks - 1)", "CountWidth'(LockBlocks - 2)"),
    ("line_block_lock", "BadWidth'(BadLimit - 1)", "BadWidth'(BadLimit - 2)"),
    ("line_block_lock", "!locked_o || bad_q", "bad_q"),
    ("line_block_lock", "if (lost || last) bad_q", "if (lost) bad_q"),
    # The block: a doubling step too few, a term missing, wrong taps, wrong state, wrong scales.
    ("line_scrambler", "scale * Tap < Width", "2 * scale * Tap < Width"),
    ("line_scrambler", "^ (quotient >> (scale * Order))", ""),
    ("line_scrambler", "Width'(history >> Order)", "Width'(history >> (Order - 1))"),
    ("line_scrambler", "Order'({state_i, quotient})", "Order'({state_i, data_i})"),
    ("line_scrambler", "scale = scale * 2", "scale = scale + 1"),
    ("line_descrambler", "line[Tap+:Width]", "line[Tap-1+:Width]"),
    ("line_descrambler", "= data_i ^", "="),
    ("line_descrambler", "line[Order-1:0]", "{line[Order-2:0], 1'b0}"),
    # Lanes of symbols: a comma of one disparity only, a cut that moves while aligned or never,
    # slips not seen, points that stay or never count; skew off by one, points kept, windows without
    # end; idle words that cross; pieces mixed up.
    ("line_comma", "|| window[i+1+:10] == ~Comma", ""),
    (
        "line_comma",
        "commas_q == LockWidth'(LockCommas - 1);",
        "commas_q == LockWidth'(LockCommas - 2);",
    ),
    ("line_comma", "slip_q <= place;", ""),
    ("line_comma", "|| (stray_q && commas_q == LockWidth'(LockCommas - 1))", ""),
    ("line_comma", "points_q <= points_q - 1'b1", "points_q <= points_q"),
    ("line_comma", "if (lost || comma_q) commas_q", "if (lost) commas_q"),
    ("line_8b10b_rx", "rd_q <= rd;", "rd_q <= 1'b0;"),
    ("line_8b10b_rx", "comma && !error[0]", "comma_q && !error[0]"),
    ("line_deskew", "wr_addr_q - AddrWidth'(fill_q[l])", "wr_addr_q - 1'b1"),
    ("line_deskew", "FillWidth'(Depth - 1)", "FillWidth'(Depth - 2)"),
    ("line_deskew", "fill_q[l] == FillWidth'(Depth);", "fill_q[l] == FillWidth'(Depth - 1);"),
    ("line_deskew", "(late != '0) ? marker & use_i : seen", "seen"),
    ("line_deskew", "marker = valid_i & marker_i", "marker = marker_i"),
    ("line_deskew", "&& (use_i & empty) == '0", ""),
    ("line_deskew", "|| (use_i & over) != '0", ""),
    ("line_deskew", "else if (valid_i[l]) wr_addr_q", "else wr_addr_q"),
    ("line_deskew", "else if (valid_o) begin", "else begin"),
    ("line_deskew", "use_i != use_q ||", ""),
    ("line_deskew", "|| (use_i & ~aligned_i) != '0", ""),
    ("line_deskew", "BadWidth'(BadLimit - 1)", "BadWidth'(BadLimit - 2)"),
    ("line_deskew", "begin points_q <= '0; end else if", "begin end else if"),
    ("line_elastic", "s_valid_i && !s_idle_i", "s_valid_i"),
    ("line_elastic", "write && !ready", "s_valid_i && !ready"),
    ("line_elastic", "m_valid_o ? data : Idle", "data"),
    ("line_stripe", "((p*int'(Symbols)+s)<<g)+l", "((p*int'(Symbols)+s)*int'(Lanes))+l"),
    ("line_stripe", "s_valid_i && m_ready_i", "s_valid_i"),
    ("line_stripe", "m_ready_i && last", "last"),
    ("line_unstripe", "s_first_i ? '0 : piece_q", "piece_q"),
    ("line_unstripe", "done = s_last_i", "done = 1'b0"),
    ("line_unstripe", "((p*int'(Symbols)+s)<<g)+l", "((p*int'(Symbols)+s)*int'(Lanes))+l"),
    # The search: wrong neighbours, passes that forget or never do, hits not counted or counted
    # wrongly, a lock at the wrong word or time.
    (
        "line_aligner",
        "{data_i[Width-2:0], prev_q[Width-1]}",
        "{data_i[Width-2:0], data_i[Width-1]}",
    ),
    ("line_aligner", "legal_here & (alive_before | {Width{pass_q == '0}})", "legal_here"),
    ("line_aligner", "alive_before | {Width{pass_q == '0}}", "alive_before"),
    ("line_aligner", ".wr_addr_i(idx_q)", ".wr_addr_i(index_q)"),
    ("line_aligner", "more_q || (hit_q && one_q)", "more_q"),
    ("line_aligner", "many_q || more_q ||", "many_q ||"),
    ("line_aligner", "hit && !many;", "hit;"),
    (
        "line_aligner",
        "LockFrames - 1);\n      if (counting_q)",
        "LockFrames);\n      if (counting_q)",
    ),
    ("line_aligner", "| (one[2*i] & one[2*i+1])", ""),
    ("line_aligner", "hit && !settle && pass_q", "hit && pass_q"),
    ("line_aligner", "found_q && idx_q == hit_index_q", "found_q"),
    ("line_aligner", "hit_index_q <= alive_index_q", "hit_index_q <= idx_q"),
    ("line_aligner", "&& !aligned_q && !found_q && !settle", "&& !aligned_q && !settle"),
    ("line_aligner", "index_d = lock ? '0 : idx_q", "index_d = idx_q"),
    # The cut.
    ("line_aligner", "slip & (SlipWidth'(3)", "slip & (SlipWidth'(k == 0 ? 1 : 3)"),
    # The counters: a header too few or too many, windows that never end, rows that are none.
    ("line_aligner", "CountWidth'(LockFrames - 1)", "CountWidth'(LockFrames - 2)"),
    ("line_aligner", "BadWidth'(BadLimit - 1)", "BadWidth'(BadLimit - 2)"),
    ("line_aligner", "else if (count_last) bad_q <= '0;", ""),
    ("line_aligner", "aligned_q <= 1'b1; count_q <= '0;", "aligned_q <= 1'b1;"),
    ("line_aligner", "!legal && bad_q == BadLast", "bad_q == BadLast"),
    ("line_aligner", "data_q[Width-1] ^ data_q[Width-2]", "data_q[Width-1]"),
    # Marks and resets.
    ("line_aligner", "last_q <= index_d == IndexLast", "last_q <= idx_q == IndexWidth'(1)"),
    ("line_aligner", "slip_q <= SlipLast;", "slip_q <= '0;"),
    ("line_aligner", "idx_q <= '0;", "idx_q <= IndexWidth'(1);"),
    ("line_aligner", "first_q <= 1'b0;", "first_q <= 1'b1;"),
    ("line_aligner", "last_q <= 1'b0;", ""),
    ("line_aligner", "if (rst_i) begin aligned_q <= 1'b0;", "if (rst_i) begin"),
    ("line_aligner", "found_q <= 1'b0;", ""),
    ("line_aligner", "pass_q <= PassRest;", ""),
]


def mutant(module, old, new):
    file, cases, proofs = CHECKS[module]
    tests = [Test((f"cores/line/tb/{file}{case}",)) for case in cases]
    # One test and one proof have to refuse it; a proof that comes to no end does not count.
    refuting = [Proof(f"line/{name}", bad=("FAIL",)) for name in proofs]
    demands = [("test", tests)] + ([("proof", refuting)] if refuting else [])
    return Mutant(module, old, new, demands)


if __name__ == "__main__":
    main("line", __doc__, [mutant(*row) for row in MUTANTS])
