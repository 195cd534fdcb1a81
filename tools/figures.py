#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts figures into README.md and the book: between `<!-- figures: NAME -->` and `<!-- /figures -->`.

usage: figures.py [--check] [--no-bench]

Every figure is what a command of this repository prints now. `--check` changes nothing and says whether the parts that do
not depend on this machine's speed (area, logic levels, proofs) are up to date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

import area
from common import ROOT, fail, run, tail

PAGES = ("README.md", "docs/src/figures.md")
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n)(.*?)(<!-- /figures -->)", re.DOTALL)


def script_json(*words: str) -> dict:
    """The JSON object that one of our scripts prints."""
    done = run([sys.executable, *words])
    if done.returncode not in (0, 1) or not done.stdout.lstrip().startswith("{"):
        fail(f"{' '.join(words)} failed:\n{tail(done.stdout)}", 1)
    return json.JSONDecoder().raw_decode(done.stdout.lstrip())[0]


def area_table(lane: dict, link: dict) -> list[str]:
    """One lane and four against their limits, as a Markdown table."""
    four = {name: f"{value:g} | {limit:g}" for name, value, limit in area.verdicts(link, "4")}
    lines = ["| 256-bit frames, id width 6 | one lane | limit | four lanes | limit |"]
    lines.append("|---|---|---|---|---|")
    for name, value, limit in area.verdicts(lane):
        # Recovered clocks are numbered; they all drive the same logic.
        of_four = four.get(name) or four[f"{name}[0]"]
        lines.append(f"| {name} | {value:g} | {limit:g} | {of_four} |")
    lines.append("")
    lines.append(
        "Printed by `make area` (`synth_xilinx -family xcup`, no placement: for comparison only)."
    )
    return lines


def proof_table(proofs: dict) -> list[str]:
    """Every proof and what came out."""
    lines = ["| proof | kind | depth | result |", "|---|---|---|---|"]
    for row in proofs["proofs"]:
        lines.append(f"| {row['proof']} | {row['mode']} | {row['depth']} | {row['said']} |")
    lines += ["", "Printed by `make proof`."]
    return lines


def bench_text() -> list[str]:
    """What the benchmark prints, as it is."""
    program = ROOT / "target/release/ropewalk"
    if not program.exists():
        fail("target/release/ropewalk has not been built, run make build")
    done = run([str(program), "bench", "rifl"])
    if done.returncode != 0:
        fail(f"ropewalk bench rifl failed:\n{tail(done.stdout)}", 1)
    return ["```", *(line.rstrip() for line in done.stdout.rstrip().splitlines()), "```"]


def summary(lane: dict, link: dict, proofs: dict) -> list[str]:
    """The short form for the README."""
    good = sum(row["ok"] for row in proofs["proofs"])
    return [
        "### Figures",
        "",
        *area_table(lane, link),
        "",
        f"{good} of {len(proofs['proofs'])} formal proofs came out as expected (`make proof`). Latency, efficiency, goodput and",
        "simulation speed are printed by `make bench` and kept in [figures](docs/src/figures.md).",
    ]


def everything(lane: dict, link: dict, wide: dict, proofs: dict, bench: list[str]) -> list[str]:
    """The page of the book."""
    return [
        "",
        "## Area and logic depth",
        "",
        *area_table(lane, link),
        "",
        f"With 512-bit frames: {wide['lut']} LUT ({wide['lut'] + wide['lut_memory']} with memory), {wide['ff']} FF, {wide['bram36']:g} BRAM36.",
        "",
        "## Proofs",
        "",
        *proof_table(proofs),
        "",
        "## Latency, efficiency, errors, speed",
        "",
        "Printed by `make bench`. Cycles and ratios are exact; simulation speed belongs to the machine that ran it.",
        "",
        *bench,
        "",
    ]


def old_bench(text: str) -> list[str]:
    """The benchmark's output that stands in the page, for runs that leave the benchmark out."""
    found = re.search(r"```\n.*?```", text, re.DOTALL)
    return found.group(0).splitlines() if found else ["(not measured yet)"]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="only compare; leaves the benchmark out"
    )
    parser.add_argument(
        "--no-bench", action="store_true", help="keep the benchmark's figures as they are"
    )
    args = parser.parse_args()
    lane = script_json("tools/area.py", "--json", "--param", "Lanes=1")
    link = script_json("tools/area.py", "--json", "--param", "Lanes=4")
    wide = script_json("tools/area.py", "--json", "--param", "FrameWidth=512")
    proofs = script_json("tools/proof.py", "--json")
    page = (ROOT / "docs/src/figures.md").read_text()
    bench = old_bench(page) if args.check or args.no_bench else bench_text()
    blocks = {
        "summary": summary(lane, link, proofs),
        "all": everything(lane, link, wide, proofs, bench),
    }

    stale = []
    for name in PAGES:
        path: Path = ROOT / name
        old = path.read_text()
        new = BLOCK.sub(lambda m: m[1] + "\n".join(blocks[m[2]]) + "\n" + m[4], old)
        if new != old:
            stale.append(name)
            if not args.check:
                path.write_text(new)
    if args.check and stale:
        fail(f"figures are out of date in {', '.join(stale)}; run tools/figures.py", 1)
    print("figures: " + (f"written to {', '.join(stale)}" if stale else "up to date"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
