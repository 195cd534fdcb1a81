#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the tests and proofs of cores/line can fail.

usage: mutants.py [TEXT]

Each mutant is one deliberate mistake in one RTL file. In a copy of the tree (build/mutants) the
module's cocotb tests and its proofs are run on it; both have to refuse it. With TEXT only mutants
whose file or text contains it are tried. Takes some minutes; not part of the regular tests.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants" / "line"

# RTL file: (test, parametrisations of it to run, proofs)
CHECKS = {
    "line_scrambler": ("test_line_scrambler.py", [""], ["scrambler_52"]),
    "line_descrambler": ("test_line_scrambler.py", [""], ["scrambler_52"]),
    "line_aligner": (
        "test_line_aligner.py",
        ["::test_line_aligner[7-2-5-2]", "::test_line_aligner[64-4]"],
        ["aligner_4x3", "aligner_5x2", "aligner_lock", "aligner_repeat"],
    ),
}

# RTL file, text in it, replacement.
MUTANTS = [
    # The block: a doubling step too few, a term missing, wrong taps, wrong state, wrong scales.
    ("line_scrambler", "scale * Tap < Width", "2 * scale * Tap < Width"),
    ("line_scrambler", "^ (quotient >> (scale * Order))", ""),
    ("line_scrambler", "Width'(history >> Order)", "Width'(history >> (Order - 1))"),
    ("line_scrambler", "Order'({state_i, quotient})", "Order'({state_i, data_i})"),
    ("line_scrambler", "scale = scale * 2", "scale = scale + 1"),
    ("line_descrambler", "line[Tap+:Width]", "line[Tap-1+:Width]"),
    ("line_descrambler", "= data_i ^", "="),
    ("line_descrambler", "line[Order-1:0]", "{line[Order-2:0], 1'b0}"),
    # The search: wrong neighbours, passes that forget or never do, hits not counted or counted wrongly,
    # a lock at the wrong word or time.
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


def copy_tree():
    shutil.rmtree(WORK, ignore_errors=True)
    for part in ("cores/prim", "cores/line", "cores/tb_common", "tools"):
        shutil.copytree(ROOT / part, WORK / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("cores/conftest.py", "pyproject.toml"):
        shutil.copyfile(ROOT / part, WORK / part)
    for part in (".venv", ".tools"):
        (WORK / part).symlink_to(ROOT / part)


def refused_by_test(test):
    command = [sys.executable, "-m", "pytest", "-q", "-x", f"cores/line/tb/{test}"]
    done = subprocess.run(command, cwd=WORK, capture_output=True, text=True)
    # Exit status 1 is "tests ran and failed"; a mutant that does not compile proves nothing.
    return done.returncode == 1 and "TESTS=" in done.stdout


def refused_by_proof(proof):
    command = [sys.executable, "tools/proof.py", "--json", "--only", f"line/{proof}"]
    done = subprocess.run(command, cwd=WORK, capture_output=True, text=True)
    return bool(done.stdout) and json.loads(done.stdout)["proofs"][0]["said"] == "FAIL"


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    copy_tree()
    survivors = tried = 0
    for module, old, new in MUTANTS:
        if wanted not in f"{module} {old}":
            continue
        tried += 1
        path = WORK / "cores/line/rtl" / f"{module}.sv"
        original = path.read_text()
        # The formatter aligns: any white space matches any other.
        pattern = r"\s+".join(re.escape(word) for word in old.split())
        head, body = original.split(f"module {module} ", 1)
        mutant, found = re.subn(pattern, lambda _, text=new: text, body, count=1)
        if not found:
            sys.exit(f"mutants.py: {module} does not contain {old!r}")
        path.write_text(f"{head}module {module} {mutant}")
        test, cases, proofs = CHECKS[module]
        by_test = any(refused_by_test(test + case) for case in cases)
        by_proof = any(refused_by_proof(proof) for proof in proofs)
        path.write_text(original)
        survivors += not (by_test and by_proof)
        verdict = f"test {'refuses' if by_test else 'ACCEPTS'}, "
        verdict += f"proof {'refuses' if by_proof else 'ACCEPTS'}"
        print(f"{module}: {old!r} -> {new!r}: {verdict}", flush=True)
    print(f"{tried} mutants, {survivors} not refused by test and proof")
    sys.exit(1 if survivors or not tried else 0)


if __name__ == "__main__":
    main()
