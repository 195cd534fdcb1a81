#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts figures into README.md, those of cores, and the book: between `<!-- figures: NAME -->` and `<!-- /figures -->`.

usage: figures.py [--check] [--no-bench | --only CORE ...]

Every figure is what a command of this repository prints now. `--check` changes nothing and says whether the parts that do
not depend on this machine's speed (area, logic levels, proofs) are up to date. Synthesis and proofs are taken from the cache
of `build/` where nothing has changed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import sys
from pathlib import Path

import area
from common import ROOT, fail, run, tail

PAGES = (
    "README.md",
    "cores/rifl/README.md",
    "cores/htsp/README.md",
    "cores/slink/README.md",
    "docs/src/figures.md",
)
CORES = ("rifl", "htsp", "rdma", "slink", "chunk")
# What the benchmark of a core is asked for beside its tables.
WORDS = {"rdma": ("--pages", "16")}
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


def paper_table(rows: list[dict]) -> list[str]:
    """Table 4 of the paper beside ours, as a Markdown table."""
    lines = [
        "| four lanes: frame width, user width | LUT | with memory | paper | FF | paper | BRAM36 | paper |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|")
    for row in rows:
        paper = row["paper"]
        lines.append(
            f"| {row['frame_width']}, {row['user_width']} | {row['lut']} | {row['lut'] + row['lut_memory']} | {paper['lut']} |"
            f" {row['ff']} | {paper['ff']} | {row['bram36']:g} | {paper['bram36']} |"
        )
    lines += [
        "",
        "Printed by `tools/area.py --paper`; the paper's table 4 comes from a vendor's tool with placement.",
    ]
    return lines


def proof_table(proofs: dict) -> list[str]:
    """Every proof and what came out."""
    lines = ["| proof | kind | depth | result |", "|---|---|---|---|"]
    for row in proofs["proofs"]:
        lines.append(f"| {row['proof']} | {row['mode']} | {row['depth']} | {row['said']} |")
    lines += ["", "Printed by `make proof`."]
    return lines


