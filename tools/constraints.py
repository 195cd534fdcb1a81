# SPDX-License-Identifier: Apache-2.0
"""Runs the constraint files of the crossing cells against our netlists, and says which crossing none of them covers.

The files are Tcl for Vivado and SDC for Quartus and OpenSTA. They are executed by a Tcl interpreter with stand-ins for the
commands of these tools (timing_mock.tcl), on the registers of a top under the names which these tools give them. What comes
out is compared with the crossings that tools/crossings.py has found.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from common import ROOT, fail

if TYPE_CHECKING:
    from crossings import Crossing, Top

FOLDER = ROOT / "cores/prim/constraints"
SHARED = "ropewalk_cells"
TOOLS = {"vivado": ("vivado", "tcl"), "quartus": ("sdc", "sdc"), "opensta": ("sdc", "sdc")}
# Instances that no file may take for its cell: names that begin like one.
DECOYS = {"u_decoy": "prim_fifo_async_clear", "u_decoy_too": "prim_sync_resetting"}


@dataclass
class Constraint:
    """One command that a file has issued; an end that it leaves open is None."""

    file: str
    command: str
    start: set[str] | None
    through: set[str] | None
    end: set[str] | None
    value: str


@dataclass
class Names:
    """What a tool calls the registers of a top."""

    cells: dict[tuple[str, int], str] = field(default_factory=dict)  # register and bit -> name
    register: dict[str, str] = field(default_factory=dict)  # name -> register
    lines: list[str] = field(default_factory=list)  # the design, for the stand-in


def files_of(tool: str) -> list[Path]:
    """The files for a tool, the shared one first."""
    folder, suffix = TOOLS[tool]
    found = sorted((FOLDER / folder).glob(f"*.{suffix}"))
    return sorted(found, key=lambda p: p.stem != SHARED)


def instance_name(tool: str, path: str) -> str:
    """A path of the source as a tool writes it; a generated block is no level of the hierarchy."""
    between = {"vivado": "/", "quartus": "|", "opensta": "."}[tool]
    out = ""
    for part in path.split("."):
        out += part + ("." if part.startswith("gen_") else between)
    return out[:-1]


def bit_name(tool: str, path: str, index: str, memory: bool) -> str:
    """A bit of a register."""
    name = instance_name(tool, path)
    if memory:
        return (
            f"{name}_reg_0"
            if tool == "vivado"
            else f"{name}~0"
            if tool == "quartus"
            else f"{name}.0.0"
        )
    return {
        "vivado": f"{name}_reg{index}",
        "quartus": f"{name}{index}",
        "opensta": f"{name}{index}$_DFF_P_",
    }[tool]


def design(tool: str, top: Top) -> Names:
    """The registers of a top, the instances of its cells and its clocks."""
    names = Names()
    quote = "{{{}}}".format
    modules = {instance_name(tool, path): module for path, module in top.instances.items()}
    for register in top.netlist.registers:
        path = re.sub(r"(\[\d+\])+$", "", register.path)
        width = top.stage_width.get(path, 0)
        first = re.findall(r"\[(\d+)\]$", register.path) or ["0"]
        for bit in range(len(register.bits)):
            index = "" if len(register.bits) == 1 else f"[{bit}]"
            if width:
                # A synchroniser is an array of stages. The netlist splits it or not; Yosys alone
                # counts in one index.
                stage, place = int(first[0]) + bit // width, bit % width
                index = f"[{stage}][{place}]" if tool != "opensta" else f"[{stage * width + place}]"
            elif path != register.path:
                index = register.path.removeprefix(path) + index
            names.cells[register.path, bit] = bit_name(tool, path, index, register.memory)
    for register in top.netlist.registers:
        kind = (
            "memory"
            if register.memory
            else "caught"
            if id(register) in top.asynchronous
            else "flop"
        )
        for bit in range(len(register.bits)):
            starts = top.starts.get((register.path, bit), [])
            pins = [
                names.cells[s] + ("/CLK" if s in top.memories else "/C")
                if s in names.cells
                else s[0]
                for s in starts
            ]
            clock, name = top.clock[id(register)], names.cells[register.path, bit]
            names.register[name] = register.path
            parent, _, leaf = name.rpartition("|")
            if module := modules.get(parent):
                above, _, own = parent.rpartition("|")
                alias = f"{above}|{module}:{own}|{leaf}"
                names.lines.append(f"alias {quote(alias)} {quote(name)}")
            names.lines.append(
                f"cell {quote(name)} {quote(clock)} {kind} {{{' '.join(map(quote, pins))}}}"
            )
    for number, (path, module) in enumerate(top.instances.items()):
        ref = (module, f"{module}__parameterized{number}", f"{module}_{number}")[number % 3]
        names.lines.append(f"instance {quote(instance_name(tool, path))} {ref}")
    names.lines += [f"instance {name} {module}" for name, module in DECOYS.items()]
    names.lines += [f"period {quote(clock)} {ns}" for clock, ns in periods(top).items()]
    return names


def periods(top: Top) -> dict[str, float]:
    """A period for each clock, all different, so that the wrong one shows."""
    return {clock: 3.1 + 0.7 * i for i, clock in enumerate(sorted(set(top.clock.values())))}


def interpreter() -> str:
    """A Tcl interpreter."""
    for name in ("tclsh", "tclsh8.6", "tclsh9.0"):
        if path := shutil.which(name):
            return path
    fail("no tclsh; run tools/setup.sh --dev")


def execute(tool: str, names: Names, folder: Path) -> list[Constraint]:
    """Run the files of a tool."""
    data = folder / f"{tool}.tcl"
    data.write_text("\n".join(names.lines) + "\n")
    command = [
        interpreter(),
        str(ROOT / "tools/timing_mock.tcl"),
        tool,
        str(data),
        *map(str, files_of(tool)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(f"constraints for {tool}: {done.stderr.splitlines()[0]}", 1)
    found = []
    for line in done.stdout.splitlines():
        file, kind, start, through, end, value = line.split("\t")
        sets = [set(split(s)) if s else None for s in (start, through, end)]
        found.append(Constraint(Path(file).stem, kind, *sets, value))
    return found


def split(text: str) -> list[str]:
    """A Tcl list of names, which have no blanks."""
    return [word.strip("{}") for word in text.split()]


def covers(
    tool: str, c: Constraint, crossing: Crossing, top: Top, names: Names, ns: dict[str, float]
) -> bool:
    """Whether a constraint holds for every bit of a crossing, with the period that it should have."""
    pairs = crossing.pairs
    sources = {names.cells.get((crossing.source, s), crossing.source) for s, _ in pairs}
    targets = {names.cells.get((crossing.target, t), crossing.target) for _, t in pairs}
    pins = {p.rpartition("/")[0] for p in c.through or ()}
    by_start = c.start is None or sources <= c.start or crossing.clocks[0] in c.start
    by_end = c.end is None or targets <= c.end or crossing.clocks[1] in c.end
    if c.through is not None and not sources <= pins:
        return False
    if tool == "vivado" and c.command in ("max_delay", "bus_skew"):
        held = crossing.kinds == {"held"}
        period = ns[crossing.sampler] if held else min(ns[x] for x in crossing.clocks)
        if float(c.value) != period:
            return False
    if tool == "opensta" and c.command == "max_delay" and float(c.value) != min(ns.values()):
        return False
    return by_start and by_end


# What a crossing needs of each tool, by its kind: commands, each of which has to cover it.
NEEDED = {
    "vivado": {
        "level": ["max_delay"],
        "gray": ["max_delay", "bus_skew"],
        "held": ["max_delay"],
        "reset": ["false_path"],
    },
    "quartus": {
        "level": ["data_delay"],
        "gray": ["data_delay", "max_skew"],
        "held": ["data_delay"],
        "reset": ["false_path"],
    },
    "opensta": {
        "level": ["max_delay"],
        "gray": ["max_delay"],
        "held": ["max_delay"],
        "reset": ["false_path"],
    },
}


def check(top: Top, folder: Path, used: dict[str, set[str]]) -> list[tuple[str, str]]:
    """What no constraint covers in a top, as name of the crossing and what is missing; notes in `used` which files were of use."""
    missing: list[tuple[str, str]] = []
    ns = periods(top)
    for tool in TOOLS:
        names = design(tool, top)
        constraints = execute(tool, names, folder)
        by_end: dict[str, list[Constraint]] = defaultdict(list)
        for c in constraints:
            for end in c.end or {""}:
                by_end[end.removesuffix("/PRE").removesuffix("/CLR")].append(c)
            if c.end:
                c.end |= {e.removesuffix("/PRE") for e in c.end}
            if (
                c.command in ("bus_skew", "max_skew")
                and len({names.register[n] for n in c.start or ()}) != 1
            ):
                missing.append((f"{tool}: {c.file}", "a skew between several registers"))
        for crossing in top.crossings.values():
            if crossing.clocks[0] == crossing.clocks[1] or (
                crossing.clocks[0] not in ns and "reset" not in crossing.kinds
            ):
                continue  # one clock, or an input without a clock: no path to constrain
            near = {names.cells.get((crossing.target, t), "") for _, t in crossing.pairs} | {
                crossing.clocks[1],
                "",
            }
            candidates = [c for end in near for c in by_end[end]]
            for kind in crossing.kinds:
                for command in NEEDED[tool][kind]:
                    fit = [
                        c
                        for c in candidates
                        if c.command == command and covers(tool, c, crossing, top, names, ns)
                    ]
                    used[tool].update(c.file for c in fit)
                    if not fit:
                        missing.append(
                            (
                                f"{crossing.source} -> {crossing.target}",
                                f"{tool}: no {command} for {crossing.cell}",
                            )
                        )
    return missing


def unused(used: dict[str, set[str]], cells: dict) -> list[str]:
    """Files that have covered nothing in any top, and cells without a file."""
    out = []
    for tool, (folder, suffix) in TOOLS.items():
        there = {p.stem for p in files_of(tool)} - {SHARED}
        out += [f"{folder}/{name}.{suffix} is of no cell" for name in sorted(there - set(cells))]
        out += [f"{name} has no {folder}/{name}.{suffix}" for name in sorted(set(cells) - there)]
        idle = sorted(there & set(cells) - used[tool])
        out += [f"{folder}/{name}.{suffix} constrains nothing with {tool}" for name in idle]
    return list(dict.fromkeys(out))