def htsp_area_table(table: dict[str, dict]) -> list[str]:
    """Table 5 of the paper beside ours, as a Markdown table."""
    lines = ["| channels | LUT | with memory | paper | FF | paper | BRAM36 | levels |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for channels, row in table.items():
        lut, ff = area.HTSP_PAPER[channels]
        levels = max(levels for clock, levels in row["levels"].items() if clock != "(outputs)")
        lines.append(
            f"| {channels} | {row['lut']} | {row['lut'] + row['lut_memory']} | {lut} | {row['ff']} | {ff} |"
            f" {row['bram36']:g} | {levels} |"
        )
    lines += [
        "",
        "Printed by `tools/area.py --htsp`: `htsp_core` without registers; the paper's table 5 comes from a vendor's tool with placement.",
    ]
    return lines


def bench_text(core: str) -> list[str]:
    """What the benchmark of a core prints, as it is."""
    program = ROOT / "target/release/ropewalk"
    if not program.exists():
        fail("target/release/ropewalk has not been built, run make build")
    done = run([str(program), "bench", core, *WORDS.get(core, ())])
    if done.returncode != 0:
        fail(f"ropewalk bench {core} failed:\n{tail(done.stdout)}", 1)
    return [line.rstrip() for line in done.stdout.rstrip().splitlines()]


def section(bench: list[str], title: str) -> list[list[str]]:
    """The rows of a table that the benchmark printed, by the beginning of its title; cells stand three spaces apart."""
    starts = [number for number, line in enumerate(bench) if line.startswith(title)]
    if len(starts) != 1:
        fail(f"the benchmark has {len(starts)} tables with the title {title!r}, wanted: one", 1)
    table = itertools.takewhile(bool, bench[starts[0] + 1 :])
    return [re.split(r" {3,}", line.strip()) for line in table]


def pick(rows: list[list[str]], *beginning: str) -> list[str]:
    """What stands behind the first cells of the row that begins with these."""
    for row in rows:
        if tuple(row[: len(beginning)]) == beginning:
            return row[len(beginning) :]
    fail(f"the benchmark has no row {', '.join(beginning)}", 1)


def rifl_table(lane: dict, link: dict, bench: list[str]) -> list[str]:
    """What matters of the core, beside the published one, as a Markdown table."""
    lines = ["## Figures", "", "| | this core | published core |", "|---|---|---|"]
    latency = section(bench, "Latency, first beat in to first beat out")
    for name, size in (("1/256/256", "30"), ("4/256/256", "30"), ("4/512/512", "62")):
        _, most, _, published = pick(latency, name, size)
        lines.append(f"| latency, {name}, {size} bytes, GT cycles | {most} | {published} |")
    narrow = section(bench, "Efficiency, payload bits over line bits")
    lines.append(f"| efficiency, 4/256/256, 1500 bytes | {' | '.join(pick(narrow, '1500')[4:6])} |")
    wide = pick(section(bench, "Efficiency of 8/512/512"), "1 984")
    lines.append(
        f"| efficiency, 8/512/512 at 224 Gb/s, 1984 bytes | {wide[0]}, limit {wide[1]} | |"
    )
    stall = section(bench, "Longest gap after one damaged frame")
    for mode in ("extended", "compatible"):
        _, sink, theirs, _, _, opposite, other = pick(stall, "1/256/256", mode)
        lines.append(f"| gap after one damaged frame, {mode}, GT cycles | {sink} | {theirs} |")
        lines.append(f"| gap of the other direction, {mode}, GT cycles | {opposite} | {other} |")
    goodput = section(bench, "Goodput with bit errors over goodput without")
    for rate in ("1e-7", "1e-6", "1e-5"):
        _, ratio, theirs = pick(goodput, "4/256/256", "extended", "64", rate)
        lines.append(f"| goodput kept at BER {rate}, 4/256/256, extended | {ratio} | {theirs} |")
    up = section(bench, "Link-up, release of reset")
    published = re.search(r"; (.+) with fast counters", str(up))
    cycles = pick(up, "256", "extended")[1]
    theirs = published[1] if published else "-"
    lines.append(f"| link-up, frame width 256, extended, GT cycles | {cycles} | {theirs} |")
    for lanes, result in (("1", lane), ("4", link)):
        limits = area.LIMITS[lanes]
        ours = f"{result['lut']}, {result['ff']}, {result['bram36']:g}"
        theirs = f"{limits['lut']}, {limits['ff']}, {limits['bram36']:g}"
        lines.append(
            f"| LUT, FF, BRAM36 with {lanes} lane{'s' * (lanes != '1')} | {ours} | {theirs} |"
        )
    lines += [
        "",
        "Links: lanes/user width/frame width; a GT cycle is 64 bits. The published core was simulated and synthesised in the same",
        "flow. Printed by `make bench` and `make area`, put here by `tools/figures.py`; more in [figures](../../docs/src/figures.md).",
    ]
    return lines


def htsp_table(table: dict[str, dict], bench: list[str]) -> list[str]:
    """What matters of HTSP, beside the published core and the paper, as a Markdown table."""
    lines = ["## Figures", "", "| | this core | published core or paper |", "|---|---|---|"]
    narrow = section(bench, "Efficiency over wires")
    for size in ("64", "256", "1 024", "8 192"):
        ours, _, theirs = pick(narrow, size)
        lines.append(f"| efficiency over wires, {size} bytes | {ours} | {theirs} |")
    rows = section(bench, "Bandwidth and frame rate")
    ours, limit, theirs = pick(rows, "8 192")[:3]
    lines.append(
        f"| bandwidth, line of 100 Gb/s, 8192 bytes, Gb/s | {ours}, limit {limit} | {theirs} |"
    )
    latency = section(bench, "Latency of a single frame")
    for size in ("64", "1 048 576"):
        cycles, _, theirs = pick(latency, size)
        lines.append(f"| latency over wires, {size} bytes, cycles | {cycles} | {theirs} |")
    up = pick(section(bench, "Channels, frames of 8192 bytes"), "1")
    lines.append(f"| link up, both sides, cycles | {up[1]} | {up[2]} |")
    host = section(bench, "Host ends on two interfaces")
    ours, alone = (
        pick(host, ends, "8 192") for ends in ("HTSP by packet sockets", "packet sockets alone")
    )
    lines.append(
        f"| host end, 8192 bytes a burst, Gb/s and CPU s/GB | {ours[0]}, {ours[1]} | packet sockets alone: {alone[0]}, {alone[1]} |"
    )
    lines += ["", *htsp_area_table(table)]
    lines += [
        "",
        "The rest is printed by `make bench`. All of it was put here by `tools/figures.py`; more in [figures](../../docs/src/figures.md).",
    ]
    return lines


def slink_table(bench: list[str]) -> list[str]:
    """What matters of SLink, beside its formula, the paper and PCI Express, as a Markdown table."""
    lines = ["## Figures", "", "| 512 bytes, 5 Gb/s a lane | first word | last word |"]
    lines.append("|---|---|---|")
    latency = section(bench, "Latency of 512 bytes")
    for mode in ("write", "write, CRC", "read", "read, CRC"):
        for lanes in ("1", "4"):
            first, _, _, last = pick(latency, f"{mode}, {lanes} x 5 Gb/s")
            lines.append(f"| {mode}, {lanes} lane{'s' * (lanes != '1')} | {first} | {last} |")
    lines += ["", "| writes over one lane | efficiency | formula | CRC | formula | PCIe 2.0 |"]
    lines.append("|---|---|---|---|---|---|")
    sizes = section(bench, "Writes at 5 Gb/s a lane by size")
    for size in ("64", "512", "4 096", "524 288"):
        shares = pick(sizes, "1", size)[:5]
        lines.append(f"| {size} bytes | {' | '.join(shares)} |")
    lines += ["", "| beside PCI Express 2.0 | by framing | paper, measured |", "|---|---|---|"]
    beside = section(bench, "Beside PCI Express 2.0")
    for row in ("latency lower, on average", "bandwidth higher, on average"):
        ours, paper = pick(beside, row)
        lines.append(f"| {row} | {ours} | {paper} |")
    lines += [
        "",
        "Printed by `ropewalk bench slink`, put here by `tools/figures.py`; all modes and sizes in [figures](../../docs/src/figures.md).",
    ]
    return lines


def chunk_table(bench: list[str]) -> list[str]:
    """What matters of bulk transfer, beside the paper and other transports, as a Markdown table."""
    lines = [
        "### Bulk transfer",
        "",
        "| virtual time, lanes of 10 Gb/s | ours | paper |",
        "|---|---|---|",
    ]
    stable = section(bench, "Stable Throughput, two phases")
    low = section(bench, "Low Latency, two phases")
    for name, rows in (("stable", stable), ("low latency", low)):
        for lanes in ("1", "8"):
            gbps, paper, _, time, theirs, _, overlapped, _ = pick(rows, lanes)
            plural = "s" * (lanes != "1")
            lines.append(
                f"| {name}, {lanes} lane{plural}, Gb/s; chunk, ms | {gbps}; {time} | {paper}; {theirs} |"
            )
            lines.append(f"| the same with two chunks in flight, Gb/s | {overlapped} | |")
    rows = section(bench, "Transports on this machine")
    lines += ["", "| this machine, loopback | loss | Gb/s | CPU s/GB |", "|---|---|---|---|"]
    for row in rows[1:]:
        if len(row) > 5 and row[1] in ("-", "1") and row[3] != "-":
            lines.append(f"| {row[0]} | {row[2]} | {row[3]} | {row[5]} |")
    lines += [
        "",
        "Printed by `ropewalk bench chunk`; the second table is by wall clock, and belongs to the machine that ran it. More in",
        "[figures](docs/src/figures.md).",
    ]
    return lines


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


def everything(
    lane: dict,
    link: dict,
    wide: dict,
    paper: list[dict],
    htsp: dict[str, dict],
    proofs: dict,
    bench: dict[str, list[str]],
) -> list[str]:
    """The page of the book."""
    return [
        "",
        "## Area and logic depth",
        "",
        *area_table(lane, link),
        "",
        f"With 512-bit frames: {wide['lut']} LUT ({wide['lut'] + wide['lut_memory']} with memory), {wide['ff']} FF, {wide['bram36']:g} BRAM36.",
        "",
        *paper_table(paper),
        "",
        *htsp_area_table(htsp),
        "",
        "## Proofs",
        "",
        *proof_table(proofs),
        "",
        "## Latency, efficiency, errors, speed",
        "",
        "Printed by `make bench`. Cycles and ratios are exact; simulation speed belongs to the machine that ran it.",
        "",
        *itertools.chain.from_iterable(["```", *bench[core], "```", ""] for core in CORES),
    ]


def old_bench(text: str) -> dict[str, list[str]]:
    """The benchmarks' output that stands in the page, for runs that leave the benchmarks out."""
    found = re.findall(r"```\n(.*?)\n```", text, re.DOTALL)
    if len(found) != len(CORES):
        fail(
            "docs/src/figures.md has not what all benchmarks print; leave out --check and --no-bench",
            1,
        )
    return {core: text.splitlines() for core, text in zip(CORES, found, strict=True)}


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="only compare; leaves the benchmark out"
    )
    parser.add_argument(
        "--no-bench", action="store_true", help="keep the benchmark's figures as they are"
    )
    parser.add_argument(
        "--only", nargs="+", choices=CORES, default=CORES, help="new benchmarks of these only"
    )
    args = parser.parse_args()
    lane = script_json("tools/area.py", "--json", "--param", "Lanes=1")
    link = script_json("tools/area.py", "--json", "--param", "Lanes=4")
    wide = script_json("tools/area.py", "--json", "--param", "FrameWidth=512")
    paper = script_json("tools/area.py", "--json", "--paper")["table_4"]
    htsp = script_json("tools/area.py", "--json", "--htsp")["table_5"]
    proofs = script_json("tools/proof.py", "--json")
    page = (ROOT / "docs/src/figures.md").read_text()
    cores = () if args.check or args.no_bench else args.only
    bench = old_bench(page) | {core: bench_text(core) for core in cores}
    blocks = {
        "summary": summary(lane, link, proofs),
        "rifl": rifl_table(lane, link, bench["rifl"]),
        "htsp": htsp_table(htsp, bench["htsp"]),
        "slink": slink_table(bench["slink"]),
        "chunk": chunk_table(bench["chunk"]),
        "all": everything(lane, link, wide, paper, htsp, proofs, bench),
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
